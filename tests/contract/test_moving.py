"""Export and import of a store on both engines."""

import json
import os

import pytest
from msgspec.structs import replace

from tests import schema
from tests.contract.conftest import bounds, new_item
from tests.contract.moved import (
    AT,
    NOW,
    FilledStore,
    checked,
    delete,
    export,
    exported,
    items_by_product,
    load,
    new_hook,
    profiles_of,
    wish,
)
from wishwell import events, ids, products, profiles, stores
from wishwell.access import auth
from wishwell.contacts import addresses
from wishwell.errors import Conflict, Gone, Invalid, StoreDeleted
from wishwell.events import deliveries
from wishwell.privacy import erasure, store_deletion
from wishwell.reports import counting
from wishwell.transfer import exporting, importing
from wishwell.transfer.import_file import ImportFile
from wishwell.wishlists import item_changes, lists, reservations, saving, shares


@pytest.fixture
def shop(bench):
    """A store with a customer who has items."""
    store = bench.new_store()
    return store, wish(bench, bench.new_customer(store), 1, 2)


@pytest.mark.skipif("WISHWELL_TEST_CITUS" in os.environ, reason="on a cluster, each profile is")
def test_export_is_a_snapshot(bench, shop):
    """An export is a snapshot of one moment, also for profiles that it reads later.
    Rule: export-whole."""
    store, customer = shop

    async def save():
        for who in (customer, bench.new_customer(store)):
            new = new_item(77)
            await bench.db.write(saving.save, who, new, bench.new_id(), bounds(99), NOW)

    written = export(bench, store, save)
    assert '"productId":77' not in written
    assert json.loads(written.splitlines()[-1]) == {"end": {"profiles": 1, "lists": 0, "items": 2}}
    assert 77 in items_by_product(bench, customer)


def test_import_replaces_only_a_store_that_was_never_changed(bench, shop, tmp_path):
    """An import replaces a store only if it was never changed: no setting, token, webhook, product
    or customer.
    Rule: import-store."""
    store, _ = shop
    file = ImportFile(str(exported(bench, store, tmp_path)), AT)
    delete(bench, store)
    product = products.NewProduct("1", products.ProductData("A lamp"))
    token = auth.new_admin_token(), "a label", bench.new_id(), NOW, None
    for change in (
        lambda made: bench.update_store(made, platform="presta"),
        lambda made: bench.write(auth.create_admin_token, made, *token),
        lambda made: new_hook(bench, made.id),
        lambda made: bench.write(products.put_one, made, product, bench.new_id(), NOW),
        lambda made: wish(bench, bench.new_customer(made), 1),
    ):
        made = bench.new_store()
        assert bench.read(importing.plan, file, made.handle) == "new"
        change(made)
        assert bench.read(importing.plan, file, made.handle) == "other"


def test_import_adds_what_a_profile_lacks(bench, shop, tmp_path):
    """An import adds a profile's missing lists and items; existing records stay as they are.
    Rule: import-twice."""
    store, customer = shop
    on = bench.new_list(customer, "Mine")
    wish(bench, customer, 3, list_ids=(on.id,))
    wish(bench, customer, 2, list_ids=(on.id,))
    second = items_by_product(bench, customer)[3].id
    bench.write(lists.order, customer, on.id, [second], bench.clock.tick())
    bench.write(addresses.remember, customer, "a@example.com", bench.clock.tick())
    file = exported(bench, store, tmp_path)
    other = bench.new_store()
    there = profiles.of_customer(other, customer.gid)
    own = bench.new_list(there, "Own")
    wish(bench, there, 2, 9, list_ids=(own.id,), quantity=7)
    before = items_by_product(bench, there)
    for dry in (True, False):
        assert items_by_product(bench, there) == before
        counts, _ = load(bench, file, other.handle, dry=dry)
        assert (counts.profiles, counts.lists, counts.items) == (0, 1, 2)
    after = items_by_product(bench, there)
    assert after.keys() == {1, 2, 3, 9}
    assert after[9] == before[9]
    on_no_list = [replace(item, list_ids=[]) for item in (after[2], before[2])]
    assert on_no_list[0] == on_no_list[1], "its own item stays"
    assert {*after[2].list_ids} == {own.id, on.id}, "and is on the lists of both"
    assert after[3].id == second
    bench.check(there)
    assert [row[1] for row in bench.all("places", profile=there.id, list=None)] == [second]
    counts, _ = load(bench, file, other.handle)
    assert (counts.items, counts.existing) == (0, 1)
    bench.check(there)


@pytest.mark.parametrize(("column", "here"), [("created_at", "2099"), ("touched_at", "2020")])
def test_merged_session_has_the_earlier_creation_and_the_later_use(
    bench, shop, tmp_path, column, here
):
    """A merged session gets the earlier creation and the later use, even if the file adds nothing
    else.
    Rules: import-twice, session-purged."""
    store, _ = shop
    session = wish(bench, bench.new_session(store), 1)
    file = exported(bench, store, tmp_path)
    asked = f"SELECT {column} FROM profiles WHERE profile_id = $1", session.id
    of_file = bench.select(*asked)
    change = f"UPDATE profiles SET {column} = '{here}-01-01T00:00:00.000Z'"
    bench.execute(f"{change} WHERE profile_id = '{session.id}'")
    assert bench.select(*asked) != of_file
    load(bench, file, store.handle)
    assert bench.select(*asked) == of_file


def test_import_adds_nothing_once_its_store_is_being_deleted(bench, shop, tmp_path, monkeypatch):
    """An import into a store that is being deleted adds nothing from the deletion's first step on.
    Rules: store-delete, import-twice."""
    store, _ = shop
    for number in range(9):
        wish(bench, bench.new_customer(store), 1, number + 2)
    path = exported(bench, store, tmp_path)
    file = checked(ImportFile(str(path), AT))
    monkeypatch.setattr(importing, "_MAX_PROFILES", 1)
    monkeypatch.setattr(importing, "_MAX_CONCURRENT", 1)
    delete(bench, store)

    async def add():
        how = await bench.db.read(importing.plan, file, store.handle)
        into = await bench.db.write(importing.take_store, None, file, store.handle, NOW)
        seen = 0
        async for counts in importing.load(bench.db, file, into, dry=False, mode=how):
            seen = counts.profiles
            if seen == 3:
                await bench.db.write(store_deletion.begin, into.handle, NOW)
        return seen

    with pytest.raises(StoreDeleted):
        bench.run(add())
    assert 3 <= len(profiles_of(bench, store)) <= 4
    delete(bench, store)


def test_import_makes_no_events_and_continues_sequence_and_positions(bench, tmp_path):
    """An import makes no events. Sequence and feed positions continue, also after an event without
    a position.
    Rule: import-exact."""
    store = bench.new_store(events=True)
    customer = wish(bench, bench.new_customer(store), 1, 2)
    bench.run(events.assign_positions(bench.db, bench.clock))
    bench.write(item_changes.delete, customer, items_by_product(bench, customer)[1].id, NOW)
    path = exported(bench, store, tmp_path)
    delete(bench, store)
    _, again = load(bench, path, store.handle)
    assert again.id == store.id
    assert again.events_since != store.events_since
    assert bench.select("SELECT 1 FROM events WHERE store_id = $1", store.id) == []

    def feed(after):
        return bench.read(events.read_feed, again, after, 50, ())

    assert feed(3) == feed(None) == events.FeedPage([], 3)
    with pytest.raises(Gone):
        feed(2)
    wish(bench, profiles.of_customer(again, customer.gid), 4)
    bench.run(events.assign_positions(bench.db, bench.clock))
    page = feed(3)
    assert ([event.sequence for event in page.events], page.until) == ([4], 4)


def test_import_into_a_store_with_another_type_of_product_ids_is_refused(bench, shop, tmp_path):
    """An import into a store with another type of product ids is refused, under any handle.
    Rule: import-store."""
    store, _ = shop
    path = exported(bench, store, tmp_path)
    file = ImportFile(str(path), AT)
    other = bench.new_store()
    wish(bench, bench.new_customer(other), 5)
    bench.update_store(other, product_ids="text")
    with pytest.raises(Invalid, match="product ids"):
        bench.read(importing.plan, file, other.handle)
    with pytest.raises(Invalid, match=store.handle):
        bench.read(importing.plan, file, "elsewhere")
    bench.write(store_deletion.begin, store.handle, NOW)
    with pytest.raises(Conflict, match="being deleted"):
        bench.read(importing.plan, file, store.handle)


def test_deletion_leaves_nothing_of_the_store(bench):
    """Deletion leaves nothing of a store in any table; another store keeps everything.
    Rule: store-delete."""
    doomed, other = (FilledStore(bench, handle) for handle in ("doomed", "kept"))
    bench.run(events.assign_positions(bench.db, bench.clock))
    for whole in (doomed, other):
        erased = {"profile": whole.owner.id, "store": whole.store.id}
        bench.one("erasure_begin", **erased, sequence=1, now=NOW)
        bench.write(auth.revoke_profile, whole.friend, bench.clock())
        delivery = "store_id webhook_id id number profile_id sequence type status attempts"
        due = (bench.new_id(), 1, whole.owner.id, 1, "item.created", "pending", 0)
        bench.insert(
            "deliveries", delivery, [(whole.store.id, new_hook(bench, whole.store.id), *due)]
        )
        asked = "store_id id topic state received_at body_hash delivery_id"
        request = (bench.new_id(), "shop/redact", "waiting", NOW, "x", "y")
        bench.insert("requests", asked, [(whole.store.id, *request)])
        run = (whole.store.id, NOW, 1, 0, 0)
        bench.insert("catalogue_runs", "store_id finished_at imported refused lost", [run])
        marker = (whole.store.id, "gone", NOW)
        bench.insert("deleted_products", "store_id product_id deleted_at", [marker])
        platform = (whole.store.id, whole.store.handle, NOW)
        bench.insert("platform_deliveries", "store_id hash received_at", [platform])
        bench.drain(counting.run(bench.db, whole.store, bench.clock))
    kept = sizes(bench, *other.profiles)
    assert all(sizes(bench, *doomed.profiles).values())
    assert delete(bench, doomed.store)
    assert not any(sizes(bench, *doomed.profiles).values())
    assert sizes(bench, *other.profiles) == kept
    assert doomed.store.handle not in [one.handle for one in bench.read(stores.listed)]


def sizes(bench, *profiles):
    """Returns how many rows each table has of these profiles and their stores."""
    found = {}
    for name, columns in schema.tables().items():
        if name == "deleted_stores" or not {"store_id", "profile_id"} & {*columns}:
            continue
        column = "store_id" if "store_id" in columns else "profile_id"
        asked = f"SELECT count(*) FROM {name} WHERE {column} = $1"
        of = {p.store.id if column == "store_id" else p.id for p in profiles}
        found[name] = sum(bench.select(asked, value)[0][0] for value in of)
    return found


async def add_hook(tx, hook):
    await tx.run("webhook_add", **hook)


async def open_feed(tx, store_id):
    await tx.run("feed_open", store=store_id)


def late_writes(bench, store):
    """Returns one write of each kind that can be the first one in a store."""
    customer, now = bench.new_customer(store), bench.clock.tick()
    product = products.NewProduct("5", products.ProductData(title="Late"))
    token = auth.new_admin_token(), "x", bench.new_id(), now, None
    hook = {"url": "https://shop.example/hook", "types": "", "position": 0, "sealed": "sealed"}
    hook |= {"format": "", "include": ""}
    return {
        "product": (products.put_one, store, product, bench.new_id(), now),
        "products": (products.put, store, [product], [bench.new_id()], now),
        "item": (saving.save, customer, new_item(1), bench.new_id(), bounds(9), now),
        "list": (lists.create, customer, lists.ListFields("Late"), bench.new_id(), bounds(9), now),
        "session": (profiles.create_session, store, "wishwell", bench.new_id(), now),
        "email": (addresses.remember, customer, "late@shop.example", now),
        "token": (auth.create_admin_token, store, *token),
        "webhook": (add_hook, {"store": store.id, "id": bench.new_id(), "now": now, **hook}),
        "feed": (open_feed, store.id),
    }


def test_write_after_its_store_was_deleted_leaves_nothing(bench, shop):
    """A write after its store's deletion fails and leaves nothing. Rule: store-delete."""
    store, customer = shop
    delete(bench, store)
    for kind, (use_case, *arguments) in late_writes(bench, store).items():
        with pytest.raises(StoreDeleted):
            bench.write(use_case, *arguments)
        assert not any(sizes(bench, customer).values()), kind


def test_write_during_the_deletion_of_its_store_is_deleted_too(bench, shop):
    """Writes between the steps of a deletion are deleted too, and nothing is sent from its first
    step on, not even by a process that doesn't know of it yet.
    Rule: store-delete."""
    store, customer = shop
    new_hook(bench, store.id)
    doomed = bench.write(store_deletion.begin, store.handle, NOW)
    assert sizes(bench, customer)["webhooks"] == 0
    new_hook(bench, store.id)

    async def remove():
        late = iter(late_writes(bench, store).values())
        async for _ in store_deletion.remove_store(bench.db, doomed):
            assert store.id not in [
                row[0] for row in await bench.db.read(deliveries.find_due_webhooks, bench.clock())
            ]
            if (write := next(late, None)) is not None:
                await bench.db.write(*write)

    bench.run(remove())
    assert not any(sizes(bench, customer).values())


# ----------------------------------------------------------------------- shares and reservations


class Family:
    """An owner with a shared list, a friend who has reserved one of its items, and a visitor."""

    def __init__(self, bench):
        self.bench, self.store = bench, bench.new_store()
        self.owner = bench.new_customer(self.store)
        self.friend = bench.new_customer(self.store)
        self.visitor = bench.new_session(self.store)
        self.on = bench.new_list(self.owner, "Birthday")
        wish(bench, self.owner, 1, 2, list_ids=(self.on.id,), quantity=3)
        self.share = bench.share(self.owner, self.on.id)
        for who in (self.friend, self.visitor):
            bench.reserve(self.share.token, self.item(1), who)

    def item(self, product):
        return items_by_product(self.bench, self.owner)[product].id

    def rows(self):
        """Returns everything stored about shares and reservations, except times."""
        of = "WHERE store_id = $1 ORDER BY 1, 2, 3"
        return [
            self.bench.select(f"SELECT {columns} {of}", self.store.id)
            for columns in (
                "profile_id, id, list_id, token, reservations, notes, expires_at FROM shares",
                "hash, profile_id, share_id FROM share_tokens",
                "profile_id, item_id, holder_id, quantity, created_at FROM reservations",
                "profile_id, owner_id, item_id, merged_id FROM held",
                "profile_id, id, shared FROM lists",
            )
        ]


@pytest.fixture
def family(bench):
    return Family(bench)


@pytest.fixture
def file(bench, family, tmp_path):
    return exported(bench, family.store, tmp_path)


def test_missing_shares_and_reservations_are_restored_once(bench, family, file):
    """Missing shares and reservations are restored once; a dry run restores none.
    Rules: import-twice, import-checked."""
    before = family.rows()
    load(bench, file, family.store.handle)
    assert family.rows() == before
    [first] = bench.all("shares_all", profile=family.owner.id)
    bench.write(reservations.cancel, family.share.token, family.item(1), family.friend)
    bench.write(shares.delete, family.owner, family.on.id, first[0])
    gone = family.rows()
    load(bench, file, family.store.handle, dry=True)
    assert family.rows() == gone != before
    load(bench, file, family.store.handle)
    assert family.rows() == before
    bench.reserve(family.share.token, family.item(2), family.friend)
    bench.share(family.owner, family.on.id)
    more = family.rows()
    load(bench, file, family.store.handle)
    assert family.rows() == more
    bench.check(family.owner)


def test_end_line_counts_every_step_of_an_export(bench, family, tmp_path, monkeypatch):
    """The end line's counts include every step of the export; otherwise the import would refuse the
    file.
    Rule: export-whole."""
    monkeypatch.setattr(exporting, "_MAX_ITEMS", 1)
    on = bench.new_list(family.friend, "Wishes")
    wish(bench, family.friend, 3, list_ids=(on.id,))
    share = bench.share(family.friend, on.id)
    bench.reserve(share.token, items_by_product(bench, family.friend)[3].id, family.owner)
    load(bench, exported(bench, family.store, tmp_path), family.store.handle)


def test_reservation_is_restored_for_the_current_item(bench, family, file):
    """A reservation is restored for the current item of that product, if a shared list
    has the item.
    Rule: import-twice."""
    old, now = family.item(1), bench.clock.tick
    bench.write(item_changes.delete, family.owner, old, now())
    wish(bench, family.owner, 1)
    assert family.rows()[2:4] == [[], []]
    load(bench, file, family.store.handle)
    assert family.rows()[2:4] == [[], []]
    bench.write(item_changes.delete, family.owner, family.item(1), now())
    bench.write(lists.delete, family.owner, family.on.id, now())
    wish(bench, family.owner, 1)
    load(bench, file, family.store.handle)
    assert {row[1:] for row in family.rows()[3]} == {(family.owner.id, family.item(1), old)}
    bench.write(reservations.cancel, family.share.token, old, family.friend)
    assert len(family.rows()[2]) == len(family.rows()[3]) == 1
    bench.check(family.owner)


def test_import_after_a_sign_in_gives_the_ended_session_nothing(bench, family, tmp_path):
    """After a sign-in, an import gives the ended session nothing, and a token leads to one share.
    Rule: import-twice."""
    session = bench.new_session(family.store)
    on = bench.new_list(session, "Mine")
    wish(bench, session, 9, list_ids=(on.id,))
    mine = bench.share(session, on.id)
    bench.reserve(mine.token, items_by_product(bench, session)[9].id, family.visitor)
    first, then = tmp_path / "first.jsonl", tmp_path / "then.jsonl"
    first.write_text(export(bench, family.store))
    for one in (session, family.visitor):
        bench.link(one, family.friend)
    after = family.rows()
    load(bench, first, family.store.handle)
    assert family.rows() == after
    # The reverse: the session is still open with its share, and the friend has the merged records.
    then.write_text(export(bench, family.store))
    for name in ("shares", "share_tokens", "reservations", "held", "entries", "items", "lists"):
        bench.select(f"DELETE FROM {name} WHERE profile_id = $1 RETURNING 1", family.friend.id)
    bench.select(
        "UPDATE profiles SET closed_at = NULL WHERE profile_id = $1 RETURNING 1", session.id
    )
    load(bench, first, family.store.handle)
    load(bench, then, family.store.handle)
    [[place]] = bench.select("SELECT profile_id FROM share_tokens WHERE share_id = $1", mine.id)
    assert place == session.id
    for one in (session, family.friend):
        bench.check(one)


def test_import_into_a_store_with_another_id_adds_no_shares(bench, family, file):
    """A store with another id gets no shares: its lists are private. Rule: import-store."""
    other = bench.new_store()
    wish(bench, bench.new_customer(other), 5)
    before = family.rows()
    load(bench, file, other.handle)
    copied = profiles.of_customer(other, family.owner.gid)
    assert items_by_product(bench, copied) == items_by_product(bench, family.owner)
    family.store = other
    assert family.rows()[:4] == [[], [], [], []]
    assert [row[2] for row in family.rows()[4]] == [0]
    family.store = family.owner.store
    assert family.rows() == before


def test_interrupted_import_resumes_with_the_reservations(bench, family, file, monkeypatch):
    """An import that stopped before the reservations resumes, also between two parts of one
    profile.
    Rule: import-twice."""
    monkeypatch.setattr("wishwell.transfer.importing._MAX_RESERVATIONS", 1)
    before, item = family.rows(), family.item(1)
    for who in (family.friend, family.visitor):
        bench.write(reservations.cancel, family.share.token, item, who)
    load(bench, file, family.store.handle, steps=1)
    assert family.rows()[2] == []
    load(bench, file, family.store.handle)
    assert family.rows() == before


def test_import_that_meets_an_erasure_finishes_it_first(bench, family, file):
    """After an import that meets an erasure all records of the file exist. A dry run only counts them, and a
    transaction that finds the erasure adds nothing. Rule: import-twice."""
    erased, before = family.owner, (family.rows(), items_by_product(bench, family.owner).keys())
    bundles = {
        ids.profile_key(family.store.id, b.profile.gid): b
        for b in checked(ImportFile(str(file), AT))
    }
    bench.write(erasure.erase, erased, bench.clock())
    assert bench.write(importing.add_missing, family.store, bundles) is None
    counts, _ = load(bench, file, family.store.handle, dry=True)
    assert (counts.profiles, counts.existing) == (1, 2)
    assert bench.read(erasure.is_under_way, erased.id)
    counts, _ = load(bench, file, family.store.handle)
    assert (counts.profiles, counts.existing) == (1, 2)
    bench.drain(erasure.remove_erased(bench.db, bench.clock))
    assert (family.rows(), items_by_product(bench, erased).keys()) == before
