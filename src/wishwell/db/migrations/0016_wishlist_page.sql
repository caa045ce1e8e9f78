-- shared: whether the whole wishlist was ever shared; only then may items without a list have reservations.
ALTER TABLE profiles ADD COLUMN shared smallint NOT NULL DEFAULT 0; --postgresql
ALTER TABLE profiles ADD COLUMN shared INTEGER NOT NULL DEFAULT 0; --sqlite
-- list_id is the nil UUID in a share of the whole wishlist.
ALTER TABLE shares ADD COLUMN display_name text NOT NULL DEFAULT '';
-- look: of the page that the service hosts, in JSON. notices: whether profiles that never chose get notices.
ALTER TABLE stores ADD COLUMN look text NOT NULL DEFAULT '{}';
ALTER TABLE stores ADD COLUMN notices text NOT NULL DEFAULT 'opt-out';
-- Products that the store has deleted, so that their items can say so.
CREATE TABLE deleted_products (
    store_id   uuid NOT NULL CONSTRAINT deleted_products_store_id_fkey REFERENCES stores (id), --postgresql
    store_id   TEXT NOT NULL CONSTRAINT deleted_products_store_id_fkey REFERENCES stores (id), --sqlite
    product_id text COLLATE "C" NOT NULL, --postgresql
    product_id TEXT NOT NULL, --sqlite
    deleted_at text COLLATE "C" NOT NULL, --postgresql
    deleted_at TEXT NOT NULL, --sqlite
    CONSTRAINT deleted_products_pkey PRIMARY KEY (store_id, product_id)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;
CREATE INDEX deleted_products_deleted_at_idx ON deleted_products (deleted_at);
