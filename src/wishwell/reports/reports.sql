-- name: counts_until
-- Counts of the last :days days until :day, newest first.
SELECT c.day, c.number, c.began_at, c.ended_at, c.customers, c.visitors, c.added, c.lists,
       c.customers_wishing, c.visitors_wishing, c.day_began_at, c.value
FROM counts c WHERE c.store_id = :store AND c.day <= :day ORDER BY c.day DESC LIMIT :days;

-- name: counts_last
-- The last count of each store: its start, its end, and the number of wishes.
SELECT c.store_id, c.began_at, c.ended_at, c.customers + c.visitors
FROM stores s JOIN counts c ON c.store_id = s.id
WHERE c.day = (SELECT max(x.day) FROM counts x WHERE x.store_id = c.store_id);

-- name: count_profiles
-- The next batch of a store's profiles, and the number of items and lists of each.
SELECT p.profile_id, p.is_session, p.items, p.lists FROM profiles p
WHERE p.store_id = :store AND p.profile_id > :after AND shown(p)
ORDER BY p.profile_id LIMIT :limit;

-- name: count_items
-- The next batch of items, in the order of their products. The last columns: the units that are still wished for, and the price when they were saved.
SELECT i.product_id, i.variant_id, i.id, p.is_session, i.created_at, CASE WHEN is_wanted(i) THEN i.quantity ELSE 0 END, i.saved_price
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :store AND (i.product_id, i.id) > (:product, :id::uuid) AND shown(p)
ORDER BY i.product_id, i.id LIMIT :limit;

-- name: count_oldest
-- When the oldest wish was saved: ids are in the order of saving.
SELECT i.created_at FROM items i WHERE i.store_id = :store ORDER BY i.id LIMIT 1;

-- name: count_dates
-- For profiles after :after, up to :to: when each profile's oldest wish was saved, and when each list (kind 2) was created.
SELECT p.is_session, min(i.created_at)
FROM profiles p JOIN items i ON i.profile_id = p.profile_id --postgresql
FROM profiles p CROSS JOIN items i ON i.profile_id = p.profile_id --sqlite
WHERE p.store_id = :store AND p.profile_id > :after AND p.profile_id <= :to AND few(p.profile_id) AND shown(p)
GROUP BY p.profile_id, p.is_session
UNION ALL
SELECT 2, l.created_at FROM profiles p JOIN lists l ON l.profile_id = p.profile_id --postgresql
SELECT 2, l.created_at FROM profiles p CROSS JOIN lists l ON l.profile_id = p.profile_id --sqlite
WHERE p.store_id = :store AND p.profile_id > :after AND p.profile_id <= :to AND few(p.profile_id) AND shown(p);

-- name: count_products
-- The next products that have a current row, before the product :end.
SELECT DISTINCT c.product_id FROM wish_counts c
WHERE c.store_id = :store AND c.until = :forever AND c.product_id > :after AND c.product_id < :end
ORDER BY c.product_id LIMIT :limit;

-- name: count_rows_of
-- Rows of the given products that ended after the count before :first, in order.
SELECT c.until, c.product_id, c.variant_id, c.since, c.customers, c.visitors, c.added FROM wish_counts c
INDEXED BY wish_counts_product_idx --sqlite
WHERE c.store_id = :store AND c.product_id in_texts(:products) AND c.until >= :first
ORDER BY c.until;

-- name: count_row_remove
-- :until identifies the row together with product and variant.
DELETE FROM wish_counts WHERE store_id = :store AND until = :until AND product_id = :product AND variant_id = :variant;

-- name: count_row_put
-- A repeated write of a row replaces it.
INSERT INTO wish_counts (store_id, until, product_id, variant_id, since, customers, visitors, added)
VALUES (:store, :until, :product, :variant, :since, :customers, :visitors, :added)
ON CONFLICT (store_id, until, product_id, variant_id)
DO UPDATE SET since = excluded.since, customers = excluded.customers, visitors = excluded.visitors, added = excluded.added;

-- name: count_end
-- A second count on the same day replaces the first.
INSERT INTO counts (store_id, day, number, began_at, ended_at, customers, visitors, added, lists,
                    customers_wishing, visitors_wishing, day_began_at, value)
VALUES (:store, :day, :number, :began_at, :ended_at, :customers, :visitors, :added, :lists,
        :customers_wishing, :visitors_wishing, :day_began_at, :value)
ON CONFLICT (store_id, day)
DO UPDATE SET number = excluded.number, began_at = excluded.began_at, ended_at = excluded.ended_at,
    customers = excluded.customers, visitors = excluded.visitors, added = excluded.added,
    lists = excluded.lists, customers_wishing = excluded.customers_wishing, visitors_wishing = excluded.visitors_wishing,
    value = excluded.value;

-- name: count_set_details
-- Only the last count has details.
UPDATE counts SET details = CASE WHEN day = :day THEN :details ELSE '' END
WHERE store_id = :store AND (day = :day OR details <> '');

-- name: count_details
-- The details of the last count.
SELECT c.details FROM counts c WHERE c.store_id = :store ORDER BY c.day DESC LIMIT 1;

-- name: counts_forget_days
-- Deletes counts before :day, except the last one, which is the baseline of a period that begins on :day.
DELETE FROM counts WHERE store_id = :store
    AND day < (SELECT max(c.day) FROM counts c WHERE c.store_id = :store AND c.day < :day);

-- name: counts_future
-- The first count dated after :today, by a wrong clock.
SELECT min(c.number) FROM counts c WHERE c.store_id = :store AND c.day > :today;

-- name: counts_discard
-- Deletes counts dated after :today, after their rows were discarded and reopened.
DELETE FROM counts WHERE store_id = :store AND day > :today;

-- name: count_rows_discard
-- Deletes rows that count :first or a later one added.
DELETE FROM wish_counts WHERE store_id = :store AND (until, product_id, variant_id) IN (
    SELECT c.until, c.product_id, c.variant_id FROM wish_counts c
    WHERE c.store_id = :store AND c.until > :first AND c.since >= :first LIMIT :limit)
RETURNING until;

-- name: count_rows_reopen
-- Reopens rows that count :first or a later one ended.
UPDATE wish_counts SET until = :forever WHERE store_id = :store AND (until, product_id, variant_id) IN (
    SELECT c.until, c.product_id, c.variant_id FROM wish_counts c
    WHERE c.store_id = :store AND c.until >= :first AND c.until < :forever LIMIT :limit)
RETURNING until;

-- name: counts_ended
-- Rows that ended before all remaining counts, so that no report needs them.
SELECT c.until, c.product_id, c.variant_id FROM wish_counts c
WHERE c.store_id = :store AND c.until <= (SELECT min(n.number) FROM counts n WHERE n.store_id = :store)
ORDER BY c.until LIMIT :limit;

-- name: counts_gone
-- Current rows of products that have had no wishes since the oldest remaining count: no report needs them.
SELECT c.until, c.product_id, c.variant_id FROM wish_counts c
WHERE c.store_id = :store AND c.until = :forever AND c.customers + c.visitors = 0
  AND c.since <= (SELECT min(n.number) FROM counts n WHERE n.store_id = :store)
LIMIT :limit;

-- name: report_days
-- The rows of a product that are valid at either of two counts, or between them.
SELECT c.customers, c.visitors, c.added, c.variant_id, c.since, c.until FROM wish_counts c
INDEXED BY wish_counts_product_idx --sqlite
WHERE c.store_id = :store AND c.product_id = :product AND c.until > :before AND c.since <= :now
ORDER BY c.since;

-- name: report_products
-- Products (with :by 'variant', variants) that have a row valid at one of three counts, in descending order of :sort.
-- Between :earlier and :before is the previous period; they are equal unless :sort is 'rising'.
-- :title: '' for all products; else only those with this id, or whose title matches one of the patterns :titles.
-- :only: '' for all products, 'sold_out', or 'price_dropped' for those in :dropped.
-- :forever excludes nothing, but makes SQLite use the primary key even after ANALYZE.
WITH x AS (
    SELECT c.product_id, CASE WHEN :by::text = 'variant' THEN c.variant_id ELSE '' END AS variant_id,
           max(c.since) AS changed,
           sum(CASE WHEN c.until > :now::bigint THEN c.customers::int ELSE 0 END) AS customers,
           sum(CASE WHEN c.until > :now::bigint THEN c.visitors::int ELSE 0 END) AS visitors,
           sum(CASE WHEN c.since <= :before::bigint AND c.until > :before::bigint
                    THEN (c.customers + c.visitors)::int ELSE 0 END) AS had,
           sum(CASE WHEN c.until > :now::bigint THEN c.added::int ELSE 0 END) AS added_now,
           sum(CASE WHEN c.since <= :before::bigint AND c.until > :before::bigint THEN c.added::int ELSE 0 END) AS added_before,
           sum(CASE WHEN c.since <= :earlier::bigint THEN c.added::int ELSE 0 END) AS added_earlier
    FROM wish_counts c
    WHERE c.store_id = :store AND c.until > :earlier::bigint AND c.since <= :now::bigint
      AND c.until <= :forever --sqlite
      AND (c.until > :now::bigint OR c.since <= :earlier::bigint OR (c.since <= :before::bigint AND c.until > :before::bigint))
      AND (:title::text = '' OR c.product_id = :title::text OR c.product_id IN (
          SELECT p.product_id FROM products p WHERE p.store_id = :store
            AND (p.document::json ->> 'title') COLLATE "C" ~ ANY(:titles::text[]))) --postgresql
            AND EXISTS (SELECT 1 FROM json_each(:titles) v --sqlite
                        WHERE json_extract(p.document, '$.title') GLOB '*' || v.value || '*'))) --sqlite
      AND (:only::text <> 'price_dropped' OR c.product_id in_texts(:dropped))
      AND (:only::text <> 'sold_out' OR c.product_id IN (
          SELECT p.product_id FROM products p WHERE p.store_id = :store
            AND coalesce(p.document::json ->> 'availability', p.document::json ->> 'available') IN ('out_of_stock', 'false'))) --postgresql
            AND coalesce(json_extract(p.document, '$.availability'), json_extract(p.document, '$.available')) IN ('out_of_stock', 0))) --sqlite
    GROUP BY 1, 2
), y AS (
    SELECT x.*, x.added_now - x.added_before AS added, x.added_now - 2 * x.added_before + x.added_earlier AS rise FROM x
), z AS (
    SELECT y.*, CASE WHEN y.had + y.added > y.customers + y.visitors
                     THEN y.had + y.added - y.customers - y.visitors ELSE 0 END AS removed
    FROM y WHERE y.customers + y.visitors + y.added + y.had > 0
), top AS (
    SELECT z.*, CASE :sort::text WHEN 'added' THEN z.added WHEN 'removed' THEN z.removed WHEN 'rising' THEN z.rise
                WHEN 'customers' THEN z.customers WHEN 'visitors' THEN z.visitors
                ELSE z.customers + z.visitors END AS place,
           CASE :sort::text WHEN 'rising' THEN z.changed ELSE 0 END AS newer
    FROM z ORDER BY place DESC, newer DESC, z.product_id, z.variant_id LIMIT :limit OFFSET :offset
)
SELECT t.product_id, t.variant_id, t.customers, t.visitors, t.added, t.removed, t.rise, p.document,
       substr(p.variants, nullif(strpos(p.variants, '{"variantId":"' || t.variant_id || '"'), 0), 10000)
FROM top t LEFT JOIN products p ON p.store_id = :store AND p.product_id = t.product_id
ORDER BY t.place DESC, t.newer DESC, t.product_id, t.variant_id;

-- name: report_purchases
-- Units by price, and in rows without a currency the orders, of each day, of each product or of all. Rows with 1 are of
-- the purchases after a mail alone. A single statement, so that all are of one time.
WITH x AS (
    SELECT CASE :by::text WHEN 'day' THEN p.day WHEN 'product' THEN p.product_id ELSE '' END AS place,
           p.currency, p.amount, p.quantity, p.hash, p.mailed
    FROM purchases p WHERE p.store_id = :store AND p.day >= :first AND p.day <= :last
)
SELECT x.place, 0, NULL, '', count(DISTINCT x.hash), sum(x.quantity)::bigint FROM x GROUP BY x.place
UNION ALL
SELECT x.place, 0, x.currency, x.amount, 0, sum(x.quantity)::bigint FROM x WHERE x.currency <> ''
GROUP BY x.place, x.currency, x.amount
UNION ALL
SELECT x.place, 1, NULL, '', count(DISTINCT x.hash), sum(x.quantity)::bigint FROM x WHERE x.mailed = 1 GROUP BY x.place
UNION ALL
SELECT x.place, 1, x.currency, x.amount, 0, sum(x.quantity)::bigint FROM x WHERE x.currency <> '' AND x.mailed = 1
GROUP BY x.place, x.currency, x.amount;

-- name: report_wishes
-- The number of wishes for each of :products at the count :now.
SELECT c.product_id, sum(c.customers + c.visitors)::bigint FROM wish_counts c
INDEXED BY wish_counts_product_idx --sqlite
WHERE c.store_id = :store AND c.product_id in_texts(:products) AND c.until > :now AND c.since <= :now
GROUP BY c.product_id;

-- name: shoppers_recent
-- The newest wishes of a store, with their owners.
SELECT p.gid, p.is_session, p.items, p.created_at, i.created_at
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :store AND p.closed_at IS NULL AND shown(p)
ORDER BY i.id DESC LIMIT :limit;

-- name: shoppers_named
-- The given profiles that still exist.
SELECT p.profile_id, p.gid, p.is_session, p.items, p.created_at FROM profiles p
WHERE p.profile_id in_uuids(:profiles) AND p.store_id = :store AND p.closed_at IS NULL AND shown(p);

-- name: store_items_wished_page
-- Items with their owners, for the list of a product's wishers.
SELECT i.id, p.gid, p.notices, i.variant_id, i.quantity, i.created_at{beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :owner AND p.closed_at IS NULL;
