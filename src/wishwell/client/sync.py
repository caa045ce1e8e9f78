"""The client that blocks. ``make format`` writes it: change ``asynchronous.py``."""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

import httpx2

from wishwell.client import calls, conversation, transport
from wishwell.client.calls import UNSET, Call, Direction, Sort, UnsetType
from wishwell.client.conversation import Attempt, Lost, Pause, Reply, Terms
from wishwell.client.records import (
    Delivery,
    Feed,
    Item,
    List,
    NewProduct,
    Page,
    Product,
    ProductId,
    ProfileToken,
    Webhook,
)

T = TypeVar("T")


class _Line:
    """The connections, and the profile that they act for."""

    def __init__(self, http: httpx2.Client, terms: Terms, profile: str | None) -> None:
        self.http = http
        self.terms = terms
        self.profile = profile

    def result(self, call: Call[T]) -> T:
        talk = conversation.about(call, self.terms)
        outcome: Reply | Lost | None = None
        while True:
            try:
                step = talk.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                outcome = None
            else:
                outcome = self._outcome(step)

    def _outcome(self, attempt: Attempt) -> Reply | Lost:
        try:
            answer = self.http.request(**transport.request(attempt, self.profile))
        except httpx2.RequestError as error:
            return transport.lost(error)
        return transport.reply(answer)

    def pages(self, call: Call[Page[T]], direction: Direction) -> Iterator[Page[T]]:
        following: Call[Page[T]] | None = call
        while following is not None:
            page = self.result(following)
            yield page
            following = calls.onward(following, page, direction)

    def all(self, call: Call[Page[T]], direction: Direction) -> Iterator[T]:
        following: Call[Page[T]] | None = call
        while following is not None:
            page = self.result(following)
            yield from calls.in_order(page, direction)
            following = calls.onward(following, page, direction)


class Items:
    """``/items``: the products that a profile saved, one item per product and variant."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def list(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> Page[Item]:
        """One page, newest first; ``limit`` 1 to 250, by default 50."""
        return self._line.result(calls.list_items(page, limit, query))

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        direction: Direction = "next",
    ) -> Iterator[Page[Item]]:
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
    ) -> Iterator[Item]:
        """All items, newest first. ``direction="previous"`` walks from ``page`` to the newest."""
        first = calls.begin(calls.list_items(page, limit, query), direction)
        return self._line.all(first, direction)

    def create(
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
        return self._line.result(
            calls.create_item(product_id, variant_id, quantity, tags, note, list_ids)
        )

    def find(self, id: str) -> Item:
        """Raises ``NotFound``."""
        return self._line.result(calls.find_item(id))

    def update(
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
        return self._line.result(
            calls.update_item(id, product_id, variant_id, quantity, tags, note)
        )

    def delete(self, id: str) -> None:
        """Raises ``NotFound``."""
        self._line.result(calls.delete_item(id))

    def delete_many(self, ids: Sequence[str]) -> None:
        """Deletes 1 to 250 items, all or none. Unknown ids are ignored."""
        self._line.result(calls.delete_items(ids))

    def set_lists(self, id: str, list_ids: Sequence[str]) -> Item:
        """Puts the item on exactly these lists."""
        return self._line.result(calls.set_item_lists(id, list_ids))


class Lists:
    """``/lists``: named collections of items, with an order."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def list(self, *, page: str | None = None, limit: int | None = None) -> Page[List]:
        """One page, newest first, without the items; ``limit`` 1 to 250, by default 50."""
        return self._line.result(calls.list_lists(page, limit))

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> Iterator[Page[List]]:
        """All pages from ``page`` to the oldest, or with ``direction="previous"`` to the newest."""
        first = calls.begin(calls.list_lists(page, limit), direction)
        return self._line.pages(first, direction)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> Iterator[List]:
        """All lists, newest first. ``direction="previous"`` walks from ``page`` to the newest."""
        first = calls.begin(calls.list_lists(page, limit), direction)
        return self._line.all(first, direction)

    def create(self, name: str) -> List:
        """Creates a list. Not retried after a lost connection: names need not be unique."""
        return self._line.result(calls.create_list(name))

    def find(self, id: str, *, sort: Sort | None = None) -> List:
        """The list with all its items, by default the newest first. Raises ``NotFound``."""
        return self._line.result(calls.find_list(id, sort))

    def update(self, id: str, *, name: str | UnsetType = UNSET) -> List:
        """Changes the given fields. Raises ``NotFound``."""
        return self._line.result(calls.update_list(id, name))

    def delete(self, id: str) -> None:
        """Deletes the list and keeps its items. Raises ``NotFound``."""
        self._line.result(calls.delete_list(id))

    def order(self, id: str, item_ids: Sequence[str]) -> List:
        """Puts these items first, in this order. Returns the list in the order ``customer``."""
        return self._line.result(calls.order_list(id, item_ids))


class Products:
    """``/products``: what the shop says of its products; it needs an admin token and no profile."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Product]:
        """One page, newest first, without the variants; ``limit`` 1 to 250, by default 50."""
        return self._line.result(calls.list_products(page, limit))

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> Iterator[Page[Product]]:
        """All pages from ``page`` to the oldest, or with ``direction="previous"`` to the newest."""
        first = calls.begin(calls.list_products(page, limit), direction)
        return self._line.pages(first, direction)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        direction: Direction = "next",
    ) -> Iterator[Product]:
        """All products, newest first; with ``direction="previous"`` from ``page`` to the newest."""
        first = calls.begin(calls.list_products(page, limit), direction)
        return self._line.all(first, direction)

    def put(self, product: NewProduct) -> Product:
        """Says all that is known of a product: what it does not name is unknown from then on."""
        return self._line.result(calls.put_product(product))

    def put_many(self, products: Sequence[NewProduct]) -> None:
        """The same for 1 to 250 products, all or none."""
        self._line.result(calls.put_products(products))

    def find(self, id: ProductId) -> Product:
        """The product with its variants. Raises ``NotFound``."""
        return self._line.result(calls.find_product(id))

    def delete(self, id: ProductId) -> None:
        """Forgets the product; wishes for it stay. Raises ``NotFound``."""
        self._line.result(calls.delete_product(id))


class Profiles:
    """``/profiles``: profile tokens, and the store's sign-in path."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def token(self, *, customer: str | None = None, session: str | None = None) -> ProfileToken:
        """A token for the customer or the session; without both, for a new session.

        With both, the session is linked to the customer first. The profile that the client acts
        for takes the place of an argument that is not given.
        """
        return self._line.result(calls.create_token(customer, session, self._line.profile))

    def identify(self, email: str) -> str:
        """The store's sign-in path for this e-mail address, whether or not it is known."""
        sign_in = self._line.result(calls.identify(email))
        return sign_in.auth_flow


class Events:
    """``/events``: what happened to the records of a store. Needs an admin token."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def list(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
    ) -> Feed:
        """What came after ``from_``, the ``resume`` of an earlier answer, or all that is kept.

        ``limit`` is 1 to 250, by default 50. Raises ``Gone``.
        """
        return self._line.result(calls.list_events(from_, limit, types))

    def pages(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
    ) -> Iterator[Feed]:
        """All that came after ``from_`` until now. Keep the ``resume`` of each. Raises ``Gone``.

        The last one has no events, and the ``resume`` from which to go on later.
        """
        call = calls.list_events(from_, limit, types)
        while True:
            feed = self._line.result(call)
            yield feed
            if not feed.data:
                return
            call = calls.going_on(call, feed)


class Webhooks:
    """``/webhooks``: where a store's events are sent. They need an admin token."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Webhook]:
        """One page, newest first; a store has at most 20."""
        return self._line.result(calls.list_webhooks(page, limit))

    def create(self, url: str, *, types: Sequence[str] | None = None) -> Webhook:
        """Creates a webhook and shows its secret. Not retried after a lost connection."""
        return self._line.result(calls.create_webhook(url, types))

    def find(self, id: str) -> Webhook:
        """Raises ``NotFound``."""
        return self._line.result(calls.find_webhook(id))

    def update(
        self,
        id: str,
        *,
        url: str | UnsetType = UNSET,
        types: Sequence[str] | UnsetType = UNSET,
        enabled: bool | UnsetType = UNSET,
    ) -> Webhook:
        """Changes the given fields. ``missed`` is set if it is turned on. Raises ``NotFound``."""
        return self._line.result(calls.update_webhook(id, url, types, enabled))

    def delete(self, id: str) -> None:
        """Raises ``NotFound``."""
        self._line.result(calls.delete_webhook(id))

    def renew_secret(self, id: str) -> Webhook:
        """A new secret, which is shown; the one before it signs for another 24 hours."""
        return self._line.result(calls.renew_webhook_secret(id))

    def test(self, id: str) -> Delivery:
        """Sends a message of the type ``webhook.test``. Raises ``Conflict``."""
        return self._line.result(calls.send_webhook_test(id))

    def replay(self, id: str, since: datetime) -> Webhook:
        """Sends the kept events from ``since`` on again; it needs a time zone."""
        return self._line.result(calls.replay_webhook(id, since))

    def deliveries(
        self, id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Delivery]:
        """One page of its deliveries, newest first; ``limit`` 1 to 250, by default 50."""
        return self._line.result(calls.list_deliveries(id, page, limit))

    def retry(self, id: str, delivery_id: str) -> Delivery:
        """Sends a delivery again now. Raises ``NotFound`` and ``Conflict``."""
        return self._line.result(calls.retry_delivery(id, delivery_id))


class Wishwell:
    """A client with one token, for any number of threads.

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
        self._attach(_Line(httpx2.Client(**options), terms, transport.named(profile)))

    def _attach(self, line: _Line) -> None:
        self._line = line
        self.items = Items(line)
        self.lists = Lists(line)
        self.products = Products(line)
        self.profiles = Profiles(line)
        self.webhooks = Webhooks(line)
        self.events = Events(line)

    def acting_as(self, profile: str) -> Self:
        """A client for another profile on the same connections. Close only one of the two."""
        other = type(self).__new__(type(self))
        other._attach(_Line(self._line.http, self._line.terms, transport.named(profile)))
        return other

    def close(self) -> None:
        """Closes the connections."""
        self._line.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
