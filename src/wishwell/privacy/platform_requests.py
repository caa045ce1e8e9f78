"""What a store's platform asks for: a customer's data, to erase a customer, to delete the store.

A request is stored by its delivery and done afterwards (``request_work.py``). Once it is done it
names nobody: what is kept is its topic, times, the hash of its body and how it ended.
"""

from typing import Literal, NamedTuple, get_args

import msgspec

from wishwell import ids, stores
from wishwell.db import Reader, Row, Writer
from wishwell.db.clock import MAX_JUMP_MS
from wishwell.db.journal import Act
from wishwell.errors import Conflict, NotFound
from wishwell.profiles import Profile, WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store

Topic = Literal["customers/data_request", "customers/redact", "shop/redact"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
State = Literal["waiting", "exported", "erased", "nothing", "called_off", "deleting"]

DELETION_DAYS = 7
"""How long a deletion of the store may be called off."""

_SAME_BODY_MS = 2 * ids.DAY_MS
"""For how long the same body is the same request: the platform delivers no longer."""


_ALL = 1_000_000


class Delivery(NamedTuple):
    """A delivery that is proven. ``customer`` is None where the body names none by its id."""

    topic: Topic
    id: str
    body_hash: str
    customer: Profile | None


# contract: request-fields
class PlatformRequest(msgspec.Struct, rename="camel", omit_defaults=True):
    """A request as the API shows it.

    ``profile`` and ``due_at`` only while it waits, ``expires_at`` while its export is kept.
    """

    id: str
    topic: Topic
    state: State
    received_at: str
    body_hash: str
    delivery_id: str
    due_at: str | None = None
    done_at: str | None = None
    profile: str | None = None
    expires_at: str | None = None


def from_row(row: Row) -> PlatformRequest:
    """Makes one from its columns (``request_fields``)."""
    request = PlatformRequest(*row)
    if request.state == "exported":
        request.due_at, request.expires_at = None, request.due_at
    return request


# contract: request-once, request-kept, store-rows
async def take(tx: Writer, store: Store, delivery: Delivery, id: str, now: int) -> str:
    """Stores what a delivery asks for, once; ``now`` in milliseconds. Returns the request's id.

    Raises ``StoreDeleted``.
    """
    # So that none is taken twice, and none once the store is gone.
    await tx.one("store_write_lock", store=store.id)
    await stores.check_kept(tx, store)
    named = {"store": store.id, "delivery": delivery.id, "hash": delivery.body_hash}
    since = ids.timestamp(max(0, now - _SAME_BODY_MS))
    row = await tx.one(
        "request_taken", **named, since=since, ahead=ids.timestamp(now + MAX_JUMP_MS)
    )
    if row is not None:
        return str(row[0])
    wait = DELETION_DAYS * ids.DAY_MS if delivery.topic == "shop/redact" else 0
    customer, at = delivery.customer, ids.timestamp(now)
    # A customer whom the platform knows by an address alone is nobody here.
    empty = customer is None and delivery.topic != "shop/redact"
    await tx.run(
        "request_add",
        **named,
        id=id,
        topic=delivery.topic,
        state="nothing" if empty else "waiting",
        now=at,
        due=None if empty else ids.timestamp(now + wait),
        done=at if empty else None,
        profile=customer and customer.id,
        gid=customer and customer.gid,
    )
    return id


async def page(tx: Reader, store: Store, asked: PageRequest) -> Page[PlatformRequest]:
    """A page of a store's requests, newest first."""
    return await pages.read(tx, "requests", WholeStore(store), asked, from_row)


async def every(tx: Reader, store: Store) -> list[PlatformRequest]:
    """All requests of a store, newest first."""
    return (await page(tx, store, PageRequest(None, _ALL))).records


# contract: request-export
async def export(tx: Reader, store: Store, id: str, now: str) -> bytes:
    """What was asked for, as JSON. Raises ``NotFound`` before it is there, and after its end."""
    row = await tx.one("request_export", store=store.id, id=id, now=now)
    if row is None or row[0] is None:
        raise NotFound("There is no export of such a request.")
    return str(row[0]).encode()


# contract: request-called-off
async def call_off(tx: Writer, store: Store, id: str, now: str) -> None:
    """Ends the wait for a deletion of the store. Raises ``NotFound``, and ``Conflict`` for another
    request."""
    act = Act(action="request.called_off", store=store.handle, store_id=store.id, id=id)
    await tx.record(act)
    if await tx.one("request_call_off", store=store.id, id=id, now=now) is not None:
        return
    if await tx.one("request", store=store.id, id=id) is None:
        raise NotFound("There is no such request.")
    raise Conflict("Only a shop/redact that waits can be called off.")


async def waiting(tx: Reader) -> dict[Topic, tuple[int, str]]:
    """Of all stores, by topic: how many wait, and when the oldest came."""
    return {row[0]: (row[1], row[2]) for row in await tx.all("requests_waiting")}
