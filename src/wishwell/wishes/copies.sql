-- name: holdings
-- How many items, and how many entries of all lists together.
SELECT p.items, (SELECT coalesce(sum(l.item_count), 0) FROM lists l WHERE l.profile_id = :profile)
FROM profiles p WHERE p.profile_id = :profile;

-- name: items_of_products
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.product_id in_texts(:products);
