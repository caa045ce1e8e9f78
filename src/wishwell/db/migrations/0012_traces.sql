-- The traceparent of the request that caused the event (W3C Trace Context); '' if it had none.
ALTER TABLE events ADD COLUMN traceparent text NOT NULL DEFAULT '';
