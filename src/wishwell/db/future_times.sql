-- Each statement dates a batch of times after :latest, which a wrong clock stored, to :repaired.

-- name: repair_sessions
-- The last uses of sessions.
UPDATE profiles SET touched_at = :repaired WHERE is_session = 1 AND profile_id IN (
    SELECT p.profile_id FROM profiles p WHERE p.is_session = 1 AND p.touched_at > :latest LIMIT :limit)
RETURNING profile_id;

-- name: repair_customers
-- The last uses of customers, only in stores that forget customers. A cross join, so that SQLite reads the few stores first.
UPDATE profiles SET touched_at = :repaired WHERE is_session = 0 AND profile_id IN (
    SELECT p.profile_id FROM stores s CROSS JOIN profiles p
    WHERE s.forget_since IS NOT NULL AND p.store_id = s.id AND p.is_session = 0 AND p.touched_at > :latest AND p.touched_at < 'Z'
    LIMIT :limit)
RETURNING profile_id;

-- name: repair_stores
-- The starts of stores' option to forget customers.
UPDATE stores SET forget_since = :repaired, updated_at = :repaired WHERE forget_since > :latest RETURNING id;

-- name: repair_exports
-- The ends of exports of personal data.
UPDATE requests SET due_at = :repaired WHERE state = 'exported' AND due_at > :latest RETURNING id;

-- name: repair_deletions
-- The times from which requests are processed.
UPDATE requests SET due_at = :repaired WHERE state <> 'exported' AND due_at > :latest RETURNING id;

-- name: repair_requests
-- The times at which requests arrived.
UPDATE requests SET received_at = :repaired WHERE received_at > :latest RETURNING id;

-- name: repair_webhooks
-- The times at which webhooks have work.
UPDATE webhooks SET due_at = :repaired WHERE due_at > :latest RETURNING id;

-- name: repair_waits
-- The ends of waits that receivers asked for.
UPDATE webhooks SET wait_until = :repaired WHERE wait_until > :latest RETURNING id;

-- name: repair_failures
-- The starts of webhooks' failures.
UPDATE webhooks SET failing_since = :repaired WHERE failing_since > :latest RETURNING id;

-- name: repair_deliveries
-- The next attempts of deliveries.
UPDATE deliveries SET next_at = :repaired WHERE status = 'pending' AND (store_id, webhook_id, id) IN (
    SELECT d.store_id, d.webhook_id, d.id FROM webhooks w CROSS JOIN deliveries d
    WHERE d.store_id = w.store_id AND d.webhook_id = w.id AND d.status = 'pending' AND d.next_at > :latest LIMIT :limit)
RETURNING id;

-- name: products_future
-- Products put after :latest. No index leads to them.
SELECT store_id, product_id FROM products WHERE updated_at > :latest LIMIT :limit;

-- name: repair_product
-- The last put of a product.
UPDATE products SET updated_at = :repaired WHERE store_id = :store AND product_id = :product AND updated_at > :latest;
