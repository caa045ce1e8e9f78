-- A page of a store's tokens reads no other store's.
CREATE INDEX admin_tokens_store_idx ON admin_tokens (store_id, id);
