-- name: products_lock
-- Puts of one product happen one after the other, and so does the telling of its wishes.
SELECT product_id, known, position FROM products WHERE store_id = $1 AND product_id in_texts($2)
ORDER BY product_id
FOR UPDATE --postgresql
;

-- name: product_open
-- product_put follows in the same transaction.
INSERT INTO products (store_id, product_id, id, position, created_at, updated_at, document, variants, known)
VALUES ($1, $2, $3, $4, $5, $5, '', '', '')
ON CONFLICT (store_id, product_id) DO NOTHING;

-- name: product_put
-- $7: null where there is nothing to tell.
UPDATE products SET document = $3, variants = $4, known = $5, position = $6,
    noticed_at = CASE WHEN $7::text IS NULL THEN NULL ELSE coalesce(noticed_at, $7::text) END,
    updated_at = CASE WHEN $8 > updated_at THEN $8 ELSE updated_at END
WHERE store_id = $1 AND product_id = $2;

-- name: product_find
SELECT product_fields(p), p.variants FROM products p WHERE p.store_id = $1 AND p.product_id = $2;

-- name: product_delete
DELETE FROM products WHERE store_id = $1 AND product_id = $2 RETURNING product_id;

-- name: store_products_page
SELECT product_fields(p){beyond}
FROM products p
WHERE p.store_id = $1{conditions}{from_cursor}
ORDER BY p.id {direction}
LIMIT $3;

-- name: stores_noticed
-- Those with wishes to tell.
SELECT store_id FROM products WHERE noticed_at IS NOT NULL GROUP BY store_id;

-- name: product_next
-- Of a store's products with wishes to tell, the one that was worked on the longest ago.
SELECT p.product_id, store_fields(s) FROM products p JOIN stores s ON s.id = p.store_id
WHERE p.store_id = $1 AND p.noticed_at IS NOT NULL ORDER BY p.noticed_at LIMIT 1;

-- name: products_noticed_count
SELECT count(*) FROM products WHERE noticed_at IS NOT NULL;

-- name: product_notice
-- Nobody waits for it: of several processes each works on another product.
SELECT document, known, position FROM products
WHERE store_id = $1 AND product_id = $2 AND noticed_at IS NOT NULL
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: items_wishing
-- The next wishes for a product, by their ids, which stay when a link moves them.
SELECT i.id, i.profile_id, i.variant_id, i.created_at, i.dropped_at, i.restocked_at
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = $1 AND i.product_id = $2 AND i.id > $3 AND p.closed_at IS NULL
ORDER BY i.id
LIMIT $4;

-- name: owner_lock
-- Unless somebody writes to it at this moment, so that this waits for nobody and no deadlock is possible.
SELECT profile_id FROM profiles WHERE profile_id = $1 AND closed_at IS NULL
FOR NO KEY UPDATE SKIP LOCKED --postgresql
;

-- name: items_due
SELECT i.profile_id, i.dropped_at, i.restocked_at, item_fields(i) FROM items i
WHERE i.profile_id in_uuids($1) AND i.id in_uuids($2) AND i.product_id = $3;

-- name: item_told
UPDATE items SET dropped_at = $3, restocked_at = $4 WHERE profile_id = $1 AND id = $2;

-- name: product_noticed
UPDATE products SET position = $3, noticed_at = $4 WHERE store_id = $1 AND product_id = $2;

-- name: product_behind
UPDATE products SET noticed_at = $3 WHERE store_id = $1 AND product_id = $2 AND noticed_at IS NOT NULL;

-- name: product_told
-- All its wishes have been told: $3 is what is known without the notices.
UPDATE products SET known = $3, position = $4, noticed_at = NULL WHERE store_id = $1 AND product_id = $2;
