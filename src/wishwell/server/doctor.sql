-- name: database_times
-- The database's own time, and when a process last took the lease of a background job.
SELECT
    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), --postgresql
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), --sqlite
    (SELECT max(taken_at) FROM leases);

-- name: signing_key
-- The ids of the `current` key and, if a start replaced it, of the `replaced` key; `replaced_at` has the time instead.
SELECT name, key_id FROM signing_key;

-- name: signing_key_record
-- Replaces the id recorded under the name.
INSERT INTO signing_key (name, key_id) VALUES (:name, :key)
ON CONFLICT (name) DO UPDATE SET key_id = excluded.key_id;

-- name: keys_needed
-- For an embedded database: whether it holds secrets that a key opens, and whether tokens may have been signed for it.
SELECT EXISTS (SELECT 1 FROM store_secrets) OR EXISTS (SELECT 1 FROM webhooks),
    EXISTS (SELECT 1 FROM profiles) OR EXISTS (SELECT 1 FROM leases);

-- name: database_bytes
-- Size in bytes, free pages included.
SELECT
    pg_database_size(current_database()) --postgresql
    (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) --sqlite
;

-- name: customers_like_placeholders
-- Customers whose id may be a placeholder (stores/placeholders.py decides). Reads all profiles.
SELECT store_id, gid FROM profiles
WHERE is_session = 0 AND (
    lower(substr(gid, strpos(gid, '/Customer/') + 10)) in_texts(:words)
    OR gid LIKE '%{{%' OR gid LIKE '%}}%' OR gid LIKE '%!%25{%' ESCAPE '!' OR gid LIKE '%${%'
)
ORDER BY store_id, gid LIMIT 1000;

-- name: products_named
-- Products of any store whose id is a placeholder; one row for each.
SELECT s.id, p.product_id FROM stores s JOIN products p ON p.store_id = s.id AND p.product_id in_texts(:ids)
ORDER BY s.id, p.product_id LIMIT 1000;

-- name: items_named
-- The same among items, grouped, because many may have the same product.
SELECT s.id, i.product_id FROM stores s JOIN items i ON i.store_id = s.id AND i.product_id in_texts(:ids)
GROUP BY s.id, i.product_id ORDER BY s.id, i.product_id LIMIT 1000;
