"""The records of the API. Written by ``make format`` from http/openapi.json."""

from datetime import datetime
from typing import Literal

from wishwell_client.record import Record

__all__ = [
    "AdminToken",
    "BadField",
    "By",
    "Delivery",
    "Earned",
    "EarnedBy",
    "EarnedRow",
    "ErrorCode",
    "Event",
    "EventData",
    "EventProduct",
    "ExportedList",
    "ExportedReservation",
    "HeldReservation",
    "HistoryEntry",
    "Include",
    "Item",
    "ItemBackInStockData",
    "ItemBackInStockEvent",
    "ItemCreatedData",
    "ItemCreatedEvent",
    "ItemDeletedData",
    "ItemDeletedEvent",
    "ItemPriceDroppedData",
    "ItemPriceDroppedEvent",
    "ItemProduct",
    "ItemPurchasedData",
    "ItemPurchasedEvent",
    "ItemSort",
    "ItemUpdatedData",
    "ItemUpdatedEvent",
    "List",
    "ListCreatedData",
    "ListCreatedEvent",
    "ListDeletedData",
    "ListDeletedEvent",
    "ListUpdatedData",
    "ListUpdatedEvent",
    "Mail",
    "MailDay",
    "MailPreview",
    "Money",
    "MovedItem",
    "NewItem",
    "NewOrder",
    "NewProduct",
    "OnlyProducts",
    "OrderLine",
    "OrderOutcome",
    "PlatformRequest",
    "PreviewKind",
    "PreviewLanguage",
    "Product",
    "ProductId",
    "ProductWishes",
    "Profile",
    "ProfileEmail",
    "ProfileErasedData",
    "ProfileErasedEvent",
    "ProfileExport",
    "ProfileHistory",
    "ProfileLinkedData",
    "ProfileLinkedEvent",
    "ProfileToken",
    "Purchased",
    "Revenue",
    "Sales",
    "Share",
    "SharedItem",
    "SharedList",
    "SharesOf",
    "Shopper",
    "ShopperSort",
    "ShownCount",
    "Sort",
    "SortBy",
    "StoreLook",
    "StoreLookPatch",
    "StoreMail",
    "StoreNaming",
    "StorePages",
    "StoreReporting",
    "StoreReportingPatch",
    "StoreSettings",
    "StoreStatus",
    "StoredEmails",
    "StoredSuppressions",
    "Suppression",
    "Variant",
    "Webhook",
    "WishDay",
    "WishHolders",
    "WishSummary",
    "WishValue",
    "Wisher",
    "WithStatus",
]

ProductId = int | str
ItemSort = Literal["newest", "custom", "oldest", "price", "title"]
Include = Literal["product"]
Sort = Literal[
    "recently_saved", "oldest_saved", "customer", "newest", "oldest", "custom", "price", "title"
]
SharesOf = Literal["wishlist", "all"]
PreviewKind = Literal["notices", "confirmation"]
PreviewLanguage = Literal["en", "de", "fr", "es", "it", "nl", "pl"]
WithStatus = Literal["pending", "delivered", "failed", "skipped", "by_hand"]
SortBy = Literal["wishes", "added", "removed", "rising", "customers", "visitors"]
By = Literal["product", "variant"]
OnlyProducts = Literal["sold_out", "price_dropped"]
EarnedBy = Literal["day", "product"]
ShopperSort = Literal["recent", "wishes"]
ErrorCode = Literal[
    "invalid_request",
    "invalid_cursor",
    "placeholder_id",
    "profile_required",
    "item_limit_reached",
    "list_limit_reached",
    "list_item_limit_reached",
    "list_entry_limit_reached",
    "share_limit_reached",
    "reservation_limit_reached",
    "webhook_limit_reached",
    "precondition_unsupported",
    "token_missing",
    "token_invalid",
    "token_expired",
    "token_revoked",
    "session_closed",
    "store_deleted",
    "signature_invalid",
    "sign_in_required",
    "admin_token_required",
    "token_kind_not_allowed",
    "profile_header_not_allowed",
    "host_not_allowed",
    "origin_not_allowed",
    "own_list",
    "reservations_off",
    "path_not_found",
    "item_not_found",
    "item_not_on_list",
    "list_not_found",
    "share_not_found",
    "shared_list_not_found",
    "reservation_not_found",
    "profile_not_found",
    "session_not_found",
    "product_not_found",
    "webhook_not_found",
    "delivery_not_found",
    "request_not_found",
    "export_not_found",
    "token_not_found",
    "store_not_found",
    "sign_in_path_missing",
    "order_not_found",
    "wishes_not_published",
    "store_off",
    "method_not_allowed",
    "request_timeout",
    "item_exists",
    "too_few_left",
    "webhook_off",
    "webhook_unsigned",
    "events_off",
    "sealing_keys_missing",
    "own_token",
    "request_not_pending",
    "purchases_off",
    "store_in_use",
    "events_removed",
    "body_too_large",
    "unsupported_media_type",
    "unsupported_encoding",
    "rate_limited",
    "rate_limited_without_token",
    "headers_too_large",
    "internal_error",
    "unavailable",
    "profile_being_erased",
    "journal_unavailable",
    "outcome_unknown",
]


class Money(Record, frozen=True):
    """A price."""

    amount: str
    """Decimal text, with up to 4 digits after the point."""
    currency: str
    """The three-letter code of the currency."""


class Purchased(Record, frozen=True):
    """The purchases of an item since it was last saved."""

    quantity: int
    """The number of units in all these orders."""
    at: datetime
    """When the last of these orders was placed."""


class ItemProduct(Record, frozen=True):
    """The published data of an item's product; only with ``include=product``. URL, image, price and
    availability are the variant's if it has its own. Unknown fields are omitted.
    """

    title: str | None = None
    variant_title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    availability: str | None = None
    deleted: bool | None = None
    """true if the store has deleted the product, at most a year ago; then nothing else is known."""


class Item(Record, frozen=True):
    """A product or variant that a profile saved."""

    id: str
    product_id: ProductId
    quantity: int
    tags: tuple[str, ...]
    """At most 20, but linking may merge the tags of two items."""
    list_ids: tuple[str, ...]
    """The ids of the lists that contain the item."""
    created_at: datetime
    updated_at: datetime
    variant_id: ProductId | None = None
    """Omitted without a variant."""
    note: str | None = None
    """Omitted without a note."""
    saved_price: Money | None = None
    """The product's price when this product or variant was saved; omitted if it was unknown."""
    purchased: Purchased | None = None
    """Omitted unless an order has matched the item since it was last saved."""
    profile: str | None = None
    """The owner; only for an admin token without ``Profile``."""
    product: ItemProduct | None = None


class NewItem(Record, frozen=True):
    """An item to save."""

    product_id: ProductId
    variant_id: ProductId | None = None
    """None means no variant."""
    quantity: int | None = None
    """A new item has 1 by default."""
    tags: tuple[str, ...] | None = None
    note: str | None = None
    list_ids: tuple[str, ...] | None = None
    """Lists of the same profile to put the item on."""
    list_name: str | None = None
    """The name of a list to put the item on, which is created unless the profile has one with this
    name in upper or lower case.
    """


class List(Record, frozen=True):
    """A named collection of items."""

    id: str
    name: str
    item_count: int
    """The number of items on the list."""
    created_at: datetime
    updated_at: datetime
    items: tuple[Item, ...] | None = None
    """The items, in the requested order."""
    profile: str | None = None
    """The owner; only for an admin token without ``Profile``."""


class Share(Record, frozen=True):
    """A link that shows a list, or a whole wishlist, to anyone who has it."""

    id: str
    token: str
    """The token in the path of the list, ``/shared/{token}``."""
    reservations: bool
    notes: bool
    created_at: datetime
    list_id: str | None = None
    """Omitted for the whole wishlist."""
    display_name: str | None = None
    expires_at: datetime | None = None
    """When the share expires; omitted if it never does."""
    profile: str | None = None
    """The owner; only for an admin token without ``Profile``."""
    url: str | None = None
    """The page that shows the list; omitted if the store has no page that does."""


class HeldReservation(Record, frozen=True):
    """A reservation of somebody's item by the caller. The item's owner isn't shown."""

    item_id: str
    product_id: ProductId
    quantity: int
    """The quantity that the caller has reserved."""
    created_at: datetime
    variant_id: ProductId | None = None
    """Omitted without a variant."""
    product: ItemProduct | None = None


class SharedItem(Record, frozen=True):
    """An item of a shared list."""

    id: str
    product_id: ProductId
    quantity: int
    variant_id: ProductId | None = None
    """Omitted without a variant."""
    note: str | None = None
    """Omitted if there is no note or the share doesn't show notes."""
    reserved: int | None = None
    """The quantity reserved by all profiles, which may exceed ``quantity`` after that was lowered.
    Only if the share has reservations, and never for the owner.
    """
    yours: int | None = None
    """The quantity that the caller has reserved. Only with a profile token."""
    product: ItemProduct | None = None


class SharedList(Record, frozen=True):
    """A list or whole wishlist, as anyone with its link sees it. Nothing else of its owner is
    shown.
    """

    items: tuple[SharedItem, ...]
    """All items of the list, in the owner's order, or the newest 1,000 of the wishlist."""
    updated_at: datetime
    reservations: bool
    name: str | None = None
    """Omitted for a whole wishlist."""
    display_name: str | None = None


class Profile(Record, frozen=True):
    """A customer or a visitor's session, with the number of its items and lists."""

    profile: str
    kind: str
    items: int
    """The number of items."""
    lists: int
    """The number of lists."""
    notices: bool | None
    created_at: datetime | None = None
    """Omitted for a customer of whom nothing is stored."""
    email: str | None = None
    """The e-mail address; masked except for an admin token."""
    email_status: str | None = None
    """Omitted without an address, and for pages of profiles."""
    notices_by: str | None = None
    """Omitted for pages of profiles."""
    notified: bool | None = None
    """Whether notices reach the profile now; omitted for pages of profiles."""
    language: str | None = None
    """The language of mails; only for an admin token."""
    notices_chosen_at: datetime | None = None
    """When the profile chose about notices; only for an admin token."""
    notices_source: str | None = None
    """Where: on the ``page``, by the ``api``, or by the ``link`` in a mail; only for an admin
    token.
    """
    email_confirmed_at: datetime | None = None
    """When the address was confirmed; only for an admin token, and for a pending address that its
    owner had confirmed as a visitor.
    """
    email_source: str | None = None
    """Who confirmed it: its owner by the ``link`` in a mail or on the ``page``, or the ``shop``;
    only for an admin token.
    """
    purchased: int | None = None
    """The number of items that were bought since they were last saved; omitted in a store with
    purchases off, and for pages of profiles.
    """
    show_reductions: bool | None = None
    """Whether the store's pages strike earlier prices through, with a percentage; omitted
    otherwise, and for pages of profiles.
    """


class ExportedList(Record, frozen=True):
    """A list with its items in the customer's order."""

    id: str
    name: str
    item_count: int
    """The number of items on the list."""
    created_at: datetime
    updated_at: datetime
    item_ids: tuple[str, ...]


class ExportedReservation(Record, frozen=True):
    """A reservation that the profile has made of somebody's item."""

    product_id: ProductId
    quantity: int
    created_at: datetime
    variant_id: ProductId | None = None


class Mail(Record, frozen=True):
    """A mail to a shopper, without its text and address."""

    id: str
    profile: str
    kind: str
    """What the mail is about."""
    state: str
    """Whether the mail was sent."""
    created_at: datetime
    items: tuple[str, ...]
    """The items that its notices are about."""
    sent_at: datetime | None = None
    problem: str | None = None
    """Why it failed."""


class MovedItem(Record, frozen=True):
    """A move of one item. Items up to and including ``after`` have a position now."""

    item_id: str
    after: str | None
    """The item after which it is now; None means that it is first."""


class EventProduct(Record, frozen=True):
    """For a notice: the published data of the product."""

    title: str | None = None
    url: str | None = None
    image: str | None = None


class EventData(Record, frozen=True):
    """The fields of all subclasses."""

    product_id: ProductId | None = None
    variant_id: ProductId | None = None
    """For a purchase: the ordered variant."""
    quantity: int | None = None
    placed_at: datetime | None = None
    """For a purchase: when the order was placed."""
    unit_price: Money | None = None
    """For a purchase: what the customer paid per unit, after discounts, including tax."""
    item: Item | None = None
    """For the event of a purchase: the item; omitted if it was removed before the order."""
    notices: bool | None = None
    product: EventProduct | None = None
    previous_price: Money | None = None
    """For a price drop: the price that it is compared with. For a restock: the same, if the price
    dropped while the product was sold out.
    """
    price: Money | None = None
    """For a notice: the price."""
    session: str | None = None
    """For a link: the session, which is now closed."""
    customer: str | None = None
    """For a link: the customer who has signed in."""
    items: int | None = None
    """For a link: the number of items of the session."""
    lists: int | None = None
    """For a link: the number of lists of the session."""
    left: int | None = None
    """For a link: the number of items that were not moved."""
    list: List | None = None
    item_ids: tuple[str, ...] | None = None
    """For a new list or an order set as a whole: the items with a position, in order. The others
    follow, most recently saved first.
    """
    changed: tuple[str, ...] | None = None
    """For an update: the fields that changed, except ``updated_at``."""
    moved: MovedItem | None = None
    """For a move of one item."""
    linked: bool | None = None
    """True if a link moved the item or merged it into this one; omitted otherwise."""


class Event(Record, frozen=True):
    """A change to a profile, as it was when it was recorded."""

    id: str
    type: str
    timestamp: datetime
    profile: str
    sequence: int
    """The number of the event within its profile, in the order they happened and without gaps."""
    data: EventData
    traceparent: str | None = None


class ProfileExport(Record, frozen=True):
    """All data stored about a profile."""

    profile: Profile
    lists: tuple[ExportedList, ...]
    items: tuple[Item, ...]
    shares: tuple[Share, ...]
    reservations: tuple[ExportedReservation, ...]
    purchases: tuple[EventData, ...]
    mails: tuple[Mail, ...]
    events: tuple[Event, ...]


class HistoryEntry(Record, frozen=True):
    """Something that happened to a profile, and where it is recorded."""

    time: datetime
    source: str
    """Where it is recorded."""
    says: str
    """What happened."""


class ProfileHistory(Record, frozen=True):
    """What is recorded about a profile, and what isn't."""

    profile: str
    key: str
    """The profile's key in the journal."""
    state: str
    """Whether it is stored, and which data it has."""
    entries: tuple[HistoryEntry, ...]
    """What is recorded, the oldest first."""
    unrecorded: tuple[str, ...]
    """What isn't recorded, and why."""
    questions: tuple[str, ...]
    """What to ask the shopper."""


class StoredEmails(Record, frozen=True):
    """How many addresses were stored, and how many profiles don't exist."""

    stored: int
    unknown: int
    """The number of profiles that don't exist; nothing is stored for them."""


class ProfileEmail(Record, frozen=True):
    """A customer's address, which the shop has confirmed."""

    profile: str
    email: str
    language: str | None = None
    """The language of mails; by default the last one stays."""


class MailDay(Record, frozen=True):
    """The mails that were created on a day, by what has become of them."""

    day: str
    sent: int | None = None
    waiting: int | None = None
    """Waiting, or being sent."""
    failed: int | None = None
    cancelled: int | None = None
    unsubscribed: int | None = None
    """The number of addresses that were unsubscribed on this day, and still are."""


class MailPreview(Record, frozen=True):
    """A mail with sample products."""

    subject: str
    text: str
    html: str


class StoredSuppressions(Record, frozen=True):
    """How many addresses were stored."""

    stored: int


class Suppression(Record, frozen=True):
    """An address that gets no mails any more."""

    email: str
    reason: str


class ProfileToken(Record, frozen=True):
    """A token, valid for a day, and its profile."""

    token: str
    """The access token, a JWT. It expires a day after its creation."""
    profile: str
    """The customer or session that the token is for."""


class Webhook(Record, frozen=True):
    """A URL that events are sent to."""

    id: str
    url: str
    types: tuple[str, ...]
    enabled: bool
    """Whether events are sent."""
    created_at: datetime
    updated_at: datetime
    failing_since: datetime | None = None
    """Time since which no attempt has succeeded; omitted if the last one has."""
    format: str | None = None
    include: tuple[str, ...] | None = None
    skipped: int | None = None
    """The number of events for which the format has no request, since the creation of the webhook;
    omitted if there are none.
    """
    problem: str | None = None
    """Why the service turned the webhook off; omitted otherwise."""
    secret: str | None = None
    """The secret that deliveries are signed with; returned only on creation and renewal, and not
    for a webhook with a format.
    """


class Delivery(Record, frozen=True):
    """The delivery of one event to one webhook."""

    id: str
    event_id: str
    """The id of the event, which is sent as ``webhook-id``."""
    type: str
    """The type of the event, or ``webhook.test``."""
    status: str
    """With a format, ``skipped`` and ``by_hand`` mean that nothing was sent, and ``answer`` says
    why: ``by_hand`` that a person has to do it.
    """
    attempts: int
    """The number of attempts, without those answered with 429 or, with a format, 401 or 403."""
    last_status: int | None = None
    """The status of the last response; omitted if there was none."""
    last_attempt_at: datetime | None = None
    next_attempt_at: datetime | None = None
    """Only for a pending delivery."""
    answer: str | None = None
    """With a format, the beginning of the last answer, unless it was a success. Without one, where
    a redirect leads: it isn't followed.
    """


class StoreNaming(Record, frozen=True):
    """How the shop identifies its signed-in customers. Settings that are not set are omitted."""

    jwt_cookie: str | None = None
    jwt_header: str | None = None
    jwt_issuer: str | None = None
    jwt_audience: str | None = None
    jwt_claim: str | None = None
    jwt_email_claim: str | None = None
    jwt_verified_claim: str | None = None
    jwt_locale_claim: str | None = None
    jwt_key_set: str | None = None
    """A URL, or the public keys."""
    platform_shop: str | None = None
    service_url: str | None = None
    """The origin at which browsers reach this service, for visitors of a platform that removes
    cookies.
    """


class StorePages(Record, frozen=True):
    """URLs of product pages, and of pages that replace the storefront's. Settings that are not set
    are omitted.
    """

    product_url: str | None = None
    wishlist_page: str | None = None
    shared_page: str | None = None


class StoreReporting(Record, frozen=True):
    """Settings of the store's reports. Settings that are not set are omitted."""

    time_zone: str | None = None
    """The time zone of its days (default: UTC)."""
    show_wishes: bool | None = None
    """Whether anyone may request the approximate number of wishes for a product."""
    purchases: bool | None = None
    """Whether the shop's orders are matched with wishes."""
    purchased: str | None = None
    """What an order does with the items that it matches."""
    attribution_days: int | None = None
    """The number of days after a save during which an order matches the item."""
    currency: str | None = None
    """The currency of the shop's prices where they have none, as in the platform's webhooks."""


class StoreLook(Record, frozen=True):
    """The look of the hosted pages. Settings that are not set are omitted."""

    shop_name: str | None = None
    logo_url: str | None = None
    accent: str | None = None
    """The colour of buttons, such as ``#0a7d5a``."""
    shop_url: str | None = None
    """Where the header leads."""
    cart_url: str | None = None
    """Adds a product to the cart; has ``{variantId}`` or ``{productId}``, and possibly
    ``{quantity}``.
    """
    language: str | None = None
    """The pages' language; by default the browser decides."""
    texts: dict[str, dict[str, str]] | None = None


class StoreMail(Record, frozen=True):
    """Settings of the store's mails to shoppers, and why none are sent. Settings that are not set
    are omitted.
    """

    on: bool | None = None
    """Whether mails are sent."""
    sender: str | None = None
    """The sender's address."""
    reply_to: str | None = None
    """The address for answers (default: the sender's)."""
    delay: int | None = None
    """Minutes during which notices of a shopper are collected for one mail."""
    per_day: int | None = None
    """The most mails with notices to an address in 24 hours."""
    limit: int | None = None
    """The most mails of the store in 24 hours."""
    picture_host: str | None = None
    """A host besides the store's own from which mails load pictures."""
    show_reductions: bool | None = None
    """Whether pages and mails strike earlier prices through and show reductions in percent."""
    paused_at: datetime | None = None
    """Since when mails are paused."""
    problem: str | None = None
    """Why mails wait, in English. Omitted if there is no reason, or if a command has paused them.
    """


class StoreSettings(Record, frozen=True):
    """A store and its settings, which ``wishwell store`` changes."""

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
    """The browser origins that may call the API."""
    limits: dict[str, int]
    price_drop_percent: int
    events_since: datetime | None
    """Time from which its events are complete; None while events are turned off."""
    created_at: datetime
    forget_customers_after: int | None = None
    """Months without a request after which a customer is erased; None means never."""
    forget_since: datetime | None = None
    """When this setting was turned on."""
    pages: StorePages | None = None
    reporting: StoreReporting | None = None
    notices: str | None = None
    look: StoreLook | None = None
    mail: StoreMail | None = None
    active: bool | None = None
    """Whether the storefront is served and mails are sent."""


class StoreLookPatch(Record, frozen=True):
    """Changes to the look of the hosted pages. Fields that are left out stay."""

    shop_name: str | None = None
    logo_url: str | None = None
    accent: str | None = None
    shop_url: str | None = None
    cart_url: str | None = None
    language: str | None = None
    texts: dict[str, dict[str, str]] | None = None
    """All texts, which replace the current ones."""


class StoreReportingPatch(Record, frozen=True):
    """Changes to a store's reports."""

    show_wishes: bool | None = None
    time_zone: str | None = None
    """May only be repeated; ``wishwell store update`` changes it."""
    purchases: bool | None = None
    """May only be repeated."""
    purchased: str | None = None
    """May only be repeated."""
    attribution_days: int | None = None
    """May only be repeated."""
    currency: str | None = None
    """May only be repeated."""


class StoreStatus(Record, frozen=True):
    """The running program, and what needs attention in the store."""

    version: str
    """The version of the program that answered."""
    commit: str
    """The commit that it was built from, or ``unknown``."""
    warnings: tuple[str, ...]
    """In English, a sentence or two each. The first are about the whole service."""


class AdminToken(Record, frozen=True):
    """An admin token, without the token itself."""

    id: str
    store: str
    """The handle of its store."""
    scope: str
    """The purpose of the token."""
    label: str
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    current: bool | None = None
    """Only for the token that sends the request."""


class Variant(Record, frozen=True):
    """The data of a single variant. For omitted fields, those of the product apply."""

    variant_id: ProductId
    title: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    """Whether it can be ordered: false for ``out_of_stock`` only."""
    url: str | None = None
    availability: str | None = None
    """Decides, if ``available`` differs."""


class Product(Record, frozen=True):
    """The published data of a product. Unknown fields are omitted."""

    product_id: ProductId
    created_at: datetime
    """When it was first set."""
    updated_at: datetime
    """When it was last set."""
    title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    """Whether it can be ordered: false for ``out_of_stock`` only."""
    availability: str | None = None
    """Decides, if ``available`` differs."""
    variants: tuple[Variant, ...] | None = None
    """The variants as they were set; only for a single product."""


class NewProduct(Record, frozen=True):
    """All data of a product. Fields that are omitted are unknown."""

    product_id: ProductId
    title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    """Whether it can be ordered: false for ``out_of_stock`` only."""
    availability: str | None = None
    """Decides, if ``available`` differs."""
    variants: tuple[Variant, ...] | None = None


class ProductWishes(Record, frozen=True):
    """A product, or one of its variants, with the number of wishes for it."""

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
    rise: int | None = None
    """The wishes added in the period, minus those added in the period of the same length before;
    only with ``sort=rising``.
    """
    price: Money | None = None
    availability: str | None = None


class WishHolders(Record, frozen=True):
    """The number of customers and visitors with a wish."""

    customers: int
    visitors: int


class Revenue(Record, frozen=True):
    """What was paid in one currency."""

    amount: str
    """Decimal text; exact."""
    currency: str


class Sales(Record, frozen=True):
    """Purchases of wishes."""

    orders: int
    """The number of orders with a wish."""
    units: int
    """The number of units of these wishes."""
    revenue: tuple[Revenue, ...]
    """What was paid for them, by currency; units without a price add nothing."""


class Earned(Record, frozen=True):
    """The purchases of wishes in a period."""

    orders: int
    """The number of orders with a wish."""
    units: int
    """The number of units of these wishes."""
    revenue: tuple[Revenue, ...]
    """What was paid for them, by currency; units without a price add nothing."""
    mailed: Sales | None = None
    """Of these, those in the seven days after a mail that named the product to the buyer. Omitted
    if there are none.
    """


class WishValue(Record, frozen=True):
    """The value of wishes in one currency: price times quantity."""

    amount: str
    """Decimal text; exact. Without products that are sold out."""
    sold_out: str
    """The same of products that are sold out."""
    currency: str


class WishSummary(Record, frozen=True):
    """The number of wishes for all products, and of profiles with a wish."""

    wishes: int
    customers: int
    visitors: int
    profiles: WishHolders
    """The number of customers and visitors with a wish."""
    lists: int
    added: int
    removed: int
    purchases: Earned | None = None
    """The purchases of wishes in the period; only in a store with purchases on."""
    value: tuple[WishValue, ...] | None = None
    """What the wishes were worth at the prices of the last count in the period, by currency.
    Omitted if no price is known.
    """


class WishDay(Record, frozen=True):
    """The wishes at the end of a day, and how many were added and removed."""

    day: str
    wishes: int
    added: int
    removed: int


class EarnedRow(Record, frozen=True):
    """The purchases of wishes on a day, or for a product."""

    orders: int
    """The number of orders with a wish."""
    units: int
    """The number of units of these wishes."""
    revenue: tuple[Revenue, ...]
    """What was paid for them, by currency; units without a price add nothing."""
    mailed: Sales | None = None
    """Of these, those in the seven days after a mail that named the product to the buyer. Omitted
    if there are none.
    """
    day: str | None = None
    product_id: ProductId | None = None
    title: str | None = None
    image: str | None = None


class Wisher(Record, frozen=True):
    """A wish for the product, and its owner."""

    profile: str
    notices: bool | None
    quantity: int
    saved_at: datetime
    variant_id: ProductId | None = None


class Shopper(Record, frozen=True):
    """A shopper with wishes."""

    profile: str
    kind: str
    items: int
    """The number of wishes now."""
    created_at: datetime
    """When the shopper saved for the first time."""
    saved_at: datetime | None = None
    """When the shopper's newest wish was saved; only with ``sort=recent``."""


class ShownCount(Record, frozen=True):
    """The approximate number of wishes for a product."""

    product_id: ProductId
    wishes: int


class BadField(Record, frozen=True):
    """A field of a body, a query parameter or a header that breaks a rule."""

    field: str
    """Its path, such as ``items[2].quantity``, or its name."""
    message: str
    """The rule that it breaks."""
    code: str


class OrderOutcome(Record, frozen=True):
    """What happened to an order."""

    result: str
    """``unchanged``: a version with the same or a later ``updated_at`` is known. ``refused``: the
    order breaks a rule, and nothing was done; see ``code`` and ``details``.
    """
    matched: int
    """The number of its lines that match a wish."""
    order_id: str | None = None
    """Omitted if the order was refused without a readable id."""
    code: str | None = None
    """Why the order was refused; otherwise omitted."""
    details: tuple[BadField, ...] | None = None
    """All bad fields of a refused order, with their path in the body; otherwise omitted."""


class OrderLine(Record, frozen=True):
    """A line of an order."""

    product_id: ProductId
    quantity: int
    variant_id: ProductId | None = None
    """None means no variant."""
    unit_price: Money | None = None
    """What the customer paid per unit, after discounts, including tax."""


class NewOrder(Record, frozen=True):
    """A version of an order."""

    order_id: str
    profile: str
    """The customer who placed the order, or the visitor's session."""
    placed_at: datetime
    """When the customer placed it: an RFC 3339 time with an offset."""
    updated_at: datetime
    """When the shop last changed it. A later time replaces the order."""
    status: str
    lines: tuple[OrderLine, ...]
    """What the customer keeps: after a partial refund, fewer units or lines."""


class PlatformRequest(Record, frozen=True):
    """A privacy request of the platform, and its outcome."""

    id: str
    topic: str
    state: str
    """``waiting``, or the outcome: ``exported``, ``erased``, ``called_off``, or ``nothing`` if the
    body has no customer id. ``deleting`` is shown during the last seconds of a store.
    """
    received_at: datetime
    body_hash: str
    """The SHA-256 of the body, in hex."""
    delivery_id: str
    """The ``X-Shopify-Webhook-Id`` of the delivery."""
    due_at: datetime | None = None
    """The earliest time at which it is processed; only while it is waiting."""
    done_at: datetime | None = None
    """When it was completed or cancelled."""
    profile: str | None = None
    """The customer; only while it is waiting."""
    expires_at: datetime | None = None
    """When the export is deleted; only as long as it is stored."""


class ItemPurchasedData(EventData, frozen=True, kw_only=True):
    """A purchase of a wish."""

    product_id: ProductId
    quantity: int
    placed_at: datetime


class ItemCreatedData(EventData, frozen=True, kw_only=True):
    """The item as it was after the change, or before it for a deletion."""

    item: Item


class ItemCreatedEvent(Event, frozen=True, kw_only=True):
    """The event ``item.created``."""

    type: Literal["item.created"]
    data: ItemCreatedData


class ItemUpdatedData(EventData, frozen=True, kw_only=True):
    """The item as it was after the change."""

    item: Item
    changed: tuple[str, ...]


class ItemUpdatedEvent(Event, frozen=True, kw_only=True):
    """The event ``item.updated``."""

    type: Literal["item.updated"]
    data: ItemUpdatedData


class ItemDeletedData(EventData, frozen=True, kw_only=True):
    """The item as it was after the change, or before it for a deletion."""

    item: Item


class ItemDeletedEvent(Event, frozen=True, kw_only=True):
    """The event ``item.deleted``."""

    type: Literal["item.deleted"]
    data: ItemDeletedData


class ListCreatedData(EventData, frozen=True, kw_only=True):
    """The new list."""

    list: List


class ListCreatedEvent(Event, frozen=True, kw_only=True):
    """The event ``list.created``."""

    type: Literal["list.created"]
    data: ListCreatedData


class ListUpdatedData(EventData, frozen=True, kw_only=True):
    """The list as it was after the change."""

    list: List
    changed: tuple[str, ...]


class ListUpdatedEvent(Event, frozen=True, kw_only=True):
    """The event ``list.updated``."""

    type: Literal["list.updated"]
    data: ListUpdatedData


class ListDeletedData(EventData, frozen=True, kw_only=True):
    """The list as it was after the change, or before it for a deletion."""

    list: List


class ListDeletedEvent(Event, frozen=True, kw_only=True):
    """The event ``list.deleted``."""

    type: Literal["list.deleted"]
    data: ListDeletedData


class ProfileLinkedData(EventData, frozen=True, kw_only=True):
    """Data of the event ``profile.linked``: both GIDs, and how much the session had."""

    session: str
    customer: str
    items: int
    lists: int
    left: int


class ProfileLinkedEvent(Event, frozen=True, kw_only=True):
    """The event ``profile.linked``."""

    type: Literal["profile.linked"]
    data: ProfileLinkedData


class ProfileErasedData(EventData, frozen=True, kw_only=True):
    """Empty."""


class ProfileErasedEvent(Event, frozen=True, kw_only=True):
    """The event ``profile.erased``."""

    type: Literal["profile.erased"]
    data: ProfileErasedData


class ItemPriceDroppedData(EventData, frozen=True, kw_only=True):
    """Data of the events ``item.price_dropped`` and ``item.back_in_stock``."""

    item: Item
    notices: bool | None
    product: EventProduct
    previous_price: Money
    price: Money


class ItemPriceDroppedEvent(Event, frozen=True, kw_only=True):
    """The event ``item.price_dropped``."""

    type: Literal["item.price_dropped"]
    data: ItemPriceDroppedData


class ItemBackInStockData(EventData, frozen=True, kw_only=True):
    """Data of the events ``item.price_dropped`` and ``item.back_in_stock``."""

    item: Item
    notices: bool | None
    product: EventProduct


class ItemBackInStockEvent(Event, frozen=True, kw_only=True):
    """The event ``item.back_in_stock``."""

    type: Literal["item.back_in_stock"]
    data: ItemBackInStockData


class ItemPurchasedEvent(Event, frozen=True, kw_only=True):
    """The event ``item.purchased``."""

    type: Literal["item.purchased"]
    data: ItemPurchasedData
