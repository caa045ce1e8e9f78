"""Erasing a profile: what is left of it in the database, beside others, at its largest."""

import itertools

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import schema
from tests.contract import moved
from tests.contract.conftest import bounds, new_item
from wishwell import events, ids, opaque, profiles, stores
from wishwell.access import auth
from wishwell.errors import BeingErased, ServiceError
from wishwell.events import deliveries
from wishwell.moving import exporting, person
from wishwell.moving.file_records import EndRecord
from wishwell.profiles import records
from wishwell.wishes import copies, erasure, items, linking, lists, reservations, shares

MANY = bounds(100_000)
numbers = itertools.count(1)

# What an erasure does with the rows of each table.
GOES = {
    **dict.fromkeys(("profiles", "lists", "items", "entries", "item_tags"), "by its key"),
    **dict.fromkeys(("shares", "share_tokens", "reservations", "held"), "by its key"),
    "events": "but profile.erased",
    "deliveries": "but of profile.erased",
    "requests": "the export, and whose they are; not how they ended",
}
STAYS = {
    "erasures": "the key and the last sequence",
    "revocations": "the key, for as long as tokens live",
    **dict.fromkeys(("stores", "deleted_stores", "store_hosts", "store_secrets"), "of the store"),
    **dict.fromkeys(("admin_tokens", "webhooks", "feeds", "products", "leases"), "of the store"),
}


def test_every_table_says_what_an_erasure_does_with_it():
    """contract: erase-steps. A new table can't be forgotten."""
    assert GOES.keys() | STAYS.keys() == schema.tables().keys(), "say it here, and in erasure.py"
    named = {"profile_id", "holder_id", "owner_id", "linked_id"}
    of_profile = {name for name, columns in schema.tables().items() if named & {*columns}}
    assert of_profile - {"erasures", "revocations"} <= GOES.keys()


class World:
    """A store that tells events, with a webhook, a finder of shares and use-cases by short names."""

    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        self.finder = shares.Finder({store.id: store}.get, {})
        self.hook = bench.new_id()
        hook = "store_id id enabled position missed created_at updated_at due_at types url sealed"
        now = bench.clock.tick()
        row = (store.id, self.hook, 1, 0, 0, now, now, now, "", "https://a.example/", "x")
        bench.insert("webhooks", hook, [row])

    def save(self, profile, product, **given):
        new, id = new_item(product, **given), self.bench.new_id()
        return self.bench.write(items.save, profile, new, id, MANY, self.bench.clock.tick())[0]

    def list(self, profile, name):
        id, now = self.bench.new_id(), self.bench.clock.tick()
        return self.bench.write(lists.create, profile, name, id, MANY, now).id

    def share(self, profile, on):
        token, terms = shares.new_token(), shares.Terms(reservations=True, notes=True)
        made = (profile, on, terms, self.bench.new_id(), token, self.bench.clock.tick())
        self.bench.write(shares.create, *made)
        return token

    def reserve(self, token, item, holder):
        now = self.bench.clock.tick()
        of = (self.finder, token, item, holder, 1, now)
        self.bench.write(reservations.reserve, *of)

    def copy(self, token, caller, name):
        wanted = copies.Wanted(self.bench.new_id(), name)
        given = (self.finder, token, caller, wanted, self.bench.new_id, MANY)
        self.bench.write(copies.copy, *given, self.bench.clock.tick())

    def link(self, session, customer):
        self.bench.write(linking.link, session, customer, MANY, self.bench.clock.tick())

    def publish(self):
        """Events get their places and become deliveries."""
        self.bench.run(events.number(self.bench.db, self.bench.clock))
        args = (self.store.id, self.hook, [], 500, "lease")
        for _ in range(3):
            turn = self.bench.write(
                deliveries.turn, *args, self.bench.new_id, self.bench.clock.milliseconds
            )
        return turn

    def erase(self, profile):
        return self.bench.write(erasure.erase, profile, self.bench.clock.milliseconds)

    def work(self):
        async def run():
            return [gone async for gone in erasure.work(self.bench.db, self.bench.clock)]

        return self.bench.run(run())

    def feed(self, types=()):
        self.bench.run(events.number(self.bench.db, self.bench.clock))
        self.bench.run(events.number(self.bench.db, self.bench.clock))
        return self.bench.read(events.feed, self.store, None, 250, types).events

    def export(self):
        async def run():
            made = exporting.lines(self.bench.db, self.store.handle, "", EndRecord(0, 0, 0))
            return b"".join([piece async for piece in made]).decode()

        return self.bench.run(run())

    def document(self, profile):
        async def run():
            shown = await self.bench.db.read(records.find, profile)
            pieces = person.document(self.bench.db, profile, shown)
            return b"".join([piece async for piece in pieces])

        return msgspec.json.decode(self.bench.run(run()))["data"]

    def rows(self):
        """Every value of every table of the database, as text, with its table."""
        return [
            (table, column, str(value))
            for table, columns in schema.tables().items()
            for row in self.bench.select(f"SELECT {', '.join(columns)} FROM {table}")
            for column, value in zip(columns, row, strict=True)
        ]


@pytest.fixture
def world(bench, store):
    return World(bench, store)


def filled(world, customer, other):
    """A customer with every kind of record, beside another one; what must not be found any more."""
    bench, n = world.bench, next(numbers)
    session = bench.new_session(world.store)
    email, note, name, tag = (
        f"ann-{n}@secret.example",
        f"secret note {n}",
        f"secret list {n}",
        f"tag-{n}",
    )
    bench.write(profiles.remember_email, customer, email, bench.clock.tick())
    world.save(session, 5, note=note, list_ids=(world.list(session, f"{name} of before"),))
    world.publish()
    world.link(session, customer)
    on = world.list(customer, name)
    item = world.save(customer, 6, tags=(tag,), note=note, list_ids=(on,), quantity=9)
    token = world.share(customer, on)
    theirs = world.list(other, f"list of the other {n}")
    wish = world.save(other, 7, list_ids=(theirs,), quantity=9)
    theirs_token = world.share(other, theirs)
    world.reserve(token, item.id, other)
    world.reserve(theirs_token, wish.id, customer)
    world.copy(theirs_token, customer, f"{name} copied")
    world.publish()  # some deliveries are pending,
    rest = "status = 'failed', attempts = 10"

    async def fail(tx):
        sql = f"UPDATE deliveries SET {rest} WHERE sequence = 2"  # others failed
        done = tx._connection.execute(sql)
        if not isinstance(world.bench.where, str) or "://" in world.bench.where:
            await done

    bench.write(fail)
    mine = bench.select("SELECT id FROM items WHERE profile_id = $1", customer.id)
    mine += bench.select("SELECT id FROM lists WHERE profile_id = $1", customer.id)
    mine += bench.select("SELECT id FROM shares WHERE profile_id = $1", customer.id)
    told = bench.select("SELECT sequence FROM events WHERE profile_id = $1", customer.id)
    secrets = [customer.gid, session.gid, email, note, name, tag, token, opaque.hashed(token)]
    secrets += [str(id) for (id,) in mine]
    secrets += [events.event_id(customer.id, sequence) for (sequence,) in told]
    return session, secrets, max(sequence for (sequence,) in told)


def test_erased_means_erased(bench, world):
    """contract: erase-moment, erase-steps, erase-event. Nothing in any column of any table, an export or an
    answer, but the key with its number and revocation, and the one event."""
    customer, other = bench.new_customer(world.store), bench.new_customer(world.store)
    session, secrets, last = filled(world, customer, other)
    before = world.rows()
    for secret in secrets[:6]:
        assert any(secret in value for _, _, value in before), secret

    assert sorted(world.erase(customer)) == sorted([customer.id, session.id])
    hidden = world.export()
    [told] = [event for event in world.feed() if event.profile in (customer.gid, session.gid)]
    assert (told.type, told.sequence, bytes(told.data)) == ("profile.erased", last + 1, b"{}")
    assert not any(secret in hidden for secret in secrets)
    world.publish()
    of = bench.select("SELECT number FROM events WHERE profile_id = $1", customer.id)
    sent = bench.read(deliveries.events_of, world.store.id, [number for (number,) in of])
    assert [event.type for event in sent.values()] == ["profile.erased"]
    page = bench.read(deliveries.page, world.store, world.hook, None, 250)
    assert not {one.event_id for one in page.records} & {*secrets}
    assert world.erase(customer) == ()  # contract: erase-again

    world.work()
    keys = customer.id, session.id
    for table, column, value in world.rows():
        if (table, column) == ("events", "gid") and value == customer.gid:
            continue  # of profile.erased
        assert not any(secret in value for secret in secrets), (table, column, value)
        kept = {"erasures", "revocations"} | {"events", "deliveries"}
        assert value not in keys or table in kept, (table, column)
        assert value != session.id
    [row] = bench.select(
        "SELECT sequence, done_at FROM erasures WHERE profile_id = $1", customer.id
    )
    assert row[0] == last + 1 and row[1]
    of = bench.select("SELECT type FROM events WHERE profile_id = $1", customer.id)
    assert of == [("profile.erased",)]
    assert not any(secret in world.export() for secret in secrets)
    shown = bench.read(records.find, customer)
    assert (shown.items, shown.lists, shown.created_at) == (0, 0, msgspec.UNSET)
    bench.check(other)


def test_customer_begins_anew_and_the_sequence_goes_on(bench, world):
    """contract: erase-writes, erase-sequence. For 30 days, or longer than events are kept."""
    customer, other = bench.new_customer(world.store), bench.new_customer(world.store)
    _, _, last = filled(world, customer, other)
    world.erase(customer)
    with pytest.raises(BeingErased):
        world.save(customer, 6)
    with pytest.raises(BeingErased):
        bench.write(items.change, customer, bench.new_id(), items.ItemPatch(), bench.clock.tick())
    with pytest.raises(BeingErased):
        world.link(bench.new_session(world.store), customer)
    world.work()
    item = world.save(customer, 6)
    assert (item.quantity, item.tags, item.list_ids) == (1, [], [])
    assert [event.sequence for event in world.feed() if event.profile == customer.gid] == [
        last + 1,
        last + 2,
    ]
    assert world.erase(customer) == [customer.id]
    world.work()
    later = bench.clock.milliseconds + 31 * 86_400_000
    for events_days, kept in ((31, [(1,)]), (7, [])):
        bench.write(erasure.forget, events_days, later)
        found = bench.select("SELECT 1 FROM erasures WHERE profile_id = $1", customer.id)
        assert found == kept
    world.save(customer, 8)
    sequences = bench.select(
        "SELECT sequence FROM events WHERE profile_id = $1 AND type <> 'profile.erased'",
        customer.id,
    )
    assert sequences == [(1,)]


def test_sequence_goes_on_where_an_import_brings_the_customer_back(bench, world, tmp_path):
    """contract: erase-sequence. The file was written before the erasure, and has an older one."""
    customer = bench.new_customer(world.store)
    world.save(customer, 1)
    path = moved.exported(bench, world.store, tmp_path)
    world.erase(customer)
    world.work()
    moved.load(bench, path, world.store.handle)
    world.save(customer, 2)
    assert [event.sequence for event in world.feed()] == [2, 3]


def test_link_of_an_earlier_release_is_known_by_its_event(bench, world):
    """contract: erase-steps. It noted the customer nowhere else."""
    customer, session = bench.new_customer(world.store), bench.new_session(world.store)
    world.save(session, 1, note="of a visitor")
    world.link(session, customer)

    async def forget(tx):
        done = tx._connection.execute("UPDATE profiles SET linked_id = NULL")
        if "://" in bench.where:
            await done

    bench.write(forget)
    assert session.id in world.erase(customer)
    world.work()
    assert bench.select("SELECT 1 FROM events WHERE profile_id = $1", session.id) == []


def test_nothing_there_tells_nothing(bench, world):
    """contract: erase-again, erase-event."""
    customer = bench.new_customer(world.store)
    assert world.erase(customer) == ()
    assert bench.read(auth.revoked_until, customer) > 0
    for table in ("events", "erasures", "profiles"):
        assert not bench.select(f"SELECT 1 FROM {table} WHERE profile_id = $1", customer.id)
    with pytest.raises(ServiceError, match="no such session"):
        world.erase(
            profiles.of_session(world.store, ids.session_gid("wishwell", ids.random_uuid()))
        )


def test_filter_holds_no_erasure_back(bench, world):
    """contract: erase-event."""
    customer = bench.new_customer(world.store)
    world.save(customer, 1)
    world.erase(customer)
    assert [event.type for event in world.feed(("list.created",))] == ["profile.erased"]


def test_own_choice_about_notices_survives_a_link(bench, world):
    """contract: profile-notices. The customer's, else the session's."""
    for mine, theirs, after in ((None, False, False), (True, False, True), (None, None, True)):
        customer, session = bench.new_customer(world.store), bench.new_session(world.store)
        for profile, choice in ((customer, mine), (session, theirs)):
            bench.write(records.choose, profile, choice, bench.clock.tick())
        world.save(session, 1)
        world.link(session, customer)
        assert bench.read(records.find, customer).notices is after


def test_document_has_all_of_one_profile_and_nothing_of_others(bench, world):
    """contract: profile-export."""
    customer, other = bench.new_customer(world.store), bench.new_customer(world.store)
    session, secrets, _ = filled(world, customer, other)
    found = world.document(customer)
    text = msgspec.json.encode(found).decode()
    for secret in (customer.gid, session.gid, secrets[2], secrets[3], secrets[4], secrets[5]):
        assert secret in text
    assert len(found["items"]) == 3 and len(found["lists"]) == 3 and len(found["shares"]) == 1
    assert [(r["productId"], r["quantity"]) for r in found["reservations"]] == [(7, 1)]
    assert "reserved" not in text and other.gid not in text and other.id not in text
    assert {event["profile"] for event in found["events"]} == {customer.gid, session.gid}


def test_forgotten_customers_are_those_who_were_away(bench):
    """contract: forget-customers. What was before the option was turned on counts as seen then."""
    made = bench.new_store(f"forgets-{next(numbers)}")
    patch = stores.StorePatch(forget_customers_after=1)
    store = bench.write(stores.update, made.handle, patch, bench.clock.tick())
    world = World(bench, store)
    away, here = bench.new_customer(store), bench.new_customer(store)
    world.save(away, 1)
    world.save(here, 1)

    async def idle(now, *, dry):
        return [
            one.gid
            async for one, _ in erasure.idle(bench.db, now, dry=dry)
            if one.store.id == store.id
        ]

    day, begun = 86_400_000, bench.clock.milliseconds
    assert bench.run(idle(begun + 20 * day, dry=False)) == []
    at = ids.timestamp(begun + 20 * day)
    bench.one("customer_touch", profile=here.id, now=at)
    later = begun + 40 * day
    assert bench.run(idle(later, dry=True)) == [away.gid]
    assert bench.run(idle(later, dry=False)) == [away.gid]
    assert bench.run(idle(later, dry=False)) == []
    off = bench.write(stores.update, made.handle, stores.StorePatch(forget_customers_after=0), at)
    assert (off.forget_customers_after, off.forget_since) == (None, None)
    assert bench.run(idle(begun + 400 * day, dry=True)) == []
    with pytest.raises(ServiceError, match="forget-customers-after"):
        bench.write(stores.update, made.handle, stores.StorePatch(forget_customers_after=121), at)


def test_months_end_on_a_day_that_exists():
    for now, months, before in (("2027-03-31", 1, "2027-02-28"), ("2027-01-15", 13, "2025-12-15")):
        at = ids.from_timestamp(f"{now}T10:00:00.000Z")
        assert ids.timestamp(erasure._months_before(at, months)) == f"{before}T10:00:00.000Z"


STEPS = st.lists(
    st.tuples(st.sampled_from(["save", "share", "reserve", "copy", "link"]), st.integers(0, 3), st.integers(0, 3)),
    min_size=5,
    max_size=25,
)  # fmt: skip


@settings(max_examples=15, deadline=None, suppress_health_check=[*HealthCheck])
@given(STEPS, st.sampled_from([0, 3]))
def test_nobody_else_loses_anything(bench, store, steps, ended):
    """contract: erase-steps. Neighbours keep all but the reservations that were with the erased one."""
    world = World(bench, store)
    people = [*(bench.new_customer(store) for _ in range(3)), bench.new_session(store)]
    shared: dict[int, list[str]] = {n: [] for n in range(4)}
    for step, who, whom in steps:
        one, n = people[who], next(numbers)
        if step == "save":
            world.save(
                one, n, quantity=9, note=f"note {n}", list_ids=(world.list(one, f"list {n}"),)
            )
        elif step == "share":
            on = world.list(one, f"list {n}")
            world.save(one, 1 + n % 7, quantity=9, list_ids=(on,))
            shared[who].append(world.share(one, on))
        elif step == "link" and one.is_session:
            continue
        elif step == "link":
            session = bench.new_session(store)
            world.save(session, 1 + n % 7)
            world.link(session, one)
        elif shared[whom] and whom != who:
            token = shared[whom][-1]
            if step == "copy":
                world.copy(token, one, f"copy {n}")
            else:
                view = bench.read(shares.view, world.finder, token, one, bench.clock.tick())
                world.reserve(token, view.items[0].id, one)
    gone = people[ended]
    others = [one for one in people if one is not gone]
    reserved = [
        (str(owner), str(holder), str(item))
        for owner, holder, item in bench.select(
            "SELECT profile_id, holder_id, item_id FROM reservations WHERE store_id = $1", store.id
        )
    ]
    before = [{**world.document(one), "reservations": None} for one in others]
    world.erase(gone)
    world.work()
    assert [{**world.document(one), "reservations": None} for one in others] == before
    left = [row for row in reserved if gone.id not in row[:2]]
    for sql, order in (
        ("SELECT profile_id, holder_id, item_id FROM reservations WHERE store_id = $1", (0, 1, 2)),
        ("SELECT owner_id, profile_id, item_id FROM held WHERE store_id = $1", (0, 1, 2)),
    ):
        found = [tuple(str(row[at]) for at in order) for row in bench.select(sql, store.id)]
        assert sorted(found) == sorted(left)
    for one in others:
        bench.check(one)


@pytest.mark.slow
def test_largest_profile_goes_in_small_steps(bench, world):
    """contract: erase-steps. 5,000 items with 20 tags each, 250 lists, 20,000 places."""
    customer = bench.new_customer(world.store)
    world.save(customer, 999_999)
    bench.fill(customer, products=4_999, lists=250, on=4, tags=20)
    world.erase(customer)
    steps = world.work()
    assert len(steps) > 60
    for table in ("profiles", "items", "item_tags", "entries", "lists"):
        assert not bench.select(f"SELECT 1 FROM {table} WHERE profile_id = $1", customer.id)
