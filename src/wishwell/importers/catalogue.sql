-- name: product_delete_missing
-- Unless it was put from :since on; not by a wrong clock, after :ahead.
DELETE FROM products WHERE store_id = :store AND product_id = :product AND (updated_at < :since OR updated_at > :ahead)
RETURNING product_id;
