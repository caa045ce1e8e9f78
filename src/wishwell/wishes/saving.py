"""Several items saved at once, each as ``items.save`` would, with few statements for all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from wishwell import events, profiles
from wishwell.db import Writer
from wishwell.errors import LimitReached
from wishwell.profiles import Profile
from wishwell.stores import Bounds
from wishwell.wishes import items
from wishwell.wishes.items import NO_VARIANT, Item, NewItem


class _Save(NamedTuple):
    """An item as it is then, and as it was; ``changed``: the names of the fields that differ."""

    item: Item
    before: Item | None
    changed: list[str]

    @property
    def new_lists(self) -> set[str]:
        return {*self.item.list_ids}.difference(self.before.list_ids if self.before else ())


# contract: items-put, items-put-all, limit-exact
async def save_many(
    tx: Writer,
    profile: Profile,
    wanted: Sequence[NewItem],
    new_ids: Sequence[str],
    bounds: Bounds,
    now: str,
) -> list[Item]:
    """Saves items, of which no two have the same product and variant; all, or on an error none.

    ``new_ids``: the id of each that is not there yet. Raises what ``items.save`` does.
    """
    await profiles.lock(tx, profile, now)
    products = sorted({new.product_id for new in wanted})
    rows = await tx.all("items_of_products", profile=profile.id, products=products)
    there = {
        (item.product_id, item.variant_id or NO_VARIANT): item for item in map(items.from_row, rows)
    }
    saves = [
        _save(new, there.get((new.product_id, new.variant_id)), id, now)
        for new, id in zip(wanted, new_ids, strict=True)
    ]
    await _check_room(tx, profile, saves, bounds)
    await _write(tx, profile, saves)
    text_ids = profile.store.has_text_ids
    if events.are_told(profile):
        told: list[tuple[events.Type, bytes]] = [
            ("item.updated", items.data(save.item, text_ids, save.changed))
            if save.before
            else ("item.created", items.data(save.item, text_ids))
            for save in saves
            if save.changed or not save.before
        ]
        await events.tell_all(tx, profile, now, told)
    return [save.item for save in saves]


# contract: save-again
def _save(new: NewItem, before: Item | None, id: str, now: str) -> _Save:
    """What a save makes of an item, or of none."""
    if before is None:
        variant = new.variant_id or UNSET
        tags, on = list(new.tags or ()), sorted(new.list_ids)
        made = Item(
            id, new.product_id, variant, new.quantity or 1, tags, new.note or UNSET, on, now, now
        )
        return _Save(made, None, [])
    after = replace(
        before,
        quantity=before.quantity if new.quantity is None else new.quantity,
        tags=before.tags if new.tags is None else list(new.tags),
        note=before.note if new.note is None else new.note or UNSET,
        list_ids=sorted({*before.list_ids, *new.list_ids}),
    )
    names = {"quantity": "quantity", "tags": "tags", "note": "note", "list_ids": "listIds"}
    changed = [
        shown for name, shown in names.items() if getattr(after, name) != getattr(before, name)
    ]
    if changed:
        after.updated_at = max(before.updated_at, now)
    return _Save(after, before, changed)


async def _check_room(tx: Writer, profile: Profile, saves: Sequence[_Save], bounds: Bounds) -> None:
    """Raises ``NotFound`` for an unknown list and ``LimitReached``, as one save after the other."""
    row = await tx.one("holdings", profile=profile.id)
    assert row is not None
    held: int = row[0]
    sizes: dict[str, int] = {}
    if any(save.new_lists for save in saves):
        sizes = {row[0]: row[1] for row in await tx.all("lists_kept", profile=profile.id)}
    for place, save in enumerate(saves):
        held += save.before is None
        if save.before is None and held > bounds.items:
            raise LimitReached(items.full(bounds))
        if new_lists := save.new_lists:
            items.check_lists(sizes, new_lists, set(), bounds, f"items[{place}].listIds")
            for id in new_lists:
                sizes[id] += 1


async def _write(tx: Writer, profile: Profile, saves: Sequence[_Save]) -> None:
    key, store = profile.id, profile.store.id
    new = [save.item for save in saves if save.before is None]
    changed = [save for save in saves if save.changed]
    if new:
        await tx.fill("items", [(key, item.id, store, *_columns(item)) for item in new])
        await profiles.count(tx, profile, items=len(new))
    if changed:
        rows = [{"profile": key, "id": save.item.id, **_set(save.item)} for save in changed]
        await tx.run_many("item_put", rows)
    tagged = [save.item for save in changed if "tags" in save.changed]
    if tagged:
        await tx.run("item_tags_clear", profile=key, ids=[item.id for item in tagged])
    if tags := [(key, item.id, tag, store) for item in (*new, *tagged) for tag in item.tags]:
        await tx.fill("item_tags", tags)
    on = [(list_id, save.item.id) for save in saves for list_id in sorted(save.new_lists)]
    if on:
        await tx.fill("entries", [(key, *entry, 0) for entry in on])
        more = Counter(list_id for list_id, _ in on)
        longer = [{"profile": key, "id": id, "more": count} for id, count in more.items()]
        await tx.run_many("list_resize", longer)


def _set(item: Item) -> Mapping[str, object]:
    """The columns that a save may change, by name."""
    return {
        "quantity": item.quantity,
        "tags": " ".join(item.tags),
        "note": item.note or "",
        "list_ids": " ".join(item.list_ids),
        "updated_at": item.updated_at,
    }


def _columns(item: Item) -> tuple[object, ...]:
    """The columns of a new item, from its product on, in the order of ``items_filled``."""
    kind = item.product_id, item.variant_id or NO_VARIANT, item.quantity
    texts = " ".join(item.list_ids), " ".join(item.tags), item.note or ""
    return *kind, item.created_at, item.updated_at, "", "", *texts
