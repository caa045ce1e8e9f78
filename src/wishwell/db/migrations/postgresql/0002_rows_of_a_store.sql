-- What belongs to a store can't be written without it. A put that ended after its store was deleted could leave
-- rows of no store: they go first. Deliveries and events need no key: what writes them has locked the webhook's
-- or the profile's row.

DELETE FROM deliveries WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM webhooks WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM products WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM events WHERE store_id NOT IN (SELECT id FROM stores);
DELETE FROM feeds WHERE store_id NOT IN (SELECT id FROM stores);

ALTER TABLE feeds ADD CONSTRAINT feeds_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id);
ALTER TABLE webhooks ADD CONSTRAINT webhooks_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id);
ALTER TABLE products ADD CONSTRAINT products_store_id_fkey FOREIGN KEY (store_id) REFERENCES stores (id);
