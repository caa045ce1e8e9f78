"""The client for asyncio: what an admin token does for the whole store."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TypeVar

from wishwell.client import calls
from wishwell.client.asynchronous_line import Line
from wishwell.client.calls import UNSET, Direction, UnsetType
from wishwell.client.records import (
    Delivery,
    Feed,
    NewProduct,
    Page,
    Product,
    ProductId,
    Webhook,
)

T = TypeVar("T")


class AsyncProducts:
    """``/products``: what the shop says of its products; it needs an admin token and no profile."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Product]:
        """One page, newest first, without the variants; ``limit`` 1 to 250, by default 50."""
        return await self._line.result(calls.list_products(page, limit))

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> AsyncIterator[Page[Product]]:
        """All pages from ``page`` to the oldest, or with ``direction="previous"`` to the newest."""
        first = calls.begin(calls.list_products(page, limit), direction)
        return self._line.pages(first, direction)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> AsyncIterator[Product]:
        """All products, newest first; with ``direction="previous"`` from ``page`` to the newest."""
        first = calls.begin(calls.list_products(page, limit), direction)
        return self._line.all(first, direction)

    async def put(self, product: NewProduct) -> Product:
        """Says all that is known of a product: what it does not name is unknown from then on."""
        return await self._line.result(calls.put_product(product))

    async def put_many(self, products: Sequence[NewProduct]) -> None:
        """The same for 1 to 250 products, all or none."""
        await self._line.result(calls.put_products(products))

    async def find(self, id: ProductId) -> Product:
        """The product with its variants. Raises ``NotFound``."""
        return await self._line.result(calls.find_product(id))

    async def delete(self, id: ProductId) -> None:
        """Forgets the product; wishes for it stay. Raises ``NotFound``."""
        await self._line.result(calls.delete_product(id))


class AsyncEvents:
    """``/events``: what happened to the records of a store. Needs an admin token."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def list(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
    ) -> Feed:
        """What came after ``from_``, the ``resume`` of an earlier answer, or all that is kept.

        ``limit`` is 1 to 250, by default 50. Raises ``Gone``.
        """
        return await self._line.result(calls.list_events(from_, limit, types))

    async def pages(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
    ) -> AsyncIterator[Feed]:
        """All that came after ``from_`` until now. Keep the ``resume`` of each. Raises ``Gone``.

        The last one has no events, and the ``resume`` from which to go on later.
        """
        call = calls.list_events(from_, limit, types)
        while True:
            feed = await self._line.result(call)
            yield feed
            if not feed.data:
                return
            call = calls.going_on(call, feed)


class AsyncWebhooks:
    """``/webhooks``: where a store's events are sent. They need an admin token."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Webhook]:
        """One page, newest first; a store has at most 20."""
        return await self._line.result(calls.list_webhooks(page, limit))

    async def create(self, url: str, *, types: Sequence[str] | None = None) -> Webhook:
        """Creates a webhook and shows its secret. Not retried after a lost connection."""
        return await self._line.result(calls.create_webhook(url, types))

    async def find(self, id: str) -> Webhook:
        """Raises ``NotFound``."""
        return await self._line.result(calls.find_webhook(id))

    async def update(
        self,
        id: str,
        *,
        url: str | UnsetType = UNSET,
        types: Sequence[str] | UnsetType = UNSET,
        enabled: bool | UnsetType = UNSET,
    ) -> Webhook:
        """Changes the given fields. ``missed`` is set if it is turned on. Raises ``NotFound``."""
        return await self._line.result(calls.update_webhook(id, url, types, enabled))

    async def delete(self, id: str) -> None:
        """Raises ``NotFound``."""
        await self._line.result(calls.delete_webhook(id))

    async def renew_secret(self, id: str) -> Webhook:
        """A new secret, which is shown; the one before it signs for another 24 hours."""
        return await self._line.result(calls.renew_webhook_secret(id))

    async def test(self, id: str) -> Delivery:
        """Sends a message of the type ``webhook.test``. Raises ``Conflict``."""
        return await self._line.result(calls.send_webhook_test(id))

    async def replay(self, id: str, since: datetime) -> Webhook:
        """Sends the kept events from ``since`` on again; it needs a time zone."""
        return await self._line.result(calls.replay_webhook(id, since))

    async def deliveries(
        self, id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Delivery]:
        """One page of its deliveries, newest first; ``limit`` 1 to 250, by default 50."""
        return await self._line.result(calls.list_deliveries(id, page, limit))

    async def retry(self, id: str, delivery_id: str) -> Delivery:
        """Sends a delivery again now. Raises ``NotFound`` and ``Conflict``."""
        return await self._line.result(calls.retry_delivery(id, delivery_id))
