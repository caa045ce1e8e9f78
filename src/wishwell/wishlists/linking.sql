-- Rows are copied to the customer and deleted, because a row's profile_id, by which it is sharded, never changes.


-- name: link_copy_items
-- This and the next three copy all records of a session that move unchanged.
INSERT INTO items (profile_id, store_id, dropped_at, restocked_at, saved_at, names(item_fields))
SELECT :customer::uuid, i.store_id, i.dropped_at, i.restocked_at, i.saved_at, item_fields(i)
FROM items i WHERE i.profile_id = :session;

-- name: link_copy_item_tags
INSERT INTO item_tags (profile_id, item_id, tag, store_id)
SELECT :customer::uuid, t.item_id, t.tag, t.store_id
FROM item_tags t WHERE t.profile_id = :session;

-- name: link_copy_lists
INSERT INTO lists (profile_id, store_id, shared, names(list_fields))
SELECT :customer::uuid, l.store_id, l.shared, list_fields(l)
FROM lists l WHERE l.profile_id = :session;

-- name: link_copy_entries
INSERT INTO entries (profile_id, list_id, item_id, position)
SELECT :customer::uuid, e.list_id, e.item_id, e.position
FROM entries e WHERE e.profile_id = :session;

-- name: link_entries
-- Includes entries without a position (0).
SELECT list_id, item_id, position FROM entries WHERE profile_id = :profile AND list_id in_uuids(:lists);

-- name: link_notice_times
-- Only items that ever caused a notice.
SELECT id, dropped_at, restocked_at FROM items WHERE profile_id = :profile AND (dropped_at > '' OR restocked_at > '');

-- name: link_set_notice_times
-- each: id uuid, dropped_at, restocked_at
-- Keeps the later one of the old and the new time.
UPDATE items
SET dropped_at = CASE WHEN :dropped_at > items.dropped_at THEN :dropped_at ELSE items.dropped_at END,
    restocked_at = CASE WHEN :restocked_at > items.restocked_at THEN :restocked_at ELSE items.restocked_at END
WHERE profile_id = :profile AND items.id = :id;

-- name: lists_recount
-- Writes only lists whose stored count is wrong.
UPDATE lists
SET item_count = (SELECT count(*) FROM entries e WHERE e.profile_id = :profile AND e.list_id = lists.id)
WHERE profile_id = :profile
  AND item_count <> (SELECT count(*) FROM entries e WHERE e.profile_id = :profile AND e.list_id = lists.id);

-- name: link_move_shares
-- Copies the remaining shares, those of lists that move. No other column changes, so that their tokens stay valid.
INSERT INTO shares (profile_id, store_id, names(share_fields))
SELECT :customer::uuid, s.store_id, share_fields(s)
FROM shares s WHERE s.profile_id = :session;

-- name: link_move_tokens
-- Directs the shares' tokens to the customer. The hash is the key, so the row stays on its shard.
UPDATE share_tokens SET profile_id = :profile WHERE hash in_texts(:hashes);

-- name: link_leave_TABLE
-- of: entries, held, item_tags, items, lists, mails, removed_items, reservations, shares
-- Deletes the rows that the session still has, after copying or merging.
DELETE FROM TABLE WHERE profile_id = :profile;

-- name: profile_recount
-- Counts all records again. Null leaves the address and the choice unchanged, and so does a value of its own.
UPDATE profiles
SET items = (SELECT count(*) FROM items i WHERE i.profile_id = :profile),
    lists = (SELECT count(*) FROM lists l WHERE l.profile_id = :profile),
    email = coalesce(email, :email::text), notices = coalesce(notices, :notices::smallint),
    shared = CASE WHEN :shared = 1 THEN 1 ELSE shared END, changes = changes + 1
WHERE profile_id = :profile;
