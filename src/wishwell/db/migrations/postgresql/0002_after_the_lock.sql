-- What a write answers of `entries`. A statement sees what was there when it began, also after it has
-- waited for its profile's lock; a volatile function sees what is there when it is called
-- (docs/decisions/0013).

CREATE FUNCTION item_lists(uuid, uuid) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT string_agg(e.list_id::text, ' ' ORDER BY e.list_id) FROM entries e
            WHERE e.profile_id = $1 AND e.item_id = $2);
END $$;

CREATE FUNCTION list_size(uuid, uuid) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT count(*) FROM entries e WHERE e.profile_id = $1 AND e.list_id = $2);
END $$;
