"""Shoppers of a store: those who saved last, and those with the most wishes (rule:
report-shoppers)."""

from typing import Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell import profiles
from wishwell.db import Reader
from wishwell.reports import counting
from wishwell.stores import Store

Sort = Literal["recent", "wishes"]
SORTS: tuple[Sort, ...] = get_args(Sort)

MAX_SHOPPERS = 100
_MAX_ITEMS = 1_000
"""Newest wishes of a store that are searched for different shoppers."""


class Shopper(msgspec.Struct, rename="camel", omit_defaults=True):
    """A shopper with wishes."""

    profile: types.ProfileGid
    kind: profiles.Kind
    items: types.Count
    """The number of wishes now."""
    created_at: types.Time
    """When the shopper saved for the first time."""
    saved_at: types.Time | UnsetType = UNSET
    """When the shopper's newest wish was saved; only with `sort=recent`."""


async def find(tx: Reader, store: Store, sort: Sort) -> list[Shopper]:
    """Returns up to 100 shoppers."""
    if sort == "recent":
        rows = await tx.all("shoppers_recent", store=store.id, limit=_MAX_ITEMS)
        shoppers = {row[0]: Shopper(row[0], _kind(row[1]), *row[2:]) for row in reversed(rows)}
        return sorted(shoppers.values(), key=_saved_at, reverse=True)[:MAX_SHOPPERS]
    details = await counting.last_details(tx, store)
    params = {"store": store.id, "profiles": [id for id, _ in details.shoppers]}
    rows_by_id = {str(row[0]): row[1:] for row in await tx.all("shoppers_named", **params)}
    ids_with_wishes = [id for id, _ in details.shoppers if id in rows_by_id and rows_by_id[id][2]]
    return [
        Shopper(gid, _kind(is_session), items, created_at)
        for gid, is_session, items, created_at in map(rows_by_id.__getitem__, ids_with_wishes)
    ]


def _kind(is_session: int) -> profiles.Kind:
    return "session" if is_session else "customer"


def _saved_at(shopper: Shopper) -> str:
    return shopper.saved_at or ""
