-- In JSON: the time zone of its days, and whether anybody may ask about how many wish for a product.
ALTER TABLE stores ADD COLUMN reporting text NOT NULL DEFAULT '{}';

-- How many wish for a product in a variant, from the count of one number on until that of another. added: those that
-- were saved since the first count, and were there at the first count after their day.
CREATE TABLE wish_counts (
    store_id   uuid NOT NULL,
    until      bigint NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    variant_id text COLLATE "C" NOT NULL,
    since      bigint NOT NULL,
    customers  bigint NOT NULL,
    visitors   bigint NOT NULL,
    added      bigint NOT NULL,
    CONSTRAINT wish_counts_pkey PRIMARY KEY (store_id, until, product_id, variant_id)
);

CREATE INDEX wish_counts_product_idx ON wish_counts (store_id, product_id, until);

-- The last count of each day, or what holds of a day without one. customers, visitors, added: as above, of
-- all products.
CREATE TABLE counts (
    store_id          uuid NOT NULL,
    day               text COLLATE "C" NOT NULL,
    number            bigint NOT NULL,
    began_at          text COLLATE "C" NOT NULL,
    ended_at          text COLLATE "C" NOT NULL,
    customers         bigint NOT NULL,
    visitors          bigint NOT NULL,
    added             bigint NOT NULL,
    lists             bigint NOT NULL,
    customers_wishing bigint NOT NULL,
    visitors_wishing  bigint NOT NULL,
    CONSTRAINT counts_pkey PRIMARY KEY (store_id, day)
);
