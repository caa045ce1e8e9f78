-- admin_token_fields: id, scope, label, created_at, expires_at, last_used_at, revoked_at

-- name: admin_token_create
-- Stores a token's hash, never the token.
INSERT INTO admin_tokens (id, store_id, scope, label, hash, created_at, expires_at)
VALUES (:id, :store, :scope, :label, :hash, :created_at, :expires_at);

-- name: admin_token_by_hash
-- The caller checks whether the token has expired or was revoked.
SELECT id, store_id, scope, expires_at, revoked_at FROM admin_tokens WHERE hash = :hash;

-- name: admin_tokens
-- Tokens of all stores, in the order of their creation, revoked ones too.
SELECT admin_token_fields(t), s.handle
FROM admin_tokens t JOIN stores s ON s.id = t.store_id
ORDER BY t.id;

-- name: store_admin_tokens_page
-- Includes revoked and expired tokens.
SELECT admin_token_fields(a), s.handle{beyond}
FROM admin_tokens a JOIN stores s ON s.id = a.store_id
WHERE a.store_id = :owner;

-- name: admin_token_revoke
-- The first revocation counts; repeating it changes nothing. :store: null for a token of any store.
UPDATE admin_tokens SET revoked_at = coalesce(revoked_at, :now)
WHERE id = :id AND store_id = coalesce(:store::uuid, store_id) RETURNING id;

-- name: admin_tokens_revoked
-- Polled by each process, which caches tokens (rule: changes-take-effect).
SELECT id, revoked_at FROM admin_tokens WHERE revoked_at >= :since;

-- name: admin_token_used
-- Does nothing if another process has recorded a later use.
UPDATE admin_tokens SET last_used_at = :now
WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :now);

-- name: revoke_profile_token
-- With an empty jti, revokes all tokens issued to the profile until now.
INSERT INTO revocations (profile_id, jti, revoked_at) VALUES (:profile, :jti, :now)
ON CONFLICT (profile_id, jti) DO UPDATE SET revoked_at = excluded.revoked_at;

-- name: revoked_until
-- An empty :jti finds the revocation of all the profile's tokens.
SELECT revoked_at FROM revocations WHERE profile_id = :profile AND jti = :jti;

-- name: revocations_since
-- :since_for_cookies: for revocations that refuse cookies too, which live longer than tokens.
SELECT profile_id, jti, revoked_at FROM revocations
WHERE revoked_at >= :since AND revoked_at < 'Z' OR (jti = '' AND revoked_at >= :since_for_cookies AND revoked_at < 'Z');

-- name: revocations_forget
-- A profile token lives a day, a cookie 90 days: older revocations are obsolete.
DELETE FROM revocations WHERE revoked_at < :before AND (jti <> '' OR revoked_at < :before_for_cookies);
