-- A reservation has two rows: one in reservations, on the shard of the item's owner, and one in held, on the shard of
-- the profile that holds it (reservations.py).

-- name: entry_find
-- Returns a row if the item is on the list.
SELECT 1 FROM entries WHERE profile_id = :profile AND list_id = :list AND item_id = :item;

-- name: reservation_put
-- rule: reserve-quantity
-- Reserves :quantity of an item for :holder, if enough is left or :holder already has that quantity.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT i.profile_id, i.id, :holder::uuid, i.store_id, :quantity::integer, :now::text
FROM items i
WHERE i.profile_id = :owner AND i.id = :item
  AND (:quantity::integer <= (SELECT r.quantity FROM reservations r
                       WHERE r.profile_id = :owner AND r.item_id = :item AND r.holder_id = :holder::uuid)
       OR :quantity::integer + (SELECT coalesce(sum(r.quantity), 0) FROM reservations r
                         WHERE r.profile_id = :owner AND r.item_id = :item AND r.holder_id <> :holder::uuid)
           <= CASE WHEN is_wanted(i) THEN i.quantity ELSE 0 END)
ON CONFLICT (profile_id, item_id, holder_id) DO UPDATE SET quantity = excluded.quantity
RETURNING quantity;

-- name: reservation_end
-- Deletes the owner's half of a reservation; held_end deletes the other.
DELETE FROM reservations WHERE profile_id = :owner AND holder_id = :holder AND item_id = :item;

-- name: reservations_unshared
-- Reservations of items that were deleted, or that aren't on any list or whole wishlist that is or was shared.
SELECT r.holder_id, r.profile_id, r.item_id FROM reservations r
WHERE r.profile_id = :profile AND NOT EXISTS (
    SELECT 1 FROM lists l JOIN entries e ON e.profile_id = :profile AND e.list_id = l.id AND e.item_id = r.item_id
    WHERE l.profile_id = :profile AND l.shared = 1) AND NOT EXISTS (
    SELECT 1 FROM profiles p JOIN items i ON i.profile_id = :profile AND i.id = r.item_id
    WHERE p.profile_id = :profile AND p.shared = 1);

-- name: held_add
-- :merged: the item's id before a link merged it.
INSERT INTO held (profile_id, owner_id, item_id, store_id, merged_id) VALUES (:holder, :owner, :item, :store, :merged)
ON CONFLICT (profile_id, owner_id, item_id) DO UPDATE SET merged_id = coalesce(excluded.merged_id, held.merged_id);

-- name: held_find
-- Finds the item by its id, or by its id before a link merged it.
SELECT profile_id, owner_id, item_id FROM held WHERE profile_id = :profile AND (item_id = :item OR merged_id = :item)
ORDER BY item_id <> :item LIMIT 1;

-- name: held_end
-- Returns no row if nothing was reserved.
DELETE FROM held WHERE profile_id = :holder AND owner_id = :owner AND item_id = :item RETURNING item_id;

-- name: held_count
-- The number of items that :holder has reserved, or 0 if this one is among them.
SELECT count(*) FROM held h
WHERE h.profile_id = :holder
  AND NOT EXISTS (SELECT 1 FROM held m WHERE m.profile_id = :holder AND m.owner_id = :owner AND m.item_id = :item);

-- name: held_owners
-- Owners of the items that a profile has reserved.
SELECT owner_id FROM held WHERE profile_id = :profile GROUP BY owner_id;

-- name: person_reserved
-- Reservations by :holder on items of :owners.
SELECT r.item_id, i.product_id, i.variant_id, r.quantity, r.created_at
FROM reservations r JOIN items i ON i.profile_id = r.profile_id AND i.id = r.item_id
WHERE r.profile_id in_uuids(:owners) AND r.holder_id = :holder
ORDER BY r.created_at, r.item_id;

-- name: profiles_kinds
-- Whether each profile is a session, because that decides the order of their locks.
SELECT profile_id, is_session FROM profiles WHERE profile_id in_uuids(:profiles);

-- name: link_pass
-- Adds the reservations of :session on items of :owner to those of :customer.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT r.profile_id, r.item_id, :customer::uuid, r.store_id, r.quantity, r.created_at
FROM reservations r WHERE r.profile_id = :owner AND r.holder_id = :session
ON CONFLICT (profile_id, item_id, holder_id) DO UPDATE SET quantity = reservations.quantity + excluded.quantity;

-- name: link_passed
-- Deletes the rows that link_pass has added to the customer's.
DELETE FROM reservations WHERE profile_id = :owner AND holder_id = :session;

-- name: link_move_held
-- Without reservations of the customer's own items, which nobody may have.
INSERT INTO held (profile_id, owner_id, item_id, store_id, merged_id)
SELECT :customer::uuid, h.owner_id, h.item_id, h.store_id, h.merged_id
FROM held h WHERE h.profile_id = :session AND h.owner_id <> :customer::uuid
ON CONFLICT (profile_id, owner_id, item_id) DO UPDATE SET merged_id = coalesce(excluded.merged_id, held.merged_id);

-- name: reservations_all
-- All reservations of a profile's items, for a merge.
SELECT item_id, holder_id, store_id, quantity, created_at FROM reservations WHERE profile_id = :profile;

-- name: reservation_add
-- Adds to the quantity that the holder has already reserved.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
VALUES (:owner, :item, :holder, :store, :quantity, :created_at)
ON CONFLICT (profile_id, item_id, holder_id) DO UPDATE SET quantity = reservations.quantity + excluded.quantity;
