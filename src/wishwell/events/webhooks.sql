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
