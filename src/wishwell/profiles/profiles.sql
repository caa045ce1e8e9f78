-- profile_record_fields: profile_id, gid, is_session, items, lists, notices, created_at, email, shared
-- profiles_filled: profile_id, store_id, gid, is_session, items, lists, events, created_at, touched_at, closed_at, email, notices, shared, email_status = '', language = '', notices_chosen_at = '', notices_source = '', email_confirmed_at = '', email_source = ''

-- name: profile_state
-- Returns no row if the profile is unknown, and a null closed_at if it is open.
SELECT closed_at FROM profiles WHERE profile_id = :profile;

-- name: profile_create
-- Does nothing if a concurrent request has created the profile.
INSERT INTO profiles (profile_id, store_id, gid, is_session, created_at, touched_at)
VALUES (:profile, :store, :gid, :is_session, :now, :now)
ON CONFLICT (profile_id) DO NOTHING;

-- name: profile_lock
-- The update takes the row's lock. Only older releases read changes (docs/decisions/0007-smaller-choices.md).
UPDATE profiles SET changes = changes + 1 WHERE profile_id = :profile RETURNING closed_at, touched_at;

-- name: profile_count
-- Corrects the counts by differences, which may be negative.
UPDATE profiles SET items = items + :items, lists = lists + :lists WHERE profile_id = :profile;

-- name: session_renew
-- Returns no row if the session is unknown or closed. The time never moves back.
UPDATE profiles SET touched_at = CASE WHEN :now > touched_at THEN :now ELSE touched_at END
WHERE profile_id = :profile AND closed_at IS NULL
RETURNING profile_id;

-- name: session_touch
-- Does nothing if a later use is stored, or if the session is closed.
UPDATE profiles SET touched_at = :now WHERE profile_id = :profile AND touched_at < :now AND closed_at IS NULL;

-- name: customer_touch
-- At most once a day, to save writes.
UPDATE profiles SET touched_at = :now
WHERE profile_id = :profile AND substr(touched_at, 1, 10) < substr(:now, 1, 10) AND closed_at IS NULL;

-- name: session_close
-- Leaves an empty, closed session that refers to the customer it was merged into.
UPDATE profiles SET closed_at = :now, email = NULL, email_status = '', items = 0, lists = 0, changes = changes + 1, linked_id = :customer
WHERE profile_id = :profile;

-- name: TABLE_owners
-- of: items, lists
-- Owners of records anywhere in a store: the only lookup of records by id without a profile_id.
SELECT r.profile_id, r.id, p.is_session, p.gid
FROM TABLE r JOIN profiles p ON p.profile_id = r.profile_id
WHERE r.store_id = :store AND r.id in_uuids(:ids) AND p.closed_at IS NULL;

-- name: profile_choose_notices
UPDATE profiles SET notices = :notices, notices_chosen_at = :now, notices_source = :source WHERE profile_id = :profile;

-- name: profile_shown
-- Returns no row if the profile is unknown or closed.
SELECT profile_record_fields(p) FROM profiles p
WHERE p.profile_id = :profile AND closed_at IS NULL;

-- name: store_profiles_page
-- Only profiles with an e-mail address, because the page is a search by it.
SELECT profile_record_fields(p){beyond}
FROM profiles p
WHERE p.store_id = :owner AND p.email IS NOT NULL AND p.closed_at IS NULL;

-- name: customers_count
-- Customers whose GID begins with :prefix, which names the platform.
SELECT count(*) FROM profiles
WHERE store_id = :store AND is_session = 0 AND closed_at IS NULL AND substr(gid, 1, length(:prefix::text)) = :prefix::text;
