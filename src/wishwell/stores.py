"""Stores: the shops that one deployment serves, each alone (contract: store-isolation)."""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from wishwell.config import Settings
from wishwell.db import Reader, Row, UniqueViolation, Writer
from wishwell.errors import Invalid, NotFound

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
"""What a store may override: requests per minute, and the bounds of a profile."""

DEFAULT_HANDLE = "default"

_HANDLE = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?")


class Store(msgspec.Struct, frozen=True, rename="camel"):
    """One shop. ``auth_flow`` is a path of its sign-in flow and may hold ``{email}``."""

    id: str
    handle: str
    platform: str
    auth_flow: str
    origins: tuple[str, ...]
    limits: dict[str, int]
    created_at: str

    def sign_in_path(self, email: str) -> str:
        """The path of the sign-in flow for an address. Raises ``NotFound`` when there is none."""
        if not self.auth_flow:
            raise NotFound("This store has no sign-in path (authFlow).")
        return self.auth_flow.replace("{email}", quote(email, safe=""))


class Bounds(NamedTuple):
    """How much a profile may hold: ``entries`` are the places of its items on all of its lists,
    ``list_items`` the items of one. Only a link may take a profile past them."""

    items: int
    lists: int
    entries: int
    list_items: int


class StorePatch(msgspec.Struct, frozen=True):
    """What to change of a store; None leaves a field as it is."""

    handle: str | None = None
    platform: str | None = None
    auth_flow: str | None = None
    origins: tuple[str, ...] | None = None
    limits: Mapping[str, int | None] | None = None


async def create(tx: Writer, id: str, handle: str, patch: StorePatch, now: str) -> Store:
    """A new store. Raises ``Invalid`` for a bad field and for a handle that is taken."""
    store = _patched(_blank(id, handle, now), patch)
    try:
        await tx.run("store_create", *_values(store), now)
    except UniqueViolation as error:
        raise Invalid(f"There is a store with the handle {handle!r} already.") from error
    return store


async def update(tx: Writer, handle: str, patch: StorePatch, now: str) -> Store:
    """Changes a store. Raises ``NotFound``, and ``Invalid`` as ``create`` does."""
    store = _patched(await by_handle(tx, handle), patch)
    try:
        await tx.run("store_update", *_values(store), now)
    except UniqueViolation as error:
        raise Invalid(f"There is a store with the handle {store.handle!r} already.") from error
    return store


async def ensure_default(tx: Writer, id: str, now: str) -> None:
    """Makes the store ``default`` on a database that has no store at all."""
    await tx.run("store_create_first", *_values(_blank(id, DEFAULT_HANDLE, now)), now)


async def by_handle(db: Reader, handle: str) -> Store:
    """Raises ``NotFound`` with what to do."""
    row = await db.one("store_by_handle", handle) if _HANDLE.fullmatch(handle) else None
    if row is None:
        raise NotFound(
            f"There is no store {handle[:80]!r}; `wishwell store list` shows those there are."
        )
    return from_row(row)


async def listed(db: Reader) -> list[Store]:
    """All stores, by handle."""
    return [from_row(row) for row in await db.all("stores")]


def from_row(row: Row) -> Store:
    """A row that begins with the columns of a store in queries.sql."""
    id, handle, platform, auth_flow, origins, limits, created_at = row[:7]
    return Store(
        id,
        handle,
        platform,
        auth_flow,
        tuple(origins.split()),
        msgspec.json.decode(limits, type=dict[str, int]),
        created_at,
    )


def limit(store: Store, settings: Settings, name: str) -> int:
    """A store's own limit, else the setting's."""
    own = store.limits.get(name)
    if own is not None:
        return own
    setting = f"{name}_per_profile" if name in ("items", "lists") else f"limit_{name}"
    default: int = getattr(settings, setting)
    return default


def bounds(store: Store, settings: Settings) -> Bounds:
    """A store's own bounds, else the settings'."""
    return Bounds(*(limit(store, settings, name) for name in Bounds._fields))


def _blank(id: str, handle: str, now: str) -> Store:
    return Store(id, handle, "shopify", "/account/login", (), {}, now)


def _patched(store: Store, patch: StorePatch) -> Store:
    limits = dict(store.limits)
    for name, value in (patch.limits or {}).items():
        if name not in LIMITS:
            raise Invalid(f"limit: {name!r} is none of {', '.join(LIMITS)}.")
        if value is None:
            limits.pop(name, None)
        elif not 1 <= value <= 10_000_000:
            raise Invalid(f"limit: {name} must be from 1 to 10,000,000.")
        else:
            limits[name] = value
    store = Store(
        store.id,
        store.handle if patch.handle is None else patch.handle,
        store.platform if patch.platform is None else patch.platform,
        store.auth_flow if patch.auth_flow is None else patch.auth_flow,
        store.origins if patch.origins is None else tuple(dict.fromkeys(patch.origins)),
        limits,
        store.created_at,
    )
    _check(store)
    return store


def _check(store: Store) -> None:
    if not _HANDLE.fullmatch(store.handle):
        raise Invalid("handle: must be 1 to 63 of a-z 0-9 -, and not begin with -.")
    if not re.fullmatch(r"[a-z0-9-]{1,40}", store.platform):
        raise Invalid("platform: must be 1 to 40 of a-z 0-9 -.")
    # A path, and no address of another host (//host) either: the browser is sent there.
    if store.auth_flow and not re.fullmatch(r"/(?![/\\])[!-\[\]-~]{0,999}", store.auth_flow):
        raise Invalid("auth-flow: must be a path that begins with one /, without spaces; or empty.")
    for origin in store.origins:
        if not _ORIGIN.fullmatch(origin):
            raise Invalid(
                f"origin: {origin[:80]!r} is none; one looks like https://shop.example, in lower "
                "case, with no user or path."
            )


def _values(store: Store) -> tuple[str, ...]:
    return (
        store.id,
        store.handle,
        store.platform,
        store.auth_flow,
        " ".join(store.origins),
        msgspec.json.encode(store.limits, order="sorted").decode(),
    )
