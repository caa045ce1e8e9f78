"""Settings of a store's reports: time zone and public wish counts."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from wishwell.errors import Invalid


# contract: store-time-zone, show-wishes
class Reporting(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Settings of a store's reports.

    ``time_zone``: where the store's days begin and end, UTC if empty. ``show_wishes``: whether
    rounded counts of wishes are public.
    """

    time_zone: str = ""
    show_wishes: bool = False


def zone(field: str, name: str) -> tzinfo:
    """Returns a time zone by its IANA name. Raises ``Invalid``, naming ``field``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(f"{field}: {name[:80]!r} is none, such as Europe/Paris.") from error


def zone_of(reporting: Reporting) -> tzinfo:
    """Returns the time zone of a store's days."""
    return zone("time-zone", reporting.time_zone) if reporting.time_zone else UTC


def check(reporting: Reporting) -> None:
    """Raises ``Invalid`` for an invalid field."""
    try:
        msgspec.convert(msgspec.to_builtins(reporting), Reporting)
    except msgspec.ValidationError as error:
        raise Invalid(f"reporting: {error}.") from error
    zone_of(reporting)
