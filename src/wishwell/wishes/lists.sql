-- part: list_insert
-- $5: how many lists the profile may have.
INSERT INTO lists (profile_id, id, store_id, item_count, created_at, updated_at, name)
SELECT o.profile_id, $2::uuid, o.store_id, 0, $4::text, $4::text, $3::text
FROM owner($1) AS o WHERE o.lists < $5::bigint
RETURNING list_fields(lists)

-- name: list_create for postgresql
WITH made AS (part(list_insert)),
counted AS (
    UPDATE profiles SET lists = lists + 1, changes = changes + 1
    FROM made WHERE profiles.profile_id = $1)
SELECT * FROM made;

-- name: list_create for sqlite
part(list_insert);
UPDATE profiles SET lists = lists + 1, changes = changes + 1
WHERE profile_id = $1 AND EXISTS (SELECT 1 FROM lists WHERE profile_id = $1 AND id = $2);

-- name: list_find
SELECT list_fields(l) FROM lists l WHERE l.profile_id = $1 AND l.id = $2;

-- name: lists_all
SELECT list_fields(l) FROM lists l WHERE l.profile_id = $1 ORDER BY l.id;

-- name: places
-- What has a place on a list, in order.
SELECT e.list_id, e.item_id FROM entries e WHERE e.profile_id = $1 AND e.position > 0 ORDER BY e.list_id, e.position;

-- name: list_with_items
-- One statement, so that the list and its items are of one moment.
SELECT list_fields(l), e.position, item_fields(i)
FROM lists l
LEFT JOIN entries e ON e.profile_id = $1 AND e.list_id = l.id
LEFT JOIN items i ON i.profile_id = $1 AND i.id = e.item_id
WHERE l.profile_id = $1 AND l.id = $2;

-- name: list_rename
-- contract: list-updated-at
UPDATE lists
SET updated_at = CASE WHEN lists.name <> $3 AND $4 > lists.updated_at THEN $4 ELSE lists.updated_at END, name = $3
FROM owner($1) AS o
WHERE lists.profile_id = $1 AND lists.id = $2
RETURNING list_fields(lists);

-- name: list_delete for postgresql
-- $3: whether it may have been shared.
WITH o AS (SELECT * FROM settled($1) AS p),
gone AS (
    DELETE FROM lists l USING o
    WHERE l.profile_id = $1 AND l.id = $2 AND l.shared <= $3::integer
    RETURNING l.id),
off AS (
    DELETE FROM entries e USING gone WHERE e.profile_id = $1 AND e.list_id = gone.id RETURNING e.item_id),
moved AS (
    UPDATE items i SET list_ids = without(i.list_ids, $2)
    WHERE i.profile_id = $1 AND i.id = ANY (ARRAY(SELECT item_id FROM off))),
counted AS (
    UPDATE profiles
    SET lists = lists - 1, changes = changes + 1
    FROM gone WHERE profiles.profile_id = $1)
SELECT id FROM gone;

-- name: list_delete for sqlite
-- The list's row first; what else there is goes where that is gone.
UPDATE profiles
SET lists = lists - 1, changes = changes + 1
WHERE profile_id = $1 AND closed_at IS NULL
  AND EXISTS (SELECT 1 FROM lists l WHERE l.profile_id = $1 AND l.id = $2 AND l.shared <= $3);
DELETE FROM lists
WHERE profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND id = $2 AND shared <= $3
RETURNING id;
UPDATE items SET list_ids = without(list_ids, $2)
WHERE profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND id IN (
    SELECT e.item_id FROM entries e WHERE e.profile_id = $1 AND e.list_id = $2)
  AND NOT EXISTS (SELECT 1 FROM lists l WHERE l.profile_id = $1 AND l.id = $2);
DELETE FROM entries
WHERE profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND list_id = $2
  AND NOT EXISTS (SELECT 1 FROM lists l WHERE l.profile_id = $1 AND l.id = $2);

-- name: lists_page
-- contract: page-order
SELECT list_fields(l){beyond}
FROM lists l
WHERE l.profile_id = $1{conditions}{from_cursor}
ORDER BY l.id {direction}
LIMIT $3;

-- name: store_lists_page
SELECT list_fields(l), p.gid{beyond}
FROM lists l JOIN profiles p ON p.profile_id = l.profile_id
WHERE l.store_id = $1{conditions}{from_cursor}
ORDER BY l.id {direction}
LIMIT $3;

-- name: lists_known
-- With how many items are on each.
SELECT id, item_count FROM lists WHERE profile_id = $1 AND id in_uuids($2);

-- name: list_touch
UPDATE lists SET updated_at = CASE WHEN $3 > updated_at THEN $3 ELSE updated_at END
WHERE profile_id = $1 AND id = $2;

-- name: list_positions
SELECT item_id, position FROM entries WHERE profile_id = $1 AND list_id = $2;

-- name: entry_place
UPDATE entries SET position = $4 WHERE profile_id = $1 AND list_id = $2 AND item_id = $3;
