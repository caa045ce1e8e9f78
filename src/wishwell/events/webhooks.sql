-- webhook_fields: id, url, types, enabled, created_at, updated_at, failing_since, format = '', include, skipped, problem = ''
-- delivery_fields: id, profile_id, sequence, type, status, attempts, last_status, last_attempt_at, next_at, answer

-- name: webhook_add
-- Due immediately, because events may already have positions but not be published yet.
INSERT INTO webhooks (store_id, id, url, types, format, include, enabled, position, missed, sealed, created_at,
    updated_at, due_at)
VALUES (:store, :id, :url, :types, :format, :include, 1, :position, 0, :sealed, :now, :now, :now);

-- name: webhook
-- A deleted webhook (enabled = -1) isn't found.
SELECT webhook_fields(w), w.position, w.sealed, w.due_at, w.wait_until FROM webhooks w
WHERE w.store_id = :store AND w.id = :id AND w.enabled >= 0;

-- name: webhook_lock
-- Serialises the changes and the deliveries of a webhook.
SELECT webhook_fields(w), w.position, w.sealed, w.due_at, w.wait_until FROM webhooks w
WHERE w.store_id = :store AND w.id = :id AND w.enabled >= 0
FOR UPDATE --postgresql
;

-- name: webhook_set
-- Writes the whole state, which the caller has read under the webhook's lock.
UPDATE webhooks
SET url = :url, types = :types, enabled = :enabled, updated_at = :updated_at, failing_since = :failing_since, position = :position, sealed = :sealed,
    include = :include, skipped = :skipped, problem = :problem, wait_until = :wait_until, due_at = :due_at
WHERE store_id = :store AND id = :id;

-- name: webhook_delete
-- Marks a webhook as deleted. Background batches remove its deliveries, then its row.
UPDATE webhooks SET enabled = -1, updated_at = :now, due_at = NULL
WHERE store_id = :store AND id = :id AND enabled >= 0 RETURNING id;

-- name: webhook_remove
-- Only a webhook that was marked as deleted, after its deliveries.
DELETE FROM webhooks WHERE store_id = :store AND id = :id AND enabled = -1;

-- name: webhook_reseal
-- Does nothing if the secret was changed since it was read.
UPDATE webhooks SET sealed = :sealed WHERE store_id = :store AND id = :id AND sealed = :before;

-- name: webhooks
-- Webhooks of all stores, also deleted ones.
SELECT store_id, id, sealed, enabled FROM webhooks;

-- name: webhooks_failing
-- Includes webhooks that were turned off because they failed.
SELECT s.handle, w.id, w.failing_since, w.problem FROM webhooks w JOIN stores s ON s.id = w.store_id
WHERE w.failing_since IS NOT NULL AND w.enabled >= 0 ORDER BY w.failing_since;

-- name: store_webhooks_page
-- Deleted webhooks are hidden while batches remove them.
SELECT webhook_fields(w){beyond} FROM webhooks w WHERE w.store_id = :owner AND w.enabled >= 0;

-- name: webhooks_due
SELECT store_id, id, due_at FROM webhooks WHERE due_at <= :now;

-- name: webhooks_wake
-- New events were published. Also updates webhooks that are already due, so that the row's lock orders this after a
-- concurrent batch that didn't see the events and is about to set a later due time.
UPDATE webhooks SET due_at = CASE WHEN due_at < :now THEN due_at ELSE :now END WHERE store_id = :store AND enabled = 1;

-- name: delivery_next
-- When the webhook's next delivery is due, or null without one.
SELECT min(next_at) FROM deliveries WHERE store_id = :store AND webhook_id = :webhook AND status = 'pending';

-- name: event_positions
-- The next events for a webhook, without their data, which is read when they are sent.
SELECT e.number, e.profile_id, e.sequence, e.type, e.created_at, e.gid FROM events e
WHERE e.store_id = :store AND e.number > :after AND e.number <= :until AND event_shown(e) ORDER BY e.number LIMIT :limit;

-- name: events_at_positions
-- The events of claimed deliveries, with their data.
SELECT e.number, event_fields(e) FROM events e WHERE e.store_id = :store AND e.number in_numbers(:numbers) AND event_shown(e);

-- name: delivery_add
-- A delivery refers to its event by position, and doesn't store the event's data.
INSERT INTO deliveries (store_id, webhook_id, id, number, profile_id, sequence, type, status, attempts, next_at)
VALUES (:store, :webhook, :id, :number, :profile, :sequence, :type, 'pending', 0, :next_at);

-- name: deliveries_claim
-- Claims due deliveries under the webhook's lock. :until: the end of the lease :lease.
-- An array, because with IN PostgreSQL would join with all deliveries of the webhook.
UPDATE deliveries SET lease = :lease, next_at = :until
WHERE store_id = :store AND webhook_id = :webhook AND id
= ANY(ARRAY( --postgresql
IN ( --sqlite
    SELECT id FROM deliveries
    WHERE store_id = :store AND webhook_id = :webhook AND status = 'pending' AND next_at <= :now
    ORDER BY next_at LIMIT :limit
)) --postgresql
) --sqlite
RETURNING id, number, type, attempts;

-- name: delivery_record_attempt
-- Does nothing if another process has claimed the delivery since (rule: delivery-at-least-once).
UPDATE deliveries
SET status = :status, attempts = :attempts, last_status = :last_status, last_attempt_at = :last_attempt_at, next_at = :next_at,
    answer = :answer, lease = NULL
WHERE store_id = :store AND webhook_id = :webhook AND id = :id AND lease = :lease;

-- name: delivery
-- Finds a delivery of any status.
SELECT delivery_fields(d) FROM deliveries d
WHERE d.store_id = :store AND d.webhook_id = :webhook AND d.id = :id;

-- name: delivery_retry
-- Does nothing while the delivery is being sent.
UPDATE deliveries SET status = 'pending', next_at = :now, lease = NULL
WHERE store_id = :store AND webhook_id = :webhook AND id = :id AND (lease IS NULL OR next_at <= :now);

-- name: store_deliveries_page
-- Hides deliveries of profiles that are being erased.
SELECT delivery_fields(d){beyond} FROM deliveries d WHERE d.store_id = :owner AND event_shown(d);

-- name: deliveries_waiting
-- For the metric of pending deliveries, those of all stores.
SELECT count(*) FROM deliveries WHERE status = 'pending';

-- name: deliveries_remove
-- The oldest deliveries whose id is less than :before.
DELETE FROM deliveries WHERE store_id = :store AND webhook_id = :webhook AND id
= ANY(ARRAY( --postgresql
IN ( --sqlite
    SELECT id FROM deliveries
    WHERE store_id = :store AND webhook_id = :webhook AND id < :before ORDER BY id LIMIT :limit
)) --postgresql
) --sqlite
RETURNING id;
