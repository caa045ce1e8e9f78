-- Failed deliveries of a webhook, newest first, which are few of many.
CREATE INDEX CONCURRENTLY deliveries_failed_idx ON deliveries (store_id, webhook_id, id) WHERE status = 'failed';
