-- What a store's platform asked for: somebody's data, to erase somebody, or to delete the store. state: waiting, and then
-- how it ended. due_at: when there is something to do with it next; of an export, when it ends. profile_id and gid: of the
-- customer; gid only while it waits, profile_id also while there is an export. What adds one has locked the store.
CREATE TABLE requests (
    store_id    TEXT NOT NULL,
    id          TEXT NOT NULL,
    topic       TEXT NOT NULL,
    state       TEXT NOT NULL,
    received_at TEXT NOT NULL,
    due_at      TEXT,
    done_at     TEXT,
    body_hash   TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    profile_id  TEXT,
    gid         TEXT,
    export      TEXT,
    CONSTRAINT requests_pkey PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_delivery_idx ON requests (store_id, delivery_id);
CREATE INDEX requests_body_idx ON requests (store_id, body_hash, received_at);
CREATE INDEX requests_due_idx ON requests (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX requests_profile_idx ON requests (store_id, profile_id) WHERE profile_id IS NOT NULL;
