-- In JSON: the time zone of its days, and whether anybody may ask about how many wish for a product.
ALTER TABLE stores ADD COLUMN reporting TEXT NOT NULL DEFAULT '{}';

-- How many wish for a product in a variant, from a day on until the day before another: as the last count of that day
-- found it. added: those that were saved since the first count, and were there at the first count after their day.
-- product_id '' stands for all products. A count changes rows of days since the one before, and none that is older.
CREATE TABLE wish_counts (
    store_id   TEXT NOT NULL,
    until      TEXT NOT NULL,
    product_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    day        TEXT NOT NULL,
    customers  INTEGER NOT NULL,
    visitors   INTEGER NOT NULL,
    added      INTEGER NOT NULL,
    CONSTRAINT wish_counts_pkey PRIMARY KEY (store_id, until, product_id, variant_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX wish_counts_product_idx ON wish_counts (store_id, product_id, day);

-- The last count of each day. customers and visitors: profiles with a wish. took: milliseconds.
CREATE TABLE counts (
    store_id  TEXT NOT NULL,
    day       TEXT NOT NULL,
    began_at  TEXT NOT NULL,
    ended_at  TEXT NOT NULL,
    took      INTEGER NOT NULL,
    customers INTEGER NOT NULL,
    visitors  INTEGER NOT NULL,
    lists     INTEGER NOT NULL,
    CONSTRAINT counts_pkey PRIMARY KEY (store_id, day)
) STRICT, WITHOUT ROWID;
