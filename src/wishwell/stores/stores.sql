-- store_options: handle, platform, product_ids, auth_flow, hosts, naming, origins, limits, price_drop_percent, events_since, forget_customers_after, forget_since, pages, reporting, notices, look, mail, active
-- store_fields: id, created_at, *store_options

-- name: store_put
-- Creates a store or overwrites its settings. excluded has the arguments' values, so that null is written too.
INSERT INTO stores (names(store_fields), updated_at) VALUES (initial(store_fields), :now)
ON CONFLICT (id) DO UPDATE SET given(store_options, excluded), updated_at = excluded.updated_at;

-- name: in_turn
-- Until the transaction ends, Citus runs statements on its nodes sequentially. Otherwise it refuses to write to a
-- reference table after a read of a distributed one.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true); --postgresql
SELECT 1; --sqlite

-- name: stores_lock
-- All stores, in one order, so that concurrent changes can't deadlock.
SELECT id FROM stores ORDER BY id
FOR NO KEY UPDATE --postgresql
;

-- name: store_hosts_add
-- The primary key refuses a host that another store has.
INSERT INTO store_hosts (host, store_id) VALUES (:host, :store);

-- name: store_secrets
SELECT sealed FROM store_secrets WHERE store_id = :store;

-- name: store_secrets_changed
-- :since: only secrets changed at that time or later; empty for all.
SELECT store_id, sealed FROM store_secrets WHERE updated_at >= :since;

-- name: store_secrets_set
-- Also records the time, by which store_secrets_changed finds the change.
INSERT INTO store_secrets (store_id, sealed, updated_at) VALUES (:store, :sealed, :now)
ON CONFLICT (store_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at;

-- name: store_by_handle
-- Also finds a store that is being deleted.
SELECT store_fields(s) FROM stores s WHERE s.handle = :handle;

-- name: store_write_lock
-- Serialises the processes that work on a store. Returns no row once the store is deleted.
SELECT id FROM stores WHERE id = :store
FOR NO KEY UPDATE --postgresql
;

-- name: store_holds
-- Returns a row if the store has any item or product.
SELECT 1 FROM items WHERE store_id = :store UNION ALL SELECT 1 FROM products WHERE store_id = :store LIMIT 1;

-- name: stores_changed
-- :since: only stores changed at that time or later; empty for all.
SELECT store_fields(s) FROM stores s WHERE s.updated_at >= :since ORDER BY s.handle;
