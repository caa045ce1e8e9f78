"""Handlers for shares (for a list's owner) and for shared lists (for anyone with the link)."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from wishwell.errors import no_record
from wishwell.http import queries, request_body, request_types, responding, responses
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import shown
from wishwell.profiles import Profile
from wishwell.profiles.pages import Page
from wishwell.wishlists import copies, items, reservations, share_pages, shares
from wishwell.wishlists.copies import NewList
from wishwell.wishlists.shares import Share, ShareLookup

T = TypeVar("T")
S = TypeVar("S", Share, Page[Share])

_OF = ("wishlist", "all")

# ------------------------------------------------------------------------------- for the owner


# A path without a list is about the whole wishlist or, with a share's id, about any share.
async def _run_as_owner(
    request: Request, use_case: Callable[..., Awaitable[T]], *arguments: Any
) -> T:
    if "listId" in request.parameters:
        return await responding.run_as_owner(request, use_case, *arguments)
    owner = responding.new_owner(request, "this operation acts on one profile")
    if owner.is_nobody:  # rule: storefront-visitor
        raise no_record("share")
    list_id = None if "shareId" in request.parameters else shares.WHOLE
    return await request.run(use_case, owner, list_id, *arguments)


# rule: share-url
def _with_urls(request: Request, answer: S) -> S:
    """Sets the addresses of a share or of a page of shares, and returns it."""
    base = request.service.settings.storefront_base
    records = answer.records if isinstance(answer, Page) else [answer]
    share_pages.set_urls(request.store, base, records)
    return answer


# rule: share-all
async def list_shares(request: Request) -> object:
    of_all = queries.choice(request.query, "of", _OF) == "all"
    noun = "shares|all" if of_all else f"shares|{request.parameters.get('listId', '')}"
    page_request = responding.parse_page_request(request, noun)
    if not request.parameters and isinstance(request.scope, Profile) and request.scope.is_nobody:
        return Page([], None, None)
    if of_all:
        owner = responding.new_owner(request, "this operation acts on one profile")
        return _with_urls(request, await request.run(share_pages.page_all, owner, page_request))
    return _with_urls(request, await _run_as_owner(request, share_pages.page, page_request))


async def create_share(request: Request) -> Response:
    now, id, token = request.now(), request.service.new_id(), shares.new_token()
    terms = (await request_body.decode(request, request_types.NewShareBody, optional=True)).terms(
        now
    )
    await responding.create_profile(request)
    share = await _run_as_owner(request, shares.create, terms, id, token, now)
    return responses.created(_with_urls(request, share))


async def update_share(request: Request) -> object:
    body = await request_body.decode(request, request_types.ShareBody, find=_get_share)
    share = await _run_as_owner(
        request, shares.change, request.parameters["shareId"], body.terms(request.now())
    )
    return _with_urls(request, share)


async def _get_share(request: Request) -> object:
    share = await _run_as_owner(request, shares.find, request.parameters["shareId"])
    return _with_urls(request, share)


async def delete_share(request: Request) -> None:
    await _run_as_owner(request, shares.delete, request.parameters["shareId"])


# ------------------------------------------------------------------------------- for everybody


async def get_shared_list(request: Request) -> object:
    reader = request.acts_on if isinstance(request.acts_on, Profile) else None
    include = shown.include if queries.include(request.query) else None
    lookup, token = await _share_lookup(request), request.parameters["token"]
    return await request.run(shares.view, lookup, token, reader, request.now(), include=include)


# rule: copy-list
async def copy_shared_list(request: Request) -> Response:
    caller, service = responding.new_owner(request), request.service
    fields = (await request_body.decode(request, request_types.CopyBody, optional=True)).patch()
    lookup, token = await _share_lookup(request), request.parameters["token"]
    await _create_profile(request, lookup)
    new_list = NewList(service.new_id(), fields)
    new_id, limits, now = service.new_id, request.size_limits, request.now()
    copy = await request.run(copies.copy, lookup, token, caller, new_list, new_id, limits, now)
    return responses.created(copy, f"{responding.PREFIX}/lists/{copy.id}")


# rule: reserve-quantity
async def reserve_shared_item(request: Request) -> object:
    holder, id = responding.new_owner(request), request.parameters["itemId"]
    quantity = (await request_body.decode(request, request_types.ReservationBody)).quantity
    lookup, token = await _share_lookup(request), request.parameters["token"]
    await _create_profile(request, lookup)
    use_case, now = reservations.reserve, request.now()
    return await request.run(use_case, lookup, token, id, holder, quantity, now)


# rule: reserve-list
async def list_reservations(request: Request) -> object:
    include = queries.include(request.query)
    holder = responding.new_owner(request, "this operation acts on one profile")
    if holder.is_nobody:  # rule: storefront-visitor
        return []
    reserved_items = await request.run(reservations.find_held, holder)
    if include:
        await request.service.db.read(shown.include, request.store, reserved_items)
    items.show(reserved_items, text_ids=request.store.has_text_ids)
    return reserved_items


async def delete_reservation(request: Request) -> None:
    holder, (token, id) = responding.new_owner(request), request.parameters.values()
    if holder.is_nobody:  # rule: storefront-visitor
        raise no_record("reservation")
    await request.run(reservations.cancel, token, id, holder)


async def _create_profile(request: Request, lookup: ShareLookup) -> None:
    """Like ``responding.create_profile``, but checks the share's token before it creates a
    session."""
    if request.create_profile is not None:
        token = request.parameters["token"]
        await request.service.db.read(shares.resolve, lookup, token, request.now())
        await responding.create_profile(request)


# rule: store-isolation
async def _share_lookup(request: Request) -> ShareLookup:
    """Returns the lookup for shares in the caller's or shop's store, or else in any store."""
    service = request.service
    if request.caller is not None:
        store = request.caller.store
    elif request.visit is not None:
        store = request.visit.store
    else:
        await service.access_cache.ensure_fresh()
        return ShareLookup(service.access_cache.store, service.share_locations)
    return ShareLookup({store.id: store}.get, service.share_locations)
