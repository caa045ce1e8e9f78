"""The operations: each decodes its input, calls a module with the rules, and encodes the answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

from msgspec import UNSET, UnsetType

from wishwell import auth, ids, items, linking, lists, pages, profiles, stores
from wishwell.errors import BodyTimeout, Forbidden, Invalid, NotFound, TooLarge
from wishwell.http import metrics, responses, wire
from wishwell.http.context import Request, Services
from wishwell.http.responses import Response
from wishwell.items import Item
from wishwell.lists import List
from wishwell.profiles import Profile, Scope, WholeStore
from wishwell.stores import Store

T = TypeVar("T")
Noun = Literal["item", "list"]
Handler = Callable[[Services, Request], Awaitable[Response]]

PREFIX = "/api/2025-04"
MAX_BODY = 256 * 1024

_PAGE_OF_ITEMS = frozenset({"page", "limit", "query"})
_PAGE_OF_LISTS = frozenset({"page", "limit"})
_NONE: frozenset[str] = frozenset()


# ------------------------------------------------------------------------------------- items


async def list_items(service: Services, request: Request) -> Response:
    asked, binding = _page_request(service, request, "items", _PAGE_OF_ITEMS)
    found = await service.db.read(items.page, _scope(request), asked)
    for item in found.records:
        _show(item, request)
    return _page(service, found, binding)


async def create_item(service: Services, request: Request) -> Response:
    profile = _new_owner(request)
    new = (await _body(service, request, wire.NewItemBody)).new_item(_store(request))
    item, created = await service.db.write(
        items.save, profile, new, service.new_id(), _bounds(service, request), service.now()
    )
    _show(item, request)
    if not created:
        return responses.record(item)
    return responses.created(item, f"{PREFIX}/items/{item.id}")


async def delete_items(service: Services, request: Request) -> Response:
    known = wire.parameters(request.query_string, frozenset({"itemIds"}))
    raw = await _raw(service, request)
    if raw and known:
        raise Invalid("itemIds: is in the body and in the query; send only one of them.")
    if known:
        chosen = wire.item_ids(known["itemIds"])
    elif raw:
        chosen = _decoded(request, raw, wire.ItemIdsBody).item_ids
    else:
        raise Invalid("itemIds: is required, in the body or as ?itemIds=a,b.")
    scope = _scope(request)
    if isinstance(scope, WholeStore):
        sessions = await service.db.read(profiles.sessions_owning, scope, chosen)
        await service.access_cache.touch_now(sessions)
    await service.db.write(items.delete_many, scope, chosen)
    return responses.no_content()


async def get_item(service: Services, request: Request) -> Response:
    id = _id(request, "item")
    owner, item = await _owned(
        service, request, "item", lambda owner: service.db.read(items.find, owner, id)
    )
    return responses.record(_show(item, request, owner))


async def update_item(service: Services, request: Request) -> Response:
    id = _id(request, "item")
    patch = (await _body(service, request, wire.ItemPatchBody)).patch(_store(request))
    now = service.now()
    owner, item = await _owned(
        service,
        request,
        "item",
        lambda owner: service.db.write(items.change, owner, id, patch, now),
    )
    return responses.record(_show(item, request, owner))


async def delete_item(service: Services, request: Request) -> Response:
    id = _id(request, "item")
    await _owned(service, request, "item", lambda owner: service.db.write(items.delete, owner, id))
    return responses.no_content()


async def set_item_lists(service: Services, request: Request) -> Response:
    id = _id(request, "item")
    chosen = wire.list_ids((await _body(service, request, wire.ItemListsBody)).list_ids)
    bounds, now = _bounds(service, request), service.now()
    owner, item = await _owned(
        service,
        request,
        "item",
        lambda owner: service.db.write(items.set_lists, owner, id, chosen, bounds, now),
    )
    return responses.record(_show(item, request, owner))


# ------------------------------------------------------------------------------------- lists


async def list_lists(service: Services, request: Request) -> Response:
    asked, binding = _page_request(service, request, "lists", _PAGE_OF_LISTS)
    found = await service.db.read(lists.page, _scope(request), asked)
    return _page(service, found, binding)


async def create_list(service: Services, request: Request) -> Response:
    profile = _new_owner(request)
    name = lists.check_name((await _body(service, request, wire.NewListBody)).name)
    made = await service.db.write(
        lists.create, profile, name, service.new_id(), _bounds(service, request), service.now()
    )
    return responses.created(made, f"{PREFIX}/lists/{made.id}")


async def get_list(service: Services, request: Request) -> Response:
    known = wire.parameters(request.query_string, frozenset({"sort"}))
    sort, id = wire.sort(known.get("sort")), _id(request, "list", known)
    owner, found = await _owned(
        service, request, "list", lambda owner: service.db.read(lists.find, owner, id, sort)
    )
    return responses.record(_show_list(found, request, owner))


async def update_list(service: Services, request: Request) -> Response:
    id = _id(request, "list")
    body = await _body(service, request, wire.ListPatchBody)
    name = lists.check_name(body.name) if isinstance(body.name, str) else None
    now = service.now()
    owner, found = await _owned(
        service, request, "list", lambda owner: service.db.write(lists.rename, owner, id, name, now)
    )
    return responses.record(_show_list(found, request, owner))


async def delete_list(service: Services, request: Request) -> Response:
    id = _id(request, "list")
    await _owned(service, request, "list", lambda owner: service.db.write(lists.delete, owner, id))
    return responses.no_content()


async def order_list_items(service: Services, request: Request) -> Response:
    id = _id(request, "list")
    chosen = (await _body(service, request, wire.ItemOrderBody)).item_ids
    now = service.now()
    owner, found = await _owned(
        service,
        request,
        "list",
        lambda owner: service.db.write(lists.order, owner, id, chosen, now),
    )
    return responses.record(_show_list(found, request, owner))


# ---------------------------------------------------------------------------------- profiles


async def identify_profile(service: Services, request: Request) -> Response:
    wire.parameters(request.query_string, _NONE)
    email = profiles.check_email((await _body(service, request, wire.IdentifyBody)).email)
    path = _store(request).sign_in_path(email)
    if isinstance(request.scope, Profile):
        await service.db.write(profiles.remember_email, request.scope, email, service.now())
    return responses.record({"authFlow": path})


async def create_profile_token(service: Services, request: Request) -> Response:
    wire.parameters(request.query_string, _NONE)
    assert request.caller is not None
    if request.caller.profile is not None:
        # That the session has ended takes precedence over any other error.
        await service.db.read(profiles.check_open, request.caller.profile)
        raise Forbidden("This needs an admin token.")
    raw = await _raw(service, request)
    body = wire.TokenBody()
    if raw:
        body = _decoded(request, raw, wire.TokenBody)
    session = _named(service, request, "session", body.session)
    customer = _named(service, request, "customer", body.customer)
    # Read before anything is written: an error after a link would wrongly say "Nothing was done".
    named = customer or session
    revoked = await service.db.read(auth.revoked_until, named) if named else 0
    profile = await _token_profile(service, request, session, customer)
    token = service.authenticator.issue(profile, revoked)
    return responses.created({"token": token, "profile": profile.gid}, None)


def _named(
    service: Services, request: Request, kind: profiles.Kind, gid: str | UnsetType
) -> Profile | None:
    """The customer or session that the body names, or else the ``Profile`` header."""
    named = None
    if isinstance(gid, str):
        namespace = service.settings.session_namespace
        named = profiles.parse(_store(request), namespace, gid, kind, (kind,))
    header = request.scope
    if not isinstance(header, Profile) or header.is_session != (kind == "session"):
        return named
    if named is not None and named != header:
        raise Invalid(f"{kind}: is not the {kind} in the Profile header.")
    return header


async def _token_profile(
    service: Services, request: Request, session: Profile | None, customer: Profile | None
) -> Profile:
    """The profile that the token is for.

    contract: token-new-session, token-customer, token-session, link-atomic.
    """
    now = service.now()
    if customer is not None:
        if session is not None:
            most = _bounds(service, request).list_items
            moved = await service.db.long_write(linking.link, session, customer, most, now)
            metrics.linked(moved)
        return customer
    if session is not None:
        await service.db.write(profiles.renew_session, session, now)
        return session
    namespace, store = service.settings.session_namespace, _store(request)
    id = ids.random_uuid()
    return await service.db.write(profiles.create_session, store, namespace, id, now)


# -------------------------------------------------------------------------------- what they share


async def _raw(service: Services, request: Request) -> bytes:
    """Reads the body. Raises ``TooLarge`` above 256 KiB, ``BodyTimeout`` after the time for it."""
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 15 or int(declared) > MAX_BODY:
        raise TooLarge(f"The body is larger than {MAX_BODY // 1024} KiB.")
    # A request whose body is still arriving does not count, so slow senders take no room.
    service.admission.begin_reading()
    request.reading = True
    try:
        raw = await _read(service, request)
    finally:
        service.admission.end_reading()
    service.admission.check()
    request.reading = False
    return raw


async def _read(service: Services, request: Request) -> bytes:
    message = await _message(request, service.settings.body_timeout)
    raw: bytes = message.get("body", b"")
    if message.get("more_body"):
        deadline = asyncio.get_running_loop().time() + service.settings.body_timeout
        pieces, size = [raw], len(raw)
        while message.get("more_body"):
            left = deadline - asyncio.get_running_loop().time()
            message = await _message(request, left)
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > MAX_BODY:
                break
        raw = b"".join(pieces)
    if len(raw) > MAX_BODY:
        raise TooLarge(f"The body is larger than {MAX_BODY // 1024} KiB.")
    return raw


async def _message(request: Request, seconds: float) -> dict[str, Any]:
    try:
        async with asyncio.timeout(seconds):
            message = await request.receive()
    except TimeoutError as error:
        raise BodyTimeout("The body did not arrive in time.") from error
    request.check_whole()
    if message["type"] == "http.disconnect":
        raise BodyTimeout("The connection was closed before the body had arrived.")
    return message


async def _body(service: Services, request: Request, shape: type[T]) -> T:
    return _decoded(request, await _raw(service, request), shape)


def _decoded(request: Request, raw: bytes, shape: type[T]) -> T:
    return wire.body(raw, request.header(b"content-type"), shape, _store(request))


def _store(request: Request) -> Store:
    assert request.caller is not None
    return request.caller.store


def _scope(request: Request) -> Scope:
    assert request.scope is not None
    return request.scope


def _new_owner(request: Request) -> Profile:
    """The profile that will own a new record. Raises ``Invalid`` if none is named."""
    wire.parameters(request.query_string, _NONE)
    if not isinstance(request.scope, Profile):
        raise Invalid("Profile: is required with an admin token; a new record needs an owner.")
    return request.scope


def _bounds(service: Services, request: Request) -> stores.Bounds:
    return stores.bounds(_store(request), service.settings)


def _id(request: Request, noun: Noun, known: Mapping[str, str] | None = None) -> str:
    """The id in the path of a record. Without ``known`` it refuses query parameters."""
    if known is None:
        wire.parameters(request.query_string, _NONE)
    id = request.parameters[f"{noun}Id"]
    if not ids.is_uuid(id):
        raise NotFound(f"There is no such {noun}.")
    return id


async def _owned(
    service: Services, request: Request, noun: Noun, act: Callable[[Profile], Awaitable[T]]
) -> tuple[Profile, T]:
    """Calls ``act`` with the profile, or for a whole store with the owner of the record.

    A link may move the record between the two steps. Then the owner is looked up once more.
    """
    scope = _scope(request)
    if isinstance(scope, Profile):
        return scope, await act(scope)
    id = request.parameters[f"{noun}Id"]
    for last in (False, True):
        owner = await service.db.read(profiles.owner, scope, noun, id)
        if owner.is_session and not request.reads:
            await service.access_cache.touch_now([owner.id])
        try:
            return owner, await act(owner)
        except NotFound:
            if last:
                raise
    raise AssertionError("unreachable")


def _show(item: Item, request: Request, owner: Profile | None = None) -> Item:
    """Completes an item for its caller: ids of the store's kind, for a whole store the owner."""
    if not _store(request).has_text_ids:
        item.product_id = int(item.product_id)
        if item.variant_id is not UNSET:
            item.variant_id = int(item.variant_id)
    if owner is not None and isinstance(request.scope, WholeStore):
        item.profile = owner.gid
    return item


def _show_list(found: List, request: Request, owner: Profile) -> List:
    if isinstance(request.scope, WholeStore):
        found.profile = owner.gid
    for item in found.items or ():
        _show(item, request, owner)
    return found


def _page_request(
    service: Services, request: Request, noun: str, known: frozenset[str]
) -> tuple[pages.PageRequest, str]:
    """The page that is asked for, and the text that its cursors are bound to."""
    given = wire.parameters(request.query_string, known)
    limit = wire.limit(given.get("limit"))
    asked = wire.query(given.get("query"), _store(request))
    scope = request.scope
    owner = scope.id if isinstance(scope, Profile) else ""
    store = scope.store_id if scope else ""
    binding = f"{store}|{owner}|{noun}|{asked.terms!r}"
    text = given.get("page")
    cursor = None if text is None else service.cursor_signer.verify(text, binding)
    return pages.PageRequest(cursor, limit, asked), binding


def _page(service: Services, found: pages.Page[Any], binding: str) -> Response:
    links = {}
    if found.next is not None:
        links["next"] = service.cursor_signer.sign(found.next, binding)
    if found.previous is not None:
        links["previous"] = service.cursor_signer.sign(found.previous, binding)
    return responses.page(found.records, links)
