-- contact_fields: profile_id, gid, email, email_status, email_source, email_confirmed_at, language, notices, notices_chosen_at, notices_source

-- name: contact
-- Returns no row if the profile is unknown or closed.
SELECT contact_fields(p) FROM profiles p WHERE p.profile_id = :profile AND p.closed_at IS NULL;

-- name: contact_set_address
UPDATE profiles SET email = :email, email_status = :status, email_source = :source, email_confirmed_at = :confirmed_at,
    language = CASE WHEN :language = '' THEN language ELSE :language END
WHERE profile_id = :profile;

-- name: contacts_to_turn_off
-- Profiles with an address, unless they turned notices off. :emails: spellings of the address in lower case.
SELECT p.profile_id FROM profiles p
WHERE p.store_id = :store AND lower(p.email COLLATE "C") in_texts(:emails) AND p.email IS NOT NULL AND p.closed_at IS NULL
  AND (p.notices IS NULL OR p.notices = 1);

-- name: contacts_reachable
-- The same condition as in mail_collect.
SELECT count(*) FROM profiles p
WHERE p.store_id = :store AND p.email IS NOT NULL AND p.closed_at IS NULL AND p.email_status = 'confirmed'
  AND (p.notices = 1 OR (p.notices IS NULL AND :opt_out = 1 AND p.email_source = 'shop'));

-- name: suppression
-- Returns no row for an address that may be written to.
SELECT reason FROM suppressions
WHERE store_id = :store AND address = :address AND reason <> '' AND (until = '' OR until > :now);

-- name: suppression_add
-- A suppression for ever isn't shortened.
INSERT INTO suppressions (store_id, address, reason, created_at, until) VALUES (:store, :address, :reason, :now, :until)
ON CONFLICT (store_id, address) DO UPDATE SET reason = excluded.reason, until = excluded.until, created_at = excluded.created_at
WHERE suppressions.reason = '' OR suppressions.until <> '' OR excluded.until = '';

-- name: suppression_until
-- Returns a row for an address that was suppressed no later than :now.
SELECT 1 FROM suppressions WHERE store_id = :store AND address = :address AND reason <> '' AND created_at <= :now;

-- name: suppression_remove
-- :now: a later suppression stays.
DELETE FROM suppressions WHERE store_id = :store AND address = :address AND reason <> '' AND created_at <= :now
RETURNING address;

-- name: suppression_refuse
-- Notes the first day on which the recipient was refused. Returns the noted day.
INSERT INTO suppressions (store_id, address, reason, created_at, refused_day) VALUES (:store, :address, '', :now, :day)
ON CONFLICT (store_id, address) DO UPDATE
SET refused_day = CASE WHEN suppressions.refused_day = '' THEN excluded.refused_day ELSE suppressions.refused_day END
RETURNING refused_day;

-- name: mail_token_add
INSERT INTO mail_tokens (hash, store_id, profile_id, purpose, address, expires_at)
VALUES (:hash, :store, :profile, :purpose, :address, :expires_at);

-- name: mail_token
SELECT hash, profile_id, purpose, address, expires_at FROM mail_tokens
WHERE hash = :hash AND store_id = :store AND expires_at > :now;

-- name: link_move_mail_tokens
-- Links to unsubscribe go on working after a sign-in. A link to confirm confirms for the session only.
UPDATE mail_tokens SET profile_id = :customer WHERE profile_id = :session AND purpose = 'unsubscribe';

-- name: mail_token_remove
DELETE FROM mail_tokens WHERE hash = :hash;

-- name: confirmation_add
INSERT INTO confirmations (store_id, id, address, client, created_at) VALUES (:store, :id, :address, :client, :now);

-- name: confirmations_of_address
SELECT count(*) FROM confirmations
WHERE store_id = :store AND address = :address AND created_at > :since AND confirmed_at = '';

-- name: confirmations_of_client
SELECT count(*) FROM confirmations WHERE store_id = :store AND client = :client AND created_at > :since;

-- name: confirmations_of_store
SELECT count(*) FROM confirmations
INDEXED BY confirmations_store_idx --sqlite
WHERE store_id = :store AND created_at > :since;

-- name: confirmations_judged
-- How many of the last confirmations are a day old, and how many of these were confirmed.
SELECT count(*), coalesce(sum(CASE WHEN r.confirmed_at <> '' THEN 1 ELSE 0 END), 0) FROM (
    SELECT c.confirmed_at FROM confirmations c
    INDEXED BY confirmations_store_idx --sqlite
    WHERE c.store_id = :store AND c.created_at > :since AND c.created_at <= :before
    ORDER BY c.created_at DESC LIMIT :limit) AS r;

-- name: confirmations_confirm
UPDATE confirmations
INDEXED BY confirmations_address_idx --sqlite
SET confirmed_at = :now WHERE store_id = :store AND address = :address AND confirmed_at = '';

-- name: takes_notices
-- Returns a row if an active webhook of the store takes notices.
SELECT 1 FROM webhooks w
WHERE w.store_id = :store AND w.enabled = 1
  AND (w.types = '' OR strpos(w.types, 'item.price_dropped') > 0 OR strpos(w.types, 'item.back_in_stock') > 0) LIMIT 1;

-- name: store_mail
SELECT refusals, sealed, paused_at, resumed_at, problem FROM store_mails WHERE store_id = :store;

-- name: mails_paused
-- Stores whose mails are paused, and why.
SELECT s.handle, m.paused_at, m.problem FROM store_mails m JOIN stores s ON s.id = m.store_id
WHERE m.paused_at <> '' ORDER BY m.paused_at;

-- name: store_mail_open
INSERT INTO store_mails (store_id) VALUES (:store) ON CONFLICT (store_id) DO NOTHING;

-- name: store_mail_lock
SELECT store_id FROM store_mails WHERE store_id = :store
FOR UPDATE --postgresql
;

-- name: store_mail_pause
UPDATE store_mails SET paused_at = :now, problem = :problem WHERE store_id = :store;

-- name: store_mail_resume
UPDATE store_mails SET paused_at = '', problem = '', resumed_at = :now, refusals = 0 WHERE store_id = :store;

-- name: store_mail_count_refusal
UPDATE store_mails SET refusals = refusals + 1 WHERE store_id = :store;

-- name: store_mail_clear_refusals
UPDATE store_mails SET refusals = 0 WHERE store_id = :store AND refusals > 0;

-- name: store_mail_set_server
UPDATE store_mails SET sealed = :sealed, refusals = 0 WHERE store_id = :store;

-- name: mail_collect
-- Begins a mail to a profile that may be written to, or adds to the one that waits, if there is room.
INSERT INTO mails (profile_id, id, store_id, kind, state, more, created_at, due_at, items)
SELECT p.profile_id, :id, p.store_id, 'notices', 'waiting', :more, :now, :due, :items
FROM profiles p
WHERE p.profile_id = :profile AND p.closed_at IS NULL AND p.email IS NOT NULL AND p.email_status = 'confirmed'
  AND (p.notices = 1 OR (p.notices IS NULL AND :opt_out = 1 AND p.email_source = 'shop'))
ON CONFLICT (profile_id) WHERE kind = 'notices' AND state = 'waiting' AND attempts = 0 DO UPDATE SET
    more = mails.more + CASE WHEN length(mails.items) + length(excluded.items) < :characters THEN excluded.more ELSE :count END,
    items = CASE WHEN length(mails.items) + length(excluded.items) < :characters
        THEN mails.items || ' ' || excluded.items ELSE mails.items END;

-- name: mail_add_confirmation
INSERT INTO mails (profile_id, id, store_id, kind, state, created_at, due_at)
SELECT p.profile_id, :id, p.store_id, 'confirmation', 'waiting', :now, :now FROM profiles p WHERE p.profile_id = :profile;

-- name: mails_collecting
SELECT items FROM mails WHERE profile_id = :profile AND kind = 'notices' AND state = 'waiting';

-- name: link_move_mails
-- Mails in a final state; their items may have other ids now.
INSERT INTO mails (profile_id, id, store_id, kind, state, attempts, unknown, more, created_at, sent_at, address, problem, items, products)
SELECT :customer, m.id, m.store_id, m.kind, m.state, m.attempts, m.unknown, m.more, m.created_at, m.sent_at, m.address,
    m.problem, m.items, m.products
FROM mails m WHERE m.profile_id = :session AND m.due_at IS NULL;

-- name: mails_due_since
-- Three lookups of an index's first entry, because a million mails may be due. SQLite would read all for min().
SELECT min(d.due_at) FROM (
    SELECT c.due_at FROM (
        SELECT m.due_at FROM mails m WHERE m.store_id = :store AND m.state = 'waiting' AND m.kind = 'confirmation'
        ORDER BY m.due_at LIMIT 1) AS c
    UNION ALL
    SELECT n.due_at FROM (
        SELECT m.due_at FROM mails m WHERE m.store_id = :store AND m.state = 'waiting' AND m.kind = 'notices'
        ORDER BY m.due_at LIMIT 1) AS n
    UNION ALL
    SELECT s.due_at FROM (
        SELECT m.due_at FROM mails m
        INDEXED BY mails_sending_idx --sqlite
        WHERE m.store_id = :store AND m.state = 'sending' ORDER BY m.due_at LIMIT 1) AS s) AS d
WHERE d.due_at <= :now;

-- name: mails_waiting
-- For the metric. SQLite, whose reads hold up requests, counts only so many.
SELECT count(*) FROM mails WHERE state = 'waiting'; --postgresql
SELECT count(*) FROM (SELECT 1 FROM mails INDEXED BY mails_waiting_idx WHERE state = 'waiting' LIMIT 10000); --sqlite

-- name: mails_sent_count
-- Mails that were sent since :since, and those that a process has claimed and may send. :until: when the latest lease ends.
SELECT sum(c.number) FROM (
    SELECT count(*) AS number FROM mails m WHERE m.store_id = :store AND m.sent_at > :since AND m.sent_at <> ''
      AND m.state = 'sent'
    UNION ALL
    SELECT count(*) FROM mails m
    WHERE m.store_id = :store AND m.kind in_texts(:kinds) AND m.state = 'waiting' AND m.claim <> ''
      AND m.due_at > :now AND m.due_at <= :until
    UNION ALL
    SELECT count(*) FROM mails m
    INDEXED BY mails_sending_idx --sqlite
    WHERE m.store_id = :store AND m.state = 'sending') AS c;

-- name: mails_due
SELECT m.profile_id, m.id, m.kind, m.attempts, m.unknown, m.due_at FROM mails m
WHERE m.store_id = :store AND m.kind = :kind AND m.due_at <= :now AND m.state = 'waiting'
ORDER BY m.due_at LIMIT :limit;

-- name: mail_claim
-- The mail stays waiting while it is prepared, so it still collects notices.
UPDATE mails SET claim = :lease, due_at = :until
WHERE profile_id = :profile AND id = :id AND due_at = :due AND state = 'waiting'
RETURNING id;

-- name: mails_crashed
SELECT m.profile_id, m.id, m.unknown FROM mails m WHERE m.store_id = :store AND m.due_at <= :now AND m.state = 'sending';

-- name: mail_crashed
UPDATE mails SET state = :state, due_at = :due, unknown = unknown + 1, problem = :problem, claim = ''
WHERE profile_id = :profile AND id = :id AND state = 'sending';

-- name: mail_held
SELECT items, more FROM mails WHERE profile_id = :profile AND id = :id AND claim = :lease AND state = 'waiting';

-- name: mail_begin
UPDATE mails SET state = 'sending', attempts = attempts + 1, address = :address, due_at = :until
WHERE profile_id = :profile AND id = :id;

-- name: mail_postpone
UPDATE mails SET due_at = :due, claim = '' WHERE profile_id = :profile AND id = :id;

-- name: mail_finish
-- A mail whose recipient was refused is still waiting.
UPDATE mails SET attempts = attempts + CASE WHEN state = 'waiting' THEN 1 ELSE 0 END, state = :state, due_at = :due, sent_at = :sent_at, unknown = :unknown, problem = :problem, claim = ''
WHERE profile_id = :profile AND id = :id AND claim = :lease;

-- name: mails_sent_to
-- The last mails with notices to an address, the newest first.
SELECT m.sent_at FROM mails m
WHERE m.store_id = :store AND m.address = :address AND m.sent_at > :since AND m.sent_at <> ''
  AND m.kind = 'notices' AND m.state = 'sent'
ORDER BY m.sent_at DESC LIMIT :limit;

-- name: mails_sending_to
SELECT count(*) FROM mails m
INDEXED BY mails_sending_idx --sqlite
WHERE m.store_id = :store AND m.state = 'sending' AND m.address = :address AND m.kind = 'notices';

-- name: mails_refused_count
-- How many of the store's last recipients were refused since its mails were resumed. A refused mail has the time in sent_at.
SELECT coalesce(sum(CASE WHEN r.state = 'failed' THEN 1 ELSE 0 END), 0) FROM (
    SELECT m.state FROM mails m WHERE m.store_id = :store AND m.sent_at > :since AND m.sent_at <> ''
    ORDER BY m.sent_at DESC LIMIT :limit) AS r;

-- name: mails_count
SELECT m.state, count(*) FROM mails m WHERE m.store_id = :store GROUP BY m.state;

-- name: mails_by_minute
-- Of minutes, because days are those of the store's time zone.
SELECT d.minute, d.state, count(*) FROM (
    SELECT substr(m.created_at, 1, 16) AS minute, m.state FROM mails m
    WHERE m.store_id = :store AND m.created_at > :since
    UNION ALL
    SELECT substr(s.created_at, 1, 16), s.reason FROM suppressions s
    WHERE s.store_id = :store AND s.reason = 'unsubscribed' AND s.created_at > :since) AS d
GROUP BY d.minute, d.state;

-- name: store_mails_page
SELECT m.id, p.gid, m.kind, m.state, m.created_at, m.sent_at, m.items, m.problem{beyond}
FROM mails m JOIN profiles p ON p.profile_id = m.profile_id
WHERE m.store_id = :owner AND p.closed_at IS NULL;

-- name: person_mails
-- Of 30 days, the newest first.
SELECT m.id, p.gid, m.kind, m.state, m.created_at, m.sent_at, m.items, m.problem
FROM mails m JOIN profiles p ON p.profile_id = m.profile_id
WHERE m.profile_id = :profile AND p.closed_at IS NULL ORDER BY m.id DESC;

-- name: mails_cancel
-- Waiting mails, and those whose sender crashed; one that is being sent goes out.
UPDATE mails SET state = 'cancelled', due_at = NULL, claim = '' WHERE (profile_id, id) IN (
    SELECT m.profile_id, m.id FROM mails m
    WHERE m.store_id = :store AND (m.state = 'waiting' OR (m.state = 'sending' AND m.due_at <= :now)) LIMIT :limit)
RETURNING id;

-- name: mails_cancel_of_profile
UPDATE mails SET state = 'cancelled', due_at = NULL, claim = '' WHERE profile_id = :profile AND state = 'waiting';

-- name: mails_remove
DELETE FROM mails WHERE (profile_id, id) IN (
    SELECT m.profile_id, m.id FROM mails m
    WHERE m.store_id = :store AND m.created_at < :before AND m.due_at IS NULL LIMIT :limit)
RETURNING id;

-- name: mail_tokens_remove
DELETE FROM mail_tokens WHERE hash IN (SELECT t.hash FROM mail_tokens t WHERE t.expires_at < :before LIMIT :limit)
RETURNING hash;

-- name: suppressions_remove
DELETE FROM suppressions WHERE (store_id, address) IN (
    SELECT s.store_id, s.address FROM suppressions s WHERE s.until <> '' AND s.until < :before LIMIT :limit)
RETURNING address;

-- name: confirmations_remove
DELETE FROM confirmations WHERE (store_id, id) IN (
    SELECT c.store_id, c.id FROM confirmations c WHERE c.created_at < :before LIMIT :limit)
RETURNING id;

-- name: purge_mails
DELETE FROM mails WHERE (profile_id, id) IN (
    SELECT m.profile_id, m.id FROM mails m WHERE m.profile_id in_uuids(:profiles) LIMIT :limit)
RETURNING id;

-- name: purge_mail_tokens
DELETE FROM mail_tokens WHERE hash IN (
    SELECT t.hash FROM mail_tokens t WHERE t.profile_id in_uuids(:profiles) LIMIT :limit)
RETURNING hash;

-- name: erase_mail_tokens
DELETE FROM mail_tokens WHERE hash IN (SELECT t.hash FROM mail_tokens t WHERE t.store_id = :store LIMIT 1000)
RETURNING hash;

-- name: erase_suppressions
DELETE FROM suppressions WHERE store_id = :store AND address IN (
    SELECT s.address FROM suppressions s WHERE s.store_id = :store LIMIT 1000)
RETURNING address;

-- name: erase_confirmations
DELETE FROM confirmations WHERE store_id = :store AND id IN (
    SELECT c.id FROM confirmations c WHERE c.store_id = :store LIMIT 1000)
RETURNING id;

-- name: erase_store_mails
DELETE FROM store_mails WHERE store_id = :store;
