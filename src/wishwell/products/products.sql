-- product_fields: id, product_id, document, created_at, updated_at

-- name: products_lock
-- Puts of one product happen one after the other, and so does the telling of its wishes.
SELECT product_id, known, position FROM products WHERE store_id = :store AND product_id in_texts(:products)
ORDER BY product_id
FOR UPDATE --postgresql
;

-- name: product_open
-- product_put follows in the same transaction.
INSERT INTO products (store_id, product_id, id, position, created_at, updated_at, document, variants, known)
VALUES (:store, :product, :id, :position, :now, :now, '', '', '')
ON CONFLICT (store_id, product_id) DO NOTHING;

-- name: product_put
-- :noticed_at: null where there is nothing to tell.
UPDATE products SET document = :document, variants = :variants, known = :known, position = :position,
    noticed_at = CASE WHEN :noticed_at::text IS NULL THEN NULL ELSE coalesce(noticed_at, :noticed_at::text) END,
    updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at END
WHERE store_id = :store AND product_id = :product;

-- name: products_find
SELECT product_fields(p), p.variants FROM products p WHERE p.store_id = :store AND p.product_id in_texts(:products);

-- name: items_shown_page
-- As items_page, with what is known of the products. Of the variants, which may be 250 and long, the text that begins
-- with the item's own.
SELECT item_fields(i), d.document,
       substr(d.variants, nullif(strpos(d.variants, '{"variantId":"' || i.variant_id || '"'), 0), 10000){beyond}
FROM items i LEFT JOIN products d ON d.store_id = i.store_id AND d.product_id = i.product_id
WHERE i.profile_id = :owner;

-- name: store_items_shown_page
SELECT item_fields(i), p.gid, d.document,
       substr(d.variants, nullif(strpos(d.variants, '{"variantId":"' || i.variant_id || '"'), 0), 10000){beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
LEFT JOIN products d ON d.store_id = i.store_id AND d.product_id = i.product_id
WHERE i.store_id = :owner AND shown(i);

-- name: products_varied
-- Of each of these products in its variant: the same.
SELECT w.product_id, w.variant_id, p.document,
       substr(p.variants, nullif(strpos(p.variants, '{"variantId":"' || w.variant_id || '"'), 0), 10000)
FROM unnest(:products::text[], :variants::text[]) AS w (product_id, variant_id) --postgresql
FROM (SELECT a.value AS product_id, json_extract(:variants, a.fullkey) AS variant_id --sqlite
      FROM json_each(:products) a) AS w --sqlite
JOIN products p ON p.store_id = :store AND p.product_id = w.product_id;

-- name: product_delete
DELETE FROM products WHERE store_id = :store AND product_id = :product RETURNING product_id;

-- name: store_products_page
SELECT product_fields(p){beyond} FROM products p WHERE p.store_id = :owner;

-- name: stores_noticed
-- Those with wishes to tell.
SELECT store_id FROM products WHERE noticed_at IS NOT NULL GROUP BY store_id;

-- name: product_next
-- Of a store's products with wishes to tell, the one that was worked on the longest ago.
SELECT p.product_id, store_fields(s) FROM products p JOIN stores s ON s.id = p.store_id
WHERE p.store_id = :store AND p.noticed_at IS NOT NULL ORDER BY p.noticed_at LIMIT 1;

-- name: products_noticed_count
SELECT count(*) FROM products WHERE noticed_at IS NOT NULL;

-- name: product_notice
-- Nobody waits for it: of several processes each works on another product.
SELECT document, known, position FROM products
WHERE store_id = :store AND product_id = :product AND noticed_at IS NOT NULL
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: items_wishing
-- The next wishes for a product, by their ids, which stay when a link moves them.
SELECT i.id, i.profile_id, i.variant_id, i.created_at, i.dropped_at, i.restocked_at
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :store AND i.product_id = :product AND i.id > :after AND p.closed_at IS NULL AND coalesce(p.notices, 1) = 1
ORDER BY i.id
LIMIT :limit;

-- name: owner_lock
-- contract: profile-notices
-- Unless somebody writes to it at this moment, so that this waits for nobody and no deadlock is possible.
SELECT profile_id FROM profiles WHERE profile_id = :profile AND closed_at IS NULL AND coalesce(notices, 1) = 1
FOR NO KEY UPDATE SKIP LOCKED --postgresql
;

-- name: items_due
SELECT i.profile_id, i.dropped_at, i.restocked_at, item_fields(i) FROM items i
WHERE i.profile_id in_uuids(:profiles) AND i.id in_uuids(:ids) AND i.product_id = :product;

-- name: item_told
UPDATE items SET dropped_at = :dropped_at, restocked_at = :restocked_at WHERE profile_id = :profile AND id = :id;

-- name: product_noticed
-- :noticed_at: null where all its wishes have been told, and :known is without the notices.
UPDATE products SET known = :known, position = :position, noticed_at = :noticed_at WHERE store_id = :store AND product_id = :product;

-- name: product_behind
UPDATE products SET noticed_at = :noticed_at WHERE store_id = :store AND product_id = :product AND noticed_at IS NOT NULL;
