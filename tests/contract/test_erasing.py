"""Erasing a profile: what remains in the database, other profiles, and the largest profile."""

import itertools

import msgspec
import pytest

from tests import schema
from tests.contract.conftest import PLENTY
from tests.contract.desk import SEALING
from tests.contract.moved import export, exported, load
from wishwell import events, ids, opaque, profiles
from wishwell.access import auth
from wishwell.contacts import addresses, profile_views, queue, tokens
from wishwell.errors import BeingErased, ServiceError
from wishwell.events import deliveries, webhooks
from wishwell.events.webhooks import NewWebhook
from wishwell.privacy import erasure, personal_export
from wishwell.products.shown import page as page_with_products
from wishwell.profiles import records
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import copies, item_changes, items, lists, orders, saving, shares

NOTED = shares.ShareSettings(reservations=True, notes=True)
numbers = itertools.count(1)

# Columns that hold a person's key, and the tables in which an erased person's key remains.
OF_PERSON = {"profile_id", "holder_id", "owner_id", "linked_id"}
STAYS = {"erasures", "revocations"}


class World:
    """A store with events on and a webhook, with short names for use cases."""

    def __init__(self, bench, store):
        self.bench, self.store = bench, store
        made = webhooks.create, SEALING, store, NewWebhook("https://shop.example/"), bench.new_id()
        self.hook = bench.write(*made, bench.clock.tick()).id

    def copy(self, token, caller, name):
        wanted = copies.NewList(self.bench.new_id(), lists.ListFields(name))
        given = (self.bench.finder, token, caller, wanted, self.bench.new_id, PLENTY)
        self.bench.write(copies.copy, *given, self.bench.clock.tick())

    def publish(self):
        """Assigns feed positions and creates the deliveries."""
        self.bench.run(events.assign_positions(self.bench.db, self.bench.clock))
        args = (self.store.id, self.hook, [], 500, "lease")
        for _ in range(3):
            turn = self.bench.write(
                deliveries.process_batch, *args, self.bench.new_id, self.bench.clock
            )
        return turn

    def erase(self, profile):
        return self.bench.write(erasure.erase, profile, self.bench.clock.milliseconds)

    def work(self):
        return self.bench.drain(erasure.remove_erased(self.bench.db, self.bench.clock))

    def feed(self, types=()):
        for _ in range(2):
            self.bench.run(events.assign_positions(self.bench.db, self.bench.clock))
        return self.bench.read(events.read_feed, self.store, None, 250, types).events

    def document(self, profile):
        at = self.bench.clock.tick()
        shown = self.bench.read(lambda tx: profile_views.find(tx, profile, at, sends_mails=True))
        pieces = self.bench.drain(personal_export.stream_document(self.bench.db, profile, shown))
        return msgspec.json.decode(b"".join(pieces))["data"]

    def rows(self):
        """Returns every value of every table as text, with its table and column."""
        return [
            (table, column, str(value))
            for table, columns in schema.tables().items()
            for row in self.bench.select(f"SELECT {', '.join(columns)} FROM {table}")
            for column, value in zip(columns, row, strict=True)
        ]


@pytest.fixture
def world(bench, store):
    return World(bench, bench.update_store(store, reporting={"purchases": True}))


def test_export_of_a_profile_fails_when_it_is_erased_concurrently(world):
    """An export of a profile that is erased meanwhile fails, so it never looks complete.
    Rule: profile-export."""
    bench = world.bench
    ann = bench.new_customer(world.store)
    bench.save(ann)

    async def erased_meanwhile():
        pieces = personal_export.stream_document(
            bench.db, ann, await bench.db.read(records.find, ann)
        )
        await anext(pieces)
        await bench.db.long_write(erasure.erase, ann, bench.clock.milliseconds)
        return [piece async for piece in pieces]

    with pytest.raises(BeingErased):
        bench.run(erased_meanwhile())


def filled(world, customer, other):
    """Fills a customer with every kind of record, next to another customer. Returns the session,
    the values that must disappear, and the last sequence number."""
    bench, n = world.bench, next(numbers)
    session = bench.new_session(world.store)
    email, note = f"ann-{n}@secret.example", f"secret note {n}"
    name, tag = f"secret list {n}", f"tag-{n}"
    address = addresses.ShopAddress(customer, email, "de")
    bench.save(session, 5, note=note, list_ids=(bench.new_list(session, f"{name} of before").id,))
    world.publish()
    bench.link(session, customer)
    bench.write(addresses.set_by_shop, world.store, [address], bench.clock.tick())
    bench.write(records.set_notices, customer, True, bench.clock.tick())
    on = bench.new_list(customer, name).id
    item = bench.save(customer, 6, tags=(tag,), note=note, list_ids=(on,), quantity=9)
    token = bench.share(customer, on, NOTED).token
    theirs = bench.new_list(other, f"list of the other {n}").id
    wish = bench.save(other, 7, list_ids=(theirs,), quantity=9)
    theirs_token = bench.share(other, theirs, NOTED).token
    bench.write(queue.add_confirmation, customer, bench.new_id(), bench.clock.tick())
    bench.write(tokens.create, world.store, customer.id, "confirm", "0" * 64, bench.clock.tick())
    bench.reserve(token, item.id, other)
    bench.reserve(theirs_token, wish.id, customer)
    placed = bench.clock.tick()
    line = orders.Line("6", "", 2, "1.50", "EUR")
    order = orders.Order(f"order {n}", customer, placed, bench.clock.tick(), [line])
    assert bench.write(orders.apply, world.store, order, bench.clock.tick()).matched == 1
    bench.write(item_changes.delete, customer, bench.save(customer, 8).id, bench.clock.tick())
    world.copy(theirs_token, customer, f"{name} copied")
    world.publish()  # some deliveries stay pending
    # others fail
    bench.execute("UPDATE deliveries SET status = 'failed', attempts = 10 WHERE sequence = 2")
    mine = [
        row
        for table in ("items", "lists", "shares")
        for row in bench.select(f"SELECT id FROM {table} WHERE profile_id = $1", customer.id)
    ]
    told = bench.select("SELECT sequence FROM events WHERE profile_id = $1", customer.id)
    secrets = [customer.gid, session.gid, email, note, name, tag, token, opaque.hashed(token)]
    secrets.append(placed)
    secrets += [str(id) for (id,) in mine]
    secrets += [events.event_id(customer.id, sequence) for (sequence,) in told]
    return session, secrets, max(sequence for (sequence,) in told)


def test_erasure_leaves_only_the_key_sequence_number_and_one_event(bench, world):
    """After an erasure only the profile's key, its sequence number and one event remain.
    Rules: erase-immediate, erase-completes, erase-event."""
    customer, other = bench.new_customer(world.store), bench.new_customer(world.store)
    session, secrets, last = filled(world, customer, other)
    before = world.rows()
    tables = {name for name, columns in schema.tables().items() if OF_PERSON & {*columns}}
    unfilled = STAYS | {"requests"}  # test_requests covers that table
    assert tables - unfilled <= {table for table, *_ in before}, "fill a new one, and erase it"
    for secret in secrets[:6]:
        assert any(secret in value for _, _, value in before), secret
    known = world.document(customer)
    assert {event["profile"] for event in known["events"]} == {customer.gid, session.gid}
    assert [(r["productId"], r["quantity"]) for r in known["reservations"]] == [(7, 1)]
    [mail] = known["mails"]
    assert (mail["kind"], mail["state"], mail["items"]) == ("confirmation", "waiting", [])
    assert known["profile"]["emailStatus"] == "confirmed"
    assert (known["profile"]["language"], known["profile"]["noticesSource"]) == ("de", "api")

    assert sorted(world.erase(customer)) == sorted([customer.id, session.id])
    hidden = export(bench, world.store)
    told = [event for event in world.feed() if event.profile in (customer.gid, session.gid)]
    assert world.feed(("list.updated",)) == told  # a filter can't hide it
    [told] = told
    assert (told.type, told.sequence, bytes(told.data)) == ("profile.erased", last + 1, b"{}")
    assert not any(secret in hidden for secret in secrets)
    for page in (items.page, page_with_products):
        found = bench.read(page, profiles.WholeStore(world.store), PageRequest(None, 250)).records
        assert {item.profile for item in found} == {other.gid}
    world.publish()
    of = bench.select("SELECT number FROM events WHERE profile_id = $1", customer.id)
    sent = bench.read(deliveries.read_events_at, world.store.id, [number for (number,) in of])
    assert [event.type for event in sent.values()] == ["profile.erased"]
    page = bench.read(deliveries.page, world.store, world.hook, PageRequest(None, 250))
    assert not {one.event_id for one in page.records} & {*secrets}
    assert world.erase(customer) == ()  # rule: erase-immediate
    columns = "email, email_status, email_source, email_confirmed_at, language, notices"
    columns += ", notices_chosen_at, notices_source"
    contact = f"SELECT {columns} FROM profiles WHERE profile_id = $1"
    assert bench.select(contact, customer.id) == [(None, "", "", "", "", None, "", "")]

    world.work()
    keys = customer.id, session.id
    for table, column, value in world.rows():
        if (table, column) == ("events", "gid") and value == customer.gid:
            continue  # the event profile.erased names the customer
        assert not any(secret in value for secret in secrets), (table, column, value)
        kept = STAYS | {"events", "deliveries"}
        assert value not in keys or table in kept, (table, column)
        assert value != session.id
    [row] = bench.select(
        "SELECT sequence, done_at FROM erasures WHERE profile_id = $1", customer.id
    )
    assert row[0] == last + 1 and row[1]
    of = bench.select("SELECT type FROM events WHERE profile_id = $1", customer.id)
    assert of == [("profile.erased",)]
    assert not any(secret in export(bench, world.store) for secret in secrets)
    shown = bench.read(records.find, customer)
    assert (shown.items, shown.lists, shown.created_at) == (0, 0, msgspec.UNSET)
    bench.check(other)


def test_erased_customer_starts_again_and_the_sequence_continues(bench, world):
    """An erased customer can start again; the sequence continues for 30 days, or for the events'
    retention if longer.
    Rules: erase-completes, erase-event."""
    customer, other = bench.new_customer(world.store), bench.new_customer(world.store)
    _, _, last = filled(world, customer, other)
    world.erase(customer)
    with pytest.raises(BeingErased):
        bench.save(customer, 6)
    with pytest.raises(BeingErased):
        bench.write(saving.change, customer, bench.new_id(), items.ItemPatch(), bench.clock.tick())
    with pytest.raises(BeingErased):
        bench.link(bench.new_session(world.store), customer)
    world.work()
    item = bench.save(customer, 6)
    assert (item.quantity, item.tags, item.list_ids) == (1, [], [])
    told = [event.sequence for event in world.feed() if event.profile == customer.gid]
    assert told == [last + 1, last + 2]
    assert world.erase(customer) == [customer.id]
    world.work()
    later = bench.clock.milliseconds + 31 * 86_400_000
    for events_days, kept in ((31, [(1,)]), (7, [])):
        bench.write(erasure.forget_old, events_days, later)
        found = bench.select("SELECT 1 FROM erasures WHERE profile_id = $1", customer.id)
        assert found == kept
    bench.save(customer, 8)
    sequences = bench.select(
        "SELECT sequence FROM events WHERE profile_id = $1 AND type <> 'profile.erased'",
        customer.id,
    )
    assert sequences == [(1,)]


def test_sequence_continues_when_an_import_restores_the_customer(bench, world, tmp_path):
    """The sequence continues after an import of a file that is older than the erasure.
    Rule: erase-event."""
    customer = bench.new_customer(world.store)
    bench.save(customer, 1)
    path = exported(bench, world.store, tmp_path)
    world.erase(customer)
    world.work()
    load(bench, path, world.store.handle)
    bench.save(customer, 2)
    assert [event.sequence for event in world.feed()] == [2, 3]


def test_erasure_without_data_emits_no_event(bench, world):
    """Erasing an unknown customer makes no event and stores nothing.
    Rules: erase-immediate, erase-event."""
    customer = bench.new_customer(world.store)
    assert world.erase(customer) == ()
    assert bench.read(auth.revoked_until, customer.id) > 0
    for table in ("events", "erasures", "profiles"):
        assert not bench.select(f"SELECT 1 FROM {table} WHERE profile_id = $1", customer.id)
    with pytest.raises(ServiceError, match="session doesn't exist"):
        world.erase(
            profiles.of_session(world.store, ids.session_gid("wishwell", ids.random_uuid()))
        )


def test_inactive_customers_are_forgotten(bench):
    """Inactive customers are forgotten; activity before the option was turned on counts as of that
    time.
    Rule: forget-customers."""
    store = bench.new_store(forget_customers_after=1)
    away, here = bench.new_customer(store), bench.new_customer(store)
    bench.save(away, 1)
    bench.save(here, 1)

    async def idle(now, *, dry):
        return [
            one.gid
            async for one, _ in erasure.erase_idle(bench.db, now, dry=dry)
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
    bench.update_store(store, forget_customers_after=0)
    assert bench.run(idle(begun + 400 * day, dry=True)) == []


def test_months_earlier_is_the_last_day_when_the_month_is_shorter():
    """Subtracting months gives the last day of a month that is shorter."""
    for now, months, before in (("2027-03-31", 1, "2027-02-28"), ("2027-01-15", 13, "2025-12-15")):
        at = ids.from_timestamp(f"{now}T10:00:00.000Z")
        assert ids.timestamp(erasure.subtract_months(at, months)) == f"{before}T10:00:00.000Z"


@pytest.mark.slow
def test_largest_profile_is_erased_in_batches(bench, world):
    """A profile of 5,000 items with 20 tags each, 250 lists and 20,000 entries is erased in
    batches.
    Rule: erase-completes."""
    customer = bench.new_customer(world.store)
    bench.save(customer, 999_999)
    bench.fill(customer, products=4_999, lists=250, on=4, tags=20)
    world.erase(customer)
    steps = world.work()
    assert len(steps) > 60
    for table in ("profiles", "items", "item_tags", "entries", "lists"):
        assert not bench.select(f"SELECT 1 FROM {table} WHERE profile_id = $1", customer.id)
