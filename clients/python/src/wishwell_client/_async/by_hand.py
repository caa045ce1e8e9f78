"""Operations for asyncio that can't be generated from the API's description alone."""

from collections.abc import AsyncIterator, Sequence
from typing import Literal

import msgspec

from wishwell_client import answers
from wishwell_client._async.transport import AsyncResource
from wishwell_client.answers import Feed, Page, one
from wishwell_client.calls import Call, body, given, path, several
from wishwell_client.errors import OrdersRefused
from wishwell_client.records import (
    Include,
    Item,
    NewOrder,
    NewProduct,
    OrderOutcome,
    Product,
    ProfileToken,
    Sort,
)


class AsyncProductsByHand(AsyncResource):
    """Products, put as records that contain their id."""

    async def put(self, product: NewProduct) -> Product:
        """Creates or replaces a product. Missing fields become unknown."""
        fields = msgspec.to_builtins(product)
        product_path = path("products", str(fields.pop("productId")))
        return await self._transport.result(
            Call("PUT", product_path, one(Product), body=body(**fields))
        )


# rule: order-versions
class AsyncOrdersByHand(AsyncResource):
    """Orders, of which each may be refused."""

    async def put_many(
        self, orders: Sequence[NewOrder], *, raise_refused: bool = True
    ) -> tuple[OrderOutcome, ...]:
        """Matches the lines of 1 to 250 orders with the wishes of their customers.

        Returns what happened to each order. Send every order, and send it again when it is refunded
        or cancelled. Raises ``OrdersRefused`` after the others were applied if some break a rule,
        unless ``raise_refused`` is False; ``Invalid`` if all do, and ``Conflict`` while the store
        has purchases off.
        """
        fields = body(orders=several(orders))
        call = Call("PUT", path("orders"), one(tuple[OrderOutcome, ...]), body=fields)
        outcomes: tuple[OrderOutcome, ...] = await self._transport.result(call)
        if raise_refused and any(outcome.result == "refused" for outcome in outcomes):
            raise OrdersRefused(outcomes)
        return outcomes


_PAGE_SIZE = 50
"""Items on a page of a list, which has all of them without ``limit``."""


class AsyncListsByHand(AsyncResource):
    """Lists, and pages of the items on one."""

    async def list_items(
        self,
        id: str,
        *,
        sort: Sort | None = None,
        include: Include | None = None,
        page: str | None = None,
        limit: int | None = None,
    ) -> Page[Item]:
        """Returns a page of a list's items, in the list's order.

        ``limit`` is 1 to 250, by default 50. Raises ``NotFound``.
        """
        return await self._transport.result(_list_items(id, sort, include, page, limit))

    def item_pages(
        self,
        id: str,
        *,
        sort: Sort | None = None,
        include: Include | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Page[Item]]:
        """Yields the pages of a list's items, in the list's order."""
        return self._transport.pages(_list_items(id, sort, include, None, limit))


def _list_items(
    id: str, sort: str | None, include: str | None, page: str | None, limit: int | None
) -> Call[Page[Item]]:
    params = given(sort=sort, include=include, page=page, limit=limit or _PAGE_SIZE)
    return Call("GET", path("lists", id), answers.list_items, params)


class _SignIn(msgspec.Struct, frozen=True, rename="camel"):
    auth_flow: str | None = None


class AsyncProfilesByHand(AsyncResource):
    """Profile tokens, not always safe to retry, and the sign-in path without its envelope."""

    async def token(
        self, *, customer: str | None = None, session: str | None = None
    ) -> ProfileToken:
        """Returns a token for the customer or the session or, without both, for a new session.

        With both, the session is first linked to the customer. The client's profile stands in for
        a missing argument. A request for a new session isn't retried after a lost connection,
        because it isn't idempotent: each one creates another session.
        """
        fields = body(customer=customer, session=session)
        is_repeatable = bool(customer or session or self._transport.profile)
        call = Call(
            "POST", "/profiles/token", one(ProfileToken), body=fields, repeatable=is_repeatable
        )
        return await self._transport.result(call)

    async def identify(
        self, email: str, *, notices: bool | None = None, language: str | None = None
    ) -> str | None:
        """Returns the store's sign-in path for an e-mail address, known or not.

        With ``notices`` a mail asks the owner of the address to confirm it, and None is returned if
        the store has no sign-in path. ``language``: of mails, such as "de".
        """
        fields = body(email=email, notices=notices, language=language)
        call = Call("POST", "/profiles/identify", one(_SignIn), body=fields)
        return (await self._transport.result(call)).auth_flow


# rule: feed-once
class AsyncEventsByHand(AsyncResource):
    """The feed of events, to poll from the last position."""

    async def list(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
        include: Literal["product"] | None = None,
        profile: str | None = None,
    ) -> Feed:
        """Returns the events after ``from_``, the ``resume`` of an earlier batch.

        Without ``from_``, starts with the oldest stored event. ``limit`` is 1 to 250, by default
        50. With ``include``, items have their products. With ``profile``, a GID, only its events
        are returned. Raises ``Gone`` if events after ``from_`` were removed.
        """
        type_names = None if types is None else ",".join(several(types))
        params = given(**{"from": from_, "limit": limit, "type": type_names})
        params |= given(include=include, profile=profile)
        return await self._transport.result(Call("GET", "/events", answers.feed, params))

    async def pages(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
        include: Literal["product"] | None = None,
        profile: str | None = None,
    ) -> AsyncIterator[Feed]:
        """Yields batches of events after ``from_`` up to now. Save the ``resume`` of each.

        The last batch is empty; poll later from its ``resume``. Raises ``Gone`` like ``list``.
        """
        while True:
            feed = await self.list(
                from_=from_, limit=limit, types=types, include=include, profile=profile
            )
            yield feed
            if not feed.data:
                return
            from_ = feed.resume
