-- In JSON: the time zone of its days, and whether anybody may ask about how many wish for a product.
ALTER TABLE stores ADD COLUMN reporting TEXT NOT NULL DEFAULT '{}';

-- How many wish for a product in a variant, from the count of one number on until that of another. added: those that
-- were saved since the first count, and were there at the first count after their day.
CREATE TABLE wish_counts (
    store_id   TEXT NOT NULL,
    until      INTEGER NOT NULL,
    product_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    since      INTEGER NOT NULL,
    customers  INTEGER NOT NULL,
    visitors   INTEGER NOT NULL,
    added      INTEGER NOT NULL,
    CONSTRAINT wish_counts_pkey PRIMARY KEY (store_id, until, product_id, variant_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX wish_counts_product_idx ON wish_counts (store_id, product_id, until);

-- The last count of each day, or what holds of a day without one. customers, visitors, added: as above, of
-- all products.
CREATE TABLE counts (
    store_id          TEXT NOT NULL,
    day               TEXT NOT NULL,
    number            INTEGER NOT NULL,
    began_at          TEXT NOT NULL,
    ended_at          TEXT NOT NULL,
    customers         INTEGER NOT NULL,
    visitors          INTEGER NOT NULL,
    added             INTEGER NOT NULL,
    lists             INTEGER NOT NULL,
    customers_wishing INTEGER NOT NULL,
    visitors_wishing  INTEGER NOT NULL,
    CONSTRAINT counts_pkey PRIMARY KEY (store_id, day)
) STRICT, WITHOUT ROWID;
