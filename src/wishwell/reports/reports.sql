-- name: count_last
-- The day of the last count, when it began and ended, and how long it took.
SELECT day, began_at, ended_at, took FROM counts WHERE store_id = :store ORDER BY day DESC LIMIT 1;

-- name: count_first
SELECT min(day) FROM counts WHERE store_id = :store;

-- name: count_profiles
-- The next profiles of a store, and how many items and lists each has.
SELECT p.profile_id, p.is_session, p.items, p.lists FROM profiles p
WHERE p.store_id = :store AND p.profile_id > :after AND shown(p)
ORDER BY p.profile_id LIMIT :limit;

-- name: count_items
SELECT i.id, i.profile_id, i.product_id, i.variant_id, i.created_at FROM items i
WHERE i.profile_id in_uuids(:profiles) AND i.id > :after
ORDER BY i.id LIMIT :limit;

-- name: count_rows
-- The next rows of those that hold on `day` or later.
SELECT c.until, c.product_id, c.variant_id, c.day, c.customers, c.visitors, c.added FROM wish_counts c
WHERE c.store_id = :store AND c.until >= :day
  AND (c.until, c.product_id, c.variant_id, c.day) > (:until, :product, :variant, :after)
ORDER BY c.until, c.product_id, c.variant_id, c.day LIMIT :limit;

-- name: count_store_lock
SELECT id FROM stores WHERE id = :store
FOR NO KEY UPDATE --postgresql
;

-- name: count_row_remove
DELETE FROM wish_counts WHERE store_id = :store AND until = :until AND product_id = :product
    AND variant_id = :variant AND day = :day;

-- name: count_row_add
INSERT INTO wish_counts (store_id, until, product_id, variant_id, day, customers, visitors, added)
VALUES (:store, :until, :product, :variant, :day, :customers, :visitors, :added)
ON CONFLICT (store_id, until, product_id, variant_id, day)
DO UPDATE SET customers = excluded.customers, visitors = excluded.visitors, added = excluded.added;

-- name: count_end
INSERT INTO counts (store_id, day, lists, began_at, ended_at, took, customers, visitors)
VALUES (:store, :day, :lists, :began_at, :ended_at, :took, :customers, :visitors)
ON CONFLICT (store_id, day)
DO UPDATE SET lists = excluded.lists, began_at = excluded.began_at, ended_at = excluded.ended_at, took = excluded.took,
    customers = excluded.customers, visitors = excluded.visitors;

-- name: counts_forget
-- Rows that ended before `day`.
DELETE FROM wish_counts WHERE store_id = :store AND (until, product_id, variant_id, day) IN (
    SELECT c.until, c.product_id, c.variant_id, c.day FROM wish_counts c
    WHERE c.store_id = :store AND c.until <= :day LIMIT :limit)
RETURNING day;

-- name: counts_forget_gone
-- Those of products that nobody has wished for since.
DELETE FROM wish_counts WHERE store_id = :store AND (until, product_id, variant_id, day) IN (
    SELECT c.until, c.product_id, c.variant_id, c.day FROM wish_counts c
    WHERE c.store_id = :store AND c.until = '9999-12-31' AND c.day < :day AND c.customers + c.visitors = 0
    LIMIT :limit)
RETURNING day;

-- name: counts_forget_days
DELETE FROM counts WHERE store_id = :store AND day < :day;

-- name: report_summary
-- What held at the end of a day. The + leads SQLite to the index of products, and not through all that still holds.
SELECT coalesce(sum(c.customers), 0), coalesce(sum(c.visitors), 0), coalesce(sum(c.added), 0) FROM wish_counts c
WHERE c.store_id = :store AND c.product_id = '' AND c.day <= :day
  AND c.until > :day --postgresql
  AND +c.until > :day --sqlite
;

-- name: report_holders
SELECT c.customers, c.visitors, c.lists FROM counts c WHERE c.store_id = :store AND c.day <= :day
ORDER BY c.day DESC LIMIT 1;

-- name: report_days
-- The rows of a product, or of all with '', that hold on a day of the period or on the one before.
SELECT c.variant_id, c.day, c.customers + c.visitors, c.added FROM wish_counts c
WHERE c.store_id = :store AND c.product_id = :product AND c.day <= :to
  AND c.until >= :from --postgresql
  AND +c.until >= :from --sqlite
ORDER BY c.day;

-- name: report_products
-- Products, or with :by 'variant' each of their variants, of which something held on a day of the period or before it;
-- the largest first. :title: '' for all; else only those with one of the patterns :titles in their title.
SELECT y.product_id, y.variant_id, y.customers, y.visitors, y.added, y.removed, p.document,
       substr(p.variants, nullif(strpos(p.variants, '{"variantId":"' || y.variant_id || '"'), 0), 6000)
FROM (
    SELECT x.product_id, x.variant_id, x.customers, x.visitors, x.added,
           CASE WHEN x.had + x.added > x.customers + x.visitors
                THEN x.had + x.added - x.customers - x.visitors ELSE 0 END AS removed
    FROM (
        SELECT c.product_id, CASE WHEN :by::text = 'variant' THEN c.variant_id ELSE '' END AS variant_id,
               sum(CASE WHEN c.until > :to::text THEN c.customers ELSE 0 END)::bigint AS customers,
               sum(CASE WHEN c.until > :to::text THEN c.visitors ELSE 0 END)::bigint AS visitors,
               sum(CASE WHEN c.day < :from::text AND c.until >= :from::text THEN c.customers + c.visitors ELSE 0 END)::bigint AS had,
               sum(CASE WHEN c.until > :to::text THEN c.added ELSE 0 END
                 - CASE WHEN c.day < :from::text AND c.until >= :from::text THEN c.added ELSE 0 END)::bigint AS added
        FROM wish_counts c
        WHERE c.store_id = :store AND c.until >= :from::text AND c.day <= :to::text
          AND (c.until > :to::text OR c.day < :from::text) AND c.product_id <> ''
          AND (:title::text = '' OR c.product_id IN (
              SELECT p.product_id FROM products p WHERE p.store_id = :store AND titled(p, :titles)))
        GROUP BY c.product_id, CASE WHEN :by::text = 'variant' THEN c.variant_id ELSE '' END) x
    WHERE x.customers + x.visitors + x.added + x.had > 0
    ORDER BY CASE :sort::text WHEN 'added' THEN x.added WHEN 'wishes' THEN x.customers + x.visitors
             ELSE x.had + x.added - x.customers - x.visitors END DESC, x.product_id, x.variant_id
    LIMIT :limit OFFSET :offset) y
LEFT JOIN products p ON p.store_id = :store AND p.product_id = y.product_id;

-- name: report_wishes
-- How many wish for each of these products, at the last count.
SELECT c.product_id, sum(c.customers + c.visitors)::bigint FROM wish_counts c
WHERE c.store_id = :store AND c.product_id in_texts(:products) AND c.until = '9999-12-31'
GROUP BY c.product_id;

-- name: store_items_wished_page
SELECT i.id, p.gid, p.email, p.notices, i.variant_id, i.quantity, i.created_at{beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :owner AND shown(i){conditions}{from_cursor}
ORDER BY i.id {direction}
LIMIT :limit;
