-- The schema version that a program must have at least to run on this schema, because every later migration only adds
-- (rule: migrate-once). A migration that removes or changes something raises it.
CREATE TABLE schema_support (
    oldest_program integer NOT NULL CONSTRAINT schema_support_pkey PRIMARY KEY
) --postgresql
) STRICT, WITHOUT ROWID --sqlite
;
INSERT INTO schema_support VALUES (25);
