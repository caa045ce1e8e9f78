"""The records of the API. Written by ``make format`` from http/openapi.yaml."""

from datetime import datetime
from typing import Literal

from wishwell.client.record import Record

__all__ = [
    "AdminToken",
    "By",
    "Delivery",
    "Event",
    "EventData",
    "EventProduct",
    "ExportedList",
    "ExportedReservation",
    "Include",
    "Item",
    "ItemProduct",
    "List",
    "Money",
    "NewItem",
    "NewProduct",
    "PlatformRequest",
    "Product",
    "ProductId",
    "ProductWishes",
    "Profile",
    "ProfileExport",
    "ProfileToken",
    "Share",
    "SharedItem",
    "SharedList",
    "ShownCount",
    "Sort",
    "SortBy",
    "StoreNaming",
    "StorePages",
    "StoreReporting",
    "StoreSettings",
    "Variant",
    "Webhook",
    "WishDay",
    "WishHolders",
    "WishSummary",
    "Wisher",
]

ProductId = int | str
Include = Literal["product"]
Sort = Literal["recently_saved", "oldest_saved", "customer"]
SortBy = Literal["wishes", "added", "removed"]
By = Literal["product", "variant"]


class Money(Record, frozen=True):
    """A price."""

    amount: str
    """Decimal text, with up to 4 digits after the point."""
    currency: str
    """The currency's three letters."""


class ItemProduct(Record, frozen=True):
    """What is known of an item's product, only with ``include=product``. Address, image, price and
    availability are the variant's own where it has them. What is left out is not known.
    """

    title: str | None = None
    variant_title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None


class Item(Record, frozen=True):
    """A product or variant that a profile saved."""

    id: str
    product_id: ProductId
    quantity: int
    tags: tuple[str, ...]
    """At most 20, but linking may merge the tags of two items."""
    list_ids: tuple[str, ...]
    """The lists that the item is on."""
    created_at: datetime
    updated_at: datetime
    variant_id: ProductId | None = None
    """Left out when there is none."""
    note: str | None = None
    """Left out when there is none."""
    profile: str | None = None
    """The owner; only for an admin token without ``Profile``."""
    product: ItemProduct | None = None


class NewItem(Record, frozen=True):
    """An item to save."""

    product_id: ProductId
    variant_id: ProductId | None = None
    """None means no variant."""
    quantity: int | None = None
    """Without it, a new item has 1."""
    tags: tuple[str, ...] | None = None
    note: str | None = None
    list_ids: tuple[str, ...] | None = None
    """Lists of the same profile to put the item on."""


class List(Record, frozen=True):
    """A named collection of items."""

    id: str
    name: str
    item_count: int
    """How many items are on the list."""
    created_at: datetime
    updated_at: datetime
    items: tuple[Item, ...] | None = None
    """Whole items, in the order that was asked for."""
    profile: str | None = None
    """The owner; only for an admin token without ``Profile``."""


class Share(Record, frozen=True):
    """A link that shows a list to whoever has it."""

    id: str
    token: str
    """What leads to the list, at ``/shared/{token}``."""
    list_id: str
    reservations: bool
    notes: bool
    created_at: datetime
    expires_at: datetime | None = None
    """From when on it is no longer good; left out when it is for ever."""
    profile: str | None = None
    """The owner; only for an admin token without ``Profile``."""


class SharedItem(Record, frozen=True):
    """An item of a shared list."""

    id: str
    product_id: ProductId
    quantity: int
    variant_id: ProductId | None = None
    """Left out when there is none."""
    note: str | None = None
    """Left out when there is none, and where the share shows none."""
    reserved: int | None = None
    """How many are reserved by anybody, which may be more than ``quantity`` once that was lowered.
    Only where the share has reservations, and never for the owner.
    """
    yours: int | None = None
    """How many of them the caller has reserved. Only with a profile token."""
    product: ItemProduct | None = None


class SharedList(Record, frozen=True):
    """A list, as anybody with its link sees it. Nothing else of its owner is shown."""

    name: str
    items: tuple[SharedItem, ...]
    """All items of the list, in the owner's order."""
    updated_at: datetime
    reservations: bool


class Profile(Record, frozen=True):
    """A customer or a visitor's session, and how much it has."""

    profile: str
    kind: str
    items: int
    """How many items it has."""
    lists: int
    """How many lists it has."""
    notices: bool
    created_at: datetime | None = None
    """Left out for a customer of whom nothing is stored."""
    email: str | None = None
    """What somebody typed, and nobody has confirmed; only for an admin token."""


class ExportedList(Record, frozen=True):
    """A list, and what is on it in the customer's order."""

    id: str
    name: str
    item_count: int
    created_at: datetime
    updated_at: datetime
    item_ids: tuple[str, ...]


class ExportedReservation(Record, frozen=True):
    """What the profile has reserved of somebody's item."""

    product_id: ProductId
    quantity: int
    created_at: datetime
    variant_id: ProductId | None = None


class EventProduct(Record, frozen=True):
    """Of a notice, what is known of the product."""

    title: str | None = None
    url: str | None = None
    image: str | None = None


class EventData(Record, frozen=True):
    """What happened. An item or list is as it is after it, and for a deletion as it last was."""

    item: Item | None = None
    list: List | None = None
    changed: tuple[str, ...] | None = None
    """Of an update, the fields that have changed, but for ``updated_at``."""
    item_ids: tuple[str, ...] | None = None
    """Of a list that is new or has a new order, the items that have a place on it, in order. The
    others follow, most recently saved first.
    """
    session: str | None = None
    """Of a link, the session that is closed now."""
    customer: str | None = None
    """Of a link, the customer who has signed in."""
    items: int | None = None
    """Of a link, how many the session had."""
    lists: int | None = None
    """Of a link, how many the session had."""
    left: int | None = None
    """Of a link, how many of the items were left behind."""
    variant_id: ProductId | None = None
    """Of a notice, the variant that it is about; left out for the product itself."""
    product: EventProduct | None = None
    """Of a notice, what is known of the product."""
    previous_price: Money | None = None
    """Of a drop, the price that it is compared with."""
    price: Money | None = None
    """Of a notice, the price."""


class Event(Record, frozen=True):
    """Something that happened to a profile, as it was told then."""

    id: str
    type: str
    timestamp: datetime
    profile: str
    sequence: int
    """Counts the events of the profile, without a gap, in the order they happened."""
    data: EventData


class ProfileExport(Record, frozen=True):
    """All that is stored of a profile."""

    profile: Profile
    lists: tuple[ExportedList, ...]
    items: tuple[Item, ...]
    shares: tuple[Share, ...]
    reservations: tuple[ExportedReservation, ...]
    events: tuple[Event, ...]


class ProfileToken(Record, frozen=True):
    """A token, valid for a day, and the profile that it is for."""

    token: str
    """The access token, a JWT. It expires a day after its creation."""
    profile: str
    """The customer or session that the token is for."""


class Webhook(Record, frozen=True):
    """An address that events are sent to."""

    id: str
    url: str
    types: tuple[str, ...]
    enabled: bool
    """Whether events are sent."""
    created_at: datetime
    updated_at: datetime
    failing_since: datetime | None = None
    """Since when no attempt has succeeded; left out when the last one has."""
    secret: str | None = None
    """What signs; only from its creation and its renewal."""


class Delivery(Record, frozen=True):
    """The sending of one event to one webhook."""

    id: str
    event_id: str
    """The id of the event, which is sent as ``webhook-id``."""
    type: str
    """The type of the event, or ``webhook.test``."""
    status: str
    attempts: int
    """How often it was tried."""
    last_status: int | None = None
    """The status of the last answer; left out when there was none."""
    last_attempt_at: datetime | None = None
    next_attempt_at: datetime | None = None
    """Only of one that is pending."""


class StoreNaming(Record, frozen=True):
    """How the shop names its signed-in customers. What is not set is left out."""

    jwt_cookie: str | None = None
    jwt_header: str | None = None
    jwt_issuer: str | None = None
    jwt_audience: str | None = None
    jwt_claim: str | None = None
    jwt_key_set: str | None = None
    """A URL, or the public keys."""
    platform_shop: str | None = None


class StorePages(Record, frozen=True):
    """A product's page, and pages in place of the storefront's, as far as they are set."""

    product_url: str | None = None
    wishlist_page: str | None = None
    shared_page: str | None = None


class StoreReporting(Record, frozen=True):
    """How the store's reports are made, as far as it is set."""

    time_zone: str | None = None
    """Where its days begin. Without it they are those of UTC."""
    show_wishes: bool | None = None
    """Whether anybody may ask about how many wish for a product."""


class StoreSettings(Record, frozen=True):
    """A store and its settings, as ``wishwell store`` makes them."""

    id: str
    handle: str
    platform: str
    """The platform in the GIDs of its customers."""
    product_ids: str
    auth_flow: str
    """The path of its sign-in page."""
    hosts: tuple[str, ...]
    """The origins of the shop."""
    naming: StoreNaming
    origins: tuple[str, ...]
    """Those that may call the API."""
    limits: dict[str, int]
    """What is in force: requests a minute by kind of token and operation, and how much a profile
    may hold.
    """
    price_drop_percent: int
    events_since: datetime | None
    """From when its events are complete; None while it tells none."""
    created_at: datetime
    forget_customers_after: int | None = None
    """After how many months without a request a customer is erased; None is never."""
    forget_since: datetime | None = None
    """Since when that is so."""
    pages: StorePages | None = None
    reporting: StoreReporting | None = None


class AdminToken(Record, frozen=True):
    """An admin token, without the token itself."""

    id: str
    store: str
    """The handle of its store."""
    scope: str
    """What it is for."""
    label: str
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    current: bool | None = None
    """Only of the one that asks."""


class Variant(Record, frozen=True):
    """What is known of a variant alone. For what is left out, the product's holds."""

    variant_id: ProductId
    title: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    url: str | None = None


class Product(Record, frozen=True):
    """What is known of a product. What is left out is not known."""

    product_id: ProductId
    created_at: datetime
    """When it was put for the first time."""
    updated_at: datetime
    """When it was put last."""
    title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    variants: tuple[Variant, ...] | None = None
    """As they were put; only for a single product."""


class NewProduct(Record, frozen=True):
    """All that is known of a product. What is left out is not known."""

    product_id: ProductId
    title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    variants: tuple[Variant, ...] = ()


class ProductWishes(Record, frozen=True):
    """A product, or one of its variants, and how many wish for it."""

    product_id: ProductId
    wishes: int
    customers: int
    visitors: int
    added: int
    removed: int
    variant_id: ProductId | None = None
    title: str | None = None
    variant_title: str | None = None
    image: str | None = None


class WishHolders(Record, frozen=True):
    """How many customers and visitors have a wish."""

    customers: int
    visitors: int


class WishSummary(Record, frozen=True):
    """The wishes of all products, and the profiles that have one."""

    wishes: int
    customers: int
    visitors: int
    profiles: WishHolders
    """How many customers and visitors have a wish."""
    lists: int
    added: int
    removed: int


class WishDay(Record, frozen=True):
    """The wishes at the end of a day, and how many came and went."""

    day: str
    wishes: int
    added: int
    removed: int


class Wisher(Record, frozen=True):
    """A wish for the product, and whose it is."""

    profile: str
    notices: bool
    """Whether they want to hear of lower prices and of products that are back."""
    quantity: int
    saved_at: datetime
    email_unconfirmed: str | None = None
    variant_id: ProductId | None = None


class ShownCount(Record, frozen=True):
    """About how many wish for a product."""

    product_id: ProductId
    wishes: int


class PlatformRequest(Record, frozen=True):
    """What the platform has asked for, and how it ended."""

    id: str
    topic: str
    state: str
    """``waiting``, or how it ended: ``exported``, ``erased``, ``called_off``, or ``nothing`` where
    the body names no customer by an id. ``deleting`` is seen for the last seconds of a store.
    """
    received_at: datetime
    body_hash: str
    """The SHA-256 of the body, in hex."""
    delivery_id: str
    """The ``X-Shopify-Webhook-Id`` of the delivery."""
    due_at: datetime | None = None
    """When it is done at the earliest; only while it waits."""
    done_at: datetime | None = None
    """When it was done, or called off."""
    profile: str | None = None
    """The customer; only while it waits."""
    expires_at: datetime | None = None
    """Until when the export is kept; only while it is."""
