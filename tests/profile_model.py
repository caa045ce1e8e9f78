"""A profile as docs/contract.md describes it: dictionaries, and rules written out once more.

What the model is asked to do at ``now`` may have happened at a time that nobody was shown: then
``now`` is a ``Since``, and so is what becomes of a record's times, until somebody sees them.
"""

from __future__ import annotations

from dataclasses import dataclass

from wishwell import ids
from wishwell.errors import Conflict, Invalid, LimitReached, NotFound

GONE = "01900000-0000-7000-8000-000000000000"


@dataclass(frozen=True)
class Since:
    """A time that was not shown yet: ``lower`` or later."""

    lower: str = ""


def lowest(time):
    return time.lower if isinstance(time, Since) else time


def later(old, now):
    """What ``updatedAt`` becomes: it never goes back."""
    newest = max(lowest(old), lowest(now))
    return Since(newest) if isinstance(old, Since) or isinstance(now, Since) else newest


def earlier(one, other):
    """The ``createdAt`` of a merged item."""
    unknown = isinstance(one, Since) or isinstance(other, Since)
    return Since() if unknown else min(one, other)


def in_customer_order(entries):
    """Of (item, position, createdAt): the placed ones, then the newest first."""
    newest = sorted(entries, key=lambda entry: (_moment(entry[2], entry[0]), entry[0]))[::-1]
    return [entry[0] for entry in sorted(newest, key=lambda entry: (entry[1] == 0, entry[1]))]


def _moment(created, id):
    """An item that was never shown is as old as its id says."""
    if not isinstance(created, Since):
        return created
    return ids.timestamp(ids.time_of(id)) if ids.is_uuid(id) else ""


class Model:
    """One profile: its items and lists by id. A list knows the position of each of its items."""

    def __init__(self, entries=1_000_000, list_items=1_000_000):
        """``entries``, ``list_items``: the bounds of all lists together, and of one."""
        self.items = {}
        self.lists = {}
        self.most = (entries, list_items)

    def copy(self):
        """Another one that may be changed on its own."""
        other = Model(*self.most)
        other.items = {id: dict(item) for id, item in self.items.items()}
        other.lists = {id: held | {"items": dict(held["items"])} for id, held in self.lists.items()}
        return other

    def key(self):
        """All of it, hashable: equal for profiles that nobody can tell apart."""
        items = tuple(
            (id, *(tuple(v) if isinstance(v, list) else v for v in self.items[id].values()))
            for id in sorted(self.items)
        )
        lists = tuple(
            (id, held["name"], held["created"], held["updated"], *sorted(held["items"].items()))
            for id, held in sorted(self.lists.items(), key=lambda entry: entry[0])
        )
        return items, lists

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

    def kind(self, id):
        return self.items[id]["product"], self.items[id]["variant"]

    def save(self, id, product, variant, quantity, tags, on, now, note=None):
        if any(made not in self.lists for made in on):
            raise NotFound("")
        found = self.twin(product, variant)
        self.check_room([made for made in on if found not in self.lists[made]["items"]])
        if found is None:
            self.items[id] = {
                "product": product, "variant": variant, "quantity": quantity or 1,
                "tags": tags or [], "note": note or "", "created": now, "updated": now,
            }  # fmt: skip
        else:
            self.set(found, {"quantity": quantity, "tags": tags, "note": note}, now)
        id = found or id
        added = [made for made in on if id not in self.lists[made]["items"]]
        for made in added:
            self.lists[made]["items"][id] = 0
        if added:
            self.touch(self.items[id], now)
        return id, found is None

    def check_room(self, added, gone=0):
        entries, list_items = self.most
        sizes = [len(held["items"]) for held in self.lists.values()]
        if any(len(self.lists[made]["items"]) >= list_items for made in added):
            raise LimitReached("")
        if len(added) > gone and sum(sizes) + len(added) - gone > entries:
            raise LimitReached("")

    def touch(self, record, now):
        record["updated"] = later(record["updated"], now)

    def set(self, id, changes, now):
        item = self.items[id]
        changed = {k: v for k, v in changes.items() if v is not None and item[k] != v}
        if changed:
            item.update(changed)
            self.touch(item, now)

    def change(self, id, product, variant, quantity, tags, now, note=None):
        if id not in self.items:
            raise NotFound("")
        item = self.items[id]
        wanted = item["variant"] if variant == "keep" else None if variant == "clear" else variant
        if self.twin(product or item["product"], wanted, but=id):
            raise Conflict("")
        before = item["variant"]
        self.set(id, {"product": product, "quantity": quantity, "tags": tags, "note": note}, now)
        if wanted != before:
            item["variant"] = wanted
            self.touch(item, now)

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
        before = self.lists_of(id)
        if sorted(on) == before:
            return
        self.check_room([made for made in on if made not in before], len(set(before) - set(on)))
        for made, held in self.lists.items():
            if made not in on:
                held["items"].pop(id, None)
            else:
                held["items"].setdefault(id, 0)
        self.touch(self.items[id], now)

    def new_list(self, made, name, now):
        self.lists[made] = {"name": name, "items": {}, "created": now, "updated": now}

    def rename(self, made, name, now):
        if made not in self.lists:
            raise NotFound("")
        if name is not None and self.lists[made]["name"] != name:
            self.lists[made]["name"] = name
            self.touch(self.lists[made], now)

    def drop_list(self, made):
        if self.lists.pop(made, None) is None:
            raise NotFound("")

    def order(self, made, ids, now):
        if made not in self.lists:
            raise NotFound("")
        held = self.lists[made]["items"]
        if len(set(ids)) != len(ids) or not set(ids) <= held.keys():
            raise Invalid("")
        before = [id for at, id in sorted((at, id) for id, at in held.items()) if at]
        placed = [*ids, *(id for id in before if id not in ids)]
        if placed != before:
            held.update({id: at for at, id in enumerate(placed, 1)})
            self.touch(self.lists[made], now)

    def link(self, session, now):
        """All that the model ``session`` holds becomes this profile's; it holds nothing then."""
        same = {}
        mine = {id: self.lists_of(id) for id in self.items}
        for id, came in session.items.items():
            twin = next(
                (own for own in mine if self.kind(own) == (came["product"], came["variant"])),
                None,
            )  # fmt: skip
            if twin is None:
                self.items[id] = dict(came)
                continue
            same[id] = twin
            item = self.items[twin]
            merged = {
                "quantity": max(item["quantity"], came["quantity"]),
                "tags": list(dict.fromkeys([*item["tags"], *came["tags"]])),
                "note": item["note"] or came["note"],
                "created": earlier(item["created"], came["created"]),
            }
            self.set(twin, merged, now)
        named: dict[str, str] = {}
        for made in sorted(self.lists):
            named.setdefault(self.lists[made]["name"].strip().casefold(), made)
        for made in sorted(session.lists):
            held = session.lists[made]
            moving = [
                (same.get(id, id), at, session.items[id]["created"])
                for id, at in held["items"].items()
            ]
            target = named.get(held["name"].strip().casefold())
            if target is None:
                self.lists[made] = held | {"items": {id: at for id, at, _ in moving}}
            else:
                self._join(target, in_customer_order(moving), now)
        for id, before in mine.items():
            if self.lists_of(id) != before:
                self.touch(self.items[id], now)
        session.items, session.lists = {}, {}

    def _join(self, made, coming, now):
        there = self.sorted(made, "customer")
        joining = [id for id in coming if id not in there]
        if joining:
            self.lists[made]["items"] = {id: at for at, id in enumerate([*there, *joining], 1)}
            self.touch(self.lists[made], now)

    def shown(self, id):
        item = self.items[id]
        record = {
            "id": id, "productId": item["product"], "quantity": item["quantity"],
            "tags": item["tags"], "listIds": self.lists_of(id),
            "createdAt": item["created"], "updatedAt": item["updated"],
        }  # fmt: skip
        optional = {"variantId": item["variant"], "note": item["note"]}
        return record | {name: value for name, value in optional.items() if value}

    def shown_list(self, made, sort=None):
        """A list as the API shows it, with its items when a sort is named."""
        held = self.lists[made]
        record = {
            "id": made, "name": held["name"], "itemCount": len(held["items"]),
            "createdAt": held["created"], "updatedAt": held["updated"],
        }  # fmt: skip
        if sort is None:
            return record
        return record | {"items": [self.shown(id) for id in self.sorted(made, sort)]}

    def sorted(self, made, sort):
        held = self.lists[made]["items"]
        entries = [(id, 0, self.items[id]["created"]) for id in held]
        newest = in_customer_order(entries)
        if sort == "oldest_saved":
            return newest[::-1]
        if sort == "customer":
            return sorted(newest, key=lambda id: (held[id] == 0, held[id]))
        return newest
