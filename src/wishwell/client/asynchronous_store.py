"""The client for asyncio: what an admin token does for the whole store."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

import msgspec

from wishwell.client import records
from wishwell.client.asynchronous_line import AsyncPaged, AsyncPart
from wishwell.client.calls import UNSET, Call, UnsetType, body, given, path, strings
from wishwell.client.records import (
    Delivery,
    Feed,
    NewProduct,
    Page,
    Product,
    ProductId,
    Webhook,
    nothing,
    one,
    page_of,
)


class AsyncProducts(AsyncPaged[Product]):
    """``/products``: what the shop says of its products; it needs an admin token and no profile."""

    _listing = Call("GET", "/products", page_of(Product))

    async def put(self, product: NewProduct) -> Product:
        """Says all that is known of a product: what it does not name is unknown from then on."""
        fields = msgspec.to_builtins(product)
        where = path("products", str(fields.pop("productId")))
        return await self._send("PUT", where, one(Product), body=body(**fields))

    async def put_many(self, products: Sequence[NewProduct]) -> None:
        """The same for 1 to 250 products, all or none."""
        fields = body(products=list(products))
        await self._send("PUT", "/products", nothing, body=fields)

    async def find(self, id: ProductId) -> Product:
        """The product with its variants. Raises ``NotFound``."""
        return await self._send("GET", path("products", str(id)), one(Product))

    async def delete(self, id: ProductId) -> None:
        """Forgets the product; wishes for it stay. Raises ``NotFound``."""
        await self._send("DELETE", path("products", str(id)), nothing)


# contract: feed-once
class AsyncEvents(AsyncPart):
    """``/events``: what happened to the records of a store. Needs an admin token."""

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
        named = None if types is None else ",".join(strings(types))
        params = given(**{"from": from_, "limit": limit, "type": named})
        return await self._send("GET", "/events", records.feed, params=params)

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
        while True:
            feed = await self.list(from_=from_, limit=limit, types=types)
            yield feed
            if not feed.data:
                return
            from_ = feed.resume


class AsyncWebhooks(AsyncPart):
    """``/webhooks``: where a store's events are sent. They need an admin token."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Webhook]:
        """One page, newest first; a store has at most 20."""
        listing = Call("GET", "/webhooks", page_of(Webhook))
        return await self._line.result(listing.asking(page=page, limit=limit))

    async def create(self, url: str, *, types: Sequence[str] | None = None) -> Webhook:
        """Creates a webhook and shows its secret. Not retried after a lost connection."""
        fields = body(url=url, types=types)
        return await self._send("POST", "/webhooks", one(Webhook), body=fields, repeatable=False)

    async def find(self, id: str) -> Webhook:
        """Raises ``NotFound``."""
        return await self._send("GET", path("webhooks", id), one(Webhook))

    async def update(
        self,
        id: str,
        *,
        url: str | UnsetType = UNSET,
        types: Sequence[str] | UnsetType = UNSET,
        enabled: bool | UnsetType = UNSET,
    ) -> Webhook:
        """Changes the given fields. ``missed`` is set if it is turned on. Raises ``NotFound``."""
        fields = body(url=url, types=types, enabled=enabled)
        return await self._send("PATCH", path("webhooks", id), one(Webhook), body=fields)

    async def delete(self, id: str) -> None:
        """Raises ``NotFound``."""
        await self._send("DELETE", path("webhooks", id), nothing)

    async def renew_secret(self, id: str) -> Webhook:
        """A new secret, which is shown; the one before it signs for another 24 hours.

        Not retried after a lost connection: the secret before it would end.
        """
        where = path("webhooks", id, "secret")
        return await self._send("POST", where, one(Webhook), repeatable=False)

    async def test(self, id: str) -> Delivery:
        """Sends a message of the type ``webhook.test``. Raises ``Conflict``."""
        where = path("webhooks", id, "test")
        return await self._send("POST", where, one(Delivery), repeatable=False)

    async def replay(self, id: str, since: datetime) -> Webhook:
        """Sends the kept events from ``since`` on again; it needs a time zone."""
        where = path("webhooks", id, "replays")
        return await self._send(
            "POST", where, one(Webhook), body=body(since=since), repeatable=False
        )

    async def deliveries(
        self, id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Delivery]:
        """One page of its deliveries, newest first; ``limit`` 1 to 250, by default 50."""
        listing = Call("GET", path("webhooks", id, "deliveries"), page_of(Delivery))
        return await self._line.result(listing.asking(page=page, limit=limit))

    async def retry(self, id: str, delivery_id: str) -> Delivery:
        """Sends a delivery again now. Raises ``NotFound`` and ``Conflict``."""
        where = path("webhooks", id, "deliveries", delivery_id, "retry")
        return await self._send("POST", where, one(Delivery))
