-- product_fields: id, product_id, document, created_at, updated_at

-- name: products_lock
-- Serialises the puts of a product, and its batches of notices.
SELECT product_id, known, position FROM products WHERE store_id = :store AND product_id in_texts(:products)
ORDER BY product_id
FOR UPDATE --postgresql
;

-- name: product_open
-- Creates an empty row, which product_put fills in the same transaction.
INSERT INTO products (store_id, product_id, id, position, created_at, updated_at, document, variants, known)
VALUES (:store, :product, :id, :position, :now, :now, '', '', '')
ON CONFLICT (store_id, product_id) DO NOTHING;

-- name: product_put
-- :noticed_at: null if no notices are pending.
UPDATE products SET document = :document, variants = :variants, known = :known, position = :position,
    noticed_at = CASE WHEN :noticed_at::text IS NULL THEN NULL ELSE coalesce(noticed_at, :noticed_at::text) END,
    updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at END
WHERE store_id = :store AND product_id = :product;

-- name: products_find
-- Products with all their variants, in no particular order.
SELECT product_fields(p), p.variants FROM products p WHERE p.store_id = :store AND p.product_id in_texts(:products);

-- name: items_shown_page
-- items_page with product data. The last column is the array of variants from the item's own variant on. It is cut
-- off where that variant must have ended, because there may be 250 long ones.
SELECT item_fields(i), coalesce(d.document,
           (SELECT '{"deleted": true}' FROM deleted_products x
            WHERE x.store_id = i.store_id AND x.product_id = i.product_id)),
       substr(d.variants, nullif(strpos(d.variants, '{"variantId":"' || i.variant_id || '"'), 0), 10000){beyond}
FROM items i LEFT JOIN products d ON d.store_id = i.store_id AND d.product_id = i.product_id
WHERE i.profile_id = :owner;

-- name: store_items_shown_page
-- The same for a whole store, with the owners' GIDs.
SELECT item_fields(i), p.gid, coalesce(d.document,
           (SELECT '{"deleted": true}' FROM deleted_products x
            WHERE x.store_id = i.store_id AND x.product_id = i.product_id)),
       substr(d.variants, nullif(strpos(d.variants, '{"variantId":"' || i.variant_id || '"'), 0), 10000){beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
LEFT JOIN products d ON d.store_id = i.store_id AND d.product_id = i.product_id
WHERE i.store_id = :owner AND p.closed_at IS NULL;

-- name: products_varied
-- The same data for given pairs of product and variant.
SELECT w.product_id, w.variant_id, coalesce(p.document, CASE WHEN x.product_id <> '' THEN '{"deleted": true}' END),
       substr(p.variants, nullif(strpos(p.variants, '{"variantId":"' || w.variant_id || '"'), 0), 10000)
FROM unnest(:products::text[], :variants::text[]) AS w (product_id, variant_id) --postgresql
FROM (SELECT a.value AS product_id, json_extract(:variants, a.fullkey) AS variant_id --sqlite
      FROM json_each(:products) a) AS w --sqlite
LEFT JOIN products p ON p.store_id = :store AND p.product_id = w.product_id
LEFT JOIN deleted_products x ON x.store_id = :store AND x.product_id = w.product_id
WHERE p.document IS NOT NULL OR x.product_id IS NOT NULL;

-- name: product_delete
-- Returns a row if the product existed.
DELETE FROM products WHERE store_id = :store AND product_id = :product RETURNING product_id;

-- name: deleted_product_add
-- rule: product-deleted
-- Marks a product as deleted by the store, so that its items can show it.
INSERT INTO deleted_products (store_id, product_id, deleted_at) VALUES (:store, :product, :now)
ON CONFLICT (store_id, product_id) DO UPDATE SET deleted_at = excluded.deleted_at;

-- name: product_version
-- The last version of the platform, of a product or its marker, with the product's data.
SELECT p.version, p.document, p.variants FROM products p WHERE p.store_id = :store AND p.product_id = :product
UNION ALL
SELECT x.version, '', '[]' FROM deleted_products x WHERE x.store_id = :store AND x.product_id = :product
ORDER BY 1 DESC LIMIT 1;

-- name: product_set_version
-- product_version reads it, to ignore the platform's older messages.
UPDATE products SET version = :version WHERE store_id = :store AND product_id = :product;

-- name: deleted_product_set_version
-- The same for a product that the store has deleted.
UPDATE deleted_products SET version = :version WHERE store_id = :store AND product_id = :product;

-- name: deleted_products_remove
-- The products exist again.
DELETE FROM deleted_products WHERE store_id = :store AND product_id in_texts(:products);

-- name: deleted_products_forget
-- Deletes a batch of old markers.
DELETE FROM deleted_products WHERE (store_id, product_id) IN (
    SELECT x.store_id, x.product_id FROM deleted_products x WHERE x.deleted_at < :before LIMIT :limit)
RETURNING store_id;

-- name: store_products_page
-- Without variants, which may be large.
SELECT product_fields(p){beyond} FROM products p WHERE p.store_id = :owner;

-- name: stores_noticed
-- Stores with pending notices.
SELECT store_id FROM products WHERE noticed_at IS NOT NULL GROUP BY store_id;

-- name: product_next
-- The least recently processed product of a store among those with pending notices.
SELECT p.product_id, store_fields(s) FROM products p JOIN stores s ON s.id = p.store_id
WHERE p.store_id = :store AND p.noticed_at IS NOT NULL ORDER BY p.noticed_at LIMIT 1;

-- name: products_noticed_count
-- The backlog of notices, for the metrics.
SELECT count(*) FROM products WHERE noticed_at IS NOT NULL;

-- name: product_notice
-- SKIP LOCKED, so that concurrent processes work on different products instead of waiting.
SELECT document, known, position FROM products
WHERE store_id = :store AND product_id = :product AND noticed_at IS NOT NULL
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: items_wishing
-- The next items of a product, in the order of their ids, because these don't change when a session is merged. Not a
-- join, because PostgreSQL would join all wishes of the product: it expects that few of the profiles match.
SELECT i.id, i.profile_id, i.variant_id, i.created_at, i.dropped_at, i.restocked_at
FROM items i
WHERE i.store_id = :store AND i.product_id = :product AND i.id > :after AND is_wanted(i)
  AND (SELECT 1 FROM profiles p WHERE p.profile_id = i.profile_id AND p.closed_at IS NULL
                                  AND coalesce(p.notices, :default_choice) = 1) IS NOT NULL
ORDER BY i.id
LIMIT :limit;

-- name: items_previewed
-- The same items with the columns of items_due, for a count of the notices that a put would cause.
SELECT p.notices, p.gid, i.profile_id, i.dropped_at, i.restocked_at, item_fields(i)
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :store AND i.product_id = :product AND i.id > :after AND is_wanted(i)
  AND (SELECT 1 FROM profiles q WHERE q.profile_id = i.profile_id AND q.closed_at IS NULL
                                  AND coalesce(q.notices, :default_choice) = 1) IS NOT NULL
ORDER BY i.id
LIMIT :limit;

-- name: owner_lock
-- rule: notice-drop
-- SKIP LOCKED, so that this never waits for another write and can't deadlock.
SELECT profile_id, notices, gid FROM profiles
WHERE profile_id = :profile AND closed_at IS NULL AND coalesce(notices, :default_choice) = 1
FOR NO KEY UPDATE SKIP LOCKED --postgresql
;

-- name: items_due
-- Reads the items again under their owners' locks, because they may have changed since items_wishing.
SELECT i.profile_id, i.dropped_at, i.restocked_at, item_fields(i) FROM items i
WHERE i.store_id = :store AND i.product_id = :product AND i.id in_uuids(:ids) AND i.profile_id in_uuids(:profiles)
  AND is_wanted(i);

-- name: item_set_notice_times
-- The times limit how often an item may cause notices.
UPDATE items SET dropped_at = :dropped_at, restocked_at = :restocked_at WHERE profile_id = :profile AND id = :id;

-- name: product_set_notices
-- :noticed_at: null after the last batch; :known then has no pending notices.
UPDATE products SET known = :known, position = :position, noticed_at = :noticed_at WHERE store_id = :store AND product_id = :product;

-- name: product_requeue
-- Moves a product with an unreadable row to the end, so that it doesn't block its store's others.
UPDATE products SET noticed_at = :noticed_at WHERE store_id = :store AND product_id = :product AND noticed_at IS NOT NULL;
