import pg from 'pg';

const FIELDS = 'id, product_id, variant_id, quantity, tags, note, list_ids, created_at, updated_at';
const PAGE = (conditions) =>
  `SELECT ${FIELDS} FROM items WHERE profile_id = $1 ${conditions} ORDER BY id DESC LIMIT $2`;
const SAVE = `
  WITH saved AS (
    INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, tags, note, list_ids,
                       created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, '', '', '', $7, $7)
    ON CONFLICT (profile_id, product_id, variant_id)
    DO UPDATE SET quantity = excluded.quantity, updated_at = excluded.updated_at
    RETURNING ${FIELDS}, id = $2 AS created
  ), counted AS (
    UPDATE profiles SET items = items + 1 FROM saved WHERE profiles.profile_id = $1 AND saved.created
  )
  SELECT * FROM saved`;

export function open(url) {
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  // A named statement is prepared once per connection.
  const rows = async (name, text, values) => (await pool.query({ name, text, values })).rows;
  return {
    close: () => pool.end(),
    page(profile, before, products, limit) {
      if (products && before)
        return rows('products_before', PAGE('AND product_id = ANY($3) AND id < $4'), [
          profile,
          limit,
          products,
          before,
        ]);
      if (products)
        return rows('products', PAGE('AND product_id = ANY($3)'), [profile, limit, products]);
      if (before) return rows('before', PAGE('AND id < $3'), [profile, limit, before]);
      return rows('first', PAGE(''), [profile, limit]);
    },
    item: async (...values) =>
      (
        await rows('item', `SELECT ${FIELDS} FROM items WHERE profile_id = $1 AND id = $2`, values)
      )[0],
    save: async (...values) => (await rows('save', SAVE, values))[0],
  };
}
