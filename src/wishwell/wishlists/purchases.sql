-- purchase_fields: line, profile_id, product_id, variant_id, wish_variant_id, quantity, amount, currency, day, placed_at, mailed = 0
-- purchases_filled: store_id, hash, *purchase_fields
-- removed_item_fields: item_id, product_id, variant_id, created_at, saved_at = '', removed_at
-- removed_items_filled: profile_id, store_id, *removed_item_fields

-- name: order_open
-- Creates the row that order_lock locks. An order that exists stays unchanged.
INSERT INTO orders (store_id, hash, updated_at, received_at) VALUES (:store, :hash, '', :now)
ON CONFLICT (store_id, hash) DO NOTHING;

-- name: order_lock
-- Serialises the versions of an order.
SELECT updated_at, received_at FROM orders WHERE store_id = :store AND hash = :hash
FOR UPDATE --postgresql
;

-- name: order_find
-- received_at distinguishes the order from a later one with the same id.
SELECT received_at FROM orders WHERE store_id = :store AND hash = :hash;

-- name: order_put
-- Stores the version of the order, which the caller holds locked.
UPDATE orders SET updated_at = :updated_at WHERE store_id = :store AND hash = :hash;

-- name: order_delete
-- The caller deletes its purchases too.
DELETE FROM orders WHERE store_id = :store AND hash = :hash;

-- name: order_purchases
-- The stored lines of an order, to compare with those of a new version.
SELECT purchase_fields(p) FROM purchases p WHERE p.store_id = :store AND p.hash = :hash ORDER BY p.line;

-- name: order_purchases_delete
-- All lines; a new version of the order replaces them.
DELETE FROM purchases WHERE store_id = :store AND hash = :hash;

-- name: order_buyer
-- A session that was merged refers to its customer (linked_id).
SELECT profile_id, gid, is_session, closed_at, linked_id FROM profiles WHERE profile_id = :profile;

-- name: mails_naming
-- The products that mails to the profile named, by mail.
SELECT m.products FROM mails m
WHERE m.profile_id = :profile AND m.kind = 'notices' AND m.state = 'sent' AND m.sent_at >= :since AND m.sent_at < :until;

-- name: purchases_of
-- The purchases that decide the marks of items with these products.
SELECT product_id, wish_variant_id, quantity, placed_at FROM purchases
WHERE product_id in_texts(:products) AND store_id = :store AND profile_id = :profile;

-- name: person_purchases
-- All purchases of a person, for their export.
SELECT purchase_fields(p) FROM purchases p WHERE p.store_id = :store AND p.profile_id = :profile
ORDER BY p.placed_at, p.hash, p.line;

-- name: purchased_products
-- Products whose items may have marks.
SELECT product_id FROM purchases WHERE store_id = :store AND profile_id = :profile GROUP BY product_id;

-- name: wishes_of_products
-- Items that an order may match. INDEXED BY as in items_of_products.
SELECT i.product_id, i.variant_id, i.created_at, i.saved_at FROM items i
INDEXED BY sqlite_autoindex_items_2 --sqlite
WHERE i.profile_id = :profile AND i.product_id in_texts(:products);

-- name: removed_of_products
-- Items deleted since :since, which an order may still match.
SELECT r.product_id, r.variant_id, r.created_at, r.saved_at FROM removed_items r
WHERE r.product_id in_texts(:products) AND r.profile_id = :profile AND r.removed_at >= :since;

-- name: items_remember
-- Before they are deleted. An item that an import has added again may have been deleted before.
INSERT INTO removed_items (profile_id, item_id, store_id, product_id, variant_id, created_at, saved_at, removed_at)
SELECT i.profile_id, i.id, i.store_id, i.product_id, i.variant_id, i.created_at, i.saved_at, :now::text
FROM items i WHERE i.profile_id = :profile AND i.id in_uuids(:ids)
ON CONFLICT (profile_id, item_id) DO UPDATE SET saved_at = excluded.saved_at, removed_at = excluded.removed_at;

-- name: items_saved_again
-- A later time stays.
UPDATE items SET saved_at = :now WHERE profile_id = :profile AND id in_uuids(:ids) AND saved_at < :now;

-- name: item_saved_again
-- each: id uuid, now
-- The same for rows with different times.
UPDATE items SET saved_at = :now
WHERE profile_id = :profile AND items.id = :id AND saved_at < :now;

-- name: removed_forget
-- Deletes a batch of records that are too old for an order to match.
DELETE FROM removed_items WHERE (profile_id, item_id) IN (
    SELECT r.profile_id, r.item_id FROM removed_items r WHERE r.removed_at < :before LIMIT :limit)
RETURNING item_id;

-- name: profile_purchased
-- The number of items with a mark.
SELECT count(*) FROM items i WHERE i.profile_id = :profile AND i.purchased <> '';

-- name: link_move_purchases
-- Purchases are sharded by store, so their profile_id can change.
UPDATE purchases SET profile_id = :customer WHERE store_id = :store AND profile_id = :session;

-- name: link_move_removed
-- If both have the item, the customer's record stays.
INSERT INTO removed_items (profile_id, item_id, store_id, product_id, variant_id, created_at, saved_at, removed_at)
SELECT :customer::uuid, r.item_id, r.store_id, r.product_id, r.variant_id, r.created_at, r.saved_at, r.removed_at
FROM removed_items r WHERE r.profile_id = :session
ON CONFLICT (profile_id, item_id) DO NOTHING;

-- name: link_saved_times
-- Only items that were saved again.
SELECT id, saved_at FROM items WHERE profile_id = :profile AND saved_at > '';

-- name: purge_purchases
-- Removes the reference to the buyer (rule: purchase-private).
UPDATE purchases SET profile_id = NULL, placed_at = '' WHERE (store_id, hash, line) IN (
    SELECT p.store_id, p.hash, p.line FROM purchases p WHERE p.profile_id in_uuids(:profiles) LIMIT :limit)
RETURNING line;

-- name: erase_TABLE
-- of: orders (hash), purchases (hash, line)
-- In batches, until no row is returned.
DELETE FROM TABLE WHERE store_id = :store AND (KEY) IN (SELECT KEY FROM TABLE t WHERE t.store_id = :store LIMIT :limit)
RETURNING store_id;

-- name: export_orders
-- A batch of orders; export_purchases reads their lines.
SELECT hash, updated_at FROM orders WHERE store_id = :store AND hash > :after ORDER BY hash LIMIT :limit;

-- name: export_purchases
-- The lines of the given orders. Hashes of orders are UUIDs.
SELECT p.hash, purchase_fields(p) FROM purchases p WHERE p.store_id = :store AND p.hash in_uuids(:hashes)
ORDER BY p.hash, p.line;

-- name: export_buyers
-- Buyers whose profile is closed are omitted, so their purchases are exported without a buyer.
SELECT profile_id, gid FROM profiles WHERE profile_id in_uuids(:profiles) AND closed_at IS NULL;

-- name: import_bought
-- The profiles that have purchases, because only their items need marks.
SELECT profile_id FROM purchases WHERE store_id = :store AND profile_id in_uuids(:profiles) GROUP BY profile_id;

-- name: import_mark
-- Sets the mark alone, because the file has no marks.
UPDATE items SET purchased = :purchased WHERE profile_id = :profile AND id = :id;

-- name: import_removed
-- Keeps a record that the profile already has.
INSERT INTO removed_items (profile_id, store_id, names(removed_item_fields))
VALUES (:profile, :store, initial(removed_item_fields)) ON CONFLICT (profile_id, item_id) DO NOTHING;
