-- email_status: pending, confirmed or removed; '' for an unverified address. language: of mails to the profile.
-- The times and places of the choice about notices and of the address's confirmation: '' for never.
ALTER TABLE profiles ADD COLUMN email_status text NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN language text NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN notices_chosen_at text NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN notices_source text NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN email_confirmed_at text NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN email_source text NOT NULL DEFAULT '';
-- In JSON: whether and how a store sends mails.
ALTER TABLE stores ADD COLUMN mail text NOT NULL DEFAULT '{}';

-- A store's SMTP server, encrypted ('' for the installation's); since when and why its mails are paused ('' if not);
-- when they were last resumed; and how often in a row the server has refused the credentials.
CREATE TABLE store_mails (
    store_id   uuid NOT NULL CONSTRAINT store_mails_pkey PRIMARY KEY --postgresql
    store_id   text NOT NULL CONSTRAINT store_mails_pkey PRIMARY KEY --sqlite
        CONSTRAINT store_mails_store_id_fkey REFERENCES stores (id),
    refusals   integer NOT NULL DEFAULT 0,
    sealed     text NOT NULL DEFAULT '',
    paused_at  text NOT NULL DEFAULT '',
    resumed_at text NOT NULL DEFAULT '',
    problem    text NOT NULL DEFAULT ''
) --postgresql
) STRICT --sqlite
;

-- Mails, of which no text is stored. kind: confirmation or notices. state: waiting, sending, sent, failed or cancelled.
-- due_at: when the mail is to be sent, or when the lease of its sender ends; null in a final state. unknown: how many
-- attempts had an unknown outcome. items: item ids, each after d (price drop) or s (back in stock). more: how many further
-- notices there were. address: the hash of the recipient's, from the first attempt on. sent_at: when it was sent, or its
-- recipient refused. problem: why it failed.
CREATE TABLE mails (
    profile_id uuid NOT NULL, --postgresql
    id         uuid NOT NULL, --postgresql
    store_id   uuid NOT NULL, --postgresql
    due_at     text COLLATE "C", --postgresql
    profile_id text NOT NULL, --sqlite
    id         text NOT NULL, --sqlite
    store_id   text NOT NULL, --sqlite
    due_at     text, --sqlite
    attempts   integer NOT NULL DEFAULT 0,
    unknown    integer NOT NULL DEFAULT 0,
    more       integer NOT NULL DEFAULT 0,
    kind       text NOT NULL,
    state      text NOT NULL,
    created_at text NOT NULL,
    sent_at    text NOT NULL DEFAULT '',
    claim      text NOT NULL DEFAULT '',
    address    text NOT NULL DEFAULT '',
    problem    text NOT NULL DEFAULT '',
    items      text NOT NULL DEFAULT '',
    CONSTRAINT mails_pkey PRIMARY KEY (profile_id, id)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

CREATE INDEX mails_waiting_idx ON mails (store_id, kind, due_at) WHERE state = 'waiting';
CREATE INDEX mails_sending_idx ON mails (store_id, due_at) WHERE state = 'sending';
CREATE INDEX mails_final_idx ON mails (store_id, created_at) WHERE due_at IS NULL;
CREATE INDEX mails_store_idx ON mails (store_id, id);
-- With the state, so that the mails of a day are counted in the index.
CREATE INDEX mails_sent_idx ON mails (store_id, sent_at, state) WHERE sent_at <> '';
CREATE INDEX mails_address_idx ON mails (store_id, address, sent_at) WHERE sent_at <> '';
-- One mail of a profile collects notices.
CREATE UNIQUE INDEX mails_collecting_idx ON mails (profile_id)
WHERE kind = 'notices' AND state = 'waiting' AND attempts = 0;

-- What a link in a mail allows: purpose is confirm or unsubscribe. address: its hash (suppressions.py).
CREATE TABLE mail_tokens (
    hash       text COLLATE "C" NOT NULL CONSTRAINT mail_tokens_pkey PRIMARY KEY, --postgresql
    store_id   uuid NOT NULL, --postgresql
    profile_id uuid NOT NULL, --postgresql
    expires_at text COLLATE "C" NOT NULL, --postgresql
    hash       text NOT NULL CONSTRAINT mail_tokens_pkey PRIMARY KEY, --sqlite
    store_id   text NOT NULL, --sqlite
    profile_id text NOT NULL, --sqlite
    expires_at text NOT NULL, --sqlite
    purpose    text NOT NULL,
    address    text NOT NULL
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

CREATE INDEX mail_tokens_profile_idx ON mail_tokens (profile_id);
CREATE INDEX mail_tokens_expires_at_idx ON mail_tokens (expires_at);

-- Addresses, by their hash, that a store doesn't write to: reason is unsubscribed, not_me, bounced, complained or shop;
-- '' for an address that was refused on one day (refused_day) and may still be written to. until: '' for ever.
CREATE TABLE suppressions (
    store_id    uuid NOT NULL, --postgresql
    store_id    text NOT NULL, --sqlite
    address     text NOT NULL,
    reason      text NOT NULL,
    created_at  text NOT NULL,
    until       text NOT NULL DEFAULT '',
    refused_day text NOT NULL DEFAULT '',
    CONSTRAINT suppressions_pkey PRIMARY KEY (store_id, address)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

CREATE INDEX suppressions_until_idx ON suppressions (until) WHERE until <> '';

-- Confirmations that were asked for, which limit further ones. address: the hash without the part after +. client: the
-- hash of the client's address.
CREATE TABLE confirmations (
    store_id     uuid NOT NULL, --postgresql
    id           uuid NOT NULL, --postgresql
    created_at   text COLLATE "C" NOT NULL, --postgresql
    store_id     text NOT NULL, --sqlite
    id           text NOT NULL, --sqlite
    created_at   text NOT NULL, --sqlite
    address      text NOT NULL,
    client       text NOT NULL,
    confirmed_at text NOT NULL DEFAULT '',
    CONSTRAINT confirmations_pkey PRIMARY KEY (store_id, id)
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;

CREATE INDEX confirmations_address_idx ON confirmations (store_id, address, created_at);
CREATE INDEX confirmations_client_idx ON confirmations (store_id, client, created_at);
CREATE INDEX confirmations_store_idx ON confirmations (store_id, created_at);
CREATE INDEX confirmations_created_at_idx ON confirmations (created_at);
