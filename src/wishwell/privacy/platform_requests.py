"""Privacy requests of a store's platform: to export a customer's data, to erase a customer, or to
delete the store.

A delivery stores a request, which is processed later (``request_processing.py``). A finished
request no longer names a customer: topic, times, body hash and result remain.
"""

from typing import Annotated, Literal, NamedTuple, get_args

import msgspec

from wishwell import field_types as types
from wishwell import ids, stores
from wishwell.db import Reader, Row, Writer, statements
from wishwell.db.journal import Act
from wishwell.errors import Conflict, NotFound, no_record
from wishwell.profiles import Profile, WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store

Topic = Literal["customers/data_request", "customers/redact", "shop/redact"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
State = Literal["waiting", "exported", "erased", "nothing", "called_off", "deleting"]

DELETION_DAYS = 7
"""Days during which a deletion of the store can be cancelled."""

_SAME_BODY_MS = 2 * ids.DAY_MS
"""Milliseconds during which the same body is a duplicate. The platform's retries end earlier."""


_MAX_REQUESTS = 1_000_000


class PlatformWebhook(NamedTuple):
    """An authenticated delivery. ``customer`` is ``None`` if the body has no customer id."""

    topic: Topic
    id: str
    body_hash: str
    customer: Profile | None


class PlatformRequest(msgspec.Struct, rename="camel", omit_defaults=True):
    """A privacy request of the platform, and its outcome."""

    id: types.Id
    topic: Topic
    state: State
    """`waiting`, or the outcome: `exported`, `erased`, `called_off`, or `nothing` if the body has
    no customer id. `deleting` is shown during the last seconds of a store."""
    received_at: types.Time
    body_hash: Annotated[str, types.published(pattern="^[0-9a-f]{64}$")]
    """The SHA-256 of the body, in hex."""
    delivery_id: Annotated[str, types.published(pattern="^[!-~]{1,100}$")]
    """The `X-Shopify-Webhook-Id` of the delivery."""
    due_at: types.Time | None = None
    """The earliest time at which it is processed; only while it is waiting."""
    done_at: types.Time | None = None
    """When it was completed or cancelled."""
    profile: types.ProfileGid | None = None
    """The customer; only while it is waiting."""
    expires_at: types.Time | None = None
    """When the export is deleted; only as long as it is stored."""


def from_row(row: Row) -> PlatformRequest:
    """Builds a request from its columns (``request_fields``)."""
    columns = statements.name_columns("request_fields", row)
    request = PlatformRequest(profile=columns.pop("gid"), **columns)
    if request.state == "exported":
        request.due_at, request.expires_at = None, request.due_at
    return request


# rules: privacy-requests, store-delete
async def record_request(
    tx: Writer, store: Store, delivery: PlatformWebhook, id: str, now: int
) -> str:
    """Stores the request of a delivery; ``now`` in milliseconds. Returns the request's id, for a
    duplicate that of the first (idempotent).

    Raises ``StoreDeleted``.
    """
    # The lock prevents duplicates, and requests of a deleted store.
    await tx.one("store_write_lock", store=store.id)
    await stores.check_not_deleting(tx, store)
    params = {"store": store.id, "delivery": delivery.id, "hash": delivery.body_hash}
    since = ids.timestamp(max(0, now - _SAME_BODY_MS))
    duplicate = await tx.one("request_taken", **params, since=since)
    if duplicate is not None:
        return str(duplicate[0])
    wait_ms = DELETION_DAYS * ids.DAY_MS if delivery.topic == "shop/redact" else 0
    customer, received_at = delivery.customer, ids.timestamp(now)
    # A customer without an id, only with an email address, can't have data here.
    has_no_data = customer is None and delivery.topic != "shop/redact"
    await tx.run(
        "request_add",
        **params,
        id=id,
        topic=delivery.topic,
        state="nothing" if has_no_data else "waiting",
        now=received_at,
        due=None if has_no_data else ids.timestamp(now + wait_ms),
        done=received_at if has_no_data else None,
        profile=customer and customer.id,
        gid=customer and customer.gid,
    )
    return id


async def page(tx: Reader, store: Store, page_request: PageRequest) -> Page[PlatformRequest]:
    """Returns a page of a store's requests, newest first."""
    return await pages.read(tx, "requests", WholeStore(store), page_request, from_row)


async def find_all(tx: Reader, store: Store) -> list[PlatformRequest]:
    """Returns all requests of a store, newest first."""
    return (await page(tx, store, PageRequest(None, _MAX_REQUESTS))).records


# rule: privacy-requests
async def read_export(tx: Reader, store: Store, id: str, now: str) -> bytes:
    """Returns a request's export, as JSON. Raises ``NotFound`` before it exists and after it has
    expired."""
    row = await tx.one("request_export", store=store.id, id=id, now=now)
    if row is None or row[0] is None:
        raise NotFound("This request has no export, or its export has expired.", "export_not_found")
    return str(row[0]).encode()


# rule: privacy-requests
async def cancel(tx: Writer, store: Store, id: str, now: str) -> None:
    """Cancels a pending deletion of the store. Raises ``NotFound``, and ``Conflict`` for any other
    request."""
    act = Act(action="request.called_off", store=store.handle, store_id=store.id, id=id)
    await tx.record(act)
    if await tx.one("request_call_off", store=store.id, id=id, now=now) is not None:
        return
    if await tx.one("request", store=store.id, id=id) is None:
        raise no_record("request")
    raise Conflict("Only a pending shop/redact can be cancelled.", "request_not_pending")


async def read_backlog(tx: Reader) -> dict[Topic, tuple[int, str]]:
    """Returns the backlog of all stores, by topic: how many are pending, and when the oldest
    arrived."""
    return {row[0]: (row[1], row[2]) for row in await tx.all("requests_waiting")}
