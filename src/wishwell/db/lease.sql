-- name: lease_renew
UPDATE leases SET taken_at = :now WHERE name = :name;

-- name: lease_take
-- Takes a lease that expired before :before, or whose time after :ahead a wrong clock set (rule: clock-guard).
INSERT INTO leases (name, taken_at) VALUES (:name, :now)
ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at
WHERE leases.taken_at < :before OR leases.taken_at > :ahead
RETURNING name;
