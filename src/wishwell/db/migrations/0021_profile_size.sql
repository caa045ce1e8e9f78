-- How many items PostgreSQL expects of a profile, from the next ANALYZE on: 20, although most visitors save one. With
-- one, any index that begins with the profile seems as good as the item's own key, and whole profiles would be read.
-- Citus doesn't support the option.
DO $$ BEGIN ALTER TABLE items ALTER COLUMN profile_id SET (n_distinct = -0.05); EXCEPTION WHEN feature_not_supported THEN NULL; END $$; --postgresql
