-- list_options: name
-- list_fields: id, *list_options, item_count, created_at, updated_at
-- lists_filled: profile_id, store_id, shared, *list_fields
-- entries_filled: profile_id, list_id, item_id, position

-- name: list_count_lock
-- Counts a new list, and locks the profile. Returns no row if that is unknown, closed or has :most lists.
UPDATE profiles SET lists = lists + 1, changes = changes + 1
WHERE profile_id = :profile AND closed_at IS NULL AND lists < :most
RETURNING profile_id;

-- name: list_create
-- Selects from the profile's row, so that a cluster runs this on the profile's shard.
INSERT INTO lists (profile_id, id, store_id, item_count, created_at, updated_at, names(list_options))
SELECT p.profile_id, :id::uuid, p.store_id, 0, :now::text, :now::text, initial(list_options)
FROM profiles p WHERE p.profile_id = :profile
RETURNING list_fields(lists);

-- name: list_find
SELECT list_fields(l) FROM lists l WHERE l.profile_id = :profile AND l.id = :id;

-- name: lists_all
-- In the order of their creation.
SELECT list_fields(l) FROM lists l WHERE l.profile_id = :profile ORDER BY l.id;

-- name: places
-- Items with a position on a list, or on all lists if :list is null, in order.
SELECT e.list_id, e.item_id FROM entries e
WHERE e.profile_id = :profile AND e.position > 0 AND (:list::uuid IS NULL OR e.list_id = :list::uuid)
ORDER BY e.list_id, e.position;

-- name: list_with_items
-- A single statement, so that the list and its items come from one snapshot.
SELECT list_fields(l), e.position, item_fields(i)
FROM lists l
LEFT JOIN entries e ON e.profile_id = :profile AND e.list_id = l.id
LEFT JOIN items i ON i.profile_id = :profile AND i.id = e.item_id
WHERE l.profile_id = :profile AND l.id = :id
  AND EXISTS (SELECT 1 FROM profiles o WHERE o.profile_id = :profile AND o.closed_at IS NULL);

-- name: list_entries
-- A list with the positions and times of its items, for their order. One row with nulls if the list is empty.
SELECT list_fields(l), i.id, e.position, i.created_at
FROM lists l
LEFT JOIN entries e ON e.profile_id = :profile AND e.list_id = l.id
LEFT JOIN items i ON i.profile_id = :profile AND i.id = e.item_id
WHERE l.profile_id = :profile AND l.id = :id
  AND EXISTS (SELECT 1 FROM profiles o WHERE o.profile_id = :profile AND o.closed_at IS NULL);

-- name: list_change
-- Null leaves a field unchanged (rule: updated-at).
UPDATE lists
SET given(list_options, lists),
    updated_at = CASE WHEN changed(list_options, lists) <> '' AND :now > updated_at THEN :now ELSE updated_at END
WHERE profile_id = :profile AND id = :id
RETURNING list_fields(lists);

-- name: list_leave_items
-- Removes a list, to be deleted, from the items' list_ids.
UPDATE items SET list_ids = trim(replace(' ' || list_ids || ' ', ' ' || :id::uuid::text || ' ', ' '))
WHERE profile_id = :profile AND id in_uuids(:items);

-- name: lists_page
-- rule: cursor-pagination
-- db/pages.py adds the condition that the profile is open.
SELECT list_fields(l){beyond} FROM lists l WHERE l.profile_id = :owner;

-- name: store_lists_page
-- Lists of open profiles, with their owners' GIDs.
SELECT list_fields(l), p.gid{beyond}
FROM lists l JOIN profiles p ON p.profile_id = l.profile_id
WHERE l.store_id = :owner AND p.closed_at IS NULL;

-- name: lists_kept
-- All columns of a profile's lists, for a merge at sign-in.
SELECT lists_filled(l) FROM lists l WHERE l.profile_id = :profile ORDER BY l.id;

-- name: list_sizes
-- The stored counts, which limits compare.
SELECT id, item_count FROM lists WHERE profile_id = :profile;

-- name: list_resize
-- :more may be negative.
UPDATE lists SET item_count = item_count + :more WHERE profile_id = :profile AND id = :id;

-- name: list_touch
-- The time never moves back.
UPDATE lists SET updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at END
WHERE profile_id = :profile AND id = :id
RETURNING list_fields(lists);

-- name: list_mark_shared
-- The mark stays after the share has ended, because reservations may remain.
UPDATE lists SET shared = 1 WHERE profile_id = :profile AND id = :id;

-- name: list_order
-- All items of a list, in the order `customer` (rule: list-sort).
SELECT e.item_id, e.position
FROM entries e JOIN items i ON i.profile_id = :profile AND i.id = e.item_id
WHERE e.profile_id = :profile AND e.list_id = :id
ORDER BY e.position = 0, e.position, i.created_at DESC, i.id DESC;

-- name: entries_named
-- Positions of the given items on a list, without a row for items that aren't on the list.
SELECT e.item_id, e.position FROM entries e
WHERE e.profile_id = :profile AND e.list_id = :list AND e.item_id in_uuids(:items);

-- name: entries_around
-- Up to :limit items on either side of the position :after, except :item.
SELECT b.item_id, b.position FROM (
    SELECT e.item_id, e.position FROM entries e
    WHERE e.profile_id = :profile AND e.list_id = :list AND e.position > 0 AND e.position <= :after AND e.item_id <> :item
    ORDER BY e.position DESC LIMIT :limit) AS b
UNION ALL
SELECT b.item_id, b.position FROM (
    SELECT e.item_id, e.position FROM entries e
    WHERE e.profile_id = :profile AND e.list_id = :list AND e.position > 0 AND e.position > :after AND e.item_id <> :item
    ORDER BY e.position LIMIT :limit) AS b;

-- name: entry_place
-- each: list uuid, item uuid, position integer
-- Items with position 0 follow the others, newest first.
UPDATE entries SET position = :position
WHERE profile_id = :profile AND list_id = :list AND item_id = :item;

-- name: entry_remove
-- The caller corrects the list's count (list_resize).
DELETE FROM entries WHERE profile_id = :profile AND list_id = :list AND item_id = :item;

-- name: entries_remove
-- Removes each of the items from each of the lists.
DELETE FROM entries WHERE profile_id = :profile AND list_id in_uuids(:lists) AND item_id in_uuids(:items);
