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
