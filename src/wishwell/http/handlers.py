"""The operations: each decodes its input, calls a noun, and shapes the answer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from msgspec import UnsetType

from wishwell import auth, ids, items, linking, lists, pages, profiles, stores
from wishwell.errors import BodyTimeout, Forbidden, Invalid, NotFound, TooLarge
from wishwell.http import answers, metrics, wire
from wishwell.http.answers import Answer
from wishwell.http.context import Request, Services
from wishwell.items import Item
from wishwell.lists import List
from wishwell.profiles import Profile, WholeStore

T = TypeVar("T")
Handler = Callable[[Services, Request], Awaitable[Answer]]

PREFIX = "/api/2025-04"
MAX_BODY = 256 * 1024

_PAGE_OF_ITEMS = frozenset({"page", "limit", "query"})
_PAGE_OF_LISTS = frozenset({"page", "limit"})
_NONE: frozenset[str] = frozenset()


# ------------------------------------------------------------------------------------- items


async def list_items(service: Services, request: Request) -> Answer:
    asked, binding = _page_request(service, request, "items", _PAGE_OF_ITEMS)
    assert request.scope is not None
    found = await items.page(service.db, request.scope, asked)
    return _page(service, found, binding)


async def create_item(service: Services, request: Request) -> Answer:
    profile = _owner(service, request)
    new = (await _body(service, request, wire.NewItemBody)).new_item()
    bounds = _bounds(service, request)
    item, created = await items.save(
        profile, service.db, new, service.new_id(), bounds, service.now()
    )
    if not created:
        return answers.record(item)
    return answers.created(item, f"{PREFIX}/items/{item.id}")


async def delete_items(service: Services, request: Request) -> Answer:
    known = wire.parameters(request.query_string, frozenset({"itemIds"}))
    raw = await _raw(service, request)
    if raw and known:
        raise Invalid("itemIds: is in the body and in the query; send it in one of them.")
    if known:
        chosen = wire.item_ids(known["itemIds"])
    elif raw:
        chosen = wire.body(raw, request.header(b"content-type"), wire.ItemIdsBody).item_ids
    else:
        raise Invalid("itemIds: is required, in the body or as ?itemIds=a,b.")
    assert request.scope is not None
    if isinstance(request.scope, WholeStore):
        sessions = await profiles.sessions_owning(service.db.read, request.scope, chosen)
        await service.directory.touch_now(sessions)
    await items.delete_many(service.db, request.scope, chosen)
    return answers.no_content()


async def get_item(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    return answers.record(await _item(request, service, items.find, service.db.read, _id(request)))


async def update_item(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    patch = (await _body(service, request, wire.ItemPatchBody)).patch()
    item = await _item(
        request, service, items.change, service.db, _id(request), patch, service.now()
    )
    return answers.record(item)


async def delete_item(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    await _owned(request, service, "item", items.delete, service.db, _id(request))
    return answers.no_content()


async def set_item_lists(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    chosen = wire.list_ids((await _body(service, request, wire.ItemListsBody)).list_ids)
    bounds = _bounds(service, request)
    item = await _item(
        request, service, items.set_lists, service.db, _id(request), chosen, bounds, service.now()
    )
    return answers.record(item)


# ------------------------------------------------------------------------------------- lists


async def list_lists(service: Services, request: Request) -> Answer:
    asked, binding = _page_request(service, request, "lists", _PAGE_OF_LISTS)
    assert request.scope is not None
    found = await lists.page(service.db, request.scope, asked)
    return _page(service, found, binding)


async def create_list(service: Services, request: Request) -> Answer:
    profile = _owner(service, request)
    name = lists.check_name((await _body(service, request, wire.NewListBody)).name)
    bounds = _bounds(service, request)
    made = await lists.create(profile, service.db, name, service.new_id(), bounds, service.now())
    return answers.created(made, f"{PREFIX}/lists/{made.id}")


async def get_list(service: Services, request: Request) -> Answer:
    known = wire.parameters(request.query_string, frozenset({"sort"}))
    sort = wire.sort(known.get("sort"))
    found = await _list(request, service, lists.find, service.db.read, _id(request), sort)
    return answers.record(found)


async def update_list(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    body = await _body(service, request, wire.ListPatchBody)
    name = lists.check_name(body.name) if isinstance(body.name, str) else None
    found = await _list(
        request, service, lists.rename, service.db, _id(request), name, service.now()
    )
    return answers.record(found)


async def delete_list(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    await _owned(request, service, "list", lists.delete, service.db, _id(request))
    return answers.no_content()


async def order_list_items(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    chosen = (await _body(service, request, wire.ItemOrderBody)).item_ids
    found = await _list(
        request, service, lists.order, service.db, _id(request), chosen, service.now()
    )
    return answers.record(found)


# ---------------------------------------------------------------------------------- profiles


async def identify_profile(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    email = profiles.check_email((await _body(service, request, wire.IdentifyBody)).email)
    assert request.caller is not None
    path = request.caller.store.sign_in_path(email)
    if isinstance(request.scope, Profile):
        await service.db.transaction(profiles.remember_email, request.scope, email, service.now())
    return answers.record({"authFlow": path})


async def create_profile_token(service: Services, request: Request) -> Answer:
    wire.parameters(request.query_string, _NONE)
    assert request.caller is not None
    if request.caller.profile is not None:
        # A token of a session that has ended is told so before anything else.
        await profiles.check_open(service.db.read, request.caller.profile)
        raise Forbidden("This needs an admin token.")
    raw = await _raw(service, request)
    body = wire.TokenBody()
    if raw:
        body = wire.body(raw, request.header(b"content-type"), wire.TokenBody)
    session = _named(service, request, "session", body.session)
    customer = _named(service, request, "customer", body.customer)
    # Asked for before anything is done: what fails after a link must not say that nothing was.
    named = customer or session
    revoked = await auth.revoked_until(service.db.read, named) if named else 0
    profile = await _token_profile(service, request, session, customer)
    token = service.tokens.issue(profile, revoked)
    return answers.created({"token": token, "profile": profile.gid}, None)


def _named(
    service: Services, request: Request, kind: profiles.Kind, gid: str | UnsetType
) -> Profile | None:
    """The customer, or the session, that the body names, or the header ``Profile`` in its place."""
    assert request.caller is not None
    named = None
    if isinstance(gid, str):
        namespace = service.settings.session_namespace
        named = profiles.parse(request.caller.store, namespace, gid, kind, (kind,))
    header = request.scope
    if not isinstance(header, Profile) or header.is_session != (kind == "session"):
        return named
    if named is not None and named != header:
        raise Invalid(f"{kind}: is another one than the header Profile names.")
    return header


async def _token_profile(
    service: Services, request: Request, session: Profile | None, customer: Profile | None
) -> Profile:
    """The profile that the token is for.

    contract: token-new-session, token-customer, token-session, link-atomic.
    """
    assert request.caller is not None
    now = service.now()
    if customer is not None:
        if session is not None:
            most = _bounds(service, request).list_items
            moved = await service.db.long_transaction(linking.link, session, customer, most, now)
            metrics.linked(moved)
        return customer
    if session is not None:
        await profiles.renew_session(service.db.write, session, now)
        return session
    namespace, store = service.settings.session_namespace, request.caller.store
    return await profiles.create_session(service.db.write, store, namespace, ids.random_uuid(), now)


# -------------------------------------------------------------------------------- what they share


async def _raw(service: Services, request: Request) -> bytes:
    """The body, at most 256 KiB of it, within the time that a body may take."""
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 15 or int(declared) > MAX_BODY:
        raise TooLarge(f"The body is larger than {MAX_BODY // 1024} KiB.")
    # Who still sends is not worked on: slow ones must take nothing from others.
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
    return wire.body(await _raw(service, request), request.header(b"content-type"), shape)


def _owner(service: Services, request: Request) -> Profile:
    """The profile that a new record will belong to."""
    wire.parameters(request.query_string, _NONE)
    if not isinstance(request.scope, Profile):
        raise Invalid("Profile: a record needs an owner; name one in this header.")
    return request.scope


def _bounds(service: Services, request: Request) -> stores.Bounds:
    assert request.caller is not None
    return stores.bounds(request.caller.store, service.settings)


def _id(request: Request) -> str:
    if not ids.is_uuid(request.record_id):
        noun = "list" if request.route.startswith("/lists") else "item"
        raise NotFound(f"There is no such {noun}.")
    return request.record_id


async def _owned(
    request: Request, service: Services, noun: str, act: Any, *arguments: Any
) -> tuple[Profile, Any]:
    assert request.scope is not None
    id = arguments[1]
    if isinstance(request.scope, WholeStore) and not request.reads:
        act = _touching(service, act)
    return await profiles.owned(service.db, request.scope, noun, id, act, *arguments)


def _touching(service: Services, act: Any) -> Any:
    """``act``, once it is noted that the session which it changes is in use."""

    async def touching(owner: Profile, *arguments: Any) -> Any:
        if owner.is_session:
            await service.directory.touch_now([owner.id])
        return await act(owner, *arguments)

    return touching


async def _item(request: Request, service: Services, act: Any, *arguments: Any) -> Item:
    owner, item = await _owned(request, service, "item", act, *arguments)
    if isinstance(request.scope, WholeStore):
        item.profile = owner.gid
    found: Item = item
    return found


async def _list(request: Request, service: Services, act: Any, *arguments: Any) -> List:
    owner, found = await _owned(request, service, "list", act, *arguments)
    shown: List = found
    if isinstance(request.scope, WholeStore):
        shown.profile = owner.gid
        for item in shown.items or ():
            item.profile = owner.gid
    return shown


def _page_request(
    service: Services, request: Request, noun: str, known: frozenset[str]
) -> tuple[pages.PageRequest, str]:
    """What page is asked for, and all that its cursors are bound to."""
    given = wire.parameters(request.query_string, known)
    limit, asked = wire.limit(given.get("limit")), wire.query(given.get("query"))
    scope = request.scope
    owner = scope.id if isinstance(scope, Profile) else ""
    store = scope.store_id if scope else ""
    binding = f"{store}|{owner}|{noun}|{asked.terms!r}"
    text = given.get("page")
    cursor = None if text is None else service.sealer.open(text, binding)
    return pages.PageRequest(cursor, limit, asked), binding


def _page(service: Services, found: pages.Page[Any], binding: str) -> Answer:
    links = {}
    if found.next is not None:
        links["next"] = service.sealer.seal(found.next, binding)
    if found.previous is not None:
        links["previous"] = service.sealer.seal(found.previous, binding)
    return answers.page(found.records, links)
