"""The operations on shares, for a list's owner, and on shared lists, for whoever has a link."""

from collections.abc import Awaitable
from typing import TypeVar

from wishwell import ids
from wishwell.errors import NotFound, UnknownShare
from wishwell.http import bodies, handlers, per_address, responses, share_bodies, wire
from wishwell.http.context import Request, Services
from wishwell.http.responses import Response
from wishwell.profiles import Profile, WholeStore
from wishwell.wishes import copies, lists, reservations, shares
from wishwell.wishes.copies import Wanted
from wishwell.wishes.shares import Finder, Share

T = TypeVar("T")


# ------------------------------------------------------------------------------- for the owner


async def list_shares(service: Services, request: Request) -> Response:
    given = wire.parameters(request.query_string, handlers.PAGE)
    limit, (_, id) = wire.limit(given.get("limit")), handlers.named(request)
    scope = request.scope
    owned = scope.id if isinstance(scope, Profile) else ""
    binding = f"{scope.store.id}|{owned}|shares|{id}"
    cursor = handlers.cursor(service, given, binding)
    owner, found = await handlers.owned(
        service, request, lambda owner: service.db.read(shares.page, owner, id, cursor, limit)
    )
    for share in found.records:
        _show(share, request, owner)
    return handlers.page(service, found, binding)


async def create_share(service: Services, request: Request) -> Response:
    list_id, now = handlers.id_of(request), service.now()
    terms = (await bodies.optional(service, request, share_bodies.ShareBody)).terms(now)
    id, token = service.new_id(), shares.new_token()
    owner, made = await handlers.owned(
        service,
        request,
        lambda owner: service.db.write(shares.create, owner, list_id, terms, id, token, now),
    )
    _show(made, request, owner)
    return responses.created(made)


async def update_share(service: Services, request: Request) -> Response:
    list_id, id = _ids(request)
    terms = (await bodies.decode(service, request, share_bodies.ShareBody)).terms(service.now())
    owner, changed = await handlers.owned(
        service, request, lambda owner: service.db.write(shares.change, owner, list_id, id, terms)
    )
    _show(changed, request, owner)
    return responses.record(changed)


async def delete_share(service: Services, request: Request) -> Response:
    list_id, id = _ids(request)
    await handlers.owned(
        service, request, lambda owner: service.db.write(shares.delete, owner, list_id, id)
    )
    return responses.no_content()


def _ids(request: Request) -> tuple[str, str]:
    """The list and the share that the path names."""
    list_id, id = handlers.id_of(request), request.parameters["shareId"]
    if not ids.is_uuid(id):  # contract: record-id
        raise NotFound("There is no such share of this list.")
    return list_id, id


def _show(share: Share, request: Request, owner: Profile) -> None:
    if isinstance(request.scope, WholeStore):
        share.profile = owner.gid


# ------------------------------------------------------------------------------- for everybody


async def get_shared_list(service: Services, request: Request) -> Response:
    wire.parameters(request.query_string, frozenset())
    reader = request.acts_on if isinstance(request.acts_on, Profile) else None
    finder = await _finder(service, request)
    token, now = request.parameters["token"], service.now()
    found = await _found(service, request, service.db.read(shares.view, finder, token, reader, now))
    return responses.record(found)


# contract: copy-list
async def copy_shared_list(service: Services, request: Request) -> Response:
    caller = handlers.new_owner(request)
    body = await bodies.optional(service, request, share_bodies.CopyBody)
    name = lists.check_name(body.name) if isinstance(body.name, str) else None
    finder = await _finder(service, request)
    token = request.parameters["token"]
    await _begin(service, request, finder)
    wanted, most = Wanted(service.new_id(), name), handlers.bounds(service, request)
    copy = service.db.write(
        copies.copy, finder, token, caller, wanted, service.new_id, most, service.now()
    )
    made = await _found(service, request, copy)
    return responses.created(made, f"{handlers.PREFIX}/lists/{made.id}")


# contract: reserve-caller
async def reserve_shared_item(service: Services, request: Request) -> Response:
    holder, id = handlers.new_owner(request), _item_id(request)
    quantity = (await bodies.decode(service, request, share_bodies.ReservationBody)).quantity
    finder, token = await _finder(service, request), request.parameters["token"]
    await _begin(service, request, finder)
    now = service.now()
    reserve = service.db.write(reservations.reserve, finder, token, id, holder, quantity, now)
    return responses.record(await _found(service, request, reserve))


async def delete_reservation(service: Services, request: Request) -> Response:
    holder, id = handlers.new_owner(request), _item_id(request)
    token = request.parameters["token"]
    give_back = service.db.write(reservations.give_back, token, id, holder)
    await _found(service, request, give_back)
    return responses.no_content()


def _item_id(request: Request) -> str:
    id = request.parameters["itemId"]
    # contract: record-id. Whether the link is good comes first.
    return id if ids.is_uuid(id) else ids.NO_UUID


async def _begin(service: Services, request: Request, finder: Finder) -> None:
    """``handlers.begin``, but a wrong token begins no session."""
    if request.begin is not None:
        token, now = request.parameters["token"], service.now()
        await _found(service, request, service.db.read(shares.resolve, finder, token, now))
        await handlers.begin(request)


# contract: store-isolation
async def _finder(service: Services, request: Request) -> Finder:
    """What finds the shares of a store: the caller's, the shop's, or without both of any."""
    if request.caller is not None:
        store = request.caller.store
    elif request.visit is not None:
        store = request.visit.store
    else:
        await service.access_cache.ensure_fresh()
        return Finder(service.access_cache.store, service.share_places)
    return Finder({store.id: store}.get, service.share_places)


# contract: shared-guess
async def _found(service: Services, request: Request, work: Awaitable[T]) -> T:
    """The outcome. A token that leads nowhere counts as a request without a token does.

    But for an admin token, whose server asks for many.
    """
    try:
        return await work
    except UnknownShare:
        if request.caller is None or request.caller.profile is not None:
            await per_address.count_guess(service, request)
        raise
