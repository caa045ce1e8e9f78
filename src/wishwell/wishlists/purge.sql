-- name: sessions_idle
-- Sessions to purge: last used before :gone_before, or without records and last used before :empty_before. Those that get
-- mails stay until :mailed_before.
SELECT profile_id, touched_at, gid FROM profiles
WHERE is_session = 1 AND touched_at < :empty_before
  AND (touched_at < :gone_before OR items = 0 AND lists = 0 AND closed_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.profile_id = profiles.profile_id))
  AND (email_status <> 'confirmed' OR notices IS NULL OR notices = 0 OR touched_at < :mailed_before)
  AND (touched_at, profile_id) > (:after_time, :after::uuid)
ORDER BY touched_at, profile_id
LIMIT :limit;

-- name: session_lock
-- Skips a session that another transaction is writing to; the next purge removes it. One session a statement, because
-- a cluster locks rows of one server only.
SELECT profile_id FROM profiles WHERE profile_id = :profile
FOR UPDATE SKIP LOCKED --postgresql
;

-- name: sessions_end
-- Checks the conditions again under the lock, because a session may have been used since it was found. Reads
-- hide the records of a closed session, which batches remove later.
UPDATE profiles SET closed_at = coalesce(closed_at, :now), touched_at = :removed, email = NULL
WHERE profile_id in_uuids(:profiles) AND is_session = 1 AND touched_at < :empty_before
  AND (touched_at < :gone_before OR items = 0 AND lists = 0 AND closed_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.profile_id = profiles.profile_id))
  AND (email_status <> 'confirmed' OR notices IS NULL OR notices = 0 OR touched_at < :mailed_before)
RETURNING profile_id;

-- name: purge_TABLE
-- of: entries (profile_id, list_id, item_id), item_tags (profile_id, item_id, tag), items (profile_id, id),
-- of: removed_items (profile_id, item_id),
-- of: lists (profile_id, id), share_tokens (hash), shares (profile_id, id)
-- Deletes a batch of the profiles' records. Returns one row for each.
DELETE FROM TABLE WHERE (KEY) IN (SELECT KEY FROM TABLE t WHERE t.profile_id in_uuids(:profiles) LIMIT :limit)
RETURNING profile_id;

-- name: purge_held
-- A batch to delete. Of each reservation, the row of the item's owner is deleted too.
SELECT profile_id, owner_id, item_id FROM held WHERE profile_id in_uuids(:profiles) LIMIT :limit;

-- name: purge_reservations
-- The same for reservations on the profiles' own items, whose other rows are those of the holders.
SELECT holder_id, profile_id, item_id FROM reservations WHERE profile_id in_uuids(:profiles) LIMIT :limit;

-- name: purge_profiles
-- Last, when the profiles have no records left.
DELETE FROM profiles WHERE profile_id in_uuids(:profiles) RETURNING profile_id;
