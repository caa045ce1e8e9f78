"""Processes platforms' privacy requests: erases customers, makes exports, deletes stores.

A request stays due until its last step, so that it resumes after a kill.
"""

from collections.abc import AsyncIterator

import structlog
from msgspec import UNSET

from wishwell import ids, profiles, stores
from wishwell.contacts import profile_views
from wishwell.db import Database, Reader, Writer, journal, run_statement
from wishwell.db.clock import ClockSuspect, ReferenceClock
from wishwell.errors import BeingErased, NotFound, Unavailable
from wishwell.jobs import Job, Run
from wishwell.privacy import erasure, personal_export, store_deletion
from wishwell.privacy.platform_requests import PlatformRequest
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.wishlists import purge

EXPORT_DAYS = 30

_BATCH_SIZE = 100
log = structlog.get_logger("wishwell.privacy.request_processing")


async def find_due_requests(
    tx: Reader, now: int, seen_count: int = 0
) -> list[tuple[str, PlatformRequest]]:
    """Returns due requests with the ids of their stores: at most the batch size, plus
    ``seen_count``, the number of requests that this run has seen already."""
    params = {"now": ids.timestamp(now), "limit": _BATCH_SIZE + seen_count}
    rows = await tx.all("requests_due", **params)
    return [(row[0], PlatformRequest(*row[1:])) for row in rows]


# rules: privacy-requests, bad-row
async def process_due(
    db: Database, clock: ReferenceClock, failed_ids: set[str] | None = None
) -> AsyncIterator[Profile | None]:
    """Processes the requests that are due, each once. Yields between two steps: an erased customer,
    or ``None``.

    A request that fails is logged and added to ``failed_ids``; the next run retries it. While the
    clock is suspect no deletion begins and no export expires. Raises ``Unavailable``.
    """
    seen_ids: set[str] = set()
    while True:
        due_requests = await db.read(find_due_requests, clock(), len(seen_ids))
        unseen_requests = [
            (store_id, request) for store_id, request in due_requests if request.id not in seen_ids
        ]
        if not unseen_requests:
            return
        for store_id, request in unseen_requests:
            seen_ids.add(request.id)
            try:
                async for customer in _process_request(db, store_id, request, clock):
                    yield customer
            except (BeingErased, ClockSuspect, NotFound):
                continue  # the customer is being erased, or the store was deleted
            except Exception as error:
                await db.ping()  # raises if the database is the cause
                if isinstance(error, Unavailable):
                    raise
                if failed_ids is not None:
                    failed_ids.add(request.id)
                log.warning("request_not_done", request=request.id, reason=str(error))


async def _process_request(
    db: Database, store_id: str, request: PlatformRequest, clock: ReferenceClock
) -> AsyncIterator[Profile | None]:
    params = {"store": store_id, "id": request.id}
    if request.state == "exported":
        await db.write(_delete_expired_export, params, clock)
    elif request.topic == "shop/redact":
        async for _ in _advance_deletion(db, store_id, request, clock):
            yield None
    else:
        store = await db.read(_find_store, store_id)
        customer = profiles.of_customer(store, request.profile or "")
        if request.topic == "customers/redact":
            await db.long_write(erasure.erase, customer, clock())
            yield customer
        else:
            now = clock()
            export_json = await _export_customer(db, customer, ids.timestamp(now))
            params |= {"now": ids.timestamp(now), "export": export_json}
            expires_at = ids.timestamp(now + EXPORT_DAYS * ids.DAY_MS)
            await db.long_write(run_statement, "request_exported", **params, due=expires_at)
    yield None


# rule: clock-guard
async def _delete_expired_export(tx: Writer, params: dict[str, str], clock: ReferenceClock) -> None:
    now = ids.timestamp(await clock.checked_now(tx))
    await tx.run("request_export_ends", **params, now=now)


async def _find_store(tx: Reader, store_id: str) -> Store:
    for store in await stores.listed(tx):
        if store.id == store_id:
            return store
    raise NotFound("The store was deleted.", "store_not_found")


async def _export_customer(db: Database, customer: Profile, now: str) -> str:
    """Returns all data of a customer, as JSON. Raises ``BeingErased``."""
    view = await db.read(profile_views.find, customer, now, sends_mails=False)
    view.notices_by = view.show_reductions = UNSET  # the store's settings, not the customer's data
    pieces = [piece async for piece in personal_export.stream_document(db, customer, view)]
    return b"".join(pieces).decode()


# rule: privacy-requests
async def _advance_deletion(
    db: Database, store_id: str, request: PlatformRequest, clock: ReferenceClock
) -> AsyncIterator[None]:
    """Begins the deletion of a store or, once every process has seen that, removes the store."""
    if request.state == "waiting":
        await db.write(_begin_deletion, store_id, request.id, clock)
        return
    store = await db.read(_find_store, store_id)
    async for _ in store_deletion.remove_store(db, store):
        yield None
    log.info("store_deleted", store=store.handle, request=request.id)


# rule: clock-guard
async def _begin_deletion(
    tx: Writer, store_id: str, request_id: str, clock: ReferenceClock
) -> None:
    await stores.lock(tx)
    now = await clock.checked_now(tx)
    params = {"due": ids.timestamp(now + stores.PROPAGATION_MS), "now": ids.timestamp(now)}
    if await tx.one("request_deletes", store=store_id, id=request_id, **params) is not None:
        store = await _find_store(tx, store_id)
        await store_deletion.begin(tx, store.handle, ids.timestamp(now))


async def _has_due_requests(run: Run) -> bool:
    return bool(await run.db.read(find_due_requests, run.clock()))


# rule: privacy-requests
async def _run_job(run: Run) -> None:
    from wishwell.telemetry import metrics  # slow to import, and commands don't need it

    journal.actor.set("platform")
    failed_ids = set[str]()
    async for customer in process_due(run.db, run.clock, failed_ids):
        if customer is not None:
            metrics.ERASED.inc()
        await run.pause()
    purge.check_removed(failed_ids)


JOB = Job("requests", 5.0, _run_job, lease_seconds=5.0, is_due=_has_due_requests)
