-- Times are RFC 3339 text (docs/decisions/0003): they sort as they are, and a page is answered
-- without converting any. variant_id is '' where there is none: a NULL would slip through the
-- unique constraint, and SQLite 3.40 has no NULLS NOT DISTINCT. Short columns come before long ones:
-- SQLite reads a row from its beginning.

CREATE TABLE stores (
    id          TEXT NOT NULL CONSTRAINT stores_pkey PRIMARY KEY,
    handle      TEXT NOT NULL CONSTRAINT stores_handle_key UNIQUE,
    platform    TEXT NOT NULL,
    product_ids TEXT NOT NULL,
    auth_flow   TEXT NOT NULL,
    hosts       TEXT NOT NULL,
    naming      TEXT NOT NULL,
    origins     TEXT NOT NULL,
    limits      TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    events_since TEXT,
    price_drop_percent INTEGER NOT NULL
) STRICT;

CREATE INDEX stores_updated_at_idx ON stores (updated_at);

-- Stores that were deleted, from when their deletion began: a process that knew one learns it from here.
CREATE TABLE deleted_stores (
    store_id   TEXT NOT NULL CONSTRAINT deleted_stores_pkey PRIMARY KEY,
    deleted_at TEXT NOT NULL
) STRICT;

-- Each host of stores.hosts, without its scheme, and each platform's shop (`shop <name>`): of one store.
CREATE TABLE store_hosts (
    host     TEXT NOT NULL CONSTRAINT store_hosts_pkey PRIMARY KEY,
    store_id TEXT NOT NULL CONSTRAINT store_hosts_store_id_fkey REFERENCES stores (id)
) STRICT;

-- Cookie secrets, the shop's keys and those of its platform, encrypted (sealing.py).
CREATE TABLE store_secrets (
    store_id   TEXT NOT NULL CONSTRAINT store_secrets_pkey PRIMARY KEY
        CONSTRAINT store_secrets_store_id_fkey REFERENCES stores (id),
    sealed     TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE admin_tokens (
    id           TEXT NOT NULL CONSTRAINT admin_tokens_pkey PRIMARY KEY,
    store_id     TEXT NOT NULL CONSTRAINT admin_tokens_store_id_fkey REFERENCES stores (id),
    scope        TEXT NOT NULL,
    label        TEXT NOT NULL,
    hash         TEXT NOT NULL CONSTRAINT admin_tokens_hash_key UNIQUE,
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    last_used_at TEXT,
    revoked_at   TEXT
) STRICT;

CREATE INDEX admin_tokens_revoked_at_idx ON admin_tokens (revoked_at);

-- What is no longer good among profile tokens: one token (its jti), or all that a profile was
-- given until a moment (jti '').
CREATE TABLE revocations (
    profile_id TEXT NOT NULL,
    jti        TEXT NOT NULL,
    revoked_at TEXT NOT NULL,
    CONSTRAINT revocations_pkey PRIMARY KEY (profile_id, jti)
) STRICT, WITHOUT ROWID;

CREATE INDEX revocations_revoked_at_idx ON revocations (revoked_at);

-- items and lists are how many of each it has, for the limits. changes goes up with each of them, of the
-- entries, tags, shares and reservations: by it a statement that waited for the profile's lock knows that what
-- it sees is of before.
CREATE TABLE profiles (
    profile_id TEXT NOT NULL CONSTRAINT profiles_pkey PRIMARY KEY,
    store_id   TEXT NOT NULL CONSTRAINT profiles_store_id_fkey REFERENCES stores (id),
    gid        TEXT NOT NULL,
    is_session INTEGER NOT NULL,
    items      INTEGER NOT NULL DEFAULT 0,
    lists      INTEGER NOT NULL DEFAULT 0,
    changes    INTEGER NOT NULL DEFAULT 0,
    events     INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    touched_at TEXT NOT NULL,
    closed_at  TEXT,
    email      TEXT
) STRICT, WITHOUT ROWID;

-- The purge walks sessions in the order in which they were last touched.
CREATE INDEX profiles_sessions_idx ON profiles (touched_at) WHERE is_session = 1;

-- What walks a store profile by profile: its export, and its deletion.
CREATE INDEX profiles_store_idx ON profiles (store_id, profile_id);

-- list_ids and tags: separated by spaces, list_ids in order; what finds them is in entries and item_tags.
-- dropped_at and restocked_at: when it was last told that, '' for never (notices.py).
-- changed: the fields that the last save or change gave another value, for the event that tells it. Only a
--   statement that tells an event sets it, and reads it at once; later it may be out of date.
CREATE TABLE items (
    profile_id TEXT NOT NULL CONSTRAINT items_profile_id_fkey REFERENCES profiles (profile_id),
    id         TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    product_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    quantity   INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    dropped_at TEXT NOT NULL DEFAULT '',
    restocked_at TEXT NOT NULL DEFAULT '',
    changed    TEXT NOT NULL DEFAULT '',
    list_ids   TEXT NOT NULL,
    tags       TEXT NOT NULL,
    note       TEXT NOT NULL,
    CONSTRAINT items_pkey PRIMARY KEY (profile_id, id),
    CONSTRAINT items_variant_key UNIQUE (profile_id, product_id, variant_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX items_store_idx ON items (store_id, id);
CREATE INDEX items_store_product_idx ON items (store_id, product_id, id);
CREATE INDEX items_store_variant_idx ON items (store_id, variant_id, id) WHERE variant_id <> '';

-- Finds a tag; items.tags is what is read. Written with it, in one place.
CREATE TABLE item_tags (
    profile_id TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    tag        TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    CONSTRAINT item_tags_pkey PRIMARY KEY (profile_id, item_id, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX item_tags_store_idx ON item_tags (store_id, tag, item_id);

-- shared: whether it has ever been; only then may there be shares and reservations.
CREATE TABLE lists (
    profile_id TEXT NOT NULL CONSTRAINT lists_profile_id_fkey REFERENCES profiles (profile_id),
    id         TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    item_count INTEGER NOT NULL,
    shared     INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    name       TEXT NOT NULL,
    CONSTRAINT lists_pkey PRIMARY KEY (profile_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX lists_store_idx ON lists (store_id, id);

-- Which items are on which lists. position is 0 until an order places the item. No foreign keys, here and
-- in item_tags: a profile's rows change under its lock alone, and a sign-in moves a hundred thousand.
CREATE TABLE entries (
    profile_id TEXT NOT NULL,
    list_id    TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    position   INTEGER NOT NULL,
    CONSTRAINT entries_pkey PRIMARY KEY (profile_id, list_id, item_id)
) STRICT, WITHOUT ROWID;

-- When each kind of housekeeping was last begun, by whichever process.
CREATE TABLE leases (
    name     TEXT NOT NULL CONSTRAINT leases_pkey PRIMARY KEY,
    taken_at TEXT NOT NULL
) STRICT;

-- What happened to a profile's records, in the order in which it happened: `sequence` counts without a gap,
-- under the profile's lock. `number` is its place in the store's feed, given afterwards (events.py).
CREATE TABLE events (
    profile_id TEXT NOT NULL,
    sequence   INTEGER NOT NULL,
    store_id   TEXT NOT NULL,
    number     INTEGER,
    type       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    gid        TEXT NOT NULL,
    data       TEXT NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (profile_id, sequence)
) STRICT;

CREATE INDEX events_feed_idx ON events (store_id, number) WHERE number IS NOT NULL;
CREATE INDEX events_new_idx ON events (store_id, (gid LIKE 'gid://%/Customer/%'), profile_id, sequence) WHERE number IS NULL;

-- How far each store's feed goes: the last number given, the last one that may be read (all before it
-- have been committed by then), and the last one removed for its age.
CREATE TABLE feeds (
    store_id TEXT NOT NULL CONSTRAINT feeds_pkey PRIMARY KEY,
    given    INTEGER NOT NULL DEFAULT 0,
    last     INTEGER NOT NULL DEFAULT 0,
    removed  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Where a store's events are sent. position: up to which number of the feed they became deliveries.
-- enabled: 1, 0, or -1 once it is deleted, until its deliveries are. sealed: what signs (webhooks.py).
-- due_at: when somebody has to look after it; null for one that is off, or that has nothing to send.
CREATE TABLE webhooks (
    store_id      TEXT NOT NULL,
    id            TEXT NOT NULL,
    enabled       INTEGER NOT NULL,
    position      INTEGER NOT NULL,
    missed        INTEGER NOT NULL,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    failing_since TEXT,
    due_at        TEXT,
    types         TEXT NOT NULL,
    url           TEXT NOT NULL,
    sealed        TEXT NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (store_id, id)
) STRICT;

CREATE INDEX webhooks_due_idx ON webhooks (due_at) WHERE due_at IS NOT NULL;

-- Each event for each webhook. profile_id is null for a test, which is of no event. next_at: when it is sent;
-- while it is, until when it is left to the one who holds the lease.
CREATE TABLE deliveries (
    store_id        TEXT NOT NULL,
    webhook_id      TEXT NOT NULL,
    id              TEXT NOT NULL,
    number          INTEGER NOT NULL,
    profile_id      TEXT,
    sequence        INTEGER NOT NULL,
    type            TEXT NOT NULL,
    status          TEXT NOT NULL,
    attempts        INTEGER NOT NULL,
    last_status     INTEGER,
    last_attempt_at TEXT,
    next_at         TEXT,
    lease           TEXT,
    CONSTRAINT deliveries_pkey PRIMARY KEY (store_id, webhook_id, id)
) STRICT;

CREATE INDEX deliveries_due_idx ON deliveries (store_id, webhook_id, next_at) WHERE status = 'pending';

-- What is known of each product: `document` without its variants, and `variants`, both JSON. `id` says when it
-- was first put. `known` is what notices compare (notices.py). While there are wishes to tell, `noticed_at` is
-- when it was last worked on, and `position` the item up to which they were told.
CREATE TABLE products (
    store_id   TEXT NOT NULL,
    product_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    position   TEXT NOT NULL,
    noticed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    document   TEXT NOT NULL,
    variants   TEXT NOT NULL,
    known      TEXT NOT NULL,
    CONSTRAINT products_pkey PRIMARY KEY (store_id, product_id)
) STRICT;

CREATE INDEX products_store_idx ON products (store_id, id);
CREATE INDEX products_noticed_idx ON products (noticed_at) WHERE noticed_at IS NOT NULL;

-- The links that show a list to others. A share ends with its row.
CREATE TABLE shares (
    profile_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    store_id     TEXT NOT NULL,
    list_id      TEXT NOT NULL,
    reservations INTEGER NOT NULL,
    notes        INTEGER NOT NULL,
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    token        TEXT NOT NULL,
    CONSTRAINT shares_pkey PRIMARY KEY (profile_id, id)
) STRICT;

CREATE INDEX shares_list_idx ON shares (profile_id, list_id, id);

-- Whose share a token is: found by its hash, so that the time a comparison takes says nothing.
CREATE TABLE share_tokens (
    hash       TEXT NOT NULL CONSTRAINT share_tokens_pkey PRIMARY KEY,
    store_id   TEXT NOT NULL,
    profile_id TEXT NOT NULL,
    share_id   TEXT NOT NULL
) STRICT;

CREATE INDEX share_tokens_profile_idx ON share_tokens (profile_id);

-- Who has reserved how many of an item, beside the item.
CREATE TABLE reservations (
    profile_id TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    holder_id  TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    quantity   INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT reservations_pkey PRIMARY KEY (profile_id, item_id, holder_id)
) STRICT;

-- The same beside who holds it: which items of whom. merged_id: which id the item had when it was reserved, if
-- a link has merged it since.
CREATE TABLE held (
    profile_id TEXT NOT NULL,
    owner_id   TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    merged_id  TEXT,
    CONSTRAINT held_pkey PRIMARY KEY (profile_id, owner_id, item_id)
) STRICT;
