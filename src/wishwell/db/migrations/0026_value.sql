-- value: in JSON, what the wishes were worth by currency (rule: report-value); '' for counts of earlier versions.
ALTER TABLE counts ADD COLUMN value text NOT NULL DEFAULT '';
