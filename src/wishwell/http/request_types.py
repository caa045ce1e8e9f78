"""Types of request bodies, and their decoding and validation.

Limits are part of the types, so that tests can compare them with the published description. Rules
that a type can't express are in the domain packages (``items.py``, …). A bad body raises
``Invalid``.
"""

import functools
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import events, ids, json_keys
from wishwell import field_types as types
from wishwell.errors import Invalid, UnsupportedMedia
from wishwell.events import webhooks
from wishwell.profiles.records import MakesNotices
from wishwell.stores import Store, rules
from wishwell.stores.placeholders import new_product_id
from wishwell.wishlists import fields, items, lists, shares
from wishwell.wishlists.items import ItemPatch, NewItem
from wishwell.wishlists.lists import ListFields
from wishwell.wishlists.shares import HasReservations, ShareSettings, ShowsNotes

T = TypeVar("T")

MAX_ORDER = 5_000
"""Most items in an order of a list."""

NewNote = Annotated[
    types.Note | None, types.published("NoteOrNull", "null or an empty text removes the note.")
]
# Without a format, because an id that isn't a UUID is 404, like any unknown list.
ListIds = Annotated[list[str], Meta(title="ListIds", max_length=250), types.Unique]


class Body(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object. ``UNSET`` marks fields that may be left out; ``None`` is JSON's null."""


def _given(value: T | UnsetType | None) -> T | None:
    return None if value is UNSET else value


class NewItemBody(Body):
    """An item to save."""

    product_id: types.ProductId
    variant_id: types.ProductId | None = None
    """null means no variant."""
    quantity: types.Quantity | UnsetType | None = UNSET
    """A new item has 1 by default."""
    tags: types.Tags | UnsetType | None = UNSET
    note: NewNote | UnsetType = UNSET
    list_ids: ListIds | UnsetType | None = UNSET
    """Lists of the same profile to put the item on."""
    list_name: types.NewListName | UnsetType | None = UNSET
    """The name of a list to put the item on, which is created unless the profile has one with this
    name in upper or lower case."""

    def new_item(self, store: Store) -> NewItem:
        return NewItem(
            product_id=new_product_id(store, "productId", self.product_id),
            variant_id=stored_variant(store, self.variant_id),
            quantity=_given(self.quantity),
            tags=_tags(self.tags),
            note=_cleared(self.note),
            list_ids=fields.each_once("listIds", _given(self.list_ids) or ()),
            list_name=lists.check_name(self.list_name, "listName")
            if isinstance(self.list_name, str)
            else None,
        )


# rule: bulk-atomic
class NewItemsBody(Body):
    """Items to save (``PUT /items``)."""

    items: Annotated[list[NewItemBody], Meta(min_length=1, max_length=items.MAX_BULK)]
    """Each product and variant at most once."""

    def new_items(self, store: Store) -> list[NewItem]:
        checked = fields.each("items", self.items, lambda body: body.new_item(store))
        keys = [(new.product_id, new.variant_id) for new in checked]
        fields.check_once("items[{}]: has the same product and variant as items[{}].", keys)
        return checked


class ItemPatchBody(Body):
    """Changes to an item (``PATCH /items/{itemId}``)."""

    product_id: types.ProductId | UnsetType = UNSET
    variant_id: types.ProductId | UnsetType | None = UNSET
    """null removes the variant."""
    quantity: types.Quantity | UnsetType = UNSET
    tags: types.Tags | UnsetType | None = UNSET
    note: NewNote | UnsetType = UNSET

    def patch(self, store: Store) -> ItemPatch:
        product = self.product_id
        return ItemPatch(
            product_id=None if product is UNSET else new_product_id(store, "productId", product),
            variant_id=None if self.variant_id is UNSET else stored_variant(store, self.variant_id),
            quantity=_given(self.quantity),
            tags=() if self.tags is None else _tags(self.tags),
            note=_cleared(self.note),
        )


def _tags(tags: Sequence[str] | UnsetType | None) -> tuple[str, ...] | None:
    return None if tags is UNSET or tags is None else fields.check_tags(tags)


def stored_variant(store: Store, id: int | str | None) -> str:
    return items.NO_VARIANT if id is None else new_product_id(store, "variantId", id)


def _cleared(text: str | UnsetType | None) -> str | None:
    """Returns a text; JSON's null is an empty one, and ``None`` means that there is none."""
    return None if text is UNSET else text or ""


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
        return ListFields(name=lists.check_name(self.name))


class ListPatchBody(Body):
    """Changes to a list (``PATCH /lists/{listId}``)."""

    name: types.NewListName | UnsetType = UNSET

    def patch(self) -> ListFields:
        return ListFields(name=None if self.name is UNSET else lists.check_name(self.name))


# rule: list-order
class ItemOrderBody(Body):
    """An order of a list's items (``PUT /lists/{listId}/items/order``)."""

    item_ids: Annotated[list[str], Meta(max_length=MAX_ORDER)]
    """Items of the list in the new order. Items may be omitted."""


NewDisplayName = Annotated[str, Meta(max_length=1_000)]


class NewShareBody(Body):
    """Settings of a share (``POST /shares``, ``POST /lists/{listId}/shares``). null is the
    default."""

    expires_at: Annotated[datetime, Meta(tz=True)] | UnsetType | None = UNSET
    """When the share expires: an RFC 3339 time with an offset, in the future. null means never."""
    reservations: HasReservations | UnsetType | None = UNSET
    notes: ShowsNotes | UnsetType | None = UNSET
    display_name: NewDisplayName | UnsetType | None = UNSET
    """The owner's name as people with the link see it; null or an empty text for none."""

    def terms(self, now: str) -> ShareSettings:
        expires_at = None if self.expires_at is UNSET else ""
        if isinstance(self.expires_at, datetime):
            # Clamped to 1970 to 9999, because an offset may move a time out of the storable range.
            milliseconds = min(
                max(0, round(self.expires_at.timestamp() * 1000)), ids.MAX_TIMESTAMP_MS
            )
            expires_at = shares.check_expiry(ids.timestamp(milliseconds), now)
        name = _cleared(self.display_name)
        name = name and shares.check_display_name(name)
        return ShareSettings(_given(self.reservations), _given(self.notes), expires_at, name)


class ShareBody(NewShareBody):
    """Changes to a share (``PATCH /shares/{shareId}``, ``PATCH
    /lists/{listId}/shares/{shareId}``)."""

    reservations: HasReservations | UnsetType = UNSET
    notes: ShowsNotes | UnsetType = UNSET


class CopyBody(Body):
    """Settings of a copied list (``POST /shared/{token}/copies``)."""

    name: types.NewListName | UnsetType | None = UNSET

    def patch(self) -> ListFields:
        name = self.name
        return ListFields(name=lists.check_name(name) if isinstance(name, str) else None)


class ReservationBody(Body):
    """A reservation (``PUT /shared/{token}/items/{itemId}/reservation``)."""

    quantity: types.Quantity


Language = Annotated[
    str,
    Meta(
        title="Language",
        description="A language such as de or pt-BR.",
        pattern=rf"^{rules.LANGUAGE}\Z",
    ),
]


class IdentifyBody(Body):
    """The address to sign in with, or to send notices to (``POST /profiles/identify``)."""

    email: types.EmailAddress
    notices: bool | UnsetType = UNSET
    """true sends a mail to the address, whose link turns notices on."""
    language: Language | UnsetType = UNSET
    """The language of mails, such as `de`; by default the store's."""


class ProfilePatchBody(Body):
    """Changes to a profile (``PATCH /profile``)."""

    notices: MakesNotices | UnsetType = UNSET
    """null changes nothing, because a choice can't be taken back."""


class TokenBody(Body):
    """The profile to make a token for (``POST /profiles/token``)."""

    customer: types.CustomerGid | UnsetType | None = UNSET
    """The GID of the customer that the token is for, on the platform of the store; for another
    platform the response is 400."""
    session: types.SessionGid | UnsetType | None = UNSET
    """The GID of a session: alone, the session that the token is for; with `customer`, the session
    to link to the customer. For an unknown session, the response is 404."""


NewWebhookUrl = Annotated[
    str,
    Meta(max_length=2_048),
    types.published(
        "WebhookUrlInput",
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
    list[events.EventType],
    Meta(max_length=len(events.TYPES)),
    types.published("EventTypes", "The types of events to send; all if empty.", uniqueItems=True),
]


EventIncludes = Annotated[
    list[webhooks.EventInclude],
    Meta(max_length=len(webhooks.INCLUDES)),
    types.published(
        "EventIncludes",
        "With `product`, the item in each event has the data of its product as `product`, as it is "
        "when the event is sent. A format has them anyway.",
        uniqueItems=True,
    ),
]
WebhookKey = Annotated[
    str,
    Meta(pattern=webhooks.KEY_PATTERN),
    types.published(
        "WebhookKey",
        "The key of the format's API, which no response shows. Required with a format, and again "
        "with a new `url`.",
    ),
]


class NewWebhookBody(Body):
    """A webhook to create (``POST /webhooks``)."""

    url: NewWebhookUrl
    types: EventTypes | None = None
    format: webhooks.WebhookFormat | None = None
    key: WebhookKey | None = None
    include: EventIncludes | None = None

    def new_webhook(self) -> webhooks.NewWebhook:
        types = fields.each_once("types", self.types or ())
        include = fields.each_once("include", self.include or ())
        return webhooks.NewWebhook(self.url, types, self.format, self.key, include)


class WebhookPatchBody(Body):
    """Changes to a webhook (``PATCH /webhooks/{webhookId}``)."""

    url: NewWebhookUrl | UnsetType = UNSET
    types: EventTypes | UnsetType | None = UNSET
    enabled: bool | UnsetType = UNSET
    """Whether events are sent."""
    key: WebhookKey | UnsetType = UNSET
    include: EventIncludes | UnsetType | None = UNSET

    def patch(self) -> webhooks.WebhookPatch:
        types = None if self.types is UNSET else fields.each_once("types", self.types or ())
        include = None if self.include is UNSET else fields.each_once("include", self.include or ())
        own_fields = _given(self.url), types, _given(self.enabled), _given(self.key)
        return webhooks.WebhookPatch(*own_fields, include)


class ReplayBody(Body):
    """The first events to send again (``POST /webhooks/{webhookId}/replays``)."""

    since: Annotated[datetime, Meta(tz=True)]
    """An RFC 3339 time with an offset."""


@functools.cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)


_PAIR = re.compile(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
_HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


# rule: input-strict
def body(raw: bytes, content_type: str | None, shape: type[T]) -> T:
    """Decodes a body. Raises ``Invalid``, in which ``bad_fields`` names the fields, or
    ``UnsupportedMedia``."""
    if not raw:
        raise Invalid("body: is required; send a JSON object.")
    check_type(content_type)
    try:
        value: T = _decoder(shape).decode(raw)  # type: ignore[arg-type]
    except msgspec.ValidationError as error:
        raise Invalid("body: must be a JSON object.") from error
    except (ValueError, RecursionError) as error:
        raise not_json(raw, error) from error
    check_keys(raw)
    return value


# rule: input-strict
def check_keys(raw: bytes) -> None:
    """Raises ``Invalid`` for a body that repeats a key, or that isn't JSON in a field that the
    decoder skips."""
    try:
        twice = json_keys.duplicate_key(raw)
    except (ValueError, RecursionError) as error:
        raise not_json(raw, error) from error
    if twice is not None:
        raise Invalid(f"{twice}: is repeated in the body.", cause="repeated")


def not_json(raw: bytes, error: Exception) -> Invalid:
    """Returns the error for a body that isn't JSON; ``error`` is the decoder's."""
    why = str(error).partition(" - at ")[0].removeprefix("JSON is malformed: ")
    if raw.startswith(b"\xef\xbb\xbf"):
        why = "it begins with a byte order mark"
    elif isinstance(error, UnicodeDecodeError):
        why = "it isn't UTF-8"
    elif isinstance(error, RecursionError):
        why = "it is nested too deeply"
    elif half := _HALF_PAIR.search(_PAIR.sub(b"", raw)):
        why = f"{half[0].decode()} is half of a surrogate pair"
    return Invalid(f"body: isn't valid JSON: {why}.")


def check_type(content_type: str | None) -> None:
    """Raises ``UnsupportedMedia`` unless a content type is JSON, with no charset or UTF-8."""
    if content_type == "application/json":
        return
    kind, _, parameters = (content_type or "").partition(";")
    if kind.strip().lower() != "application/json":
        raise UnsupportedMedia("The body must be JSON: send Content-Type: application/json.")
    if re.sub(r'[\s"]', "", parameters.lower()) not in ("", "charset=utf-8"):
        raise UnsupportedMedia(
            "Content-Type: the charset must be utf-8 or left out; no other parameter is allowed."
        )
