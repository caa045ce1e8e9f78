"""The operations. Written by ``make format`` from http/openapi.json."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from wishwell_client._async.by_hand import (
    AsyncEventsByHand,
    AsyncListsByHand,
    AsyncOrdersByHand,
    AsyncProductsByHand,
    AsyncProfilesByHand,
)
from wishwell_client._async.transport import AsyncResource, Transport
from wishwell_client.answers import Page, nothing, one, page_of
from wishwell_client.calls import (
    UNSET,
    Call,
    UnsetType,
    body,
    changes,
    given,
    joined,
    path,
    several,
)
from wishwell_client.records import (
    AdminToken,
    By,
    Delivery,
    EarnedBy,
    EarnedRow,
    HeldReservation,
    Include,
    Item,
    ItemSort,
    List,
    Mail,
    MailDay,
    MailPreview,
    NewItem,
    NewProduct,
    OnlyProducts,
    PlatformRequest,
    PreviewKind,
    PreviewLanguage,
    Product,
    ProductId,
    ProductWishes,
    Profile,
    ProfileEmail,
    ProfileExport,
    ProfileHistory,
    Share,
    SharedItem,
    SharedList,
    SharesOf,
    Shopper,
    ShopperSort,
    ShownCount,
    Sort,
    SortBy,
    StoredEmails,
    StoredSuppressions,
    StoreLookPatch,
    StoreReportingPatch,
    StoreSettings,
    StoreStatus,
    Suppression,
    Webhook,
    WishDay,
    Wisher,
    WishSummary,
    WithStatus,
)


class AsyncItems(AsyncResource):
    """Products that a profile saved, at most one item per product and variant."""

    async def list(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        sort: ItemSort | None = None,
        include: Include | None = None,
    ) -> Page[Item]:
        """The items of the profile, or of the whole store for an admin token without ``Profile``,
        newest first or in the order of ``sort``, in pages. ``query`` filters them. For the next
        page, repeat the request with ``page`` set to ``pageInfo.next`` or ``pageInfo.previous``.
        While others write, following ``next`` to the end returns each item that existed the whole
        time exactly once. A customer of whom nothing is stored has an empty page.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        ``query``: A search expression: up to 8 terms, separated by spaces. An item must match all
        of them. A term is ``<field>:<value>``, with up to 250 values separated by commas. An item
        must match one of them.

        ``sort``: The order of the items: by ``created_at``; by the ``price`` of their products, the
        lowest first; or by their ``title``, ignoring case and accents. Unknown prices and titles
        come last, equal ones newest first. ``price`` and ``title`` need one profile. ``custom`` is
        the same as ``newest``, because only a list has an order of its own.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, query=query, sort=sort, include=include)
        call = Call("GET", path("items"), page_of(Item), params=params)
        return await self._transport.result(call)

    def pages(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        sort: ItemSort | None = None,
        include: Include | None = None,
    ) -> AsyncIterator[Page[Item]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET",
            path("items"),
            page_of(Item),
            given(page=page, limit=limit, query=query, sort=sort, include=include),
        )
        return self._transport.pages(call)

    def all(
        self,
        *,
        page: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        sort: ItemSort | None = None,
        include: Include | None = None,
    ) -> AsyncIterator[Item]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET",
            path("items"),
            page_of(Item),
            given(page=page, limit=limit, query=query, sort=sort, include=include),
        )
        return self._transport.all(call)

    async def create(
        self,
        product_id: ProductId,
        *,
        variant_id: ProductId | None = None,
        quantity: int | None = None,
        tags: Sequence[str] | None = None,
        note: str | None = None,
        list_ids: Sequence[str] | None = None,
        list_name: str | None = None,
        include: Include | None = None,
    ) -> Item:
        """Saves a product or a variant for the profile. The operation is idempotent: if the profile
        already has the item, the response is 200 with that item, after setting the ``quantity``,
        ``tags`` and ``note`` that the body contains and adding the item to the lists in
        ``list_ids``. Nothing else is changed. If the profile doesn't have one of the lists, the
        response is 404 and nothing is saved. By default a profile can have at most 5,000 items, a
        list at most 1,000, and all lists of a profile together at most 20,000. If a limit would be
        exceeded, the response is 400 and nothing is saved. With an admin token, ``Profile`` must
        identify the owner.

        ``product_id``: The store's id of a product or variant: an integer, or in a store with text
        ids a string of 1 to 100 characters ``A-Z a-z 0-9 . _ : ~ = -`` that begins with a letter or
        digit.

        ``variant_id``: None means no variant.

        ``quantity``: A new item has 1 by default.

        ``note``: None or an empty text removes the note.

        ``list_ids``: Lists of the same profile to put the item on.

        ``list_name``: The name of a list to put the item on, which is created unless the profile
        has one with this name in upper or lower case.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        fields = body(
            productId=product_id,
            variantId=variant_id,
            quantity=quantity,
            tags=several(tags),
            note=note,
            listIds=several(list_ids),
            listName=list_name,
        )
        call = Call("POST", path("items"), one(Item), params=params, body=fields)
        return await self._transport.result(call)

    async def save_many(self, items: Sequence[NewItem]) -> tuple[Item, ...]:
        """Saves 1 to 250 items, each as ``POST /items`` would: all of them or, on an error, none. A
        product and variant must not be repeated. The items are returned in the order sent; the
        first of the new ones is the newest. Rate limits count one request. With an admin token,
        ``Profile`` must identify the owner.

        ``items``: Each product and variant at most once.

        Raises ``NotFound``.
        """
        fields = body(items=several(items))
        call = Call("PUT", path("items"), one(tuple[Item, ...]), body=fields)
        return await self._transport.result(call)

    async def delete_many(self, ids: Sequence[str]) -> None:
        """Deletes 1 to 250 items: all of them or, on an error, none. Ids that the profile doesn't
        have are ignored. Send the ids either in the body or, because some intermediaries drop the
        body of a ``DELETE``, in the query parameter ``item_ids``. With neither or both of them, the
        response is 400.

        ``ids``: The items to delete.

        Raises ``NotFound``.
        """
        fields = body(itemIds=several(ids))
        call = Call("DELETE", path("items"), nothing, body=fields)
        await self._transport.result(call)

    async def find(self, id: str, *, include: Include | None = None) -> Item:
        """The item with this id.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        call = Call("GET", path("items", id), one(Item), params=params)
        return await self._transport.result(call)

    async def update(
        self,
        id: str,
        *,
        product_id: ProductId | UnsetType = UNSET,
        variant_id: ProductId | UnsetType | None = UNSET,
        quantity: int | UnsetType = UNSET,
        tags: Sequence[str] | UnsetType | None = UNSET,
        note: str | UnsetType | None = UNSET,
    ) -> Item:
        """Sets the fields in the body and leaves the others unchanged; a ``variant_id`` of None
        removes the variant. An empty object changes nothing, not even ``updated_at``. If another
        item of the profile already has the new product and variant, the response is 409 and nothing
        is changed.

        ``product_id``: The store's id of a product or variant: an integer, or in a store with text
        ids a string of 1 to 100 characters ``A-Z a-z 0-9 . _ : ~ = -`` that begins with a letter or
        digit.

        ``variant_id``: None removes the variant.

        ``note``: None or an empty text removes the note.

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
        return await self._transport.result(call)

    async def delete(self, id: str) -> None:
        """Deletes the item and removes it from its lists.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("items", id), nothing)
        await self._transport.result(call)

    async def set_lists(self, id: str, list_ids: Sequence[str]) -> Item:
        """Puts the item on exactly these lists; an empty array removes it from all. On a list where
        it already is, it keeps its position. If the profile doesn't have one of the lists, the
        response is 404 and nothing is changed. By default a list can have at most 1,000 items, and
        all lists of a profile together at most 20,000. If a limit would be exceeded, the response
        is 400 and nothing is changed.

        ``list_ids``: The new lists of the item, which replace its current ones.

        Raises ``NotFound``.
        """
        fields = body(listIds=several(list_ids))
        call = Call("PUT", path("items", id, "lists"), one(Item), body=fields)
        return await self._transport.result(call)


class AsyncLists(AsyncListsByHand):
    """Named collections of a profile's items, with an order."""

    async def list(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> Page[List]:
        """The lists of the profile, or of the whole store for an admin token without ``Profile``,
        newest first, in pages, without their items. Pagination works as for ``GET /items``.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        ``query``: A search expression: up to 8 terms ``name:<text>``, separated by spaces. The name
        of a list must contain all of them, compared without case. A term may have several texts of
        1 to 100 characters, separated by commas; the name must contain one of them. With an admin
        token, ``Profile`` is required.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, query=query)
        call = Call("GET", path("lists"), page_of(List), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> AsyncIterator[Page[List]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("lists"), page_of(List), given(page=page, limit=limit, query=query))
        return self._transport.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> AsyncIterator[List]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("lists"), page_of(List), given(page=page, limit=limit, query=query))
        return self._transport.all(call)

    async def create(self, name: str) -> List:
        """Creates an empty list. Names need not be unique. By default a profile can have at most
        250 lists; beyond that, the response is 400. With an admin token, ``Profile`` must identify
        the owner.

        ``name``: 1 to 255 characters after trimming, without control characters. White space around
        it is removed.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(name=name)
        call = Call("POST", path("lists"), one(List), body=fields, repeatable=False)
        return await self._transport.result(call)

    async def find(
        self, id: str, *, sort: Sort | None = None, include: Include | None = None
    ) -> List:
        """The list with this id and all of its items, in the order given by ``sort``. With
        ``limit`` or ``page``, a page of its items in that order, with ``page_info`` next to
        ``data``; ``item_count`` stays the number of all. Pagination works as for ``GET /items``. In
        the order ``customer``, an item that is moved in the meantime may be missed or come twice.

        ``sort``: The order of the list's items: ``recently_saved`` (or ``newest``) and
        ``oldest_saved`` (``oldest``) sort by ``created_at``; ``customer`` (``custom``) is the order
        set with ``PUT /lists/{listId}/items/order``, in which items without a position follow the
        others, most recently saved first; ``price`` and ``title`` sort as in ``GET /items``.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(sort=sort, include=include)
        call = Call("GET", path("lists", id), one(List), params=params)
        return await self._transport.result(call)

    async def update(self, id: str, *, name: str | UnsetType = UNSET) -> List:
        """Sets the name if the body has one. An empty object changes nothing, not even
        ``updated_at``.

        ``name``: 1 to 255 characters after trimming, without control characters. White space around
        it is removed.

        Raises ``NotFound``.
        """
        fields = changes(name=name)
        call = Call("PATCH", path("lists", id), one(List), body=fields)
        return await self._transport.result(call)

    async def delete(self, id: str) -> None:
        """Deletes the list and keeps its items.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("lists", id), nothing)
        await self._transport.result(call)

    async def replace_items(self, id: str, item_ids: Sequence[str]) -> List:
        """Leaves exactly these items on the list, in this order: at most 1,000, in one transaction,
        as one request for the rate limit. Items that leave the list stay saved. If an id is
        repeated, the response is 400, for an unknown one 404, and nothing is changed. Each item
        that joins or leaves has an event ``item.updated``, and the list one ``list.updated``.

        ``item_ids``: Items of the list's owner, in the new order. An empty array empties the list.

        Raises ``NotFound``.
        """
        fields = body(itemIds=several(item_ids))
        call = Call("PUT", path("lists", id, "items"), one(List), body=fields)
        return await self._transport.result(call)

    async def remove_items(
        self, id: str, *, item_ids: Sequence[str] | None = None, all: bool = False
    ) -> None:
        """Takes the items with these ids off the list, at most 1,000, or all: in one transaction,
        as one request for the rate limit. The items stay saved. Ids that aren't on the list are
        ignored. The response is 400 for an empty array and for a repeated id. Events are those of
        ``PUT``.

        ``item_ids``: Items to take off the list; None counts as omitted.

        ``all``: true takes off all items.

        Raises ``NotFound``.
        """
        fields = body(itemIds=several(item_ids), all=all)
        call = Call("DELETE", path("lists", id, "items"), nothing, body=fields)
        await self._transport.result(call)

    async def order(self, id: str, item_ids: Sequence[str]) -> List:
        """Sets the order of the items on the list, which ``GET /lists/{listId}?sort=customer`` then
        shows. Items that are not in the body follow: first those with a position, in their previous
        order, then those without one, most recently saved first. If an id is not on the list or is
        repeated, the response is 400 and nothing is changed.

        ``item_ids``: Items of the list in the new order. Items may be omitted.

        Raises ``NotFound``.
        """
        fields = body(itemIds=several(item_ids))
        call = Call("PUT", path("lists", id, "items", "order"), one(List), body=fields)
        return await self._transport.result(call)

    async def put_item(
        self,
        id: str,
        item_id: str,
        *,
        after: str | UnsetType | None = UNSET,
        position: str | UnsetType = UNSET,
    ) -> Item:
        """Puts the item on the list and leaves its other lists unchanged. If the item is already on
        it, it keeps its position. With ``after``, the item is moved after that item, or to the
        start with None; ``position`` moves it to an end of the list. All items before its new
        position, in the order ``customer``, get a position too. If ``after`` is the item itself or
        is not on the list, the response is 400 and nothing is changed. The limits of lists are
        those of ``PUT /items/{itemId}/lists``.

        ``after``: Another item of the list, after which this one is placed; None places it first.

        ``position``: An end of the list, in place of ``after``.

        Raises ``NotFound``.
        """
        fields = changes(after=after, position=position)
        call = Call("PUT", path("lists", id, "items", item_id), one(Item), body=fields)
        return await self._transport.result(call)

    async def remove_item(self, id: str, item_id: str) -> None:
        """Removes the item from the list and leaves its other lists unchanged. If the item is not
        on the list, the response is 404.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("lists", id, "items", item_id), nothing)
        await self._transport.result(call)


class AsyncShares(AsyncResource):
    """Links that show a list to others, the shared lists, and copies of them."""

    async def list(
        self, list_id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Share]:
        """The shares of the list, newest first, in pages, including expired ones. Pagination works
        as for ``GET /items``.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("lists", list_id, "shares"), page_of(Share), params=params)
        return await self._transport.result(call)

    async def create(
        self,
        list_id: str,
        *,
        expires_at: datetime | None = None,
        reservations: bool = False,
        notes: bool = False,
        display_name: str | None = None,
    ) -> Share:
        """Creates a link to the list: anyone who has its ``token`` can see the list at ``GET
        /shared/{token}``, and nothing else of its owner. A list can have at most 20 shares; beyond
        that, the response is 400.

        ``expires_at``: When the share expires: an RFC 3339 time with an offset, in the future. None
        means never.

        ``reservations``: Whether others may reserve items of the list.

        ``notes``: Whether the notes of the items are shown.

        ``display_name``: The owner's name as people with the link see it; None or an empty text for
        none.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(
            expiresAt=expires_at, reservations=reservations, notes=notes, displayName=display_name
        )
        call = Call(
            "POST", path("lists", list_id, "shares"), one(Share), body=fields, repeatable=False
        )
        return await self._transport.result(call)

    async def update(
        self,
        list_id: str,
        id: str,
        *,
        expires_at: datetime | UnsetType | None = UNSET,
        reservations: bool | UnsetType = UNSET,
        notes: bool | UnsetType = UNSET,
        display_name: str | UnsetType | None = UNSET,
    ) -> Share:
        """Changes the fields in the body. The token stays the same.

        ``expires_at``: When the share expires: an RFC 3339 time with an offset, in the future. None
        means never.

        ``reservations``: Whether others may reserve items of the list.

        ``notes``: Whether the notes of the items are shown.

        ``display_name``: The owner's name as people with the link see it; None or an empty text for
        none.

        Raises ``NotFound``.
        """
        fields = changes(
            expiresAt=expires_at, reservations=reservations, notes=notes, displayName=display_name
        )
        call = Call("PATCH", path("lists", list_id, "shares", id), one(Share), body=fields)
        return await self._transport.result(call)

    async def delete(self, list_id: str, id: str) -> None:
        """From now on its token is rejected everywhere. Other shares of the list stay valid.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("lists", list_id, "shares", id), nothing)
        await self._transport.result(call)


class AsyncWishlistShares(AsyncResource):
    """Links that show a list to others, the shared lists, and copies of them."""

    async def list(
        self, *, page: str | None = None, limit: int | None = None, of: SharesOf | None = None
    ) -> Page[Share]:
        """The shares of the profile's whole wishlist, or with ``of=all`` also those of its lists,
        each with its ``list_id``, newest first, in pages, including expired ones. Pagination works
        as for ``GET /items``.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        ``of``: With ``all``, the shares of the profile's lists, too. With ``wishlist``, the
        default, those of the whole wishlist.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, of=of)
        call = Call("GET", path("shares"), page_of(Share), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None, of: SharesOf | None = None
    ) -> AsyncIterator[Page[Share]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("shares"), page_of(Share), given(page=page, limit=limit, of=of))
        return self._transport.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None, of: SharesOf | None = None
    ) -> AsyncIterator[Share]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("shares"), page_of(Share), given(page=page, limit=limit, of=of))
        return self._transport.all(call)

    async def create(
        self,
        *,
        expires_at: datetime | None = None,
        reservations: bool = False,
        notes: bool = False,
        display_name: str | None = None,
    ) -> Share:
        """Creates a link to all items of the profile, with those saved later: anyone who has its
        ``token`` can see them at ``GET /shared/{token}``, without lists and tags. A profile can
        have at most 20 such shares; beyond that, the response is 400. Works like ``POST
        /lists/{listId}/shares`` otherwise.

        ``expires_at``: When the share expires: an RFC 3339 time with an offset, in the future. None
        means never.

        ``reservations``: Whether others may reserve items of the list.

        ``notes``: Whether the notes of the items are shown.

        ``display_name``: The owner's name as people with the link see it; None or an empty text for
        none.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(
            expiresAt=expires_at, reservations=reservations, notes=notes, displayName=display_name
        )
        call = Call("POST", path("shares"), one(Share), body=fields, repeatable=False)
        return await self._transport.result(call)

    async def update(
        self,
        share_id: str,
        *,
        expires_at: datetime | UnsetType | None = UNSET,
        reservations: bool | UnsetType = UNSET,
        notes: bool | UnsetType = UNSET,
        display_name: str | UnsetType | None = UNSET,
    ) -> Share:
        """Changes the fields in the body, of a share of the wishlist or of a list. The token stays
        the same.

        ``expires_at``: When the share expires: an RFC 3339 time with an offset, in the future. None
        means never.

        ``reservations``: Whether others may reserve items of the list.

        ``notes``: Whether the notes of the items are shown.

        ``display_name``: The owner's name as people with the link see it; None or an empty text for
        none.

        Raises ``NotFound``.
        """
        fields = changes(
            expiresAt=expires_at, reservations=reservations, notes=notes, displayName=display_name
        )
        call = Call("PATCH", path("shares", share_id), one(Share), body=fields)
        return await self._transport.result(call)

    async def delete(self, share_id: str) -> None:
        """Deletes a share of the wishlist or of a list. From now on its token is rejected
        everywhere. Other shares stay valid.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("shares", share_id), nothing)
        await self._transport.result(call)


class AsyncReservations(AsyncResource):
    """Links that show a list to others, the shared lists, and copies of them."""

    async def list(self, *, include: Include | None = None) -> tuple[HeldReservation, ...]:
        """All items of others that the profile has reserved, oldest first, without their owners.
        ``DELETE /shared/{token}/items/{itemId}/reservation`` deletes one, also if its list is no
        longer shared. With an admin token, ``Profile`` must identify the guest.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        call = Call("GET", path("reservations"), one(tuple[HeldReservation, ...]), params=params)
        return await self._transport.result(call)


class AsyncShared(AsyncResource):
    """Links that show a list to others, the shared lists, and copies of them."""

    async def find(self, token: str, *, include: Include | None = None) -> SharedList:
        """The list that a share's token belongs to, with its items in the owner's order.
        ``Authorization`` is optional, but must be valid if sent. If the share's token is wrong, has
        expired or was revoked, or its list was deleted, the response is 404, always with the same
        message. If the share has reservations, items show how many are reserved and, with a profile
        token, how many of them by the caller. The owner, and an admin token with the owner in
        ``Profile``, see neither. Rate limits count reads per client address, 120 per minute by
        default, and reads with an admin token as its other reads; a wrong token counts as a request
        without a valid token. Responses below ``/shared/`` have ``X-Robots-Tag: noindex`` and
        ``Referrer-Policy: no-referrer``.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        call = Call("GET", path("shared", token), one(SharedList), params=params)
        return await self._transport.result(call)

    async def copy(self, token: str, *, name: str | None = None) -> List:
        """Creates a list for the caller with the items of the shared list, in the same order, with
        their quantities and, if the share shows them, their notes. An item that the caller already
        has stays unchanged and is put on the new list. If a limit of the caller would be exceeded,
        the response is 400 and nothing is changed. With an admin token, ``Profile`` must identify
        the caller.

        ``name``: 1 to 255 characters after trimming, without control characters. White space around
        it is removed.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(name=name)
        call = Call(
            "POST", path("shared", token, "copies"), one(List), body=fields, repeatable=False
        )
        return await self._transport.result(call)

    async def reserve(self, token: str, item_id: str, quantity: int) -> SharedItem:
        """Sets the quantity of the item that the caller has reserved, replacing the previous one. A
        reservation belongs to the item and is shared by all of its shares. If the total would
        exceed the item's quantity, the response is 409 and nothing is changed. Reservations are
        never shown to the owner. For the owner, and for anyone if the share has no reservations,
        the response is 403. A profile can reserve at most 1,000 items; beyond that, the response is
        400. With an admin token, ``Profile`` must identify the caller.

        Raises ``NotFound`` and ``Conflict``.
        """
        fields = body(quantity=quantity)
        call = Call(
            "PUT",
            path("shared", token, "items", item_id, "reservation"),
            one(SharedItem),
            body=fields,
        )
        return await self._transport.result(call)

    async def delete_reservation(self, token: str, item_id: str) -> None:
        """Deletes the caller's reservation of the item; if there is none, the response is 404. It
        also works after the share has expired or was deleted. With an admin token, ``Profile`` must
        identify the caller.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("shared", token, "items", item_id, "reservation"), nothing)
        await self._transport.result(call)


class AsyncProfiles(AsyncProfilesByHand):
    """The data of a customer or visitor, tokens for them, and the store's sign-in path."""

    async def find(self) -> Profile:
        """The profile that the token or ``Profile`` acts on: the number of its items and lists, and
        whether and how it gets notices. A customer of whom nothing is stored has zeros and no
        ``created_at``. ``email`` is masked except for admin tokens.

        Raises ``NotFound``.
        """
        call = Call("GET", path("profile"), one(Profile))
        return await self._transport.result(call)

    async def update(self, *, notices: bool | UnsetType | None = UNSET) -> Profile:
        """With ``notices`` set to false, the events ``item.price_dropped`` and
        ``item.back_in_stock`` are no longer recorded for the profile's items. ``true`` also
        confirms a pending address that its owner had confirmed as a visitor. An empty object
        changes nothing.

        ``notices``: None changes nothing, because a choice can't be taken back.

        Raises ``NotFound``.
        """
        fields = changes(notices=notices)
        call = Call("PATCH", path("profile"), one(Profile), body=fields)
        return await self._transport.result(call)

    async def erase(self) -> None:
        """Erases the profile in ``Profile`` with all its data. Within 5 seconds no process shows
        its data or emits its events, and its tokens, cookies and shares are rejected. Background
        jobs delete the data, usually within a minute; until then, the profile's writes get 503.
        Afterwards a customer can start again with an empty profile. The store's feed contains the
        event ``profile.erased``. Requires an admin token. For a customer of whom nothing is stored,
        the response is 204, too.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("profile"), nothing)
        await self._transport.result(call)

    async def remove_email(self) -> None:
        """Removes the profile's e-mail address. Mails that wait for it are cancelled. If there is
        no address, the response is 204, too.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("profile", "email"), nothing)
        await self._transport.result(call)

    async def export(self, *, include: Include | None = None) -> ProfileExport:
        """All data stored about the profile, as one document: its lists with their items in the
        customer's order, items, shares, reservations of others' items, the mails of 30 days, and
        the events that are still stored. With ``include=product``, items have the titles and links
        of their products. The response is streamed; if a part can't be read, the connection is
        closed early.

        ``include``: With ``product``, each item whose product has published data contains it as
        ``product``.

        Raises ``NotFound``.
        """
        params = given(include=include)
        call = Call("GET", path("profile", "export"), one(ProfileExport), params=params)
        return await self._transport.result(call)

    async def by_email(
        self, email: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Profile]:
        """The profiles with this address, compared without case, in pages. Requires an admin token
        without ``Profile``. Addresses are not verified, so the address may belong to somebody else.
        Pagination works as for ``GET /items``.

        ``email``: The address; upper and lower case don't matter.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(email=email, page=page, limit=limit)
        call = Call("GET", path("profiles"), page_of(Profile), params=params)
        return await self._transport.result(call)

    async def history(self, profile: str) -> ProfileHistory:
        """For "my wishlist is gone": when the profile was stored and last used, the sessions that
        were merged into it, its erasure and revocations, and its last 1,000 events that are still
        stored; what isn't recorded, and what to ask the shopper. ``wishwell profile history`` also
        reads the journal. Requires an admin token without ``Profile``.

        ``profile``: The GID of a customer or session.

        Raises ``NotFound``.
        """
        params = given(profile=profile)
        call = Call("GET", path("profiles", "history"), one(ProfileHistory), params=params)
        return await self._transport.result(call)

    async def put_emails(self, profiles: Sequence[ProfileEmail]) -> StoredEmails:
        """Stores the addresses of 1 to 250 existing profiles, which the shop has confirmed. They
        replace typed ones. Nothing is stored for unknown profiles. Requires an admin token without
        ``Profile``.

        Raises ``NotFound``.
        """
        fields = body(profiles=several(profiles))
        call = Call("PUT", path("profiles", "email"), one(StoredEmails), body=fields)
        return await self._transport.result(call)


class AsyncMails(AsyncResource):
    """Mails about notices, and the addresses that they are sent to."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Mail]:
        """The store's mails of the last 30 days, the newest first, without their texts and
        addresses. Requires an admin token without ``Profile``. Pagination works as for ``GET
        /items``.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("mails"), page_of(Mail), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[Mail]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("mails"), page_of(Mail), given(page=page, limit=limit))
        return self._transport.pages(call)

    def all(self, *, page: str | None = None, limit: int | None = None) -> AsyncIterator[Mail]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("mails"), page_of(Mail), given(page=page, limit=limit))
        return self._transport.all(call)

    async def days(self) -> tuple[MailDay, ...]:
        """The number of mails that were created on each of the last 30 days, by what has become of
        them, and of addresses that were unsubscribed. Days are in the time zone of the store.

         Raises ``NotFound``.
        """
        call = Call("GET", path("mails", "days"), one(tuple[MailDay, ...]))
        return await self._transport.result(call)

    async def preview(
        self, *, kind: PreviewKind | None = None, language: PreviewLanguage | None = None
    ) -> MailPreview:
        """A mail with sample products, as the store's shoppers get it now.

        ``kind``: The kind of mail.

        ``language``: The language of the mail (default: the store's, or else English).

        Raises ``NotFound``.
        """
        params = given(kind=kind, language=language)
        call = Call("GET", path("mails", "preview"), one(MailPreview), params=params)
        return await self._transport.result(call)

    async def suppress(self, suppressions: Sequence[Suppression]) -> StoredSuppressions:
        """Sends no more mails to 1 to 250 addresses, of which the shop's mail relay has reported a
        bounce or a complaint. Requires an admin token without ``Profile``.

        Raises ``NotFound``.
        """
        fields = body(suppressions=several(suppressions))
        call = Call("PUT", path("mails", "suppressions"), one(StoredSuppressions), body=fields)
        return await self._transport.result(call)


class AsyncEvents(AsyncEventsByHand):
    """Changes to the records of a store, in order."""


class AsyncWebhooks(AsyncResource):
    """URLs that the store's events are sent to, and the deliveries."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[Webhook]:
        """The webhooks of the store, newest first, in pages.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("webhooks"), page_of(Webhook), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[Webhook]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("webhooks"), page_of(Webhook), given(page=page, limit=limit))
        return self._transport.pages(call)

    def all(self, *, page: str | None = None, limit: int | None = None) -> AsyncIterator[Webhook]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("webhooks"), page_of(Webhook), given(page=page, limit=limit))
        return self._transport.all(call)

    async def create(
        self,
        url: str,
        *,
        types: Sequence[str] | None = None,
        format: str | None = None,
        key: str | None = None,
        include: Sequence[str] | None = None,
    ) -> Webhook:
        """Sends the events of the store to ``url`` from now on: those whose type is in ``types``,
        or all. A store can have at most 20 webhooks. If the store has events turned off, the
        response is 409. ``url`` must be ``https``, on port 443 or 8443, and lead to a public
        address.

        Each event is sent at least once, as a ``POST`` in the form of Standard Webhooks:
        ``webhook-id`` is the id of the event, ``webhook-timestamp`` the second of the attempt,
        ``webhook-signature`` is made with ``secret``, and the body is the event. Any 2xx within 15
        s counts as delivered. Otherwise the delivery is retried up to nine times, with a backoff of
        5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h. After an answer with ``Retry-After`` or a
        429, the webhook sends nothing until then, for 24 h at most. A 410 turns the webhook off,
        and so does a week without a successful delivery. Events may arrive in any order; sort them
        by ``sequence``. ``secret`` is returned only here and when it is renewed.

        With ``format``, events are sent as calls of a marketing tool's API instead. ``url`` is the
        base address of the API, and ``key`` its key.

        ``url``: The URL that events are sent to: ``https``, port 443 or 8443, a public address, and
        without a user name, a password or a ``#``. For development, a service can be configured to
        allow ``http``, other ports and private addresses.

        ``types``: The types of events to send; all if empty.

        ``format``: The API that events are sent to: ``segment`` (RudderStack and Customer.io have
        the same), ``klaviyo``, ``brevo``, or ``listmonk``, for which use ``wishwell webhook
        create``. Without a format, events are sent in the form of Standard Webhooks.

        ``key``: The key of the format's API, which no response shows. Required with a format, and
        again with a new ``url``.

        ``include``: With ``product``, the item in each event has the data of its product as
        ``product``, as it is when the event is sent. A format has them anyway.

        Raises ``NotFound`` and ``Conflict``. Not retried after a lost connection.
        """
        fields = body(
            url=url, types=several(types), format=format, key=key, include=several(include)
        )
        call = Call("POST", path("webhooks"), one(Webhook), body=fields, repeatable=False)
        return await self._transport.result(call)

    async def find(self, id: str) -> Webhook:
        """A webhook, without its secret.

        Raises ``NotFound``.
        """
        call = Call("GET", path("webhooks", id), one(Webhook))
        return await self._transport.result(call)

    async def update(
        self,
        id: str,
        *,
        url: str | UnsetType = UNSET,
        types: Sequence[str] | UnsetType | None = UNSET,
        enabled: bool | UnsetType = UNSET,
        key: str | UnsetType = UNSET,
        include: Sequence[str] | UnsetType | None = UNSET,
    ) -> Webhook:
        """Changes the fields in the body. A webhook that is turned on resumes with the first event
        that it hasn't sent, or with the oldest event that is still stored. A webhook with a format
        needs its ``key`` again with a new ``url``.

        ``url``: The URL that events are sent to: ``https``, port 443 or 8443, a public address, and
        without a user name, a password or a ``#``. For development, a service can be configured to
        allow ``http``, other ports and private addresses.

        ``types``: The types of events to send; all if empty.

        ``enabled``: Whether events are sent.

        ``key``: The key of the format's API, which no response shows. Required with a format, and
        again with a new ``url``.

        ``include``: With ``product``, the item in each event has the data of its product as
        ``product``, as it is when the event is sent. A format has them anyway.

        Raises ``NotFound`` and ``Conflict``.
        """
        fields = changes(
            url=url, types=several(types), enabled=enabled, key=key, include=several(include)
        )
        call = Call("PATCH", path("webhooks", id), one(Webhook), body=fields)
        return await self._transport.result(call)

    async def delete(self, id: str) -> None:
        """Deletes the webhook and then its deliveries. Deliveries in progress may still arrive.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("webhooks", id), nothing)
        await self._transport.result(call)

    async def renew_secret(self, id: str) -> Webhook:
        """Creates a new secret, which is returned only here. For 24 hours deliveries are also
        signed with the previous secret, unless the secret is renewed again.

        Raises ``NotFound`` and ``Conflict``. Not retried after a lost connection.
        """
        call = Call("POST", path("webhooks", id, "secret"), one(Webhook), repeatable=False)
        return await self._transport.result(call)

    async def test(self, id: str) -> Delivery:
        """Sends a message of the type ``webhook.test``, without retries. The list of deliveries
        shows its outcome. If the webhook is turned off, the response is 409.

        Raises ``NotFound`` and ``Conflict``. Not retried after a lost connection.
        """
        call = Call("POST", path("webhooks", id, "test"), one(Delivery), repeatable=False)
        return await self._transport.result(call)

    async def replay(self, id: str, since: datetime) -> Webhook:
        """Sends all stored events of the webhook's types since ``since`` again, with the same ids,
        and events of up to a minute before it, because the feed isn't ordered by time.

        ``since``: An RFC 3339 time with an offset.

        Raises ``NotFound``. Not retried after a lost connection.
        """
        fields = body(since=since)
        call = Call(
            "POST", path("webhooks", id, "replays"), one(Webhook), body=fields, repeatable=False
        )
        return await self._transport.result(call)

    async def deliveries(
        self,
        id: str,
        *,
        page: str | None = None,
        limit: int | None = None,
        status: WithStatus | None = None,
    ) -> Page[Delivery]:
        """The deliveries of the webhook, newest first, in pages, as long as their events are
        stored.

         ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        ``status``: Only deliveries with this status.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, status=status)
        call = Call("GET", path("webhooks", id, "deliveries"), page_of(Delivery), params=params)
        return await self._transport.result(call)

    async def retry(self, id: str, delivery_id: str) -> Delivery:
        """Sends the event again now, whatever the state of the delivery. If the webhook is turned
        off or the event is no longer stored, the response is 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("POST", path("webhooks", id, "deliveries", delivery_id, "retry"), one(Delivery))
        return await self._transport.result(call)


class AsyncStore(AsyncResource):
    """The store of an admin token, and its admin tokens."""

    async def find(self) -> StoreSettings:
        """The settings of the admin token's store, with the limits that are in force. They contain
        no secrets.

        Raises ``NotFound``.
        """
        call = Call("GET", path("store"), one(StoreSettings))
        return await self._transport.result(call)

    async def update(
        self,
        *,
        look: StoreLookPatch | UnsetType = UNSET,
        notices: str | UnsetType = UNSET,
        reporting: StoreReportingPatch | UnsetType = UNSET,
        active: bool | UnsetType = UNSET,
    ) -> StoreSettings:
        """Changes the look of the hosted pages, their texts and language, whether shoppers who
        never chose get notices, and whether anyone may request the number of wishes. Other settings
        are changed by ``wishwell store update``; for them the response is 400. Takes effect in
        every process within 5 seconds.

        ``look``: Changes to the look of the hosted pages. Fields that are left out stay.

        ``notices``: Whether those who never chose get notices (opt-out) or not.

        ``reporting``: Changes to a store's reports.

        ``active``: false turns the storefront and the store's mails off.

        Raises ``NotFound`` and ``Conflict``.
        """
        fields = changes(look=look, notices=notices, reporting=reporting, active=active)
        call = Call("PATCH", path("store"), one(StoreSettings), body=fields)
        return await self._transport.result(call)

    async def status(self) -> StoreStatus:
        """The version of the running program, and warnings that concern the store: webhooks that
        fail or were turned off, mails that wait, old figures, background jobs that fail.

        Raises ``NotFound``.
        """
        call = Call("GET", path("store", "status"), one(StoreStatus))
        return await self._transport.result(call)


class AsyncTokens(AsyncResource):
    """The store of an admin token, and its admin tokens."""

    async def list(self, *, page: str | None = None, limit: int | None = None) -> Page[AdminToken]:
        """The store's admin tokens, newest first, in pages: the purpose and last use of each, never
        the token itself.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("tokens"), page_of(AdminToken), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[AdminToken]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("tokens"), page_of(AdminToken), given(page=page, limit=limit))
        return self._transport.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[AdminToken]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call("GET", path("tokens"), page_of(AdminToken), given(page=page, limit=limit))
        return self._transport.all(call)

    async def revoke(self, id: str) -> None:
        """Within 5 seconds every process rejects the token. Revoking it again has no effect. For
        the token that sends the request, the response is 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("DELETE", path("tokens", id), nothing)
        await self._transport.result(call)


class AsyncProducts(AsyncProductsByHand):
    """Product data that the shop publishes, which triggers notices of changes."""

    async def list(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> Page[Product]:
        """The products of the store without their variants, most recently created first, in pages.
        ``query`` filters them. Requires an admin token without ``Profile``.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        ``query``: A search expression: up to 8 terms ``title:<text>``, separated by spaces. The
        title of a product must contain all of them, compared without case. A term may have several
        texts of 1 to 100 characters, separated by commas; the title must contain one of them.

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit, query=query)
        call = Call("GET", path("products"), page_of(Product), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> AsyncIterator[Page[Product]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("products"), page_of(Product), given(page=page, limit=limit, query=query)
        )
        return self._transport.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None, query: str | None = None
    ) -> AsyncIterator[Product]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("products"), page_of(Product), given(page=page, limit=limit, query=query)
        )
        return self._transport.all(call)

    async def put_many(self, products: Sequence[NewProduct]) -> None:
        """The same as ``PUT /products/{productId}`` for each of 1 to 250 products: for all of them
        or, on an error, for none. If a product is repeated, the response is 400. Requires an admin
        token without ``Profile``.

        ``products``: Each product at most once.

        Raises ``NotFound``.
        """
        fields = body(products=several(products))
        call = Call("PUT", path("products"), nothing, body=fields)
        await self._transport.result(call)

    async def find(self, id: ProductId) -> Product:
        """The data of the product and its variants. Requires an admin token without ``Profile``.

        Raises ``NotFound``.
        """
        call = Call("GET", path("products", id), one(Product))
        return await self._transport.result(call)

    async def delete(self, id: ProductId) -> None:
        """Deletes the data of the product and its pending notices. Wishes for it stay. Requires an
        admin token without ``Profile``.

        Raises ``NotFound``.
        """
        call = Call("DELETE", path("products", id), nothing)
        await self._transport.result(call)


class AsyncReports(AsyncResource):
    """Figures on wishes, and the profiles that have them."""

    async def products(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        sort: SortBy | None = None,
        by: By | None = None,
        title: str | None = None,
        only: OnlyProducts | None = None,
        page: str | None = None,
        limit: int | None = None,
    ) -> Page[ProductWishes]:
        """The most wished-for products, sorted by ``sort`` in descending order, in pages; with
        ``by=variant`` a row for each variant. The figures are those of the last count (``as_of``).
        If they change between two pages, a product may appear twice or not at all. ``format=csv``
        returns a spreadsheet, without ``limit`` of all rows.

        ``from_``: The first day, in the time zone of the store (default: 29 days before ``to``).

        ``to``: The last day, at most 365 days after ``from`` (default: the day of the last count or
        today, whichever is later).

        ``sort``: The figure to sort by. ``rising`` is the number added, minus the number added in
        the period of the same length before; of equal ones, the product whose wishes changed last
        comes first.

        ``by``: Whether products or variants have rows of their own.

        ``title``: A part of the products' titles, compared without case, or the whole id of a
        product. Such a report may read all products of the store.

        ``only``: Only products that are sold out now, or whose price was higher when a wish was
        saved: at the last count, and at most the 1,000 with the most units of such wishes.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(
            to=to,
            sort=sort,
            by=by,
            title=title,
            only=only,
            page=page,
            limit=limit,
            **{"from": from_},
        )
        call = Call("GET", path("reports", "products"), page_of(ProductWishes), params=params)
        return await self._transport.result(call)

    async def summary(self, *, from_: str | None = None, to: str | None = None) -> WishSummary:
        """The number of wishes and of profiles with a wish, how many wishes were added and removed,
        and what they are worth. ``format=csv`` returns the same as a spreadsheet.

        ``from_``: The first day, in the time zone of the store (default: 29 days before ``to``).

        ``to``: The last day, at most 365 days after ``from`` (default: the day of the last count or
        today, whichever is later).

        Raises ``NotFound``.
        """
        params = given(to=to, **{"from": from_})
        call = Call("GET", path("reports", "summary"), one(WishSummary), params=params)
        return await self._transport.result(call)

    async def days(
        self, *, from_: str | None = None, to: str | None = None, product: ProductId | None = None
    ) -> tuple[WishDay, ...]:
        """A row for each day: the wishes at its end, and how many were added and removed, for all
        products or for ``product``. Days before the first count are omitted, or, if it found older
        wishes, days before the oldest. ``format=csv`` returns the same as a spreadsheet.

        ``from_``: The first day, in the time zone of the store (default: 29 days before ``to``).

        ``to``: The last day, at most 365 days after ``from`` (default: the day of the last count or
        today, whichever is later).

        ``product``: The product (default: all).

        Raises ``NotFound``.
        """
        params = given(to=to, product=product, **{"from": from_})
        call = Call("GET", path("reports", "days"), one(tuple[WishDay, ...]), params=params)
        return await self._transport.result(call)

    async def purchases(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        by: EarnedBy | None = None,
        page: str | None = None,
        limit: int | None = None,
    ) -> Page[EarnedRow]:
        """The orders with a wish, the units of these wishes, and what was paid for them, by
        currency: for each day, or by product, those first that earned most, in pages. Current, not
        as last counted. ``limit`` and ``page`` are allowed with ``by=product`` only. ``format=csv``
        returns a spreadsheet, without ``limit`` of all products.

        ``from_``: The first day, in the time zone of the store (default: 29 days before ``to``).

        ``to``: The last day, at most 365 days after ``from`` (default: the day of the last count or
        today, whichever is later).

        ``by``: Whether days or products have rows.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: Only with ``by=product``: the maximum number of products, 1 to 250 (default: 50;
        without a default with ``format=csv``).

        Raises ``NotFound``.
        """
        params = given(to=to, by=by, page=page, limit=limit, **{"from": from_})
        call = Call("GET", path("reports", "purchases"), page_of(EarnedRow), params=params)
        return await self._transport.result(call)

    async def wishers(
        self,
        product: ProductId,
        *,
        variant: ProductId | None = None,
        page: str | None = None,
        limit: int | None = None,
    ) -> Page[Wisher]:
        """The profiles that wish for a product, or for one of its variants, newest first, in pages.
        E-mail addresses are not verified. ``format=csv`` returns a spreadsheet, without ``limit``
        of all rows.

         ``product``: The product.

        ``variant``: The variant (default: any).

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(product=product, variant=variant, page=page, limit=limit)
        call = Call("GET", path("reports", "wishers"), page_of(Wisher), params=params)
        return await self._transport.result(call)

    async def shoppers(self, *, sort: ShopperSort | None = None) -> tuple[Shopper, ...]:
        """Up to 100 shoppers: those who saved something last, or those who had the most wishes at
        the last count.

        ``sort``: Whether those come first who saved last, or those with the most wishes.

        Raises ``NotFound``.
        """
        params = given(sort=sort)
        call = Call("GET", path("reports", "shoppers"), one(tuple[Shopper, ...]), params=params)
        return await self._transport.result(call)

    async def shown(self, products: str | Sequence[ProductId]) -> tuple[ShownCount, ...]:
        """The approximate number of wishes for each product, which may be shown to anyone: the
        largest of 10, 25, 50, 100, 250, 500, 1,000 and so on that the last count reaches, or 0.
        Browsers may cache it for an hour. Without ``--show-wishes on``, the response is 404.

        ``products``: 1 to 250 product ids, separated by commas.

        Raises ``NotFound``.
        """
        params = given(products=joined(products))
        call = Call("GET", path("wishes"), one(tuple[ShownCount, ...]), params=params)
        return await self._transport.result(call)


class AsyncOrders(AsyncOrdersByHand):
    """The shop's orders, matched with wishes: what wishes earn."""

    async def forget(self, id: str) -> None:
        """Deletes everything stored of an order, and takes it out of the reports. To cancel an
        order, send it with ``status: cancelled``, because an earlier version of a forgotten order
        may arrive late and would count. Requires an admin token without ``Profile``. While the
        store has purchases off, the response is 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("DELETE", path("orders", id), nothing)
        await self._transport.result(call)


class AsyncRequests(AsyncResource):
    """Privacy requests of the store's platform, which export or erase a person's data."""

    async def list(
        self, *, page: str | None = None, limit: int | None = None
    ) -> Page[PlatformRequest]:
        """The privacy requests of the store's platform, newest first, in pages. A completed request
        keeps its topic, its times, the SHA-256 of its body and its outcome.

        ``page``: A cursor from ``pageInfo.next`` or ``pageInfo.previous`` of an earlier response.
        It is valid only for the same profile and ``query``; otherwise, or if it was modified, the
        response is 400.

        ``limit``: The maximum number of records on a page, 1 to 250 (default: 50).

        Raises ``NotFound``.
        """
        params = given(page=page, limit=limit)
        call = Call("GET", path("requests"), page_of(PlatformRequest), params=params)
        return await self._transport.result(call)

    def pages(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Page[PlatformRequest]]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("requests"), page_of(PlatformRequest), given(page=page, limit=limit)
        )
        return self._transport.pages(call)

    def all(
        self, *, page: str | None = None, limit: int | None = None
    ) -> AsyncIterator[PlatformRequest]:
        """Follows the cursors from ``page`` (by default the newest) to the oldest page."""
        call = Call(
            "GET", path("requests"), page_of(PlatformRequest), given(page=page, limit=limit)
        )
        return self._transport.all(call)

    async def call_off(self, id: str) -> None:
        """Cancels a pending ``shop/redact`` within 7 days of its arrival, so that the store is not
        deleted. Cancelling it again has no effect. For any other request, the response is 409.

        Raises ``NotFound`` and ``Conflict``.
        """
        call = Call("DELETE", path("requests", id), nothing)
        await self._transport.result(call)

    async def export(self, id: str) -> ProfileExport:
        """The data stored about the customer when a ``customers/data_request`` was completed, in
        the form of ``GET /profile/export``. It is stored for 30 days, unless the customer is
        erased.

         Raises ``NotFound``.
        """
        call = Call("GET", path("requests", id, "export"), one(ProfileExport))
        return await self._transport.result(call)


class AsyncResources:
    """The operations, by resource."""

    def _attach(self, transport: Transport) -> None:
        self._transport = transport
        self.items = AsyncItems(transport)
        self.lists = AsyncLists(transport)
        self.shares = AsyncShares(transport)
        self.wishlist_shares = AsyncWishlistShares(transport)
        self.reservations = AsyncReservations(transport)
        self.shared = AsyncShared(transport)
        self.profiles = AsyncProfiles(transport)
        self.mails = AsyncMails(transport)
        self.events = AsyncEvents(transport)
        self.webhooks = AsyncWebhooks(transport)
        self.store = AsyncStore(transport)
        self.tokens = AsyncTokens(transport)
        self.products = AsyncProducts(transport)
        self.reports = AsyncReports(transport)
        self.orders = AsyncOrders(transport)
        self.requests = AsyncRequests(transport)
