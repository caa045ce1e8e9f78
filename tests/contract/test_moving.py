"""What an export writes, and what an import does with it, on both engines."""

import asyncio
import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import bounds, new_item
from wishwell import (
    deletion,
    events,
    exporting,
    importing,
    items,
    linking,
    lists,
    profiles,
    reserving,
    shares,
    stores,
    transfer,
)
from wishwell.errors import Conflict, Gone, Invalid
from wishwell.ids import NO_UUID
from wishwell.import_file import ImportFile

NOW = "2026-01-01T00:00:00.000Z"
numbers = itertools.count()


def export(bench, store, between=None):
    """The lines of a store; ``between`` is called when the first of them were read."""

    async def read():
        found = b""
        async for piece in exporting.lines(bench.db, store.handle, NOW, exporting.Counts()):
            found += piece
            if between is not None and found.count(b"\n") == 1:
                await between()
        return found

    return bench.run(read()).decode()


def load(bench, path, handle, *, dry=False, steps=None):
    """Imports a file; only so many steps of it, where they are given."""
    file = ImportFile(str(path))
    file.check()
    assert not file.errors

    async def add():
        how = await bench.db.read(importing.plan, file, handle)
        store = await bench.db.write(importing.take_store, None, file, handle, [], NOW)
        counts = importing.Counts()
        work: Any = importing.load(bench.db, file, store, dry=dry, how=how)
        number = 0
        async for counts in work:  # noqa: B007
            number += 1
            if number == steps:
                break
        await work.aclose()
        return counts, store

    return bench.run(add())


def delete(bench, store):
    async def remove():
        doomed = await bench.db.write(deletion.begin, store.handle, NOW)
        return [gone async for gone in deletion.run(bench.db, doomed)]

    return bench.run(remove())


@pytest.fixture
def shop(bench):
    """A store of which a customer holds something."""
    store = bench.new_store(f"moving-{next(numbers)}")
    return store, wish(bench, bench.new_customer(store), 1, 2)


def wish(bench, profile, *products, **fields):
    """Saves items; the profile."""
    for product in products:
        new = new_item(product, **fields)
        bench.write(items.save, profile, new, bench.new_id(), bounds(99), bench.clock.tick())
    return profile


def new_list(bench, profile, name):
    return bench.write(lists.create, profile, name, bench.new_id(), bounds(99), bench.clock.tick())


def held(bench, profile):
    rows = bench.all("items_all", profile.id)
    return {int(row[1]): row for row in map(tuple, rows)}


@pytest.mark.skipif("WISHWELL_TEST_CITUS" in os.environ, reason="on a cluster, each profile is")
def test_export_is_of_one_moment(bench, shop):
    """contract: export-moment. What is saved while it runs is not in it, also in a profile that it
    had not come to."""
    store, customer = shop

    async def save():
        for who in (customer, bench.new_customer(store)):
            new = new_item(77)
            await bench.db.write(items.save, who, new, bench.new_id(), bounds(99), NOW)

    written = export(bench, store, save)
    assert '"productId":77' not in written
    assert json.loads(written.splitlines()[-1]) == {"end": {"profiles": 1, "lists": 0, "items": 2}}
    assert 77 in held(bench, customer)


def test_import_twice_is_once(bench, shop, tmp_path):
    """contract: import-twice. Also into a store of its own records, and into another store."""
    store, customer = shop
    file = tmp_path / "store.jsonl"
    file.write_text(export(bench, store))
    counts, _ = load(bench, file, store.handle)
    assert (counts.profiles, counts.items, counts.there) == (0, 0, 1)
    other = bench.new_store(f"other-{next(numbers)}")
    wish(bench, bench.new_customer(other), 5)
    for added in (1, 0):
        counts, into = load(bench, file, other.handle)
        assert into.id == other.id
        assert counts.profiles == added
    copied = profiles.of_customer(other, customer.gid)
    assert held(bench, copied) == held(bench, customer)
    bench.check(copied)


def test_import_adds_what_a_profile_lacks(bench, shop, tmp_path):
    """contract: import-twice. By list and by product and variant; what is there stays as it is."""
    store, customer = shop
    on = new_list(bench, customer, "Mine")
    wish(bench, customer, 3, list_ids=(on.id,))
    wish(bench, customer, 2, list_ids=(on.id,))
    second = next(row[0] for number, row in held(bench, customer).items() if number == 3)
    bench.write(lists.order, customer, on.id, [second], bench.clock.tick())
    bench.write(profiles.remember_email, customer, "a@example.com", bench.clock.tick())
    file = tmp_path / "store.jsonl"
    file.write_text(export(bench, store))
    other = bench.new_store(f"other-{next(numbers)}")
    there = profiles.of_customer(other, customer.gid)
    own = new_list(bench, there, "Own")
    wish(bench, there, 2, 9, list_ids=(own.id,), quantity=7)
    before = held(bench, there)
    counts, _ = load(bench, file, other.handle)
    assert (counts.profiles, counts.lists, counts.items) == (0, 1, 2)
    after = held(bench, there)
    assert after.keys() == {1, 2, 3, 9}
    assert after[9] == before[9]
    assert after[2][:6] == before[2][:6], "its own item stays"
    assert set(after[2][6].split()) == {own.id, on.id}, "and is on the lists of both"
    assert after[3][0] == second
    bench.check(there)
    assert [row[1] for row in bench.all("places", there.id)] == [second]
    assert load(bench, file, other.handle)[0].items == 0
    bench.check(there)


def test_import_goes_on_where_it_was(bench, shop, tmp_path, monkeypatch):
    """contract: import-resumed. In steps; those that were done are not done again."""
    store, _ = shop
    for number in range(9):
        wish(bench, bench.new_customer(store), 1, number + 2)
    file = tmp_path / "store.jsonl"
    file.write_text(export(bench, store))
    other = bench.new_store(f"other-{next(numbers)}")
    wish(bench, bench.new_customer(other), 5)
    monkeypatch.setattr(importing, "_PROFILES", 2)
    load(bench, file, other.handle, steps=3)
    some = len(bench.all("store_profiles", other.id, NO_UUID, 99))
    assert 1 < some < 11
    counts, _ = load(bench, file, other.handle)
    # What was running when it ended may have been done.
    assert counts.profiles <= 11 - some
    assert counts.profiles + counts.there == 10


def test_dry_run_adds_nothing(bench, shop, tmp_path):
    """contract: import-checked. It says what it would add."""
    store, _ = shop
    file = tmp_path / "store.jsonl"
    file.write_text(export(bench, store))
    other = bench.new_store(f"other-{next(numbers)}")
    mine = wish(bench, bench.new_customer(other), 5)
    counts, _ = load(bench, file, other.handle, dry=True)
    assert (counts.profiles, counts.items) == (1, 2)
    assert len(bench.all("store_profiles", other.id, NO_UUID, 99)) == 1
    assert held(bench, mine).keys() == {5}


def test_import_makes_no_events_and_sequences_go_on(bench, shop, tmp_path):
    """contract: import-whole."""
    store, customer = shop
    bench.write(stores.update, store.handle, stores.StorePatch(events=True), NOW)
    telling = profiles.of_customer(bench.read(stores.by_handle, store.handle), customer.gid)
    wish(bench, telling, 50)
    bench.write(items.delete, telling, next(row[0] for row in held(bench, telling).values()), NOW)
    file = tmp_path / "store.jsonl"
    file.write_text(export(bench, store))
    told = bench.select("SELECT events FROM profiles WHERE profile_id = $1", telling.id)
    assert told == [(2,)]
    delete(bench, store)
    assert bench.select("SELECT 1 FROM profiles WHERE store_id = $1", store.id) == []
    _, again = load(bench, file, store.handle)
    assert again.id == store.id
    assert again.events_since != store.events_since
    assert bench.select("SELECT events FROM profiles WHERE profile_id = $1", telling.id) == told
    assert bench.select("SELECT 1 FROM events WHERE store_id = $1", store.id) == []


def lines(*records, ends=True):
    """A file of records behind the first line of an export."""
    store = stores.blank("01900000-0000-7000-8000-000000000000", "shop", NOW)
    first = transfer.Line(wishwell=transfer.StoreRecord(transfer.VERSION, NOW, store))
    counted = [
        sum(kind in one for one in records if isinstance(one, dict))
        for kind in ("profile", "list", "item")
    ]
    end = {"end": dict(zip(("profiles", "lists", "items"), counted, strict=True))}
    rest = [
        one if isinstance(one, str) else json.dumps(one)
        for one in (*records, *([end] if ends else []))
    ]
    return transfer.encode(first).decode() + "".join(f"{one}\n" for one in rest)


ID = "01900000-0000-7000-8000-00000000000{}"
TIMES = {"createdAt": NOW, "updatedAt": NOW}
PROFILE = {"profile": {"gid": "gid://shopify/Customer/1", "createdAt": NOW, "touchedAt": NOW}}


def a_list(number=1, **fields):
    return {"list": {"id": ID.format(number), "name": "Wishes", **TIMES, **fields}}


def an_item(number=2, **fields):
    return {"item": {"id": ID.format(number), "productId": 1, **TIMES, **fields}}


def a_share(number=3, **fields):
    return {
        "share": {
            "id": ID.format(number),
            "listId": ID.format(1),
            "token": TOKEN,
            "createdAt": NOW,
            **fields,
        }
    }


def a_reservation(number=2, **fields):
    holder = "gid://shopify/Customer/2"
    return {
        "reservation": {
            "itemId": ID.format(number),
            "holder": holder,
            "quantity": 1,
            "createdAt": NOW,
            **fields,
        }
    }


TOKEN = shares.new_token()
SHARED = [PROFILE, a_list(shared=True), an_item(listIds=[ID.format(1)])]
OWN = PROFILE["profile"]["gid"]
WRONG: dict[str, tuple[list[Any], int, str]] = {
    "no JSON": ([PROFILE, "{]"], 3, "JSON"),
    "no UTF-8": ([PROFILE, '{"item": {"note": "\udcff"}}'], 3, "decode"),
    "unknown kind": ([{"wish": {}}], 2, "wish"),
    "two kinds": ([PROFILE | a_list()], 2, "exactly one"),
    "unknown field": ([PROFILE, an_item(colour="red")], 3, "colour"),
    "a missing field": ([PROFILE, {"item": {"id": ID.format(1)}}], 3, "productId"),
    "no id": ([PROFILE, an_item("x")], 3, "item.id"),
    "a bad time": ([PROFILE, a_list(createdAt="2026-13-01T00:00:00.000Z")], 3, "createdAt"),
    "a bad quantity": ([PROFILE, an_item(quantity=0)], 3, "quantity"),
    "ids as text": ([PROFILE, an_item(productId="one")], 3, "integer"),
    "a bad tag": ([PROFILE, an_item(tags=["A"])], 3, "tag"),
    "a tag twice": ([PROFILE, an_item(tags=["a", "a"])], 3, "duplicates"),
    "NUL": ([PROFILE, an_item(note="\0")], 3, "control"),
    "a long note": ([PROFILE, an_item(note="n" * 501)], 3, "500"),
    "a bad name": ([PROFILE, a_list(name=" Wishes")], 3, "name"),
    "a bad GID": ([{"profile": PROFILE["profile"] | {"gid": "gid://x/Session/1"}}], 2, "GID"),
    "no profile": ([a_list()], 2, "profile"),
    "a list that is not there": ([PROFILE, an_item(listIds=[ID.format(9)])], 3, "listIds"),
    "an order of others": ([PROFILE, a_list(order=[ID.format(2)]), an_item()], 3, "order"),
    "a list twice": ([PROFILE, a_list(), a_list()], 4, "twice"),
    "an item twice": ([PROFILE, an_item(), an_item(productId=2)], 2, "twice"),
    "a product twice": ([PROFILE, an_item(), an_item(3)], 2, "same product"),
    "no token": ([*SHARED, a_share(token=TOKEN[:-1])], 5, "token"),
    "a share of a private list": ([PROFILE, a_list(), a_share()], 4, "shared list"),
    "a share twice": ([*SHARED, a_share(), a_share(token=shares.new_token())], 2, "twice"),
    "a token twice": ([*SHARED, a_share(), a_share(4)], 2, "same token"),
    "reserved nothing": ([*SHARED, a_reservation(9)], 2, "reservation.itemId"),
    "reserved by the owner": ([*SHARED, a_reservation(holder=OWN)], 5, "owner"),
    "reserved by nobody": ([*SHARED, a_reservation(holder="x")], 5, "GID"),
    "reserved twice": ([*SHARED, a_reservation(), a_reservation()], 2, "twice"),
    "more behind the end": ([{"end": {"profiles": 0, "lists": 0, "items": 0}}, PROFILE], 3, "behind"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_line_is_named(tmp_path, case):
    """contract: import-checked. By its number, with what is wrong."""
    records, number, word = WRONG[case]
    path = tmp_path / "store.jsonl"
    path.write_bytes(lines(*records).encode("utf-8", "surrogateescape"))
    file = ImportFile(str(path))
    file.check()
    assert file.errors[0].startswith(f"line {number}: "), file.errors
    assert word in file.errors[0]


def test_file_that_was_cut_off_is_refused(tmp_path):
    """contract: import-checked. At the end of a line, within one, and from its beginning."""
    whole = lines(PROFILE, a_list(), an_item(listIds=[ID.format(1)]))
    path = tmp_path / "store.jsonl"
    for kept in (whole[:-30], whole.rpartition("\n{")[0] + "\n", lines(PROFILE, ends=False)):
        path.write_text(kept)
        file = ImportFile(str(path))
        file.check()
        assert file.errors
    path.write_text(whole.replace('{"list"', '\n{"list"', 1).replace("\n\n", "\n"))
    file = ImportFile(str(path))
    file.check()
    assert not file.errors
    for first in ("", "{}\n", "{\n", whole.partition("\n")[2], whole.replace('n":1', 'n":2', 1)):
        path.write_text(first)
        with pytest.raises(Invalid):
            ImportFile(str(path))


def test_import_names_at_most_some_errors(tmp_path):
    """contract: import-checked. A file of something else is not told line by line."""
    path = tmp_path / "store.jsonl"
    path.write_text(lines(*["x"] * 1_000))
    file = ImportFile(str(path))
    file.check()
    assert len(file.errors) == 21


def test_import_into_a_store_of_another_kind_is_refused(bench, shop, tmp_path):
    """contract: import-store. Also under another handle than the one that it has here."""
    store, _ = shop
    path = tmp_path / "store.jsonl"
    path.write_text(export(bench, store))
    file = ImportFile(str(path))
    other = bench.new_store(f"other-{next(numbers)}")
    wish(bench, bench.new_customer(other), 5)
    bench.write(stores.update, other.handle, stores.StorePatch(product_ids="text"), NOW)
    with pytest.raises(Invalid, match="product ids"):
        bench.read(importing.plan, file, other.handle)
    with pytest.raises(Invalid, match=store.handle):
        bench.read(importing.plan, file, "elsewhere")
    bench.write(deletion.begin, store.handle, NOW)
    with pytest.raises(Conflict, match="being deleted"):
        bench.read(importing.plan, file, store.handle)


TABLES = Path(stores.__file__).parent / "db" / "migrations" / "sqlite"


def test_deletion_leaves_nothing_of_the_store(bench, shop):
    """contract: store-delete. In each table that names a store or a profile; another store keeps all."""
    store, customer = shop
    other = wish(bench, bench.new_customer(), 1, 2)
    on = new_list(bench, customer, "Wishes")
    wish(bench, customer, 8, list_ids=(on.id,), tags=("a", "b"))
    session = wish(bench, bench.new_session(store), 3)
    bench.write(linking.link, session, customer, 99, bench.clock.tick())
    where, terms = shares.new_token(), shares.Terms(reservations=True)
    bench.write(shares.create, customer, on.id, terms, bench.new_id(), where, bench.clock.tick())
    finder = shares.Finder({store.id: store}.get, {})
    given = (where, held(bench, customer)[8][0], bench.new_session(store))
    bench.write(reserving.reserve, finder, *given, 1, bench.clock.tick())
    for profile in (customer, other):
        bench.write(one_of, "revoke_profile_token", profile.id, "", NOW)
        for sequence, number in ((1, 1), (2, None)):
            bench.insert(
                "events",
                "profile_id sequence store_id number type created_at gid data",
                [(profile.id, sequence, profile.store.id, number, "item.created", NOW, "g", "{}")],
            )
        bench.insert(
            "products",
            "store_id product_id id position created_at updated_at document variants known",
            [(profile.store.id, "1", bench.new_id(), bench.new_id(), NOW, NOW, "{}", "[]", "{}")],
        )
    sizes = {name: size(bench, name) for name in tables()}
    assert delete(bench, store)
    for name, columns in tables().items():
        for column, values in (("store_id", [store.id]), ("profile_id", [customer.id, session.id])):
            if column in columns and name != "deleted_stores":
                for value in values:
                    assert not bench.select(f"SELECT 1 FROM {name} WHERE {column} = $1", value), (
                        name
                    )
    assert store.handle not in [one.handle for one in bench.read(stores.listed)]
    assert len(held(bench, other)) == 2
    assert {name for name in sizes if sizes[name] > size(bench, name)} >= {
        *(
            "profiles",
            "items",
            "lists",
            "entries",
            "item_tags",
            "events",
            "revocations",
            "products",
            "shares",
            "share_tokens",
            "reservations",
            "held",
        ),
        "stores",
    }


async def one_of(tx, statement, *arguments):
    return await tx.one(statement, *arguments)


def tables():
    """The columns of every table."""
    text = "".join(path.read_text() for path in sorted(TABLES.glob("*.sql")))
    found = re.findall(r"^CREATE TABLE (\w+) \(\n(.*?)^\)", text, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"^ +(\w+) ", body, re.MULTILINE) for name, body in found}


def size(bench, name):
    [(found,)] = bench.select(f"SELECT count(*) FROM {name}")
    return found


def test_deletion_that_is_interrupted_goes_on(bench, shop, monkeypatch):
    """contract: store-delete-steps. In small steps; between two of them others write."""
    store, _ = shop
    for _ in range(9):
        wish(bench, bench.new_customer(store), 1)
    monkeypatch.setattr(deletion, "_PROFILES", 2)

    async def some(steps):
        doomed = await bench.db.write(deletion.begin, store.handle, NOW)
        work: Any = deletion.run(bench.db, doomed)
        async for _ in work:
            steps -= 1
            if not steps:
                break
        await work.aclose()

    bench.run(some(2))
    left = len(bench.all("store_profiles", store.id, NO_UUID, 99))
    assert 0 < left < 10
    with pytest.raises(Conflict):
        bench.read(stores.by_handle, store.handle)
    bench.run(asyncio.sleep(0))
    assert delete(bench, store)
    assert bench.all("store_profiles", store.id, NO_UUID, 99) == []
    # The handle is free again.
    assert bench.new_store(store.handle).id != store.id


def test_feed_goes_on_with_the_next_number(bench, tmp_path):
    """contract: import-feed. Also after an event that was told, and had no number yet."""
    make = f"told-{next(numbers)}", stores.StorePatch(events=True), bench.clock.tick()
    store = bench.write(stores.create, bench.new_id(), *make)
    customer = wish(bench, bench.new_customer(store), 1, 2)
    bench.run(events.number(bench.db, bench.clock))
    wish(bench, customer, 3)
    path = tmp_path / "store.jsonl"
    path.write_text(export(bench, store))
    delete(bench, store)
    store = load(bench, path, store.handle)[1]

    def feed(after):
        return bench.read(events.feed, store, after, 50, ())

    assert feed(3) == feed(None) == events.Page([], 3)
    with pytest.raises(Gone):
        feed(2)
    wish(bench, bench.new_customer(store), 4)
    bench.run(events.number(bench.db, bench.clock))
    page = feed(3)
    assert (len(page.events), page.until) == (1, 4)
