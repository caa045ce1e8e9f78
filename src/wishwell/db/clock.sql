-- name: server_time
-- Milliseconds since 1970 by the database server's clock.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint; --postgresql
SELECT NULL; --sqlite

-- name: coordinator_time
-- The time of a cluster's coordinator, whichever server runs the statement.
SELECT result FROM run_command_on_coordinator('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint') --postgresql
WHERE success; --postgresql
SELECT NULL; --sqlite

-- name: clock_state
-- The state of this boot of the machine; else the latest of another boot or machine.
SELECT c.boot, c.wall, c.uptime, c.jump, c.hold FROM clocks c
ORDER BY CASE WHEN c.boot = :boot THEN 0 ELSE 1 END, c.wall DESC LIMIT 1;

-- name: clock_save
INSERT INTO clocks (boot, wall, uptime, jump, hold) VALUES (:boot, :wall, :uptime, :jump, :hold)
ON CONFLICT (boot) DO UPDATE SET wall = excluded.wall, uptime = excluded.uptime, jump = excluded.jump, hold = excluded.hold;

-- name: clocks_lock
SELECT boot FROM clocks
FOR UPDATE --postgresql
;

-- name: clocks_forget
DELETE FROM clocks WHERE boot <> :boot AND wall > :after;
