"""Settings of a store's reports: time zone, public wish counts, and purchases."""

import functools
import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from wishwell import currencies
from wishwell.errors import Invalid
from wishwell.field_types import published

MAX_ATTRIBUTION_DAYS = 365
Purchased = Literal["mark", "remove"]
AttributionDays = Annotated[int, published(minimum=1, maximum=MAX_ATTRIBUTION_DAYS)]

_MACHINE_ZONES = {"localtime", "posixrules", "Factory"}
"""Files of a time zone database that mean another zone on each machine, or none."""


# rules: count-days, show-wishes, purchases-on
class Reporting(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Settings of the store's reports. Settings that are not set are omitted."""

    time_zone: str = ""
    """The time zone of its days (default: UTC)."""
    show_wishes: bool = False
    """Whether anyone may request the approximate number of wishes for a product."""
    purchases: bool = False
    """Whether the shop's orders are matched with wishes."""
    purchased: Purchased = "mark"
    """What an order does with the items that it matches."""
    attribution_days: AttributionDays = 90
    """The number of days after a save during which an order matches the item."""
    currency: str = ""
    """The currency of the shop's prices where they have none, as in the platform's webhooks."""

    @property
    def zone(self) -> tzinfo:
        """The time zone of the store's days."""
        return ZoneInfo(self.time_zone) if self.time_zone else UTC


@functools.cache
def _zone_names() -> set[str]:
    return available_timezones() - _MACHINE_ZONES


# rule: count-days
def zone(field: str, name: str) -> tzinfo:
    """Returns a time zone by its IANA name. Raises ``Invalid``, naming ``field``."""
    if name not in _zone_names():
        raise Invalid(f"{field}: {name[:80]!r} isn't an IANA time zone (for example Europe/Paris).")
    return ZoneInfo(name)


def day_of(now: int, zone: tzinfo) -> str:
    """Returns the day of a time in milliseconds."""
    return datetime.fromtimestamp(now / 1000, zone).date().isoformat()


# rule: product-replaced
def check_new(fields: Mapping[str, Any]) -> None:
    """Raises ``Invalid`` for a new currency that isn't in ISO 4217; older stores may have one."""
    if (code := fields.get("currency")) and not currencies.is_known(code):
        raise Invalid(f"currency: {code!r} isn't a currency of ISO 4217, such as EUR.")


def check(reporting: Reporting) -> None:
    """Raises ``Invalid`` for an invalid field."""
    if not 1 <= reporting.attribution_days <= MAX_ATTRIBUTION_DAYS:
        raise Invalid(f"attribution-days: must be a whole number from 1 to {MAX_ATTRIBUTION_DAYS}.")
    if not re.fullmatch("([A-Z]{3})?", reporting.currency):
        raise Invalid("currency: must be three capital letters, such as EUR, or empty.")
    if reporting.time_zone:
        zone("time-zone", reporting.time_zone)
