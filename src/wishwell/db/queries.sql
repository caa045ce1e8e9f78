-- Every statement of the product, once, for both engines. How the file is read: statements.py.
--
-- * A line that ends in `--postgresql` or `--sqlite` is for that engine alone. `-- name: x for postgresql`
--   is one statement for what `-- name: x for sqlite` does in several, each ending in `;`: every statement
--   is a round trip there. A test runs both forms against each other. A step `then …` runs only if the row
--   that the ones before have returned ends with true, a step `else …` only if there is none or it does not.
-- * item_fields(x), list_fields(x), store_fields(x), event_fields(x): the columns of a record (rows.py).
-- * in_uuids($n), in_texts($n), in_numbers($n): membership in one array parameter, always of texts.
-- * ids_in(x): a row for each of the ids in a text, in its column `value`. id_count(x): how many there are.
--   without(x, id): the text without this one. has_id(x, id): whether it is in there.
-- * id_list(x): the ids of a group, as such a text; their order is that of the rows.
-- * as_json(…): these values as a JSON array.
-- * next_number(x): of an event of the store x, its place in the feed. Null on PostgreSQL, where it is given
--   afterwards (events.py); SQLite has one writer, which gives it.
-- * pairs($n): the key and the value of each entry of a JSON object.
-- * AS MATERIALIZED is for PostgreSQL alone, which then joins two profiles without asking every shard; SQLite
--   joins by the tables' own indexes.
-- * owner($1): the profile's row, open and locked. Every write to a profile begins with it, so that
--   the writes of one profile, links and purges among them, happen one after the other
--   (docs/decisions/0004). SQLite has one writer at a time and needs no lock.
-- * owner($1, $n): the same, unless others have reserved any of its items and $n is false. What takes items
--   off lists is then run again with $n, and ends reservations too (items.py: _certain).
-- * A PostgreSQL statement that waited for the lock still sees other rows as they were before. One that
--   reads or removes entries or tags therefore asks for settled($1) or settled($1, $n): the owner's row, unless
--   profiles.changes is not what it was before the lock (docs/decisions/0013). The caller tries again with
--   the lock in hand.
-- * Rows to be found by ids that another part gives are found by `= ANY (ARRAY(…))`: PostgreSQL knows little
--   of one profile, and may else join all of it with all of them.
-- * A statement on a profile's data says profile_id = $1 of each table: that keeps it on one shard.
--   An insertion selects from such a table, though it needs nothing of it: other rows go by the coordinator.
-- * The first word tells what a statement does: SELECT reads, or locks when it ends in FOR UPDATE.


---------------------------------------------------------------------- stores and admin tokens

-- name: store_create
INSERT INTO stores (id, handle, platform, product_ids, auth_flow, hosts, naming, origins, limits,
    price_drop_percent, events_since, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: store_create_first
-- Of several processes that start on an empty database, one makes the store `default`.
INSERT INTO stores (id, handle, platform, product_ids, auth_flow, hosts, naming, origins, limits,
    price_drop_percent, events_since, created_at, updated_at)
SELECT $1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10::integer, $11, $12, $12
WHERE NOT EXISTS (SELECT 1 FROM stores)
ON CONFLICT (handle) DO NOTHING;

-- name: in_turn for postgresql
-- Until the transaction ends, a cluster asks its servers one after the other. Otherwise Citus refuses to change a
-- reference table after it has read a distributed one.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- name: in_turn for sqlite
SELECT 1;

-- name: stores_lock
SELECT id FROM stores ORDER BY id
FOR NO KEY UPDATE --postgresql
;

-- name: store_update
UPDATE stores SET handle = $2, platform = $3, product_ids = $4, auth_flow = $5, hosts = $6, naming = $7,
    origins = $8, limits = $9, price_drop_percent = $10, events_since = $11, updated_at = $12
WHERE id = $1;

-- name: store_hosts_clear
DELETE FROM store_hosts WHERE store_id = $1;

-- name: store_hosts_add
INSERT INTO store_hosts (host, store_id) VALUES ($1, $2);

-- name: store_secrets
SELECT sealed FROM store_secrets WHERE store_id = $1;

-- name: stores_secrets
SELECT store_id, sealed FROM store_secrets;

-- name: store_secrets_changed
SELECT store_id, sealed FROM store_secrets WHERE updated_at >= $1;

-- name: store_secrets_set
INSERT INTO store_secrets (store_id, sealed, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (store_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at;

-- name: stores
SELECT store_fields(s) FROM stores s ORDER BY s.handle;

-- name: store_by_handle
SELECT store_fields(s) FROM stores s WHERE s.handle = $1;

-- name: store_holds_items
SELECT 1 FROM items WHERE store_id = $1 LIMIT 1;

-- name: store_holds_products
SELECT 1 FROM products WHERE store_id = $1 LIMIT 1;

-- name: stores_changed
-- What the access cache has not seen yet.
SELECT store_fields(s) FROM stores s WHERE s.updated_at >= $1;

-- name: admin_token_create
INSERT INTO admin_tokens (id, store_id, scope, label, hash, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: admin_token_by_hash
SELECT id, store_id, scope, expires_at, revoked_at FROM admin_tokens WHERE hash = $1;

-- name: admin_tokens
SELECT t.id, s.handle, t.scope, t.label, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
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
-- $2 is for what refuses cookies too, which live longer than tokens.
SELECT profile_id, jti, revoked_at FROM revocations
WHERE revoked_at >= $1 OR (jti = '' AND revoked_at >= $2);

-- name: revocations_forget
-- A profile token lives a day, a cookie 90: older revocations have nothing left to refuse.
DELETE FROM revocations WHERE revoked_at < $1 AND (jti <> '' OR revoked_at < $2);


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

-- name: session_touch
UPDATE profiles SET touched_at = $2 WHERE profile_id = $1 AND touched_at < $2 AND closed_at IS NULL;

-- name: session_close
UPDATE profiles SET closed_at = $2, email = NULL, items = 0, lists = 0, changes = changes + 1
WHERE profile_id = $1;

-- name: profile_remember_email
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
SELECT i.profile_id, i.id, p.is_session, p.gid
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = $1 AND i.id in_uuids($2);

-- name: sessions_idle
-- $1: anything untouched since then goes. $2: what holds nothing and was untouched since then.
SELECT profile_id, touched_at, gid FROM profiles
WHERE is_session = 1 AND touched_at < $2
  AND (touched_at < $1 OR items = 0 AND lists = 0 AND closed_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.profile_id = profiles.profile_id))
  AND (touched_at, profile_id) > ($3, $4::uuid)
ORDER BY touched_at, profile_id
LIMIT $5;

-- name: session_lock
-- Unless somebody writes to it at this moment; then it goes the next time. One at a time: a cluster
-- locks rows of one server only.
SELECT profile_id FROM profiles WHERE profile_id = $1
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: sessions_end
-- The conditions again, under the lock: a session may have been touched or saved to since it was found.
-- Closed, it is gone for everybody, however many steps its records take.
UPDATE profiles SET closed_at = coalesce(closed_at, $4), email = NULL
WHERE profile_id in_uuids($3) AND is_session = 1 AND touched_at < $2
  AND (touched_at < $1 OR items = 0 AND lists = 0 AND closed_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.profile_id = profiles.profile_id))
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

-- name: purge_shares
DELETE FROM shares WHERE (profile_id, id) IN (
    SELECT s.profile_id, s.id FROM shares s WHERE s.profile_id in_uuids($1) LIMIT $2)
RETURNING profile_id;

-- name: purge_share_tokens
DELETE FROM share_tokens WHERE hash IN (
    SELECT t.hash FROM share_tokens t WHERE t.profile_id in_uuids($1) LIMIT $2)
RETURNING profile_id;

-- name: purge_held
SELECT profile_id, owner_id, item_id FROM held WHERE profile_id in_uuids($1) LIMIT $2;

-- name: purge_reservations
SELECT holder_id, profile_id, item_id FROM reservations WHERE profile_id in_uuids($1) LIMIT $2;

-- name: purge_profiles
DELETE FROM profiles WHERE profile_id in_uuids($1) RETURNING profile_id;


------------------------------------------------------------------------------------- items

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
SELECT item_fields(i) FROM items i WHERE i.profile_id = $1 AND i.id = $2;

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


------------------------------------------------------------------------------------- lists

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


------------------------------------------------------------------------------------ copies

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


------------------------------------------------------------------------------------ shares

-- name: shares_count
-- A row if the list is there.
SELECT (SELECT count(*) FROM shares s WHERE s.profile_id = $1 AND s.list_id = $2)
FROM lists l WHERE l.profile_id = $1 AND l.id = $2;

-- name: share_add
INSERT INTO shares (profile_id, id, store_id, list_id, reservations, notes, created_at, expires_at, token)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: share_token_add
INSERT INTO share_tokens (hash, store_id, profile_id, share_id) VALUES ($1, $2, $3, $4);

-- name: list_share for postgresql
-- A deletion of the list that waits for this must see the share.
WITH marked AS (UPDATE lists SET shared = 1 WHERE profile_id = $1 AND id = $2)
UPDATE profiles SET changes = changes + 1 WHERE profile_id = $1;

-- name: list_share for sqlite
UPDATE lists SET shared = 1 WHERE profile_id = $1 AND id = $2;
UPDATE profiles SET changes = changes + 1 WHERE profile_id = $1;

-- name: shares_page
SELECT share_fields(s){beyond}
FROM shares s
WHERE s.profile_id = $1{conditions}{from_cursor}
ORDER BY s.id {direction}
LIMIT $3;

-- name: share_change
-- Null leaves a field as it is, an empty $6 clears it.
UPDATE shares
SET reservations = coalesce($4::integer, shares.reservations), notes = coalesce($5::integer, shares.notes),
    expires_at = CASE WHEN $6::text IS NULL THEN shares.expires_at ELSE nullif($6::text, '') END
FROM owner($1) AS o
WHERE shares.profile_id = $1 AND shares.id = $2 AND shares.list_id = $3
RETURNING share_fields(shares);

-- name: shares_of_list
SELECT id, token FROM shares WHERE profile_id = $1 AND list_id = $2;

-- name: shares_remove
DELETE FROM shares WHERE profile_id = $1 AND id in_uuids($2);

-- name: share_tokens_remove
DELETE FROM share_tokens WHERE hash in_texts($1);

-- name: share_owner
-- A share, wherever it lies.
SELECT store_id, profile_id, share_id FROM share_tokens WHERE hash = $1;

-- name: share_there
-- Also one that has expired, or whose owner has ended.
SELECT 1 FROM shares WHERE profile_id = $1 AND id = $2;

-- name: shared_list
-- As $4 sees it, in the owner's order (contract: shared-order, shared-notes). $3: now. $5: of one item alone. The share is
-- read once: PostgreSQL would do so for each item.
WITH h AS MATERIALIZED (
    SELECT s.list_id, s.reservations, s.notes, l.name, l.updated_at
    FROM shares s
    JOIN profiles p ON p.profile_id = $1 AND p.closed_at IS NULL
    JOIN lists l ON l.profile_id = $1 AND l.id = s.list_id
    WHERE s.profile_id = $1 AND s.id = $2 AND (s.expires_at IS NULL OR s.expires_at > $3)
)
SELECT h.reservations, h.name, h.updated_at, i.id, i.product_id, i.variant_id, i.quantity,
       CASE WHEN h.notes = 1 THEN i.note END,
       CASE WHEN h.reservations = 1 THEN coalesce((
           SELECT sum(g.quantity) FROM reservations g WHERE g.profile_id = $1 AND g.item_id = i.id), 0) END,
       CASE WHEN h.reservations = 1 AND $4::uuid IS NOT NULL THEN coalesce((
           SELECT g.quantity FROM reservations g
           WHERE g.profile_id = $1 AND g.item_id = i.id AND g.holder_id = $4::uuid), 0) END
FROM h
LEFT JOIN entries e ON e.profile_id = $1 AND e.list_id = h.list_id AND ($5::uuid IS NULL OR e.item_id = $5::uuid)
LEFT JOIN items i ON i.profile_id = $1 AND i.id = e.item_id
ORDER BY e.position = 0, e.position, i.created_at DESC, i.id DESC;

-- name: share_open
-- $3: now.
SELECT s.id, p.gid, p.is_session, s.list_id, s.reservations, s.notes
FROM shares s
JOIN profiles p ON p.profile_id = $1 AND p.closed_at IS NULL
WHERE s.profile_id = $1 AND s.id = $2 AND (s.expires_at IS NULL OR s.expires_at > $3);


----------------------------------------------------------------------------------- linking
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


------------------------------------------------------------------------------ reservations
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


------------------------------------------------------------------------------------ events

-- name: events_count
-- The next $2 of a profile's events; the last of them. Under the profile's lock.
UPDATE profiles SET events = events + $2::integer WHERE profile_id = $1 RETURNING events, gid;

-- name: event_add
INSERT INTO events (profile_id, sequence, store_id, number, type, created_at, gid, data)
VALUES ($1, $2, $3, next_number($3), $4, $5, $6, $7);

-- name: feeds_waiting
-- The stores with events that have no number yet, or one that may not be read yet.
SELECT store_id FROM events WHERE number IS NULL GROUP BY store_id --postgresql
UNION SELECT store_id FROM feeds WHERE last < given --postgresql
SELECT s.id FROM stores s LEFT JOIN feeds f ON f.store_id = s.id --sqlite
WHERE EXISTS (SELECT 1 FROM events e WHERE e.store_id = s.id AND e.number > coalesce(f.last, 0)) --sqlite
;

-- name: events_behind
-- How many there are of such events, and the time of the oldest.
SELECT count(*), min(created_at) FROM events WHERE number IS NULL --postgresql
SELECT count(*), min(e.created_at) FROM stores s LEFT JOIN feeds f ON f.store_id = s.id --sqlite
CROSS JOIN events e ON e.store_id = s.id AND e.number > coalesce(f.last, 0) --sqlite
;

-- name: feed_open
INSERT INTO feeds (store_id) VALUES ($1) ON CONFLICT (store_id) DO NOTHING;

-- name: feed_lock
-- The last number given, and how many were given with their event and may not be read yet.
SELECT given, 0 FROM feeds WHERE store_id = $1 FOR UPDATE --postgresql
SELECT max(f.last, coalesce(max(e.number), 0)), count(e.number) --sqlite
FROM feeds f LEFT JOIN events e ON e.store_id = f.store_id AND e.number > f.last --sqlite
WHERE f.store_id = $1 GROUP BY f.store_id --sqlite
;

-- name: events_waiting
-- $2: of customers, or of sessions.
SELECT profile_id, sequence FROM events
WHERE store_id = $1 AND number IS NULL AND (gid LIKE 'gid://%/Customer/%') = $2::boolean
ORDER BY profile_id, sequence LIMIT $3;

-- name: event_number
-- Unless it got one after all: from a process that died while a cluster committed.
UPDATE events SET number = $3 WHERE profile_id = $1 AND sequence = $2 AND number IS NULL;

-- name: feed_give
UPDATE feeds SET given = $2 WHERE store_id = $1; --postgresql

-- name: feed_publish
UPDATE feeds SET last = $2 WHERE store_id = $1 AND last < $2 RETURNING last;

-- name: feed
SELECT last, removed FROM feeds WHERE store_id = $1;

-- name: feed_end
-- The number of the last event, which may not have been given yet.
SELECT coalesce((SELECT f.given FROM feeds f WHERE f.store_id = $1), 0) --postgresql
    + (SELECT count(*) FROM events e WHERE e.store_id = $1 AND e.number IS NULL); --postgresql
SELECT next_number($1) - 1; --sqlite

-- name: feed_begin
UPDATE feeds SET given = $2, last = $2, removed = $2 WHERE store_id = $1;

-- name: feeds
SELECT store_id, last, removed FROM feeds;

-- name: events_after
-- $3: no farther than this.
SELECT e.number, event_fields(e) FROM events e
WHERE e.store_id = $1 AND e.number > $2 AND e.number <= $3 AND e.type in_texts($5) ORDER BY e.number LIMIT $4;

-- name: events_old
-- Of the next $3 in order, the numbers, times and types.
SELECT number, created_at, type FROM events WHERE store_id = $1 AND number > $2 ORDER BY number LIMIT $3;

-- name: events_remove
-- From $2 on: before it are those removed by earlier steps, and PostgreSQL would look at each.
DELETE FROM events WHERE store_id = $1 AND number >= $2 AND number <= $3;

-- name: feed_remove
UPDATE feeds SET removed = $2 WHERE store_id = $1 AND removed < $2;


---------------------------------------------------------------------- webhooks, deliveries

-- name: webhook_add
-- Due at once: events that have their numbers already may not be readable yet.
INSERT INTO webhooks (store_id, id, url, types, enabled, position, missed, sealed, created_at, updated_at, due_at)
VALUES ($1, $2, $3, $4, 1, $5, 0, $6, $7, $7, $7);

-- name: webhooks_count
SELECT count(*) FROM webhooks WHERE store_id = $1 AND enabled >= 0;

-- name: webhook
SELECT webhook_fields(w), w.position, w.missed, w.sealed, w.due_at FROM webhooks w
WHERE w.store_id = $1 AND w.id = $2;

-- name: webhook_lock
SELECT webhook_fields(w), w.position, w.missed, w.sealed, w.due_at FROM webhooks w
WHERE w.store_id = $1 AND w.id = $2
FOR UPDATE --postgresql
;

-- name: webhooks_behind
-- Those that have not heard of what comes up to $2.
SELECT id FROM webhooks WHERE store_id = $1 AND position < $2 AND enabled >= 0 ORDER BY id;

-- name: webhook_set
UPDATE webhooks
SET url = $3, types = $4, enabled = $5, updated_at = $6, failing_since = $7, position = $8, missed = $9, sealed = $10,
    due_at = $11
WHERE store_id = $1 AND id = $2;

-- name: webhook_remove
DELETE FROM webhooks WHERE store_id = $1 AND id = $2 AND enabled = -1;

-- name: webhook_reseal
-- Unless it has changed since it was read.
UPDATE webhooks SET sealed = $4 WHERE store_id = $1 AND id = $2 AND sealed = $3;

-- name: webhooks
SELECT store_id, id, sealed FROM webhooks;

-- name: store_webhooks_page
SELECT webhook_fields(w){beyond}
FROM webhooks w
WHERE w.store_id = $1{conditions}{from_cursor}
ORDER BY w.id {direction}
LIMIT $3;

-- name: webhooks_due
SELECT store_id, id, due_at FROM webhooks WHERE due_at <= $1;

-- name: webhooks_wake
-- There are new events. Those that are due already too: a turn that did not see the events may be about to say when
-- its webhook is due next, and this has to come after it.
UPDATE webhooks SET due_at = CASE WHEN due_at < $2 THEN due_at ELSE $2 END WHERE store_id = $1 AND enabled = 1;

-- name: delivery_next
SELECT min(next_at) FROM deliveries WHERE store_id = $1 AND webhook_id = $2 AND status = 'pending';

-- name: events_places
SELECT number, profile_id, sequence, type, created_at FROM events
WHERE store_id = $1 AND number > $2 AND number <= $3 ORDER BY number LIMIT $4;

-- name: events_numbered
SELECT e.number, event_fields(e) FROM events e WHERE e.store_id = $1 AND e.number in_numbers($2);

-- name: delivery_add
INSERT INTO deliveries (store_id, webhook_id, id, number, profile_id, sequence, type, status, attempts, next_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, $8);

-- name: deliveries_claim
-- Under the webhook's lock, so no two ask at once. $5: until when the lease $4 holds.
-- An array: PostgreSQL would join the rows with all that the webhook has.
UPDATE deliveries SET lease = $4, next_at = $5
WHERE store_id = $1 AND webhook_id = $2 AND id
= ANY(ARRAY( --postgresql
IN ( --sqlite
    SELECT id FROM deliveries
    WHERE store_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_at <= $3
    ORDER BY next_at LIMIT $6
)) --postgresql
) --sqlite
RETURNING id, number, profile_id, sequence, type, attempts;

-- name: delivery_attempted
-- Unless the lease has been taken over (contract: delivery-lease).
UPDATE deliveries
SET status = $5, attempts = $6, last_status = $7, last_attempt_at = $8, next_at = $9, lease = NULL
WHERE store_id = $1 AND webhook_id = $2 AND id = $3 AND lease = $4;

-- name: delivery
SELECT delivery_fields(d), d.number FROM deliveries d
WHERE d.store_id = $1 AND d.webhook_id = $2 AND d.id = $3;

-- name: delivery_again
-- Unless it is just being sent.
UPDATE deliveries SET status = 'pending', next_at = $4, lease = NULL
WHERE store_id = $1 AND webhook_id = $2 AND id = $3 AND (lease IS NULL OR next_at <= $4)
RETURNING id;

-- name: store_deliveries_page
SELECT delivery_fields(d){beyond}
FROM deliveries d
WHERE d.store_id = $1{conditions}{from_cursor}
ORDER BY d.id {direction}
LIMIT $3;

-- name: deliveries_ahead
UPDATE deliveries SET next_at = $3, lease = NULL
WHERE store_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_at > $4
RETURNING id;

-- name: deliveries_waiting
SELECT count(*) FROM deliveries WHERE status = 'pending';

-- name: deliveries_oldest
SELECT id, number, status, profile_id FROM deliveries WHERE store_id = $1 AND webhook_id = $2 ORDER BY id LIMIT $3;

-- name: deliveries_remove
DELETE FROM deliveries WHERE store_id = $1 AND webhook_id = $2 AND id in_uuids($3);


---------------------------------------------------------------------- products and notices

-- name: products_lock
-- Puts of one product happen one after the other, and so does the telling of its wishes.
SELECT product_id, known, position FROM products WHERE store_id = $1 AND product_id in_texts($2)
ORDER BY product_id
FOR UPDATE --postgresql
;

-- name: product_open
-- product_put follows in the same transaction.
INSERT INTO products (store_id, product_id, id, position, created_at, updated_at, document, variants, known)
VALUES ($1, $2, $3, $4, $5, $5, '', '', '')
ON CONFLICT (store_id, product_id) DO NOTHING;

-- name: product_put
-- $7: null where there is nothing to tell.
UPDATE products SET document = $3, variants = $4, known = $5, position = $6,
    noticed_at = CASE WHEN $7::text IS NULL THEN NULL ELSE coalesce(noticed_at, $7::text) END,
    updated_at = CASE WHEN $8 > updated_at THEN $8 ELSE updated_at END
WHERE store_id = $1 AND product_id = $2;

-- name: product_find
SELECT product_fields(p), p.variants FROM products p WHERE p.store_id = $1 AND p.product_id = $2;

-- name: product_delete
DELETE FROM products WHERE store_id = $1 AND product_id = $2 RETURNING product_id;

-- name: store_products_page
SELECT product_fields(p){beyond}
FROM products p
WHERE p.store_id = $1{conditions}{from_cursor}
ORDER BY p.id {direction}
LIMIT $3;

-- name: stores_noticed
-- Those with wishes to tell.
SELECT store_id FROM products WHERE noticed_at IS NOT NULL GROUP BY store_id;

-- name: product_next
-- Of a store's products with wishes to tell, the one that was worked on the longest ago.
SELECT p.product_id, store_fields(s) FROM products p JOIN stores s ON s.id = p.store_id
WHERE p.store_id = $1 AND p.noticed_at IS NOT NULL ORDER BY p.noticed_at LIMIT 1;

-- name: products_noticed_count
SELECT count(*) FROM products WHERE noticed_at IS NOT NULL;

-- name: product_notice
-- Nobody waits for it: of several processes each works on another product.
SELECT document, known, position FROM products
WHERE store_id = $1 AND product_id = $2 AND noticed_at IS NOT NULL
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: items_wishing
-- The next wishes for a product, by their ids, which stay when a link moves them.
SELECT i.id, i.profile_id, i.variant_id, i.created_at, i.dropped_at, i.restocked_at
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = $1 AND i.product_id = $2 AND i.id > $3 AND p.closed_at IS NULL
ORDER BY i.id
LIMIT $4;

-- name: owner_lock
-- Unless somebody writes to it at this moment, so that this waits for nobody and no deadlock is possible.
SELECT profile_id FROM profiles WHERE profile_id = $1 AND closed_at IS NULL
FOR NO KEY UPDATE SKIP LOCKED --postgresql
;

-- name: items_due
SELECT i.profile_id, i.dropped_at, i.restocked_at, item_fields(i) FROM items i
WHERE i.profile_id in_uuids($1) AND i.id in_uuids($2) AND i.product_id = $3;

-- name: item_told
UPDATE items SET dropped_at = $3, restocked_at = $4 WHERE profile_id = $1 AND id = $2;

-- name: product_noticed
UPDATE products SET position = $3, noticed_at = $4 WHERE store_id = $1 AND product_id = $2;

-- name: product_behind
UPDATE products SET noticed_at = $3 WHERE store_id = $1 AND product_id = $2 AND noticed_at IS NOT NULL;

-- name: product_told
-- All its wishes have been told: $3 is what is known without the notices.
UPDATE products SET known = $3, position = $4, noticed_at = NULL WHERE store_id = $1 AND product_id = $2;


-------------------------------------------------------------------------------- housekeeping

-- name: lease_take
-- One process at a time: whoever finds the last turn older than $3 has the next one. One later than $4 was
-- taken by a clock that was wrong (contract: clock-steps).
INSERT INTO leases (name, taken_at) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at
WHERE leases.taken_at < $3 OR leases.taken_at > $4
RETURNING name;


------------------------------------------------------------------------ export and import
-- What they say of each table: transfer.py.

-- name: export_admin_tokens
SELECT id, scope, label, hash, created_at, expires_at, last_used_at, revoked_at
FROM admin_tokens WHERE store_id = $1 ORDER BY id;

-- name: export_webhooks
SELECT id, enabled, created_at, updated_at, types, url, sealed, failing_since
FROM webhooks WHERE store_id = $1 AND enabled >= 0 ORDER BY id;

-- name: export_products
SELECT product_id, id, position, created_at, updated_at, document, variants, known, noticed_at
FROM products WHERE store_id = $1 AND id > $2 ORDER BY id LIMIT $3;

-- name: export_profiles
SELECT profile_id, items, gid, created_at, touched_at, closed_at, email, events FROM profiles
WHERE store_id = $1 AND profile_id > $2 ORDER BY profile_id LIMIT $3;

-- name: export_revocations
SELECT profile_id, revoked_at, jti FROM revocations WHERE profile_id in_uuids($1) ORDER BY profile_id, jti;

-- name: export_records
-- One statement, so that each profile is of one moment even where a store is spread over machines.
SELECT l.profile_id, 0 AS kind, l.id AS id, as_json(l.name, l.created_at, l.updated_at, l.shared) AS record
FROM lists l WHERE l.profile_id in_uuids($1)
UNION ALL
SELECT e.profile_id, 1, e.list_id, as_json(e.position, e.item_id)
FROM entries e WHERE e.profile_id in_uuids($1) AND e.position > 0
UNION ALL
SELECT i.profile_id, 2, i.id,
       as_json(i.product_id, i.created_at, i.updated_at, i.variant_id, i.quantity, i.tags, i.note, i.list_ids,
               i.dropped_at, i.restocked_at)
FROM items i WHERE i.profile_id in_uuids($1)
UNION ALL
SELECT s.profile_id, 3, s.id,
       as_json(s.list_id, s.token, s.created_at, s.reservations, s.notes, coalesce(s.expires_at, ''))
FROM shares s WHERE s.profile_id in_uuids($1)
UNION ALL
SELECT r.profile_id, 4, r.holder_id, as_json(r.item_id, r.quantity, r.created_at)
FROM reservations r WHERE r.profile_id in_uuids($1)
ORDER BY 1, 2, 3;

-- name: export_held
-- What $1 hold of the items of $2.
SELECT h.profile_id, h.item_id, h.merged_id, p.gid
FROM held h JOIN profiles p ON p.profile_id = h.profile_id AND p.closed_at IS NULL
WHERE h.profile_id in_uuids($1) AND h.owner_id in_uuids($2);

-- name: import_profiles_held
SELECT profile_id, created_at, touched_at, events, email, closed_at FROM profiles WHERE profile_id in_uuids($1);

-- name: import_lists_held
SELECT profile_id, id, shared FROM lists WHERE profile_id in_uuids($1);

-- name: import_shares_held
SELECT profile_id, id FROM shares WHERE profile_id in_uuids($1);

-- name: import_items_held
SELECT profile_id, id, product_id, variant_id, list_ids FROM items WHERE profile_id in_uuids($1);

-- name: import_item_lists
UPDATE items SET list_ids = $3 WHERE profile_id = $1 AND id = $2;

-- name: import_profile
-- What is older stays the profile's beginning, what is later its end; events go on (contract: import-whole).
UPDATE profiles
SET created_at = CASE WHEN $2 < created_at THEN $2 ELSE created_at END,
    touched_at = CASE WHEN $3 > touched_at THEN $3 ELSE touched_at END,
    events = CASE WHEN $4 > events THEN $4 ELSE events END
WHERE profile_id = $1;

-- name: import_share_token
INSERT INTO share_tokens (hash, store_id, profile_id, share_id) VALUES ($1, $2, $3, $4)
ON CONFLICT (hash) DO NOTHING RETURNING hash;

-- name: import_reservation
-- By $2 of the product and variant $3, $4, if it is on a list that was ever shared; a row for held_add. $5: how
-- many. $7: which id it has in the file. $8: merged_id.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT i.profile_id, i.id, $2::uuid, i.store_id, $5::integer, $6::text
FROM items i
WHERE i.profile_id = $1 AND i.product_id = $3 AND i.variant_id = $4 AND EXISTS (
    SELECT 1 FROM lists l JOIN entries e ON e.profile_id = $1 AND e.list_id = l.id AND e.item_id = i.id
    WHERE l.profile_id = $1 AND l.shared = 1)
ON CONFLICT (profile_id, item_id, holder_id) DO NOTHING
RETURNING holder_id, profile_id, item_id, store_id,
          coalesce($8::uuid, CASE WHEN item_id <> $7::uuid THEN $7::uuid END);

-- name: import_revocation
INSERT INTO revocations (profile_id, jti, revoked_at) VALUES ($1, $2, $3)
ON CONFLICT (profile_id, jti) DO UPDATE SET revoked_at = excluded.revoked_at
WHERE excluded.revoked_at > revocations.revoked_at;

-- name: import_admin_tokens_held
SELECT id, hash, store_id FROM admin_tokens WHERE id in_uuids($1) OR hash in_texts($2);

-- name: import_share_tokens_held
SELECT hash, store_id FROM share_tokens WHERE hash in_texts($1);

-- name: import_admin_token
INSERT INTO admin_tokens (store_id, id, scope, label, hash, created_at, expires_at, last_used_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING;

-- name: import_webhook
INSERT INTO webhooks (store_id, id, enabled, position, missed, created_at, updated_at, types, url, sealed, failing_since)
VALUES ($1, $2, $3, 0, 0, $4, $5, $6, $7, $8, $9) ON CONFLICT (store_id, id) DO NOTHING;

-- name: import_product
INSERT INTO products (store_id, product_id, id, position, created_at, updated_at, document, variants, known, noticed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (store_id, product_id) DO NOTHING;


------------------------------------------------------------------------- deletion of a store

-- name: store_lock
-- Nothing that refers to the store can be written until it is gone.
SELECT id FROM stores WHERE id = $1
FOR UPDATE --postgresql
;

-- name: store_deletion_begin
INSERT INTO deleted_stores (store_id, deleted_at) VALUES ($1, $2) ON CONFLICT (store_id) DO NOTHING;

-- name: store_deletion_forget
DELETE FROM deleted_stores WHERE store_id = $1;

-- name: store_deleted
SELECT 1 FROM deleted_stores WHERE store_id = $1;

-- name: stores_deleted
SELECT store_id FROM deleted_stores WHERE deleted_at >= $1;

-- name: store_profiles
-- From $2 on: what was deleted stays in PostgreSQL's index for a while, and would be passed each time.
SELECT profile_id FROM profiles WHERE store_id = $1 AND profile_id > $2 ORDER BY profile_id LIMIT $3;

-- name: erase_revocations
DELETE FROM revocations WHERE profile_id in_uuids($1);

-- name: erase_webhooks
DELETE FROM webhooks WHERE store_id = $1;

-- name: erase_deliveries
DELETE FROM deliveries WHERE store_id = $1 AND (webhook_id, id) IN (
    SELECT d.webhook_id, d.id FROM deliveries d WHERE d.store_id = $1 LIMIT $2)
RETURNING id;

-- name: erase_products
DELETE FROM products WHERE store_id = $1 AND product_id IN (
    SELECT p.product_id FROM products p WHERE p.store_id = $1 LIMIT $2)
RETURNING id;

-- name: erase_events_told
-- By the index of the feed; the next one by that of what has no number yet.
DELETE FROM events WHERE (profile_id, sequence) IN (
    SELECT e.profile_id, e.sequence FROM events e WHERE e.store_id = $1 AND e.number IS NOT NULL LIMIT $2)
RETURNING sequence;

-- name: erase_events_new
DELETE FROM events WHERE (profile_id, sequence) IN (
    SELECT e.profile_id, e.sequence FROM events e WHERE e.store_id = $1 AND e.number IS NULL LIMIT $2)
RETURNING sequence;

-- name: erase_feeds
DELETE FROM feeds WHERE store_id = $1;

-- name: erase_admin_tokens
DELETE FROM admin_tokens WHERE store_id = $1;

-- name: erase_store_secrets
DELETE FROM store_secrets WHERE store_id = $1;

-- name: erase_stores
DELETE FROM stores WHERE id = $1;
