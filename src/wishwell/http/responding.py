"""Handlers for items and lists, and helpers for all handlers.

A handler decodes its input and calls a use-case; it holds no rules.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from wishwell import profiles
from wishwell.errors import Forbidden, Invalid, NotFound
from wishwell.http import queries, request_body, request_types, responses
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import shown
from wishwell.profiles import Profile, WholeStore
from wishwell.profiles.pages import Page, PageRequest
from wishwell.profiles.search import Search, parse
from wishwell.wishlists import fields, items, lists, saving
from wishwell.wishlists.items import Item
from wishwell.wishlists.lists import List
from wishwell.wishlists.shares import Share

P = ParamSpec("P")
T = TypeVar("T")
Handler = Callable[[Request], Awaitable[object]]
"""Returns a record, a ``Page``, a ``Response`` or ``None``; ``answer`` makes the response."""

PREFIX = "/api/2025-04"


# ------------------------------------------------------------------------------------- items


async def list_items(request: Request) -> object:
    use_case = shown.page if queries.include(request.query) else items.page
    page = await request.run(use_case, request.scope, asked_page(request, "items"))
    return _shown(page, request)


async def create_item(request: Request) -> object:
    profile = new_owner(request)
    new = (await request_body.decode(request, request_types.NewItemBody)).new_item(request.store)
    await begin(request)
    id, bounds, now = request.service.new_id(), request.bounds, request.now()
    item, created = await request.run(saving.save, profile, new, id, bounds, now)
    _shown(item, request)
    # contract: save-status
    return responses.created(item, f"{PREFIX}/items/{item.id}") if created else item


async def save_items(request: Request) -> object:
    profile = new_owner(request)
    wanted = (await request_body.decode(request, request_types.NewItemsBody)).new_items(
        request.store
    )
    await begin(request)
    # contract: items-put-new
    new_ids = [request.service.new_id() for _ in wanted][::-1]
    bounds, now = request.bounds, request.now()
    saved = await request.run(saving.save_many, profile, wanted, new_ids, bounds, now)
    items.show(saved, text_ids=request.store.has_text_ids)
    return saved


async def delete_items(request: Request) -> None:
    service, scope, listed = request.service, request.scope, "itemIds" in request.query
    raw = await request_body.read(request)
    if bool(raw) == listed:  # contract: items-delete-query
        raise Invalid(
            "itemIds: is required, either in the body or as ?itemIds=a,b, but not in both."
        )
    if listed:
        chosen = queries.several(request.query, "itemIds")
    else:
        chosen = request_body.decoded(request, raw, request_types.ItemIdsBody).item_ids
    if isinstance(scope, WholeStore):
        sessions = await service.db.read(profiles.sessions_owning, scope, chosen)
        await service.access_cache.touch_now(sessions)
    await request.run(items.delete_many, scope, chosen, request.now())


async def get_item(request: Request) -> object:
    find = shown.including(items.find) if queries.include(request.query) else items.find
    return await owned(request, find)


async def update_item(request: Request) -> object:
    patch = (await request_body.decode(request, request_types.ItemPatchBody)).patch(request.store)
    return await owned(request, saving.change, patch, request.now())


async def delete_item(request: Request) -> None:
    await owned(request, items.delete, request.now())


async def set_item_lists(request: Request) -> object:
    body = await request_body.decode(request, request_types.ItemListsBody)
    chosen = fields.each_once("listIds", body.list_ids)
    return await owned(request, items.set_lists, chosen, request.bounds, request.now())


# ------------------------------------------------------------------------------------- lists


async def list_lists(request: Request) -> object:
    return await request.run(lists.page, request.scope, asked_page(request, "lists"))


async def create_list(request: Request) -> Response:
    profile = new_owner(request)
    new = (await request_body.decode(request, request_types.NewListBody)).new_list()
    await begin(request)
    id, bounds, now = request.service.new_id(), request.bounds, request.now()
    made = await request.run(lists.create, profile, new, id, bounds, now)
    return responses.created(made, f"{PREFIX}/lists/{made.id}")


async def get_list(request: Request) -> object:
    sort = queries.choice(request.query, "sort", lists.SORTS)
    find = shown.including(lists.find) if queries.include(request.query) else lists.find
    return await owned(request, find, sort)


async def update_list(request: Request) -> object:
    patch = (await request_body.decode(request, request_types.ListPatchBody)).patch()
    return await owned(request, lists.change, patch, request.now())


async def delete_list(request: Request) -> None:
    await owned(request, lists.delete, request.now())


async def order_list_items(request: Request) -> object:
    chosen = (await request_body.decode(request, request_types.ItemOrderBody)).item_ids
    return await owned(request, lists.order, chosen, request.now())


async def put_list_item(request: Request) -> object:
    after = (await request_body.decode(request, request_types.PlaceBody, optional=True)).after
    item_id, bounds = request.parameters["itemId"], request.bounds
    return await owned(request, lists.put_item, item_id, after, bounds, request.now())


async def remove_list_item(request: Request) -> None:
    item_id, bounds = request.parameters["itemId"], request.bounds
    await owned(request, lists.remove_item, item_id, bounds, request.now())


# ---------------------------------------------------------------------------- shared by handlers


# contract: token-admin-only
def check_admin(request: Request) -> None:
    """Raises ``Forbidden`` for a profile token."""
    if request.caller is None or request.caller.profile is not None:
        raise Forbidden("This operation requires an admin token.")


def new_owner(request: Request, why: str = "a new record needs an owner") -> Profile:
    """Returns the profile that will own a new record. Raises ``Invalid`` for the whole store.

    ``why`` ends the error message.
    """
    if not isinstance(request.scope, Profile):  # contract: whole-store-create
        raise Invalid(f"Profile: is required with an admin token; {why}.")
    return request.scope


async def begin(request: Request) -> None:
    """Creates a new visitor's session before its first write.

    Called after all checks, so that a refused request leaves no session behind.
    """
    if request.begin is not None:
        await request.begin(request)
        request.begin = None


async def owned(
    request: Request,
    use_case: Callable[Concatenate[Any, Profile, str, P], Awaitable[T]],
    *arguments: P.args,
    **named: P.kwargs,
) -> T:
    """Runs a use-case on the record of the first id in the path, as the record's owner.

    For the whole store the owner is looked up first. A sign-in may move the record to another
    owner in between, so the lookup is retried once. Returns the result, completed for the caller.
    """
    scope, service = request.scope, request.service
    name, id = next(iter(request.parameters.items()))
    if isinstance(scope, Profile):
        return _shown(await request.run(use_case, scope, id, *arguments, **named), request)
    for last in (False, True):
        owner = await service.db.read(
            profiles.owner, scope, "list" if name == "listId" else "item", id
        )
        if owner.is_session and not request.reads:
            await service.access_cache.touch_now([owner.id])
        try:
            found = await request.run(use_case, owner, id, *arguments, **named)
            return _shown(found, request, owner)
        except NotFound:
            if last:
                raise
    raise AssertionError("unreachable")


def _shown(result: T, request: Request, owner: Profile | None = None) -> T:
    """Completes records for the caller: converts product ids to the store's type, adds the owner.

    The owner is given only for whole-store requests.
    """
    records: list[Any] = list(result.records) if isinstance(result, Page) else [result]
    if isinstance(result, List):
        records += result.items or ()
    items.show(
        [record for record in records if isinstance(record, Item)],
        text_ids=request.store.has_text_ids,
    )
    if owner is not None:
        for record in records:
            if isinstance(record, Item | List | Share):
                record.profile = owner.gid
    return result


def asked_page(request: Request, noun: str) -> PageRequest:
    """Returns the requested page: cursor, limit and search (pagination). Raises ``Invalid``.

    Binds cursors to the store, owner, ``noun`` and search, so that they work for no other request.
    """
    given, scope = request.query, request.scope
    limit = queries.limit(given.get("limit"))
    search = parse(given["query"], request.store, noun) if "query" in given else Search()
    owner = scope.id if isinstance(scope, Profile) else ""
    request.walk = f"{scope.store.id}|{owner}|{noun}|{search!r}"
    text, signer = given.get("page"), request.service.cursor_signer
    cursor = None if text is None else signer.verify(text, request.walk)
    return PageRequest(cursor, limit, search)


def answer(request: Request, found: object) -> Response:
    """Returns the response for a handler's result: a record, a page, a response or ``None``."""
    if isinstance(found, Response):
        return found
    if found is None:
        return responses.no_content()
    if isinstance(found, Page):
        links = request.service.cursor_signer.links(found, request.walk)
        return responses.page(found.records, links)
    return responses.record(found)
