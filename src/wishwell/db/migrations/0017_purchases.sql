-- purchased: quantity and time of the purchases since the item was last saved, as JSON; '' without one.
-- saved_at: when it was last saved again, in a store with purchases on; '' for never.
ALTER TABLE items ADD COLUMN purchased text NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN saved_at text NOT NULL DEFAULT '';

-- The versions of orders. hash: of the shop's order id (ids.order_hash).
CREATE TABLE orders (
    store_id   uuid NOT NULL, --postgresql
    hash       uuid NOT NULL, --postgresql
    store_id   text NOT NULL, --sqlite
    hash       text NOT NULL, --sqlite
    updated_at text NOT NULL,
    CONSTRAINT orders_pkey PRIMARY KEY (store_id, hash)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

-- The lines of orders that match a wish. profile_id is null and placed_at '' after the buyer's erasure. variant_id: the
-- line's; wish_variant_id: the wish's, '' if it was for the product. amount, currency: the price per unit, '' if unknown.
CREATE TABLE purchases (
    store_id        uuid NOT NULL, --postgresql
    hash            uuid NOT NULL, --postgresql
    profile_id      uuid, --postgresql
    store_id        text NOT NULL, --sqlite
    hash            text NOT NULL, --sqlite
    profile_id      text, --sqlite
    line            integer NOT NULL,
    quantity        integer NOT NULL,
    product_id      text COLLATE "C" NOT NULL, --postgresql
    day             text COLLATE "C" NOT NULL, --postgresql
    product_id      text NOT NULL, --sqlite
    day             text NOT NULL, --sqlite
    placed_at       text NOT NULL,
    variant_id      text NOT NULL,
    wish_variant_id text NOT NULL,
    amount          text NOT NULL,
    currency        text NOT NULL,
    CONSTRAINT purchases_pkey PRIMARY KEY (store_id, hash, line)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

CREATE INDEX purchases_day_idx ON purchases (store_id, day);
CREATE INDEX purchases_profile_idx ON purchases (profile_id) WHERE profile_id IS NOT NULL;

-- Wishes that were removed within the last seven days, because they may have been moved to the cart.
CREATE TABLE removed_items (
    profile_id uuid NOT NULL, --postgresql
    item_id    uuid NOT NULL, --postgresql
    store_id   uuid NOT NULL, --postgresql
    product_id text COLLATE "C" NOT NULL, --postgresql
    removed_at text COLLATE "C" NOT NULL, --postgresql
    profile_id text NOT NULL, --sqlite
    item_id    text NOT NULL, --sqlite
    store_id   text NOT NULL, --sqlite
    product_id text NOT NULL, --sqlite
    removed_at text NOT NULL, --sqlite
    variant_id text NOT NULL,
    created_at text NOT NULL,
    saved_at   text NOT NULL,
    CONSTRAINT removed_items_pkey PRIMARY KEY (profile_id, item_id)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

CREATE INDEX removed_items_removed_at_idx ON removed_items (removed_at);
