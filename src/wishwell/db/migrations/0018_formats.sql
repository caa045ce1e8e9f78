-- Webhooks that send in the format of a marketing tool. format: '' for the service's own.
ALTER TABLE webhooks ADD COLUMN format text NOT NULL DEFAULT '';
-- What is added to events: '' or 'product'.
ALTER TABLE webhooks ADD COLUMN include text NOT NULL DEFAULT '';
-- How many events the format has no request for.
ALTER TABLE webhooks ADD COLUMN skipped integer NOT NULL DEFAULT 0;
-- Why the webhook was turned off; '' if a person did it.
ALTER TABLE webhooks ADD COLUMN problem text NOT NULL DEFAULT '';
-- Until when nothing is sent, because the receiver sent Retry-After; '' if it may be sent to.
ALTER TABLE webhooks ADD COLUMN wait_until text NOT NULL DEFAULT '';
-- What the receiver answered when it refused the event, or why nothing was sent.
ALTER TABLE deliveries ADD COLUMN answer text NOT NULL DEFAULT '';
