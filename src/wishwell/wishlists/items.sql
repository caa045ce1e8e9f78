-- item_options: quantity = 1, note = ''
-- item_values: product_id, variant_id, *item_options, tags, list_ids, created_at, updated_at, saved_price = '', purchased = ''
-- item_fields: id, *item_values
-- items_filled: profile_id, store_id, dropped_at = '', restocked_at = '', saved_at = '', *item_fields
-- item_tags_filled: profile_id, item_id, tag, store_id

-- name: item_save
-- An idempotent upsert (rule: save-once). Returns no row if the profile is unknown, closed or full.
-- :most: the item limit. FOR KEY SHARE rechecks an item that was deleted while this waited for the profile's
-- lock. Options are null if missing in the body. changed: the names of fields with a new value. item_save_shown also
-- returns the product's data, as items_shown_page does. A cluster can't read products next to a profile, so the caller
-- reads :saved_price before. Text functions read the price, because a bad row must not fail a save. SQLite needs two
-- statements, because a statement writes to one table only.
WITH saved AS ( --postgresql
INSERT INTO items (profile_id, id, store_id, product_id, variant_id, created_at, updated_at, list_ids, tags,
                   names(item_options), saved_price)
SELECT o.profile_id, :id::uuid, o.store_id, :product_id::text, :variant_id::text, :now::text, :now::text, '', '',
       initial(item_options),
       :saved_price::text --cluster
       coalesce((SELECT (SELECT substr(k.rest, 1, strpos(k.rest, '}')) FROM (SELECT substr(p.known, 12 + coalesce( --single
           nullif(strpos(p.known, '"' || :variant_id::text || '":{"price":'), 0) + length(:variant_id::text), --single
           nullif(strpos(p.known, '"":{"price":'), 0))) AS rest) AS k) --single
           FROM products p WHERE p.store_id = o.store_id AND p.product_id = :product_id::text), '') --single
FROM owner(:profile) AS o
WHERE o.items < :most::bigint
   OR EXISTS (SELECT 1 FROM items n WHERE n.profile_id = :profile
                                      AND n.product_id = :product_id::text AND n.variant_id = :variant_id::text
              FOR KEY SHARE --postgresql
             )
ON CONFLICT (profile_id, product_id, variant_id) DO UPDATE
SET given(item_options, items), changed = changed(item_options, items),
    updated_at = CASE WHEN changed(item_options, items) <> '' AND :now::text > items.updated_at
                      THEN :now::text ELSE items.updated_at END
RETURNING item_fields(items), items.changed, items.id = :id::uuid AS created
          , coalesce((SELECT p.document FROM products p --shown
                      WHERE p.store_id = items.store_id AND p.product_id = items.product_id), --shown
                     (SELECT '{"deleted": true}' FROM deleted_products x --shown
                      WHERE x.store_id = items.store_id AND x.product_id = items.product_id)) AS document, --shown
          (SELECT substr(p.variants, nullif(strpos(p.variants, '{"variantId":"' || items.variant_id || '"'), 0), 10000) --shown
           FROM products p WHERE p.store_id = items.store_id AND p.product_id = items.product_id) AS variant --shown
), counted AS ( --postgresql
    UPDATE profiles SET items = items + 1, changes = changes + 1 --postgresql
    FROM saved WHERE profiles.profile_id = :profile AND saved.created) --postgresql
SELECT * FROM saved; --postgresql
; UPDATE profiles SET items = items + 1, changes = changes + 1 --sqlite
WHERE profile_id = :profile AND EXISTS (SELECT 1 FROM items i WHERE i.profile_id = :profile AND i.id = :id); --sqlite

-- name: item_change
-- Null leaves a field unchanged. Sets updated_at only if something changed (rule: updated-at).
UPDATE items
SET given(item_options, items), changed = changed(item_options, items),
    updated_at = CASE WHEN changed(item_options, items) <> '' AND :now::text > items.updated_at
                      THEN :now::text ELSE items.updated_at END
FROM owner(:profile) AS o
WHERE items.profile_id = :profile AND items.id = :id
RETURNING item_fields(items), items.changed;

-- name: items_delete for postgresql
-- Deletes the given items that have neither lists nor tags, nor reservations. After a wait for the lock, PostgreSQL rechecks the rows that
-- it deletes, but would read the rows of lists and tags from a stale snapshot. SQLite needs two statements, as for
-- item_save.
WITH o AS (SELECT * FROM owner(:profile) AS p),
gone AS (
    DELETE FROM items i USING o
    WHERE i.profile_id = :profile AND i.id in_uuids(:ids) AND i.list_ids = '' AND i.tags = '' AND o.shared = 0
    RETURNING item_fields(i)),
counted AS (
    UPDATE profiles SET items = items - (SELECT count(*) FROM gone), changes = changes + 1
    WHERE profile_id = :profile AND EXISTS (SELECT 1 FROM gone))
SELECT * FROM gone;

-- name: items_delete for sqlite
-- The first statement counts the items that the second one deletes, under the same conditions.
UPDATE profiles
SET items = items - (SELECT count(*) FROM items i WHERE i.profile_id = :profile AND i.id in_uuids(:ids)
                                                    AND i.list_ids = '' AND i.tags = ''),
    changes = changes + 1
WHERE profile_id = :profile AND closed_at IS NULL AND shared = 0;
DELETE FROM items
WHERE profile_id = (SELECT o.profile_id FROM owner(:profile) AS o WHERE o.shared = 0) AND id in_uuids(:ids)
  AND list_ids = '' AND tags = ''
RETURNING item_fields(items);

-- name: TABLE_remove
-- of: items, lists, shares
-- The caller then corrects the profile's counts (profile_count).
DELETE FROM TABLE WHERE profile_id = :profile AND id in_uuids(:ids);

-- name: item_find
-- Finds nothing in a closed profile, so that closing a profile hides all its records in one step.
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.id = :id
AND EXISTS (SELECT 1 FROM profiles o WHERE o.profile_id = :profile AND o.closed_at IS NULL);

-- name: items_known
-- Returns those of the given items that still exist, in the order in which they were saved.
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.id in_uuids(:ids) ORDER BY i.id;

-- name: items_all
-- All items of a profile in the order of their ids, without checking that it is open.
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile ORDER BY i.id;

-- name: item_put
-- each: id uuid, quantity integer, *item_values
-- Overwrites items that the caller has read under the profile's lock.
UPDATE items SET given(item_values, items)
WHERE profile_id = :profile_id AND items.id = :id;

-- name: items_of_products
-- The index of items_variant_key, without which SQLite reads the whole profile; also in wishes_of_products.
SELECT item_fields(i) FROM items i
INDEXED BY sqlite_autoindex_items_2 --sqlite
WHERE i.profile_id = :profile AND i.product_id in_texts(:products);

-- name: product_prices
-- The prices of pairs of product and variant, as JSON; '' for unknown ones.
SELECT w.product_id, w.variant_id,
       (SELECT substr(k.rest, 1, strpos(k.rest, '}')) FROM (SELECT substr(p.known, 12 + coalesce(
           nullif(strpos(p.known, '"' || w.variant_id || '":{"price":'), 0) + length(w.variant_id),
           nullif(strpos(p.known, '"":{"price":'), 0))) AS rest) AS k)
FROM unnest(:products::text[], :variants::text[]) AS w (product_id, variant_id) --postgresql
FROM (SELECT a.value AS product_id, json_extract(:variants, a.fullkey) AS variant_id --sqlite
      FROM json_each(:products) a) AS w --sqlite
JOIN products p ON p.store_id = :store AND p.product_id = w.product_id; --postgresql
CROSS JOIN products p ON p.store_id = :store AND p.product_id = w.product_id; --sqlite

-- name: profile_items
-- The stored count, which limits compare, instead of count(*).
SELECT items FROM profiles WHERE profile_id = :profile;

-- name: items_page
-- db/pages.py adds conditions, the order by id, which is by age (rule: cursor-pagination), and the limit. {beyond} becomes
-- a column that shows whether there are records on the other side of the cursor.
SELECT item_fields(i){beyond} FROM items i WHERE i.profile_id = :owner;

-- name: store_items_page
-- Items of open profiles, with their owners' GIDs.
SELECT item_fields(i), p.gid{beyond}
FROM items i JOIN profiles p ON p.profile_id = i.profile_id
WHERE i.store_id = :owner AND p.closed_at IS NULL;

-- name: item_tags_clear
-- Removes all tags of the items; the caller then adds the new tags.
DELETE FROM item_tags WHERE profile_id = :profile AND item_id in_uuids(:ids);
