-- name: store_create
INSERT INTO stores (id, handle, platform, product_ids, auth_flow, hosts, naming, origins, limits,
    price_drop_percent, events_since, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: store_create_first
-- Of several processes that start on an empty database, one makes the store `default`.
INSERT INTO stores (id, handle, platform, product_ids, auth_flow, hosts, naming, origins, limits,
    price_drop_percent, events_since, created_at, updated_at)
SELECT $1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10::integer, $11, $12, $12
WHERE NOT EXISTS (SELECT 1 FROM stores)
ON CONFLICT (handle) DO NOTHING;

-- name: in_turn for postgresql
-- Until the transaction ends, a cluster asks its servers one after the other. Otherwise Citus refuses to change a
-- reference table after it has read a distributed one.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- name: in_turn for sqlite
SELECT 1;

-- name: stores_lock
SELECT id FROM stores ORDER BY id
FOR NO KEY UPDATE --postgresql
;

-- name: store_update
UPDATE stores SET handle = $2, platform = $3, product_ids = $4, auth_flow = $5, hosts = $6, naming = $7,
    origins = $8, limits = $9, price_drop_percent = $10, events_since = $11, updated_at = $12
WHERE id = $1;

-- name: store_hosts_clear
DELETE FROM store_hosts WHERE store_id = $1;

-- name: store_hosts_add
INSERT INTO store_hosts (host, store_id) VALUES ($1, $2);

-- name: store_secrets
SELECT sealed FROM store_secrets WHERE store_id = $1;

-- name: stores_secrets
SELECT store_id, sealed FROM store_secrets;

-- name: store_secrets_changed
SELECT store_id, sealed FROM store_secrets WHERE updated_at >= $1;

-- name: store_secrets_set
INSERT INTO store_secrets (store_id, sealed, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (store_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at;

-- name: stores
SELECT store_fields(s) FROM stores s ORDER BY s.handle;

-- name: store_by_handle
SELECT store_fields(s) FROM stores s WHERE s.handle = $1;

-- name: store_holds_items
SELECT 1 FROM items WHERE store_id = $1 LIMIT 1;

-- name: store_holds_products
SELECT 1 FROM products WHERE store_id = $1 LIMIT 1;

-- name: stores_changed
-- What the access cache has not seen yet.
SELECT store_fields(s) FROM stores s WHERE s.updated_at >= $1;
