-- item_fields: id, product_id, variant_id, quantity, tags, note, list_ids, created_at, updated_at
-- items_filled: profile_id, id, store_id, product_id, variant_id, quantity, created_at, updated_at, dropped_at, restocked_at, list_ids, tags, note
-- item_tags_filled: profile_id, item_id, tag, store_id

-- name: item_save
-- Saving twice is saving once (contract: save-once, save-again). No row if the profile is unknown, closed or full;
-- `most`: how many items it may have. FOR KEY SHARE looks again at an item that went while this waited for the profile.
-- quantity and note are null where the body names none. `changed`: the fields that have another value now. Differs
-- because SQLite writes to one table in a statement.
WITH saved AS ( --postgresql
INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, created_at, updated_at,
                   list_ids, tags, note)
SELECT o.profile_id, :id::uuid, o.store_id, :product_id::text, :variant_id::text, coalesce(:quantity::integer, 1),
       :now::text, :now::text, '', '', coalesce(:note::text, '')
FROM owner(:profile) AS o
WHERE o.items < :most::bigint
   OR EXISTS (SELECT 1 FROM items n WHERE n.profile_id = :profile
                                      AND n.product_id = :product_id::text AND n.variant_id = :variant_id::text
              FOR KEY SHARE --postgresql
             )
ON CONFLICT (profile_id, product_id, variant_id) DO UPDATE
SET quantity = coalesce(:quantity::integer, items.quantity),
    note = coalesce(:note::text, items.note),
    changed = CASE WHEN :quantity::integer <> items.quantity THEN ' quantity' ELSE '' END
           || CASE WHEN :note::text <> items.note THEN ' note' ELSE '' END,
    updated_at = CASE WHEN (coalesce(:quantity::integer, items.quantity), coalesce(:note::text, items.note))
                           <> (items.quantity, items.note)
                       AND :now::text > items.updated_at THEN :now::text ELSE items.updated_at END
RETURNING item_fields(items), items.changed, items.id = :id::uuid AS created
), counted AS ( --postgresql
    UPDATE profiles SET items = items + 1, changes = changes + 1 --postgresql
    FROM saved WHERE profiles.profile_id = :profile AND saved.created) --postgresql
SELECT * FROM saved; --postgresql
; UPDATE profiles SET items = items + 1, changes = changes + 1 --sqlite
WHERE profile_id = :profile AND EXISTS (SELECT 1 FROM items i WHERE i.profile_id = :profile AND i.id = :id); --sqlite

-- name: item_change
-- Null leaves a field as it is. updated_at moves only when something changed (contract: item-updated-at).
UPDATE items
SET product_id = coalesce(:product_id::text, items.product_id),
    variant_id = coalesce(:variant_id::text, items.variant_id),
    quantity = coalesce(:quantity::integer, items.quantity),
    note = coalesce(:note::text, items.note),
    changed = CASE WHEN :product_id::text <> items.product_id THEN ' productId' ELSE '' END
           || CASE WHEN :variant_id::text <> items.variant_id THEN ' variantId' ELSE '' END
           || CASE WHEN :quantity::integer <> items.quantity THEN ' quantity' ELSE '' END
           || CASE WHEN :note::text <> items.note THEN ' note' ELSE '' END,
    updated_at = CASE WHEN (coalesce(:product_id::text, items.product_id),
                            coalesce(:variant_id::text, items.variant_id),
                            coalesce(:quantity::integer, items.quantity), coalesce(:note::text, items.note))
                           <> (items.product_id, items.variant_id, items.quantity, items.note)
                       AND :now::text > items.updated_at THEN :now::text ELSE items.updated_at END
FROM owner(:profile) AS o
WHERE items.profile_id = :profile AND items.id = :id
RETURNING item_fields(items), items.changed;

-- name: items_delete for postgresql
-- Those of these items that are on no list and have no tags. Others' rows would be seen as they were before a wait for
-- the lock; the items' own are looked at again. Differs as item_save does.
WITH o AS (SELECT * FROM owner(:profile) AS p),
gone AS (
    DELETE FROM items i USING o
    WHERE i.profile_id = :profile AND i.id in_uuids(:ids) AND i.list_ids = '' AND i.tags = ''
    RETURNING item_fields(i)),
counted AS (
    UPDATE profiles SET items = items - (SELECT count(*) FROM gone), changes = changes + 1
    WHERE profile_id = :profile AND EXISTS (SELECT 1 FROM gone))
SELECT * FROM gone;

-- name: items_delete for sqlite
UPDATE profiles
SET items = items - (SELECT count(*) FROM items i WHERE i.profile_id = :profile AND i.id in_uuids(:ids)
                                                    AND i.list_ids = '' AND i.tags = ''),
    changes = changes + 1
WHERE profile_id = :profile AND closed_at IS NULL;
DELETE FROM items
WHERE profile_id = (SELECT o.profile_id FROM owner(:profile) AS o) AND id in_uuids(:ids)
  AND list_ids = '' AND tags = ''
RETURNING item_fields(items);

-- name: TABLE_remove
-- of: items, lists, shares
-- profile_count follows.
DELETE FROM TABLE WHERE profile_id = :profile AND id in_uuids(:ids);

-- name: item_find
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.id = :id;

-- name: items_known
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.id in_uuids(:ids);

-- name: items_all
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile ORDER BY i.id;

-- name: item_put
UPDATE items
SET product_id = :product_id, variant_id = :variant_id, quantity = :quantity, created_at = :created_at,
    updated_at = :updated_at, list_ids = :list_ids, tags = :tags, note = :note
WHERE profile_id = :profile_id AND id = :id;

-- name: items_of_products
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.product_id in_texts(:products);

-- name: profile_items
SELECT items FROM profiles WHERE profile_id = :profile;

-- name: items_page
-- db/pages.py adds the rest: by id, which is by age (contract: page-order). {beyond} tells whether anything lies on the
-- other side of its cursor.
SELECT item_fields(i){beyond} FROM items i WHERE i.profile_id = :owner;

-- name: store_items_page
SELECT item_fields(i), p.gid{beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :owner AND shown(i);

-- name: item_tags_clear
DELETE FROM item_tags WHERE profile_id = :profile AND item_id in_uuids(:ids);
