"""A profile as the decisions describe it: dictionaries, and the rules written out once more.

What every property of the contract suite compares the service with: the model does what was asked,
then everything that can be read must be what the model shows.
"""

import msgspec

from wishwell import items, lists, profiles, search
from wishwell.errors import Conflict, Invalid, NotFound
from wishwell.pages import PageRequest

GONE = "01900000-0000-7000-8000-000000000000"
UNLIMITED = 10_000


class Model:
    """One profile: its items by id, its lists by id with the position of each item (0: unplaced)."""

    def __init__(self):
        self.items = {}
        self.lists = {}

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
