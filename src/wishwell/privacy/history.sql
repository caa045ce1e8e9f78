-- name: history_profile
SELECT items, lists, events, created_at, touched_at, closed_at, linked_id FROM profiles WHERE profile_id = :profile;

-- name: history_linked
-- Sessions that were merged into a customer, on all shards, and when.
SELECT gid, created_at, closed_at FROM profiles WHERE linked_id = :profile AND closed_at IS NOT NULL ORDER BY closed_at, profile_id;

-- name: history_gid
SELECT gid FROM profiles WHERE profile_id = :profile;

-- name: history_erasure
SELECT erased_at, done_at FROM erasures WHERE profile_id = :profile;

-- name: history_revocations
SELECT revoked_at FROM revocations WHERE profile_id = :profile ORDER BY revoked_at;
