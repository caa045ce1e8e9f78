-- In JSON: how the shop links its products, and pages of its own in place of the service's.
ALTER TABLE stores ADD COLUMN pages text NOT NULL DEFAULT '{}';
