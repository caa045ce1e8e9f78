-- PUT /items/{id}/lists within the bounds of a list and of a profile: item_set_lists of 0003, with two more
-- arguments. That one stays, for processes of the release before.

-- $1 the profile, $2 its item, $3 the lists that it shall be on, $4 the time, $5 how many entries the
-- profile may have, $6 how many one list. Gives the item as it is then: as it was, should the profile not
-- have all of these lists, or should a bound be passed. Gives nothing where the profile or the item is not
-- there or the session has ended.
CREATE FUNCTION item_set_lists(uuid, uuid, uuid[], text, bigint, bigint) RETURNS SETOF items
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    added uuid[];
    removed bigint;
BEGIN
    PERFORM 1 FROM profiles p WHERE p.profile_id = $1 AND p.closed_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    added := ARRAY(SELECT l.id FROM lists l WHERE l.profile_id = $1 AND l.id = ANY ($3) AND NOT EXISTS (
        SELECT 1 FROM entries e WHERE e.profile_id = $1 AND e.list_id = l.id AND e.item_id = $2));
    removed := (SELECT count(*) FROM entries e
                WHERE e.profile_id = $1 AND e.item_id = $2 AND e.list_id <> ALL ($3));
    IF cardinality(added) + removed > 0
        AND (SELECT count(*) FROM lists l WHERE l.profile_id = $1 AND l.id = ANY ($3)) = cardinality($3)
        AND (cardinality(added) <= removed
            OR (SELECT count(*) FROM entries e WHERE e.profile_id = $1)
               + cardinality(added) - removed <= $5)
        AND (cardinality(added) = 0
            OR NOT EXISTS (SELECT 1 FROM entries e WHERE e.profile_id = $1 AND e.list_id = ANY (added)
                            GROUP BY e.list_id HAVING count(*) >= $6))
    THEN
        DELETE FROM entries e WHERE e.profile_id = $1 AND e.item_id = $2 AND e.list_id <> ALL ($3);
        INSERT INTO entries (profile_id, list_id, item_id, position)
        SELECT i.profile_id, chosen.id, i.id, 0
        FROM items i, unnest(added) AS chosen (id)
        WHERE i.profile_id = $1 AND i.id = $2;
        UPDATE items i SET updated_at = CASE WHEN $4 > i.updated_at THEN $4 ELSE i.updated_at END
        WHERE i.profile_id = $1 AND i.id = $2;
    END IF;
    RETURN QUERY SELECT * FROM items i WHERE i.profile_id = $1 AND i.id = $2;
END $$;
