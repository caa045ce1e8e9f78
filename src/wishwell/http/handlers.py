"""The operations on items and lists: each decodes its input, calls a noun, encodes the answer."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any, Literal, TypeVar

from wishwell import ids, profiles, stores
from wishwell.errors import Forbidden, Invalid, NotFound
from wishwell.http import bodies, responses, wire
from wishwell.http.context import Request, Services
from wishwell.http.responses import Response
from wishwell.profiles import Profile, WholeStore, pages
from wishwell.wishes import items, lists
from wishwell.wishes.items import Item
from wishwell.wishes.lists import List

T = TypeVar("T")
Noun = Literal["item", "list"]
Handler = Callable[[Services, Request], Awaitable[Response]]

PREFIX = "/api/2025-04"

_PAGE_OF_ITEMS = frozenset({"page", "limit", "query"})
PAGE = frozenset({"page", "limit"})
_NONE: frozenset[str] = frozenset()


# ------------------------------------------------------------------------------------- items


async def list_items(service: Services, request: Request) -> Response:
    asked, binding = page_request(service, request, "items", _PAGE_OF_ITEMS)
    found = await service.db.read(items.page, request.scope, asked)
    _show(found.records, request)
    return page(service, found, binding)


async def create_item(service: Services, request: Request) -> Response:
    profile = new_owner(request)
    new = (await bodies.decode(service, request, wire.NewItemBody)).new_item(request.store)
    await begin(request)
    item, created = await service.db.write(
        items.save, profile, new, service.new_id(), bounds(service, request), service.now()
    )
    _show([item], request)
    if not created:  # contract: save-status
        return responses.record(item)
    return responses.created(item, f"{PREFIX}/items/{item.id}")


async def delete_items(service: Services, request: Request) -> Response:
    known = wire.parameters(request.query_string, frozenset({"itemIds"}))
    raw = await bodies.read(service, request)
    if raw and known:  # contract: items-delete-query
        raise Invalid("itemIds: is in the body and in the query; send only one of them.")
    if known:
        chosen = wire.item_ids(known["itemIds"])
    elif raw:
        chosen = bodies.decoded(request, raw, wire.ItemIdsBody).item_ids
    else:
        raise Invalid("itemIds: is required, in the body or as ?itemIds=a,b.")
    scope = request.scope
    if isinstance(scope, WholeStore):
        sessions = await service.db.read(profiles.sessions_owning, scope, chosen)
        await service.access_cache.touch_now(sessions)
    await service.db.write(items.delete_many, scope, chosen, service.now())
    return responses.no_content()


async def get_item(service: Services, request: Request) -> Response:
    id = id_of(request)
    owner, item = await owned(
        service, request, lambda owner: service.db.read(items.find, owner, id)
    )
    _show([item], request, owner)
    return responses.record(item)


async def update_item(service: Services, request: Request) -> Response:
    id = id_of(request)
    patch = (await bodies.decode(service, request, wire.ItemPatchBody)).patch(request.store)
    now = service.now()
    owner, item = await owned(
        service, request, lambda owner: service.db.write(items.change, owner, id, patch, now)
    )
    _show([item], request, owner)
    return responses.record(item)


async def delete_item(service: Services, request: Request) -> Response:
    id, now = id_of(request), service.now()
    await owned(service, request, lambda owner: service.db.write(items.delete, owner, id, now))
    return responses.no_content()


async def set_item_lists(service: Services, request: Request) -> Response:
    id = id_of(request)
    chosen = wire.list_ids((await bodies.decode(service, request, wire.ItemListsBody)).list_ids)
    most, now = bounds(service, request), service.now()
    owner, item = await owned(
        service,
        request,
        lambda owner: service.db.write(items.set_lists, owner, id, chosen, most, now),
    )
    _show([item], request, owner)
    return responses.record(item)


# ------------------------------------------------------------------------------------- lists


async def list_lists(service: Services, request: Request) -> Response:
    asked, binding = page_request(service, request, "lists", PAGE)
    found = await service.db.read(lists.page, request.scope, asked)
    return page(service, found, binding)


async def create_list(service: Services, request: Request) -> Response:
    profile = new_owner(request)
    name = lists.check_name((await bodies.decode(service, request, wire.NewListBody)).name)
    await begin(request)
    made = await service.db.write(
        lists.create, profile, name, service.new_id(), bounds(service, request), service.now()
    )
    return responses.created(made, f"{PREFIX}/lists/{made.id}")


async def get_list(service: Services, request: Request) -> Response:
    known = wire.parameters(request.query_string, frozenset({"sort"}))
    sort, (_, id) = wire.sort(known.get("sort")), named(request)
    owner, found = await owned(
        service, request, lambda owner: service.db.read(lists.find, owner, id, sort)
    )
    return responses.record(_show_list(found, request, owner))


async def update_list(service: Services, request: Request) -> Response:
    id = id_of(request)
    body = await bodies.decode(service, request, wire.ListPatchBody)
    name = lists.check_name(body.name) if isinstance(body.name, str) else None
    now = service.now()
    owner, found = await owned(
        service, request, lambda owner: service.db.write(lists.rename, owner, id, name, now)
    )
    return responses.record(_show_list(found, request, owner))


async def delete_list(service: Services, request: Request) -> Response:
    id, now = id_of(request), service.now()
    await owned(service, request, lambda owner: service.db.write(lists.delete, owner, id, now))
    return responses.no_content()


async def order_list_items(service: Services, request: Request) -> Response:
    id = id_of(request)
    chosen = (await bodies.decode(service, request, wire.ItemOrderBody)).item_ids
    now = service.now()
    owner, found = await owned(
        service, request, lambda owner: service.db.write(lists.order, owner, id, chosen, now)
    )
    return responses.record(_show_list(found, request, owner))


# -------------------------------------------------------------------------------- what they share


# contract: token-admin-only
async def check_admin(service: Services, request: Request) -> None:
    """Raises ``Forbidden`` for a profile token, or what ends its session."""
    assert request.caller is not None
    if request.caller.profile is not None:
        # That the session has ended takes precedence over any other error.
        await service.db.read(profiles.check_open, request.caller.profile)
        raise Forbidden("This needs an admin token.")


def new_owner(request: Request, why: str = "a new record needs an owner") -> Profile:
    """The profile that will own a new record. Raises ``Invalid`` if none is named."""
    wire.parameters(request.query_string, _NONE)
    if not isinstance(request.scope, Profile):  # contract: whole-store-create
        raise Invalid(f"Profile: is required with an admin token; {why}.")
    return request.scope


async def begin(request: Request) -> None:
    """Creates the owner of a first record. What was refused until now makes no session."""
    if request.begin is not None:
        await request.begin(request)
        request.begin = None


def bounds(service: Services, request: Request) -> stores.Bounds:
    return stores.bounds(request.store, service.settings)


def named(request: Request) -> tuple[Noun, str]:
    """The record that the path begins with: what it is, and its id."""
    name, id = next(iter(request.parameters.items()))
    noun: Noun = "list" if name == "listId" else "item"
    if not ids.is_uuid(id):  # contract: record-id
        raise NotFound(f"There is no such {noun}.")
    return noun, id


def id_of(request: Request) -> str:
    """The id of the record, for a request without query parameters."""
    wire.parameters(request.query_string, _NONE)
    return named(request)[1]


async def owned(
    service: Services, request: Request, act: Callable[[Profile], Awaitable[T]]
) -> tuple[Profile, T]:
    """Calls ``act`` with the profile, or for a whole store with the owner of the record.

    A link may move the record between the two steps. Then the owner is looked up once more.
    """
    scope = request.scope
    if isinstance(scope, Profile):
        return scope, await act(scope)
    for last in (False, True):
        owner = await service.db.read(profiles.owner, scope, *named(request))
        if owner.is_session and not request.reads:
            await service.access_cache.touch_now([owner.id])
        try:
            return owner, await act(owner)
        except NotFound:
            if last:
                raise
    raise AssertionError("unreachable")


def _show(found: Collection[Item], request: Request, owner: Profile | None = None) -> None:
    """Completes items for their caller: ids of the store's kind, for a whole store the owner."""
    items.show(found, text_ids=request.store.has_text_ids)
    if owner is not None and isinstance(request.scope, WholeStore):
        for item in found:
            item.profile = owner.gid


def _show_list(found: List, request: Request, owner: Profile) -> List:
    if isinstance(request.scope, WholeStore):
        found.profile = owner.gid
    _show(found.items or (), request, owner)
    return found


def page_request(
    service: Services, request: Request, noun: str, known: frozenset[str]
) -> tuple[pages.PageRequest, str]:
    """The page that is asked for, and the text that its cursors are bound to."""
    given = wire.parameters(request.query_string, known)
    limit = wire.limit(given.get("limit"))
    asked = wire.query(given.get("query"), request.store)
    scope = request.scope
    owner = scope.id if isinstance(scope, Profile) else ""
    binding = f"{scope.store.id}|{owner}|{noun}|{asked.terms!r}"
    return pages.PageRequest(cursor(service, given, binding), limit, asked), binding


def cursor(service: Services, given: dict[str, str], binding: str) -> pages.Cursor | None:
    """The cursor among the query parameters, if there is one. Raises ``Invalid``."""
    text = given.get("page")
    return None if text is None else service.cursor_signer.verify(text, binding)


def page(service: Services, found: pages.Page[Any], binding: str) -> Response:
    """A page, with the cursors of those beside it."""
    return responses.page(found.records, service.cursor_signer.links(found, binding))
