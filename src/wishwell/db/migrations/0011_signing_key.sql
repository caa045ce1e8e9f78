-- The id of the signing key that the service last started with (rule: signing-keys). It has one row.
CREATE TABLE signing_key (
    name   text NOT NULL CONSTRAINT signing_key_pkey PRIMARY KEY,
    key_id text NOT NULL
) --postgresql
) STRICT --sqlite
;
