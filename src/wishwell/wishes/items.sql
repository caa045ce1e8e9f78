-- part: item_insert
-- Saving twice is saving once (contract: save-once, save-again). Answers no row when the profile is unknown, closed or full. $5 to $7 are
-- null where the body names no quantity, tags or note; $9 is how many items the profile may have.
INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, created_at, updated_at,
                   list_ids, tags, note)
SELECT o.profile_id, $2::uuid, o.store_id, $3::text, $4::text, coalesce($5::integer, 1), $8::text, $8::text,
       '', coalesce($6::text, ''), coalesce($7::text, '')
FROM owner($1) AS o
WHERE o.items < $9::bigint
   OR EXISTS (SELECT 1 FROM items n
              WHERE n.profile_id = $1 AND n.product_id = $3::text AND n.variant_id = $4::text)
ON CONFLICT (profile_id, product_id, variant_id) DO UPDATE
SET quantity = coalesce($5::integer, items.quantity),
    tags = coalesce($6::text, items.tags),
    note = coalesce($7::text, items.note),
    updated_at = CASE WHEN (coalesce($5::integer, items.quantity), coalesce($6::text, items.tags),
                            coalesce($7::text, items.note)) <> (items.quantity, items.tags, items.note)
                       AND $8::text > items.updated_at THEN $8::text ELSE items.updated_at END

-- name: item_save for postgresql
WITH saved AS (part(item_insert) RETURNING item_fields(items), items.id = $2::uuid AS created),
counted AS (
    UPDATE profiles SET items = items + 1, changes = changes + 1
    FROM saved WHERE profiles.profile_id = $1 AND saved.created)
SELECT * FROM saved;

-- name: item_save for sqlite
part(item_insert) RETURNING item_fields(items), items.id = $2::uuid AS created;
then UPDATE profiles SET items = items + 1, changes = changes + 1 WHERE profile_id = $1;

-- part: item_set
-- Null leaves a field as it is. updated_at moves only when something changed (contract: item-updated-at).
UPDATE items
SET product_id = coalesce($3::text, items.product_id),
    variant_id = coalesce($4::text, items.variant_id),
    quantity = coalesce($5::integer, items.quantity),
    tags = coalesce($6::text, items.tags),
    note = coalesce($7::text, items.note),
    updated_at = CASE WHEN (coalesce($3::text, items.product_id), coalesce($4::text, items.variant_id),
                            coalesce($5::integer, items.quantity), coalesce($6::text, items.tags),
                            coalesce($7::text, items.note))
                           <> (items.product_id, items.variant_id, items.quantity, items.tags, items.note)
                       AND $8::text > items.updated_at THEN $8::text ELSE items.updated_at END

-- part: item_names
-- Which fields a save or a change gives another value.
CASE WHEN $3::text <> items.product_id THEN ' productId' ELSE '' END
|| CASE WHEN $4::text <> items.variant_id THEN ' variantId' ELSE '' END
|| CASE WHEN $5::integer <> items.quantity THEN ' quantity' ELSE '' END
|| CASE WHEN $6::text <> items.tags THEN ' tags' ELSE '' END
|| CASE WHEN $7::text <> items.note THEN ' note' ELSE '' END

-- part: item_data
-- What is told of the item `i`: its columns, which events.py shows as the API does. They come last, so that
-- a release which adds one writes what the release before it can read.
as_json(i.text_ids, i.changed, item_fields(i))::text

-- part: item_count
UPDATE profiles
SET items = profiles.items + i.made, changes = profiles.changes + i.made, events = profiles.events + 1
FROM saved i WHERE profiles.profile_id = $1 AND (i.made = 1 OR i.changed <> '')

-- part: item_tell
INSERT INTO events (profile_id, sequence, store_id, number, type, created_at, gid, data)
SELECT p.profile_id, n.events, p.store_id, next_number(p.store_id),
       CASE WHEN i.made = 1 THEN 'item.created' ELSE 'item.updated' END, $8::text, p.gid, part(item_data)

-- part: item_telling
counted AS (part(item_count) RETURNING profiles.events),
told AS (part(item_tell) FROM counted n JOIN profiles p ON p.profile_id = $1 CROSS JOIN saved i)

-- part: item_telling_after
part(item_tell) FROM saved i JOIN profiles p ON p.profile_id = $1 JOIN profiles n ON n.profile_id = $1
WHERE i.made = 1 OR i.changed <> ''

-- name: item_save_told for postgresql
-- item_save with the event that tells it; $10: whether the store has text ids.
WITH saved AS (
    part(item_insert), changed = part(item_names)
    RETURNING item_fields(items), items.changed, (items.id = $2::uuid)::integer AS made, $10::boolean AS text_ids),
part(item_telling)
SELECT item_fields(saved), made FROM saved;

-- part: item_saved
WITH saved AS (
    SELECT item_fields(i), i.changed, (i.id = $2::uuid)::integer AS made, $10::boolean AS text_ids
    FROM owner($1) AS o JOIN items i
      ON i.profile_id = $1 AND i.product_id = $3::text AND i.variant_id = $4::text)

-- name: item_save_told for sqlite
part(item_insert), changed = part(item_names)
RETURNING item_fields(items), (items.id = $2::uuid)::integer AS made;
part(item_saved)
part(item_count);
part(item_saved)
part(item_telling_after);

-- name: item_find
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.id = :id;

-- name: item_of_product
SELECT item_fields(i) FROM items i WHERE i.profile_id = $1 AND i.product_id = $2 AND i.variant_id = $3;

-- name: items_known
SELECT item_fields(i) FROM items i WHERE i.profile_id = $1 AND i.id in_uuids($2);

-- name: items_all
SELECT item_fields(i) FROM items i WHERE i.profile_id = $1 ORDER BY i.id;

-- name: item_change
part(item_set)
FROM owner($1) AS o WHERE items.profile_id = $1 AND items.id = $2
RETURNING item_fields(items);

-- name: item_change_told for postgresql
-- item_change with the event that tells it; $9: whether the store has text ids.
WITH saved AS (
    part(item_set), changed = part(item_names)
    FROM owner($1) AS o WHERE items.profile_id = $1 AND items.id = $2
    RETURNING item_fields(items), items.changed, 0 AS made, $9::boolean AS text_ids),
part(item_telling)
SELECT item_fields(saved) FROM saved;

-- part: item_changed
WITH saved AS (
    SELECT item_fields(i), i.changed, 0 AS made, $9::boolean AS text_ids
    FROM owner($1) AS o JOIN items i ON i.profile_id = $1 AND i.id = $2)

-- name: item_change_told for sqlite
part(item_set), changed = part(item_names)
FROM owner($1) AS o WHERE items.profile_id = $1 AND items.id = $2
RETURNING item_fields(items);
part(item_changed)
part(item_count);
part(item_changed)
part(item_telling_after);

-- name: item_set_lists for postgresql
-- On a list where it is already it keeps its place (contract: item-set-lists-place).
-- $3: the lists that the item shall be on, all of them the profile's, as the row holds them;
-- $4: how many entries the profile may have, $5: how many a list. Answers the item, as it was where it can't be.
WITH o AS (SELECT * FROM settled($1, $7) AS p),
item AS (
    SELECT i.id, i.list_ids FROM o JOIN items i ON i.profile_id = $1 AND i.id = $2),
mine AS (
    SELECT l.id, l.item_count, has_id($3::text, l.id) AS wanted,
           has_id($3::text, l.id)::integer - has_id(item.list_ids, l.id)::integer AS change
    FROM item, lists l WHERE l.profile_id = $1),
fits AS (
    SELECT true AS well FROM mine
    HAVING bool_or(change <> 0) AND count(*) FILTER (WHERE wanted) = id_count($3::text)
       AND (sum(change) <= 0 OR sum(item_count) + sum(change) <= $4::bigint)
       AND NOT bool_or(change > 0 AND item_count >= $5::bigint)),
gone AS (
    DELETE FROM entries e
    WHERE e.profile_id = $1 AND e.item_id = $2
      AND e.list_id = ANY (ARRAY(SELECT mine.id FROM fits, mine WHERE change < 0))),
put AS (
    INSERT INTO entries (profile_id, list_id, item_id, position)
    SELECT p.profile_id, mine.id, $2::uuid, 0
    FROM fits, mine, profiles p WHERE change > 0 AND p.profile_id = $1),
sized AS (
    UPDATE lists l SET item_count = item_count + CASE WHEN has_id($3::text, l.id) THEN 1 ELSE -1 END
    WHERE l.profile_id = $1 AND l.id = ANY (ARRAY(SELECT mine.id FROM fits, mine WHERE change <> 0))),
counted AS (
    UPDATE profiles SET changes = changes + 1
    FROM fits WHERE profiles.profile_id = $1),
changed AS (
    UPDATE items SET list_ids = $3::text,
                     updated_at = CASE WHEN $6::text > items.updated_at THEN $6::text ELSE items.updated_at END
    FROM fits WHERE items.profile_id = $1 AND items.id = $2
    RETURNING item_fields(items), true AS changed)
SELECT * FROM changed
UNION ALL
SELECT item_fields(i), false FROM item JOIN items i ON i.profile_id = $1 AND i.id = item.id
WHERE NOT EXISTS (SELECT 1 FROM fits);

-- name: item_set_lists for sqlite
UPDATE items
SET updated_at = CASE WHEN $6::text > updated_at THEN $6::text ELSE updated_at END, list_ids = $3::text
WHERE profile_id = (SELECT o.profile_id FROM owner($1, $7) AS o) AND id = $2 AND list_ids <> $3::text
  AND (SELECT count(*) FROM lists l WHERE l.profile_id = $1 AND has_id($3::text, l.id)) = id_count($3::text)
  AND (id_count($3::text) <= id_count(list_ids)
       OR (SELECT coalesce(sum(l.item_count), 0) FROM lists l WHERE l.profile_id = $1)
          + id_count($3::text) - id_count(list_ids) <= $4::bigint)
  AND NOT EXISTS (SELECT 1 FROM lists l
                  WHERE l.profile_id = $1 AND has_id($3::text, l.id) AND l.item_count >= $5::bigint
                    AND NOT has_id(items.list_ids, l.id))
RETURNING item_fields(items), true AS changed;
then UPDATE lists
SET item_count = item_count + CASE WHEN has_id(i.list_ids, lists.id) THEN 1 ELSE -1 END
FROM items i
WHERE lists.profile_id = $1 AND i.profile_id = $1 AND i.id = $2
  AND has_id(i.list_ids, lists.id)
      <> EXISTS (SELECT 1 FROM entries e
                 WHERE e.profile_id = $1 AND e.list_id = lists.id AND e.item_id = $2);
then INSERT INTO entries (profile_id, list_id, item_id, position)
SELECT i.profile_id, n.value, i.id, 0 FROM items i, ids_in(i.list_ids) AS n
WHERE i.profile_id = $1 AND i.id = $2
ON CONFLICT (profile_id, list_id, item_id) DO NOTHING;
then DELETE FROM entries
WHERE profile_id = $1 AND item_id = $2
  AND list_id IN (SELECT l.id FROM lists l, items i
                  WHERE l.profile_id = $1 AND i.profile_id = $1 AND i.id = $2
                    AND NOT has_id(i.list_ids, l.id));
else SELECT item_fields(i), false AS changed FROM items i
WHERE i.profile_id = (SELECT o.profile_id FROM owner($1, $7) AS o) AND i.id = $2;

-- part: items_gone
WITH o AS (SELECT * FROM settled($1, $3) AS p),
gone AS (
    DELETE FROM items i USING o
    WHERE i.profile_id = $1 AND i.id in_uuids($2)
    RETURNING item_fields(i)),
off AS (
    DELETE FROM entries e
    WHERE e.profile_id = $1 AND e.item_id in_uuids($2)
      AND e.list_id = ANY (ARRAY(SELECT n.value FROM gone, ids_in(gone.list_ids) AS n))
    RETURNING e.list_id),
sized AS (
    UPDATE lists l SET item_count = l.item_count - c.gone
    FROM (SELECT list_id, count(*) AS gone FROM off GROUP BY list_id) AS c
    WHERE l.profile_id = $1 AND l.id = c.list_id),
untagged AS (
    DELETE FROM item_tags t
    WHERE t.profile_id = $1 AND t.item_id in_uuids($2) AND EXISTS (SELECT 1 FROM gone))

-- name: items_delete for postgresql
part(items_gone),
counted AS (
    UPDATE profiles
    SET items = items - (SELECT count(*) FROM gone), changes = changes + 1
    WHERE profile_id = $1 AND EXISTS (SELECT 1 FROM gone))
SELECT id FROM gone;

-- name: items_delete_told for postgresql
-- items_delete with the events that tell it; $4: whether the store has text ids, $5: the time.
part(items_gone),
n AS (
    SELECT g.*, '' AS changed, $4::boolean AS text_ids, row_number() OVER (ORDER BY g.id) AS number
    FROM gone g),
counted AS (
    UPDATE profiles SET items = items - g.count, changes = changes + 1, events = events + g.count
    FROM (SELECT count(*) AS count FROM gone) AS g WHERE profile_id = $1 AND g.count > 0
    RETURNING events - g.count AS before),
told AS (
    INSERT INTO events (profile_id, sequence, store_id, type, created_at, gid, data)
    SELECT p.profile_id, c.before + i.number, p.store_id, 'item.deleted', $5::text, p.gid, part(item_data)
    FROM counted c JOIN profiles p ON p.profile_id = $1 CROSS JOIN n i)
SELECT id FROM gone;

-- part: items_gone_in_steps
UPDATE lists SET item_count = item_count - c.gone
FROM (SELECT n.value AS id, count(*) AS gone FROM items i, ids_in(i.list_ids) AS n
      WHERE i.profile_id = (SELECT o.profile_id FROM owner($1, $3) AS o) AND i.id in_uuids($2)
      GROUP BY n.value) AS c
WHERE lists.profile_id = $1 AND lists.id = c.id;
UPDATE profiles
SET items = items - (SELECT count(*) FROM items i WHERE i.profile_id = $1 AND i.id in_uuids($2)),
    changes = changes + 1
WHERE profile_id = (SELECT o.profile_id FROM owner($1, $3) AS o);
DELETE FROM entries
WHERE profile_id = (SELECT o.profile_id FROM owner($1, $3) AS o) AND (list_id, item_id) IN (
    SELECT n.value, i.id FROM items i, ids_in(i.list_ids) AS n WHERE i.profile_id = $1 AND i.id in_uuids($2));
DELETE FROM item_tags WHERE profile_id = (SELECT o.profile_id FROM owner($1, $3) AS o) AND item_id in_uuids($2);
DELETE FROM items WHERE profile_id = (SELECT o.profile_id FROM owner($1, $3) AS o) AND id in_uuids($2)
RETURNING id;

-- name: items_delete for sqlite
part(items_gone_in_steps)

-- name: items_delete_told for sqlite
WITH n AS (
    SELECT item_fields(i), '' AS changed, $4::boolean AS text_ids, row_number() OVER (ORDER BY i.id) AS number
    FROM owner($1, $3) AS o JOIN items i ON i.profile_id = $1 AND i.id in_uuids($2))
INSERT INTO events (profile_id, sequence, store_id, number, type, created_at, gid, data)
SELECT p.profile_id, p.events + i.number, p.store_id, next_number(p.store_id) + i.number - 1, 'item.deleted',
       $5::text, p.gid, part(item_data)
FROM n i JOIN profiles p ON p.profile_id = $1;
UPDATE profiles SET events = e.last
FROM (SELECT max(e.sequence) AS last FROM events e WHERE e.profile_id = $1) AS e
WHERE profiles.profile_id = $1 AND e.last > profiles.events;
part(items_gone_in_steps)

-- name: items_page
-- By id, which is by age (contract: page-order). $2 is the cursor. {beyond} tells whether anything lies on its other side.
SELECT item_fields(i){beyond}
FROM items i
WHERE i.profile_id = $1{conditions}{from_cursor}
ORDER BY i.id {direction}
LIMIT $3;

-- name: store_items_page
SELECT item_fields(i), p.gid{beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = $1{conditions}{from_cursor}
ORDER BY i.id {direction}
LIMIT $3;

-- name: item_tags_clear for postgresql
-- A deletion that waits for this must see the tags that follow.
WITH cleared AS (DELETE FROM item_tags WHERE profile_id = $1 AND item_id = $2)
UPDATE profiles SET changes = changes + 1 WHERE profile_id = $1;

-- name: item_tags_clear for sqlite
DELETE FROM item_tags WHERE profile_id = $1 AND item_id = $2;
UPDATE profiles SET changes = changes + 1 WHERE profile_id = $1;

-- name: item_tags_add
INSERT INTO item_tags (profile_id, item_id, tag, store_id)
SELECT i.profile_id, i.id, $3::text, i.store_id FROM items i WHERE i.profile_id = $1 AND i.id = $2;
