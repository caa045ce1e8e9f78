-- admin_token_file_fields: id, scope, label, hash, created_at, expires_at, last_used_at, revoked_at
-- webhook_file_fields: id, enabled, created_at, updated_at, types, url, sealed, failing_since, format = '', include = ''
-- product_file_fields: product_id, id, position, created_at, updated_at, document, variants, known, noticed_at
-- suppression_file_fields: address, created_at, reason, until, refused_day
-- profile_file_fields: gid, created_at, touched_at, closed_at, email, events, notices, shared, email_status, email_source, email_confirmed_at, language, notices_chosen_at, notices_source

-- name: export_admin_tokens
-- Hashes of tokens are exported, so that the tokens stay valid.
SELECT admin_token_file_fields(t) FROM admin_tokens t WHERE t.store_id = :store ORDER BY t.id;

-- name: export_webhooks
-- Includes disabled webhooks but not deleted ones. Secrets are still encrypted.
SELECT webhook_file_fields(w) FROM webhooks w WHERE w.store_id = :store AND w.enabled >= 0 ORDER BY w.id;

-- name: export_suppressions
-- A batch in the order of the hashes.
SELECT suppression_file_fields(s) FROM suppressions s WHERE s.store_id = :store AND s.address > :after
ORDER BY s.address LIMIT :limit;

-- name: export_products
-- A batch in the order of the ids, after the cursor :after.
SELECT product_file_fields(p) FROM products p WHERE p.store_id = :store AND p.id > :after ORDER BY p.id LIMIT :limit;

-- name: export_profiles
-- A batch of profiles, without those that are being erased.
SELECT p.profile_id, p.items, profile_file_fields(p) FROM profiles p
WHERE p.store_id = :store AND p.profile_id > :after AND shown(p)
ORDER BY p.profile_id LIMIT :limit;

-- name: export_revocations
-- Includes revocations of all tokens (empty jti).
SELECT profile_id, revoked_at, jti FROM revocations WHERE profile_id in_uuids(:profiles) ORDER BY profile_id, jti;

-- name: export_records
-- A single statement, so that each profile is consistent even if the store is distributed over several servers.
SELECT l.profile_id, 0 AS kind, l.id AS id, json_build_array(lists_filled(l)) AS record
FROM lists l WHERE l.profile_id in_uuids(:profiles)
UNION ALL
SELECT e.profile_id, 1, e.list_id, json_build_array(e.position, e.item_id)
FROM entries e WHERE e.profile_id in_uuids(:profiles) AND e.position > 0
UNION ALL
SELECT i.profile_id, 2, i.id, json_build_array(items_filled(i)) FROM items i WHERE i.profile_id in_uuids(:profiles)
UNION ALL
SELECT s.profile_id, 3, s.id, json_build_array(share_fields(s)) FROM shares s WHERE s.profile_id in_uuids(:profiles)
UNION ALL
SELECT r.profile_id, 4, r.holder_id, json_build_array(r.item_id, r.quantity, r.created_at)
FROM reservations r WHERE r.profile_id in_uuids(:profiles)
UNION ALL
SELECT d.profile_id, 5, d.item_id, json_build_array(removed_item_fields(d))
FROM removed_items d WHERE d.profile_id in_uuids(:profiles)
ORDER BY 1, 2, 3;

-- name: export_held
-- Reservations by :holders on items of :owners.
SELECT h.profile_id, h.item_id, h.merged_id, p.gid
FROM held h JOIN profiles p ON p.profile_id = h.profile_id AND p.closed_at IS NULL
WHERE h.profile_id in_uuids(:holders) AND h.owner_id in_uuids(:owners);

-- name: import_email_ids
-- Reads all of a store's profiles, once for each import of another app's file.
SELECT 1 FROM profiles
WHERE store_id = :store AND is_session = 0 AND closed_at IS NULL AND gid LIKE 'gid://%/Customer/%@%' LIMIT 1;

-- name: import_profiles_held
-- The profiles of a batch that the store already has, with the columns to compare.
SELECT p.profile_id, profile_file_fields(p) FROM profiles p WHERE p.profile_id in_uuids(:profiles);

-- name: import_lists_held
-- The profiles' lists, which match lists of the file by id or by name.
SELECT profile_id, id, shared, name FROM lists WHERE profile_id in_uuids(:profiles);

-- name: import_shares_held
-- The profiles' shares, because an import adds missing shares but changes no existing ones.
SELECT profile_id, id FROM shares WHERE profile_id in_uuids(:profiles);

-- name: import_items_held
-- The profiles' items, which match items of the file by product and variant.
SELECT profile_id, id, product_id, variant_id, list_ids FROM items WHERE profile_id in_uuids(:profiles);

-- name: import_profile
-- Keeps the earlier created_at, the later touched_at and the higher event sequence (rule: import-exact).
UPDATE profiles
SET created_at = CASE WHEN :created_at < created_at THEN :created_at ELSE created_at END,
    touched_at = CASE WHEN :touched_at > touched_at THEN :touched_at ELSE touched_at END,
    events = CASE WHEN :events > events THEN :events ELSE events END
WHERE profile_id = :profile;

-- name: import_erased
-- Last event sequence of profiles that were erased, also if the erasure isn't finished.
SELECT profile_id, sequence FROM erasures WHERE profile_id in_uuids(:profiles);

-- name: import_erasing
-- Profiles whose erasure has to finish before they can be imported.
SELECT profile_id FROM erasures WHERE profile_id in_uuids(:profiles) AND done_at IS NULL;

-- name: import_resume
-- For a customer who was erased since the export: new events continue the sequence.
UPDATE profiles SET events = :last WHERE profile_id = :profile AND events < :last;

-- name: import_reservation
-- Reserves the item with :product and :variant for :holder, if it is on a list that was ever shared. Returns a row for
-- held_add. :item_id: the item's id in the file. :merged_id: the id that the holder knows, from the file, or null.
INSERT INTO reservations (profile_id, item_id, holder_id, store_id, quantity, created_at)
SELECT i.profile_id, i.id, :holder::uuid, i.store_id, :quantity::integer, :created_at::text
FROM items i
WHERE i.profile_id = :profile AND i.product_id = :product AND i.variant_id = :variant AND (EXISTS (
    SELECT 1 FROM lists l JOIN entries e ON e.profile_id = :profile AND e.list_id = l.id AND e.item_id = i.id
    WHERE l.profile_id = :profile AND l.shared = 1)
    OR EXISTS (SELECT 1 FROM profiles p WHERE p.profile_id = :profile AND p.shared = 1))
ON CONFLICT (profile_id, item_id, holder_id) DO NOTHING
RETURNING holder_id, profile_id, item_id, store_id,
          coalesce(:merged_id::uuid, CASE WHEN item_id <> :item_id::uuid THEN :item_id::uuid END);

-- name: import_revocation
-- Keeps the later of two revocations.
INSERT INTO revocations (profile_id, jti, revoked_at) VALUES (:profile, :jti, :revoked_at)
ON CONFLICT (profile_id, jti) DO UPDATE SET revoked_at = excluded.revoked_at
WHERE excluded.revoked_at > revocations.revoked_at;

-- name: import_admin_tokens_held
-- Tokens of any store with these ids or hashes, which an import must not take over.
SELECT id, hash, store_id FROM admin_tokens WHERE id in_uuids(:ids) OR hash in_texts(:hashes);

-- name: import_share_tokens_held
-- The stores that already have these tokens.
SELECT hash, store_id FROM share_tokens WHERE hash in_texts(:hashes);

-- name: import_admin_token
-- Keeps an existing token.
INSERT INTO admin_tokens (store_id, names(admin_token_file_fields))
VALUES (:store, initial(admin_token_file_fields)) ON CONFLICT (id) DO NOTHING;

-- name: import_suppression
-- The first suppression of an address stays; a mere refusal doesn't count as one.
INSERT INTO suppressions (store_id, names(suppression_file_fields)) VALUES (:store, initial(suppression_file_fields))
ON CONFLICT (store_id, address) DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at, until = excluded.until
WHERE suppressions.reason = '' AND excluded.reason <> '';

-- name: import_webhook
-- Keeps an existing webhook. A new one starts before the first event of the imported feed.
INSERT INTO webhooks (store_id, position, missed, names(webhook_file_fields))
VALUES (:store, 0, 0, initial(webhook_file_fields)) ON CONFLICT (store_id, id) DO NOTHING;

-- name: import_item_lists
-- :list_ids contains the item's earlier lists too.
UPDATE items SET list_ids = :list_ids WHERE profile_id = :profile AND id = :id;

-- name: import_product
-- Keeps an existing product, which is newer.
INSERT INTO products (store_id, names(product_file_fields))
VALUES (:store, initial(product_file_fields)) ON CONFLICT (store_id, product_id) DO NOTHING;
