"""The operations. Written by ``make format`` from http/openapi.yaml."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from wishwell.client.answers import Page, nothing, one, page_of
from wishwell.client.asynchronous_by_hand import (
    AsyncEventsByHand,
    AsyncProductsByHand,
    AsyncProfilesByHand,
)
from wishwell.client.asynchronous_line import AsyncPart, Line
from wishwell.client.calls import UNSET, Call, UnsetType, body, changes, given, path, several
from wishwell.client.records import (
    AdminToken,
    By,
    Delivery,
    Include,
    Item,
    List,
    NewItem,
    NewProduct,
    PlatformRequest,
    Product,
    ProductId,
    ProductWishes,
    Profile,
    ProfileExport,
    Share,
    SharedItem,
    SharedList,
    ShownCount,
    Sort,
    SortBy,
    StoreSettings,
    Webhook,
    WishDay,
    Wisher,
    WishSummary,
)


class AsyncItems(AsyncPart):
    """The products that a profile saved, at most one item per product and variant."""

    async def list(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        include: Include | None = None,
    ) -> Page[Item]:
        """The items of the profile, or of the whole store for an admin token without ``Profile``,
        newest first, in pages. ``query`` narrows them. To walk on, repeat the request with ``page``
        set to ``pageInfo.next`` or ``pageInfo.previous``. While others write, a walk along ``next``
        to the end shows every item that was there all the time exactly once. A customer that
        nothing is known of has an empty page.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        ``query``: A search expression: 1 to 8 terms, separated by spaces. An item must match all of
        them. A term is ``<field>:<value>``, with up to 250 values separated by commas. An item must
        match one of them.

        ``include``: With ``product``, each item of whose product the store has said something
        carries it as ``product``.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, query=query, include=include)
        call = Call("GET", path("items"), page_of(Item), params=params)
        return await self._line.result(call)

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        include: Include | None = None,
    ) -> AsyncIterator[Page[Item]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET",
            path("items"),
            page_of(Item),
            given(page=page, limit=limit, query=query, include=include),
        )
        return self._line.pages(call)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        include: Include | None = None,
    ) -> AsyncIterator[Item]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET",
            path("items"),
            page_of(Item),
            given(page=page, limit=limit, query=query, include=include),
        )
        return self._line.all(call)

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
        """Saves a product or a variant for the profile. Saving twice is saving once: when the
        profile has the item already, the answer is 200 with that item, on which the ``quantity``,
        ``tags`` and ``note`` that the body names are set, to whose lists the ``list_ids`` are
        added, and nothing else is changed. A list that the profile does not have is answered 404,
        and nothing is saved. A profile holds at most 5,000 items, a list at most 1,000, and a
        profile's items stand on at most 20,000 places of its lists in all, unless the service is
        set otherwise; what would pass one of these is answered 400, and nothing is saved. An admin
        token must name the owner in ``Profile``.

        ``product_id``: The store's id of a product or variant: an integer, or in a store with text
        ids a string of 1 to 100 characters ``A-Z a-z 0-9 . _ : ~ = -`` that begins with a letter or
        digit.

        ``variant_id``: None means no variant.

        ``quantity``: Without it, a new item has 1.

        ``note``: A None or an empty text clears it.

        ``list_ids``: Lists of the same profile to put the item on.

        Raises ``NotFound``.
        """
        fields = body(
            productId=product_id,
            variantId=variant_id,
            quantity=quantity,
            tags=several(tags),
            note=note,
            listIds=several(list_ids),
        )
        call = Call("POST", path("items"), one(Item), body=fields)
        return await self._line.result(call)

    async def save_many(self, items: Sequence[NewItem]) -> tuple[Item, ...]:
        """Saves 1 to 250 items, each as ``POST /items`` would, all of them or, on an error, none. A
        product and variant may be there once. The items come back in the order sent; of the new
        ones the first is the newest. It is one request for the limits. An admin token must name the
        owner in ``Profile``.

        ``items``: Each product and variant once.

        Raises ``NotFound``.
        """
        fields = body(items=several(items))
        call = Call("PUT", path("items"), one(tuple[Item, ...]), body=fields)
        return await self._line.result(call)

    async def delete_many(self, ids: Sequence[str]) -> None:
        """Deletes 1 to 250 items, all of them or, on an error, none. Ids that name no item of the
        profile are no error. The ids come in the body or, as some intermediaries drop the body of a
        ``DELETE``, in the query parameter ``item_ids``: in one of the two. With neither, and with
        both, the answer is 400.

        ``ids``: The items to delete.

        Raises ``NotFound``.
        """
        fields = body(itemIds=several(ids))
        call = Call("DELETE", path("items"), nothing, body=fields)
        await self._line.result(call)

    async def find(self, id: str, *, include: Include | None = None) -> Item:
        """The item with this id.

        ``include``: With ``product``, each item of whose product the store has said something
        carries it as ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        call = Call("GET", path("items", id), one(Item), params=params)
        return await self._line.result(call)

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
        """Sets the fields that the body names and leaves the others as they are; a ``variant_id``
        of None clears the variant. An empty object changes nothing, ``updated_at`` included. When
        another item of the profile has the product and variant that this one would get, the answer
        is 409 and nothing is changed.

        ``product_id``: The store's id of a product or variant: an integer, or in a store with text
        ids a string of 1 to 100 characters ``A-Z a-z 0-9 . _ : ~ = -`` that begins with a letter or
        digit.

        ``variant_id``: None clears it.

        ``note``: A None or an empty text clears it.

        Raises ``NotFound`` and ``Conflict``.
        """
        fields = changes(
            productId=product_id,
            variantId=variant_id,
            quantity=quantity,
            tags=several(tags),
            note=note,
        )
        call = Call("PATCH", path("items", id), one(Item), body=fields)
        return await self._line.result(call)

    async def delete(self, id: str) -> None:
        """Deletes the item and takes it off its lists.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("items", id), nothing)
        await self._line.result(call)

    async def set_lists(self, id: str, list_ids: Sequence[str]) -> Item:
        """Puts the item on exactly these lists; an empty array takes it off all. On a list where it
        stays, it keeps its place. A list that the profile does not have is answered 404, and
        nothing is changed. By default a list holds at most 1,000 items, and all lists of a profile
        together at most 20,000. If either bound would be exceeded, the answer is 400, and nothing
        is changed.

        ``list_ids``: Exactly the lists that the item is on from now on.

        Raises ``NotFound``.
        """
        fields = body(listIds=several(list_ids))
        call = Call("PUT", path("items", id, "lists"), one(Item), body=fields)
        return await self._line.result(call)


class AsyncLists(AsyncPart):
    """Named collections of a profile's items, with an order."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[List]:
        """The lists of the profile, or of the whole store for an admin token without ``Profile``,
        newest first, in pages, without their items. Pages are walked as those of ``GET /items``
        are.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("lists"), page_of(List), params=params)
        return await self._line.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[List]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("lists"), page_of(List), given(page=page, limit=limit))
        return self._line.pages(call)

    def all(self, *, page: str | None = None, limit: int | None = None) -> AsyncIterator[List]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("lists"), page_of(List), given(page=page, limit=limit))
        return self._line.all(call)

    async def create(self, name: str) -> List:
        """A new, empty list. Names need not be unique. A profile holds at most 250 lists unless the
        service is set otherwise; one more is answered 400. An admin token must name the owner in
        ``Profile``.

        ``name``: 1 to 255 characters after trimming, without control characters. White space around
        it is removed.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(name=name)
        call = Call("POST", path("lists"), one(List), body=fields, repeatable=False)
        return await self._line.result(call)

    async def find(
        self, id: str, *, sort: Sort | None = None, include: Include | None = None
    ) -> List:
        """The list with this id, and all of its items in the order that ``sort`` asks for.

        ``sort``: The order of the list's items: ``recently_saved`` and ``oldest_saved`` go by
        ``created_at``; ``customer`` is the order set with ``PUT /lists/{listId}/items/order``, in
        which items that were never placed follow the placed ones, most recently saved first.

        ``include``: With ``product``, each item of whose product the store has said something
        carries it as ``product``.

        Raises ``NotFound``.
        """
        params = given(sort=sort, include=include)
        call = Call("GET", path("lists", id), one(List), params=params)
        return await self._line.result(call)

    async def update(self, id: str, *, name: str | UnsetType = UNSET) -> List:
        """Sets the name, if the body has one. An empty object changes nothing, ``updated_at``
        included.

        ``name``: 1 to 255 characters after trimming, without control characters. White space around
        it is removed.

        Raises ``NotFound``.
        """
        fields = changes(name=name)
        call = Call("PATCH", path("lists", id), one(List), body=fields)
        return await self._line.result(call)

    async def delete(self, id: str) -> None:
        """Deletes the list and keeps its items.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("lists", id), nothing)
        await self._line.result(call)

    async def order(self, id: str, item_ids: Sequence[str]) -> List:
        """Places the items of the list in the order given, which ``GET
        /lists/{listId}?sort=customer`` then shows. Items that the body does not name follow: first
        those that had been placed before, in the order that they had, then those never placed, most
        recently saved first. An id that is not on the list, or is there twice, is answered 400, and
        nothing is changed.

        ``item_ids``: Items of the list in the wanted order; it need not name all.

        Raises ``NotFound``.
        """
        fields = body(itemIds=several(item_ids))
        call = Call("PUT", path("lists", id, "items", "order"), one(List), body=fields)
        return await self._line.result(call)

    async def put_item(
        self, id: str, item_id: str, *, after: str | UnsetType | None = UNSET
    ) -> Item:
        """Puts the item on the list, and leaves its other lists alone. If it is there already, it
        keeps its place. With ``after``, it is placed behind that item, or first with None: all
        items before its new place, in the order ``customer``, get a place too. An ``after`` that is
        the item itself or not on the list is answered 400, and nothing is changed. The bounds of
        lists are those of ``PUT /items/{itemId}/lists``.

        ``after``: Another item of the list, behind which this one is placed; None is first.

        Raises ``NotFound``.
        """
        fields = changes(after=after)
        call = Call("PUT", path("lists", id, "items", item_id), one(Item), body=fields)
        return await self._line.result(call)

    async def remove_item(self, id: str, item_id: str) -> None:
        """Takes the item off the list, and leaves its other lists alone. If it is not on it, the
        answer is 404.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("lists", id, "items", item_id), nothing)
        await self._line.result(call)


class AsyncShares(AsyncPart):
    """Links that show a list to others, what those see, and their copies of it."""

    async def list(
        self, list_id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Share]:
        """The shares of the list, newest first, in pages; also those that have expired. Pages are
        walked as those of ``GET /items`` are.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("lists", list_id, "shares"), page_of(Share), params=params)
        return await self._line.result(call)

    async def create(
        self,
        list_id: str,
        *,
        expires_at: datetime | None = None,
        reservations: bool = False,
        notes: bool = False,
    ) -> Share:
        """Makes a link to the list: whoever has its ``token`` may see the list at ``GET
        /shared/{token}``, and nothing else of its owner. A list has at most 20 shares; one more is
        answered 400.

        ``expires_at``: From when on the share is no longer good: an RFC 3339 time with its offset,
        in the future. None is for ever.

        ``reservations``: Whether who sees the list may reserve what is on it.

        ``notes``: Whether the notes of the items are shown.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(expiresAt=expires_at, reservations=reservations, notes=notes)
        call = Call(
            "POST", path("lists", list_id, "shares"), one(Share), body=fields, repeatable=False
        )
        return await self._line.result(call)

    async def update(
        self,
        list_id: str,
        id: str,
        *,
        expires_at: datetime | UnsetType | None = UNSET,
        reservations: bool | UnsetType = UNSET,
        notes: bool | UnsetType = UNSET,
    ) -> Share:
        """Changes the fields that the body names. The token stays the same.

        ``expires_at``: From when on the share is no longer good: an RFC 3339 time with its offset,
        in the future. None is for ever.

        ``reservations``: Whether who sees the list may reserve what is on it.

        ``notes``: Whether the notes of the items are shown.

        Raises ``NotFound``.
        """
        fields = changes(expiresAt=expires_at, reservations=reservations, notes=notes)
        call = Call("PATCH", path("lists", list_id, "shares", id), one(Share), body=fields)
        return await self._line.result(call)

    async def delete(self, list_id: str, id: str) -> None:
        """From now on its token is refused everywhere. Other shares of the list go on.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("lists", list_id, "shares", id), nothing)
        await self._line.result(call)


class AsyncShared(AsyncPart):
    """Links that show a list to others, what those see, and their copies of it."""

    async def find(self, token: str, *, include: Include | None = None) -> SharedList:
        """The list that a share's token leads to, with its items in the owner's order. It needs no
        ``Authorization``; one that is sent must be good. A token that is wrong, has expired or was
        revoked, or whose list is gone, is answered 404, always in the same words. Where the share
        has reservations, items show how many are reserved and, with a profile token, how many of
        them by the caller; for the owner, and an admin token that names them in ``Profile``,
        neither. Reads count per client address, 120 a minute unless the service is set otherwise,
        and those of an admin token as its other reads; a wrong token counts as a request with no
        valid token does. Answers below ``/shared/`` carry ``X-Robots-Tag: noindex`` and
        ``Referrer-Policy: no-referrer``.

        ``include``: With ``product``, each item of whose product the store has said something
        carries it as ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        call = Call("GET", path("shared", token), one(SharedList), params=params)
        return await self._line.result(call)

    async def copy(self, token: str, *, name: str | None = None) -> List:
        """Makes a list of the caller's with what is on the shared list, in its order: with the
        quantities and, where the share shows them, the notes. An item that the caller has already
        stays as it is and is put on the new list. What would pass a bound of the caller's is
        answered 400, and nothing is changed. An admin token must name the caller in ``Profile``.

        ``name``: 1 to 255 characters after trimming, without control characters. White space around
        it is removed.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(name=name)
        call = Call(
            "POST", path("shared", token, "copies"), one(List), body=fields, repeatable=False
        )
        return await self._line.result(call)

    async def reserve(self, token: str, item_id: str, quantity: int) -> SharedItem:
        """Says that the caller gives so many of the item, in place of what they had reserved of it
        before. A reservation is of the item, over all shares of it, and never takes the sum past
        the item's quantity: that is answered 409, and nothing is changed. The owner never learns of
        it, and is answered 403; so is everybody where the share has no reservations. A profile has
        reservations of at most 1,000 items; one more is answered 400. An admin token must name the
        caller in ``Profile``.

        Raises ``NotFound`` and ``Conflict``.
        """
        fields = body(quantity=quantity)
        call = Call(
            "PUT",
            path("shared", token, "items", item_id, "reservation"),
            one(SharedItem),
            body=fields,
        )
        return await self._line.result(call)

    async def delete_reservation(self, token: str, item_id: str) -> None:
        """Ends what the caller has reserved of the item; if that is nothing, the answer is 404. The
        share may have ended. An admin token must name the caller in ``Profile``.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("shared", token, "items", item_id, "reservation"), nothing)
        await self._line.result(call)


class AsyncProfiles(AsyncProfilesByHand):
    """What is stored of a customer or visitor, tokens for them, and the store's sign-in path."""

    async def find(self) -> Profile:
        """The profile that the token or ``Profile`` acts on: how many items and lists it has, and
        whether notices are made for them. A customer of whom nothing is stored has zeros and no
        ``created_at``. ``email`` is for admin tokens alone: what somebody typed, and nobody has
        confirmed.

        Raises ``NotFound``.
        """
        call = Call("GET", path("profile"), one(Profile))
        return await self._line.result(call)

    async def update(self, *, notices: bool | UnsetType = UNSET) -> Profile:
        """Without ``notices``, no ``item.price_dropped`` and ``item.back_in_stock`` is made for the
        profile's items any more. An empty object changes nothing.

        ``notices``: Whether notices of lower prices and of returns are made for its items.

        Raises ``NotFound``.
        """
        fields = changes(notices=notices)
        call = Call("PATCH", path("profile"), one(Profile), body=fields)
        return await self._line.result(call)

    async def erase(self) -> None:
        """Ends the profile that ``Profile`` names, with everything of it. From then on, in every
        process within 5 seconds, nothing of it is shown or told, and its tokens, cookies and shares
        are refused. Steps in the background remove it, usually within a minute; what it writes
        before is answered 503, and afterwards a customer may begin anew. The store's feed tells of
        it by ``profile.erased``. It needs an admin token. A customer of whom there was nothing is
        204, too.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("profile"), nothing)
        await self._line.result(call)

    async def export(self) -> ProfileExport:
        """All that is stored of the profile, as one document: its lists with their items in the
        customer's order, items, shares, what it has reserved of others' items, and the events that
        are still kept. It comes in pieces; if one can't be read, the connection breaks.

        Raises ``NotFound``.
        """
        call = Call("GET", path("profile", "export"), one(ProfileExport))
        return await self._line.result(call)

    async def by_email(
        self, email: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Profile]:
        """The profiles that gave this address, without regard to case, in pages. It needs an admin
        token, without ``Profile``. Nobody has confirmed an address, so whoever gave it may be
        somebody else. Pages are walked as those of ``GET /items`` are.

        ``email``: The address, in any case.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(email=email, page=page, limit=limit)
        call = Call("GET", path("profiles"), page_of(Profile), params=params)
        return await self._line.result(call)


class AsyncEvents(AsyncEventsByHand):
    """What happened to the records of a store, in order."""


class AsyncWebhooks(AsyncPart):
    """Where the events of the store are sent, and how that goes."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Webhook]:
        """The webhooks of the store, newest first, in pages, as of items.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("webhooks"), page_of(Webhook), params=params)
        return await self._line.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[Webhook]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("webhooks"), page_of(Webhook), given(page=page, limit=limit))
        return self._line.pages(call)

    def all(self, *, page: str | None = None, limit: int | None = None) -> AsyncIterator[Webhook]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("webhooks"), page_of(Webhook), given(page=page, limit=limit))
        return self._line.all(call)

    async def create(self, url: str, *, types: Sequence[str] | None = None) -> Webhook:
        """Sends the events of the store to ``url`` from now on: those whose type is in ``types``,
        or all. A store has at most 20 webhooks. The store must tell events, else the answer is 409.
        ``url`` is ``https``, on port 443 or 8443, and leads to a public address.

        Each event is sent at least once, as a ``POST`` in the form of Standard Webhooks:
        ``webhook-id`` is the id of the event, ``webhook-timestamp`` the second of the attempt,
        ``webhook-signature`` is made with ``secret``, and the body is the event. Any 2xx within 15
        s is taken for its delivery. After anything else it is sent again, up to nine times, after 5
        s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h. A 410 turns the webhook off, and so does a week
        without a delivery. The order in which events arrive means nothing; their ``sequence`` does.

        ``secret`` is shown here, and when it is renewed, but nowhere else.

        ``url``: Where events are sent: ``https``, the port 443 or 8443, a public address; no user
        name, no password and no ``#``. A service may be set to take ``http``, other ports and
        private addresses too, for development.

        ``types``: Which events are sent; with none named, all.

        Raises ``NotFound`` and ``Conflict``. Not retried after a lost connection.
        """
        fields = body(url=url, types=several(types))
        call = Call("POST", path("webhooks"), one(Webhook), body=fields, repeatable=False)
        return await self._line.result(call)

    async def find(self, id: str) -> Webhook:
        """A webhook, without its secret.

        Raises ``NotFound``.
        """
        call = Call("GET", path("webhooks", id), one(Webhook))
        return await self._line.result(call)

    async def update(
        self,
        id: str,
        *,
        url: str | UnsetType = UNSET,
        types: Sequence[str] | UnsetType = UNSET,
        enabled: bool | UnsetType = UNSET,
    ) -> Webhook:
        """Changes the fields that the body names. A webhook that is turned on goes on where it was
        turned off, or with the oldest event that is kept.

        ``url``: Where events are sent: ``https``, the port 443 or 8443, a public address; no user
        name, no password and no ``#``. A service may be set to take ``http``, other ports and
        private addresses too, for development.

        ``types``: Which events are sent; with none named, all.

        ``enabled``: Whether events are sent.

        Raises ``NotFound``.
        """
        fields = changes(url=url, types=several(types), enabled=enabled)
        call = Call("PATCH", path("webhooks", id), one(Webhook), body=fields)
        return await self._line.result(call)

    async def delete(self, id: str) -> None:
        """Deletes the webhook, and then its deliveries. What is just being sent still arrives.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("webhooks", id), nothing)
        await self._line.result(call)

    async def renew_secret(self, id: str) -> Webhook:
        """Makes a new secret, which is shown here alone. For 24 hours the one before it signs as
        well; one more renewal ends that.

        Raises ``NotFound`` and ``Conflict``. Not retried after a lost connection.
        """
        call = Call("POST", path("webhooks", id, "secret"), one(Webhook), repeatable=False)
        return await self._line.result(call)

    async def test(self, id: str) -> Delivery:
        """Sends a message of the type ``webhook.test``, once. How it went is in the list of
        deliveries. A webhook that is off is answered 409.

        Raises ``NotFound`` and ``Conflict``. Not retried after a lost connection.
        """
        call = Call("POST", path("webhooks", id, "test"), one(Delivery), repeatable=False)
        return await self._line.result(call)

    async def replay(self, id: str, since: datetime) -> Webhook:
        """Sends every kept event of the webhook's types from ``since`` on again, with its id, and a
        minute's more: events are in the order of their feed, not of their times.

        ``since``: An RFC 3339 time, with its offset.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(since=since)
        call = Call(
            "POST", path("webhooks", id, "replays"), one(Webhook), body=fields, repeatable=False
        )
        return await self._line.result(call)

    async def deliveries(
        self, id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Delivery]:
        """The deliveries of the webhook, newest first, in pages, for as long as their events are
        kept.

         ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("webhooks", id, "deliveries"), page_of(Delivery), params=params)
        return await self._line.result(call)

    async def retry(self, id: str, delivery_id: str) -> Delivery:
        """Sends the event again now, whatever became of the delivery. A webhook that is off, and an
        event that is not kept any more, is answered 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("POST", path("webhooks", id, "deliveries", delivery_id, "retry"), one(Delivery))
        return await self._line.result(call)


class AsyncStore(AsyncPart):
    """The store of an admin token, and the admin tokens that it has."""

    async def find(self) -> StoreSettings:
        """The settings of the admin token's store, as its operator made them, with the limits that
        are in force. None of them is a secret.

        Raises ``NotFound``.
        """
        call = Call("GET", path("store"), one(StoreSettings))
        return await self._line.result(call)


class AsyncTokens(AsyncPart):
    """The store of an admin token, and the admin tokens that it has."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[AdminToken]:
        """The store's admin tokens, newest first, in pages: what each is for and when it was last
        used, never the token itself.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("tokens"), page_of(AdminToken), params=params)
        return await self._line.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[AdminToken]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("tokens"), page_of(AdminToken), given(page=page, limit=limit))
        return self._line.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[AdminToken]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("tokens"), page_of(AdminToken), given(page=page, limit=limit))
        return self._line.all(call)

    async def revoke(self, id: str) -> None:
        """From 5 seconds later no process takes the token any more; again, it is the same. The
        token that asks is answered 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("DELETE", path("tokens", id), nothing)
        await self._line.result(call)


class AsyncProducts(AsyncProductsByHand):
    """What the shop says of its products, so that who wishes for them hears of changes."""

    async def list(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> Page[Product]:
        """The products of the store without their variants, in pages: the one that was put for the
        first time most recently comes first. ``query`` narrows them. It needs an admin token,
        without ``Profile``.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        ``query``: A search expression: 1 to 8 terms ``title:<text>``, separated by spaces. The
        title of a product must have all of them, in any part, whatever the case of its letters. A
        term may be several texts of 1 to 100 characters, separated by commas: the title must have
        one of them.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, query=query)
        call = Call("GET", path("products"), page_of(Product), params=params)
        return await self._line.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> AsyncIterator[Page[Product]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("products"), page_of(Product), given(page=page, limit=limit, query=query)
        )
        return self._line.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> AsyncIterator[Product]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("products"), page_of(Product), given(page=page, limit=limit, query=query)
        )
        return self._line.all(call)

    async def put_many(self, products: Sequence[NewProduct]) -> None:
        """The same as ``PUT /products/{productId}`` for each of 1 to 250 products: for all of them
        or, on an error, for none. A product that is named twice is answered 400. It needs an admin
        token, without ``Profile``.

        ``products``: Each product once.

        Raises ``NotFound``.
        """
        fields = body(products=several(products))
        call = Call("PUT", path("products"), nothing, body=fields)
        await self._line.result(call)

    async def find(self, id: ProductId) -> Product:
        """What is known of the product, and of its variants. It needs an admin token, without
        ``Profile``.

        Raises ``NotFound``.
        """
        call = Call("GET", path("products", id), one(Product))
        return await self._line.result(call)

    async def delete(self, id: ProductId) -> None:
        """Forgets what is known of the product, and what is not told yet of it. Wishes for it stay.
        It needs an admin token, without ``Profile``.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("products", id), nothing)
        await self._line.result(call)


class AsyncReports(AsyncPart):
    """What is wished for, by counting, and who wishes for it."""

    async def products(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        sort: SortBy | None = None,
        by: By | None = None,
        title: str | None = None,
        page: str | None = None,
        limit: int | None = None,
    ) -> Page[ProductWishes]:
        """The products that are most wished for, the largest ``sort`` first, in pages; with
        ``by=variant`` a row for each variant. Numbers are those of the last count (``as_of``); a
        walk may see a product twice or not at all while counts change. ``format=csv`` is all of it
        as a spreadsheet.

        ``from_``: The first day, in the time zone of the store; without it, 29 days before ``to``.

        ``to``: The last day, at most 365 after ``from``; without it, that of the last count or
        today, the later one.

        ``sort``: What the order goes by.

        ``by``: What has a row of its own.

        ``title``: A part of the products' titles, without regard to case. Such a report may read
        all of the store's products.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(
            to=to, sort=sort, by=by, title=title, page=page, limit=limit, **{"from": from_}
        )
        call = Call("GET", path("reports", "products"), page_of(ProductWishes), params=params)
        return await self._line.result(call)

    async def summary(self, *, from_: str | None = None, to: str | None = None) -> WishSummary:
        """How many wishes there are, whose, and how many came and went. ``format=csv`` is the same
        as a spreadsheet.

        ``from_``: The first day, in the time zone of the store; without it, 29 days before ``to``.

        ``to``: The last day, at most 365 after ``from``; without it, that of the last count or
        today, the later one.

        Raises ``NotFound``.
        """
        params = given(to=to, **{"from": from_})
        call = Call("GET", path("reports", "summary"), one(WishSummary), params=params)
        return await self._line.result(call)

    async def days(
        self, *, from_: str | None = None, to: str | None = None, product: ProductId | None = None
    ) -> tuple[WishDay, ...]:
        """A row for each day: the wishes at its end, and how many came and went; of all products,
        or of ``product``. Days before the first count are left out. ``format=csv`` is the same as a
        spreadsheet.

         ``from_``: The first day, in the time zone of the store; without it, 29 days before ``to``.

        ``to``: The last day, at most 365 after ``from``; without it, that of the last count or
        today, the later one.

        ``product``: The product; without it, all.

        Raises ``NotFound``.
        """
        params = given(to=to, product=product, **{"from": from_})
        call = Call("GET", path("reports", "days"), one(tuple[WishDay, ...]), params=params)
        return await self._line.result(call)

    async def wishers(
        self,
        product: ProductId,
        *,
        variant: ProductId | None = None,
        page: str | None = None,
        limit: int | None = None,
    ) -> Page[Wisher]:
        """Who wishes for a product now, or for it in one variant, newest first, in pages. Nobody
        has confirmed the e-mail address. ``format=csv`` is all of it as a spreadsheet.

        ``product``: The product.

        ``variant``: The variant; without it, any.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(product=product, variant=variant, page=page, limit=limit)
        call = Call("GET", path("reports", "wishers"), page_of(Wisher), params=params)
        return await self._line.result(call)

    async def shown(self, products: str) -> tuple[ShownCount, ...]:
        """About how many wish for each product, to be shown to anybody: the largest of 10, 25, 50,
        100, 250, 500, 1,000 and so on that the last count reaches, or 0. A browser may keep it for
        an hour. 404 until the store has ``--show-wishes on``.

        ``products``: 1 to 250 products, with commas between them.

        Raises ``NotFound``.
        """
        params = given(products=products)
        call = Call("GET", path("wishes"), one(tuple[ShownCount, ...]), params=params)
        return await self._line.result(call)


class AsyncRequests(AsyncPart):
    """What the store's platform asks for, so that a person's data is shown or erased."""

    async def list(
        self, *, page: str | None = None, limit: int | None = None
    ) -> Page[PlatformRequest]:
        """What the store's platform has asked for, newest first, in pages. A request that is done
        keeps its topic, its times, the SHA-256 of its body and how it ended.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier answer. It
        is bound to the profile and to ``query``: with others, or when it was changed, the answer is
        400.

        ``limit``: The number of records of a page, 1 to 250, by default 50.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("requests"), page_of(PlatformRequest), params=params)
        return await self._line.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[PlatformRequest]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("requests"), page_of(PlatformRequest), given(page=page, limit=limit)
        )
        return self._line.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[PlatformRequest]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("requests"), page_of(PlatformRequest), given(page=page, limit=limit)
        )
        return self._line.all(call)

    async def call_off(self, id: str) -> None:
        """Calls off a ``shop/redact`` that waits, within 7 days of its coming, so that the store is
        not deleted; again, it is the same. Another request is answered 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("DELETE", path("requests", id), nothing)
        await self._line.result(call)

    async def export(self, id: str) -> ProfileExport:
        """What was stored of the customer when a ``customers/data_request`` was done, as ``GET
        /profile/export`` has it. It is kept for 30 days, unless the customer is erased.

        Raises ``NotFound``.
        """
        call = Call("GET", path("requests", id, "export"), one(ProfileExport))
        return await self._line.result(call)


class AsyncResources:
    """The operations, by resource."""

    def _attach(self, line: Line) -> None:
        self._line = line
        self.items = AsyncItems(line)
        self.lists = AsyncLists(line)
        self.shares = AsyncShares(line)
        self.shared = AsyncShared(line)
        self.profiles = AsyncProfiles(line)
        self.events = AsyncEvents(line)
        self.webhooks = AsyncWebhooks(line)
        self.store = AsyncStore(line)
        self.tokens = AsyncTokens(line)
        self.products = AsyncProducts(line)
        self.reports = AsyncReports(line)
        self.requests = AsyncRequests(line)
