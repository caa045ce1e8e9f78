-- Stores take turns at telling notices, and in each store its products: by store first.
CREATE INDEX products_turns_idx ON products (store_id, noticed_at) WHERE noticed_at IS NOT NULL;
DROP INDEX products_noticed_idx;
