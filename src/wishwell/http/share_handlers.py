"""The operations on shares, for a list's owner, and on shared lists, for whoever has a link."""

from wishwell import ids
from wishwell.http import bodies, handlers, responses, wire
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.profiles import Profile
from wishwell.wishes import copies, reserving, shares
from wishwell.wishes.copies import Wanted
from wishwell.wishes.shares import Finder

# ------------------------------------------------------------------------------- for the owner


async def list_shares(request: Request) -> Response:
    id = request.parameters["listId"]
    asked, binding = handlers.page_request(request, f"shares|{id}")
    page = await handlers.owned(request, shares.page, id, asked.cursor, asked.limit)
    return handlers.answer_page(request, page, binding)


async def create_share(request: Request) -> Response:
    list_id, service = request.parameters["listId"], request.service
    now = service.now()
    terms = (await bodies.optional(request, wire.ShareBody)).terms(now)
    id, token = service.new_id(), shares.new_token()
    made = await handlers.owned(request, shares.create, list_id, terms, id, token, now)
    return responses.created(made)


async def update_share(request: Request) -> Response:
    terms = (await bodies.decode(request, wire.ShareBody)).terms(request.service.now())
    list_id, id = request.parameters.values()
    return responses.record(await handlers.owned(request, shares.change, list_id, id, terms))


async def delete_share(request: Request) -> Response:
    list_id, id = request.parameters.values()
    await handlers.owned(request, shares.delete, list_id, id)
    return responses.no_content()


# ------------------------------------------------------------------------------- for everybody


async def get_shared_list(request: Request) -> Response:
    service, token = request.service, request.parameters["token"]
    reader = request.acts_on if isinstance(request.acts_on, Profile) else None
    finder = await _finder(request)
    return responses.record(
        await service.db.read(shares.view, finder, token, reader, service.now())
    )


# contract: copy-list
async def copy_shared_list(request: Request) -> Response:
    caller, service = handlers.new_owner(request), request.service
    name = (await bodies.optional(request, wire.CopyBody)).checked_name()
    finder, token = await _finder(request), request.parameters["token"]
    await _begin(request, finder)
    wanted = Wanted(service.new_id(), name)
    made = await service.db.write(
        copies.copy, finder, token, caller, wanted, service.new_id, request.bounds, service.now()
    )
    return responses.created(made, f"{handlers.PREFIX}/lists/{made.id}")


# contract: reserve-caller
async def reserve_shared_item(request: Request) -> Response:
    holder, service = handlers.new_owner(request), request.service
    quantity = (await bodies.decode(request, wire.ReservationBody)).quantity
    finder, token = await _finder(request), request.parameters["token"]
    await _begin(request, finder)
    reserved = await service.db.write(
        reserving.reserve, finder, token, _item_id(request), holder, quantity, service.now()
    )
    return responses.record(reserved)


async def delete_reservation(request: Request) -> Response:
    holder, token = handlers.new_owner(request), request.parameters["token"]
    await request.service.db.write(reserving.give_back, token, _item_id(request), holder)
    return responses.no_content()


def _item_id(request: Request) -> str:
    id = request.parameters["itemId"]
    # contract: record-id. Whether the link is good comes first.
    return id if ids.is_uuid(id) else ids.NO_UUID


async def _begin(request: Request, finder: Finder) -> None:
    """``handlers.begin``, but a wrong token begins no session."""
    if request.begin is not None:
        token, service = request.parameters["token"], request.service
        await service.db.read(shares.resolve, finder, token, service.now())
        await handlers.begin(request)


# contract: store-isolation
async def _finder(request: Request) -> Finder:
    """What finds the shares of a store: the caller's, the shop's, or without both of any."""
    service = request.service
    if request.caller is not None:
        store = request.caller.store
    elif request.visit is not None:
        store = request.visit.store
    else:
        await service.access_cache.ensure_fresh()
        return Finder(service.access_cache.store, service.share_places)
    return Finder({store.id: store}.get, service.share_places)
