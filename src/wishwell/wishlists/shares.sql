-- share_fields: id, token, list_id, reservations, notes, display_name, created_at, expires_at

-- name: shares_count
-- Returns no row if the list doesn't exist. :list is the nil UUID for the whole wishlist, also below.
SELECT (SELECT count(*) FROM shares s WHERE s.profile_id = :profile AND s.list_id = :list)
FROM profiles p
WHERE p.profile_id = :profile AND (:list = '00000000-0000-0000-0000-000000000000'
    OR EXISTS (SELECT 1 FROM lists l WHERE l.profile_id = :profile AND l.id = :list));

-- name: profile_mark_shared
-- The mark stays after the share has ended, because reservations may remain.
UPDATE profiles SET shared = 1 WHERE profile_id = :profile;

-- name: share_add
INSERT INTO shares (profile_id, store_id, names(share_fields)) VALUES (:profile, :store, initial(share_fields));

-- name: share_token_add
-- Returns no row if the token already has a share, which can happen in an import.
INSERT INTO share_tokens (hash, store_id, profile_id, share_id) VALUES (:hash, :store, :profile, :share)
ON CONFLICT (hash) DO NOTHING RETURNING hash;

-- name: shares_page
-- Includes expired shares, which the owner may extend.
SELECT share_fields(s){beyond} FROM shares s WHERE s.profile_id = :owner;

-- name: share_change
-- Null leaves a field unchanged; an empty :expires_at clears it. :list: the share's list, or null for any.
UPDATE shares
SET reservations = coalesce(:reservations::integer, shares.reservations), notes = coalesce(:notes::integer, shares.notes),
    display_name = coalesce(:display_name::text, shares.display_name),
    expires_at = CASE WHEN :expires_at::text IS NULL THEN shares.expires_at ELSE nullif(:expires_at::text, '') END
FROM owner(:profile) AS o
WHERE shares.profile_id = :profile AND shares.id = :id AND (:list::uuid IS NULL OR shares.list_id = :list::uuid)
RETURNING share_fields(shares);

-- name: shares_all
-- All shares of a profile, also expired ones.
SELECT share_fields(s) FROM shares s WHERE s.profile_id = :profile ORDER BY s.id;

-- name: share_tokens_remove
-- The caller deletes the shares. The tokens may be on any shard.
DELETE FROM share_tokens WHERE hash in_texts(:hashes);

-- name: share_owner
-- The location of a token's share, which may be on any shard.
SELECT store_id, profile_id, share_id FROM share_tokens WHERE hash = :hash;

-- name: shared_list
-- A shared list as :reader sees it, in the owner's order (rule: shared-hides-owner). :item: the only item to return, or
-- null. MATERIALIZED, because PostgreSQL would otherwise read the share for each item.
WITH h AS MATERIALIZED (
    SELECT s.list_id, s.reservations, s.notes, s.display_name, l.name, coalesce(l.updated_at, s.created_at) AS updated_at,
           p.closed_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > :now) AS good
    FROM shares s
    JOIN profiles p ON p.profile_id = :profile
    LEFT JOIN lists l ON l.profile_id = :profile AND l.id = s.list_id
    WHERE s.profile_id = :profile AND s.id = :id
      AND (l.id IS NOT NULL OR s.list_id = '00000000-0000-0000-0000-000000000000')
)
SELECT h.good, h.list_id, h.reservations, h.notes, h.display_name, h.name, h.updated_at,
       CASE WHEN h.reservations = 1 THEN coalesce((
           SELECT sum(g.quantity) FROM reservations g WHERE g.profile_id = :profile AND g.item_id = i.id), 0) END,
       CASE WHEN h.reservations = 1 AND :reader::uuid IS NOT NULL THEN coalesce((
           SELECT g.quantity FROM reservations g
           WHERE g.profile_id = :profile AND g.item_id = i.id AND g.holder_id = :reader::uuid), 0) END,
       is_wanted(i), item_fields(i)
FROM h
LEFT JOIN entries e ON e.profile_id = :profile AND e.list_id = h.list_id AND h.good
                   AND (:item::uuid IS NULL OR e.item_id = :item::uuid)
LEFT JOIN items i ON i.profile_id = :profile AND i.id = e.item_id
ORDER BY e.position = 0, e.position, i.created_at DESC, i.id DESC;

-- name: shared_wishlist
-- A whole wishlist as :reader sees it, with the columns of shared_list: its newest :limit items, or :item. The same statement
-- reads the share again, so that nobody sees items saved after its end, or notes after they were hidden.
WITH h AS MATERIALIZED (
    SELECT s.list_id, s.reservations, s.notes, s.display_name, s.created_at,
           p.closed_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > :now) AS good
    FROM shares s
    JOIN profiles p ON p.profile_id = :profile
    WHERE s.profile_id = :profile AND s.id = :id
), newest AS (
    SELECT i.* FROM items i WHERE i.profile_id = :profile AND (:item::uuid IS NULL OR i.id = :item::uuid)
    ORDER BY i.id DESC LIMIT :limit
)
SELECT h.good, h.list_id, h.reservations, h.notes, h.display_name, NULL,
       CASE WHEN i.updated_at > h.created_at THEN i.updated_at ELSE h.created_at END,
       CASE WHEN h.reservations = 1 THEN coalesce((
           SELECT sum(g.quantity) FROM reservations g WHERE g.profile_id = :profile AND g.item_id = i.id), 0) END,
       CASE WHEN h.reservations = 1 AND :reader::uuid IS NOT NULL THEN coalesce((
           SELECT g.quantity FROM reservations g
           WHERE g.profile_id = :profile AND g.item_id = i.id AND g.holder_id = :reader::uuid), 0) END,
       is_wanted(i), item_fields(i)
FROM h
LEFT JOIN newest i ON h.good
ORDER BY i.id DESC;

-- name: share_open
-- good: whether the share hasn't expired and its owner isn't closed.
SELECT p.closed_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > :now) AS good,
       s.id, p.gid, p.is_session, s.list_id, s.reservations, s.notes
FROM shares s
JOIN profiles p ON p.profile_id = :profile
WHERE s.profile_id = :profile AND s.id = :id;
