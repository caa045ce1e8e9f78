-- notices: whether notices are made of its items; null where nobody has chosen, as for true. linked_id: of a session,
-- the customer that it was linked to.
ALTER TABLE profiles ADD COLUMN notices INTEGER;
ALTER TABLE profiles ADD COLUMN linked_id TEXT;
CREATE INDEX profiles_linked_idx ON profiles (linked_id) WHERE linked_id IS NOT NULL;
CREATE INDEX profiles_email_idx ON profiles (store_id, lower(email), profile_id) WHERE email IS NOT NULL;

-- After how many months without a request a customer is erased; and since when: nobody counts as seen before that.
ALTER TABLE stores ADD COLUMN forget_customers_after INTEGER;
ALTER TABLE stores ADD COLUMN forget_since TEXT;
CREATE INDEX profiles_customers_idx ON profiles (store_id, touched_at, profile_id) WHERE is_session = 0;

-- Profiles that were erased. Until done_at they are being removed, and nothing of them is shown. Afterwards the key
-- and the last sequence are kept for a while, and no GID.
CREATE TABLE erasures (
    profile_id TEXT NOT NULL CONSTRAINT erasures_pkey PRIMARY KEY,
    store_id   TEXT NOT NULL,
    sequence   INTEGER NOT NULL,
    erased_at  TEXT NOT NULL,
    done_at    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_waiting_idx ON erasures (erased_at, profile_id) WHERE done_at IS NULL;
CREATE INDEX erasures_done_idx ON erasures (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX erasures_store_idx ON erasures (store_id);
CREATE INDEX deliveries_profile_idx ON deliveries (store_id, webhook_id, profile_id) WHERE profile_id IS NOT NULL;
