-- name: product_delete_missing
-- Deletes a product unless it was put at :since or later. A time after :ahead comes from a wrong clock.
DELETE FROM products WHERE store_id = :store AND product_id = :product AND (updated_at < :since OR updated_at > :ahead)
RETURNING product_id;
