-- The platform's updated_at of a product's last version; '' if none of its webhooks set the product.
ALTER TABLE products ADD COLUMN version text COLLATE "C" NOT NULL DEFAULT ''; --postgresql
ALTER TABLE products ADD COLUMN version TEXT NOT NULL DEFAULT ''; --sqlite
ALTER TABLE deleted_products ADD COLUMN version text COLLATE "C" NOT NULL DEFAULT ''; --postgresql
ALTER TABLE deleted_products ADD COLUMN version TEXT NOT NULL DEFAULT ''; --sqlite
-- The webhooks about products and orders that were taken, and which store took them. hash: SHA-256 of the signature,
-- which is the same for the same body and secret.
CREATE TABLE platform_deliveries (
    hash        text COLLATE "C" NOT NULL CONSTRAINT platform_deliveries_pkey PRIMARY KEY, --postgresql
    store_id    uuid NOT NULL, --postgresql
    received_at text COLLATE "C" NOT NULL --postgresql
    hash        text NOT NULL CONSTRAINT platform_deliveries_pkey PRIMARY KEY, --sqlite
    store_id    text NOT NULL, --sqlite
    received_at text NOT NULL --sqlite
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;
CREATE INDEX platform_deliveries_received_at_idx ON platform_deliveries (received_at);
CREATE INDEX platform_deliveries_store_idx ON platform_deliveries (store_id);
