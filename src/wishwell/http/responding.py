"""What handlers share: the profile that a request acts on, its page, and the response.

A handler decodes its input and calls a use-case; it holds no rules.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from wishwell import ids, profiles
from wishwell.errors import Forbidden, Invalid, NotFound, no_record
from wishwell.http import compression, queries, responses
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.profiles import Profile
from wishwell.profiles.pages import Page, PageRequest
from wishwell.profiles.search import Search, parse
from wishwell.wishlists import items
from wishwell.wishlists.items import Item
from wishwell.wishlists.list_pages import ListPage
from wishwell.wishlists.lists import List
from wishwell.wishlists.shares import Share

P = ParamSpec("P")
T = TypeVar("T")
Handler = Callable[[Request], Awaitable[object]]
"""Returns a record, a ``Page``, a ``Response`` or ``None``; ``answer`` makes the response."""

PREFIX = "/api/2025-04"
_NO_UUIDS = frozenset({"token", "productId", "tokenId", "orderId"})
PRECONDITIONS = ("If-Match", "If-None-Match", "If-Unmodified-Since")
PLATFORM_WEBHOOKS = f"{PREFIX}/platforms/shopify/webhooks"


# rule: profile-header
def check_admin(request: Request) -> None:
    """Raises ``Forbidden`` for a profile token."""
    if request.caller is None or request.caller.profile is not None:
        raise Forbidden("This operation requires an admin token.", "admin_token_required")


# rule: token-scope
def check_ids(parameters: Mapping[str, str]) -> None:
    """Raises ``NotFound`` for a malformed id in the path."""
    for name, value in parameters.items():
        if name not in _NO_UUIDS and not ids.is_uuid(value):
            raise no_record(name.removesuffix("Id"))


# rule: input-strict
def check_precondition(request: Request, name: str) -> None:
    """Raises ``Invalid`` for this precondition of a change, because it would have no effect."""
    if not request.reads and name.lower().encode() in request.headers:
        raise Invalid(
            f"{name}: isn't supported for changes, because records have no versions; leave it out.",
            "precondition_unsupported",
            cause="not_allowed",
        )


def new_owner(request: Request, why: str = "a new record needs an owner") -> Profile:
    """Returns the profile that will own a new record. Raises ``Invalid`` for the whole store.

    ``why`` ends the error message.
    """
    if not isinstance(request.scope, Profile):  # rule: profile-header
        raise Invalid(
            f"Profile: is required with an admin token; {why}.",
            "profile_required",
            cause="required",
        )
    return request.scope


async def create_profile(request: Request) -> None:
    """Creates a new visitor's session before its first write.

    Called after all checks, so that a refused request leaves no session behind.
    """
    if request.create_profile is not None:
        await request.create_profile(request)
        request.create_profile = None


async def run_as_owner(
    request: Request,
    use_case: Callable[Concatenate[Any, Profile, str, P], Awaitable[T]],
    *arguments: P.args,
    **options: P.kwargs,
) -> T:
    """Runs a use-case on the record of the first id in the path, as the record's owner.

    For the whole store the owner is looked up first. A sign-in may move the record to another
    owner in between, so the lookup is retried once. Returns the result, completed for the caller.
    """
    scope, service = request.scope, request.service
    name, id = next(iter(request.parameters.items()))
    if isinstance(scope, Profile):
        if scope.id == ids.NO_UUID:  # an empty profile has no records
            raise no_record(name.removesuffix("Id"))
        return complete(await request.run(use_case, scope, id, *arguments, **options), request)
    for is_last_attempt in (False, True):
        owner = await service.db.read(
            profiles.owner, scope, "list" if name == "listId" else "item", id
        )
        if owner.is_session and not request.reads:
            await service.access_cache.touch_now([owner.id])
        try:
            record = await request.run(use_case, owner, id, *arguments, **options)
            return complete(record, request, owner)
        except NotFound:
            if is_last_attempt:
                raise
    raise AssertionError("unreachable")


# rule: storefront-visitor
async def read_page(
    request: Request,
    use_case: Callable[Concatenate[Any, Any, PageRequest, P], Awaitable[Page[T]]],
    page_request: PageRequest,
    *arguments: P.args,
    **options: P.kwargs,
) -> Page[T]:
    """Returns a page of the request's scope. Most shoppers have saved nothing and have no session:
    their page is empty, without a read."""
    if isinstance(request.scope, Profile) and request.scope.is_nobody:
        return Page([], None, None)
    return await request.run(use_case, request.scope, page_request, *arguments, **options)


def complete(result: T, request: Request, owner: Profile | None = None) -> T:
    """Completes records for the caller: converts product ids to the store's type, adds the owner.

    The owner is given only for whole-store requests.
    """
    if isinstance(result, ListPage):
        complete(result.wishlist, request, owner)
        return result
    records: Sequence[Any] = result.records if isinstance(result, Page) else [result]
    shown_items = result.items or () if isinstance(result, List) else records
    if shown_items and isinstance(shown_items[0], Item):
        items.show(shown_items, text_ids=request.store.has_text_ids)
    if owner is not None:
        for record in (*records, *shown_items):
            if isinstance(record, Item | List | Share):
                record.profile = owner.gid
    return result


def parse_page_request(request: Request, noun: str, sort: str = "") -> PageRequest:
    """Returns the requested page: cursor, limit and search (pagination). Raises ``Invalid``.

    Binds cursors to the store, owner, ``noun``, search and ``sort`` (empty for newest first), so
    that they work for no other request.
    """
    query, scope = request.query, request.scope
    limit = queries.limit(query.get("limit"))
    search = parse(query["query"], request.store, noun) if "query" in query else Search()
    owner = scope.id if isinstance(scope, Profile) else ""
    request.cursor_scope = f"{scope.store.id}|{owner}|{noun}|{search!r}{sort and '|'}{sort}"
    text, signer = query.get("page"), request.service.cursor_signer
    cursor = None if text is None else signer.verify(text, request.cursor_scope)
    return PageRequest(cursor, limit, search, sort == "oldest")


async def compressed(request: Request, response: Response) -> Response:
    """Returns a response, compressed if it is a large one to a read."""
    if len(response.body) >= compression.MIN_BYTES and request.reads:
        await compression.compress(request, response)
    return response


def answer(request: Request, outcome: object) -> Response:
    """Returns the response for a handler's result: a record, a page, a response or ``None``."""
    if isinstance(outcome, Response):
        return outcome
    if outcome is None:
        return responses.no_content()
    if isinstance(outcome, Page | ListPage):
        links = request.service.cursor_signer.links(outcome, request.cursor_scope)
        if isinstance(outcome, ListPage):
            return responses.list_page(outcome.wishlist, links)
        return responses.page(outcome.records, links)
    return responses.record(outcome)
