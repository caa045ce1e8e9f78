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
