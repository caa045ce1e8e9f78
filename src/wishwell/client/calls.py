"""Every operation of the API as a ``Call``. ``sync.py`` and ``asynchronous.py`` send them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from wishwell.client import records
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
    Share,
    SharedItem,
    SharedList,
    SignIn,
    Webhook,
)

__all__ = ["UNSET", "Call", "Direction", "Sort", "UnsetType"]

PREFIX = "/api/2025-04"

Sort = Literal["recently_saved", "oldest_saved", "customer"]
Direction = Literal["next", "previous"]
T = TypeVar("T")
R = TypeVar("R")


# contract: retry-harmless
@dataclass(frozen=True)
class Call(Generic[T]):
    """One operation.

    ``repeatable``: it is idempotent, so it may be sent again if it is not known whether it was
    done. ``gone_is_done``: if it was sent again for that reason, a 404 means that it was done.
    """

    method: str
    path: str
    read: Callable[[bytes], T]
    params: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    repeatable: bool = True
    gone_is_done: bool = False


_item = records.one(Item)
_items = records.page_of(Item)
_list = records.one(List)
_lists = records.page_of(List)
_share = records.one(Share)
_shares = records.page_of(Share)
_shared = records.one(SharedList)
_shared_item = records.one(SharedItem)
_product = records.one(Product)
_products = records.page_of(Product)
_token = records.one(ProfileToken)
_sign_in = records.one(SignIn)
_webhook = records.one(Webhook)
_webhooks = records.page_of(Webhook)
_delivery = records.one(Delivery)
_deliveries = records.page_of(Delivery)


def _path(*parts: str) -> str:
    """A path with ids in it. An id may be any text, and must not lead to another path.

    Some servers and proxies decode escapes before they split a path. So slashes are escaped twice;
    no id has one, and the service answers 404.
    """
    escaped = (quote(part.replace("/", "%2F"), safe="").replace(".", "%2E") for part in parts)
    return "/" + "/".join(escaped)


def _params(**given: str | int | None) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in given.items() if value is not None)


def _body(**fields: Any) -> bytes:
    """A JSON object of the fields that are set."""
    return msgspec.json.encode({k: v for k, v in fields.items() if v is not UNSET})


def _or_unset(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value


def _strings(given: Sequence[str]) -> list[str]:
    if isinstance(given, str):
        # A string is a sequence of strings too: its characters.
        raise TypeError("must be a sequence of strings, not a single string")
    return list(given)


def _strings_or_unset(given: Sequence[str] | UnsetType | None) -> list[str] | UnsetType:
    return UNSET if given is None or isinstance(given, UnsetType) else _strings(given)


# ------------------------------------------------------------------------------------------ items


def list_items(page: str | None, limit: int | None, query: str | None) -> Call[Page[Item]]:
    return Call("GET", "/items", _items, _params(page=page, limit=limit, query=query))


def create_item(
    product_id: ProductId,
    variant_id: ProductId | None,
    quantity: int | None,
    tags: Sequence[str] | None,
    note: str | None,
    list_ids: Sequence[str] | None,
) -> Call[Item]:
    """Repeatable: saving twice is the same as saving once (contract: save-once)."""
    body = _body(
        productId=product_id,
        variantId=_or_unset(variant_id),
        quantity=_or_unset(quantity),
        tags=_strings_or_unset(tags),
        note=_or_unset(note),
        listIds=_strings_or_unset(list_ids),
    )
    return Call("POST", "/items", _item, body=body)


def find_item(id: str) -> Call[Item]:
    return Call("GET", _path("items", id), _item)


def update_item(
    id: str,
    product_id: ProductId | UnsetType,
    variant_id: ProductId | UnsetType | None,
    quantity: int | UnsetType,
    tags: Sequence[str] | UnsetType,
    note: str | UnsetType | None,
) -> Call[Item]:
    """Changes only the fields that are set; None clears the variant or the note."""
    body = _body(
        productId=product_id,
        variantId=variant_id,
        quantity=quantity,
        tags=_strings_or_unset(tags),
        note=note,
    )
    return Call("PATCH", _path("items", id), _item, body=body)


def delete_item(id: str) -> Call[None]:
    return Call("DELETE", _path("items", id), records.nothing, gone_is_done=True)


def delete_items(ids: Sequence[str]) -> Call[None]:
    return Call("DELETE", "/items", records.nothing, body=_body(itemIds=_strings(ids)))


def set_item_lists(id: str, list_ids: Sequence[str]) -> Call[Item]:
    return Call("PUT", _path("items", id, "lists"), _item, body=_body(listIds=_strings(list_ids)))


# ------------------------------------------------------------------------------------------ lists


def list_lists(page: str | None, limit: int | None) -> Call[Page[List]]:
    return Call("GET", "/lists", _lists, _params(page=page, limit=limit))


def create_list(name: str) -> Call[List]:
    """Names need not be unique: repeated, it would make two."""
    return Call("POST", "/lists", _list, body=_body(name=name), repeatable=False)


def find_list(id: str, sort: Sort | None) -> Call[List]:
    return Call("GET", _path("lists", id), _list, _params(sort=sort))


def update_list(id: str, name: str | UnsetType) -> Call[List]:
    return Call("PATCH", _path("lists", id), _list, body=_body(name=name))


def delete_list(id: str) -> Call[None]:
    return Call("DELETE", _path("lists", id), records.nothing, gone_is_done=True)


def order_list(id: str, item_ids: Sequence[str]) -> Call[List]:
    body = _body(itemIds=_strings(item_ids))
    return Call("PUT", _path("lists", id, "items", "order"), _list, body=body)


# ----------------------------------------------------------------------------------------- shares


def list_shares(list_id: str, page: str | None, limit: int | None) -> Call[Page[Share]]:
    path = _path("lists", list_id, "shares")
    return Call("GET", path, _shares, _params(page=page, limit=limit))


def create_share(
    list_id: str, expires_at: datetime | None, reservations: bool, notes: bool
) -> Call[Share]:
    """Repeated, it would make two."""
    body = _terms(expires_at, reservations, notes)
    return Call("POST", _path("lists", list_id, "shares"), _share, body=body, repeatable=False)


def update_share(
    list_id: str,
    id: str,
    expires_at: datetime | UnsetType | None,
    reservations: bool | UnsetType,
    notes: bool | UnsetType,
) -> Call[Share]:
    """Changes only the fields that are set; ``expires_at`` of None is for ever."""
    body = _terms(expires_at, reservations, notes)
    return Call("PATCH", _path("lists", list_id, "shares", id), _share, body=body)


def delete_share(list_id: str, id: str) -> Call[None]:
    path = _path("lists", list_id, "shares", id)
    return Call("DELETE", path, records.nothing, gone_is_done=True)


def _terms(
    expires_at: datetime | UnsetType | None, reservations: bool | UnsetType, notes: bool | UnsetType
) -> bytes:
    until = expires_at.isoformat() if isinstance(expires_at, datetime) else expires_at
    return _body(expiresAt=until, reservations=reservations, notes=notes)


def find_shared(token: str) -> Call[SharedList]:
    return Call("GET", _path("shared", token), _shared)


def reserve(token: str, item_id: str, quantity: int) -> Call[SharedItem]:
    body = _body(quantity=quantity)
    return Call("PUT", _reservation(token, item_id), _shared_item, body=body)


def delete_reservation(token: str, item_id: str) -> Call[None]:
    path = _reservation(token, item_id)
    return Call("DELETE", path, records.nothing, gone_is_done=True)


def _reservation(token: str, item_id: str) -> str:
    return _path("shared", token, "items", item_id, "reservation")


def copy_shared(token: str, name: str | None) -> Call[List]:
    """Repeated, it would make two lists."""
    body = _body(name=_or_unset(name))
    return Call("POST", _path("shared", token, "copies"), _list, body=body, repeatable=False)


# --------------------------------------------------------------------------------------- products


def list_products(page: str | None, limit: int | None) -> Call[Page[Product]]:
    return Call("GET", "/products", _products, _params(page=page, limit=limit))


def put_product(product: NewProduct) -> Call[Product]:
    body = msgspec.to_builtins(product)
    path = _path("products", str(body.pop("productId")))
    return Call("PUT", path, _product, body=_body(**body))


def put_products(products: Sequence[NewProduct]) -> Call[None]:
    return Call("PUT", "/products", records.nothing, body=_body(products=list(products)))


def find_product(id: ProductId) -> Call[Product]:
    return Call("GET", _path("products", str(id)), _product)


def delete_product(id: ProductId) -> Call[None]:
    return Call("DELETE", _path("products", str(id)), records.nothing, gone_is_done=True)


# --------------------------------------------------------------------------------------- profiles


def create_token(
    customer: str | None, session: str | None, profile: str | None = None
) -> Call[ProfileToken]:
    """Not repeatable for a new session: each time would create another one.

    ``profile`` is the profile that the client acts for, which then gets the token.
    """
    body = _body(customer=_or_unset(customer), session=_or_unset(session))
    named = (customer, session, profile) != (None, None, None)
    return Call("POST", "/profiles/token", _token, body=body, repeatable=named)


def identify(email: str) -> Call[SignIn]:
    return Call("POST", "/profiles/identify", _sign_in, body=_body(email=email))


# ----------------------------------------------------------------------------------------- events


# contract: feed-once
def list_events(from_: str | None, limit: int | None, types: Sequence[str] | None) -> Call[Feed]:
    named = None if types is None else ",".join(_strings(types))
    params = _params(**{"from": from_, "limit": limit, "type": named})
    return Call("GET", "/events", records.feed, params)


def going_on(call: Call[Feed], feed: Feed) -> Call[Feed]:
    """The call for what came after this answer."""
    return replace(call, params=_params(**{**dict(call.params), "from": feed.resume}))


# --------------------------------------------------------------------------------------- webhooks


def list_webhooks(page: str | None, limit: int | None) -> Call[Page[Webhook]]:
    return Call("GET", "/webhooks", _webhooks, _params(page=page, limit=limit))


def create_webhook(url: str, types: Sequence[str] | None) -> Call[Webhook]:
    """Repeated, it would make two."""
    body = _body(url=url, types=_strings_or_unset(types))
    return Call("POST", "/webhooks", _webhook, body=body, repeatable=False)


def find_webhook(id: str) -> Call[Webhook]:
    return Call("GET", _path("webhooks", id), _webhook)


def update_webhook(
    id: str,
    url: str | UnsetType,
    types: Sequence[str] | UnsetType,
    enabled: bool | UnsetType,
) -> Call[Webhook]:
    body = _body(url=url, types=_strings_or_unset(types), enabled=enabled)
    return Call("PATCH", _path("webhooks", id), _webhook, body=body)


def delete_webhook(id: str) -> Call[None]:
    return Call("DELETE", _path("webhooks", id), records.nothing, gone_is_done=True)


def renew_webhook_secret(id: str) -> Call[Webhook]:
    """Repeated, it would end the secret that was there before."""
    return Call("POST", _path("webhooks", id, "secret"), _webhook, repeatable=False)


def send_webhook_test(id: str) -> Call[Delivery]:
    return Call("POST", _path("webhooks", id, "test"), _delivery, repeatable=False)


def replay_webhook(id: str, since: datetime) -> Call[Webhook]:
    body = _body(since=since.isoformat())
    return Call("POST", _path("webhooks", id, "replays"), _webhook, body=body, repeatable=False)


def list_deliveries(id: str, page: str | None, limit: int | None) -> Call[Page[Delivery]]:
    path = _path("webhooks", id, "deliveries")
    return Call("GET", path, _deliveries, _params(page=page, limit=limit))


def retry_delivery(id: str, delivery_id: str) -> Call[Delivery]:
    return Call("POST", _path("webhooks", id, "deliveries", delivery_id, "retry"), _delivery)


# ---------------------------------------------------------------------------------------- walking


def begin(call: Call[Page[R]], direction: Direction) -> Call[Page[R]]:
    """The first call of a walk. Raises ``ValueError`` for "previous" without a page."""
    if direction not in ("next", "previous"):
        raise ValueError("direction must be 'next' or 'previous'")
    if direction == "previous" and "page" not in dict(call.params):
        raise ValueError("direction 'previous' needs page: the cursor to start from")
    return call


def onward(call: Call[Page[R]], page: Page[R], direction: Direction) -> Call[Page[R]] | None:
    """The call for the next page in this direction; None at the end."""
    cursor = page.next if direction == "next" else page.previous
    if cursor is None:
        return None
    return replace(call, params=_params(**{**dict(call.params), "page": cursor}))


def in_order(page: Page[R], direction: Direction) -> Sequence[R]:
    """The records of a page in the order of the walk; a walk back ends with the newest."""
    return page.data if direction == "next" else page.data[::-1]
