"""Settings of a store's reports: time zone and public wish counts."""

import functools
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from wishwell.errors import Invalid

_MACHINES_OWN = {"localtime", "posixrules", "Factory"}
"""Files of a time zone database that mean another zone on each machine, or none."""


# rules: store-time-zone, show-wishes
class Reporting(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Settings of the store's reports. Settings that are not set are omitted."""

    time_zone: str = ""
    """The time zone of its days (default: UTC)."""
    show_wishes: bool = False
    """Whether anyone may request the approximate number of wishes for a product."""


@functools.cache
def _names() -> set[str]:
    return available_timezones() - _MACHINES_OWN


# rule: store-time-zone
def zone(field: str, name: str) -> tzinfo:
    """Returns a time zone by its IANA name. Raises ``Invalid``, naming ``field``."""
    if name not in _names():
        raise Invalid(f"{field}: {name[:80]!r} isn't an IANA time zone (for example Europe/Paris).")
    return ZoneInfo(name)


def zone_of(reporting: Reporting) -> tzinfo:
    """Returns the time zone of a store's days."""
    return ZoneInfo(reporting.time_zone) if reporting.time_zone else UTC


def check(reporting: Reporting) -> None:
    """Raises ``Invalid`` for an invalid field."""
    try:
        msgspec.convert(msgspec.to_builtins(reporting), Reporting)
    except msgspec.ValidationError as error:
        raise Invalid(f"reporting: {error}.") from error
    if reporting.time_zone:
        zone("time-zone", reporting.time_zone)
