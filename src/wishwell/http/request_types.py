"""Types of request bodies, and their decoding and validation.

Limits are part of the types, so that tests can compare them with the published description. Rules
that a type can't express are in the domain packages (``items.py``, …). A bad body raises
``Invalid``.
"""

import functools
import re
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import events, ids, products
from wishwell import field_types as types
from wishwell.errors import Invalid, UnsupportedMedia
from wishwell.events.webhooks import WebhookPatch
from wishwell.profiles.records import MakesNotices
from wishwell.stores import Store
from wishwell.wishlists import fields, items, lists, shares
from wishwell.wishlists.items import ItemPatch, NewItem
from wishwell.wishlists.lists import ListFields
from wishwell.wishlists.shares import HasReservations, ShareSettings, ShowsNotes

T = TypeVar("T")

NewNote = Annotated[
    types.Note | None, types.published("NewNote", "null or an empty text removes the note.")
]
# Without a format, because an id that isn't a UUID is 404, like any unknown list.
ListIds = Annotated[list[str], Meta(title="ListIds", max_length=250), types.Unique]


class Body(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object. ``UNSET`` marks fields that may be left out; ``None`` is JSON's null."""


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value


class NewItemBody(Body):
    """An item to save."""

    product_id: types.ProductId
    variant_id: types.ProductId | None = None
    """null means no variant."""
    quantity: types.Quantity | UnsetType = UNSET
    """A new item has 1 by default."""
    tags: types.Tags | UnsetType = UNSET
    note: NewNote | UnsetType = UNSET
    list_ids: ListIds | UnsetType = UNSET
    """Lists of the same profile to put the item on."""

    def new_item(self, store: Store) -> NewItem:
        return NewItem(
            store.product_id("productId", self.product_id),
            _variant(store, self.variant_id),
            _given(self.quantity),
            None if self.tags is UNSET else fields.check_tags(self.tags),
            _text("note", self.note, types.MAX_NOTE),
            () if self.list_ids is UNSET else fields.each_once("listIds", self.list_ids),
        )


# rule: bulk-atomic
class NewItemsBody(Body):
    """Items to save (``PUT /items``)."""

    items: Annotated[list[NewItemBody], Meta(min_length=1, max_length=items.MAX_BULK)]
    """Each product and variant at most once."""

    def new_items(self, store: Store) -> list[NewItem]:
        checked = fields.each("items", self.items, lambda body: body.new_item(store))
        if len({(new.product_id, new.variant_id) for new in checked}) != len(checked):
            raise Invalid("items: must not contain the same product and variant twice.")
        return checked


class ItemPatchBody(Body):
    """Changes to an item (``PATCH /items/{itemId}``)."""

    product_id: types.ProductId | UnsetType = UNSET
    variant_id: types.ProductId | UnsetType | None = UNSET
    """null removes the variant."""
    quantity: types.Quantity | UnsetType = UNSET
    tags: types.Tags | UnsetType = UNSET
    note: NewNote | UnsetType = UNSET

    def patch(self, store: Store) -> ItemPatch:
        product = self.product_id
        return ItemPatch(
            None if product is UNSET else store.product_id("productId", product),
            None if self.variant_id is UNSET else _variant(store, self.variant_id),
            _given(self.quantity),
            None if self.tags is UNSET else fields.check_tags(self.tags),
            _text("note", self.note, types.MAX_NOTE),
        )


def _variant(store: Store, id: int | str | None) -> str:
    return items.NO_VARIANT if id is None else store.product_id("variantId", id)


def _text(field: str, text: str | UnsetType | None, max_length: int) -> str | None:
    return None if text is UNSET else fields.check_text(field, text or "", max_length)


class ItemListsBody(Body):
    """The lists of an item (``PUT /items/{itemId}/lists``)."""

    list_ids: ListIds
    """The new lists of the item, which replace its current ones."""


class ItemIdsBody(Body):
    """Items to delete (``DELETE /items``)."""

    item_ids: Annotated[list[str], Meta(min_length=1, max_length=items.MAX_BULK)]
    """The items to delete."""


class NewListBody(Body):
    """A list to create (``POST /lists``)."""

    name: types.NewListName

    def new_list(self) -> ListFields:
        return ListFields(lists.check_name(self.name))


class ListPatchBody(Body):
    """Changes to a list (``PATCH /lists/{listId}``)."""

    name: types.NewListName | UnsetType = UNSET

    def patch(self) -> ListFields:
        return ListFields(None if self.name is UNSET else lists.check_name(self.name))


# rule: list-order
class ItemOrderBody(Body):
    """An order of a list's items (``PUT /lists/{listId}/items/order``)."""

    item_ids: Annotated[list[str], Meta(max_length=5_000), types.Unique]
    """Items of the list in the new order. Items may be omitted."""


class PlaceBody(Body):
    """A position on a list (``PUT /lists/{listId}/items/{itemId}``)."""

    after: str | UnsetType | None = UNSET
    """Another item of the list, after which this one is placed; null places it first."""


class ShareBody(Body):
    """Settings of a share (``POST /lists/{listId}/shares``, ``PATCH`` of a share)."""

    expires_at: Annotated[datetime, Meta(tz=True)] | UnsetType | None = UNSET
    """When the share expires: an RFC 3339 time with an offset, in the future. null means never."""
    reservations: HasReservations | UnsetType = UNSET
    notes: ShowsNotes | UnsetType = UNSET

    def terms(self, now: str) -> ShareSettings:
        expires_at = None if self.expires_at is UNSET else ""
        if isinstance(self.expires_at, datetime):
            # Clamped to 1970 to 9999, because an offset may move a time out of the storable range.
            milliseconds = min(
                max(0, round(self.expires_at.timestamp() * 1000)), ids.MAX_TIMESTAMP_MS
            )
            expires_at = shares.check_expiry(ids.timestamp(milliseconds), now)
        return ShareSettings(_given(self.reservations), _given(self.notes), expires_at)


class CopyBody(ListPatchBody):
    """Settings of a copied list (``POST /shared/{token}/copies``)."""


class ReservationBody(Body):
    """A reservation (``PUT /shared/{token}/items/{itemId}/reservation``)."""

    quantity: types.Quantity


class IdentifyBody(Body):
    """The address to sign in with (``POST /profiles/identify``)."""

    email: types.EmailAddress


class ProfilePatchBody(Body):
    """Changes to a profile (``PATCH /profile``)."""

    notices: MakesNotices | UnsetType = UNSET


class TokenBody(Body):
    """The profile to make a token for (``POST /profiles/token``)."""

    customer: types.CustomerGid | UnsetType = UNSET
    """The GID of the customer that the token is for, on the platform of the store; for another
    platform the response is 400."""
    session: types.SessionGid | UnsetType = UNSET
    """The GID of a session: alone, the session that the token is for; with `customer`, the session
    to link to the customer. For an unknown session, the response is 404."""


NewWebhookUrl = Annotated[
    str,
    Meta(max_length=2_048),
    types.published(
        "NewWebhookUrl",
        "The URL that events are sent to: `https`, port 443 or 8443, a public address, and without "
        "a user name, a password or a `#`. For development, a service can be configured to allow "
        "`http`, other ports and private addresses.",
        # A host is a name, or an IP address, which only the service validates.
        pattern=r"^[Hh][Tt][Tt][Pp][Ss]://(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_][0-9A-Za-z_-]{0,62}"
        r'(?:\.[0-9A-Za-z_][0-9A-Za-z_-]{0,62})*)(?::(?:443|8443))?(?:[/?][!"$-\[\]-~]*)?$',
        **{"not": {"type": "string", "pattern": "^[^/]*//[^/?:]{254}.*$"}},
    ),
]
EventTypes = Annotated[
    list[events.Type],
    Meta(max_length=len(events.TYPES)),
    types.published("EventTypes", "The types of events to send; all if empty.", uniqueItems=True),
]


class NewWebhookBody(Body):
    """A webhook to create (``POST /webhooks``)."""

    url: NewWebhookUrl
    types: EventTypes = []


class WebhookPatchBody(Body):
    """Changes to a webhook (``PATCH /webhooks/{webhookId}``)."""

    url: NewWebhookUrl | UnsetType = UNSET
    types: EventTypes | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    """Whether events are sent."""

    def patch(self) -> WebhookPatch:
        types = None if self.types is UNSET else fields.each_once("types", self.types)
        return WebhookPatch(_given(self.url), types, _given(self.enabled))


class ReplayBody(Body):
    """The first events to send again (``POST /webhooks/{webhookId}/replays``)."""

    since: Annotated[datetime, Meta(tz=True)]
    """An RFC 3339 time with an offset."""


@functools.cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)


_URL_RULE = (
    f"must be an http or https URL of at most {products.MAX_URL} printable ASCII characters, "
    "without a user name or password"
)

# The rule of each field for error messages, shown whole when any part is violated.
RULES = {
    "note": f"must be a string of at most {types.MAX_NOTE} characters, or null",
    "quantity": f"must be an integer from 1 to {types.MAX_QUANTITY}",
    "tags": (
        f"must be an array of at most {types.MAX_TAGS} tags, each with 1 to 50 "
        "characters: a-z, 0-9, _ or -"
    ),
    "listIds": "must be an array of at most 250 list ids without duplicates",
    "items": f"must be an array of 1 to {items.MAX_BULK} items",
    "after": "must be the id of another item on the list, or null",
    "itemIds": "must be an array of item ids: 1 to 250 when deleting, at most 5000 when ordering",
    "name": f"must be a string of 1 to {lists.MAX_NAME} characters",
    "expiresAt": "must be a time such as 2025-12-24T18:00:00Z, or null",
    "reservations": "must be true or false",
    "notes": "must be true or false",
    "email": "must be an e-mail address",
    "notices": "must be true or false",
    "title": f"must be a string of 1 to {products.MAX_TITLE} characters, or null",
    "url": _URL_RULE,
    "image": _URL_RULE,
    "price": "must be an object with amount and currency, or null",
    "amount": (
        'must be a decimal string such as "19.90", with up to 12 digits before the point and up to '
        "4 after it"
    ),
    "currency": "must be three letters A-Z, such as EUR",
    "available": "must be true, false or null",
    "variants": f"must be an array of at most {products.MAX_VARIANTS} variants, or null",
    "products": f"must be an array of 1 to {products.MAX_BULK} products",
    "customer": "must be the GID of a customer",
    "session": "must be the GID of a session",
    "types": "must be an array of event types without duplicates; the types are "
    f"{', '.join(events.TYPES)}",
    "enabled": "must be true or false",
    "since": "must be a time such as 2025-04-18T18:13:27.481Z",
}

# msgspec's messages end with a path such as `$.products[1].title`, except for errors at the root.
_PLACE = re.compile(r" - at `(key in )?\$\.?(?P<where>[^`]*)`$")


# rule: input-strict
def body(raw: bytes, content_type: str | None, shape: type[T], store: Store) -> T:
    """Decodes the body of a request to a store.

    Raises ``Invalid``, which names the field and its rule, or ``UnsupportedMedia``.
    """
    if not raw:
        raise Invalid("body: is required; send a JSON object.")
    if not is_json(content_type):
        raise UnsupportedMedia("The body must be JSON: send Content-Type: application/json.")
    try:
        value: T = _decoder(shape).decode(raw)  # type: ignore[arg-type]
        twice = fields.key_twice(raw)
    except msgspec.ValidationError as error:
        raise Invalid(_explained(str(error), store)) from error
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Invalid("body: isn't valid JSON in UTF-8.") from error
    if twice is not None:  # rule: input-strict
        raise Invalid(f"{twice}: is repeated in the body.")
    return value


def is_json(content_type: str | None) -> bool:
    """Returns whether a content type is ``application/json``, with no charset or UTF-8."""
    if content_type == "application/json":
        return True
    kind, _, parameters = (content_type or "").partition(";")
    if kind.strip().lower() != "application/json":
        return False
    return re.sub(r'[\s"]', "", parameters.lower()) in ("", "charset=utf-8")


def _explained(text: str, store: Store) -> str:
    place = _PLACE.search(text)
    where = place["where"] if place else ""
    rule = text[: place.start()] if place else text
    inside = f"{where}." if where else ""
    if unknown := re.search(r"unknown field `(.{0,80})", rule, re.DOTALL):
        name = unknown[1].rstrip("`")
        shown = name if name.isprintable() else ascii(name)
        return f"{inside}{shown}: isn't a field of this body."
    if missing := re.search(r"missing required field `(\w+)`", rule):
        return f"{inside}{missing[1]}: is required."
    if where.endswith("]") and rule.startswith("Expected `object`"):
        return f"{where}: must be an object."
    # An array's rule covers its values too: an error at `tags[1]` is reported for `tags`.
    where = re.sub(r"\[\d+\]$", "", where)
    field = where.rpartition(".")[2]
    if field in ("productId", "variantId"):
        return f"{where}: {store.id_rule}."
    return f"{where}: {RULES[field]}." if field in RULES else "body: must be a JSON object."
