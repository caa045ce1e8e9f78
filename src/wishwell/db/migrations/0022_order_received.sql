-- When the row was created, which tells an order from the same one that was forgotten and sent again. Earlier rows have
-- the same time.
ALTER TABLE orders ADD COLUMN received_at text COLLATE "C" NOT NULL DEFAULT '1970-01-01T00:00:00.000Z'; --postgresql
ALTER TABLE orders ADD COLUMN received_at text NOT NULL DEFAULT '1970-01-01T00:00:00.000Z'; --sqlite
