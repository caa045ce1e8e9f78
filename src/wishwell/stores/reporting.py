"""How a store's reports are made, and who may see of them."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from wishwell.errors import Invalid


# contract: store-time-zone, show-wishes
class Reporting(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The time zone of the store's days, UTC if empty; and whether anybody may ask how many wish
    for a product."""

    time_zone: str = ""
    show_wishes: bool = False


def zone(field: str, name: str) -> tzinfo:
    """The time zone of a name. Raises ``Invalid``, with the field."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(f"{field}: {name[:80]!r} is none, such as Europe/Paris.") from error


def zone_of(reporting: Reporting) -> tzinfo:
    """The time zone of the store's days."""
    return zone("time-zone", reporting.time_zone) if reporting.time_zone else UTC


def check(reporting: Reporting) -> None:
    """Raises ``Invalid`` for a field that breaks its rule."""
    try:
        msgspec.convert(msgspec.to_builtins(reporting), Reporting)
    except msgspec.ValidationError as error:
        raise Invalid(f"reporting: {error}.") from error
    zone_of(reporting)
