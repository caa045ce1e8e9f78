"""Random sequences of shopper actions, sign-ins included, agree with an in-memory model. Their
events describe exactly the changes, so replaying them yields the same records."""

import itertools
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.contract.conftest import bounds, new_item
from tests.profile_model import Model
from tests.replay import Replay, shown_event
from tests.strategies import alike, at_length, examples, sequences
from wishwell import events, stores
from wishwell.errors import Conflict, Forbidden, Invalid, NotFound
from wishwell.profiles import search
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import item_changes, items, linking, lists, saving
from wishwell.wishlists.items import ItemPatch

UNLIMITED = 10_000


def do(bench, profile, model, step):
    """Runs one step on the service and on the model; both must return the same or fail alike."""
    now, id = bench.clock.tick(), bench.new_id()
    most = bounds(UNLIMITED, entries=model.most[0], list_items=model.most[1])

    def write(use_case, *arguments):
        return lambda: bench.write(use_case, profile, *arguments)

    match step:
        case ("save", *wanted):
            new, asked, list_ids = saved(bench, model, id, now, *wanted)
            compare_outcomes(
                write(saving.save, new, id, most, now, list_ids),
                lambda: model.save(*asked),
                lambda got, want: (got[0].id, got[1]) == want,
            )
        case ("save_many", several):
            made = [bench.new_id() for _ in several][::-1]
            each = [
                saved(bench, model, id, now, *one) for id, one in zip(made, several, strict=True)
            ]
            news, asked, of_lists = zip(*each, strict=True)
            list_ids = [*itertools.chain(*of_lists)]
            compare_outcomes(
                write(saving.save_many, news, made, most, now, list_ids),
                lambda: model.save_many(asked),
                lambda got, want: [item.id for item in got] == want,
            )
        case ("put_item", at_list, at, behind):
            target, moved = model.list_at(at_list), model.item_at(at)
            after = model.item_at(behind) if isinstance(behind, int) else behind
            keeps = after == "keep"
            compare_outcomes(
                write(lists.put_item, target, moved, UNSET if keeps else after, most, now),
                lambda: model.put_item(target, moved, now, *([] if keeps else [after])),
                lambda got, want: got.list_ids == model.lists_of(moved),
            )
        case ("remove_item", at_list, at):
            target, moved = model.list_at(at_list), model.item_at(at)
            compare_outcomes(
                write(lists.remove_item, target, moved, most, now),
                lambda: model.remove_item(target, moved, now),
            )
        case ("change", at, product, variant, quantity, tags, note):
            target = model.item_at(at)
            stored = {"keep": None, "clear": items.NO_VARIANT}.get(variant, str(variant))
            kept = None if tags is None else tuple(tags)
            patch = ItemPatch(product and str(product), stored, quantity, kept, note)
            compare_outcomes(
                write(saving.change, target, patch, now),
                lambda: model.change(target, product, variant, quantity, tags, now, note),
            )
        case ("delete", at):
            target = model.item_at(at)
            compare_outcomes(write(item_changes.delete, target, now), lambda: model.delete(target))
        case ("delete_many", ats):
            targets = [model.item_at(at) for at in ats]
            compare_outcomes(
                write(item_changes.delete_many, [*targets, "nonsense"], now),
                lambda: [model.forget(target) for target in targets],
            )
        case ("set_lists", at, on):
            target, chosen = model.item_at(at), lists_at(model, on)
            compare_outcomes(
                write(item_changes.set_lists, target, chosen, most, now),
                lambda: model.set_lists(target, chosen, now),
            )
        case _:
            on_lists(write, model, step, id, now, most)


def on_lists(write, model, step, id, now, most):
    """Runs the steps that change a list."""
    match step:
        case ("new_list", name):
            name = lists.check_name(name)
            write(lists.create, lists.ListFields(name), id, bounds(UNLIMITED), now)()
            model.new_list(id, name, now)
        case ("rename", at, name):
            target, name = model.list_at(at), name and lists.check_name(name)
            compare_outcomes(
                write(lists.change, target, lists.ListFields(name), now),
                lambda: model.rename(target, name, now),
            )
        case ("drop_list", at):
            target = model.list_at(at)
            compare_outcomes(write(lists.delete, target, now), lambda: model.drop_list(target))
        case ("order", at, ats):
            target, ids_ = model.list_at(at), [model.item_at(other) for other in ats]
            compare_outcomes(
                write(lists.order, target, ids_, now), lambda: model.order(target, ids_, now)
            )
        case ("replace_items", at, ats):
            target, ids_ = model.list_at(at), [model.item_at(other) for other in ats]
            compare_outcomes(
                write(lists.replace_items, target, ids_, most, now),
                lambda: model.replace_items(target, ids_, now),
                lambda got, want: [item.id for item in got.items] == ids_,
            )
        case ("remove_items", at, ats):
            target = model.list_at(at)
            ids_ = None if ats is None else [model.item_at(other) for other in ats]
            compare_outcomes(
                write(lists.remove_items, target, ids_, now),
                lambda: model.remove_items(target, ids_, now),
            )


def lists_at(model, ats):
    return tuple(dict.fromkeys(model.list_at(at) for at in ats))


def saved(bench, model, id, now, product, variant, quantity, tags, on, note, name=None):
    """Returns the item to save, the arguments for the model's save, and ids for a new list."""
    chosen = lists_at(model, on)
    kept = None if tags is None else tuple(tags)
    name = name and lists.check_name(name)
    list_ids = [bench.new_id()] if name else []
    new = new_item(product, variant, quantity, kept, chosen, note, list_name=name)
    named = (name, *list_ids) if name else None
    return new, (id, product, variant, quantity, tags, chosen, now, note, named), list_ids


def compare_outcomes(real, modelled, agree=lambda got, want: True):
    """Runs both; they must raise equal errors or return results that agree."""
    outcomes: list[Any] = []
    for act in (real, modelled):
        try:
            outcomes.append((None, act()))
        except (NotFound, Conflict, Invalid, Forbidden) as error:
            outcomes.append((type(error), None))
    (refused, got), (wanted, want) = outcomes
    assert refused == wanted
    assert refused or agree(got, want)


def as_builtins(record):
    shown = msgspec.to_builtins(record)
    return shown | {name: int(shown[name]) for name in ("productId", "variantId") if name in shown}


def compare(bench, profile, model):
    """Compares everything readable: the page, each item, each list in each order, each search."""
    db, run = bench.db, bench.run
    everything = PageRequest(None, 250, search.Search())
    newest = sorted(model.items, reverse=True)
    page = run(db.read(items.page, profile, everything))
    assert [as_builtins(item) for item in page.records] == [model.shown(id) for id in newest]
    shown = run(db.read(lists.page, profile, everything))
    assert [as_builtins(record) for record in shown.records] == [
        model.shown_list(id) for id in sorted(model.lists, reverse=True)
    ]
    for made in model.lists:
        for sort in lists.SORTS:
            record = run(db.read(lists.find, profile, made, sort))
            assert [item.id for item in record.items] == model.sorted(made, sort)
    for text, keep in searches(model):
        asked = PageRequest(None, 250, search.parse(text, bench.store))
        found = run(db.read(items.page, profile, asked))
        assert [item.id for item in found.records] == [id for id in newest if keep(id)], text
    bench.check(profile)


def searches(model):
    of = model.items
    yield "product:1,2", lambda id: of[id]["product"] in (1, 2)
    yield "variant:1", lambda id: of[id]["variant"] == 1
    yield "tag:gift,a", lambda id: bool({"gift", "a"} & set(of[id]["tags"]))
    yield (
        "product:1,2,3 tag:gift",
        lambda id: of[id]["product"] in (1, 2, 3) and "gift" in of[id]["tags"],
    )
    for made in list(model.lists)[:1]:
        yield f"list:{made}", lambda id: id in model.lists[made]["items"]


def profile_events(bench, profile):
    """Returns a profile's events in order."""
    rows = bench.select(
        "SELECT profile_id, sequence, type, created_at, gid, data, traceparent FROM events "
        "WHERE profile_id = $1 ORDER BY sequence",
        profile.id,
    )
    return [shown_event(events.from_row((str(row[0]), *row[1:]))) for row in rows]


def step(bench, profile, model, replay, doing):
    """Runs a step; its events must describe exactly what changed, one per record."""
    do(bench, profile, model, doing)
    new = profile_events(bench, profile)[replay.sequence :]
    name, *arguments = doing
    most = len(arguments[0]) if name.endswith("_many") else 1
    if name in ("save", "save_many"):  # each may create a list too
        most *= 2
    if name in ("replace_items", "remove_items"):  # each item, and the list
        most = len(model.items) + 1
    assert len(new) <= (2 if name == "put_item" else most)
    for event in new:
        # Implied by the items' events, except that each bulk operation has one event of the list.
        if name not in ("replace_items", "remove_items"):
            assert "itemCount" not in event["data"].get("changed", ())
        replay.hear(event)
    compare_replay(replay, model)


def compare_replay(replay, model):
    assert replay.items == {id: model.shown(id) for id in model.items}
    assert replay.shown_lists() == {
        made: model.shown_list(made, "customer") for made in model.lists
    }


# A partial order after a full one: items not named follow in their previous order.
PARTLY = [
    ("new_list", "x"),
    *(("save", product, None, None, None, [0], None) for product in (1, 2, 3)),
    ("order", 0, [2, 0, 1]),
    ("order", 0, [1]),
]
# Items join a list, leave it and change places, each in one operation.
REPLACED = [
    ("new_list", "x"),
    *(("save", product, None, None, None, [], None) for product in (1, 2, 3)),
    ("replace_items", 0, [0, 1, 2]),
    ("replace_items", 0, [2, 1]),
    ("remove_items", 0, None),
]
# A visitor's two lists with the same name.
GARDENS = [("new_list", "Garden")] * 2
# An item that moves and one that is merged, each on six lists.
_SIX = [("save", product, None, 1, [], [*range(6)], "") for product in (1, 2)]
SIX = [*(("new_list", name) for name in "abcdef"), *_SIX]

named = st.lists(alike, max_size=3).map(lambda names: [("new_list", name) for name in names])
visit = st.builds(lambda lists, more: [*lists, *more], named, sequences)
# Limits of items and lists (which here only a sign-in checks), of entries, and of items per list.
rooms = st.sampled_from(
    [(99, 99, 99, 99), (2, 99, 99, 99), (99, 2, 99, 99), (99, 99, 4, 99), (99, 99, 99, 2)]
)
VISITS = {
    "mine": visit,
    "visits": st.lists(visit, max_size=3),
    "after": sequences,
    "room": rooms,
    "larger": st.booleans(),
}


def sign_in(bench, profile, model, replay, doing, most):
    """A visitor performs the steps, then signs in as the customer."""
    session, other, theirs = bench.new_session(), Model(), Replay()
    for one in doing:
        step(bench, session, other, theirs, one)
    before, had, now = model.copy(), (len(other.items), len(other.lists)), bench.clock.tick()
    moved = bench.write(linking.link, session, profile, most, now)
    left = model.link(other, now)
    assert moved == had[0] - left
    *new, last = profile_events(bench, profile)[replay.sequence :]
    nouns = [event["type"].partition(".")[0] for event in new]
    assert nouns == sorted(nouns, reverse=True)  # lists, then items; one event each
    assert len({event["data"][noun]["id"] for noun, event in zip(nouns, new, strict=True)}) == len(
        new
    )
    for event in new:
        if event["type"] == "list.updated":
            made = event["data"]["list"]["id"]
            grown = len(model.lists[made]["items"]) != len(before.lists[made]["items"])
            assert ("itemCount" in event["data"]["changed"]) == grown
    assert last["type"] == "profile.linked"
    assert last["data"] == {
        "session": session.gid, "customer": profile.gid, "items": had[0], "lists": had[1], "left": left
    }  # fmt: skip
    assert len(profile_events(bench, session)) == theirs.sequence
    for event in [*new, last]:
        replay.hear(event)
        assert (event["profile"], event["timestamp"]) == (profile.gid, now)
    compare_replay(replay, model)
    assert bench.holds(session) == (0, 0, 0)
    bench.check(session)
    assert bench.write(linking.link, session, profile, most, now) == 0
    assert bench.write(linking.link, session, bench.new_customer(), most, now) == 0


@given(**VISITS)
@example(mine=PARTLY, visits=[PARTLY], after=[], room=(99, 99, 99, 2), larger=True)
@example(mine=REPLACED, visits=[REPLACED], after=[], room=(99, 99, 99, 99), larger=True)
@example(mine=[], visits=[GARDENS], after=[], room=(99,) * 4, larger=False)
@example(mine=[("new_list", "a"), *_SIX[1:]], visits=[SIX], after=[], room=(99,) * 4, larger=False)
@example(mine=[("new_list", "z")], visits=[SIX], after=[], room=(99,) * 4, larger=False)
@example(mine=[], visits=[SIX], after=[], room=(99, 2, 99, 99), larger=False)
@example(mine=[], visits=[SIX], after=[], room=(99, 99, 4, 99), larger=False)
@examples(4)
def test_any_sequence_agrees_with_the_model(event_bench, mine, visits, after, room, larger):
    """Records, orders, counts, errors and events agree with the model after each step, each of
    several sign-ins, and later steps; also at the limits, and for a ``larger`` profile that exceeds
    them. Over HTTP: tests/linearizability.
    Rules: engines-alike, event-transaction, event-changed, link-merges-items, link-merges-lists, link-limits,
    updated-at, save-once, bulk-atomic, item-lists, delete-scope, list-order, cursor-pagination, link-atomic."""
    bench, (most_items, most_lists, *most) = event_bench, room
    customer, replay = bench.new_customer(), Replay()
    model = Model(items=most_items, lists=most_lists)
    model.most = (UNLIMITED, UNLIMITED) if larger else most
    for one in mine:
        step(bench, customer, model, replay, one)
    compare(bench, customer, model)
    model.most = most
    for doing in visits:
        sign_in(bench, customer, model, replay, doing, stores.SizeLimits(*room))
        compare(bench, customer, model)
    for one in after[:8]:
        step(bench, customer, model, replay, one)
    compare(bench, customer, model)


test_any_sequence_at_length = at_length(test_any_sequence_agrees_with_the_model, 150, **VISITS)
