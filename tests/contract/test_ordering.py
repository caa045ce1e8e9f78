"""Positions on a list: moves agree with a plain Python list, and write few rows."""

import random

import msgspec
import pytest

from tests.conftest import slow
from tests.replay import Replay
from wishwell.wishlists import lists, ordering

from .conftest import PLENTY
from .test_model import profile_events

# For each move: its old and new index, by the list's number of items.
MOVES = {
    "to the start": lambda count: (count - 1, 0),
    "to the end": lambda count: (0, count - 1),
    "from the end to one place": lambda count: (count - 1, count // 2),
    "from the start to one place": lambda count: (0, count // 2),
    "to and fro": lambda count: (count // 2, count // 2 + 1),
    "anywhere": lambda count: random.sample(range(count), 2),
}
SIMILAR_MOVES = [way for way in MOVES if way not in ("to the start", "anywhere")]


def filled(bench, count):
    """Returns a new profile, and its list of ``count`` items with their order."""
    profile = bench.new_session()
    [made] = bench.fill(profile, products=count, lists=1, on=1)
    return profile, made, order_of(bench, profile, made)


def order_of(bench, profile, made):
    return [item.id for item in bench.read(lists.find, profile, made, "customer").items]


def stored(bench, profile, made):
    """Returns the stored positions by item, in order."""
    return dict(
        bench.select(
            "SELECT item_id, position FROM entries "
            "WHERE profile_id = $1 AND list_id = $2 AND position > 0 ORDER BY position",
            profile.id,
            made,
        )
    )


def move(bench, profile, made, order, old, new):
    """Moves an item from one index of the order to another, also in ``order``."""
    item = order.pop(old)
    after = order[new - 1] if new else None
    order.insert(new, item)
    now = bench.clock.tick()
    bench.write(lists.put_item, profile, made, item, after, PLENTY, now)


def set_positions(bench, profile, made, chosen):
    """Writes positions as another release, or years of moves, may have left them."""

    async def write(tx):
        named = {"profile": profile.id, "list": made}
        rows = [{**named, "item": item, "position": at} for item, at in chosen.items()]
        await tx.begin()
        await tx.run_many("entry_place", rows)

    bench.write(write)


@pytest.mark.parametrize(("count", "moves"), [(200, 60), slow(400, 2_000)])
@pytest.mark.parametrize("way", ["to the start", "anywhere", *map(slow, SIMILAR_MOVES)])
def test_moves_in_the_worst_directions_agree_with_a_plain_list(event_bench, way, count, moves):
    """The order is right after each move, a move writes at most 6 rows on average (to an end: one),
    and the events of the moves lead to the same order; also where an earlier release writes
    positions without gaps in between.
    Rules: list-order, event-changed, migrate-once."""
    profile, made, order = filled(event_bench, count)
    random.seed(way)
    event_bench.write(lists.order, profile, made, order, event_bench.clock.tick())
    replay = Replay()
    whole = msgspec.to_builtins(event_bench.read(lists.find, profile, made, "customer"))
    replay.items = {item["id"]: item for item in whole.pop("items")}
    replay.lists, replay.placed, replay.sequence = {made: whole}, {made: order[:]}, 1
    written, before = 0, stored(event_bench, profile, made)
    for number in range(moves):
        if number in (moves // 3, moves // 2):
            before = dict(zip(order, range(1, count + 1), strict=True))
            set_positions(event_bench, profile, made, before)
        move(event_bench, profile, made, order, *MOVES[way](count))
        after = stored(event_bench, profile, made)
        assert [*after] == order, number
        written += len(after.items() - before.items())
        before = after
    assert written <= moves * (1 if way in ("to the start", "to the end") else 6) + 2 * count
    assert order_of(event_bench, profile, made) == order
    for event in profile_events(event_bench, profile)[1:]:
        replay.hear(event)
    assert replay.sequence == moves + 1
    assert replay.placed[made] == order


@pytest.mark.parametrize("begin", [0, ordering.POSITION_LIMIT // 2, ordering.POSITION_LIMIT - 6])
def test_moves_succeed_at_the_limits_of_the_position_column(bench, begin):
    """Moves find room where positions have no gaps, also at the limits of PostgreSQL's `integer`.
    Rule: list-order."""
    profile, made, order = filled(bench, 5)
    for old, new in ((2, 0), (0, 2), (1, 2), (0, 1), (4, 3), (3, 4), (4, 0)):
        set_positions(bench, profile, made, {id: begin + n for n, id in enumerate(order, 1)})
        move(bench, profile, made, order, old, new)
        assert order_of(bench, profile, made) == order
        assert all(0 < at < ordering.POSITION_LIMIT for at in stored(bench, profile, made).values())


@pytest.mark.parametrize("count", [20, 1_000])
def test_event_of_a_move_is_small_on_lists_of_any_length(event_bench, count):
    """A move emits one event of at most 1 kB with the item and the one before it; an order that is
    set as a whole emits all ids. Rule: event-changed."""
    profile, made, order = filled(event_bench, count)
    event_bench.write(lists.order, profile, made, order, event_bench.clock.tick())
    move(event_bench, profile, made, order, count - 1, 1)
    move(event_bench, profile, made, order, 3, 0)
    whole, *moves = [event["data"] for event in profile_events(event_bench, profile)]
    assert len(whole["itemIds"]) == count
    for data, (item, after) in zip(moves, ((order[2], order[1]), (order[0], None)), strict=True):
        assert data["moved"] == {"itemId": item, "after": after}
        assert data["changed"] == ["itemIds"] and data.keys() == {"list", "changed", "moved"}
        assert len(msgspec.json.encode(data)) < 400


def test_whole_order_writes_only_what_changed(bench):
    """An order set as a whole that swaps two items writes one row; any order is shown as it was
    set. Rule: list-order."""
    profile, made, order = filled(bench, 50)
    bench.write(lists.order, profile, made, order, bench.clock.tick())
    before = stored(bench, profile, made)
    order[20], order[21] = order[21], order[20]
    bench.write(lists.order, profile, made, order, bench.clock.tick())
    assert len(stored(bench, profile, made).items() - before.items()) == 1
    for first in range(0, 50, 3):
        order[first : first + 20] = random.sample(
            order[first : first + 20], len(order[first : first + 20])
        )
        bench.write(lists.order, profile, made, order, bench.clock.tick())
        assert order_of(bench, profile, made) == order
