-- name: holdings
-- How many items, and how many entries of all lists together.
SELECT p.items, (SELECT coalesce(sum(l.item_count), 0) FROM lists l WHERE l.profile_id = $1)
FROM profiles p WHERE p.profile_id = $1;

-- name: items_of_products
SELECT item_fields(i) FROM items i WHERE i.profile_id = $1 AND i.product_id in_texts($2);

-- name: copy_items
INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, created_at, updated_at,
                   list_ids, tags, note)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, '', $9);

-- name: copy_lists
UPDATE items SET list_ids = $3, updated_at = CASE WHEN $4 > updated_at THEN $4 ELSE updated_at END
WHERE profile_id = $1 AND id = $2;

-- name: copy_entries
INSERT INTO entries (profile_id, list_id, item_id, position) VALUES ($1, $2, $3, $4);

-- name: copy_count
-- link_count follows.
UPDATE lists SET item_count = $3 WHERE profile_id = $1 AND id = $2;
