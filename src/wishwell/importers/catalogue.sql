-- name: product_delete_missing
-- Deletes a product unless it was put at :since or later.
DELETE FROM products WHERE store_id = :store AND product_id = :product AND updated_at < :since
RETURNING product_id;

-- name: products_compared
-- The stored state that an import compares with the file.
SELECT product_id, document, variants, known, updated_at FROM products
WHERE store_id = :store AND product_id in_texts(:products);

-- name: products_wishes
-- Wishes that may still lead to a notice.
SELECT i.product_id, count(*) FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :store AND i.product_id in_texts(:products) AND p.closed_at IS NULL AND is_wanted(i)
GROUP BY i.product_id;

-- name: catalogue_run_put
-- Keeps only the last run of each store.
INSERT INTO catalogue_runs (store_id, finished_at, imported, refused, lost)
VALUES (:store, :finished_at, :imported, :refused, :lost)
ON CONFLICT (store_id) DO UPDATE SET finished_at = excluded.finished_at, imported = excluded.imported,
    refused = excluded.refused, lost = excluded.lost;

-- name: catalogue_runs
-- The last run of each store, for the metrics.
SELECT s.handle, r.finished_at, r.imported, r.refused, r.lost
FROM catalogue_runs r JOIN stores s ON s.id = r.store_id;
