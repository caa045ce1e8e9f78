-- The product's price when the item was saved, as JSON; '' if it was unknown, or saved before this column.
ALTER TABLE items ADD COLUMN saved_price text NOT NULL DEFAULT '';
