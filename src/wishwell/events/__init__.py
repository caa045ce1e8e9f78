"""Events: what happened to the records of a store, in the order of its feed.

A use-case that changes lists does so inside ``watch``, which looks at them before and after,
under the profile's lock, and writes what differs in the same transaction (contract:
event-transaction); ``items.write`` tells of items. Each profile's events are counted without a
gap. Their places in the store's feed are given afterwards, when everybody can read them, by one
process at a time for each store. SQLite has one writer, which gives them their places with the
insertion; they are only published afterwards.
"""

import contextlib
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from wishwell import ids, profiles
from wishwell.db import Database, Reader, Row, Writer, ask, bad_rows
from wishwell.errors import Gone
from wishwell.events import webhooks
from wishwell.profiles import Profile
from wishwell.stores import Store

Type = Literal[
    "item.created",
    "item.updated",
    "item.deleted",
    "list.created",
    "list.updated",
    "list.deleted",
    "profile.linked",
    "profile.erased",
    "item.price_dropped",
    "item.back_in_stock",
]
TYPES: tuple[Type, ...] = get_args(Type)
ERASED: Type = "profile.erased"

_STEP = 200
"""How many events get their number in one transaction. On SQLite a read may have to wait for what
of it is Python: 2 ms."""


# contract: event-fields
class Event(msgspec.Struct, frozen=True):
    """An event as the API shows it."""

    id: str
    type: str
    timestamp: str
    profile: str
    sequence: int
    data: msgspec.Raw


class Record(NamedTuple):
    """A list as the API shows it, and which items have a place on it, in order."""

    shown: msgspec.Struct
    item_ids: tuple[str, ...]


Records = Mapping[str, Record]


def from_row(row: Row) -> Event:
    """Makes an event from its columns (``event_fields``)."""
    profile_id, sequence, type_, created_at, gid, data = row
    raw = msgspec.Raw(_shown(data))
    return Event(event_id(profile_id, sequence), type_, created_at, gid, sequence, raw)


_ITEM = (
    *("id", "productId", "variantId", "quantity", "tags", "note", "listIds"),
    *("createdAt", "updatedAt"),
)


# contract: event-fields
def _shown(data: str) -> bytes:
    """The data as the API shows it.

    Releases before this one also wrote an array: whether the store had text ids, what changed, and
    the item's columns.
    """
    if not data.startswith("["):
        return data.encode()
    text_ids, changed, *values = msgspec.json.decode(data)
    item = dict(zip(_ITEM, values, strict=False))
    for name in ("tags", "listIds"):
        item[name] = item[name].split()
    for name in ("productId", "variantId"):
        if item[name].isdecimal() and not text_ids:
            item[name] = int(item[name])
    shown = {name: value for name, value in item.items() if value != ""}
    more = {"changed": changed.split()} if changed else {}
    return msgspec.json.encode({"item": shown, **more})


def event_id(profile_id: str, sequence: int) -> str:
    """An event's id: the same whoever makes it, and whenever."""
    return str(uuid.uuid5(uuid.UUID(profile_id), f"event {sequence}"))


# ---------------------------------------------------------------------------------- writing


def are_told(profile: Profile) -> bool:
    """Whether the profile's store tells events."""
    return profile.store.events_since is not None


# contract: event-transaction, event-nothing-changed
@contextlib.asynccontextmanager
async def watch(
    tx: Writer, profile: Profile, now: str, read: Callable[[], Awaitable[Records]]
) -> AsyncIterator[None]:
    """Tells what the block changes of the lists that ``read`` finds.

    If the store tells events. It begins with the profile's lock, and raises
    ``profiles.missing(profile)``.
    """
    if not are_told(profile):
        yield
        return
    await profiles.lock(tx, profile, now)
    before = await read()
    yield
    await tell_all(tx, profile, now, _differences(before, await read()))


async def tell(tx: Writer, profile: Profile, now: str, type_: Type, data: bytes) -> None:
    """Writes an event of a profile, if its store tells events. The caller holds its lock."""
    if are_told(profile):
        await tx.run("event_tell", profile=profile.id, type=type_, now=now, data=data.decode())


async def tell_all(
    tx: Writer, profile: Profile, now: str, changes: Sequence[tuple[Type, bytes]]
) -> None:
    """``tell`` for several events, in their order."""
    if changes and are_told(profile):
        of_profile = [(profile.id, type_, data) for type_, data in changes]
        await tell_each(tx, profile.store, now, of_profile)


# contract: event-sequence
async def tell_each(
    tx: Writer, store: Store, now: str, changes: Sequence[tuple[str, Type, bytes]]
) -> None:
    """Writes events of several profiles of a store, given with their keys, in this order.

    The caller holds their locks, and knows that the store tells events.
    """
    counts = Counter(profile_id for profile_id, _, _ in changes)
    more = [{"profile": profile_id, "more": count} for profile_id, count in counts.items()]
    of = dict(zip(counts, await tx.all_many("events_count", more), strict=True))
    rows = []
    for profile_id, type_, data in changes:
        last, gid = of[profile_id]
        rows.append(
            {
                "profile": profile_id,
                "sequence": last - counts[profile_id] + 1,
                "store": store.id,
                "type": type_,
                "now": now,
                "gid": gid,
                "data": data.decode(),
            }
        )
        counts[profile_id] -= 1
    await tx.run_many("event_add", rows)


# contract: event-changed, event-order
def _differences(before: Records, after: Records) -> list[tuple[Type, bytes]]:
    changes: list[tuple[Type, bytes]] = []
    for id, record in after.items():
        was = before.get(id)
        if was is None:
            order = {"itemIds": record.item_ids} if record.item_ids else {}
            changes.append(("list.created", _data(record, order)))
        elif was != record:
            more: dict[str, Any] = {"changed": _changed(was, record)}
            if was.item_ids != record.item_ids:
                more["itemIds"] = record.item_ids
            changes.append(("list.updated", _data(record, more)))
    for id, was in before.items():
        if id not in after:
            changes.append(("list.deleted", _data(was, {})))
    return changes


def _changed(was: Record, record: Record) -> list[str]:
    names = [
        field.encode_name
        for field in msgspec.structs.fields(record.shown)
        if getattr(was.shown, field.name) != getattr(record.shown, field.name)
        and field.name != "updated_at"
    ]
    return names + ["itemIds"] * (was.item_ids != record.item_ids)


def _data(record: Record, more: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"list": record.shown, **more})


# ------------------------------------------------------------------------------- the feed


class Page(NamedTuple):
    """Some of a store's events, oldest first. Up to the number ``until`` there are no others."""

    events: list[Event]
    until: int


# contract: feed-once, feed-gone
async def feed(
    tx: Reader, store: Store, after: int | None, limit: int, types: Sequence[str]
) -> Page:
    """The events of a store that come after the number ``after``; None: all that are kept.

    Of all types, or of these and ``ERASED``. Raises ``Gone`` if some of them have been removed for
    their age, or if nobody was ever told this number, as after a backup was restored.
    """
    # What may be read, before the events; what was removed, after them: nothing slips between.
    last, _ = await webhooks.feed_ends(tx, store.id)
    chosen = [*types, ERASED] if types else [*TYPES]  # contract: erase-event
    rows = await tx.all(
        "events_after", store=store.id, after=after or 0, until=last, limit=limit, types=chosen
    )
    _, removed = await webhooks.feed_ends(tx, store.id)
    if after is not None and not removed <= after <= last:
        why = (
            "events that came after it are no longer kept"
            if after < removed
            else "this store has not given it, or a backup was restored since"
        )
        anew = "Read the items and lists of the store anew, then ask without `from`."
        raise Gone(f"from: {why}. {anew}")
    until = rows[-1][0] if len(rows) == limit else last
    return Page([from_row(row[1:]) for row in rows], until)


# contract: feed-order
async def number(db: Database, clock: Callable[[], int]) -> int:
    """Gives new events their places in their stores' feeds and publishes them. Returns how many.

    Each profile's come in the order of ``sequence``, a session's before those of its link. May run
    in several processes at once.
    """
    given = 0
    for (store_id,) in await db.read(ask, "feeds_waiting"):
        now = ids.timestamp(clock())
        wanted: int | None = None
        published = 0
        with bad_rows.passed_over("feeds", store_id):
            while wanted is None or published < wanted:
                published, last, new = await db.write(_number, store_id, now)
                given += new
                if new < _STEP and wanted is None:
                    wanted = last
    return given


async def behind(tx: Reader) -> tuple[int, str | None]:
    """How many events have no place in a feed yet, and the time of the oldest."""
    row = await tx.one("events_behind")
    assert row is not None
    return row[0], row[1]


# contract: feed-once
async def _number(tx: Writer, store_id: str, now: str) -> tuple[int, int, int]:
    """Gives places to events: up to which one they may be read, the last, and how many are new.

    What a cluster commits does not show on all of its servers at once, and may not show on one
    that died for long. So a place may be read only when a later look at all that waits has not
    found its event there. And sessions are looked at after customers: what was told of a session
    before its link shows by then.
    """
    last, new = await webhooks.lock_feed(tx, store_id)
    of_customers, of_sessions = [
        await tx.all("events_waiting", store=store_id, customers=customers, limit=_STEP)
        for customers in (True, False)
    ]
    waiting = [*of_sessions, *of_customers][:_STEP]
    if waiting:
        places = [
            {"profile": profile_id, "sequence": sequence, "number": place}
            for place, (profile_id, sequence) in enumerate(waiting, last + 1)
        ]
        await tx.run_many("event_number", places)
        await tx.run("feed_give", store=store_id, given=last + len(waiting))
    if len(waiting) < _STEP and await tx.one("feed_publish", store=store_id, last=last) is not None:
        await tx.run("webhooks_wake", store=store_id, now=now)  # contract: delivery-each
    return last, last + len(waiting), new + len(waiting)
