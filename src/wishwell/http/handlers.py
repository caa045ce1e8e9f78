"""The operations on items and lists: each decodes its input, calls a noun, encodes the answer."""

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from wishwell import profiles
from wishwell.errors import Forbidden, Invalid, NotFound
from wishwell.http import bodies, responses, wire
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import shown
from wishwell.profiles import Profile, WholeStore, pages
from wishwell.profiles.search import Search, parse
from wishwell.wishes import fields, items, lists, saving
from wishwell.wishes.items import Item
from wishwell.wishes.lists import List
from wishwell.wishes.shares import Share

P = ParamSpec("P")
T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]

PREFIX = "/api/2025-04"


# ------------------------------------------------------------------------------------- items


async def list_items(request: Request) -> Response:
    asked, binding = page_request(request, "items")
    use_case = shown.page if _includes(request) else items.page
    page = await request.run(use_case, request.scope, asked)
    items.show(page.records, text_ids=request.store.has_text_ids)
    return answer_page(request, page, binding)


async def create_item(request: Request) -> Response:
    profile = new_owner(request)
    new = (await bodies.decode(request, wire.NewItemBody)).new_item(request.store)
    await begin(request)
    id, bounds, now = request.service.new_id(), request.bounds, request.now()
    item, created = await request.run(items.save, profile, new, id, bounds, now)
    _shown(item, request)
    if not created:  # contract: save-status
        return responses.record(item)
    return responses.created(item, f"{PREFIX}/items/{item.id}")


async def save_items(request: Request) -> Response:
    profile = new_owner(request)
    wanted = (await bodies.decode(request, wire.NewItemsBody)).new_items(request.store)
    await begin(request)
    # contract: items-put-new
    new_ids = [request.service.new_id() for _ in wanted][::-1]
    bounds, now = request.bounds, request.now()
    saved = await request.run(saving.save_many, profile, wanted, new_ids, bounds, now)
    items.show(saved, text_ids=request.store.has_text_ids)
    return responses.record(saved)


async def delete_items(request: Request) -> Response:
    service, scope, listed = request.service, request.scope, request.query.get("itemIds")
    raw = await bodies.read(request)
    if raw and listed is not None:  # contract: items-delete-query
        raise Invalid("itemIds: is in the body and in the query; send only one of them.")
    if listed is not None:
        chosen = wire.item_ids(listed)
    elif raw:
        chosen = bodies.decoded(request, raw, wire.ItemIdsBody).item_ids
    else:
        raise Invalid("itemIds: is required, in the body or as ?itemIds=a,b.")
    if isinstance(scope, WholeStore):
        sessions = await service.db.read(profiles.sessions_owning, scope, chosen)
        await service.access_cache.touch_now(sessions)
    await request.run(items.delete_many, scope, chosen, request.now())
    return responses.no_content()


async def get_item(request: Request) -> Response:
    find = shown.including(items.find) if _includes(request) else items.find
    return responses.record(await owned(request, find, request.parameters["itemId"]))


async def update_item(request: Request) -> Response:
    patch = (await bodies.decode(request, wire.ItemPatchBody)).patch(request.store)
    id, now = request.parameters["itemId"], request.now()
    return responses.record(await owned(request, items.change, id, patch, now))


async def delete_item(request: Request) -> Response:
    await owned(request, items.delete, request.parameters["itemId"], request.now())
    return responses.no_content()


async def set_item_lists(request: Request) -> Response:
    body = await bodies.decode(request, wire.ItemListsBody)
    chosen = fields.each_once("listIds", body.list_ids)
    id, now = request.parameters["itemId"], request.now()
    item = await owned(request, items.set_lists, id, chosen, request.bounds, now)
    return responses.record(item)


# ------------------------------------------------------------------------------------- lists


async def list_lists(request: Request) -> Response:
    asked, binding = page_request(request, "lists")
    page = await request.run(lists.page, request.scope, asked)
    return answer_page(request, page, binding)


async def create_list(request: Request) -> Response:
    profile = new_owner(request)
    name = lists.check_name((await bodies.decode(request, wire.NewListBody)).name)
    await begin(request)
    id, bounds, now = request.service.new_id(), request.bounds, request.now()
    made = await request.run(lists.create, profile, name, id, bounds, now)
    return responses.created(made, f"{PREFIX}/lists/{made.id}")


async def get_list(request: Request) -> Response:
    id, sort = request.parameters["listId"], wire.sort(request.query.get("sort"))
    find = shown.including(lists.find) if _includes(request) else lists.find
    return responses.record(await owned(request, find, id, sort))


async def update_list(request: Request) -> Response:
    name = (await bodies.decode(request, wire.ListPatchBody)).checked_name()
    id, now = request.parameters["listId"], request.now()
    return responses.record(await owned(request, lists.rename, id, name, now))


async def delete_list(request: Request) -> Response:
    await owned(request, lists.delete, request.parameters["listId"], request.now())
    return responses.no_content()


async def order_list_items(request: Request) -> Response:
    chosen = (await bodies.decode(request, wire.ItemOrderBody)).item_ids
    id, now = request.parameters["listId"], request.now()
    return responses.record(await owned(request, lists.order, id, chosen, now))


async def put_list_item(request: Request) -> Response:
    after = (await bodies.decode(request, wire.PlaceBody, optional=True)).after
    item_id, bounds, now = request.parameters["itemId"], request.bounds, request.now()
    list_id = request.parameters["listId"]
    item = await owned(request, lists.put_item, list_id, item_id, after, bounds, now)
    return responses.record(item)


async def remove_list_item(request: Request) -> Response:
    list_id, item_id = request.parameters.values()
    await owned(request, lists.remove_item, list_id, item_id, request.bounds, request.now())
    return responses.no_content()


# -------------------------------------------------------------------------------- what they share


def _includes(request: Request) -> bool:
    return wire.include(request.query.get("include"))


# contract: token-admin-only
def check_admin(request: Request) -> None:
    """Raises ``Forbidden`` for a profile token."""
    if request.caller is None or request.caller.profile is not None:
        raise Forbidden("This needs an admin token.")


def new_owner(request: Request, why: str = "a new record needs an owner") -> Profile:
    """The profile that will own a new record. Raises ``Invalid`` if none is named."""
    if not isinstance(request.scope, Profile):  # contract: whole-store-create
        raise Invalid(f"Profile: is required with an admin token; {why}.")
    return request.scope


async def begin(request: Request) -> None:
    """Creates the owner of a first record. What was refused until now makes no session."""
    if request.begin is not None:
        await request.begin(request)
        request.begin = None


async def owned(
    request: Request,
    use_case: Callable[Concatenate[Any, Profile, P], Awaitable[T]],
    *arguments: P.args,
    **named: P.kwargs,
) -> T:
    """Runs a use-case on the record that the path begins with, as its owner, and completes what
    that returns for the caller. For a whole store the owner is looked up.

    A link may move the record between the two steps. Then the owner is looked up once more.
    """
    scope, service = request.scope, request.service
    if isinstance(scope, Profile):
        return _shown(await request.run(use_case, scope, *arguments, **named), request)
    name, id = next(iter(request.parameters.items()))
    for last in (False, True):
        owner = await service.db.read(
            profiles.owner, scope, "list" if name == "listId" else "item", id
        )
        if owner.is_session and not request.reads:
            await service.access_cache.touch_now([owner.id])
        try:
            return _shown(await request.run(use_case, owner, *arguments, **named), request, owner)
        except NotFound:
            if last:
                raise
    raise AssertionError("unreachable")


def _shown(result: T, request: Request, owner: Profile | None = None) -> T:
    """Completes records for their caller: ids of the store's kind, for a whole store the owner."""
    records: list[Any] = list(result.records) if isinstance(result, pages.Page) else [result]
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


def page_request(request: Request, noun: str) -> tuple[pages.PageRequest, str]:
    """The page that is asked for, and the text that its cursors are bound to."""
    given, scope = request.query, request.scope
    limit = wire.limit(given.get("limit"))
    search = parse(given["query"], request.store, noun) if "query" in given else Search()
    owner = scope.id if isinstance(scope, Profile) else ""
    binding = f"{scope.store.id}|{owner}|{noun}|{search.terms!r}"
    return pages.PageRequest(cursor(request, binding), limit, search), binding


def cursor(request: Request, binding: str) -> pages.Cursor | None:
    """The place that the page begins at; None for the first."""
    text = request.query.get("page")
    return None if text is None else request.service.cursor_signer.verify(text, binding)


def answer_page(request: Request, page: pages.Page[Any], binding: str) -> Response:
    """A page, with the cursors of those beside it."""
    return responses.page(page.records, request.service.cursor_signer.links(page, binding))
