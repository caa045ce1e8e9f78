"""Stores: the shops of one deployment, isolated from each other (rule: store-isolation).

Start with ``Store`` and ``apply_patch`` here. ``naming.py`` and ``reporting.py`` define groups of a
store's settings, ``rules.py`` validates its fields, ``store_secrets.py`` manages its secrets, and
``sealing.py`` encrypts them.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import structs

from wishwell import field_types, ids
from wishwell.config import Settings
from wishwell.db import Reader, UniqueViolation, Writer, bad_rows, mapping
from wishwell.errors import Conflict, Invalid, NotFound, StoreDeleted
from wishwell.field_types import MAX_NUMBER, Id, Time, published
from wishwell.stores import look as looks
from wishwell.stores import reporting as reports
from wishwell.stores import rules
from wishwell.stores.look import Look
from wishwell.stores.naming import Naming, Pages, authority, check_hosts, normalised_origin
from wishwell.stores.reporting import Reporting

LIMITS = (
    "profile_read",
    "profile_write",
    "profile_token",
    "admin_read",
    "admin_write",
    "admin_token",
    "items",
    "lists",
    "entries",
    "list_items",
)
"""Limits that a store may override: rate limits per minute, and size limits of a profile."""

_ALL_LIMITS = published(
    required=LIMITS,
    properties={name: {"type": "integer", "minimum": 1} for name in LIMITS},
    **{"x-python": "dict[str, int]"},
)

DEFAULT_HANDLE = "default"
DEFAULT_DROP = 5
DEFAULT_AUTH_FLOW = "/account/login"
MAX_HOSTS = 50

PROPAGATION_MS = 5_000
"""Milliseconds until every process has seen a change of a store (rule: changes-take-effect)."""

ProductIds = Literal["integer", "text"]
Consent = Annotated[
    Literal["opt-out", "opt-in"],
    published("NoticeConsent", "Whether those who never chose get notices (opt-out) or not."),
]
TEXT_ID = re.compile(field_types.TEXT_ID)
TEXT_RULE = (
    "a string of 1 to 100 characters (A-Z, a-z, 0-9 or one of . _ : ~ = -) that begins with a "
    "letter or digit"
)


# rules: store-settings, store-product-ids
class Store(msgspec.Struct, frozen=True, rename="camel"):
    """A store and its settings, which `wishwell store` changes."""

    id: Id
    handle: str
    platform: str
    """The platform in the GIDs of its customers."""
    product_ids: ProductIds  # rule: store-product-ids
    auth_flow: str  # possibly with a placeholder {email}
    """The path of its sign-in page."""
    hosts: tuple[str, ...]  # rule: storefront-hosts
    """The origins of the shop."""
    naming: Naming
    origins: tuple[str, ...]
    """The browser origins that may call the API."""
    limits: Annotated[dict[str, int], _ALL_LIMITS]
    """The limits in force: requests per minute by kind of token and operation, and the maximum size
    of a profile."""
    price_drop_percent: Annotated[int, published(minimum=1, maximum=90)]  # rule: notice-drop
    events_since: Time | None  # rule: events-enabled
    """Time from which its events are complete; null while events are turned off."""
    created_at: Time
    forget_customers_after: int | None = None  # rule: forget-customers
    """Months without a request after which a customer is erased; null means never."""
    forget_since: Time | None = None
    """When this setting was turned on."""
    pages: Pages = Pages()
    reporting: Reporting = Reporting()
    notices: Consent = "opt-out"  # rule: notice-consent
    look: Look = Look()

    def __hash__(self) -> int:
        return hash(self.id)

    # rules: cors-allowed, storefront-visitor-key
    @property
    def browser_origins(self) -> tuple[str, ...]:
        """The origins whose pages may call the API."""
        shop = self.naming.platform_shop
        return (*self.origins, *self.hosts, f"https://{shop}") if shop else self.origins

    @property
    def has_text_ids(self) -> bool:
        return self.product_ids == "text"

    # rule: store-product-ids
    def product_id(self, field: str, id: int | str) -> str:
        """Returns an id as stored. Raises ``Invalid`` (for ``field``) if it breaks ``id_rule``."""
        text = str(id)
        if isinstance(id, str) != self.has_text_ids or not TEXT_ID.fullmatch(text):
            raise Invalid(f"{field}: {self.id_rule}.")
        return text

    @property
    def id_rule(self) -> str:
        """The rule for product and variant ids, in words."""
        if self.has_text_ids:
            return f"must be {TEXT_RULE}, because this store has text ids"
        return f"must be an integer from 1 to {MAX_NUMBER}, because this store has integer ids"

    def shown_id(self, id: int | str) -> int | str:
        """Returns a stored product or variant id as the API shows it: a number, or text."""
        return id if self.has_text_ids else number(id)

    # rule: profile-email
    def sign_in_path(self, email: str) -> str:
        """Returns the sign-in path for an e-mail address. Raises ``NotFound`` without one."""
        if not self.auth_flow:
            raise NotFound("This store has no sign-in path (authFlow).", "sign_in_path_missing")
        return self.auth_flow.replace("{email}", quote(email, safe=""))


class StorePatch(msgspec.Struct, frozen=True, rename="camel"):
    """Changes to a store. None leaves a field unchanged."""

    handle: str | None = None
    platform: str | None = None
    product_ids: str | None = None
    auth_flow: str | None = None
    hosts: tuple[str, ...] | None = None
    naming: Mapping[str, str] | None = None
    pages: Mapping[str, str] | None = None
    reporting: Mapping[str, Any] | None = None
    look: Mapping[str, Any] | None = None
    origins: tuple[str, ...] | None = None
    limits: Mapping[str, int | None] | None = None
    events: bool | None = None
    price_drop_percent: int | None = None
    notices: str | None = None
    forget_customers_after: int | None = None
    """Months; 0 turns it off."""


from_row = mapping.from_columns(Store, "store_fields")


def number(id: int | str) -> int | str:
    """Converts a stored id of a store with integer ids to the number that the API shows.

    Returns other text unchanged: a process that hasn't yet seen the store's change from text ids
    may have saved it (rule: changes-take-effect).
    """
    return int(id) if isinstance(id, int) or id.isdecimal() else id


class SizeLimits(NamedTuple):
    """Size limits of a profile, which a link may exceed up to twofold.

    ``list_items``: items on one list. ``entries``: items on all lists together, each counted once
    per list.
    """

    items: int
    lists: int
    entries: int
    list_items: int


async def lock(tx: Writer) -> None:
    """Locks all stores, which serialises their changes, because stores can't share a host."""
    await tx.all("stores_lock")
    await tx.all("in_turn")


async def create(tx: Writer, id: str, handle: str, patch: StorePatch, now: str) -> Store:
    """Creates a store. Raises ``Invalid`` for an invalid field or a handle that is in use."""
    store = apply_patch(blank(id, handle, now), patch, now)
    await lock(tx)
    await _write(tx, store, now)
    return store


# rule: import-store
async def restore(tx: Writer, store: Store, now: str) -> Store:
    """Imports a store of another deployment with its id, replacing an empty one with its handle.

    Restarts its ``events_since``. The caller holds the stores' lock. Raises ``Invalid``.
    """
    since = _when_propagated(now) if store.events_since else None
    store = structs.replace(store, events_since=since)
    check(store)
    empty = await tx.one("store_by_handle", handle=store.handle)
    if empty is not None:
        await tx.run("store_deletion_begin", store=empty[0], now=now)
        await erase(tx, empty[0])
    await tx.run("store_deletion_forget", store=store.id)
    await _write(tx, store, now)
    return store


async def erase(tx: Writer, id: str) -> None:
    """Deletes the rows of a store without profiles."""
    for what in (
        *("erase_feeds", "erase_admin_tokens", "erase_store_secrets", "erase_requests"),
        *("erase_counts", "erase_catalogue_runs"),
        *("erase_store_hosts", "erase_stores"),
    ):
        await tx.run(what, store=id)


# rule: store-product-ids
async def update(tx: Writer, handle: str, patch: StorePatch, now: str) -> Store:
    """Updates a store.

    Raises ``NotFound``, ``Invalid`` as ``create`` does, and ``Conflict`` for a change to integer
    product ids while the store has items or products with text ids.
    """
    await lock(tx)
    before = await by_handle(tx, handle)
    store = apply_patch(before, patch, now)
    to_integer = before.has_text_ids and not store.has_text_ids
    if to_integer and await tx.one("store_holds", store=store.id) is not None:
        raise Conflict(
            "product-ids: can be integer only when the store has no items and no products.",
            "store_in_use",
        )
    await _write(tx, store, now)
    return store


# rule: storefront-hosts
async def _write(tx: Writer, store: Store, now: str) -> None:
    """Saves a store. Raises ``Invalid`` if another store has its handle, host or platform shop."""
    try:
        await tx.run("store_put", **mapping.to_columns(store, "store_fields"), now=now)
    except UniqueViolation as error:
        raise Invalid(f"handle: {store.handle!r} is already used by another store.") from error
    await tx.run("erase_store_hosts", store=store.id)
    claims = {authority(host): f"host: {host[:80]!r}" for host in store.hosts}
    if shop := store.naming.platform_shop:
        claims[f"shop {shop}"] = f"platform-shop: {shop[:80]!r}"
    for claim, label in claims.items():
        try:
            await tx.run("store_hosts_add", host=claim, store=store.id)
        except UniqueViolation as error:
            raise Invalid(f"{label} belongs to another store.") from error


# rule: init-explicit
async def ensure_default(tx: Writer, id: str, now: str) -> None:
    """Creates the store ``default`` if the database has no stores.

    Raises ``Invalid`` if another process does so concurrently.
    """
    if not await tx.all("stores_changed", since=""):
        await create(tx, id, DEFAULT_HANDLE, StorePatch(), now)


async def by_handle(tx: Reader, handle: str) -> Store:
    """Returns a store. Raises ``NotFound``, and ``Conflict`` while it is being deleted."""
    store = await by_handle_or_deleted(tx, handle)
    await check_not_deleted(tx, store)
    return store


async def by_handle_or_deleted(tx: Reader, handle: str) -> Store:
    """Returns a store, even while it is being deleted. Raises ``NotFound``."""
    row = await tx.one("store_by_handle", handle=handle) if handle.isprintable() else None
    if row is None:
        text = f"The store {handle[:80]!r} doesn't exist. `wishwell store list` shows all stores."
        raise NotFound(text, "store_not_found")
    return from_row(row)


# rule: store-delete
async def check_not_deleted(tx: Reader, store: Store) -> None:
    """Raises ``Conflict`` if the store is being deleted."""
    if await tx.one("store_deleted", store=store.id) is not None:
        raise Conflict(
            f"The store {store.handle!r} is being deleted. If no deletion is running, "
            f"resume it with `wishwell store delete {store.handle}`.",
            "store_in_use",
        )


# rule: store-delete
async def check_not_deleting(tx: Reader, store: Store) -> None:
    """Raises ``StoreDeleted`` if the store is being deleted. For writes without a token."""
    if await tx.one("store_deleted", store=store.id) is not None:
        raise StoreDeleted


async def listed(tx: Reader) -> list[Store]:
    """Returns all stores in the order of their handles, skipping unreadable rows."""
    return bad_rows.parse_rows("stores", await tx.all("stores_changed", since=""), from_row)


# rule: store-settings
def limit(store: Store, settings: Settings, name: str) -> int:
    """Returns a rate limit in requests per minute: the store's own, or else the setting."""
    default: int = getattr(settings, f"limit_{name}")
    return store.limits.get(name, default)


# rule: store-settings
def size_limits(store: Store, settings: Settings) -> SizeLimits:
    """Returns the size limits of the store's profiles: its own, or else the settings."""
    own = store.limits.get
    return SizeLimits(
        items=own("items", settings.items_per_profile),
        lists=own("lists", settings.lists_per_profile),
        entries=own("entries", settings.limit_entries),
        list_items=own("list_items", settings.limit_list_items),
    )


def blank(id: str, handle: str, now: str) -> Store:
    """Returns a store with default settings."""
    return Store(
        *(id, handle, "shopify", "integer", DEFAULT_AUTH_FLOW, (), Naming(), (), {}),
        *(DEFAULT_DROP, None, now),
    )


def apply_patch(store: Store, patch: StorePatch, now: str) -> Store:
    """Returns the store with the changes applied and validated. Raises ``Invalid``."""
    reports.check_new(patch.reporting or {})
    given = structs.asdict(patch)
    named = {name: value for name, value in given.items() if value is not None}
    if patch.hosts is not None:
        origins = map(normalised_origin, filter(None, patch.hosts))
        named["hosts"] = tuple(dict.fromkeys(origins))
    if patch.origins is not None:
        named["origins"] = tuple(dict.fromkeys(patch.origins))
    for name in GROUPS:
        if (fields := named.get(name)) is not None:
            named[name] = structs.replace(getattr(store, name), **fields)
    if (look := named.get("look")) is not None:
        named["look"] = structs.replace(look, shop_name=look.shop_name.strip())
    if patch.limits is not None:
        limits = store.limits | dict(patch.limits)
        named["limits"] = {name: value for name, value in limits.items() if value is not None}
    if (events := named.pop("events", None)) is not None:
        named["events_since"] = (store.events_since or _when_propagated(now)) if events else None
    if (months := named.get("forget_customers_after")) is not None:
        named["forget_customers_after"] = months or None
        named["forget_since"] = (store.forget_since or _when_propagated(now)) if months else None
    store = structs.replace(store, **named)
    check(store)
    return store


GROUPS = {"naming": Naming, "pages": Pages, "reporting": Reporting, "look": Look}
"""Settings of a store that are grouped into a struct, by field."""


def _when_propagated(now: str) -> str:
    """Returns when every process will have seen a change made now (rule: changes-take-effect)."""
    return ids.timestamp(ids.from_timestamp(now) + PROPAGATION_MS)


# rule: store-settings
def check(store: Store) -> None:
    """Raises ``Invalid`` for an invalid field, except ``jwt_key_set`` (see ``KeySets.check``)."""
    for fields in (store, store.naming, store.pages):
        rules.check(structs.asdict(fields))
    for name, value in store.limits.items():
        if name not in LIMITS:
            raise Invalid(f"limit: {name[:80]!r} is not one of {', '.join(LIMITS)}.")
        if not 1 <= value <= 10_000_000:
            raise Invalid(f"limit: {name} must be from 1 to 10,000,000.")
    for name, texts in (("origin", store.origins), ("host", store.hosts)):
        for text in texts:
            rules.check({name: text})
    if len(store.hosts) > MAX_HOSTS:
        raise Invalid(f"host: a store has at most {MAX_HOSTS} hosts.")
    check_hosts(store.hosts, store.naming.service_url)
    for name, group in GROUPS.items():
        try:
            msgspec.convert(msgspec.to_builtins(getattr(store, name)), group)
        except msgspec.ValidationError as error:
            raise Invalid(f"{name}: {error}.") from error
    reports.check(store.reporting)
    looks.check(store.look)


# rule: store-settings
def with_effective_limits(store: Store, settings: Settings) -> Store:
    """Returns the store with all effective limits, whether its own or from the settings."""
    known = size_limits(store, settings)._asdict()
    limits = {name: known.get(name) or limit(store, settings, name) for name in LIMITS}
    return structs.replace(store, limits=limits)
