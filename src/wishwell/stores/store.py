"""A store and its settings."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import quote

import msgspec

from wishwell import field_types
from wishwell.errors import Invalid, NotFound
from wishwell.field_types import MAX_NUMBER, Id, Time, published
from wishwell.stores.look import Look
from wishwell.stores.mailing import Mail, MailStatus
from wishwell.stores.naming import Naming, Pages
from wishwell.stores.reporting import Reporting

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
"""Limits that a store may override: rate limits per minute, and size limits of a profile."""

_ALL_LIMITS = published(
    required=LIMITS,
    properties={name: {"type": "integer", "minimum": 1} for name in LIMITS},
    **{"x-python": "dict[str, int]"},
)

ProductIds = Literal["integer", "text"]
Consent = Annotated[
    Literal["opt-out", "opt-in"],
    published("NoticeConsent", "Whether those who never chose get notices (opt-out) or not."),
]
TEXT_ID = re.compile(field_types.TEXT_ID)
TEXT_RULE = (
    "a string of 1 to 100 characters (A-Z, a-z, 0-9 or one of . _ : ~ = -) that begins with a "
    "letter or digit"
)


# rules: store-settings, store-product-ids
class Store(msgspec.Struct, frozen=True, rename="camel"):
    """A store and its settings, which `wishwell store` changes."""

    id: Id
    handle: str
    platform: str
    """The platform in the GIDs of its customers."""
    product_ids: ProductIds  # rule: store-product-ids
    auth_flow: str  # possibly with a placeholder {email}
    """The path of its sign-in page."""
    hosts: tuple[str, ...]  # rule: storefront-hosts
    """The origins of the shop."""
    naming: Naming
    origins: tuple[str, ...]
    """The browser origins that may call the API."""
    limits: Annotated[dict[str, int], _ALL_LIMITS]
    """The limits in force: requests per minute by kind of token and operation, and the maximum size
    of a profile."""
    price_drop_percent: Annotated[int, published(minimum=1, maximum=90)]  # rule: notice-drop
    events_since: Time | None  # rule: events-enabled
    """Time from which its events are complete; null while events are turned off."""
    created_at: Time
    forget_customers_after: int | None = None  # rule: forget-customers
    """Months without a request after which a customer is erased; null means never."""
    forget_since: Time | None = None
    """When this setting was turned on."""
    pages: Pages = Pages()
    reporting: Reporting = Reporting()
    notices: Consent = "opt-out"  # rule: notice-consent
    look: Look = Look()
    mail: Mail = Mail()
    active: bool = True  # rule: store-off
    """Whether the storefront is served and mails are sent."""

    def __hash__(self) -> int:
        return hash(self.id)

    # rules: cors-allowed, storefront-visitor-key
    @property
    def browser_origins(self) -> tuple[str, ...]:
        """The origins whose pages may call the API."""
        shop = self.naming.platform_shop
        return (*self.origins, *self.hosts, f"https://{shop}") if shop else self.origins

    @property
    def has_text_ids(self) -> bool:
        return self.product_ids == "text"

    # rules: mail-on, store-off
    @property
    def sends_mails(self) -> bool:
        return self.active and self.mail.mail_on

    # rule: share-url
    @property
    def page_origin(self) -> str:
        """The origin of the storefront's pages: the first https host, else the platform's domain of
        the shop, else an http host; '' without these."""
        https = (host for host in self.hosts if host.startswith("https://"))
        shop = self.naming.platform_shop
        return next(https, f"https://{shop}" if shop else next(iter(self.hosts), ""))

    # rule: mail-links
    @property
    def mail_origin(self) -> str:
        """The origin of links in mails: the first https host, or else the service's URL; '' without
        either."""
        https = (host for host in self.hosts if host.startswith("https://"))
        return next(https, self.naming.service_url)

    # rule: store-product-ids
    def product_id(self, field: str, id: int | str) -> str:
        """Returns an id as stored. Raises ``Invalid`` (for ``field``) if it breaks ``id_rule``."""
        text = str(id)
        if isinstance(id, str) != self.has_text_ids or not TEXT_ID.fullmatch(text):
            raise Invalid(f"{field}: {self.id_rule}.")
        return text

    @property
    def id_rule(self) -> str:
        """The rule for product and variant ids, in words."""
        if self.has_text_ids:
            return f"must be {TEXT_RULE}, because this store has text ids"
        return f"must be an integer from 1 to {MAX_NUMBER}, because this store has integer ids"

    def shown_id(self, id: int | str) -> int | str:
        """Returns a stored product or variant id as the API shows it: a number, or text."""
        return id if self.has_text_ids else number(id)

    # rule: profile-email
    def sign_in_path(self, email: str) -> str:
        """Returns the sign-in path for an e-mail address. Raises ``NotFound`` without one."""
        if not self.auth_flow:
            raise NotFound("This store has no sign-in path (authFlow).", "sign_in_path_missing")
        return self.auth_flow.replace("{email}", quote(email, safe=""))


# rules: store-settings, mail-paused
class StoreView(Store, frozen=True):
    """A store and its settings, which `wishwell store` changes."""

    mail: MailStatus = MailStatus()


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
    mail: Mapping[str, Any] | None = None
    active: bool | None = None


def number(id: int | str) -> int | str:
    """Converts a stored id of a store with integer ids to the number that the API shows.

    Returns other text unchanged: a process that hasn't yet seen the store's change from text ids
    may have saved it (rule: changes-take-effect).
    """
    return int(id) if isinstance(id, int) or id.isdecimal() else id
