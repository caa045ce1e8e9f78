-- The last import of each store's catalogue, for the metrics (importers/catalogue_summary.py).
CREATE TABLE catalogue_runs (
    store_id    uuid NOT NULL CONSTRAINT catalogue_runs_pkey PRIMARY KEY --postgresql
    store_id    TEXT NOT NULL CONSTRAINT catalogue_runs_pkey PRIMARY KEY --sqlite
        CONSTRAINT catalogue_runs_store_id_fkey REFERENCES stores (id),
    finished_at text NOT NULL,
    imported    integer NOT NULL,
    refused     integer NOT NULL,
    lost        integer NOT NULL
) --postgresql
) STRICT --sqlite
;
