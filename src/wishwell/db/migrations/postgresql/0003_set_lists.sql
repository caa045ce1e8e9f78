-- PUT /items/{id}/lists as one round trip (items.set_lists). Each statement of a volatile function
-- sees what is there when it begins: so what follows the lock sees what the lock has waited for
-- (docs/decisions/0013).

-- $1 the profile, $2 its item, $3 the lists that it shall be on, $4 the time. Gives the item as it is
-- then: as it was, should the profile not have all of these lists. Gives nothing where the profile or
-- the item is not there or the session has ended.
CREATE FUNCTION item_set_lists(uuid, uuid, uuid[], text) RETURNS SETOF items
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    removed bigint;
    added bigint;
BEGIN
    PERFORM 1 FROM profiles p WHERE p.profile_id = $1 AND p.closed_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF (SELECT count(*) FROM lists l WHERE l.profile_id = $1 AND l.id = ANY ($3)) = cardinality($3) THEN
        DELETE FROM entries e WHERE e.profile_id = $1 AND e.item_id = $2 AND e.list_id <> ALL ($3);
        GET DIAGNOSTICS removed = ROW_COUNT;
        INSERT INTO entries (profile_id, list_id, item_id, position)
        SELECT i.profile_id, chosen.id, i.id, 0
        FROM items i, unnest($3) AS chosen (id)
        WHERE i.profile_id = $1 AND i.id = $2
        ON CONFLICT (profile_id, list_id, item_id) DO NOTHING;
        GET DIAGNOSTICS added = ROW_COUNT;
        IF removed + added > 0 THEN
            UPDATE items i SET updated_at = CASE WHEN $4 > i.updated_at THEN $4 ELSE i.updated_at END
            WHERE i.profile_id = $1 AND i.id = $2;
        END IF;
    END IF;
    RETURN QUERY SELECT * FROM items i WHERE i.profile_id = $1 AND i.id = $2;
END $$;
