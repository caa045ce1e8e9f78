"""Stores: the shops of one deployment, isolated from each other (rule: store-isolation).

Start with ``Store`` in ``store.py`` and ``apply_patch`` here. ``naming.py`` and ``reporting.py``
define groups of a store's settings, ``rules.py`` validates its fields, ``store_secrets.py`` manages
its secrets, and ``sealing.py`` encrypts them.
"""

from typing import NamedTuple

import msgspec
from msgspec import structs

from wishwell import ids
from wishwell.config import Settings
from wishwell.db import Reader, UniqueViolation, Writer, bad_rows, mapping
from wishwell.errors import Conflict, Invalid, NotFound, StoreDeleted
from wishwell.stores import look as looks
from wishwell.stores import mailing, rules
from wishwell.stores import reporting as reports
from wishwell.stores.look import Look
from wishwell.stores.mailing import Mail
from wishwell.stores.naming import Naming, Pages, authority, check_hosts, normalised_origin
from wishwell.stores.reporting import Reporting
from wishwell.stores.store import LIMITS as LIMITS
from wishwell.stores.store import TEXT_ID as TEXT_ID
from wishwell.stores.store import Consent as Consent
from wishwell.stores.store import ProductIds as ProductIds
from wishwell.stores.store import Store as Store
from wishwell.stores.store import StorePatch as StorePatch
from wishwell.stores.store import StoreView as StoreView
from wishwell.stores.store import number as number

DEFAULT_HANDLE = "default"
DEFAULT_DROP = 5
DEFAULT_AUTH_FLOW = "/account/login"
MAX_HOSTS = 50

PROPAGATION_MS = 5_000
"""Milliseconds until every process has seen a change of a store (rule: changes-take-effect)."""

from_row = mapping.from_columns(Store, "store_fields")


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

    Restarts its ``events_since``, and turns its mails off, which the other deployment may still
    send. The caller holds the stores' lock. Raises ``Invalid``.
    """
    since = _when_propagated(now) if store.events_since else None
    mail = structs.replace(store.mail, mail_on=False)
    store = structs.replace(store, events_since=since, mail=mail)
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
    for statement in (
        *("erase_feeds", "erase_admin_tokens", "erase_store_secrets", "erase_store_mails"),
        "erase_requests",
        *("erase_counts", "erase_catalogue_runs"),
        *("erase_store_hosts", "erase_stores"),
    ):
        await tx.run(statement, store=id)


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
    own_limit = store.limits.get
    return SizeLimits(
        items=own_limit("items", settings.items_per_profile),
        lists=own_limit("lists", settings.lists_per_profile),
        entries=own_limit("entries", settings.limit_entries),
        list_items=own_limit("list_items", settings.limit_list_items),
    )


# rule: notice-consent
def blank(id: str, handle: str, now: str) -> Store:
    """Returns a new store with default settings. Stores of earlier releases are opt-out."""
    return Store(
        *(id, handle, "shopify", "integer", DEFAULT_AUTH_FLOW, (), Naming(), (), {}),
        *(DEFAULT_DROP, None, now),
        notices="opt-in",
    )


def apply_patch(store: Store, patch: StorePatch, now: str) -> Store:
    """Returns the store with the changes applied and validated. Raises ``Invalid``."""
    reports.check_new(patch.reporting or {})
    patch_fields = structs.asdict(patch)
    changes = {name: value for name, value in patch_fields.items() if value is not None}
    if patch.hosts is not None:
        origins = map(normalised_origin, filter(None, patch.hosts))
        changes["hosts"] = tuple(dict.fromkeys(origins))
    if patch.origins is not None:
        changes["origins"] = tuple(dict.fromkeys(patch.origins))
    for name in GROUPS:
        if (fields := changes.get(name)) is not None:
            changes[name] = structs.replace(getattr(store, name), **fields)
    if (look := changes.get("look")) is not None:
        changes["look"] = structs.replace(look, shop_name=look.shop_name.strip())
    if patch.limits is not None:
        limits = store.limits | dict(patch.limits)
        changes["limits"] = {name: value for name, value in limits.items() if value is not None}
    if (patch.mail or {}).get("mail_on") and patch.events is None:
        changes["events"] = True
    if (events := changes.pop("events", None)) is not None:
        changes["events_since"] = (store.events_since or _when_propagated(now)) if events else None
    if (months := changes.get("forget_customers_after")) is not None:
        changes["forget_customers_after"] = months or None
        changes["forget_since"] = (store.forget_since or _when_propagated(now)) if months else None
    store = structs.replace(store, **changes)
    check(store)
    return store


GROUPS = {"naming": Naming, "pages": Pages, "reporting": Reporting, "look": Look, "mail": Mail}
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
    mailing.check(store.mail)
    if store.mail.mail_on:
        _check_mail(store)


# rule: mail-on
def _check_mail(store: Store) -> None:
    """Raises ``Invalid`` if a setting is missing without which a store can't send mails."""
    if not store.mail.mail_from:
        raise Invalid("mail: needs a sender's address; set it with --mail-from.")
    if not store.mail_origin:
        raise Invalid(
            "mail: needs an https host of the shop (--host) or a --service-url, to which the links "
            "in mails lead."
        )
    if store.events_since is None:
        raise Invalid("events: can't be off while mails are on, because they follow from events.")


# rule: store-settings
def with_effective_limits(store: Store, settings: Settings) -> Store:
    """Returns the store with all effective limits, whether its own or from the settings."""
    sizes = size_limits(store, settings)._asdict()
    limits = {name: sizes.get(name) or limit(store, settings, name) for name in LIMITS}
    return structs.replace(store, limits=limits)
