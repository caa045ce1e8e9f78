"""Types of request bodies that change the store itself."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, fields

from wishwell import field_types as types
from wishwell.errors import Invalid
from wishwell.http.request_types import Body
from wishwell.stores import Consent, Store, StorePatch, look
from wishwell.stores.naming import authority, normalised_origin
from wishwell.stores.reporting import AttributionDays

NewLookText = Annotated[
    str | None, types.published("LookTextOrNull", "null or an empty text resets the setting.")
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


# rule: store-patch
def _check_host(store: Store, name: str, url: object) -> None:
    """Raises ``Invalid`` for a URL on a host that isn't the store's, unless it has no hosts."""
    if isinstance(url, str) and url.startswith("https://") and store.hosts:
        origin = normalised_origin("/".join(url.split("/")[:3]))
        if authority(origin) not in map(authority, store.hosts):
            raise Invalid(
                f"look.{_PUBLISHED[name]}: a token can only set a path or a URL on the store's "
                f"hosts ({', '.join(store.hosts)[:200]}); for another host, use "
                f"`{_command(name)}`."
            )


# rules: store-patch, mail-form
def _check_mail_words(store: Store, changes: Mapping[str, Any]) -> None:
    """Raises ``Invalid`` for words that the store's mails would contain, because whoever has a
    token could write to all shoppers."""
    if (changes.get("shop_name", store.look.shop_name) or "") != store.look.shop_name:
        raise Invalid(
            "look.shopName: can't be changed by a token while the store sends mails, because it is "
            f"their sender's name; use `{_command('shop_name')}`.",
            cause="not_allowed",
        )
    texts = changes.get("texts", store.look.texts)
    if look.mail_texts(texts) != look.mail_texts(store.look.texts):
        names = ", ".join(sorted(look.MAIL_TEXTS))
        raise Invalid(
            f"look.texts: {names} can't be changed by a token while the store sends mails; use "
            f"`{_command('texts')}`.",
            cause="not_allowed",
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
    "time_zone": "decides when a day begins",
    "purchases": "decides whether orders are stored",
    "purchased": "decides whether orders delete items",
    "attribution_days": "decides which orders count",
    "currency": "decides what prices mean",
}
"""Settings of the reports that a token can't change, and why."""

_PUBLISHED = {
    field.name: field.encode_name
    for body in (LookBody, StoreReportingBody)
    for field in fields(body)
}


def _command(name: str) -> str:
    return f"wishwell store update --{name.replace('_', '-')}"


def _given(body: Body | UnsetType) -> dict[str, Any]:
    """Returns the fields that the request contains."""
    values = {} if body is UNSET else asdict(body)
    return {name: value for name, value in values.items() if value is not UNSET}


class StoreBody(Body):
    """Changes to the store (``PATCH /store``). Fields that are left out stay."""

    look: LookBody | UnsetType = UNSET
    notices: Consent | UnsetType = UNSET
    reporting: StoreReportingBody | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    """false turns the storefront and the store's mails off."""

    # rule: store-patch
    def patch(self, store: Store) -> StorePatch:
        look, reporting = _given(self.look), _given(self.reporting)
        if store.mail.mail_on:
            _check_mail_words(store, look)
            if self.notices == "opt-out" and store.notices != "opt-out":
                raise Invalid(
                    "notices: can't become opt-out by a token while the store sends mails, "
                    "because shoppers who never chose would get some; use "
                    "`wishwell store update --notices`.",
                    cause="not_allowed",
                )
        for name in ("shop_url", "cart_url"):
            if look.get(name) != getattr(store.look, name):
                _check_host(store, name, look.get(name))
        for name, reason in REPORTING_BY_COMMAND.items():
            if name in reporting and reporting.pop(name) != getattr(store.reporting, name):
                raise Invalid(
                    f"reporting.{_PUBLISHED[name]}: can't be changed by a token, because it "
                    f"{reason}; use `{_command(name)}`.",
                    cause="not_allowed",
                )
        return StorePatch(
            look={name: "" if value is None else value for name, value in look.items()},
            notices=None if self.notices is UNSET else self.notices,
            reporting=reporting,
            active=None if self.active is UNSET else self.active,
        )
