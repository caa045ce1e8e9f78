-- name: newest_time
-- The newest time until :now that a command or a running service has stored.
SELECT max(stored.at) FROM (
    SELECT max(taken_at) AS at FROM leases WHERE taken_at <= :now
    UNION ALL SELECT max(updated_at) FROM stores WHERE updated_at <= :now
    UNION ALL SELECT max(updated_at) FROM store_secrets WHERE updated_at <= :now
    UNION ALL SELECT max(created_at) FROM admin_tokens WHERE created_at <= :now
    UNION ALL SELECT max(revoked_at) FROM admin_tokens WHERE revoked_at <= :now
    UNION ALL SELECT max(updated_at) FROM webhooks WHERE updated_at <= :now
) stored;
