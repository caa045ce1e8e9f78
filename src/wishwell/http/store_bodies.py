"""Types of request bodies that change the store itself."""

from typing import Annotated

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from wishwell import field_types as types
from wishwell.errors import Invalid
from wishwell.http.request_types import Body
from wishwell.stores import Consent, Store, StorePatch, look
from wishwell.stores.naming import authority, normalised_origin
from wishwell.stores.reporting import AttributionDays

NewLookText = Annotated[
    str | None, types.published("NewLookText", "null or an empty text resets the setting.")
]


class LookBody(Body):
    """Changes to the look of the hosted pages. Fields that are left out stay."""

    shop_name: NewLookText | UnsetType = UNSET
    logo_url: NewLookText | UnsetType = UNSET
    accent: NewLookText | UnsetType = UNSET
    shop_url: NewLookText | UnsetType = UNSET
    cart_url: NewLookText | UnsetType = UNSET
    language: NewLookText | UnsetType = UNSET
    texts: look.Texts | UnsetType = UNSET
    """All texts, which replace the current ones."""


_OPTIONS = {"shopUrl": "--shop-url", "cartUrl": "--cart-url"}


# rule: store-patch
def _check_host(store: Store, field: str, url: object) -> None:
    """Raises ``Invalid`` for a URL on a host that isn't the store's, unless it has no hosts."""
    if isinstance(url, str) and url.startswith("https://") and store.hosts:
        origin = normalised_origin("/".join(url.split("/")[:3]))
        if authority(origin) not in map(authority, store.hosts):
            raise Invalid(
                f"look.{field}: a token can only set a path or a URL on the store's hosts "
                f"({', '.join(store.hosts)[:200]}); for another host, use "
                f"`wishwell store update {_OPTIONS[field]}`."
            )


class StoreReportingBody(Body):
    """Changes to a store's reports."""

    show_wishes: bool | UnsetType = UNSET
    time_zone: str | UnsetType = UNSET
    """May only be repeated; `wishwell store update` changes it."""
    purchases: bool | UnsetType = UNSET
    """May only be repeated."""
    purchased: str | UnsetType = UNSET
    """May only be repeated."""
    attribution_days: AttributionDays | UnsetType = UNSET
    """May only be repeated."""
    currency: str | UnsetType = UNSET
    """May only be repeated."""


REPORTING_BY_COMMAND = {
    "time_zone": ("timeZone", "decides when a day begins", "--time-zone"),
    "purchases": ("purchases", "decides whether orders are stored", "--purchases"),
    "purchased": ("purchased", "decides whether orders delete items", "--purchased"),
    "attribution_days": (
        "attributionDays",
        "decides which orders count",
        "--attribution-days",
    ),
    "currency": ("currency", "decides what prices mean", "--currency"),
}
"""Settings of the reports that a token can't change: their names, why, and the option that can."""


class StoreBody(Body):
    """Changes to the store (``PATCH /store``). Fields that are left out stay."""

    look: LookBody | UnsetType = UNSET
    notices: Consent | UnsetType = UNSET
    reporting: StoreReportingBody | UnsetType = UNSET

    # rule: store-patch
    def patch(self, store: Store) -> StorePatch:
        shown = {} if self.look is UNSET else asdict(self.look)
        for field, name in (("shopUrl", "shop_url"), ("cartUrl", "cart_url")):
            if shown.get(name) != getattr(store.look, name):
                _check_host(store, field, shown.get(name))
        reporting = {} if self.reporting is UNSET else asdict(self.reporting)
        for column, (name, reason, option) in REPORTING_BY_COMMAND.items():
            if reporting.pop(column, UNSET) not in (UNSET, getattr(store.reporting, column)):
                raise Invalid(
                    f"reporting.{name}: can't be changed by a token, because it {reason}; use "
                    f"`wishwell store update {option}`."
                )
        return StorePatch(
            look={name: value or "" for name, value in shown.items() if value is not UNSET}
            | (
                {} if self.look is UNSET or self.look.texts is UNSET else {"texts": self.look.texts}
            ),
            notices=None if self.notices is UNSET else self.notices,
            reporting={name: value for name, value in reporting.items() if value is not UNSET},
        )
