"""The client that blocks. ``make format`` writes it: change ``asynchronous.py``."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Self

import httpx2

from wishwell.client import transport
from wishwell.client.calls import (
    UNSET,
    Call,
    Direction,
    Include,
    Sort,
    UnsetType,
    body,
    given,
    path,
)
from wishwell.client.conversation import Terms
from wishwell.client.records import (
    Item,
    List,
    NewItem,
    Page,
    ProductId,
    ProfileToken,
    Share,
    SharedItem,
    SharedList,
    SignIn,
    nothing,
    one,
    page_of,
    several,
)
from wishwell.client.sync_line import Line, Paged, Part
from wishwell.client.sync_store import Events, Products, Webhooks


class Items(Part):
    """``/items``: the products that a profile saved, one item per product and variant."""

    _listing = Call("GET", "/items", page_of(Item))

    def list(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        include: Include | None = None,
    ) -> Page[Item]:
        """One page, newest first; ``limit`` 1 to 250, by default 50."""
        asked = self._listing.asking(page=page, limit=limit, query=query, include=include)
        return self._line.result(asked)

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        include: Include | None = None,
        direction: Direction = "next",
    ) -> Iterator[Page[Item]]:
        """All pages from ``page`` to the oldest, or with ``direction="previous"`` to the newest."""
        first = self._listing.asking(page=page, limit=limit, query=query, include=include)
        return self._line.pages(first, direction)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        include: Include | None = None,
        direction: Direction = "next",
    ) -> Iterator[Item]:
        """All items, newest first. ``direction="previous"`` walks from ``page`` to the newest."""
        first = self._listing.asking(page=page, limit=limit, query=query, include=include)
        return self._line.all(first, direction)

    # contract: save-once
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
        fields = given(
            productId=product_id,
            variantId=variant_id,
            quantity=quantity,
            tags=tags,
            note=note,
            listIds=list_ids,
        )
        return self._send("POST", "/items", one(Item), body=body(**fields))

    def save_many(self, items: Sequence[NewItem]) -> tuple[Item, ...]:
        """Saves 1 to 250 items as ``create`` would, all or none. The first new one is newest."""
        fields = body(items=list(items))
        return self._send("PUT", "/items", several(Item), body=fields)

    def find(self, id: str, *, include: Include | None = None) -> Item:
        """Raises ``NotFound``."""
        return self._send("GET", path("items", id), one(Item), params=given(include=include))

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
        fields = body(
            productId=product_id, variantId=variant_id, quantity=quantity, tags=tags, note=note
        )
        return self._send("PATCH", path("items", id), one(Item), body=fields)

    def delete(self, id: str) -> None:
        """Raises ``NotFound``."""
        self._send("DELETE", path("items", id), nothing)

    def delete_many(self, ids: Sequence[str]) -> None:
        """Deletes 1 to 250 items, all or none. Unknown ids are ignored."""
        self._send("DELETE", "/items", nothing, body=body(itemIds=ids))

    def set_lists(self, id: str, list_ids: Sequence[str]) -> Item:
        """Puts the item on exactly these lists."""
        lists = body(listIds=list_ids)
        return self._send("PUT", path("items", id, "lists"), one(Item), body=lists)


class Lists(Paged[List]):
    """``/lists``: named collections of items, with an order."""

    _listing = Call("GET", "/lists", page_of(List))

    def create(self, name: str) -> List:
        """Creates a list. Not retried after a lost connection: names need not be unique."""
        return self._send("POST", "/lists", one(List), body=body(name=name), repeatable=False)

    def find(self, id: str, *, sort: Sort | None = None, include: Include | None = None) -> List:
        """The list with all its items, by default the newest first. Raises ``NotFound``."""
        asked = given(sort=sort, include=include)
        return self._send("GET", path("lists", id), one(List), params=asked)

    def update(self, id: str, *, name: str | UnsetType = UNSET) -> List:
        """Changes the given fields. Raises ``NotFound``."""
        fields = body(name=name)
        return self._send("PATCH", path("lists", id), one(List), body=fields)

    def delete(self, id: str) -> None:
        """Deletes the list and keeps its items. Raises ``NotFound``."""
        self._send("DELETE", path("lists", id), nothing)

    def order(self, id: str, item_ids: Sequence[str]) -> List:
        """Puts these items first, in this order. Returns the list in the order ``customer``."""
        items = body(itemIds=item_ids)
        return self._send("PUT", path("lists", id, "items", "order"), one(List), body=items)

    def put_item(self, id: str, item_id: str, *, after: str | UnsetType | None = UNSET) -> Item:
        """Puts an item on the list, behind the item ``after``; None: first. Raises ``NotFound``."""
        place = body(after=after)
        return self._send("PUT", path("lists", id, "items", item_id), one(Item), body=place)

    def remove_item(self, id: str, item_id: str) -> None:
        """Takes an item off the list. Raises ``NotFound``."""
        self._send("DELETE", path("lists", id, "items", item_id), nothing)


class Shares(Part):
    """``/lists/{listId}/shares``: the links that show a list to others."""

    def list(
        self, list_id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Share]:
        """The shares of a list, newest first; there are at most 20. Raises ``NotFound``."""
        listing = Call("GET", path("lists", list_id, "shares"), page_of(Share))
        return self._line.result(listing.asking(page=page, limit=limit))

    def create(
        self,
        list_id: str,
        *,
        expires_at: datetime | None = None,
        reservations: bool = False,
        notes: bool = False,
    ) -> Share:
        """Shares a list. Not retried after a lost connection: each time it makes another one.

        ``expires_at`` must have a time zone; None is for ever. Raises ``NotFound``.
        """
        terms = body(expiresAt=expires_at, reservations=reservations, notes=notes)
        where = path("lists", list_id, "shares")
        return self._send("POST", where, one(Share), body=terms, repeatable=False)

    def update(
        self,
        list_id: str,
        id: str,
        *,
        expires_at: datetime | UnsetType | None = UNSET,
        reservations: bool | UnsetType = UNSET,
        notes: bool | UnsetType = UNSET,
    ) -> Share:
        """Changes the given fields. Raises ``NotFound``."""
        terms = body(expiresAt=expires_at, reservations=reservations, notes=notes)
        return self._send("PATCH", path("lists", list_id, "shares", id), one(Share), body=terms)

    def delete(self, list_id: str, id: str) -> None:
        """Ends a share. Raises ``NotFound``."""
        self._send("DELETE", path("lists", list_id, "shares", id), nothing)


class Shared(Part):
    """``/shared/{token}``: a list that somebody shares."""

    def find(self, token: str, *, include: Include | None = None) -> SharedList:
        """The list, as anybody sees it. Raises ``NotFound``, also when the share has ended."""
        asked = given(include=include)
        return self._send("GET", path("shared", token), one(SharedList), params=asked)

    def reserve(self, token: str, item_id: str, quantity: int) -> SharedItem:
        """Reserves so many of an item, in place of what the profile had reserved of it.

        Raises ``Conflict`` if fewer are left, ``Forbidden`` on the profile's own list and where the
        share has no reservations, ``NotFound``.
        """
        where = path("shared", token, "items", item_id, "reservation")
        return self._send("PUT", where, one(SharedItem), body=body(quantity=quantity))

    def delete_reservation(self, token: str, item_id: str) -> None:
        """Ends it; the share may have ended. Raises ``NotFound``."""
        where = path("shared", token, "items", item_id, "reservation")
        self._send("DELETE", where, nothing)

    def copy(self, token: str, *, name: str | None = None) -> List:
        """Makes a list with what is on it, by default of the same name. Raises ``NotFound``.

        Not retried after a lost connection: each time it makes another list.
        """
        fields = body(**given(name=name))
        where = path("shared", token, "copies")
        return self._send("POST", where, one(List), body=fields, repeatable=False)


class Profiles(Part):
    """``/profiles``: profile tokens, and the store's sign-in path."""

    def token(self, *, customer: str | None = None, session: str | None = None) -> ProfileToken:
        """A token for the customer or the session; without both, for a new session.

        With both, the session is linked to the customer first. The profile that the client acts
        for takes the place of an argument that is not given. A new session's is not retried after
        a lost connection: each time it makes another one.
        """
        named = given(customer=customer, session=session)
        known = bool(named) or self._line.profile is not None
        where = "/profiles/token"
        return self._send("POST", where, one(ProfileToken), body=body(**named), repeatable=known)

    def identify(self, email: str) -> str:
        """The store's sign-in path for this e-mail address, whether or not it is known."""
        sign_in = self._send("POST", "/profiles/identify", one(SignIn), body=body(email=email))
        return sign_in.auth_flow


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
        self._attach(Line(httpx2.Client(**options), terms, transport.named(profile)))

    def _attach(self, line: Line) -> None:
        self._line = line
        self.items = Items(line)
        self.lists = Lists(line)
        self.shares = Shares(line)
        self.shared = Shared(line)
        self.products = Products(line)
        self.profiles = Profiles(line)
        self.webhooks = Webhooks(line)
        self.events = Events(line)

    def acting_as(self, profile: str) -> Self:
        """A client for another profile on the same connections. Close only one of the two."""
        other = type(self).__new__(type(self))
        other._attach(Line(self._line.http, self._line.terms, transport.named(profile)))
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
