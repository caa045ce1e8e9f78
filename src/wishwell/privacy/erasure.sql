-- name: erasure_linked
-- The sessions that were linked to a customer, on all shards.
SELECT profile_id, created_at FROM profiles WHERE linked_id = :profile ORDER BY profile_id;

-- name: erasure_target
-- A profile by its key, unless it is closed.
SELECT gid, is_session, created_at FROM profiles
WHERE profile_id = :profile AND store_id = :store AND closed_at IS NULL;

-- name: store_has_events
SELECT 1 FROM feeds WHERE store_id = :store
UNION ALL SELECT 1 FROM events WHERE store_id = :store LIMIT 1;

-- name: profile_end
-- Hides the profile immediately, before the batches remove its records. Returns its last event sequence.
UPDATE profiles SET closed_at = :now, touched_at = :removed, changes = changes + 1, email = NULL, email_status = '',
    email_source = '', email_confirmed_at = '', language = '', notices = NULL, notices_chosen_at = '', notices_source = ''
WHERE profile_id = :profile
RETURNING events, created_at;

-- name: erasure_begin
-- The row of an earlier erasure may still be stored; it begins again.
INSERT INTO erasures (profile_id, store_id, sequence, erased_at) VALUES (:profile, :store, :sequence, :now)
ON CONFLICT (profile_id) DO UPDATE SET sequence = excluded.sequence, erased_at = excluded.erased_at, done_at = NULL;

-- name: erasure_waits
-- Returns a row while the profile's data is being removed.
SELECT 1 FROM erasures WHERE profile_id = :profile AND done_at IS NULL;

-- name: erasures_waiting
-- The oldest unfinished erasures of all stores.
SELECT profile_id, store_id FROM erasures WHERE done_at IS NULL ORDER BY erased_at, profile_id LIMIT :limit;

-- name: erasures_waiting_count
-- The number of unfinished erasures, and when the oldest one began.
SELECT count(*), min(erased_at) FROM erasures WHERE done_at IS NULL;

-- name: erasure_webhooks
-- Deleted webhooks too, because their deliveries may still be stored.
SELECT id FROM webhooks WHERE store_id = :store ORDER BY id;

-- name: erasure_deliveries
-- Deletes a batch of the profile's deliveries to a webhook, except the one of the erasure itself.
DELETE FROM deliveries WHERE store_id = :store AND webhook_id = :webhook AND id IN (
    SELECT d.id FROM deliveries d
    WHERE d.store_id = :store AND d.webhook_id = :webhook AND d.profile_id = :profile AND d.type <> 'profile.erased' LIMIT :limit)
RETURNING id;

-- name: erasure_events
-- Deletes all events except profile.erased.
DELETE FROM events WHERE profile_id = :profile AND sequence IN (
    SELECT e.sequence FROM events e WHERE e.profile_id = :profile AND e.type <> 'profile.erased' LIMIT :limit)
RETURNING sequence;

-- name: erasure_done
-- Keeps the sequence number for later events. erasure_forget deletes the row of a profile without events.
UPDATE erasures SET done_at = :now WHERE profile_id = :profile AND sequence > 0;

-- name: erasure_forget
-- Only if the profile had no events (sequence 0): then later events can't repeat a sequence number.
DELETE FROM erasures WHERE profile_id = :profile AND sequence = 0;

-- name: erasures_forget
-- Deletes finished erasures; unfinished ones have no done_at.
DELETE FROM erasures WHERE done_at < :before;

-- name: profile_resume
-- After an erasure, the customer's new events continue the sequence.
UPDATE profiles SET events = coalesce((SELECT x.sequence FROM erasures x WHERE x.profile_id = :profile), 0)
WHERE profile_id = :profile AND events = 0;

-- name: erase_erased
-- Revocations of profiles whose own rows are already deleted.
DELETE FROM revocations WHERE profile_id IN (SELECT x.profile_id FROM erasures x WHERE x.store_id = :store);

-- name: customers_idle
-- :after_time, :after: the cursor, the last row of the batch before.
SELECT profile_id, touched_at, gid FROM profiles
WHERE store_id = :store AND is_session = 0 AND touched_at < :before AND closed_at IS NULL
  AND (touched_at, profile_id) > (:after_time, :after::uuid)
ORDER BY touched_at, profile_id LIMIT :limit;

-- name: customer_idle
-- Checks the condition again under the lock, because the customer may have returned since the batch was read.
SELECT 1 FROM profiles WHERE profile_id = :profile AND touched_at < :before;
