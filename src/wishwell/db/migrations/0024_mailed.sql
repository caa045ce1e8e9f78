-- products: the ids of the products that a mail named when it was last composed.
ALTER TABLE mails ADD COLUMN products text NOT NULL DEFAULT '';
-- mailed: 1 if a mail had named the product to the buyer in the seven days before the order.
ALTER TABLE purchases ADD COLUMN mailed integer NOT NULL DEFAULT 0;
