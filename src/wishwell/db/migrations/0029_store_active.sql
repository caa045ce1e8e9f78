-- active: 0 while the store's storefront is off (rule: store-off).
ALTER TABLE stores ADD COLUMN active integer NOT NULL DEFAULT 1;
