"""Events: the changes to a store's records, as a feed to poll and as webhooks.

Start here for recording events and reading the feed. ``webhooks.py`` manages webhooks,
``deliveries.py`` queues events for them (an outbox), ``sender.py`` sends those, ``retention.py``
deletes old ones.

A use-case that changes lists does so inside ``record_list_changes``, which compares the lists
before and after, under the profile's lock, and records the differences in the same transaction
(rule: event-transaction); ``item_changes.write`` does it for items. A move of one item on a list
records its own event. ``sequence`` numbers each profile's events without gaps. ``number`` is an
event's position in the store's feed. On PostgreSQL one process at a time assigns positions to
committed events. SQLite has a single writer, so an event gets its position when it is inserted. On
both engines positions become readable (published) afterwards.
"""

import contextlib
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell import ids, profiles
from wishwell.db import Database, Reader, Row, Writer, bad_rows, mapping, run_statement
from wishwell.errors import Gone
from wishwell.events import webhooks
from wishwell.jobs import IDLE_SECONDS, Job, Run
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
    "item.purchased",
]
EventType = Annotated[Type, types.published("EventType")]
TYPES: tuple[Type, ...] = get_args(Type)
ERASED: Type = "profile.erased"

# rule: trace-context
traceparent: ContextVar[str] = ContextVar("traceparent", default="")
"""The `traceparent` of the running request, which its events get; '' without one."""

_BATCH_SIZE = 200
"""Batch size: events that get positions in one transaction. Its Python part takes 2 ms, for which
SQLite readers may have to wait."""


class Event(msgspec.Struct, frozen=True):
    """A change to a profile, as it was when it was recorded."""

    id: types.Id
    type: Annotated[str, types.published("EventType")]
    timestamp: types.Time
    profile: types.ProfileGid
    sequence: Annotated[int, types.published(minimum=1)]
    """The number of the event within its profile, in the order they happened and without gaps."""
    data: msgspec.Raw
    traceparent: types.Traceparent | UnsetType = UNSET


class _EventRow(msgspec.Struct, gc=False):
    """An event's columns."""

    profile_id: str
    sequence: int
    type: str
    created_at: str
    gid: str
    data: str
    traceparent: str


_parse_row = mapping.from_columns(_EventRow, "event_fields")


class ListSnapshot(NamedTuple):
    """A list as the API shows it, and its manually ordered items, in that order."""

    record: msgspec.Struct
    item_ids: tuple[str, ...]


ListSnapshots = Mapping[str, ListSnapshot]


def from_row(row: Row) -> Event:
    """Returns the event in a row of the columns ``event_fields``."""
    event_row = _parse_row(row)
    return Event(
        id=event_id(event_row.profile_id, event_row.sequence),
        type=event_row.type,
        timestamp=event_row.created_at,
        profile=event_row.gid,
        sequence=event_row.sequence,
        data=msgspec.Raw(_convert_to_json(event_row.data)),
        traceparent=event_row.traceparent or UNSET,
    )


_ITEM_FIELDS = (
    *("id", "productId", "variantId", "quantity", "tags", "note", "listIds"),
    *("createdAt", "updatedAt"),
)
"""Fields in the order of the arrays that earlier releases stored. Newer events have names."""


def _convert_to_json(data: str) -> bytes:
    """Returns stored event data as the JSON that the API shows.

    Earlier releases stored item events as an array: whether product ids are text, the changed
    fields, then the item's columns.
    """
    if not data.startswith("["):
        return data.encode()
    has_text_ids, changed_names, *item_values = msgspec.json.decode(data)
    item = dict(zip(_ITEM_FIELDS, item_values, strict=False))
    for name in ("tags", "listIds"):
        item[name] = item[name].split()
    for name in ("productId", "variantId"):
        if item[name].isdecimal() and not has_text_ids:
            item[name] = int(item[name])
    shown_item = {name: value for name, value in item.items() if value != ""}
    changed_fields = {"changed": changed_names.split()} if changed_names else {}
    return msgspec.json.encode({"item": shown_item, **changed_fields})


def event_id(profile_id: str, sequence: int) -> str:
    """Returns an event's id, derived from its key, so every reader computes the same."""
    return str(uuid.uuid5(uuid.UUID(profile_id), f"event {sequence}"))


# ---------------------------------------------------------------------------------- writing


def events_enabled(profile: Profile) -> bool:
    return profile.store.events_since is not None


# rule: event-transaction
@contextlib.asynccontextmanager
async def record_list_changes(
    tx: Writer, profile: Profile, now: str, read_lists: Callable[[], Awaitable[ListSnapshots]]
) -> AsyncIterator[None]:
    """Records the block's changes to the lists that ``read_lists`` returns, as events.

    Locks the profile first. Raises ``profiles.missing(profile)``. Does nothing if the store has
    events disabled.
    """
    if not events_enabled(profile):
        yield
        return
    await profiles.lock(tx, profile, now)
    before = await read_lists()
    yield
    await record_events(tx, profile, now, _find_changes(before, await read_lists()))


async def record_event(tx: Writer, profile: Profile, now: str, type_: Type, data: bytes) -> None:
    """Records an event if the store has events enabled. The caller holds the profile's lock."""
    if events_enabled(profile):
        await record_event_always(tx, profile.id, now, type_, data)


async def record_event_always(
    tx: Writer, profile_id: str, now: str, type_: Type, data: bytes
) -> None:
    """Records an event even if the store has events disabled."""
    params = {"profile": profile_id, "type": type_, "now": now, "data": data.decode()}
    await tx.run("event_record", **params, traceparent=traceparent.get())


async def record_events(
    tx: Writer, profile: Profile, now: str, changes: Sequence[tuple[Type, bytes]]
) -> None:
    """Records several events of one profile in order, if the store has events enabled."""
    if changes and events_enabled(profile):
        store_changes = [(profile.id, type_, data) for type_, data in changes]
        await record_store_events(tx, profile.store, now, store_changes)


# rule: event-sequence
async def record_store_events(
    tx: Writer, store: Store, now: str, changes: Sequence[tuple[str, Type, bytes]]
) -> None:
    """Records events of several profiles of a store, in order.

    ``changes``: for each event the profile's key, the type and the data. The caller holds the
    profiles' locks and has checked that the store has events enabled.
    """
    counts_by_profile = Counter(profile_id for profile_id, _, _ in changes)
    count_params = [
        {"profile": profile_id, "count": count} for profile_id, count in counts_by_profile.items()
    ]
    rows_by_profile = dict(
        zip(counts_by_profile, await tx.all_many("events_count", count_params), strict=True)
    )
    rows = []
    for profile_id, type_, data in changes:
        last_sequence, gid = rows_by_profile[profile_id]
        rows.append(
            {
                "profile_id": profile_id,
                "sequence": last_sequence - counts_by_profile[profile_id] + 1,
                "store_id": store.id,
                "type": type_,
                "created_at": now,
                "gid": gid,
                "data": data.decode(),
                "traceparent": traceparent.get(),
            }
        )
        counts_by_profile[profile_id] -= 1
    await tx.fill("events", rows)


# rule: event-changed
def _find_changes(before: ListSnapshots, after: ListSnapshots) -> list[tuple[Type, bytes]]:
    changes: list[tuple[Type, bytes]] = []
    for id, snapshot in after.items():
        previous = before.get(id)
        if previous is None:
            order_details = {"itemIds": snapshot.item_ids} if snapshot.item_ids else {}
            changes.append(("list.created", _encode_list(snapshot, order_details)))
        elif previous != snapshot:
            details: dict[str, Any] = {
                "changed": find_changed_fields(previous.record, snapshot.record)
            }
            if previous.item_ids != snapshot.item_ids:
                details["changed"].append("itemIds")
                details["itemIds"] = snapshot.item_ids
            changes.append(("list.updated", _encode_list(snapshot, details)))
    for id, previous in before.items():
        if id not in after:
            changes.append(("list.deleted", _encode_list(previous, {})))
    return changes


def find_changed_fields(before: msgspec.Struct, after: msgspec.Struct) -> list[str]:
    """Returns the fields of a record that differ, except ``updated_at``, as the API names them."""
    names = zip(after.__struct_fields__, after.__struct_encode_fields__, strict=True)
    return [
        api_name
        for name, api_name in names
        if name != "updated_at" and getattr(before, name) != getattr(after, name)
    ]


# rule: event-changed
def mark_as_linked(data: bytes) -> bytes:
    """Returns the data of an item's event that a link caused."""
    return data[:-1] + b',"linked":true}'


# rule: event-changed
def encode_list_move(record: msgspec.Struct, item_id: str, after: str | None) -> bytes:
    """Returns the data of ``list.updated`` for a list on which one item was moved."""
    moved = {"itemId": item_id, "after": after}
    return msgspec.json.encode({"list": record, "changed": ["itemIds"], "moved": moved})


def _encode_list(snapshot: ListSnapshot, details: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"list": snapshot.record, **details})


# ------------------------------------------------------------------------------- the feed


class FeedPage(NamedTuple):
    """A batch of a store's events, oldest first, complete up to the position ``until``."""

    events: list[Event]
    until: int


# rules: feed-once, feed-retention
async def read_feed(
    tx: Reader,
    store: Store,
    after: int | None,
    limit: int,
    types: Sequence[str],
    profile: Profile | None = None,
) -> FeedPage:
    """Returns a store's events after the position ``after``, or from the oldest stored for None.

    ``types`` filters (empty: all types); ``ERASED`` always passes. ``profile``: only its events.
    Raises ``Gone`` if some of the events were removed (retention), or if the position was never
    published, for example because a backup was restored.
    """
    # Read the feed's end before the events and its removed part after them, so that neither a
    # concurrent publication nor a removal can make a reader miss events.
    last, _ = await webhooks.read_feed_ends(tx, store.id)
    selected_types = [*types, ERASED] if types else [*TYPES]  # rule: erase-event
    params = {"after": after or 0, "until": last, "limit": limit, "types": selected_types}
    if profile is None:
        rows = await tx.all("events_after", store=store.id, **params)
    else:
        rows = await tx.all("events_of_profile_after", profile=profile.id, **params)
    _, removed = await webhooks.read_feed_ends(tx, store.id)
    if after is not None and not removed <= after <= last:
        reason = (
            "events after this position are no longer stored"
            if after < removed
            else "this position was never issued by this store, or a backup has been restored since"
        )
        advice = "Read all items and lists again, then request the feed without `from`."
        raise Gone(f"from: {reason}. {advice}")
    until = rows[-1][0] if len(rows) == limit else last
    return FeedPage([from_row(row[1:]) for row in rows], until)


async def read_feed_end(tx: Reader, store: Store) -> FeedPage:
    """Returns no events, and the end of a store's feed."""
    last, _ = await webhooks.read_feed_ends(tx, store.id)
    return FeedPage([], last)


# rule: event-sequence
async def assign_positions(db: Database, clock: Callable[[], int]) -> int:
    """Assigns feed positions to new events and publishes them. Returns how many.

    Keeps each profile's events in the order of ``sequence``, and a session's events before its
    link's. Several processes may run it concurrently; the feed's lock serialises them.
    """
    assigned = 0
    for (store_id,) in await db.read(run_statement, "feeds_waiting"):
        now = ids.timestamp(clock())
        target: int | None = None
        published = 0
        with bad_rows.skip_bad_row("feeds", store_id):
            while target is None or published < target:
                published, last_assigned, newly_assigned = await db.write(
                    assign_batch, store_id, now
                )
                assigned += newly_assigned
                if newly_assigned < _BATCH_SIZE and target is None:
                    target = last_assigned
    return assigned


# rule: feed-once
async def assign_batch(tx: Writer, store_id: str, now: str) -> tuple[int, int, int]:
    """Assigns positions to a batch of events and publishes those of earlier batches.

    Returns ``(readable_up_to, last, newly_assigned)``: two positions and a count.

    A commit on a cluster (Citus) becomes visible on its nodes one after another, and much later on
    a node that crashed. So a position is published only after a later scan of the whole backlog
    didn't find its event there. Customers are scanned before sessions, but get higher positions: if
    the first scan finds the events of a link, the second one finds those of its session.
    """
    last_assigned, unpublished = await webhooks.lock_feed(tx, store_id)
    customer_events, session_events = [
        await tx.all("events_waiting", store=store_id, customers=is_customer, limit=_BATCH_SIZE)
        for is_customer in (True, False)
    ]
    batch = [*session_events, *customer_events][:_BATCH_SIZE]
    if batch:
        positions = [
            {"profile": profile_id, "sequence": sequence, "number": position}
            for position, (profile_id, sequence) in enumerate(batch, last_assigned + 1)
        ]
        await tx.run_many("event_set_position", positions)
        await tx.run("feed_set_assigned", store=store_id, assigned=last_assigned + len(batch))
    if (
        len(batch) < _BATCH_SIZE
        and await tx.one("feed_publish", store=store_id, last=last_assigned) is not None
    ):
        await tx.run("webhooks_wake", store=store_id, now=now)  # rule: delivery-at-least-once
    return last_assigned, last_assigned + len(batch), unpublished + len(batch)


# rule: feed-once
async def _run_job(run: Run) -> float | None:
    from wishwell.telemetry import metrics  # slow to import, and commands don't need it

    metrics.EVENTS_POSITIONED.inc(await assign_positions(run.db, run.clock))
    return None if run.access_cache.any_events_enabled() else IDLE_SECONDS


JOB = Job("feed", 0.25, _run_job)
