"""Any sequence of what a shopper can do agrees with a simple model in memory, on both engines."""

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.strategies import sequences
from wishwell import items, lists, pages, profiles, search
from wishwell.errors import Conflict, Invalid, NotFound
from wishwell.items import ItemPatch, NewItem
from wishwell.pages import PageRequest

GONE = "01900000-0000-7000-8000-000000000000"
UNLIMITED = 10_000


class Model:
    """A profile as the decisions describe it: dictionaries, and rules written out once more."""

    def __init__(self):
        self.items = {}
        self.lists = {}
        self.positions = {}

    def item_at(self, at):
        return list(self.items)[at] if at < len(self.items) else GONE

    def list_at(self, at):
        return list(self.lists)[at] if at < len(self.lists) else GONE

    def lists_of(self, item):
        return sorted(made for made, held in self.lists.items() if item in held["items"])

    def twin(self, product, variant, but=None):
        for id, item in self.items.items():
            if id != but and (item["product"], item["variant"]) == (product, variant):
                return id
        return None

    def save(self, id, product, variant, quantity, tags, on, now):
        if any(made not in self.lists for made in on):
            raise NotFound("")
        found = self.twin(product, variant)
        if found is None:
            self.items[id] = {
                "product": product, "variant": variant, "quantity": quantity or 1,
                "tags": tags or [], "created": now, "updated": now,
            }  # fmt: skip
        else:
            self.set(found, {"quantity": quantity, "tags": tags}, now)
        id = found or id
        added = [made for made in on if id not in self.lists[made]["items"]]
        for made in added:
            self.lists[made]["items"][id] = 0
        if added:
            self.items[id]["updated"] = now
        return id, found is None

    def set(self, id, changes, now):
        item = self.items[id]
        changed = {k: v for k, v in changes.items() if v is not None and item[k] != v}
        if changed:
            item.update(changed, updated=now)

    def change(self, id, product, variant, quantity, tags, now):
        if id not in self.items:
            raise NotFound("")
        item = self.items[id]
        wanted = item["variant"] if variant == "keep" else None if variant == "clear" else variant
        if self.twin(product or item["product"], wanted, but=id):
            raise Conflict("")
        before = item["variant"]
        self.set(id, {"product": product, "quantity": quantity, "tags": tags}, now)
        if wanted != before:
            item.update(variant=wanted, updated=now)

    def delete(self, id):
        if id not in self.items:
            raise NotFound("")
        self.forget(id)

    def forget(self, id):
        self.items.pop(id, None)
        for held in self.lists.values():
            held["items"].pop(id, None)

    def set_lists(self, id, on, now):
        if id not in self.items or any(made not in self.lists for made in on):
            raise NotFound("")
        if sorted(on) == self.lists_of(id):
            return
        for made, held in self.lists.items():
            if made not in on:
                held["items"].pop(id, None)
            else:
                held["items"].setdefault(id, 0)
        self.items[id]["updated"] = now

    def rename(self, made, name, now):
        if made not in self.lists:
            raise NotFound("")
        if name is not None and self.lists[made]["name"] != name:
            self.lists[made].update(name=name, updated=now)

    def order(self, made, ids, now):
        if made not in self.lists:
            raise NotFound("")
        held = self.lists[made]["items"]
        if len(set(ids)) != len(ids) or not set(ids) <= held.keys():
            raise Invalid("")
        rest = sorted((at, id) for id, at in held.items() if at and id not in ids)
        placed = {id: at for at, id in enumerate([*ids, *(id for _, id in rest)], 1)}
        if any(held[id] != at for id, at in placed.items()):
            held.update(placed)
            self.lists[made]["updated"] = now

    def shown(self, id):
        item = self.items[id]
        record = {
            "id": id, "productId": item["product"], "quantity": item["quantity"],
            "tags": item["tags"], "listIds": self.lists_of(id),
            "createdAt": item["created"], "updatedAt": item["updated"],
        }  # fmt: skip
        return record if item["variant"] is None else record | {"variantId": item["variant"]}

    def sorted(self, made, sort):
        held = self.lists[made]["items"]
        newest = sorted(held, key=lambda id: (self.items[id]["created"], id), reverse=True)
        if sort == "oldest_saved":
            return newest[::-1]
        if sort == "customer":
            return sorted(newest, key=lambda id: (held[id] == 0, held[id]))
        return newest


def do(bench, profile, model, step):
    """One step, on the service and on the model: the same answer, or the same refusal."""
    now = bench.clock.tick()
    id = bench.new_id()
    db, run = bench.db, bench.run
    match step:
        case ("save", product, variant, quantity, tags, on):
            chosen = tuple(dict.fromkeys(model.list_at(at) for at in on))
            kept = None if tags is None else tuple(tags)
            new = NewItem(product, variant, quantity, kept, chosen)
            both(
                lambda: run(items.save(profile, db, new, id, UNLIMITED, now)),
                lambda: model.save(id, product, variant, quantity, tags, chosen, now),
                lambda got, want: (got[0].id, got[1]) == want,
            )
        case ("change", at, product, variant, quantity, tags):
            target = model.item_at(at)
            stored = {"keep": None, "clear": items.NO_VARIANT}.get(variant, variant)
            patch = ItemPatch(product, stored, quantity, None if tags is None else tuple(tags))
            both(
                lambda: run(items.change(profile, db, target, patch, now)),
                lambda: model.change(target, product, variant, quantity, tags, now),
            )
        case ("delete", at):
            target = model.item_at(at)
            both(lambda: run(items.delete(profile, db, target)), lambda: model.delete(target))
        case ("delete_many", ats):
            targets = [model.item_at(at) for at in ats]
            both(
                lambda: run(items.delete_many(db, profile, [*targets, "nonsense"])),
                lambda: [model.forget(target) for target in targets],
            )
        case ("set_lists", at, on):
            target = model.item_at(at)
            chosen = list(dict.fromkeys(model.list_at(other) for other in on))
            both(
                lambda: run(items.set_lists(profile, db, target, chosen, now)),
                lambda: model.set_lists(target, chosen, now),
            )
        case ("new_list", name):
            name = lists.check_name(name)
            run(lists.create(profile, db, name, id, UNLIMITED, now))
            model.lists[id] = {"name": name, "items": {}, "created": now, "updated": now}
        case ("rename", at, name):
            target, name = model.list_at(at), name and lists.check_name(name)
            both(
                lambda: run(lists.rename(profile, db, target, name, now)),
                lambda: model.rename(target, name, now),
            )
        case ("drop_list", at):
            target = model.list_at(at)
            both(
                lambda: run(lists.delete(profile, db, target)),
                lambda: model.lists.pop(target) if target in model.lists else missing(),
            )
        case ("order", at, ats):
            target, ids_ = model.list_at(at), [model.item_at(other) for other in ats]
            both(
                lambda: run(lists.order(profile, db, target, ids_, now)),
                lambda: model.order(target, ids_, now),
            )


def missing():
    raise NotFound("")


def both(real, modelled, agree=lambda got, want: True):
    """Does both: equal errors, or answers that agree."""
    outcomes = []
    for act in (real, modelled):
        try:
            outcomes.append((None, act()))
        except (NotFound, Conflict, Invalid) as error:
            outcomes.append((type(error), None))
    (refused, got), (wanted, want) = outcomes
    assert refused == wanted
    assert refused or agree(got, want)


def plain(record):
    return msgspec.to_builtins(record)


def compare(bench, profile, model):
    """All that can be read: the page, each item, each list in each order, each search."""
    db, run = bench.db, bench.run
    everything = PageRequest(None, 250, search.Search())
    newest = sorted(model.items, reverse=True)
    page = run(items.page(db, profile, everything))
    assert [plain(item) for item in page.records] == [model.shown(id) for id in newest]
    shown = run(lists.page(db, profile, everything))
    assert [plain(record) for record in shown.records] == [
        {
            "id": id, "name": model.lists[id]["name"], "itemCount": len(model.lists[id]["items"]),
            "createdAt": model.lists[id]["created"], "updatedAt": model.lists[id]["updated"],
        }
        for id in sorted(model.lists, reverse=True)
    ]  # fmt: skip
    for made in model.lists:
        for sort in lists.SORTS:
            record = run(lists.find(profile, db.read, made, sort))
            assert [item.id for item in record.items] == model.sorted(made, sort)
    for text, keep in searches(model):
        asked = PageRequest(None, 250, search.parse(text))
        found = run(items.page(db, profile, asked))
        assert [item.id for item in found.records] == [id for id in newest if keep(id)], text


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
    *(("save", product, None, None, None, [0]) for product in (1, 2, 3)),
    ("order", 0, [2, 0, 1]),
    ("order", 0, [1]),
]


@given(sequence=sequences)
@example(sequence=PARTLY)
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_sequence_agrees_with_the_model(bench, sequence):
    """Records, order, counts and refusals, after each sequence and after each of its steps."""
    profile, model = bench.new_customer(), Model()
    for step in sequence:
        do(bench, profile, model, step)
    compare(bench, profile, model)


@given(mine=sequences, theirs=sequences)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_profiles_and_stores_never_touch_each_other(bench, mine, theirs):
    """The same customer in two stores, and two customers of one, step by step in turns."""
    other_store = bench.new_store(f"other-{bench.new_id()[-12:]}")
    first = bench.new_customer()
    gid = first.gid
    owners = [first, profiles.of_customer(other_store, gid), bench.new_customer()]
    models = [Model() for _ in owners]
    for number, step in enumerate([*mine, *theirs]):
        do(bench, owners[number % 3], models[number % 3], step)
    for owner, model in zip(owners, models, strict=True):
        compare(bench, owner, model)
    stores_items = bench.run(
        items.page(
            bench.db,
            profiles.WholeStore(other_store.id),
            PageRequest(None, pages.MAX_SIZE, search.Search()),
        )
    )
    assert [item.id for item in stores_items.records] == sorted(models[1].items, reverse=True)
    assert all(item.profile == gid for item in stores_items.records)


def test_limits_of_a_profile_are_exact(bench):
    """The limit is reached, not passed, by items and by lists; saving what is there still works."""
    profile, now = bench.new_customer(), bench.clock.tick()
    for product in (1, 2, 3):
        bench.run(items.save(profile, bench.db, NewItem(product), bench.new_id(), 3, now))
    with pytest.raises(Invalid):
        bench.run(items.save(profile, bench.db, NewItem(4), bench.new_id(), 3, now))
    _, created = bench.run(items.save(profile, bench.db, NewItem(3), bench.new_id(), 3, now))
    assert not created
    bench.run(lists.create(profile, bench.db, "x", bench.new_id(), 1, now))
    with pytest.raises(Invalid):
        bench.run(lists.create(profile, bench.db, "y", bench.new_id(), 1, now))
