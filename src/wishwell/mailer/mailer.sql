-- name: mail_name_products
UPDATE mails SET products = :products WHERE profile_id = :profile AND id = :id;

-- name: mail_items
-- Items of a mail that weren't bought since they were last saved.
SELECT item_fields(i) FROM items i WHERE i.profile_id = :profile AND i.id in_uuids(:ids) AND is_wanted(i);
