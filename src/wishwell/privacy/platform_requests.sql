-- request_fields: id, topic, state, received_at, body_hash, delivery_id, due_at, done_at, gid

-- name: store_requests_page
-- Includes finished requests.
SELECT request_fields(r){beyond} FROM requests r WHERE r.store_id = :owner;

-- name: request_taken
SELECT id FROM requests WHERE store_id = :store AND delivery_id = :delivery
UNION ALL
SELECT id FROM requests WHERE store_id = :store AND body_hash = :hash AND received_at > :since
LIMIT 1;

-- name: request_add
-- :due: when the next step is due, or null without one. :done: null while the request is open.
INSERT INTO requests (store_id, id, topic, state, received_at, due_at, done_at, body_hash, delivery_id, profile_id, gid)
VALUES (:store, :id, :topic, :state, :now, :due, :done, :hash, :delivery, :profile, :gid);

-- name: request
-- Without the export, which may be large; request_export reads it.
SELECT request_fields(r) FROM requests r WHERE r.store_id = :store AND r.id = :id;

-- name: request_export
-- Returns no row once the export has expired (due_at).
SELECT export FROM requests WHERE store_id = :store AND id = :id AND state = 'exported' AND due_at > :now;

-- name: request_call_off
-- Cancels a deletion that has not begun.
UPDATE requests SET state = 'called_off', due_at = NULL, done_at = coalesce(done_at, :now)
WHERE store_id = :store AND id = :id AND topic = 'shop/redact' AND state IN ('waiting', 'called_off')
RETURNING id;

-- name: requests_due
-- Due requests of all stores, except stores that an operator is deleting. Ordered by topic: quick ones come first.
SELECT r.store_id, request_fields(r) FROM requests r
WHERE r.due_at <= :now AND (r.state = 'deleting' OR NOT EXISTS (SELECT 1 FROM deleted_stores d WHERE d.store_id = r.store_id))
ORDER BY r.topic, r.due_at, r.id LIMIT :limit;

-- name: requests_waiting
-- The number of open requests of each topic, and when the oldest one was received. Finished exports only wait to
-- expire.
SELECT topic, count(*), min(received_at) FROM requests
WHERE due_at IS NOT NULL AND state <> 'exported' GROUP BY topic;

-- name: request_exported
-- Does nothing unless the request is still waiting. due_at is now the time when the export expires.
UPDATE requests SET state = 'exported', due_at = :due, done_at = :now, gid = NULL, export = :export
WHERE store_id = :store AND id = :id AND state = 'waiting';

-- name: request_export_ends
-- Deletes an export that has expired, and its reference to the person.
UPDATE requests SET due_at = NULL, profile_id = NULL, export = NULL
WHERE store_id = :store AND id = :id AND state = 'exported' AND due_at <= :now;

-- name: request_deletes
-- Begins a deletion that is due and wasn't cancelled.
UPDATE requests SET state = 'deleting', due_at = :due
WHERE store_id = :store AND id = :id AND state = 'waiting' AND due_at <= :now
RETURNING id;

-- name: requests_erase
-- Removes the personal data from the requests of a customer who is being erased.
UPDATE requests SET state = CASE WHEN state = 'waiting' THEN 'erased' ELSE state END, done_at = coalesce(done_at, :now),
    due_at = NULL, profile_id = NULL, gid = NULL, export = NULL
WHERE store_id = :store AND profile_id = :profile;
