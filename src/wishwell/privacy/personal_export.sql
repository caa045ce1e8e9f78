-- name: person_events
-- A batch of a person's own events, after the cursor :after.
SELECT event_fields(e) FROM events e WHERE e.profile_id = :profile AND e.sequence > :after ORDER BY e.sequence LIMIT :limit;
