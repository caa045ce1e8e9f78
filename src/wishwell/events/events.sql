-- event_fields: profile_id, sequence, type, created_at, gid, data, traceparent
-- events_filled: store_id, number = next_number(:store_id), *event_fields

-- name: events_count
-- Reserves the next :count sequence numbers of a profile, under its lock. Returns the last one.
UPDATE profiles SET events = events + :count::integer WHERE profile_id = :profile RETURNING events, gid;

-- name: event_record for postgresql
-- Records one event of a profile, under its lock. SQLite needs two statements, as one writes to one table only, and
-- assigns the position immediately. The INSERT is in a CTE, because Citus runs a top-level INSERT … SELECT through
-- the coordinator.
WITH counted AS (
    UPDATE profiles SET events = events + 1 WHERE profile_id = :profile RETURNING events),
recorded AS (
    INSERT INTO events (profile_id, sequence, store_id, type, created_at, gid, data, traceparent)
    SELECT p.profile_id, c.events, p.store_id, :type::text, :now::text, p.gid, :data::text, :traceparent::text
    FROM counted c JOIN profiles p ON p.profile_id = :profile
    RETURNING sequence)
SELECT sequence FROM recorded;

-- name: event_record for sqlite
-- The transaction is the only writer, so the second statement sees the first one's sequence number.
UPDATE profiles SET events = events + 1 WHERE profile_id = :profile;
INSERT INTO events (profile_id, sequence, store_id, number, type, created_at, gid, data, traceparent)
SELECT p.profile_id, p.events, p.store_id, next_number(p.store_id), :type::text, :now::text, p.gid, :data::text,
    :traceparent::text
FROM profiles p WHERE p.profile_id = :profile;

-- name: feeds_waiting
-- Stores with events that have no position, or one that isn't published yet.
SELECT store_id FROM events WHERE number IS NULL GROUP BY store_id --postgresql
UNION SELECT store_id FROM feeds WHERE last < given --postgresql
SELECT s.id FROM stores s LEFT JOIN feeds f ON f.store_id = s.id --sqlite
WHERE EXISTS (SELECT 1 FROM events e WHERE e.store_id = s.id AND e.number > coalesce(f.last, 0)) --sqlite
;

-- name: events_backlog
-- The number of events in the feed backlog, and the oldest one's time.
SELECT count(*), min(created_at) FROM events WHERE number IS NULL --postgresql
SELECT count(*), min(e.created_at) FROM stores s LEFT JOIN feeds f ON f.store_id = s.id --sqlite
CROSS JOIN events e ON e.store_id = s.id AND e.number > coalesce(f.last, 0) --sqlite
;

-- name: feed_open
-- Creates the feed's row, which feed_lock locks.
INSERT INTO feeds (store_id) VALUES (:store) ON CONFLICT (store_id) DO NOTHING;

-- name: feed_lock
-- The last assigned position, and how many events got theirs at insertion (SQLite) and aren't published yet.
SELECT given, 0 FROM feeds WHERE store_id = :store FOR UPDATE --postgresql
SELECT max(f.last, coalesce(max(e.number), 0)), count(e.number) --sqlite
FROM feeds f LEFT JOIN events e ON e.store_id = f.store_id AND e.number > f.last --sqlite
WHERE f.store_id = :store GROUP BY f.store_id --sqlite
;

-- name: events_waiting
-- :customers: true for events of customers, false for those of sessions.
SELECT profile_id, sequence FROM events
WHERE store_id = :store AND number IS NULL AND (gid LIKE 'gid://%/Customer/%') = :customers::boolean
ORDER BY profile_id, sequence LIMIT :limit;

-- name: event_set_position
-- Skips an event that already has a position: on a cluster, the commit of a process that died may become visible late.
UPDATE events SET number = :number WHERE profile_id = :profile AND sequence = :sequence AND number IS NULL;

-- name: feed_set_assigned
-- Only on PostgreSQL, because SQLite assigns a position when it inserts an event.
UPDATE feeds SET given = :assigned WHERE store_id = :store; --postgresql

-- name: feed_publish
-- Makes the events up to :last readable. Returns no row if they already were.
UPDATE feeds SET last = :last WHERE store_id = :store AND last < :last RETURNING last;

-- name: feed
-- The last readable position, and the last one whose events were removed.
SELECT last, removed FROM feeds WHERE store_id = :store;

-- name: feed_end
-- The position of the last event, assigned or still to be assigned.
SELECT coalesce((SELECT f.given FROM feeds f WHERE f.store_id = :store), 0) --postgresql
    + (SELECT count(*) FROM events e WHERE e.store_id = :store AND e.number IS NULL); --postgresql
SELECT next_number(:store) - 1; --sqlite

-- name: feed_begin
-- Continues the positions of an imported store, whose earlier events aren't imported.
UPDATE feeds SET given = :number, last = :number, removed = :number WHERE store_id = :store;

-- name: feeds
-- The last readable and the last removed position of each feed, for the removal of old events.
SELECT store_id, last, removed FROM feeds;

-- name: events_after
-- :until: the last position that may be read.
SELECT e.number, event_fields(e) FROM events e
WHERE e.store_id = :store AND e.number > :after AND e.number <= :until AND e.type in_texts(:types) AND event_shown(e)
ORDER BY e.number LIMIT :limit;

-- name: events_of_profile_after
-- As events_after, of one profile.
SELECT e.number, event_fields(e) FROM events e
WHERE e.profile_id = :profile AND e.number > :after AND e.number <= :until AND e.type in_texts(:types) AND event_shown(e)
ORDER BY e.number LIMIT :limit;

-- name: events_old
-- Positions and times of the next :limit events. Omits events that a wrong clock dated in the future; they are removed
-- together with their neighbours.
SELECT number, created_at FROM events
WHERE store_id = :store AND number > :after AND created_at <= :now ORDER BY number LIMIT :limit;

-- name: events_remove
-- Starts at :first, because PostgreSQL would visit all the dead rows of earlier batches.
DELETE FROM events WHERE store_id = :store AND number >= :first AND number <= :last;

-- name: feed_remove
-- Announces that the events up to :removed are removed; the next batch deletes them (events_remove).
UPDATE feeds SET removed = :removed WHERE store_id = :store AND removed < :removed;
