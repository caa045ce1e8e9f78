"""Purchases agree with a count by hand after any sequence of actions, on both engines."""

import asyncio
import copy
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from tests.contract.conftest import PLENTY, new_item
from tests.contract.moved import delete, export, exported, load
from tests.replay import Replay, shown_event
from tests.strategies import at_length, examples
from wishwell import config, events, ids, jobs, profiles
from wishwell import products as catalogue
from wishwell.access import access_cache
from wishwell.db.journal import Act
from wishwell.errors import Conflict
from wishwell.privacy import erasure, journal_replay
from wishwell.products import NewProduct, ProductData, notices
from wishwell.products.money import Money
from wishwell.reports import purchases as reports
from wishwell.wishlists import item_changes, item_life, items, linking, orders, purchases, saving

DAY = 86_400_000
ON = {"purchases": True}


@dataclass
class Wish:
    """A wish of the model; times in milliseconds."""

    saved: list
    removed: int = 0


@dataclass
class ByHand:
    """A clerk's notes: the wishes of persons by product and variant, and the orders.

    ``bought``: for each order and line, the person (or none after an erasure), the wish, the
    quantity, the price in hundredths, and the time of the order.
    """

    wishes: dict = field(default_factory=lambda: defaultdict(dict))
    gone: dict = field(default_factory=lambda: defaultdict(list))
    versions: dict = field(default_factory=dict)
    bought: dict = field(default_factory=dict)

    def save(self, who, key, now):
        if key in self.wishes[who]:
            self.wishes[who][key].saved[1:] = [now]
        else:
            self.wishes[who][key] = Wish([now])

    def remove(self, who, key, now):
        wish = self.wishes[who].pop(key)
        self.gone[who].append((key, Wish(wish.saved, now)))

    def link(self, visitor, who):
        for key, wish in self.wishes.pop(visitor, {}).items():
            if mine := self.wishes[who].get(key):
                both = [*mine.saved, *wish.saved]
                mine.saved = [min(mine.saved[0], wish.saved[0]), max(both)]
            else:
                self.wishes[who][key] = wish
        self.gone[who] += self.gone.pop(visitor, [])
        self.rename(visitor, who)

    def erase(self, who):
        self.wishes.pop(who, None)
        self.gone.pop(who, None)
        self.rename(who, None)

    def rename(self, before, after):
        for lines in self.bought.values():
            for one in lines:
                one["who"] = after if one["who"] == before else one["who"]

    def order(self, number, who, placed, updated, lines, now):
        if updated <= self.versions.get(number, -1):
            return
        known = {one["line"]: one for one in self.bought.get(number, ())}
        found = []
        for product, variant, quantity, price in lines:
            line = (product, variant)
            if line in known:
                one = dict(known[line])
            elif (wish := self.wish_for(who, line, placed, now)) is not None:
                one = {"line": line, "who": who, "wish": wish}
            else:
                continue
            found.append(one | {"quantity": quantity, "price": price, "placed": placed})
        self.versions[number], self.bought[number] = updated, found

    def wish_for(self, who, line, placed, now):
        everything = [*self.wishes.get(who, {}).items(), *self.gone.get(who, ())]
        for wish_key in (line, (line[0], None)):
            for key, wish in everything:
                timely = any(placed - 90 * DAY <= at < placed for at in wish.saved)
                kept = not wish.removed or wish.removed >= max(placed, now) - 7 * DAY
                if key == wish_key and timely and kept:
                    return wish_key
        return None

    def mark(self, who, key):
        wish = self.wishes[who][key]
        counted = [
            (one["placed"], one["quantity"])
            for lines in self.bought.values()
            for one in lines
            if (one["who"], one["wish"]) == (who, key) and one["placed"] > wish.saved[-1]
        ]
        if not counted:
            return None
        return sum(quantity for _, quantity in counted), max(counted)[0]

    def total(self):
        every = [one for lines in self.bought.values() for one in lines]
        cents = sum(one["quantity"] * one["price"] for one in every if one["price"])
        paid = any(one["price"] for one in every)
        with_wish = sum(bool(lines) for lines in self.bought.values())
        return with_wish, sum(one["quantity"] for one in every), Decimal(cents) / 100, paid

    def bring_back(self, old):
        """An import of ``old``, an earlier state of the same store."""
        for who, wishes in old.wishes.items():
            for key, wish in wishes.items():
                self.wishes[who].setdefault(key, copy.deepcopy(wish))
            known = [(key, wish.saved[0], wish.removed) for key, wish in self.gone[who]]
            for key, wish in old.gone.get(who, ()):
                if (key, wish.saved[0], wish.removed) not in known:
                    self.gone[who].append((key, copy.deepcopy(wish)))
        for number, updated in old.versions.items():
            if updated > self.versions.get(number, -1):
                self.versions[number] = updated
                self.bought[number] = copy.deepcopy(old.bought[number])


class World:
    """A store with purchases on, two customers and a visitor, with its count by hand."""

    def __init__(self, bench, folder):
        self.bench, self.file = bench, folder / f"{ids.random_uuid()}.jsonl"
        self.store = bench.new_store(events=True, reporting=ON)
        self.people = [bench.new_customer(self.store), bench.new_customer(self.store), None]
        self.hand, self.old = ByHand(), None
        self.visit()

    def visit(self):
        self.people[2] = self.bench.new_session(self.store)

    def now(self):
        at = self.bench.clock.tick()
        return at, ids.from_timestamp(at)

    def do(self, step):
        getattr(self, step[0])(*step[1:])
        self.compare()

    def person(self, who):
        """Returns a person who can save; a new visitor after a sign-in."""
        if who == 2:
            row = self.bench.one("profile_state", profile=self.people[2].id)
            if row is None or row[0] is not None:
                self.visit()
        return self.people[who]

    def wait(self, days):
        self.bench.clock.milliseconds += round(days * DAY)

    def save(self, who, product, variant, many):
        at, now = self.now()
        of, new = self.person(who), new_item(product, variant, tags=["a"] if many else None)
        self.bench.write(saving.save, of, new, self.bench.new_id(), PLENTY, at)
        self.hand.save(of.id, (product, variant), now)

    def remove(self, who, number):
        of = self.people[who]
        wishes = sorted(self.hand.wishes[of.id], key=str)
        if number < len(wishes):
            at, now = self.now()
            key = wishes[number]
            found = self.bench.read(items.find_by_products, of, [str(key[0])])
            item = found[str(key[0]), str(key[1] or "")]
            self.bench.write(item_changes.delete, of, item.id, at)
            self.hand.remove(of.id, key, now)

    def sign_in(self, who):
        visitor, customer = self.person(2), self.people[who % 2]
        self.bench.write(linking.link, visitor, customer, PLENTY, self.now()[0])
        self.hand.link(visitor.id, customer.id)
        if who < 2:  # else an order may still name the session
            self.visit()

    def order(self, number, who, days, updated, lines):
        at, now = self.now()
        placed = now - round(days * DAY) - 1
        of, shown = self.people[who], [
            orders.Line(str(p), str(v or ""), q, f"{c // 100}.{c % 100:02}" if c else "",
                        "EUR" if c else "")
            for p, v, q, c in lines
        ]  # fmt: skip
        times = ids.timestamp(placed), ids.timestamp(updated)
        given = orders.Order(str(number), of, *times, shown)
        self.bench.write(orders.apply, self.store, given, at)
        if of.is_session and (row := self.bench.one("order_buyer", profile=of.id)) and row[4]:
            of = next(person for person in self.people if person.id == row[4])
        self.hand.order(number, of.id, placed, updated, lines, now)

    def forget(self, number):
        if number in self.hand.versions:
            self.bench.write(orders.forget, self.store, str(number), self.now()[0])
            del self.hand.versions[number], self.hand.bought[number]

    def erase(self, who):
        of = self.person(who)
        self.bench.write(erasure.erase, of, self.now()[1])
        self.bench.drain(erasure.remove_erased(self.bench.db, self.bench.clock))
        self.hand.erase(of.id)
        if of.is_session:
            self.visit()

    def export(self):
        self.now()
        self.file.write_text(export(self.bench, self.store))
        self.old = copy.deepcopy(self.hand)

    def bring_back(self):
        if self.old is not None:
            closed = [
                id for id in (*self.old.wishes, *self.old.gone)
                if (row := self.bench.one("profile_state", profile=id)) and row[0] is not None
            ]  # fmt: skip
            old = copy.deepcopy(self.old)
            for id in closed:
                old.wishes.pop(id, None)
                old.gone.pop(id, None)
            load(self.bench, self.file, self.store.handle)
            self.hand.bring_back(old)

    def tidy(self):
        self.bench.drain(purchases.forget_removed(self.bench.db, self.bench.clock()))
        assert self.bench.select(
            "SELECT item_id FROM removed_items WHERE removed_at < $1",
            ids.timestamp(self.bench.clock() - 7 * DAY),
        ) == []  # fmt: skip

    def compare(self):
        earned = self.bench.read(reports.summary, self.store, "1970-01-01", "9999-12-31")
        orders_, units, revenue, paid = self.hand.total()
        assert (earned.orders, earned.units) == (orders_, units)
        assert [Decimal(one.amount) for one in earned.revenue] == [revenue] * paid
        rows = self.bench.read(reports.products, self.store, "1970-01-01", "9999-12-31")
        assert sum(row.units for row in rows) == units
        for of in self.people:
            shown = {}
            for item in map(items.from_row, self.bench.all("items_all", profile=of.id)):
                key = int(item.product_id), int(item.variant_id) if item.variant_id else None
                mark = item.purchased or None
                shown[key] = mark and (mark.quantity, ids.from_timestamp(mark.at))
            assert shown == {key: self.hand.mark(of.id, key) for key in self.hand.wishes[of.id]}


who, products, variants = st.integers(0, 2), st.integers(1, 3), st.sampled_from([None, None, 7, 8])
lines = st.lists(
    st.tuples(products, variants, st.integers(1, 3), st.sampled_from([0, 1, 999, 1990])),
    max_size=3,
    unique_by=lambda line: line[:2],
)
days = st.sampled_from([0, 0, 0, 0.5, 3, 6.9, 8, 80, 89.9, 95])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("save"), who, products, variants, st.booleans()),
        st.tuples(st.just("save"), who, products, variants, st.booleans()),
        st.tuples(st.just("order"), st.integers(1, 3), who, days, st.integers(1, 4), lines),
        st.tuples(st.just("order"), st.integers(1, 3), who, days, st.integers(1, 4), lines),
        st.tuples(st.just("order"), st.integers(1, 3), who, days, st.integers(1, 4), lines),
        st.tuples(st.just("remove"), who, st.integers(0, 2)),
        st.tuples(st.just("wait"), days),
        st.tuples(st.just("sign_in"), st.integers(0, 3)),
        st.tuples(st.just("forget"), st.integers(1, 3)),
        st.tuples(st.just("erase"), who),
        st.just(("export",)),
        st.just(("bring_back",)),
        st.just(("tidy",)),
    ),
    max_size=25,
)
ONE = [(1, None, 2, 1990)]
# A visitor's wish is bought, merged by a sign-in into an older one, refunded, erased and imported.
LONG = [
    ("save", 0, 1, None, False), ("wait", 0.5), ("save", 2, 1, None, True), ("wait", 0.5),
    ("order", 1, 2, 0, 2, ONE), ("sign_in", 0), ("order", 1, 0, 0, 1, [*ONE, (2, None, 1, 1)]),
    ("export",), ("order", 1, 0, 0, 3, [(1, None, 1, 1990)]), ("remove", 0, 0), ("wait", 6.9),
    ("order", 2, 0, 0, 1, ONE), ("erase", 0), ("order", 1, 0, 0, 4, ONE), ("bring_back",),
]  # fmt: skip
SAVED = ("save", 0, 1, None, False)
EARLY = [SAVED, ("order", 1, 0, 0, 2, []), ("order", 1, 0, 0, 1, ONE)]
EQUAL = [SAVED, ("order", 1, 0, 0, 1, ONE), ("order", 1, 0, 0, 1, [(1, None, 3, 1)])]
LATE = [SAVED, ("wait", 80), ("order", 1, 0, 0, 1, ONE), ("wait", 13), ("order", 2, 0, 0, 1, ONE)]
CART = [SAVED, ("remove", 0, 0), ("wait", 6.9), ("order", 1, 0, 0, 1, ONE), ("wait", 0.5)]
CART += [("order", 2, 0, 0, 1, ONE), ("order", 3, 0, 3, 1, ONE), ("tidy",)]


@given(steps)
@example(LONG)
@example(EARLY)
@example(EQUAL)
@example(LATE)
@example(CART)
@examples(10)
def test_any_sequence_agrees_with_a_count_by_hand(bench, tmp_path_factory, doing):
    """After each save, sign-in, order, version, cancellation, removal, erasure and import, in any
    order of arrival, purchases, revenue and marks are those of a count by hand; the events
    describe the changes. Rules: purchase-match, order-versions, purchase-mark, purchase-private,
    purchase-report."""
    world = World(bench, tmp_path_factory.mktemp("hand"))
    for step in doing:
        world.do(step)


test_any_sequence_at_length = at_length(
    test_any_sequence_agrees_with_a_count_by_hand, 400, doing=steps
)


def buy(bench, profile, *lines, number="1", updated=1, at=None):
    """Sends an order of the profile; returns what happened."""
    now = at or bench.clock.tick()
    bench.clock.tick()
    shown = [orders.Line(str(p), str(v or ""), q, "1.50", "EUR") for p, v, q in lines]
    given = orders.Order(number, profile, now, ids.timestamp(updated), shown)
    return bench.write(orders.apply, profile.store, given, bench.clock.tick())


@pytest.fixture
def till(bench):
    return bench.new_store(events=True, reporting=ON)


def test_latest_version_wins_in_a_race_with_a_sign_in(bench, till):
    """Concurrent versions of an order and a sign-in leave the latest version, with the customer's
    mark. Rules: order-versions, request-linearizable."""
    for _ in range(5):
        customer, session = bench.new_customer(till), bench.new_session(till)
        bench.save(customer, 1)
        bench.save(session, 1)
        placed, number = bench.clock.tick(), ids.random_uuid()
        bench.clock.tick()
        acts = [
            bench.db.write(
                orders.apply,
                till,
                orders.Order(
                    number,
                    (customer, session)[version % 2],
                    placed,
                    ids.timestamp(version),
                    [orders.Line("1", "", version, "", "")],
                ),
                bench.clock.tick(),
            )
            for version in (3, 1, 6, 5, 2, 4)
        ]
        acts.insert(3, bench.db.write(linking.link, session, customer, PLENTY, bench.clock.tick()))

        async def at_once(acts=acts):
            return await asyncio.gather(*acts)

        bench.run(at_once())
        [item] = map(items.from_row, bench.all("items_all", profile=customer.id))
        assert item.purchased is not UNSET
        assert item.purchased.quantity == 6
        hash = ids.order_hash(till.id, number)
        sql = "SELECT quantity, profile_id FROM purchases WHERE store_id = $1 AND hash = $2"
        assert [(row[0], str(row[1])) for row in bench.select(sql, till.id, hash)] == [
            (6, customer.id)
        ]


def test_replayed_events_lead_to_the_items_with_their_marks(bench, till):
    """A replay of the events leads to the items with their marks. Rule: purchase-mark."""
    customer, session = bench.new_customer(till), bench.new_session(till)
    bench.save(customer, 1)
    bench.save(session, 1)
    bench.save(session, 2)
    buy(bench, session, (1, None, 1), (2, None, 1), (3, None, 1))
    buy(bench, customer, (1, None, 4), number="2")
    bench.link(session, customer)
    buy(bench, customer, (1, None, 3), number="2", updated=2)
    bench.save(customer, 2)
    bench.write(orders.forget, till, "1", bench.clock.tick())
    bench.run(events.assign_positions(bench.db, bench.clock))
    replay = Replay()
    for event in map(shown_event, bench.read(events.read_feed, till, None, 250, ()).events):
        if event["profile"] == customer.gid:
            replay.hear(event)
    shown = [items.from_row(row) for row in bench.all("items_all", profile=customer.id)]
    items.show(shown, text_ids=False)
    assert replay.items == {item.id: msgspec.to_builtins(item) for item in shown}
    assert {item.product_id: item.purchased and item.purchased.quantity for item in shown} == {
        1: 3, 2: msgspec.UNSET
    }  # fmt: skip


def test_bought_items_trigger_no_notices(bench, till):
    """A price drop isn't emitted for bought items. Rules: purchase-mark, notice-drop."""
    ann, ben = bench.new_customer(till), bench.new_customer(till)
    for who in (ann, ben):
        bench.save(who, 1)
    buy(bench, ann, (1, None, 1))
    for amount in ("10", "5"):
        given = NewProduct("1", ProductData("A", price=Money(amount, "EUR")))
        bench.write(catalogue.put, till, [given], [bench.new_id()], bench.clock.tick())
    bench.write(notices.process_batch, till, "1", bench.clock())
    sql = "SELECT gid FROM events WHERE store_id = $1 AND type = 'item.price_dropped'"
    assert bench.select(sql, till.id) == [(ben.gid,)]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("way", ["one", "tagged", "several"])
def test_saving_again_clears_the_mark_with_purchases_off(bench, told, way):
    """Saving a bought item again clears its mark after purchases were turned off, too; a late
    version of the order doesn't bring it back. Rules: purchase-mark, purchases-on."""
    till = bench.new_store(events=told, reporting=ON)
    ann = bench.new_customer(till)
    bench.save(ann, 1)
    placed = bench.clock.tick()
    assert buy(bench, ann, (1, None, 1), at=placed).matched == 1
    off = structs.replace(ann, store=bench.update_store(till, reporting={"purchases": False}))
    new = new_item(1, None, tags=["a"] if way == "tagged" else None)
    if way == "several":
        [item] = bench.write(
            saving.save_many, off, [new], [bench.new_id()], PLENTY, bench.clock.tick()
        )
    else:
        item, created, _ = bench.write(
            saving.save, off, new, bench.new_id(), PLENTY, bench.clock.tick()
        )
        assert not created
    assert item.purchased is UNSET
    [row] = bench.all("items_all", profile=ann.id)
    stored = items.from_row(row)
    assert (stored.purchased, stored.updated_at) == (UNSET, item.updated_at)
    bench.update_store(till, reporting=ON)
    assert buy(bench, ann, (1, None, 2), updated=2, at=placed).matched == 1
    [row] = bench.all("items_all", profile=ann.id)
    assert items.from_row(row).purchased is UNSET


def test_change_to_another_product_clears_the_mark(bench, till):
    """A bought item that is changed to another product has no mark, also after a later version of
    the order. Rule: purchase-mark."""
    ann = bench.new_customer(till)
    saved, placed = bench.save(ann, 1), bench.clock.tick()
    lines = (1, None, 1), (2, None, 1)
    assert buy(bench, ann, *lines, at=placed).matched == 1
    patch = items.ItemPatch(product_id="2")
    changed = bench.write(saving.change, ann, saved.id, patch, bench.clock.tick())
    buy(bench, ann, *lines, updated=2, at=placed)
    [row] = bench.all("items_all", profile=ann.id)
    assert (changed.purchased, items.from_row(row).purchased) == (UNSET, UNSET)


@pytest.mark.parametrize("on", [True, False])
def test_import_into_a_store_with_another_id_adds_no_orders(bench, till, tmp_path, on):
    """An import into a store with another id adds its items without orders, marks and removed
    items. Rule: import-store."""
    ann = bench.new_customer(till)
    bench.save(ann, 1)
    bench.write(item_changes.delete, ann, bench.save(ann, 2).id, bench.clock.tick())
    assert buy(bench, ann, (1, None, 1)).matched == 1
    file = exported(bench, till, tmp_path)
    other = bench.new_store(reporting={"purchases": on})
    bench.save(bench.new_customer(other), 5)
    load(bench, file, other.handle)
    copied = profiles.of_customer(other, ann.gid)
    [item] = map(items.from_row, bench.all("items_all", profile=copied.id))
    assert (item.product_id, item.purchased) == ("1", UNSET)
    for table in ("orders", "purchases", "removed_items"):
        assert len(bench.select(f"SELECT 1 FROM {table} WHERE store_id = $1", till.id)) == 1
        assert bench.select(f"SELECT 1 FROM {table} WHERE store_id = $1", other.id) == []


def test_order_has_another_hash_in_each_store(bench, till):
    """The hash of an order's id differs between stores, so nobody can precompute it for all of
    them. Rule: purchase-private."""
    hashes = set()
    for store in (till, bench.new_store(reporting=ON)):
        ann = bench.new_customer(store)
        bench.save(ann, 1)
        assert buy(bench, ann, (1, None, 1), number="1001").matched == 1
        [(stored,)] = bench.select("SELECT hash FROM orders WHERE store_id = $1", store.id)
        assert str(stored) == ids.order_hash(store.id, "1001")
        hashes.add(str(stored))
    assert len(hashes) == 2


def test_erasure_leaves_totals_and_hashes_only(bench, till):
    """After an erasure, no table names the person; the order's totals stay, also for a refund.
    Rule: purchase-private."""
    ann = bench.new_customer(till)
    bench.save(ann, 1)
    bench.write(item_changes.delete, ann, bench.save(ann, 2).id, bench.clock.tick())
    placed = bench.clock.tick()
    buy(bench, ann, (1, None, 2), (2, None, 1), at=placed)
    bench.write(erasure.erase, ann, bench.clock())
    bench.drain(erasure.remove_erased(bench.db, bench.clock))
    for table, of in (("purchases", "profile_id"), ("removed_items", "profile_id")):
        assert bench.select(f"SELECT 1 FROM {table} WHERE {of} = $1", ann.id) == []
    assert bench.select("SELECT 1 FROM purchases WHERE placed_at = $1", placed) == []
    assert bench.read(reports.summary, till, "1970-01-01", "9999-12-31").units == 3
    buy(bench, ann, (1, None, 1), updated=2)
    earned = bench.read(reports.summary, till, "1970-01-01", "9999-12-31")
    assert (earned.units, earned.revenue[0].amount) == (1, "1.50")


def test_order_during_the_erasure_of_its_buyer_names_nobody(bench, till):
    """A version that arrives while its buyer is being erased names nobody.
    Rule: purchase-private."""
    ann, session = bench.new_customer(till), bench.new_session(till)
    bench.save(session, 1)
    buy(bench, session, (1, None, 2))
    bench.link(session, ann)
    bench.write(erasure.erase, ann, bench.clock())
    assert buy(bench, ann, (1, None, 1), updated=2).matched == 1
    kept = "SELECT profile_id, placed_at, quantity FROM purchases WHERE store_id = $1"
    assert bench.select(kept, till.id) == [(None, "", 1)]
    bench.drain(erasure.remove_erased(bench.db, bench.clock))


def test_store_deletion_removes_purchases(bench, till):
    """Deleting a store deletes its orders, purchases and removed items. Rule: store-delete."""
    ann = bench.new_customer(till)
    bench.write(item_changes.delete, ann, bench.save(ann, 2).id, bench.clock.tick())
    buy(bench, ann, (2, None, 1))
    delete(bench, till)
    for table in ("orders", "purchases", "removed_items"):
        assert bench.select(f"SELECT 1 FROM {table} WHERE store_id = $1", till.id) == []


def test_removed_items_are_not_stored_with_purchases_off(bench):
    """In a store with purchases off, a removal stores nothing.
    Rules: purchases-on, purchase-match."""
    ann = bench.new_customer(bench.new_store())
    bench.write(item_changes.delete, ann, bench.save(ann, 2).id, bench.clock.tick())
    bench.write(item_changes.delete, ann, bench.save(ann, 3, tags=["a"]).id, bench.clock.tick())
    assert bench.select("SELECT 1 FROM removed_items WHERE profile_id = $1", ann.id) == []


def test_background_job_forgets_removed_items_after_seven_days(bench, till):
    """The job of removed items leaves those of the last seven days. Rule: purchase-match."""
    ann = bench.new_customer(till)
    for product, days in ((1, 6), (2, 2)):
        bench.write(item_changes.delete, ann, bench.save(ann, product).id, bench.clock.tick())
        bench.clock.milliseconds += days * DAY
    cache = access_cache.AccessCache(bench.db, bench.clock)
    run = jobs.Run(config.load({}), bench.db, bench.clock, cache)
    for job in item_life.RETENTION_JOBS:
        bench.run(job.work(run))
    remembered = "SELECT product_id FROM removed_items WHERE profile_id = $1"
    assert bench.select(remembered, ann.id) == [("2",)]


def test_forgotten_order_is_forgotten_again_after_a_restore(bench, till):
    """Replay deletes an order again that the journal records as forgotten.
    Rules: journal-replay, order-versions."""
    ann = bench.new_customer(till)
    bench.save(ann, 1)
    buy(bench, ann, (1, None, 1))
    act = Act(action="order.forgotten", store_id=till.id, id=ids.order_hash(till.id, "1"))
    repeat = journal_replay.repeat(bench.db, [act], bench.clock, dry=False)
    assert [one.outcome for one in bench.drain(repeat)] == ["repeated"]
    assert bench.one("order_find", store=till.id, hash=act.id) is None
    assert bench.read(reports.summary, till, "1970-01-01", "9999-12-31").orders == 0


def test_order_that_was_sent_again_after_it_was_forgotten_stays(bench, till):
    """Replay forgets an order that is still the forgotten one, also in a later version. The same order,
    sent again after it was forgotten, stays, however often replay runs. Lines without the time at which
    the order was received forget any. Rules: journal-replay, order-versions."""
    ann = bench.new_customer(till)
    bench.save(ann, 1)
    buy(bench, ann, (1, None, 1))
    forget = orders.forget, till, "1", bench.clock.tick()

    async def forget_and_return_act(tx, *, fails):
        await forget[0](tx, *forget[1:])
        if fails:
            raise Conflict(msgspec.json.encode(tx.acts).decode(), "purchases_off")
        return tx.acts[0]

    def replay(act):
        return [
            one.outcome
            for one in bench.drain(journal_replay.repeat(bench.db, [act], bench.clock, dry=False))
        ]

    with pytest.raises(Conflict) as refused:  # the database is as if restored from before
        bench.write(forget_and_return_act, fails=True)
    [act] = msgspec.json.decode(refused.value.message, type=list[Act])
    buy(bench, ann, (1, None, 2), updated=2)  # a later version
    assert replay(act) == ["repeated"]
    buy(bench, ann, (1, None, 1))
    again = bench.write(forget_and_return_act, fails=False)
    assert (again.id, again.created > act.created) == (act.id, True)
    buy(bench, ann, (1, None, 1))
    for _ in range(2):
        assert [replay(one) for one in (act, again)] == [["done"], ["done"]]
        assert bench.read(reports.summary, till, "1970-01-01", "9999-12-31").orders == 1
    assert replay(structs.replace(again, created="")) == ["repeated"]


def test_later_version_with_another_buyer_leaves_a_match_with_the_first(bench, till):
    """A line that a version of an order matched stays with that buyer when a later version names another
    or none; only its new lines match the other's wishes. Rules: order-versions, purchase-match."""
    ann, bob = bench.new_customer(till), bench.new_customer(till)
    for one in (ann, bob):
        for product in (1, 2):
            bench.save(one, product)
    sql = "SELECT product_id, profile_id FROM purchases WHERE store_id = $1 ORDER BY line"
    at = bench.clock.tick()
    versions = [(ann, [1], [ann]), (bob, [1, 2], [ann, bob]), (None, [1, 2], [ann, bob])]
    for number, (buyer, products, owners) in enumerate(versions):
        lines = [orders.Line(str(product), "", 1, "", "") for product in products]
        order = orders.Order("1", buyer, at, ids.timestamp(number + 1), lines)
        bench.clock.tick()
        bench.write(orders.apply, till, order, bench.clock.tick())
        rows = [(product, str(owner)) for product, owner in bench.select(sql, till.id)]
        expected = zip(map(str, products), (owner.id for owner in owners), strict=True)
        assert rows == [*expected]


@pytest.mark.parametrize("first", ["session", "customer"])
def test_merged_item_counts_as_saved_at_the_later_of_both_saves(bench, till, first):
    """An item that a sign-in merged counts as saved when the visitor or the customer saved it last: a
    purchase between the two saves doesn't mark it. Rules: purchase-mark, link-merges-items."""
    customer, session = bench.new_customer(till), bench.new_session(till)
    buyer, other = (session, customer) if first == "session" else (customer, session)
    bench.save(buyer, 1)
    buy(bench, buyer, (1, None, 1))
    bench.clock.tick()
    bench.save(other, 1)
    bench.write(linking.link, session, customer, PLENTY, bench.clock.tick())
    [item] = map(items.from_row, bench.all("items_all", profile=customer.id))
    assert item.purchased is UNSET


def test_imported_item_has_the_mark_of_a_later_purchase(bench, till, tmp_path):
    """An import that brings a deleted item back sets the mark of a purchase since its save; others'
    items and other products have none. Rules: purchase-mark, import-twice."""
    ann, bob = bench.new_customer(till), bench.new_customer(till)
    for one in (ann, bob):
        for product in (1, 2):
            bench.save(one, product)
    path = exported(bench, till, tmp_path)
    buy(bench, ann, (1, None, 3))
    for one in (ann, bob):
        for item in bench.read(items.find_by_products, one, ["1", "2"]).values():
            bench.write(item_changes.delete, one, item.id, bench.clock.tick())
    load(bench, path, till.handle)
    marks = {
        (one, item.product_id): item.purchased
        for one in (ann, bob)
        for item in bench.read(items.find_by_products, one, ["1", "2"]).values()
    }
    assert marks.pop((ann, "1")).quantity == 3
    assert marks == {(ann, "2"): UNSET, (bob, "1"): UNSET, (bob, "2"): UNSET}


def test_products_that_earned_most_in_the_main_currency_come_first(bench, till):
    """The report's products are in the order of their revenue in the currency with the most units.
    Rule: purchase-report."""
    ann = bench.new_customer(till)
    for product in (1, 2, 3):
        bench.save(ann, product)
    now = bench.clock.tick()
    lines = [
        orders.Line(str(product), "", units, amount, currency)
        for product, units, amount, currency in (
            (1, 3, "99.00", "USD"), (2, 2, "1.00", "EUR"), (3, 2, "2.00", "EUR"))
    ]  # fmt: skip
    order = orders.Order("1", ann, now, ids.timestamp(1), lines)
    bench.write(orders.apply, till, order, bench.clock.tick())
    rows = bench.read(reports.products, till, "1970-01-01", "9999-12-31")
    assert [row.product_id for row in rows] == [3, 2, 1]


def test_export_of_a_person_has_the_purchases(bench, till):
    """A person's purchases are part of the export of the profile. Rule: profile-export."""
    ann = bench.new_customer(till)
    bench.save(ann, 1, 11)
    buy(bench, ann, (1, 11, 2))
    [one] = bench.read(orders.of_profile, ann)
    assert (one.product_id, one.variant_id, one.quantity) == (1, 11, 2)
    assert one.unit_price == {"amount": "1.50", "currency": "EUR"}
