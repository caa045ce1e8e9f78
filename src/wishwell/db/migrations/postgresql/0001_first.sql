-- The same tables as in ../sqlite/0001_first.sql; a test compares them. Times are RFC 3339 text
-- (docs/decisions/0003): they sort as they are, and a page is answered without converting any.
-- variant_id is '' where there is none, as on SQLite. Everything of a profile is keyed by
-- profile_id first, so that the tables can be distributed by it. Short columns come before long ones:
-- SQLite reads a row from its beginning.

CREATE TABLE stores (
    id          uuid NOT NULL CONSTRAINT stores_pkey PRIMARY KEY,
    handle      text COLLATE "C" NOT NULL CONSTRAINT stores_handle_key UNIQUE,
    platform    text NOT NULL,
    product_ids text NOT NULL,
    auth_flow   text NOT NULL,
    hosts       text NOT NULL,
    naming      text NOT NULL,
    origins     text NOT NULL,
    limits      text NOT NULL,
    created_at  text COLLATE "C" NOT NULL,
    updated_at  text COLLATE "C" NOT NULL,
    events_since text COLLATE "C",
    price_drop_percent integer NOT NULL
);

CREATE INDEX stores_updated_at_idx ON stores (updated_at);

-- Stores that were deleted, from when their deletion began: a process that knew one learns it from here.
CREATE TABLE deleted_stores (
    store_id   uuid NOT NULL CONSTRAINT deleted_stores_pkey PRIMARY KEY,
    deleted_at text COLLATE "C" NOT NULL
);

-- Each host of stores.hosts, without its scheme, and each platform's shop (`shop <name>`): of one store.
CREATE TABLE store_hosts (
    host     text COLLATE "C" NOT NULL CONSTRAINT store_hosts_pkey PRIMARY KEY,
    store_id uuid NOT NULL CONSTRAINT store_hosts_store_id_fkey REFERENCES stores (id)
);

-- Cookie secrets, the shop's keys and those of its platform, encrypted (sealing.py).
CREATE TABLE store_secrets (
    store_id   uuid NOT NULL CONSTRAINT store_secrets_pkey PRIMARY KEY
        CONSTRAINT store_secrets_store_id_fkey REFERENCES stores (id),
    sealed     text NOT NULL,
    updated_at text COLLATE "C" NOT NULL
);

CREATE TABLE admin_tokens (
    id           uuid NOT NULL CONSTRAINT admin_tokens_pkey PRIMARY KEY,
    store_id     uuid NOT NULL CONSTRAINT admin_tokens_store_id_fkey REFERENCES stores (id),
    scope        text NOT NULL,
    label        text NOT NULL,
    hash         text COLLATE "C" NOT NULL CONSTRAINT admin_tokens_hash_key UNIQUE,
    created_at   text COLLATE "C" NOT NULL,
    expires_at   text COLLATE "C",
    last_used_at text COLLATE "C",
    revoked_at   text COLLATE "C"
);

CREATE INDEX admin_tokens_revoked_at_idx ON admin_tokens (revoked_at);

-- What is no longer good among profile tokens: one token (its jti), or all that a profile was
-- given until a moment (jti '').
CREATE TABLE revocations (
    profile_id uuid NOT NULL,
    jti        text COLLATE "C" NOT NULL,
    revoked_at text COLLATE "C" NOT NULL,
    CONSTRAINT revocations_pkey PRIMARY KEY (profile_id, jti)
);

CREATE INDEX revocations_revoked_at_idx ON revocations (revoked_at);

-- items and lists are how many of each it has, for the limits. changes goes up with each of them, of the
-- entries, tags, shares and reservations: by it a statement that waited for the profile's lock knows that what
-- it sees is of before.
CREATE TABLE profiles (
    profile_id uuid NOT NULL CONSTRAINT profiles_pkey PRIMARY KEY,
    store_id   uuid NOT NULL CONSTRAINT profiles_store_id_fkey REFERENCES stores (id),
    gid        text NOT NULL,
    is_session smallint NOT NULL,
    items      bigint NOT NULL DEFAULT 0,
    lists      bigint NOT NULL DEFAULT 0,
    changes    bigint NOT NULL DEFAULT 0,
    events     bigint NOT NULL DEFAULT 0,
    created_at text COLLATE "C" NOT NULL,
    touched_at text COLLATE "C" NOT NULL,
    closed_at  text COLLATE "C",
    email      text
) WITH (fillfactor = 80);

-- The purge walks sessions in the order in which they were last touched.
CREATE INDEX profiles_sessions_idx ON profiles (touched_at) WHERE is_session = 1;

-- What walks a store profile by profile: its export, and its deletion.
CREATE INDEX profiles_store_idx ON profiles (store_id, profile_id);

-- list_ids and tags: separated by spaces, list_ids in order; what finds them is in entries and item_tags.
-- dropped_at and restocked_at: when it was last told that, '' for never (notices.py).
-- changed: the fields that the last save or change gave another value, for the event that tells it. Only a
--   statement that tells an event sets it, and reads it at once; later it may be out of date.
CREATE TABLE items (
    profile_id uuid NOT NULL CONSTRAINT items_profile_id_fkey REFERENCES profiles (profile_id),
    id         uuid NOT NULL,
    store_id   uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    variant_id text COLLATE "C" NOT NULL,
    quantity   integer NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    dropped_at text COLLATE "C" NOT NULL DEFAULT '',
    restocked_at text COLLATE "C" NOT NULL DEFAULT '',
    changed    text COLLATE "C" NOT NULL DEFAULT '',
    list_ids   text COLLATE "C" NOT NULL,
    tags       text COLLATE "C" NOT NULL,
    note       text NOT NULL,
    CONSTRAINT items_pkey PRIMARY KEY (profile_id, id),
    CONSTRAINT items_variant_key UNIQUE (profile_id, product_id, variant_id)
);

CREATE INDEX items_store_idx ON items (store_id, id);
CREATE INDEX items_store_product_idx ON items (store_id, product_id, id);
CREATE INDEX items_store_variant_idx ON items (store_id, variant_id, id) WHERE variant_id <> '';

-- Finds a tag; items.tags is what is read. Written with it, in one place.
CREATE TABLE item_tags (
    profile_id uuid NOT NULL,
    item_id    uuid NOT NULL,
    tag        text COLLATE "C" NOT NULL,
    store_id   uuid NOT NULL,
    CONSTRAINT item_tags_pkey PRIMARY KEY (profile_id, item_id, tag)
);

CREATE INDEX item_tags_store_idx ON item_tags (store_id, tag, item_id);

-- shared: whether it has ever been; only then may there be shares and reservations.
CREATE TABLE lists (
    profile_id uuid NOT NULL CONSTRAINT lists_profile_id_fkey REFERENCES profiles (profile_id),
    id         uuid NOT NULL,
    store_id   uuid NOT NULL,
    item_count bigint NOT NULL,
    shared     smallint NOT NULL DEFAULT 0,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    name       text NOT NULL,
    CONSTRAINT lists_pkey PRIMARY KEY (profile_id, id)
);

CREATE INDEX lists_store_idx ON lists (store_id, id);

-- Which items are on which lists. position is 0 until an order places the item. No foreign keys, here and
-- in item_tags: a profile's rows change under its lock alone, and a sign-in moves a hundred thousand.
CREATE TABLE entries (
    profile_id uuid NOT NULL,
    list_id    uuid NOT NULL,
    item_id    uuid NOT NULL,
    position   integer NOT NULL,
    CONSTRAINT entries_pkey PRIMARY KEY (profile_id, list_id, item_id)
);

-- When each kind of housekeeping was last begun, by whichever process.
CREATE TABLE leases (
    name     text NOT NULL CONSTRAINT leases_pkey PRIMARY KEY,
    taken_at text COLLATE "C" NOT NULL
);

-- What happened to a profile's records, in the order in which it happened: `sequence` counts without a gap,
-- under the profile's lock. `number` is its place in the store's feed, given afterwards (events.py).
CREATE TABLE events (
    profile_id uuid NOT NULL,
    sequence   bigint NOT NULL,
    store_id   uuid NOT NULL,
    number     bigint,
    type       text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    gid        text NOT NULL,
    data       text NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (profile_id, sequence)
);

CREATE INDEX events_feed_idx ON events (store_id, number) WHERE number IS NOT NULL;
CREATE INDEX events_new_idx ON events (store_id, (gid LIKE 'gid://%/Customer/%'), profile_id, sequence) WHERE number IS NULL;

-- How far each store's feed goes: the last number given, the last one that may be read (all before it
-- have been committed by then), and the last one removed for its age.
CREATE TABLE feeds (
    store_id uuid NOT NULL CONSTRAINT feeds_pkey PRIMARY KEY,
    given    bigint NOT NULL DEFAULT 0,
    last     bigint NOT NULL DEFAULT 0,
    removed  bigint NOT NULL DEFAULT 0
);

-- Where a store's events are sent. position: up to which number of the feed they became deliveries.
-- enabled: 1, 0, or -1 once it is deleted, until its deliveries are. sealed: what signs (webhooks.py).
-- due_at: when somebody has to look after it; null for one that is off, or that has nothing to send.
CREATE TABLE webhooks (
    store_id      uuid NOT NULL,
    id            uuid NOT NULL,
    enabled       smallint NOT NULL,
    position      bigint NOT NULL,
    missed        bigint NOT NULL,
    created_at    text COLLATE "C" NOT NULL,
    updated_at    text COLLATE "C" NOT NULL,
    failing_since text COLLATE "C",
    due_at        text COLLATE "C",
    types         text NOT NULL,
    url           text NOT NULL,
    sealed        text NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (store_id, id)
);

CREATE INDEX webhooks_due_idx ON webhooks (due_at) WHERE due_at IS NOT NULL;

-- Each event for each webhook. profile_id is null for a test, which is of no event. next_at: when it is sent;
-- while it is, until when it is left to the one who holds the lease.
CREATE TABLE deliveries (
    store_id        uuid NOT NULL,
    webhook_id      uuid NOT NULL,
    id              uuid NOT NULL,
    number          bigint NOT NULL,
    profile_id      uuid,
    sequence        bigint NOT NULL,
    type            text NOT NULL,
    status          text COLLATE "C" NOT NULL,
    attempts        integer NOT NULL,
    last_status     integer,
    last_attempt_at text COLLATE "C",
    next_at         text COLLATE "C",
    lease           text COLLATE "C",
    CONSTRAINT deliveries_pkey PRIMARY KEY (store_id, webhook_id, id)
);

CREATE INDEX deliveries_due_idx ON deliveries (store_id, webhook_id, next_at) WHERE status = 'pending';

-- What is known of each product: `document` without its variants, and `variants`, both JSON. `id` says when it
-- was first put. `known` is what notices compare (notices.py). While there are wishes to tell, `noticed_at` is
-- when it was last worked on, and `position` the item up to which they were told.
CREATE TABLE products (
    store_id   uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    id         uuid NOT NULL,
    position   uuid NOT NULL,
    noticed_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    document   text NOT NULL,
    variants   text NOT NULL,
    known      text NOT NULL,
    CONSTRAINT products_pkey PRIMARY KEY (store_id, product_id)
);

CREATE INDEX products_store_idx ON products (store_id, id);
CREATE INDEX products_noticed_idx ON products (noticed_at) WHERE noticed_at IS NOT NULL;

-- The links that show a list to others. A share ends with its row.
CREATE TABLE shares (
    profile_id   uuid NOT NULL,
    id           uuid NOT NULL,
    store_id     uuid NOT NULL,
    list_id      uuid NOT NULL,
    reservations smallint NOT NULL,
    notes        smallint NOT NULL,
    created_at   text COLLATE "C" NOT NULL,
    expires_at   text COLLATE "C",
    token        text NOT NULL,
    CONSTRAINT shares_pkey PRIMARY KEY (profile_id, id)
);

CREATE INDEX shares_list_idx ON shares (profile_id, list_id, id);

-- Whose share a token is: found by its hash, so that the time a comparison takes says nothing.
CREATE TABLE share_tokens (
    hash       text COLLATE "C" NOT NULL CONSTRAINT share_tokens_pkey PRIMARY KEY,
    store_id   uuid NOT NULL,
    profile_id uuid NOT NULL,
    share_id   uuid NOT NULL
);

CREATE INDEX share_tokens_profile_idx ON share_tokens (profile_id);

-- Who has reserved how many of an item, beside the item.
CREATE TABLE reservations (
    profile_id uuid NOT NULL,
    item_id    uuid NOT NULL,
    holder_id  uuid NOT NULL,
    store_id   uuid NOT NULL,
    quantity   integer NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    CONSTRAINT reservations_pkey PRIMARY KEY (profile_id, item_id, holder_id)
);

-- The same beside who holds it: which items of whom. merged_id: which id the item had when it was reserved, if
-- a link has merged it since.
CREATE TABLE held (
    profile_id uuid NOT NULL,
    owner_id   uuid NOT NULL,
    item_id    uuid NOT NULL,
    store_id   uuid NOT NULL,
    merged_id  uuid,
    CONSTRAINT held_pkey PRIMARY KEY (profile_id, owner_id, item_id)
);
