-- In JSON: the time zone of its days, and whether anybody may ask about how many wish for a product.
ALTER TABLE stores ADD COLUMN reporting text NOT NULL DEFAULT '{}';

-- How many wish for a product in a variant, from a day on until the day before another: as the last count of that day
-- found it. added: those that were saved since the first count, and were there at the first count after their day.
-- product_id '' stands for all products. A count changes rows of days since the one before, and none that is older.
CREATE TABLE wish_counts (
    store_id   uuid NOT NULL,
    until      text COLLATE "C" NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    variant_id text COLLATE "C" NOT NULL,
    day        text COLLATE "C" NOT NULL,
    customers  bigint NOT NULL,
    visitors   bigint NOT NULL,
    added      bigint NOT NULL,
    CONSTRAINT wish_counts_pkey PRIMARY KEY (store_id, until, product_id, variant_id, day)
);

CREATE INDEX wish_counts_product_idx ON wish_counts (store_id, product_id, day);

-- The last count of each day. customers and visitors: profiles with a wish. took: milliseconds.
CREATE TABLE counts (
    store_id  uuid NOT NULL,
    day       text COLLATE "C" NOT NULL,
    began_at  text COLLATE "C" NOT NULL,
    ended_at  text COLLATE "C" NOT NULL,
    took      bigint NOT NULL,
    customers bigint NOT NULL,
    visitors  bigint NOT NULL,
    lists     bigint NOT NULL,
    CONSTRAINT counts_pkey PRIMARY KEY (store_id, day)
);
