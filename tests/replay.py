"""A consumer of the event feed: rebuilds each profile's records from its events alone."""

import msgspec

from tests.profile_model import in_customer_order


def shown_event(event):
    """Returns an event of ``wishwell.events`` as the API shows it."""
    return msgspec.json.decode(msgspec.json.encode(event))


class Replay:
    """One profile rebuilt from its events, from the first one or from where its ``copy`` was made."""

    def __init__(self):
        self.items, self.lists, self.placed, self.sequence = {}, {}, {}, 0

    def hear(self, event):
        """Applies the next event. Sequence numbers are contiguous, and each event follows from the
        state."""
        assert event["sequence"] == self.sequence + 1, (event["sequence"], self.sequence)
        self.sequence += 1
        data = event["data"]
        getattr(self, event["type"].replace(".", "_"))(data)

    def item_created(self, data):
        assert data["item"]["id"] not in self.items
        assert data.keys() - {"linked"} == {"item"}
        self.items[data["item"]["id"]] = data["item"]

    def item_updated(self, data):
        item = data["item"]
        assert set(data["changed"]) == changed(self.items[item["id"]], item) != set()
        self.items[item["id"]] = item
        for made, placed in self.placed.items():
            if made not in item["listIds"] and item["id"] in placed:
                placed.remove(item["id"])

    def item_purchased(self, data):
        if item := data.get("item"):
            assert changed(self.items[item["id"]], item) <= {"purchased"}
            self.items[item["id"]] = item

    def item_deleted(self, data):
        id = data["item"]["id"]
        assert self.items.pop(id) == data["item"]
        for placed in self.placed.values():
            if id in placed:
                placed.remove(id)

    def list_created(self, data):
        made = data["list"]["id"]
        assert made not in self.lists
        self.lists[made] = data["list"]
        self.placed[made] = data.get("itemIds", [])

    def list_updated(self, data):
        record, names = data["list"], set(data["changed"])
        before = self.lists[record["id"]]
        # Item events imply `itemCount`; only links and bulk operations list it among the changed fields.
        assert names - {"itemIds", "itemCount"} == changed(before, record) - {"itemCount"}
        assert ("itemIds" in names) == (len({"itemIds", "moved"} & data.keys()) == 1)
        assert names
        self.lists[record["id"]] = record
        if "itemIds" in data:
            # A bulk operation on the list repeats the order that its items' events have led to.
            assert data["itemIds"] != self.placed[record["id"]] or "itemCount" in names
            self.placed[record["id"]] = data["itemIds"]
        if "moved" in data:
            assert names == {"itemIds"}
            self.move(record["id"], data["moved"]["itemId"], data["moved"]["after"])

    def move(self, made, moved, after):
        """Moves an item of a list. The items before its new place get a position too."""
        shown = [item["id"] for item in self.shown_list(made)["items"] if item["id"] != moved]
        first = shown[: shown.index(after) + 1] if after else []
        placed = [*first, moved, *(id for id in self.placed[made] if id not in (*first, moved))]
        assert placed != self.placed[made]
        self.placed[made] = placed

    def list_deleted(self, data):
        made = data["list"]["id"]
        assert self.lists.pop(made).keys() == data["list"].keys()
        del self.placed[made]
        for item in self.items.values():
            item["listIds"] = [at for at in item["listIds"] if at != made]

    def profile_linked(self, data):
        assert data.keys() == {"session", "customer", "items", "lists", "left"}

    def shown_lists(self):
        """Returns all lists as the API shows them, with their items in the shopper's order."""
        return {made: self.shown_list(made) for made in self.lists}

    def shown_list(self, made):
        placed = {id: at for at, id in enumerate(self.placed[made], 1)}
        on = [item for item in self.items.values() if made in item["listIds"]]
        order = in_customer_order(
            [(item["id"], placed.get(item["id"], 0), item["createdAt"]) for item in on]
        )
        items = [self.items[id] for id in order]
        return self.lists[made] | {"itemCount": len(items), "items": items}


def changed(before, after):
    """Returns the names of the fields in which two records differ, except ``updatedAt``."""
    return {
        name
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name) and name != "updatedAt"
    }
