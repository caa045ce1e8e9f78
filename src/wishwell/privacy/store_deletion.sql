-- name: store_lock
-- The lock blocks inserts of rows that refer to the store until it is deleted.
SELECT id FROM stores WHERE id = :store
FOR UPDATE --postgresql
;

-- name: store_deletion_begin
-- Marks a store as being deleted, which every process polls.
INSERT INTO deleted_stores (store_id, deleted_at) VALUES (:store, :now) ON CONFLICT (store_id) DO NOTHING;

-- name: store_deletion_forget
-- Only for a store that is imported again with the same id.
DELETE FROM deleted_stores WHERE store_id = :store;

-- name: store_deleted
-- Returns a row also after the deletion has finished.
SELECT 1 FROM deleted_stores WHERE store_id = :store;

-- name: stores_deleted
-- Polled by each process, which then refuses requests for these stores.
SELECT store_id FROM deleted_stores WHERE deleted_at >= :since;

-- name: store_profiles
-- Starts at the cursor :after, because deleted rows stay in PostgreSQL's index for a while, and each batch would read them.
SELECT profile_id FROM profiles WHERE store_id = :store AND profile_id > :after ORDER BY profile_id LIMIT :limit;

-- name: erase_revocations
-- Revocations of a batch of the store's profiles.
DELETE FROM revocations WHERE profile_id in_uuids(:profiles);

-- name: erase_TABLE
-- of: admin_tokens, catalogue_runs, counts, erasures, feeds, requests, store_hosts, store_secrets, webhooks
-- Small tables are deleted in one statement.
DELETE FROM TABLE WHERE store_id = :store;

-- name: erase_TABLE
-- of: deleted_products (product_id), deliveries (webhook_id, id), products (product_id),
-- of: platform_deliveries (hash), wish_counts (until, product_id, variant_id)
-- Large tables are deleted in batches, until no row is returned.
DELETE FROM TABLE WHERE store_id = :store AND (KEY) IN (SELECT KEY FROM TABLE t WHERE t.store_id = :store LIMIT :limit)
RETURNING store_id;

-- name: erase_events_positioned
-- Uses the index of events with a feed position; the next statement uses that of events without one.
DELETE FROM events WHERE (profile_id, sequence) IN (
    SELECT e.profile_id, e.sequence FROM events e WHERE e.store_id = :store AND e.number IS NOT NULL LIMIT :limit)
RETURNING sequence;

-- name: erase_events_unpositioned
-- Uses the index of events without a feed position.
DELETE FROM events WHERE (profile_id, sequence) IN (
    SELECT e.profile_id, e.sequence FROM events e WHERE e.store_id = :store AND e.number IS NULL LIMIT :limit)
RETURNING sequence;

-- name: erase_stores
-- The last statement of a deletion; foreign keys refuse it while rows refer to the store.
DELETE FROM stores WHERE id = :store;
