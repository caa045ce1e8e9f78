-- Times are RFC 3339 text (docs/decisions/0003): they sort as they are, and a page is answered
-- without converting any. variant_id is 0 where there is none: a NULL would slip through the
-- unique constraint, and SQLite 3.40 has no NULLS NOT DISTINCT.

CREATE TABLE stores (
    id         TEXT NOT NULL CONSTRAINT stores_pkey PRIMARY KEY,
    handle     TEXT NOT NULL CONSTRAINT stores_handle_key UNIQUE,
    platform   TEXT NOT NULL,
    auth_flow  TEXT NOT NULL,
    origins    TEXT NOT NULL,
    limits     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX stores_updated_at_idx ON stores (updated_at);

CREATE TABLE admin_tokens (
    id           TEXT NOT NULL CONSTRAINT admin_tokens_pkey PRIMARY KEY,
    store_id     TEXT NOT NULL CONSTRAINT admin_tokens_store_id_fkey REFERENCES stores (id),
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

CREATE TABLE profiles (
    profile_id TEXT NOT NULL CONSTRAINT profiles_pkey PRIMARY KEY,
    store_id   TEXT NOT NULL CONSTRAINT profiles_store_id_fkey REFERENCES stores (id),
    gid        TEXT NOT NULL,
    is_session INTEGER NOT NULL,
    email      TEXT,
    created_at TEXT NOT NULL,
    touched_at TEXT NOT NULL,
    closed_at  TEXT
) STRICT, WITHOUT ROWID;

-- The purge walks sessions in the order in which they were last touched.
CREATE INDEX profiles_sessions_idx ON profiles (touched_at) WHERE is_session = 1;

CREATE TABLE items (
    profile_id TEXT NOT NULL
        CONSTRAINT items_profile_id_fkey REFERENCES profiles (profile_id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    product_id INTEGER NOT NULL,
    variant_id INTEGER NOT NULL,
    quantity   INTEGER NOT NULL,
    tags       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT items_pkey PRIMARY KEY (profile_id, id),
    CONSTRAINT items_variant_key UNIQUE (profile_id, product_id, variant_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX items_store_idx ON items (store_id, id);
CREATE INDEX items_store_product_idx ON items (store_id, product_id, id);
CREATE INDEX items_store_variant_idx ON items (store_id, variant_id, id) WHERE variant_id <> 0;

-- Finds a tag in a whole store; items.tags is what is read. Written with it, in one place.
CREATE TABLE item_tags (
    profile_id TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    tag        TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    CONSTRAINT item_tags_pkey PRIMARY KEY (profile_id, item_id, tag),
    CONSTRAINT item_tags_item_fkey FOREIGN KEY (profile_id, item_id)
        REFERENCES items (profile_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX item_tags_store_idx ON item_tags (store_id, tag, item_id);

CREATE TABLE lists (
    profile_id TEXT NOT NULL
        CONSTRAINT lists_profile_id_fkey REFERENCES profiles (profile_id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    store_id   TEXT NOT NULL,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT lists_pkey PRIMARY KEY (profile_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX lists_store_idx ON lists (store_id, id);

-- Which items are on which lists. position is 0 until an order places the item.
CREATE TABLE entries (
    profile_id TEXT NOT NULL,
    list_id    TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    position   INTEGER NOT NULL,
    CONSTRAINT entries_pkey PRIMARY KEY (profile_id, list_id, item_id),
    CONSTRAINT entries_list_fkey FOREIGN KEY (profile_id, list_id)
        REFERENCES lists (profile_id, id) ON DELETE CASCADE,
    CONSTRAINT entries_item_fkey FOREIGN KEY (profile_id, item_id)
        REFERENCES items (profile_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX entries_item_idx ON entries (profile_id, item_id, list_id);

-- When each kind of housekeeping was last begun, by whichever process.
CREATE TABLE turns (
    name     TEXT NOT NULL CONSTRAINT turns_pkey PRIMARY KEY,
    taken_at TEXT NOT NULL
) STRICT;
