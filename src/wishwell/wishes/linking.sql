-- $1 is the session's key, $2 the customer's. Rows are copied and deleted, never re-keyed.
-- A link is a constant number of statements, whatever the two hold. They run in this order: entries and
-- tags go before the items that they are of, which are found by their products.

-- name: link_begin
-- profile_lock, and for the rest of the transaction PostgreSQL joins by hash: all of one profile with all
-- of another, whatever its statistics say of tables that a moment ago were small.
SELECT closed_at, items, lists, email
, set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true) --postgresql
FROM profiles WHERE profile_id = $1
FOR NO KEY UPDATE --postgresql
;

-- name: link_tags
-- Of what both have, the customer's item and the tags of both, where they differ.
WITH c AS MATERIALIZED (SELECT id, product_id, variant_id, tags FROM items WHERE profile_id = $2::uuid)
SELECT c.id, c.tags, s.tags
FROM items s JOIN c ON c.product_id = s.product_id AND c.variant_id = s.variant_id
WHERE s.profile_id = $1 AND s.tags <> '' AND s.tags <> c.tags;

-- name: link_set_tags
UPDATE items SET tags = $3, updated_at = CASE WHEN $4 > updated_at THEN $4 ELSE updated_at END
WHERE profile_id = $1 AND id = $2;

-- name: link_parts
-- Where each quarter of the session's items begins: it may have a hundred thousand tags.
SELECT min(p.id::text) FROM (SELECT id, ntile(4) OVER (ORDER BY id) AS part FROM items WHERE profile_id = $1) AS p
GROUP BY p.part ORDER BY 1;

-- name: link_move_tags
-- Of the items from $3 to before $4.
WITH c AS MATERIALIZED (SELECT id, product_id, variant_id FROM items WHERE profile_id = $2::uuid)
INSERT INTO item_tags (profile_id, item_id, tag, store_id)
SELECT $2::uuid, coalesce(c.id, s.id), t.tag, t.store_id
FROM item_tags t
JOIN items s ON s.profile_id = $1 AND s.id = t.item_id
LEFT JOIN c ON c.product_id = s.product_id AND c.variant_id = s.variant_id
WHERE t.profile_id = $1 AND t.item_id >= $3 AND t.item_id < $4
ON CONFLICT (profile_id, item_id, tag) DO NOTHING;

-- name: link_lists
SELECT id, name, item_count, shared FROM lists WHERE profile_id = $1 ORDER BY id;

-- name: link_move_lists
-- $3: those that join one of the customer's, and so don't move.
INSERT INTO lists (profile_id, id, store_id, item_count, shared, created_at, updated_at, name)
SELECT $2::uuid, s.id, s.store_id, s.item_count, s.shared, s.created_at, s.updated_at, s.name
FROM lists s WHERE s.profile_id = $1 AND NOT (s.id in_uuids($3));

-- name: link_touch_lists for postgresql
-- $3: which list of the customer's each list joins. Answers those that grow by it. EXCEPT takes all rows at
-- once; otherwise PostgreSQL would look at all of the customer's for each list.
WITH t AS MATERIALIZED (
    SELECT j.value::uuid AS list_id, i.product_id, i.variant_id
    FROM pairs($3) AS j
    JOIN entries e ON e.profile_id = $1 AND e.list_id = j.key::uuid
    JOIN items i ON i.profile_id = $1 AND i.id = e.item_id),
h AS MATERIALIZED (
    SELECT e.list_id, i.product_id, i.variant_id
    FROM entries e JOIN items i ON i.profile_id = $2::uuid AND i.id = e.item_id
    WHERE e.profile_id = $2::uuid)
UPDATE lists SET updated_at = CASE WHEN $4::text > updated_at THEN $4::text ELSE updated_at END
WHERE profile_id = $2::uuid AND id IN (
    SELECT g.list_id FROM (SELECT t.* FROM t EXCEPT SELECT h.* FROM h) AS g)
RETURNING id;

-- name: link_touch_lists for sqlite
UPDATE lists SET updated_at = CASE WHEN $4::text > updated_at THEN $4::text ELSE updated_at END
WHERE profile_id = $2::uuid AND id IN (
    SELECT j.value::uuid FROM pairs($3) AS j
    WHERE EXISTS (
        SELECT 1 FROM entries e
        JOIN items s ON s.profile_id = $1 AND s.id = e.item_id
        LEFT JOIN items c ON c.profile_id = $2::uuid
          AND c.product_id = s.product_id AND c.variant_id = s.variant_id
        LEFT JOIN entries h
          ON h.profile_id = $2::uuid AND h.list_id = j.value::uuid AND h.item_id = c.id
        WHERE e.profile_id = $1 AND e.list_id = j.key::uuid AND h.item_id IS NULL))
RETURNING id;

-- name: link_place
-- Gives all that is on the lists $3 a place, so that what joins them comes behind. What the session has
-- too is as old as the older of the two.
WITH s AS MATERIALIZED (SELECT product_id, variant_id, created_at FROM items WHERE profile_id = $1)
UPDATE entries SET position = p.place
FROM (SELECT e.list_id, e.item_id, row_number() OVER (
          PARTITION BY e.list_id
          ORDER BY e.position = 0, e.position,
                   CASE WHEN s.created_at < i.created_at THEN s.created_at ELSE i.created_at END DESC,
                   i.id DESC) AS place
      FROM entries e
      JOIN items i ON i.profile_id = $2::uuid AND i.id = e.item_id
      LEFT JOIN s ON s.product_id = i.product_id AND s.variant_id = i.variant_id
      WHERE e.profile_id = $2::uuid AND e.list_id in_uuids($3)) AS p
WHERE entries.profile_id = $2::uuid AND entries.list_id = p.list_id AND entries.item_id = p.item_id
  AND entries.position <> p.place;

-- name: link_move_entries
-- Those of a list that joins come behind what is there, in the order that they have. $3 as above. Of an item
-- on two lists that join the same one, the first place counts.
WITH joins AS MATERIALIZED (SELECT key::uuid AS source, value::uuid AS target FROM pairs($3)),
c AS MATERIALIZED (SELECT id, product_id, variant_id FROM items WHERE profile_id = $2::uuid),
h AS MATERIALIZED (SELECT list_id, count(*) AS size FROM entries WHERE profile_id = $2::uuid GROUP BY list_id)
INSERT INTO entries (profile_id, list_id, item_id, position)
SELECT $2::uuid, coalesce(m.target, m.list_id), m.item_id,
       min(CASE WHEN m.target IS NULL THEN m.position ELSE m.place + coalesce(h.size, 0) END)
FROM (SELECT j.target, e.list_id, coalesce(c.id, s.id) AS item_id, e.position, row_number() OVER (
          PARTITION BY j.target
          ORDER BY e.list_id, e.position = 0, e.position, s.created_at DESC, coalesce(c.id, s.id) DESC) AS place
      FROM entries e
      JOIN items s ON s.profile_id = $1 AND s.id = e.item_id
      LEFT JOIN c ON c.product_id = s.product_id AND c.variant_id = s.variant_id
      LEFT JOIN joins j ON j.source = e.list_id
      WHERE e.profile_id = $1) AS m
LEFT JOIN h ON h.list_id = m.target
WHERE true
GROUP BY coalesce(m.target, m.list_id), m.item_id
ON CONFLICT (profile_id, list_id, item_id) DO NOTHING;

-- part: link_on_lists
-- On which lists each of the customer's items is now.
SELECT item_id, id_list(list_id) AS list_ids FROM (
    SELECT e.item_id, e.list_id FROM entries e WHERE e.profile_id = $2::uuid ORDER BY e.item_id, e.list_id) AS e
GROUP BY item_id

-- name: link_merge_items
-- Of what both have, the customer's item stays (contract: link-item-merge, link-quantity, link-note,
-- notice-link).
WITH n AS MATERIALIZED (part(link_on_lists)),
m AS MATERIALIZED (
    SELECT c.id,
           CASE WHEN s.quantity > c.quantity THEN s.quantity ELSE c.quantity END AS quantity,
           CASE WHEN s.created_at < c.created_at THEN s.created_at ELSE c.created_at END AS created_at,
           CASE WHEN c.note = '' THEN s.note ELSE c.note END AS note,
           CASE WHEN s.dropped_at > c.dropped_at THEN s.dropped_at ELSE c.dropped_at END AS dropped_at,
           CASE WHEN s.restocked_at > c.restocked_at THEN s.restocked_at ELSE c.restocked_at END AS restocked_at,
           coalesce(n.list_ids, '') AS list_ids
    FROM (SELECT * FROM items WHERE profile_id = $1) AS s
    JOIN (SELECT * FROM items WHERE profile_id = $2::uuid) AS c
      ON c.product_id = s.product_id AND c.variant_id = s.variant_id
    LEFT JOIN n ON n.item_id = c.id)
UPDATE items
SET quantity = m.quantity, created_at = m.created_at, note = m.note, list_ids = m.list_ids,
    dropped_at = m.dropped_at, restocked_at = m.restocked_at,
    updated_at = CASE WHEN (m.quantity, m.created_at, m.note, m.list_ids)
                           <> (items.quantity, items.created_at, items.note, items.list_ids)
                       AND $3::text > items.updated_at THEN $3::text ELSE items.updated_at END
FROM m
WHERE items.profile_id = $2::uuid AND items.id = m.id
  AND (m.quantity, m.created_at, m.note, m.list_ids, m.dropped_at, m.restocked_at)
      <> (items.quantity, items.created_at, items.note, items.list_ids, items.dropped_at, items.restocked_at);

-- name: link_move_items
WITH n AS MATERIALIZED (part(link_on_lists))
INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, created_at, updated_at,
                   dropped_at, restocked_at, list_ids, tags, note)
SELECT $2::uuid, s.id, s.store_id, s.product_id, s.variant_id, s.quantity, s.created_at, s.updated_at,
       s.dropped_at, s.restocked_at, coalesce(n.list_ids, ''), s.tags, s.note
FROM items s LEFT JOIN n ON n.item_id = s.id
WHERE s.profile_id = $1
ON CONFLICT (profile_id, product_id, variant_id) DO NOTHING;

-- name: link_shares
SELECT id, token, list_id FROM shares WHERE profile_id = $1;

-- name: link_move_shares
-- Those of lists that move, all that are left. No other column may change: their tokens stay good.
INSERT INTO shares (profile_id, id, store_id, list_id, reservations, notes, created_at, expires_at, token)
SELECT $2::uuid, s.id, s.store_id, s.list_id, s.reservations, s.notes, s.created_at, s.expires_at, s.token
FROM shares s WHERE s.profile_id = $1;

-- name: link_move_tokens
UPDATE share_tokens SET profile_id = $1 WHERE hash in_texts($2);

-- name: link_mark_lists
UPDATE lists SET shared = 1 WHERE profile_id = $1 AND id in_uuids($2);

-- name: link_leave_shares
DELETE FROM shares WHERE profile_id = $1;

-- name: link_leave_entries
DELETE FROM entries WHERE profile_id = $1;

-- name: link_leave_tags
DELETE FROM item_tags WHERE profile_id = $1;

-- name: link_leave_items
DELETE FROM items WHERE profile_id = $1;

-- name: link_leave_lists
DELETE FROM lists WHERE profile_id = $1;

-- name: link_size_lists
UPDATE lists SET item_count = n.size
FROM (SELECT list_id, count(*) AS size FROM entries WHERE profile_id = $1 GROUP BY list_id) AS n
WHERE lists.profile_id = $1 AND lists.id = n.list_id AND lists.item_count <> n.size;

-- name: link_count
UPDATE profiles
SET items = (SELECT count(*) FROM items WHERE profile_id = $1),
    lists = (SELECT count(*) FROM lists WHERE profile_id = $1),
    email = coalesce(email, $2::text), changes = changes + 1
WHERE profile_id = $1;
