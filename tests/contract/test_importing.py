"""Imports of hand-made files, and into a store that has the records already."""

import json

from msgspec import UNSET

from tests.contract.moved import delete, export, exported, load
from wishwell import ids, products, profiles
from wishwell.contacts import addresses, suppressions
from wishwell.products.money import Money
from wishwell.profiles import records
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import items, lists, shares


def hand_made(bench, folder, *lines):
    """Writes an export file of an empty store's first line and the given ones; returns its path."""
    first, *_ = export(bench, bench.new_store()).splitlines()
    path = folder / "made.jsonl"
    path.write_text("\n".join([first, *map(json.dumps, lines), ""]))
    return path


def test_import_uses_defaults_for_omitted_optional_fields(bench, store, tmp_path):
    """Lines with only the required fields are imported with the defaults of the others.
    Rules: import-checked, import-exact."""
    at = ids.timestamp(bench.clock.milliseconds)
    gid, times = "gid://shopify/Customer/1", {"createdAt": at, "updatedAt": at}
    lines = [
        {"profile": {"gid": gid, "createdAt": at, "touchedAt": at}},
        {"list": {"id": bench.new_id(), "name": "Mine", **times}},
        {"item": {"id": bench.new_id(), "productId": 7, **times}},
        {"end": {"profiles": 1, "lists": 1, "items": 1}},
    ]
    load(bench, hand_made(bench, tmp_path, *lines), store.handle)
    customer = profiles.of_customer(store, gid)
    [item] = bench.read(items.page, customer, PageRequest(None, 9)).records
    assert (item.quantity, item.tags, item.list_ids) == (1, [], [])
    assert (item.variant_id, item.note) == (UNSET, UNSET)
    [made] = bench.read(lists.page, customer, PageRequest(None, 9)).records
    assert (made.name, made.item_count) == ("Mine", 0)
    shown = bench.read(records.find, customer)
    assert (shown.items, shown.lists, shown.email, shown.notices) == (1, 1, UNSET, None)


def test_import_restores_lost_records_and_changes_nothing_else(bench, tmp_path):
    """An import restores what a profile has lost (shares, items, lists, itself), and changes nothing else.
    Rules: import-twice, export-whole."""
    store = bench.new_store()
    customer = bench.new_customer(store)
    shared, private = bench.new_list(customer, "Shared").id, bench.new_list(customer, "Private").id
    bench.save(customer, 1, list_ids=(shared, private), tags=("a", "b"))
    bench.save(customer, 2, tags=("c",))
    bench.share(customer, shared)
    bench.write(addresses.remember, customer, "a@shop.example", bench.clock.tick())
    facts = products.ProductData("A title", "https://shop.example/1", price=Money("9.50", "EUR"))
    for id in ("1", "2", "3"):
        new = [products.NewProduct(id, facts, ())], [bench.new_id()], bench.clock.tick()
        bench.write(products.put, store, *new)
    file = exported(bench, store, tmp_path)
    before = export(bench, store)
    assert [line[:10] for line in before.splitlines()].count('{"product"') == 3
    load(bench, file, store.handle)
    assert export(bench, store) == before
    mine = f"WHERE profile_id = '{customer.id}'"
    lost = ["share_tokens", "shares"], ["entries", "item_tags", "items", "lists", "profiles"]
    for tables in ([], lost[0], [*lost[0], *lost[1]]):
        for table in tables:
            bench.execute(f"DELETE FROM {table} {mine}")
        bench.execute(f"UPDATE profiles SET email = NULL {mine}")
        bench.execute(f"UPDATE lists SET shared = 0 {mine}")
        load(bench, file, store.handle)
        bench.check(customer)
        assert export(bench, store) == before


def test_suppressed_addresses_move_only_with_their_store(bench, tmp_path):
    """An import adds the suppressed addresses of its store, also where the address was only refused
    once, and none to another store. Rules: import-store, import-twice, mail-suppressed."""
    store, other = bench.new_store(), bench.new_store()
    found = []
    for name in ("ann", "ben"):
        hash = suppressions.address_hash(store.id, f"{name}@shop.example")
        bench.write(suppressions.add, store, hash, "unsubscribed", bench.clock.tick())
        found.append((hash, "unsubscribed"))
    bench.save(bench.new_customer(store), 1)
    file, before = exported(bench, store, tmp_path), export(bench, store)
    sql = "SELECT address, reason FROM suppressions WHERE store_id = $1 ORDER BY address"
    load(bench, file, other.handle)
    assert bench.select(sql, other.id) == []
    bench.execute(f"DELETE FROM suppressions WHERE store_id = '{store.id}'")
    bench.write(suppressions.note_refusal, store, found[0][0], bench.clock.tick())
    load(bench, file, store.handle)
    assert bench.select(sql, store.id) == sorted(found)
    bench.execute(f"UPDATE suppressions SET refused_day = '' WHERE store_id = '{store.id}'")
    assert export(bench, store) == before


NOTES = ["\\N", "\\", "a\\tb\\x41", "\\.", "é😀", "", "{}", '"', "a\nb"]
"""Texts that mean something to the COPY of PostgreSQL, by which many rows are written."""


def test_share_of_the_whole_wishlist_survives_an_import(bench, tmp_path):
    """A profile that has shared its whole wishlist has also shared it in the store that the file is
    imported into. Rule: export-whole."""
    store = bench.new_store()
    owner = bench.new_customer(store)
    bench.save(owner)
    bench.share(owner, shares.WHOLE)
    written = export(bench, store)
    path = exported(bench, store, tmp_path)
    delete(bench, store)
    _, store = load(bench, path, store.handle)
    [line] = [line for line in written.splitlines() if line.startswith('{"profile"')]
    assert json.loads(line)["profile"]["shared"] is True
    assert line in export(bench, store).splitlines()


def test_import_of_many_rows_keeps_every_text_and_missing_value(bench, tmp_path):
    """A backslash or line break in a note stays, and an empty value remains empty. Rule: import-exact."""
    store = bench.new_store()
    for number in range(60):
        bench.save(bench.new_customer(store), note=NOTES[number % len(NOTES)])
    bench.new_session(store)
    columns = "p.gid, p.is_session, p.email, p.closed_at, p.linked_id, i.note, i.variant_id"
    rows = f"SELECT {columns} FROM profiles p LEFT JOIN items i ON i.profile_id = p.profile_id"
    rows += f" WHERE p.store_id = '{store.id}' ORDER BY p.gid"
    before, path = bench.select(rows), exported(bench, store, tmp_path)
    assert {row[5] for row in before} == {*NOTES, None}
    delete(bench, store)
    load(bench, path, store.handle)
    assert bench.select(rows) == before
