"""Changes to a store."""

from collections.abc import Mapping
from typing import Any

import msgspec


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
