"""The client for asyncio. ``make format`` generates ``sync.py``, the blocking client, from it."""

from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Self, TypeVar

import httpx2

from wishwell.client import calls, transport
from wishwell.client.asynchronous_line import Line
from wishwell.client.asynchronous_shares import AsyncShared, AsyncShares
from wishwell.client.asynchronous_store import AsyncEvents, AsyncProducts, AsyncWebhooks
from wishwell.client.calls import UNSET, Direction, Sort, UnsetType
from wishwell.client.conversation import Terms
from wishwell.client.records import (
    Item,
    List,
    Page,
    ProductId,
    ProfileToken,
)

T = TypeVar("T")


class AsyncItems:
    """``/items``: the products that a profile saved, one item per product and variant."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def list(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> Page[Item]:
        """One page, newest first; ``limit`` 1 to 250, by default 50."""
        return await self._line.result(calls.list_items(page, limit, query))

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        direction: Direction = "next",
    ) -> AsyncIterator[Page[Item]]:
        """All pages from ``page`` to the oldest, or with ``direction="previous"`` to the newest."""
        first = calls.begin(calls.list_items(page, limit, query), direction)
        return self._line.pages(first, direction)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        direction: Direction = "next",
    ) -> AsyncIterator[Item]:
        """All items, newest first. ``direction="previous"`` walks from ``page`` to the newest."""
        first = calls.begin(calls.list_items(page, limit, query), direction)
        return self._line.all(first, direction)

    async def create(
        self,
        product_id: ProductId,
        *,
        variant_id: ProductId | None = None,
        quantity: int | None = None,
        tags: Sequence[str] | None = None,
        note: str | None = None,
        list_ids: Sequence[str] | None = None,
    ) -> Item:
        """Saves an item. On an existing item it sets the given fields and adds the lists.

        ``note=""`` clears the note.
        """
        return await self._line.result(
            calls.create_item(product_id, variant_id, quantity, tags, note, list_ids)
        )

    async def find(self, id: str) -> Item:
        """Raises ``NotFound``."""
        return await self._line.result(calls.find_item(id))

    async def update(
        self,
        id: str,
        *,
        product_id: ProductId | UnsetType = UNSET,
        variant_id: ProductId | UnsetType | None = UNSET,
        quantity: int | UnsetType = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        note: str | UnsetType | None = UNSET,
    ) -> Item:
        """Changes the given fields. None clears the variant or the note. Raises ``Conflict``."""
        return await self._line.result(
            calls.update_item(id, product_id, variant_id, quantity, tags, note)
        )

    async def delete(self, id: str) -> None:
        """Raises ``NotFound``."""
        await self._line.result(calls.delete_item(id))

    async def delete_many(self, ids: Sequence[str]) -> None:
        """Deletes 1 to 250 items, all or none. Unknown ids are ignored."""
        await self._line.result(calls.delete_items(ids))

    async def set_lists(self, id: str, list_ids: Sequence[str]) -> Item:
        """Puts the item on exactly these lists."""
        return await self._line.result(calls.set_item_lists(id, list_ids))


class AsyncLists:
    """``/lists``: named collections of items, with an order."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[List]:
        """One page, newest first, without the items; ``limit`` 1 to 250, by default 50."""
        return await self._line.result(calls.list_lists(page, limit))

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> AsyncIterator[Page[List]]:
        """All pages from ``page`` to the oldest, or with ``direction="previous"`` to the newest."""
        first = calls.begin(calls.list_lists(page, limit), direction)
        return self._line.pages(first, direction)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> AsyncIterator[List]:
        """All lists, newest first. ``direction="previous"`` walks from ``page`` to the newest."""
        first = calls.begin(calls.list_lists(page, limit), direction)
        return self._line.all(first, direction)

    async def create(self, name: str) -> List:
        """Creates a list. Not retried after a lost connection: names need not be unique."""
        return await self._line.result(calls.create_list(name))

    async def find(self, id: str, *, sort: Sort | None = None) -> List:
        """The list with all its items, by default the newest first. Raises ``NotFound``."""
        return await self._line.result(calls.find_list(id, sort))

    async def update(self, id: str, *, name: str | UnsetType = UNSET) -> List:
        """Changes the given fields. Raises ``NotFound``."""
        return await self._line.result(calls.update_list(id, name))

    async def delete(self, id: str) -> None:
        """Deletes the list and keeps its items. Raises ``NotFound``."""
        await self._line.result(calls.delete_list(id))

    async def order(self, id: str, item_ids: Sequence[str]) -> List:
        """Puts these items first, in this order. Returns the list in the order ``customer``."""
        return await self._line.result(calls.order_list(id, item_ids))


class AsyncProfiles:
    """``/profiles``: profile tokens, and the store's sign-in path."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def token(
        self, *, customer: str | None = None, session: str | None = None
    ) -> ProfileToken:
        """A token for the customer or the session; without both, for a new session.

        With both, the session is linked to the customer first. The profile that the client acts
        for takes the place of an argument that is not given.
        """
        return await self._line.result(calls.create_token(customer, session, self._line.profile))

    async def identify(self, email: str) -> str:
        """The store's sign-in path for this e-mail address, whether or not it is known."""
        sign_in = await self._line.result(calls.identify(email))
        return sign_in.auth_flow


class AsyncWishwell:
    """A client with one token, for any number of tasks of one event loop.

    ``profile`` is the GID that an admin token acts for. ``timeout`` is in seconds, and applies to
    connecting and to each wait for data. A call is retried at most ``retries`` times, if that is
    harmless, after at most ``longest_wait`` seconds. If the service asks for a longer wait, the
    error is raised at once. Raises ``ValueError`` for a bad URL, token, profile or number.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        profile: str | None = None,
        timeout: float = 10,
        retries: int = 4,
        longest_wait: float = 60,
    ) -> None:
        options = transport.options(url, token, timeout)
        terms = Terms(retries, longest_wait)
        self._attach(Line(httpx2.AsyncClient(**options), terms, transport.named(profile)))

    def _attach(self, line: Line) -> None:
        self._line = line
        self.items = AsyncItems(line)
        self.lists = AsyncLists(line)
        self.shares = AsyncShares(line)
        self.shared = AsyncShared(line)
        self.products = AsyncProducts(line)
        self.profiles = AsyncProfiles(line)
        self.webhooks = AsyncWebhooks(line)
        self.events = AsyncEvents(line)

    def acting_as(self, profile: str) -> Self:
        """A client for another profile on the same connections. Close only one of the two."""
        other = type(self).__new__(type(self))
        other._attach(Line(self._line.http, self._line.terms, transport.named(profile)))
        return other

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._line.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
