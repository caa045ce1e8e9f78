-- details: in JSON, what only the last count of a store has (rules: report-dropped, report-shoppers); '' for others.
ALTER TABLE counts ADD COLUMN details text NOT NULL DEFAULT '';
