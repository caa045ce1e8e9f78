-- Every statement of the product, once, for both engines. How the file is read: statements.py.
--
-- * A line that ends in `--postgresql` or `--sqlite` is for that engine alone.
-- * in_uuids($n), in_numbers($n), in_texts($n): membership in one array parameter.
-- * pairs($n): the key and the value of each entry of a JSON object.
-- * item_fields(x), list_fields(x): the columns of a record, in the order of its shape in Python.
-- * item_written(x), list_written(x): the same for RETURNING. A statement that waited for its lock
--   still sees the entries of before: these see what is there now (docs/decisions/0013).
-- * owner($1): the profile's row, open and locked. Every write to a profile begins with it, so that
--   the writes of one profile, links and purges among them, happen one after the other
--   (docs/decisions/0004). SQLite has one writer at a time and needs no lock.
-- * A statement on a profile's data names its profile_id: that keeps it on one shard.


---------------------------------------------------------------------- stores and admin tokens

-- name: store_create
INSERT INTO stores (id, handle, platform, auth_flow, origins, limits, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7);

-- name: store_create_first
-- Of several processes that start on an empty database, one makes the store `default`.
INSERT INTO stores (id, handle, platform, auth_flow, origins, limits, created_at, updated_at)
SELECT $1::uuid, $2, $3, $4, $5, $6, $7, $7
WHERE NOT EXISTS (SELECT 1 FROM stores)
ON CONFLICT (handle) DO NOTHING;

-- name: store_update
UPDATE stores SET handle = $2, platform = $3, auth_flow = $4, origins = $5, limits = $6, updated_at = $7
WHERE id = $1;

-- name: stores
SELECT id, handle, platform, auth_flow, origins, limits, created_at FROM stores ORDER BY handle;

-- name: store_by_handle
SELECT id, handle, platform, auth_flow, origins, limits, created_at FROM stores WHERE handle = $1;

-- name: stores_changed
-- What the directory has not seen yet.
SELECT id, handle, platform, auth_flow, origins, limits, created_at, updated_at
FROM stores WHERE updated_at >= $1;

-- name: admin_token_create
INSERT INTO admin_tokens (id, store_id, label, hash, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: admin_token_by_hash
SELECT id, store_id, expires_at, revoked_at FROM admin_tokens WHERE hash = $1;

-- name: admin_tokens
SELECT t.id, s.handle, t.label, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
FROM admin_tokens t JOIN stores s ON s.id = t.store_id
ORDER BY t.id;

-- name: admin_token_revoke
-- The first revocation counts: asking again changes nothing.
UPDATE admin_tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id;

-- name: admin_tokens_revoked
SELECT id, revoked_at FROM admin_tokens WHERE revoked_at >= $1;

-- name: admin_token_used
UPDATE admin_tokens SET last_used_at = $2
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2);

-- name: revoke_profile_token
-- With an empty jti, everything that the profile was given until now.
INSERT INTO revocations (profile_id, jti, revoked_at) VALUES ($1, $2, $3)
ON CONFLICT (profile_id, jti) DO UPDATE SET revoked_at = excluded.revoked_at;

-- name: revoked_until
SELECT revoked_at FROM revocations WHERE profile_id = $1 AND jti = '';

-- name: revocations_since
SELECT profile_id, jti, revoked_at FROM revocations WHERE revoked_at >= $1;

-- name: revocations_forget
-- A profile token lives a day: older revocations have nothing left to refuse.
DELETE FROM revocations WHERE revoked_at < $1;


---------------------------------------------------------------------------------- profiles

-- name: profile_state
SELECT closed_at FROM profiles WHERE profile_id = $1;

-- name: profile_create
INSERT INTO profiles (profile_id, store_id, gid, is_session, created_at, touched_at)
VALUES ($1, $2, $3, $4, $5, $5)
ON CONFLICT (profile_id) DO NOTHING;

-- name: profile_lock
SELECT closed_at FROM profiles WHERE profile_id = $1
FOR NO KEY UPDATE --postgresql
;

-- name: session_renew
UPDATE profiles SET touched_at = CASE WHEN $2 > touched_at THEN $2 ELSE touched_at END
WHERE profile_id = $1 AND closed_at IS NULL
RETURNING profile_id;

-- name: sessions_touch
-- Locked in the order of their keys, as every process touches many at once.
UPDATE profiles SET touched_at = $2 WHERE profile_id IN (
    SELECT profile_id FROM profiles
    WHERE profile_id in_uuids($1) AND touched_at < $2 AND closed_at IS NULL
    ORDER BY profile_id
    FOR NO KEY UPDATE --postgresql
);

-- name: session_close
UPDATE profiles SET closed_at = $2, email = NULL WHERE profile_id = $1;

-- name: profile_remember_email
UPDATE profiles SET email = $2 WHERE profile_id = $1 AND closed_at IS NULL RETURNING profile_id;

-- name: profile_email
SELECT email FROM profiles WHERE profile_id = $1;

-- name: profile_set_email
UPDATE profiles SET email = $2 WHERE profile_id = $1;

-- name: item_owner
-- A record of a store, wherever it lies: the one look-up that names no profile.
SELECT p.profile_id, p.gid, p.is_session
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = $1 AND i.id = $2;

-- name: list_owner
SELECT p.profile_id, p.gid, p.is_session
FROM lists l JOIN profiles p ON p.profile_id = l.profile_id
WHERE l.store_id = $1 AND l.id = $2;

-- name: item_owners
SELECT i.profile_id, i.id, p.is_session
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = $1 AND i.id in_uuids($2);

-- name: sessions_idle
-- $1: anything untouched since then goes. $2: what holds nothing and was untouched since then.
SELECT p.profile_id, p.touched_at, p.gid FROM profiles p
WHERE p.is_session = 1 AND p.touched_at < $2
  AND (p.touched_at < $1
       OR NOT EXISTS (SELECT 1 FROM items i WHERE i.profile_id = p.profile_id)
          AND NOT EXISTS (SELECT 1 FROM lists l WHERE l.profile_id = p.profile_id)
          AND p.closed_at IS NULL)
  AND (p.touched_at, p.profile_id) > ($3, $4::uuid)
ORDER BY p.touched_at, p.profile_id
LIMIT $5;

-- name: sessions_lock
-- Of those found, the ones that nobody writes to at this moment; the others go the next time.
SELECT profile_id FROM profiles WHERE profile_id in_uuids($1)
ORDER BY profile_id
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: sessions_end
-- The conditions again, in a statement that begins after the lock is held: a session may have been
-- touched or saved to since it was found, and a statement does not see what it waited for. Closed, it is
-- gone for everybody, however many steps its records take.
UPDATE profiles AS p SET closed_at = coalesce(p.closed_at, $4), email = NULL
WHERE p.profile_id in_uuids($3) AND p.is_session = 1 AND p.touched_at < $2
  AND (p.touched_at < $1
       OR NOT EXISTS (SELECT 1 FROM items i WHERE i.profile_id = p.profile_id)
          AND NOT EXISTS (SELECT 1 FROM lists l WHERE l.profile_id = p.profile_id)
          AND p.closed_at IS NULL)
RETURNING profile_id;

-- name: purge_entries
DELETE FROM entries WHERE (profile_id, list_id, item_id) IN (
    SELECT e.profile_id, e.list_id, e.item_id FROM entries e WHERE e.profile_id in_uuids($1) LIMIT $2)
RETURNING profile_id;

-- name: purge_tags
DELETE FROM item_tags WHERE (profile_id, item_id, tag) IN (
    SELECT t.profile_id, t.item_id, t.tag FROM item_tags t WHERE t.profile_id in_uuids($1) LIMIT $2)
RETURNING profile_id;

-- name: purge_items
DELETE FROM items WHERE (profile_id, id) IN (
    SELECT i.profile_id, i.id FROM items i WHERE i.profile_id in_uuids($1) LIMIT $2)
RETURNING profile_id;

-- name: purge_lists
DELETE FROM lists WHERE (profile_id, id) IN (
    SELECT l.profile_id, l.id FROM lists l WHERE l.profile_id in_uuids($1) LIMIT $2)
RETURNING profile_id;

-- name: purge_profiles
DELETE FROM profiles WHERE profile_id in_uuids($1) RETURNING profile_id;


------------------------------------------------------------------------------------- items

-- name: item_save
-- Saving twice is saving once. Answers no row when the profile is unknown, closed or full; then
-- items.save finds out which. $5 and $6 are null where the body names no quantity, no tags.
INSERT INTO items
    (profile_id, id, store_id, product_id, variant_id, quantity, tags, created_at, updated_at)
SELECT o.profile_id, $2::uuid, o.store_id, $3::bigint, $4::bigint,
       coalesce($5::integer, 1), coalesce($6::text, ''), $7::text, $7::text
FROM owner($1) AS o
WHERE (SELECT count(*) FROM (SELECT 1 FROM items n WHERE n.profile_id = $1 LIMIT $8::bigint) AS held) < $8::bigint
   OR EXISTS (SELECT 1 FROM items n
              WHERE n.profile_id = $1 AND n.product_id = $3::bigint AND n.variant_id = $4::bigint)
ON CONFLICT (profile_id, product_id, variant_id) DO UPDATE
SET quantity = coalesce($5::integer, items.quantity),
    tags = coalesce($6::text, items.tags),
    updated_at = CASE WHEN (coalesce($5::integer, items.quantity), coalesce($6::text, items.tags)) <> (items.quantity, items.tags)
                       AND $7::text > items.updated_at THEN $7::text ELSE items.updated_at END
RETURNING item_written(items), items.id = $2::uuid AS created;

-- name: item_count
SELECT count(*) FROM items WHERE profile_id = $1;

-- name: item_find
SELECT item_fields(i) FROM items i WHERE i.profile_id = $1 AND i.id = $2;

-- name: item_set_lists
-- The function of migration 0004; on SQLite, items.set_lists does without.
SELECT item_written(i) FROM item_set_lists($1, $2, $3, $4, $5, $6) AS i --postgresql
;

-- name: item_and_lists
-- With how many of the lists $3 the profile has.
SELECT item_fields(i),
       (SELECT count(*) FROM lists l WHERE l.profile_id = $1 AND l.id in_uuids($3)) AS known
FROM items i WHERE i.profile_id = $1 AND i.id = $2;

-- name: item_change
-- Null leaves a field as it is. updated_at moves only when something changed.
UPDATE items
SET product_id = coalesce($3::bigint, items.product_id),
    variant_id = coalesce($4::bigint, items.variant_id),
    quantity = coalesce($5::integer, items.quantity),
    tags = coalesce($6::text, items.tags),
    updated_at = CASE WHEN (coalesce($3::bigint, items.product_id), coalesce($4::bigint, items.variant_id),
                            coalesce($5::integer, items.quantity), coalesce($6::text, items.tags))
                           <> (items.product_id, items.variant_id, items.quantity, items.tags)
                       AND $7::text > items.updated_at THEN $7::text ELSE items.updated_at END
WHERE items.profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND items.id = $2
RETURNING item_written(items);

-- name: item_touch
UPDATE items SET updated_at = CASE WHEN $3::text > updated_at THEN $3::text ELSE updated_at END
WHERE profile_id = $1 AND id = $2;

-- name: items_delete
DELETE FROM items
WHERE profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND id in_uuids($2)
RETURNING id;

-- name: items_page
-- $2 is the cursor. {beyond} tells whether anything lies on its other side.
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

-- name: item_tags_clear
DELETE FROM item_tags WHERE profile_id = $1 AND item_id = $2;

-- name: item_tags_add
INSERT INTO item_tags (profile_id, item_id, tag, store_id)
SELECT i.profile_id, i.id, $3::text, i.store_id FROM items i WHERE i.profile_id = $1 AND i.id = $2;


------------------------------------------------------------------------------------- lists

-- name: list_create
INSERT INTO lists (profile_id, id, store_id, name, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $5);

-- name: list_count
SELECT count(*) FROM lists WHERE profile_id = $1;

-- name: list_find
SELECT list_fields(l) FROM lists l WHERE l.profile_id = $1 AND l.id = $2;

-- name: list_with_items
-- One statement, so that the list and its items are of one moment.
SELECT l.id, l.name, l.created_at, l.updated_at, e.position, item_fields(i)
FROM lists l
LEFT JOIN entries e ON e.profile_id = l.profile_id AND e.list_id = l.id
LEFT JOIN items i ON i.profile_id = e.profile_id AND i.id = e.item_id
WHERE l.profile_id = $1 AND l.id = $2;

-- name: list_rename
UPDATE lists
SET updated_at = CASE WHEN name <> $3 AND $4 > updated_at THEN $4 ELSE updated_at END, name = $3
WHERE profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND id = $2
RETURNING list_written(lists);

-- name: list_delete
DELETE FROM lists
WHERE profile_id = (SELECT o.profile_id FROM owner($1) AS o) AND id = $2
RETURNING id;

-- name: lists_page
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
SELECT id FROM lists WHERE profile_id = $1 AND id in_uuids($2);

-- name: list_touch
UPDATE lists SET updated_at = CASE WHEN $3 > updated_at THEN $3 ELSE updated_at END
WHERE profile_id = $1 AND id = $2;

-- name: list_entries
SELECT e.item_id, e.position, i.created_at
FROM entries e JOIN items i ON i.profile_id = e.profile_id AND i.id = e.item_id
WHERE e.profile_id = $1 AND e.list_id = $2;

-- name: entry_place
UPDATE entries SET position = $4 WHERE profile_id = $1 AND list_id = $2 AND item_id = $3;

-- name: entries_count
-- Of the profile, and of the fullest of the lists $2.
SELECT (SELECT count(*) FROM entries WHERE profile_id = $1),
       (SELECT coalesce(max(size), 0) FROM (
           SELECT count(*) AS size FROM entries
           WHERE profile_id = $1 AND list_id in_uuids($2) GROUP BY list_id) AS sizes);

-- name: entries_add
INSERT INTO entries (profile_id, list_id, item_id, position)
SELECT l.profile_id, l.id, $2::uuid, 0 FROM lists l WHERE l.profile_id = $1 AND l.id in_uuids($3);

-- name: entries_remove
DELETE FROM entries WHERE profile_id = $1 AND item_id = $2 AND list_id in_uuids($3);


----------------------------------------------------------------------------------- linking
-- $1 is the session's key, $2 the customer's. Rows are copied and deleted, never re-keyed.

-- A link is a constant number of statements, whatever the two hold. They run in this order.

-- name: link_begin
-- profile_lock, and for the rest of the transaction PostgreSQL joins by hash: all of one profile with all
-- of another, whatever its statistics say of tables that a moment ago were small.
SELECT closed_at
, set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true) --postgresql
FROM profiles WHERE profile_id = $1
FOR NO KEY UPDATE --postgresql
;

-- name: link_tags
-- Of what both have, the customer's item and the tags of both, where they differ.
SELECT c.id, c.tags, s.tags
FROM items s
JOIN items c ON c.profile_id = $2 AND c.product_id = s.product_id AND c.variant_id = s.variant_id
WHERE s.profile_id = $1 AND s.tags <> '' AND s.tags <> c.tags;

-- name: link_set_tags
-- $2: their new tags, by id.
WITH m AS MATERIALIZED (SELECT key::uuid AS id, value FROM pairs($2))
UPDATE items SET tags = m.value, updated_at = CASE WHEN $3::text > updated_at THEN $3::text ELSE updated_at END
FROM m
WHERE items.profile_id = $1 AND items.id = m.id;

-- name: link_merge_items
-- Of what both have, the customer's item stays. It changes too when it will be on another list.
UPDATE items AS c
SET quantity = CASE WHEN s.quantity > c.quantity THEN s.quantity ELSE c.quantity END,
    created_at = CASE WHEN s.created_at < c.created_at THEN s.created_at ELSE c.created_at END,
    updated_at = CASE WHEN $3::text > c.updated_at THEN $3::text ELSE c.updated_at END
FROM items AS s
WHERE s.profile_id = $1 AND c.profile_id = $2
  AND c.product_id = s.product_id AND c.variant_id = s.variant_id
  AND (s.quantity > c.quantity OR s.created_at < c.created_at
       OR EXISTS (SELECT 1 FROM entries e WHERE e.profile_id = $1 AND e.item_id = s.id));

-- name: link_move_items
-- From here on the customer has each of the session's products, by the same id or another.
INSERT INTO items
    (profile_id, id, store_id, product_id, variant_id, quantity, tags, created_at, updated_at)
SELECT $2, s.id, s.store_id, s.product_id, s.variant_id, s.quantity, s.tags, s.created_at, s.updated_at
FROM items s
WHERE s.profile_id = $1
ON CONFLICT (profile_id, product_id, variant_id) DO NOTHING;

-- name: link_parts
-- Where each quarter of the session's items begins: it may have a hundred thousand tags.
SELECT min(p.id::text) FROM (SELECT id, ntile(4) OVER (ORDER BY id) AS part FROM items WHERE profile_id = $1) AS p
GROUP BY p.part ORDER BY 1;

-- name: link_move_tags
-- Of the items from $3 to before $4.
INSERT INTO item_tags (profile_id, item_id, tag, store_id)
SELECT $2, c.id, t.tag, t.store_id
FROM item_tags t
JOIN items s ON s.profile_id = $1 AND s.id = t.item_id
JOIN items c ON c.profile_id = $2 AND c.product_id = s.product_id AND c.variant_id = s.variant_id
WHERE t.profile_id = $1 AND t.item_id >= $3 AND t.item_id < $4
ON CONFLICT (profile_id, item_id, tag) DO NOTHING;

-- name: link_lists
SELECT l.id, l.name, (SELECT count(*) FROM entries e WHERE e.profile_id = $1 AND e.list_id = l.id)
FROM lists l WHERE l.profile_id = $1 ORDER BY l.id;

-- name: link_move_lists
-- $3: those that join one of the customer's, and so don't move.
INSERT INTO lists (profile_id, id, store_id, name, created_at, updated_at)
SELECT $2, s.id, s.store_id, s.name, s.created_at, s.updated_at
FROM lists s WHERE s.profile_id = $1 AND NOT (s.id in_uuids($3));

-- name: link_touch_lists
-- $3: which list of the customer's each list joins. Answers those that grow by it.
UPDATE lists SET updated_at = CASE WHEN $4::text > updated_at THEN $4::text ELSE updated_at END
WHERE profile_id = $2 AND id IN (
    SELECT j.value::uuid FROM pairs($3) AS j
    WHERE EXISTS (
        SELECT 1 FROM entries e
        JOIN items s ON s.profile_id = $1 AND s.id = e.item_id
        JOIN items c ON c.profile_id = $2 AND c.product_id = s.product_id AND c.variant_id = s.variant_id
        LEFT JOIN entries h ON h.profile_id = $2 AND h.list_id = j.value::uuid AND h.item_id = c.id
        WHERE e.profile_id = $1 AND e.list_id = j.key::uuid AND h.item_id IS NULL))
RETURNING id;

-- name: link_place
-- Gives all that is on the lists $2 a place, so that what joins them comes behind.
UPDATE entries SET position = p.place
FROM (SELECT e.list_id, e.item_id, row_number() OVER (
          PARTITION BY e.list_id ORDER BY e.position = 0, e.position, i.created_at DESC, i.id DESC) AS place
      FROM entries e JOIN items i ON i.profile_id = $1 AND i.id = e.item_id
      WHERE e.profile_id = $1 AND e.list_id in_uuids($2)) AS p
WHERE entries.profile_id = $1 AND entries.list_id = p.list_id AND entries.item_id = p.item_id
  AND entries.position <> p.place;

-- name: link_move_entries
-- Those of a list that joins come behind what is there, in the order that they have. $3 as above.
WITH joins AS MATERIALIZED (SELECT key::uuid AS source, value::uuid AS target FROM pairs($3))
INSERT INTO entries (profile_id, list_id, item_id, position)
SELECT $2::uuid, coalesce(m.target, m.list_id), m.item_id,
       CASE WHEN m.target IS NULL THEN m.position ELSE m.place + coalesce(h.size, 0) END
FROM (SELECT j.target, e.list_id, c.id AS item_id, e.position, row_number() OVER (
          PARTITION BY j.target ORDER BY e.list_id, e.position = 0, e.position, s.created_at DESC, c.id DESC) AS place
      FROM entries e
      JOIN items s ON s.profile_id = $1 AND s.id = e.item_id
      JOIN items c ON c.profile_id = $2 AND c.product_id = s.product_id AND c.variant_id = s.variant_id
      LEFT JOIN joins j ON j.source = e.list_id
      WHERE e.profile_id = $1) AS m
LEFT JOIN (SELECT list_id, count(*) AS size FROM entries WHERE profile_id = $2 GROUP BY list_id) AS h
       ON h.list_id = m.target
WHERE true
ON CONFLICT (profile_id, list_id, item_id) DO NOTHING;

-- name: link_leave_entries
DELETE FROM entries WHERE profile_id = $1;

-- name: link_leave_tags
DELETE FROM item_tags WHERE profile_id = $1;

-- name: link_leave_items
DELETE FROM items WHERE profile_id = $1;

-- name: link_leave_lists
DELETE FROM lists WHERE profile_id = $1;


-------------------------------------------------------------------------------- housekeeping

-- name: turn_take
-- One process at a time: whoever finds the last turn older than $3 has the next one.
INSERT INTO turns (name, taken_at) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at WHERE turns.taken_at < $3
RETURNING name;
