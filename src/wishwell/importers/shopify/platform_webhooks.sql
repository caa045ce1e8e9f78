-- name: platform_delivery_add
-- Returns no row for a repeated delivery, so that each takes effect once.
INSERT INTO platform_deliveries (hash, store_id, received_at) VALUES (:hash, :store, :now)
ON CONFLICT (hash) DO NOTHING
RETURNING store_id;

-- name: platform_delivery
-- The store that received a delivery before.
SELECT store_id FROM platform_deliveries WHERE hash = :hash;

-- name: platform_deliveries_forget
-- Deletes a batch of records that are too old to be repeated.
DELETE FROM platform_deliveries WHERE hash IN (
    SELECT d.hash FROM platform_deliveries d WHERE d.received_at < :before LIMIT :limit)
RETURNING hash;
