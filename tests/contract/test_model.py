"""Any sequence of what a shopper can do agrees with a simple model in memory, on both engines."""

from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.contract.conftest import bounds, new_item
from tests.profile_model import Model
from tests.strategies import at_length, examples, sequences
from wishwell import profiles
from wishwell.errors import Conflict, Forbidden, Invalid, NotFound
from wishwell.profiles import pages, search
from wishwell.profiles.pages import PageRequest
from wishwell.wishes import items, lists, saving
from wishwell.wishes.items import ItemPatch

UNLIMITED = 10_000


def do(bench, profile, model, step):
    """One step, on the service and on the model: the same answer, or the same refusal."""
    now = bench.clock.tick()
    id = bench.new_id()
    db, run = bench.db, bench.run
    most = bounds(UNLIMITED, entries=model.most[0], list_items=model.most[1])
    match step:
        case ("save", product, variant, quantity, tags, on, note):
            chosen = tuple(dict.fromkeys(model.list_at(at) for at in on))
            kept = None if tags is None else tuple(tags)
            new = new_item(product, variant, quantity, kept, chosen, note)
            both(
                lambda: run(db.write(items.save, profile, new, id, most, now)),
                lambda: model.save(id, product, variant, quantity, tags, chosen, now, note),
                lambda got, want: (got[0].id, got[1]) == want,
            )
        case ("save_many" | "put_item" | "remove_item", *_):
            do_several(bench, profile, model, step, most, now)
        case ("change", at, product, variant, quantity, tags, note):
            target = model.item_at(at)
            stored = {"keep": None, "clear": items.NO_VARIANT}.get(variant, str(variant))
            patch = ItemPatch(
                product and str(product),
                stored,
                quantity,
                None if tags is None else tuple(tags),
                note,
            )
            both(
                lambda: run(db.write(items.change, profile, target, patch, now)),
                lambda: model.change(target, product, variant, quantity, tags, now, note),
            )
        case ("delete", at):
            target = model.item_at(at)
            both(
                lambda: run(db.write(items.delete, profile, target, now)),
                lambda: model.delete(target),
            )
        case ("delete_many", ats):
            targets = [model.item_at(at) for at in ats]
            both(
                lambda: run(db.write(items.delete_many, profile, [*targets, "nonsense"], now)),
                lambda: [model.forget(target) for target in targets],
            )
        case ("set_lists", at, on):
            target = model.item_at(at)
            chosen = tuple(dict.fromkeys(model.list_at(other) for other in on))
            both(
                lambda: run(db.write(items.set_lists, profile, target, chosen, most, now)),
                lambda: model.set_lists(target, chosen, now),
            )
        case ("new_list", name):
            name = lists.check_name(name)
            run(db.write(lists.create, profile, name, id, bounds(UNLIMITED), now))
            model.new_list(id, name, now)
        case ("rename", at, name):
            target, name = model.list_at(at), name and lists.check_name(name)
            both(
                lambda: run(db.write(lists.rename, profile, target, name, now)),
                lambda: model.rename(target, name, now),
            )
        case ("drop_list", at):
            target = model.list_at(at)
            both(
                lambda: run(db.write(lists.delete, profile, target, now)),
                lambda: model.drop_list(target),
            )
        case ("order", at, ats):
            target, ids_ = model.list_at(at), [model.item_at(other) for other in ats]
            both(
                lambda: run(db.write(lists.order, profile, target, ids_, now)),
                lambda: model.order(target, ids_, now),
            )


def do_several(bench, profile, model, step, most, now):
    """The steps that touch several items, or one list of an item."""
    db, run = bench.db, bench.run
    match step:
        case ("save_many", several):
            chosen_of = [
                tuple(dict.fromkeys(model.list_at(at) for at in new[4])) for new in several
            ]
            news = [
                new_item(
                    product, variant, quantity, None if tags is None else tuple(tags), on, note
                )
                for (product, variant, quantity, tags, _, note), on in zip(
                    several, chosen_of, strict=True
                )
            ]
            made = [bench.new_id() for _ in several][::-1]
            wanted = [
                (id, *new[:4], on, now, new[5])
                for id, new, on in zip(made, several, chosen_of, strict=True)
            ]
            both(
                lambda: run(db.write(saving.save_many, profile, news, made, most, now)),
                lambda: model.save_many(wanted),
                lambda got, want: [item.id for item in got] == want,
            )
        case ("put_item", at_list, at, behind):
            target, moved = model.list_at(at_list), model.item_at(at)
            after = model.item_at(behind) if isinstance(behind, int) else behind
            keeps = after == "keep"
            both(
                lambda: run(
                    db.write(
                        lists.put_item, profile, target, moved, UNSET if keeps else after, most, now
                    )
                ),
                lambda: model.put_item(target, moved, now, *([] if keeps else [after])),
                lambda got, want: got.list_ids == model.lists_of(moved),
            )
        case ("remove_item", at_list, at):
            target, moved = model.list_at(at_list), model.item_at(at)
            both(
                lambda: run(db.write(lists.remove_item, profile, target, moved, most, now)),
                lambda: model.remove_item(target, moved, now),
            )


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
    """contract: engines-alike. Records, order, counts and refusals, after each sequence and after
    each of its steps; also where few entries, or few items on a list, may be."""
    profile, model = bench.new_customer(), Model(*room)
    for step in sequence:
        do(bench, profile, model, step)
    compare(bench, profile, model)


test_any_sequence_at_length = at_length(
    test_any_sequence_agrees_with_the_model, 200, sequence=sequences, room=rooms
)


@given(mine=sequences, theirs=sequences)
@examples(15)
def test_profiles_and_stores_never_touch_each_other(bench, mine, theirs):
    """The same customer in two stores, and two customers of one, step by step in turns."""
    other_store = bench.new_store()
    first = bench.new_customer()
    gid = first.gid
    owners = [first, profiles.of_customer(other_store, gid), bench.new_customer()]
    models = [Model() for _ in owners]
    for number, step in enumerate([*mine, *theirs]):
        do(bench, owners[number % 3], models[number % 3], step)
    for owner, model in zip(owners, models, strict=True):
        compare(bench, owner, model)
    stores_items = bench.read(
        items.page,
        profiles.WholeStore(other_store),
        PageRequest(None, pages.MAX_SIZE, search.Search()),
    )
    assert [item.id for item in stores_items.records] == sorted(models[1].items, reverse=True)
    assert all(item.profile == gid for item in stores_items.records)


test_profiles_and_stores_at_length = at_length(
    test_profiles_and_stores_never_touch_each_other, 80, mine=sequences, theirs=sequences
)
