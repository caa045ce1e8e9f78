import Database from 'better-sqlite3';

const FIELDS = 'id, product_id, variant_id, quantity, tags, note, list_ids, created_at, updated_at';
const PAGE = (conditions) =>
  `SELECT ${FIELDS} FROM items WHERE profile_id = ? ${conditions} ORDER BY id DESC LIMIT ?`;
const AMONG = 'AND product_id IN (SELECT value FROM json_each(?))';

export function open(url) {
  const database = new Database(url.replace('sqlite:///', ''), { fileMustExist: true });
  // As durable as Wishwell's.
  database.pragma('synchronous = FULL');
  const first = database.prepare(PAGE(''));
  const before = database.prepare(PAGE('AND id < ?'));
  const among = database.prepare(PAGE(AMONG));
  const amongBefore = database.prepare(PAGE(`${AMONG} AND id < ?`));
  const item = database.prepare(`SELECT ${FIELDS} FROM items WHERE profile_id = ? AND id = ?`);
  const insert = database.prepare(`
    INSERT INTO items (profile_id, id, store_id, product_id, variant_id, quantity, tags, note, list_ids,
                       created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, '', '', '', ?, ?)
    ON CONFLICT (profile_id, product_id, variant_id)
    DO UPDATE SET quantity = excluded.quantity, updated_at = excluded.updated_at
    RETURNING ${FIELDS}`);
  const count = database.prepare('UPDATE profiles SET items = items + 1 WHERE profile_id = ?');
  const save = database.transaction((profile, id, store, product, variant, quantity, now) => {
    const row = insert.get(profile, id, store, product, variant, quantity, now, now);
    row.created = row.id === id;
    if (row.created) count.run(profile);
    return row;
  });
  return {
    close: () => database.close(),
    page(profile, last, products, limit) {
      const wanted = products && JSON.stringify(products);
      if (wanted && last) return amongBefore.all(profile, wanted, last, limit);
      if (wanted) return among.all(profile, wanted, limit);
      return last ? before.all(profile, last, limit) : first.all(profile, limit);
    },
    item: (profile, id) => item.get(profile, id),
    // The write lock is taken at the start, so that no transaction fails on a later upgrade.
    save: (...values) => save.immediate(...values),
  };
}
