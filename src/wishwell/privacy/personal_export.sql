-- name: person_reserved
-- Reservations by :holder on items of :owners.
SELECT i.product_id, i.variant_id, r.quantity, r.created_at
FROM reservations r JOIN items i ON i.profile_id = r.profile_id AND i.id = r.item_id
WHERE r.profile_id in_uuids(:owners) AND r.holder_id = :holder
ORDER BY r.created_at, r.item_id;

-- name: person_events
-- A batch of a person's own events, after the cursor :after.
SELECT event_fields(e) FROM events e WHERE e.profile_id = :profile AND e.sequence > :after ORDER BY e.sequence LIMIT :limit;
