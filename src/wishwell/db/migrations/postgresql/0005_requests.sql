-- What a store's platform asked for: somebody's data, to erase somebody, or to delete the store. state: waiting, and then
-- how it ended. due_at: when there is something to do with it next; of an export, when it ends. profile_id and gid: of the
-- customer; gid only while it waits, profile_id also while there is an export. What adds one has locked the store.
CREATE TABLE requests (
    store_id    uuid NOT NULL,
    id          uuid NOT NULL,
    topic       text NOT NULL,
    state       text NOT NULL,
    received_at text COLLATE "C" NOT NULL,
    due_at      text COLLATE "C",
    done_at     text COLLATE "C",
    body_hash   text COLLATE "C" NOT NULL,
    delivery_id text COLLATE "C" NOT NULL,
    profile_id  uuid,
    gid         text,
    export      text,
    CONSTRAINT requests_pkey PRIMARY KEY (store_id, id)
);

CREATE INDEX requests_delivery_idx ON requests (store_id, delivery_id);
CREATE INDEX requests_body_idx ON requests (store_id, body_hash, received_at);
CREATE INDEX requests_due_idx ON requests (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX requests_profile_idx ON requests (store_id, profile_id) WHERE profile_id IS NOT NULL;
