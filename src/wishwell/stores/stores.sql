-- store_fields: id, handle, platform, product_ids, auth_flow, hosts, naming, origins, limits, price_drop_percent, events_since, created_at, forget_customers_after, forget_since, pages, reporting, notices, look

-- name: store_put
INSERT INTO stores (id, handle, platform, product_ids, auth_flow, hosts, naming, origins, limits,
    price_drop_percent, events_since, created_at, updated_at, forget_customers_after, forget_since, pages, reporting, notices, look)
VALUES (:id, :handle, :platform, :product_ids, :auth_flow, :hosts, :naming, :origins, :limits,
    :price_drop_percent, :events_since, :created_at, :now, :forget_customers_after, :forget_since, :pages, :reporting, :notices, :look)
ON CONFLICT (id) DO UPDATE SET handle = excluded.handle, platform = excluded.platform,
    product_ids = excluded.product_ids, auth_flow = excluded.auth_flow, hosts = excluded.hosts, naming = excluded.naming,
    origins = excluded.origins, limits = excluded.limits, price_drop_percent = excluded.price_drop_percent,
    events_since = excluded.events_since, updated_at = excluded.updated_at,
    forget_customers_after = excluded.forget_customers_after, forget_since = excluded.forget_since,
    pages = excluded.pages, reporting = excluded.reporting, notices = excluded.notices,
    look = excluded.look;

-- name: in_turn
-- Until the transaction ends, Citus runs statements on its nodes sequentially. Otherwise it refuses to write to a
-- reference table after a read of a distributed one.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true); --postgresql
SELECT 1; --sqlite

-- name: stores_lock
SELECT id FROM stores ORDER BY id
FOR NO KEY UPDATE --postgresql
;

-- name: store_hosts_add
INSERT INTO store_hosts (host, store_id) VALUES (:host, :store);

-- name: store_secrets
SELECT sealed FROM store_secrets WHERE store_id = :store;

-- name: store_secrets_changed
-- :since: only secrets changed at that time or later; empty for all.
SELECT store_id, sealed FROM store_secrets WHERE updated_at >= :since;

-- name: store_secrets_set
INSERT INTO store_secrets (store_id, sealed, updated_at) VALUES (:store, :sealed, :now)
ON CONFLICT (store_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at;

-- name: store_by_handle
SELECT store_fields(s) FROM stores s WHERE s.handle = :handle;

-- name: store_write_lock
-- Serialises the processes that work on a store. Returns no row once the store is deleted.
SELECT id FROM stores WHERE id = :store
FOR NO KEY UPDATE --postgresql
;

-- name: store_holds
SELECT 1 FROM items WHERE store_id = :store UNION ALL SELECT 1 FROM products WHERE store_id = :store LIMIT 1;

-- name: stores_changed
-- :since: only stores changed at that time or later; empty for all.
SELECT store_fields(s) FROM stores s WHERE s.updated_at >= :since ORDER BY s.handle;
