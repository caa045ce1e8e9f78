-- The moment at which the day began, by the time zone that the store had then; '' of counts before this column.
ALTER TABLE counts ADD COLUMN day_began_at text NOT NULL DEFAULT '';
