-- A move reads only the items around the new place.
CREATE INDEX CONCURRENTLY entries_order_idx ON entries (profile_id, list_id, position) WHERE position > 0;
