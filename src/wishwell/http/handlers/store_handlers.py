"""Handlers for the whole store: settings, admin tokens, products and the event feed."""

import contextlib
import math
import time
from typing import Annotated

import msgspec

from wishwell import __version__, events, products, stores, version
from wishwell.access import auth
from wishwell.contacts import mail_reports
from wishwell.errors import Conflict, Unavailable
from wishwell.field_types import published
from wishwell.http import queries, request_body, responding, responses, store_bodies
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import product_bodies, shown
from wishwell.profiles import WholeStore, pages
from wishwell.reports import store_status
from wishwell.reports.store_status import StoreStatus
from wishwell.stores import Store, StoreView
from wishwell.stores.placeholders import new_product_id

Resume = Annotated[
    str,
    published(
        "Resume",
        "A position in the feed, from which it continues.",
        pattern=r"^(?:0|[1-9][0-9]{0,17})$",
    ),
]


_RECENT_SECONDS = 3_600.0
"""Seconds for which a placeholder is a warning."""


class Feed(msgspec.Struct):
    """Events, and the position from which the feed continues."""

    data: Annotated[list[events.Event], published(maxItems=pages.MAX_SIZE)]
    resume: Resume


async def get_store(request: Request) -> object:
    return await _show(request, request.store)


async def _show(request: Request, store: Store) -> StoreView:
    shown_store = stores.with_effective_limits(store, request.service.settings)
    return await request.service.db.read(mail_reports.show_store, shown_store, request.now())


# rule: store-status
async def get_store_status(request: Request) -> object:
    service, store = request.service, request.store
    sends_mails = service.settings.mail == "on"
    warnings = await request.run(
        store_status.find_warnings, store, request.now(), sends_mails=sends_mails
    )
    logged_at = service.placeholders_logged.get(store.id, -math.inf)
    if time.monotonic() - logged_at < _RECENT_SECONDS:
        warnings.append("The shop sent a placeholder as a customer's id; see the log.")
    if service.sealing is None and store.hosts:
        warnings.insert(0, "The shop's pages are closed: WISHWELL_SEALING_KEYS is not set.")
    if service.clock.suspicion:
        warnings.insert(0, f"The time isn't plausible: {service.clock.suspicion}")
    if service.failing_jobs:
        names = ", ".join(sorted(service.failing_jobs))
        warnings.insert(0, f"Background jobs fail, and the log says why: {names}.")
    return StoreStatus(__version__, version.commit(), warnings[: store_status.MAX_WARNINGS])


# rules: store-patch, changes-take-effect
async def update_store(request: Request) -> object:
    body = await request_body.decode(request, store_bodies.StoreBody, find=get_store)
    service, store = request.service, request.store
    changed = await request.run(stores.update, store.handle, body.patch(store), request.now())
    with contextlib.suppress(Unavailable):  # the next periodic refresh sees it
        await service.access_cache.refresh()
    return await _show(request, changed)


async def list_tokens(request: Request) -> object:
    page_request = responding.parse_page_request(request, "tokens")
    return await request.run(
        auth.admin_tokens_page, request.store, _own_token_id(request), page_request
    )


# rule: token-revoked
async def revoke_token(request: Request) -> None:
    id = request.parameters["tokenId"]
    if id == _own_token_id(request):
        raise Conflict(
            "A token can't revoke itself. Use another admin token of the store.", "own_token"
        )
    await request.run(auth.revoke_admin_token, id, request.now(), request.store)


def _own_token_id(request: Request) -> str:
    assert request.caller is not None
    return request.caller.token_id


async def list_products(request: Request) -> object:
    # rule: search-terms. A search for a rare title scans all products.
    run = request.service.db.long_read if "query" in request.query else request.run
    page_request = responding.parse_page_request(request, "products")
    return await run(products.page, WholeStore(request.store), page_request)


async def put_products(request: Request) -> None:
    store, service = request.store, request.service
    new_products = (await request_body.decode(request, product_bodies.ProductsBody)).named(store)
    new_ids = [service.new_id() for _ in new_products]
    await request.run(products.put, store, new_products, new_ids, request.now())


async def get_product(request: Request) -> object:
    return await request.run(products.find, request.store, _product_id(request))


async def put_product(request: Request) -> object:
    store, new_id = request.store, request.service.new_id()
    id = new_product_id(store, "productId", store.shown_id(_product_id(request)))
    new_product = (await request_body.decode(request, product_bodies.ProductBody)).product(
        id, store
    )
    return await request.run(products.put_one, store, new_product, new_id, request.now())


async def delete_product(request: Request) -> None:
    id = _product_id(request)
    await request.run(products.delete, request.store, id, request.now())


def _product_id(request: Request) -> str:
    return product_bodies.product_id(request.parameters["productId"], request.store)


# rule: feed-once
async def list_events(request: Request) -> Response:
    query = request.query
    limit, types = queries.limit(query.get("limit")), queries.event_types(query.get("type"))
    from_latest = query.get("from") == "latest"
    after = None if from_latest else queries.resume(query.get("from"))
    feed = shown.feed if queries.include(query) else events.read_feed
    gid = query.get("profile")
    profile = None if gid is None else request.profile_of(gid, "profile")
    if from_latest:
        page = await request.run(events.read_feed_end, request.store)
    else:
        page = await request.run(feed, request.store, after, limit, types, profile)
    return responses.json(200, Feed(page.events, str(page.until)))
