-- name: database_times
-- The database's own clock, and when a process last had a turn at housekeeping.
SELECT
    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), --postgresql
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), --sqlite
    (SELECT max(taken_at) FROM leases);

-- name: keys_needed
-- Of an embedded database: whether it holds secrets that a key opens, and whether tokens may have been signed for it.
SELECT EXISTS (SELECT 1 FROM store_secrets) OR EXISTS (SELECT 1 FROM webhooks),
    EXISTS (SELECT 1 FROM profiles) OR EXISTS (SELECT 1 FROM leases);
