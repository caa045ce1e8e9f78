"""A model of one profile as docs/rules/ describe it: plain dictionaries and restated rules.

A step may have happened at a time that the API has not shown yet. Then ``now`` is a ``Since``, and
the record's times stay ``Since`` until an answer shows them.
"""

from __future__ import annotations

from dataclasses import dataclass

from wishwell import ids
from wishwell.errors import Conflict, Invalid, LimitReached, NotFound

GONE = "01900000-0000-7000-8000-000000000000"


@dataclass(frozen=True)
class Since:
    """A time that is not known yet, except that it is ``lower`` or later."""

    lower: str = ""


def lowest(time):
    return time.lower if isinstance(time, Since) else time


def later(old, now):
    """Returns the new ``updatedAt``, which never moves back."""
    newest = max(lowest(old), lowest(now))
    return Since(newest) if isinstance(old, Since) or isinstance(now, Since) else newest


def earlier(one, other):
    """Returns the ``createdAt`` of a merged item."""
    unknown = isinstance(one, Since) or isinstance(other, Since)
    return Since() if unknown else min(one, other)


def in_customer_order(entries):
    """Returns the ids of (id, position, createdAt) entries: positioned ones first, then newest
    first."""
    newest = sorted(entries, key=lambda entry: (_moment(entry[2], entry[0]), entry[0]))[::-1]
    return [entry[0] for entry in sorted(newest, key=lambda entry: (entry[1] == 0, entry[1]))]


def _moment(created, id):
    """Returns an item's time for sorting; the time in its UUIDv7 while its ``createdAt`` is
    unknown."""
    if not isinstance(created, Since):
        return created
    return ids.timestamp(ids.time_of(id)) if ids.is_uuid(id) else ""


class Model:
    """One profile: its items and lists by id. A list maps the ids of its items to positions."""

    def __init__(self, entries=1_000_000, list_items=1_000_000, items=1_000_000, lists=1_000_000):
        """Sets the limits: list entries in total and per list, then items and lists. The model
        applies the last two only in ``link``."""
        self.items = {}
        self.lists = {}
        self.most = (entries, list_items)
        self.most_records = (items, lists)

    def copy(self):
        """Returns a copy that can be changed independently."""
        other = Model(*self.most, *self.most_records)
        other.items = {id: dict(item) for id, item in self.items.items()}
        other.lists = {id: held | {"items": dict(held["items"])} for id, held in self.lists.items()}
        return other

    def key(self):
        """Returns the whole state as a hashable key, equal for profiles that the API can't tell
        apart."""
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

    def save(self, id, product, variant, quantity, tags, on, now, note=None, named=None):
        if any(made not in self.lists for made in on):
            raise NotFound("", "item_not_found")
        found = self.twin(product, variant)
        if named:
            name, new = named
            on = {*on, self.list_named(name) or new}
        held = {made: self.lists[made]["items"] if made in self.lists else {} for made in on}
        self.check_room([made for made in on if found not in held[made]])
        for made in on - self.lists.keys() if named else ():
            self.new_list(made, name, now)
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

    def list_named(self, name):
        """Returns the oldest list with this name."""
        name = name.casefold()
        same = [made for made, held in self.lists.items() if held["name"].casefold() == name]
        return min(same, default=None)

    def save_many(self, saves):
        """Saves each as ``save`` does, given its arguments; all or none."""
        after = self.copy()
        found = [after.save(*new)[0] for new in saves]
        self.items, self.lists = after.items, after.lists
        return found

    def check_room(self, added, gone=0):
        entries, list_items = self.most
        sizes = [len(held["items"]) for held in self.lists.values()]
        held = [self.lists[made]["items"] for made in added if made in self.lists]
        if any(len(items) >= list_items for items in held):
            raise LimitReached("", "item_limit_reached")
        if len(added) > gone and sum(sizes) + len(added) - gone > entries:
            raise LimitReached("", "item_limit_reached")

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
            raise NotFound("", "item_not_found")
        item = self.items[id]
        wanted = item["variant"] if variant == "keep" else None if variant == "clear" else variant
        if self.twin(product or item["product"], wanted, but=id):
            raise Conflict("", "item_exists")
        before = item["variant"]
        self.set(id, {"product": product, "quantity": quantity, "tags": tags, "note": note}, now)
        if wanted != before:
            item["variant"] = wanted
            self.touch(item, now)

    def delete(self, id):
        if id not in self.items:
            raise NotFound("", "item_not_found")
        self.forget(id)

    def forget(self, id):
        self.items.pop(id, None)
        for held in self.lists.values():
            held["items"].pop(id, None)

    def set_lists(self, id, on, now):
        if id not in self.items or any(made not in self.lists for made in on):
            raise NotFound("", "item_not_found")
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
            raise NotFound("", "item_not_found")
        if name is not None and self.lists[made]["name"] != name:
            self.lists[made]["name"] = name
            self.touch(self.lists[made], now)

    def drop_list(self, made):
        if self.lists.pop(made, None) is None:
            raise NotFound("", "item_not_found")

    def order(self, made, ids, now):
        if made not in self.lists:
            raise NotFound("", "item_not_found")
        held = self.lists[made]["items"]
        if len(set(ids)) != len(ids) or not set(ids) <= held.keys():
            raise Invalid("")
        before = [id for at, id in sorted((at, id) for id, at in held.items()) if at]
        placed = [*ids, *(id for id in before if id not in ids)]
        if placed != before:
            held.update({id: at for at, id in enumerate(placed, 1)})
            self.touch(self.lists[made], now)

    def put_item(self, made, id, now, *after):
        """Puts an item on one list; with ``after``, places it after that item, or first for `None`."""
        if id not in self.items or made not in self.lists:
            raise NotFound("", "item_not_found")
        others = [other for other in self.sorted(made, "customer") if other != id]
        if after and after[0] is not None and after[0] not in others:
            raise Invalid("")
        self.set_lists(id, {*self.lists_of(id), made}, now)
        if after:
            first = others[: others.index(after[0]) + 1] if after[0] else []
            self.order(made, [*first, id], now)

    def remove_item(self, made, id, now):
        if made not in self.lists or id not in self.lists[made]["items"]:
            raise NotFound("", "item_not_found")
        self.set_lists(id, {*self.lists_of(id)} - {made}, now)

    def replace_items(self, made, ids, now):
        """Leaves exactly these items on a list, in this order."""
        if len(set(ids)) != len(ids):
            raise Invalid("")
        if made not in self.lists or not set(ids) <= self.items.keys():
            raise NotFound("", "item_not_found")
        held = self.lists[made]["items"]
        joining, leaving = set(ids) - held.keys(), held.keys() - set(ids)
        entries, list_items = self.most
        total = sum(len(other["items"]) for other in self.lists.values())
        if joining and (len(ids) > list_items or total - len(leaving) + len(joining) > entries):
            raise LimitReached("", "item_limit_reached")
        placed = [id for at, id in sorted((at, id) for id, at in held.items()) if at]
        is_reordered = list(ids) != [id for id in placed if id not in leaving]
        if not (joining or leaving or is_reordered):
            return
        self.lists[made]["items"] = {id: at for at, id in enumerate(ids, 1)}
        for record in [self.lists[made], *(self.items[id] for id in joining | leaving)]:
            self.touch(record, now)

    def remove_items(self, made, ids, now):
        """Takes these items off a list, or all with ``None``."""
        if made not in self.lists:
            raise NotFound("", "item_not_found")
        held = self.lists[made]["items"]
        for id in [id for id in held if ids is None or id in ids]:
            del held[id]
            self.touch(self.items[id], now)

    def link(self, session, now):
        """Merges the model ``session`` into this profile as far as the limits allow, and empties
        it. Returns how many of its items were left out."""
        on = {id: self.lists_of(id) for id in self.items}
        free = [
            2 * most - sum(map(len, held))
            for most, held in zip(
                (*self.most_records, self.most[0]),
                ([self.items], [self.lists], [held["items"] for held in self.lists.values()]),
                strict=True,
            )
        ]
        newest = in_customer_order([(id, 0, item["created"]) for id, item in session.items.items()])
        became = {id: self.twin(*session.kind(id)) for id in newest}
        left = [id for id in newest if became[id] is None][max(0, free[0]) :]
        before = {made: self.sorted_after(made, session) for made in self.lists}
        for id in newest:
            if became[id] is not None:
                self._merge(self.items[became[id]], became[id], session.items[id], now)
            elif id not in left:
                became[id] = id
                self.items[id] = dict(session.items[id])
        self._link_lists(session, became, before, free[1], newest, free[2], now)
        for id, lists in on.items():
            if self.lists_of(id) != lists:
                self.touch(self.items[id], now)
        session.items, session.lists = {}, {}
        return len(left)

    def _merge(self, item, id, came, now):
        tags = list(dict.fromkeys([*item["tags"], *came["tags"]]))
        merged = {
            "quantity": max(item["quantity"], came["quantity"]),
            "tags": tags[: max(20, len(item["tags"]))],
            "note": item["note"] or came["note"],
            "created": earlier(item["created"], came["created"]),
        }
        self.set(id, merged, now)

    def sorted_after(self, made, session):
        """Returns a list in the customer's order as it will be after merging ``session``."""
        other = self.copy()
        for id, item in session.items.items():
            if twin := other.twin(*session.kind(id)):
                other.items[twin]["created"] = earlier(
                    other.items[twin]["created"], item["created"]
                )
        return other.sorted(made, "customer")

    def _link_lists(self, session, became, before, free, newest, places, now):
        own, coming, moving = dict(before), [], []
        for made in sorted(session.lists):
            held = session.lists[made]
            order = [became[id] for id in session.sorted(made, "customer") if became[id]]
            name = held["name"].strip().casefold()
            for mine in sorted(own):
                there = set(own[mine])
                union = there | set(order)
                alike = self.lists[mine]["name"].strip().casefold() == name
                if alike and (len(union) <= self.most[1] or union == there):
                    coming += [(id, mine, 0) for id in order if id not in there]
                    own[mine] = [*own[mine], *(id for id in order if id not in there)]
                    break
            else:
                moving.append((made, held, order))
        for made, held, order in moving[max(0, len(moving) - max(0, free)) :]:
            self.lists[made] = held | {"items": {}}
            at = {became[id]: position for id, position in held["items"].items()}
            coming += [(id, made, at[id]) for id in order]
        age = {became[id]: number for number, id in enumerate(newest)}
        kept = sorted(coming, key=lambda place: (age[place[0]], place[1]))[: max(0, places)]
        for id, made, position in (place for place in coming if place in kept):
            items = self.lists[made]["items"]
            if made not in before:
                items[id] = position
                continue
            # The first item to join gives all others a position
            if len(items) == len(before[made]):
                items.update({there: at for at, there in enumerate(before[made], 1)})
            items[id] = len(items) + 1
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
        """Returns a list as the API shows it; with its items if a sort is named."""
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
