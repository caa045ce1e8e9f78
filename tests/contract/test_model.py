"""Any sequence of what a shopper can do agrees with a simple model in memory, on both engines."""

from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.contract.conftest import bounds, new_item
from tests.profile_model import Model
from tests.strategies import at_length, examples, sequences
from wishwell.errors import Conflict, Forbidden, Invalid, NotFound
from wishwell.profiles import search
from wishwell.profiles.pages import PageRequest
from wishwell.wishes import items, lists, saving
from wishwell.wishes.items import ItemPatch

UNLIMITED = 10_000


def do(bench, profile, model, step):
    """One step, on the service and on the model: the same answer, or the same refusal."""
    now, id = bench.clock.tick(), bench.new_id()
    most = bounds(UNLIMITED, entries=model.most[0], list_items=model.most[1])

    def write(use_case, *arguments):
        return lambda: bench.write(use_case, profile, *arguments)

    match step:
        case ("save", *wanted):
            new, asked = saved(model, id, now, *wanted)
            both(
                write(items.save, new, id, most, now),
                lambda: model.save(*asked),
                lambda got, want: (got[0].id, got[1]) == want,
            )
        case ("save_many", several):
            made = [bench.new_id() for _ in several][::-1]
            pairs = [saved(model, id, now, *one) for id, one in zip(made, several, strict=True)]
            news, asked = zip(*pairs, strict=True)
            both(
                write(saving.save_many, news, made, most, now),
                lambda: model.save_many(asked),
                lambda got, want: [item.id for item in got] == want,
            )
        case ("put_item", at_list, at, behind):
            target, moved = model.list_at(at_list), model.item_at(at)
            after = model.item_at(behind) if isinstance(behind, int) else behind
            keeps = after == "keep"
            both(
                write(lists.put_item, target, moved, UNSET if keeps else after, most, now),
                lambda: model.put_item(target, moved, now, *([] if keeps else [after])),
                lambda got, want: got.list_ids == model.lists_of(moved),
            )
        case ("remove_item", at_list, at):
            target, moved = model.list_at(at_list), model.item_at(at)
            both(
                write(lists.remove_item, target, moved, most, now),
                lambda: model.remove_item(target, moved, now),
            )
        case ("change", at, product, variant, quantity, tags, note):
            target = model.item_at(at)
            stored = {"keep": None, "clear": items.NO_VARIANT}.get(variant, str(variant))
            kept = None if tags is None else tuple(tags)
            patch = ItemPatch(product and str(product), stored, quantity, kept, note)
            both(
                write(items.change, target, patch, now),
                lambda: model.change(target, product, variant, quantity, tags, now, note),
            )
        case ("delete", at):
            target = model.item_at(at)
            both(write(items.delete, target, now), lambda: model.delete(target))
        case ("delete_many", ats):
            targets = [model.item_at(at) for at in ats]
            both(
                write(items.delete_many, [*targets, "nonsense"], now),
                lambda: [model.forget(target) for target in targets],
            )
        case ("set_lists", at, on):
            target, chosen = model.item_at(at), lists_at(model, on)
            both(
                write(items.set_lists, target, chosen, most, now),
                lambda: model.set_lists(target, chosen, now),
            )
        case _:
            on_lists(write, model, step, id, now)


def on_lists(write, model, step, id, now):
    """The steps that change a list."""
    match step:
        case ("new_list", name):
            name = lists.check_name(name)
            write(lists.create, name, id, bounds(UNLIMITED), now)()
            model.new_list(id, name, now)
        case ("rename", at, name):
            target, name = model.list_at(at), name and lists.check_name(name)
            both(write(lists.rename, target, name, now), lambda: model.rename(target, name, now))
        case ("drop_list", at):
            target = model.list_at(at)
            both(write(lists.delete, target, now), lambda: model.drop_list(target))
        case ("order", at, ats):
            target, ids_ = model.list_at(at), [model.item_at(other) for other in ats]
            both(write(lists.order, target, ids_, now), lambda: model.order(target, ids_, now))


def lists_at(model, ats):
    return tuple(dict.fromkeys(model.list_at(at) for at in ats))


def saved(model, id, now, product, variant, quantity, tags, on, note):
    """What is to be saved, and what the model is asked to save."""
    chosen = lists_at(model, on)
    kept = None if tags is None else tuple(tags)
    new = new_item(product, variant, quantity, kept, chosen, note)
    return new, (id, product, variant, quantity, tags, chosen, now, note)


def both(real, modelled, agree=lambda got, want: True):
    """Does both: equal errors, or answers that agree."""
    outcomes: list[Any] = []
    for act in (real, modelled):
        try:
            outcomes.append((None, act()))
        except (NotFound, Conflict, Invalid, Forbidden) as error:
            outcomes.append((type(error), None))
    (refused, got), (wanted, want) = outcomes
    assert refused == wanted
    assert refused or agree(got, want)


def plain(record):
    shown = msgspec.to_builtins(record)
    return shown | {name: int(shown[name]) for name in ("productId", "variantId") if name in shown}


def compare(bench, profile, model):
    """All that can be read: the page, each item, each list in each order, each search."""
    db, run = bench.db, bench.run
    everything = PageRequest(None, 250, search.Search())
    newest = sorted(model.items, reverse=True)
    page = run(db.read(items.page, profile, everything))
    assert [plain(item) for item in page.records] == [model.shown(id) for id in newest]
    shown = run(db.read(lists.page, profile, everything))
    assert [plain(record) for record in shown.records] == [
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


# A part of an order, after a whole one: what is not named follows in the order that it had.
PARTLY = [
    ("new_list", "x"),
    *(("save", product, None, None, None, [0], None) for product in (1, 2, 3)),
    ("order", 0, [2, 0, 1]),
    ("order", 0, [1]),
]


rooms = st.sampled_from([(UNLIMITED, UNLIMITED), (5, UNLIMITED), (UNLIMITED, 3)])


@given(sequence=sequences, room=rooms)
@example(sequence=PARTLY, room=(UNLIMITED, UNLIMITED))
@examples(20)
def test_any_sequence_agrees_with_the_model(bench, sequence, room):
    """contract: engines-alike. Records, order, counts and refusals, at bounds too."""
    profile, model = bench.new_customer(), Model(*room)
    for step in sequence:
        do(bench, profile, model, step)
    compare(bench, profile, model)


test_any_sequence_at_length = at_length(
    test_any_sequence_agrees_with_the_model, 200, sequence=sequences, room=rooms
)
