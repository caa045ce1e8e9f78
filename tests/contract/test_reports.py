"""Reports: every number is that of a plain count by hand, whatever happens in between."""

import contextlib
import functools
from collections import Counter
from zoneinfo import ZoneInfo

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.conftest import PLENTY, new_item
from tests.strategies import examples
from wishwell import config, ids, reports
from wishwell.errors import BeingErased, Conflict, NotFound
from wishwell.reports import counting
from wishwell.reports.counting import day_of, following
from wishwell.stores.reporting import Reporting
from wishwell.wishes import erasure, items, purge
from wishwell.wishes.items import ItemPatch

HOUR = 3_600_000
PEOPLE = 4
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("save"),
            st.integers(0, PEOPLE - 1),
            st.integers(1, 3),
            st.sampled_from((None, 7, 8)),
        ),
        st.tuples(st.just("delete"), st.integers(0, 9)),
        st.tuples(st.just("change"), st.integers(0, 9), st.sampled_from((7, 8))),
        st.tuples(st.just("link"), st.integers(0, PEOPLE - 1)),
        st.tuples(st.just("erase"), st.integers(0, PEOPLE - 1)),
        st.tuples(st.just("purge")),
        st.tuples(st.just("wait"), st.sampled_from((1, 7, 30, 24 * 3, 24 * 95))),
        st.tuples(st.just("count")),
    ),
    max_size=30,
)


class ByHand:
    """What was there at each count, and from that each number by its definition."""

    def __init__(self, zone):
        self.zone = zone
        self.counts = []  # day, and of each wish: whether a visitor's, product, variant, its day

    def count(self, bench, store, now):
        rows = bench.select(
            "SELECT p.is_session, i.product_id, i.variant_id, i.created_at FROM items i "
            "JOIN profiles p ON p.profile_id = i.profile_id WHERE i.store_id = $1 AND NOT EXISTS "
            "(SELECT 1 FROM erasures e WHERE e.profile_id = i.profile_id AND e.done_at IS NULL)",
            store.id,
        )
        found = [(*row[:3], day_of(ids.from_timestamp(row[3]), self.zone)) for row in rows]
        self.counts.append((day_of(now, self.zone), found))

    def at(self, day):
        """The wishes at the end of a day."""
        before = [found for counted, found in self.counts if counted <= day]
        return before[-1] if before else []

    def added(self, day, of):
        if day < self.counts[0][0]:
            return 0
        after = [found for counted, found in self.counts if counted > day]
        found = after[0] if after else self.counts[-1][1]
        return sum(of(wish) and wish[3] == day for wish in found)

    def numbers(self, first, last, of=lambda wish: True):
        """Wishes of customers and of visitors, added, removed."""
        there = Counter(wish[0] for wish in self.at(last) if of(wish))
        had = sum(map(of, self.at(following(first, -1))))
        days, day = [], first
        while day <= last:
            days.append(day)
            day = following(day)
        added = sum(self.added(day, of) for day in days)
        return there[0], there[1], added, max(0, had + added - there.total())


def count(bench, store):
    return bench.drain(counting.run(bench.db, store, bench.clock))


@examples(40)
@given(st.data(), STEPS, st.sampled_from(("UTC", "Pacific/Auckland", "America/Los_Angeles")))
def test_every_number_is_that_of_a_count_by_hand(bench, data, steps, zone):
    """contract: count, count-days, report-period, report-products, report-summary, report-days,
    store-time-zone. Whatever visitors and customers do in between."""
    store = bench.new_store()
    store = msgspec.structs.replace(store, reporting=Reporting(time_zone=zone))
    hand = ByHand(ZoneInfo(zone))
    people = [bench.new_session(store), bench.new_session(store)]
    people += [bench.new_customer(store), bench.new_customer(store)]
    for step in [*steps, ("count",)]:
        do(bench, store, hand, people, step)
    counted = data.draw(st.sampled_from([day for day, _ in hand.counts]), label="counted")
    begin = following(counted, data.draw(st.integers(-3, 3), label="first"))
    length = data.draw(st.sampled_from((0, 1, 3, 40, 130)), label="length")
    check(bench, store, hand, reports.Period(begin, following(begin, length)))


def do(bench, store, hand, people, step):
    bench.clock.milliseconds += 1
    now, there = bench.clock.tick(), there_in(bench, store)
    match step:
        case ("save", who, product, variant):
            saved = new_item(product, variant), bench.new_id(), PLENTY, now
            quietly(bench, items.save, people[who], *saved)
        case ("delete", at) if there:
            owner, id = there[at % len(there)]
            quietly(bench, items.delete, of_key(people, owner), id, now)
        case ("change", at, variant) if there:
            owner, id = there[at % len(there)]
            quietly(
                bench,
                items.change,
                of_key(people, owner),
                id,
                ItemPatch(variant_id=str(variant)),
                now,
            )
        case ("link", who) if people[who].is_session:
            bench.link(people[who], people[3])
            people[who] = bench.new_session(store)
        case ("erase", who):
            bench.write(erasure.erase, people[who], bench.clock())
            bench.drain(erasure.work(bench.db, bench.clock))
            if people[who].is_session:
                people[who] = bench.new_session(store)
        case ("purge",):
            bench.drain(purge.sessions(bench.db, config.load({}), bench.clock()))
            states = [bench.one("profile_state", profile=one.id) for one in people]
            for at, state in enumerate(states):
                if people[at].is_session and state is None:
                    people[at] = bench.new_session(store)
        case ("wait", hours):
            bench.clock.milliseconds += hours * HOUR
        case ("count",):
            count(bench, store)
            hand.count(bench, store, bench.clock())


def there_in(bench, store):
    return bench.select(
        "SELECT profile_id, id FROM items WHERE store_id = $1 ORDER BY id", store.id
    )


def of_key(people, key):
    return next(one for one in people if one.id == str(key))


def quietly(bench, use_case, *arguments):
    """What is refused is no step."""
    with contextlib.suppress(Conflict, NotFound, BeingErased):
        bench.write(use_case, *arguments)


def check(bench, store, hand, of):
    """Every report of the period against the count by hand."""
    numbers = hand.numbers(*of)
    summary = bench.read(reports.summary, store, of)
    assert (summary.customers, summary.visitors, summary.added, summary.removed) == numbers
    assert summary.wishes == summary.customers + summary.visitors
    for by in ("product", "variant"):
        for sort in ("wishes", "added", "removed"):
            rows = bench.read(reports.products, store, of, sort, by, 0, 100)
            shown = [getattr(row, sort) for row in rows]
            assert shown == sorted(shown, reverse=True) or sort == "removed"
            for row in rows:
                of_row = functools.partial(
                    is_of, str(row.product_id), by, str(row.variant_id or "")
                )
                numbers = row.customers, row.visitors, row.added, row.removed
                assert numbers == hand.numbers(*of, of_row)
    known = {wish[1] for _, found in hand.counts for wish in found}
    for product in ("", *known):
        mine = functools.partial(is_of, product, "product", "")
        for day in bench.read(reports.days, store, of, product):
            customers, visitors, added, removed = hand.numbers(day.day, day.day, mine)
            assert (day.wishes, day.added, day.removed) == (customers + visitors, added, removed)


def is_of(product, by, variant, wish):
    return product in ("", wish[1]) and (by == "product" or wish[2] == variant)
