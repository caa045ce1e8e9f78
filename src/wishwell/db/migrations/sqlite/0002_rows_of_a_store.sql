-- As ../postgresql/0002_rows_of_a_store.sql. SQLite adds no key to a table that is there, so the three tables are
-- made again.

DELETE FROM deliveries WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM webhooks WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM products WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM events WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM feeds WHERE store_id NOT IN (SELECT id FROM stores);

CREATE TABLE feeds_of_stores (
    store_id TEXT NOT NULL CONSTRAINT feeds_pkey PRIMARY KEY
        CONSTRAINT feeds_store_id_fkey REFERENCES stores (id),
    given    INTEGER NOT NULL DEFAULT 0,
    last     INTEGER NOT NULL DEFAULT 0,
    removed  INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO feeds_of_stores SELECT * FROM feeds;
DROP TABLE feeds;
ALTER TABLE feeds_of_stores RENAME TO feeds;

CREATE TABLE webhooks_of_stores (
    store_id      TEXT NOT NULL CONSTRAINT webhooks_store_id_fkey REFERENCES stores (id),
    id            TEXT NOT NULL,
    enabled       INTEGER NOT NULL,
    position      INTEGER NOT NULL,
    missed        INTEGER NOT NULL,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    failing_since TEXT,
    due_at        TEXT,
    types         TEXT NOT NULL,
    url           TEXT NOT NULL,
    sealed        TEXT NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (store_id, id)
) STRICT;

INSERT INTO webhooks_of_stores SELECT * FROM webhooks;
DROP TABLE webhooks;
ALTER TABLE webhooks_of_stores RENAME TO webhooks;

CREATE INDEX webhooks_due_idx ON webhooks (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE products_of_stores (
    store_id   TEXT NOT NULL CONSTRAINT products_store_id_fkey REFERENCES stores (id),
    product_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    position   TEXT NOT NULL,
    noticed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    document   TEXT NOT NULL,
    variants   TEXT NOT NULL,
    known      TEXT NOT NULL,
    CONSTRAINT products_pkey PRIMARY KEY (store_id, product_id)
) STRICT;

INSERT INTO products_of_stores SELECT * FROM products;
DROP TABLE products;
ALTER TABLE products_of_stores RENAME TO products;

CREATE INDEX products_store_idx ON products (store_id, id);
CREATE INDEX products_noticed_idx ON products (noticed_at) WHERE noticed_at IS NOT NULL;
