-- A row of reservations lies with the item's owner, its row of held with the holder (reservations.py).

-- name: entry_find
SELECT 1 FROM entries WHERE profile_id = $1 AND list_id = $2 AND item_id = $3;

-- name: reservation_put
-- contract: reserve-quantity
-- $4 of the item for the holder $3, if so many are left, or if it has as many already.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT i.profile_id, i.id, $3::uuid, i.store_id, $4::integer, $5::text
FROM items i
WHERE i.profile_id = $1 AND i.id = $2
  AND ($4::integer <= (SELECT r.quantity FROM reservations r
                       WHERE r.profile_id = $1 AND r.item_id = $2 AND r.holder_id = $3::uuid)
       OR $4::integer + (SELECT coalesce(sum(r.quantity), 0) FROM reservations r
                         WHERE r.profile_id = $1 AND r.item_id = $2 AND r.holder_id <> $3::uuid) <= i.quantity)
ON CONFLICT (profile_id, item_id, holder_id) DO UPDATE SET quantity = excluded.quantity
RETURNING quantity;

-- name: reservation_changed
-- What waits for the lock meanwhile looks again (docs/decisions/0013).
UPDATE profiles SET changes = changes + 1 WHERE profile_id = $1;

-- name: reservation_end
DELETE FROM reservations WHERE profile_id = $2 AND holder_id = $1 AND item_id = $3;

-- name: reservations_of
SELECT holder_id, profile_id, item_id FROM reservations WHERE profile_id = $1;

-- name: reservations_unshared
-- Those of items that are on no list which is or was shared.
SELECT r.holder_id, r.profile_id, r.item_id FROM reservations r
WHERE r.profile_id = $1 AND NOT EXISTS (
    SELECT 1 FROM lists l JOIN entries e ON e.profile_id = $1 AND e.list_id = l.id AND e.item_id = r.item_id
    WHERE l.profile_id = $1 AND l.shared = 1);

-- name: held_add
-- $5: the id that the item had before a link merged it.
INSERT INTO held (profile_id, owner_id, item_id, store_id, merged_id) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (profile_id, owner_id, item_id) DO UPDATE SET merged_id = coalesce(excluded.merged_id, held.merged_id);

-- name: held_find
-- The item by its id, or by the one that it had before a link merged it.
SELECT profile_id, owner_id, item_id FROM held WHERE profile_id = $1 AND (item_id = $2 OR merged_id = $2)
ORDER BY item_id <> $2 LIMIT 1;

-- name: held_end
DELETE FROM held WHERE profile_id = $1 AND owner_id = $2 AND item_id = $3 RETURNING item_id;

-- name: held_count
-- None of them, if this one is there already.
SELECT count(*) FROM held h
WHERE h.profile_id = $1
  AND NOT EXISTS (SELECT 1 FROM held m WHERE m.profile_id = $1 AND m.owner_id = $2 AND m.item_id = $3);

-- name: held_owners
SELECT owner_id FROM held WHERE profile_id = $1 GROUP BY owner_id;

-- name: profiles_kinds
SELECT profile_id, is_session FROM profiles WHERE profile_id in_uuids($1);

-- name: link_pass
-- Of the items of $1: what $2 has reserved is $3's, with what $3 has.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT r.profile_id, r.item_id, $3::uuid, r.store_id, r.quantity, r.created_at
FROM reservations r WHERE r.profile_id = $1 AND r.holder_id = $2
ON CONFLICT (profile_id, item_id, holder_id) DO UPDATE SET quantity = reservations.quantity + excluded.quantity;

-- name: link_passed
DELETE FROM reservations WHERE profile_id = $1 AND holder_id = $2;

-- name: link_move_held
INSERT INTO held (profile_id, owner_id, item_id, store_id, merged_id)
SELECT $2::uuid, h.owner_id, h.item_id, h.store_id, h.merged_id
FROM held h WHERE h.profile_id = $1 AND h.owner_id <> $2::uuid
ON CONFLICT (profile_id, owner_id, item_id) DO UPDATE SET merged_id = coalesce(excluded.merged_id, held.merged_id);

-- name: link_leave_held
DELETE FROM held WHERE profile_id = $1;

-- part: link_reserved
-- What others have reserved of the session's items, each with the customer's item that has the same product.
SELECT r.holder_id, coalesce(c.id, r.item_id) AS item_id, r.store_id, r.quantity, r.created_at,
       CASE WHEN c.id IS NOT NULL THEN r.item_id END AS merged_id
FROM reservations r
JOIN items s ON s.profile_id = $1 AND s.id = r.item_id
LEFT JOIN c ON c.product_id = s.product_id AND c.variant_id = s.variant_id
WHERE r.profile_id = $1 AND r.holder_id <> $2::uuid

-- name: link_reservations
WITH c AS MATERIALIZED (SELECT id, product_id, variant_id FROM items WHERE profile_id = $2::uuid)
SELECT m.holder_id, $2::uuid, m.item_id, m.store_id, m.merged_id FROM (part(link_reserved)) AS m;

-- name: link_move_reservations
-- Of a merged item, what somebody has reserved of both adds up.
WITH c AS MATERIALIZED (SELECT id, product_id, variant_id FROM items WHERE profile_id = $2::uuid)
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT $2::uuid, m.item_id, m.holder_id, m.store_id, m.quantity, m.created_at FROM (part(link_reserved)) AS m
WHERE true
ON CONFLICT (profile_id, item_id, holder_id) DO UPDATE SET quantity = reservations.quantity + excluded.quantity;

-- name: link_leave_reservations
DELETE FROM reservations WHERE profile_id = $1;
