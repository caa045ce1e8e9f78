"""The file that an export writes and an import reads: one JSON object a line (docs/data.md).

Each line has one field, which says what it is of. A profile's line comes first, then its lists,
their shares, its items and what others have reserved of them. What stands in several tables is one
record here; an import makes the rows again.
"""

from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import ids, items, lists, search, shares
from wishwell.access_cache import AdminScope
from wishwell.errors import Invalid
from wishwell.stores import Store

VERSION: Literal[1] = 1

# contract: export-whole
OF_PROFILE: dict[str, str | None] = {
    "profiles": "profile",
    "lists": "list",
    "items": "item",
    "entries": "item",
    "item_tags": "item",
    "shares": "share",
    "reservations": "reservation",
    "held": "reservation",
    "revocations": "revocation",
    "events": None,
}
"""Each table of a profile, and the line that carries it; None where it stays behind."""

OF_STORE: dict[str, str | None] = {
    "stores": "wishwell",
    "store_hosts": "wishwell",
    "store_secrets": "secrets",
    "admin_tokens": "admin_token",
    "products": "product",
    "webhooks": "webhook",
    "share_tokens": "share",
    "deliveries": None,
    "feeds": None,
    "deleted_stores": None,
}
"""The same of the tables of a store."""

Id = Annotated[str, Meta(pattern=rf"^{ids.UUID_PATTERN.pattern}$")]
Time = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$"
    ),
]
Whole = Annotated[int, Meta(ge=0, le=2**53)]
T = TypeVar("T")


class _Record(
    msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True, gc=False
):
    """A record of the file. What is left out is empty."""


class StoreRecord(_Record):
    """The first line: the version of the format, the store, and when it was read.

    ``feed``: the number of the store's last event.
    """

    version: Literal[1]
    exported_at: Time
    store: Store
    feed: Whole = 0


class SecretsRecord(_Record):
    """The store's secrets, as they are sealed in the database."""

    sealed: str


class AdminTokenRecord(_Record):
    """An admin token: its hash, never the token."""

    id: Id
    scope: AdminScope
    label: str
    hash: str
    created_at: Time
    expires_at: Time | None = None
    last_used_at: Time | None = None
    revoked_at: Time | None = None


class WebhookRecord(_Record):
    """A webhook; its secret is sealed."""

    id: Id
    enabled: Literal[0, 1]
    created_at: Time
    updated_at: Time
    types: str
    url: str
    sealed: str
    failing_since: Time | None = None


class ProductRecord(_Record):
    """A product, with what notices compare, as it is in the database."""

    product_id: str
    id: Id
    position: Id
    created_at: Time
    updated_at: Time
    document: str
    variants: str
    known: str
    noticed_at: Time | None = None


class RevocationRecord(_Record):
    """A revoked profile token; with an empty ``jti``, all that the profile was given until then."""

    profile_id: Id
    jti: str
    revoked_at: Time


class ProfileRecord(_Record):
    """A customer or session. ``events``: the last ``sequence`` that was given."""

    gid: str
    created_at: Time
    touched_at: Time
    closed_at: Time | None = None
    email: str | None = None
    events: Whole = 0

    @property
    def is_session(self) -> bool:
        return ids.customer_of(self.gid) is None


class ListRecord(_Record):
    """A list. ``order``: the items that have a place on it, in order. ``shared``: ever."""

    id: Id
    name: str
    created_at: Time
    updated_at: Time
    order: list[Id] = []
    shared: bool = False


class ShareRecord(_Record):
    """A share of a list, with the token of its link."""

    id: Id
    list_id: Id
    token: str
    created_at: Time
    reservations: bool = False
    notes: bool = False
    expires_at: Time | None = None


class ItemRecord(_Record):
    """An item. ``dropped_at``, ``restocked_at``: when it was last told that (``notices.py``)."""

    id: Id
    product_id: int | str
    created_at: Time
    updated_at: Time
    variant_id: int | str | None = None
    quantity: Annotated[int, Meta(ge=1, le=items.MAX_QUANTITY)] = 1
    tags: list[str] = []
    note: str = ""
    list_ids: list[Id] = []
    dropped_at: Time | None = None
    restocked_at: Time | None = None

    @property
    def kind(self) -> tuple[str, str]:
        """Product and variant as they are stored."""
        return str(self.product_id), "" if self.variant_id is None else str(self.variant_id)


class ReservationRecord(_Record):
    """What the profile with the GID ``holder`` has reserved of an item. ``merged_id``: the id that
    the item had for the holder, before a sign-in merged it."""

    item_id: Id
    holder: str
    quantity: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    created_at: Time
    merged_id: Id | None = None


class EndRecord(_Record):
    """The last line: how many of each there are. A file without it was cut off."""

    profiles: Whole
    lists: Whole
    items: Whole
    shares: Whole = 0
    reservations: Whole = 0


class Line(
    msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True, gc=False
):
    """A line: exactly one of these."""

    wishwell: StoreRecord | UnsetType = UNSET
    secrets: SecretsRecord | UnsetType = UNSET
    admin_token: AdminTokenRecord | UnsetType = UNSET
    webhook: WebhookRecord | UnsetType = UNSET
    product: ProductRecord | UnsetType = UNSET
    revocation: RevocationRecord | UnsetType = UNSET
    profile: ProfileRecord | UnsetType = UNSET
    list: ListRecord | UnsetType = UNSET
    share: ShareRecord | UnsetType = UNSET
    item: ItemRecord | UnsetType = UNSET
    reservation: ReservationRecord | UnsetType = UNSET
    end: EndRecord | UnsetType = UNSET


KINDS = tuple(field.name for field in msgspec.structs.fields(Line))
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)


def encode(line: Line) -> bytes:
    return _encoder.encode(line) + b"\n"


def decode(text: bytes) -> Line:
    """The line. Raises ``Invalid``."""
    try:
        line = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(str(error)) from error
    if sum(getattr(line, kind) is not UNSET for kind in KINDS) != 1:
        raise Invalid(f"must have exactly one of {', '.join(KINDS)}")
    return line


def check_profile(record: ProfileRecord) -> None:
    """Raises ``Invalid`` for what the types can't say."""
    _check_gid("profile.gid", record.gid)
    _check_text("profile.email", record.email or "", 254)


def check_list(record: ListRecord) -> None:
    """Raises ``Invalid`` for what the types can't say."""
    if lists.check_name(record.name) != record.name:
        raise Invalid("list.name: must not begin or end with white space")
    _check_once("list.order", record.order)


def check_share(record: ShareRecord) -> None:
    """Raises ``Invalid`` for what the types can't say."""
    if not shares.is_token(record.token):
        raise Invalid("share.token: is not the token of a share")


def check_reservation(record: ReservationRecord, owner: str) -> None:
    """Raises ``Invalid`` for what the types can't say. ``owner``: the GID of the item's."""
    _check_gid("reservation.holder", record.holder)
    if record.holder == owner:
        raise Invalid("reservation.holder: is the owner of the item")


def check_item(record: ItemRecord, store: Store) -> None:
    """Raises ``Invalid`` for what the types can't say."""
    store.product_id("item.productId", record.product_id)
    if record.variant_id is not None:
        store.product_id("item.variantId", record.variant_id)
    for tag in record.tags:
        if not search.TAG.fullmatch(tag):
            raise Invalid("item.tags: each tag must be 1 to 50 characters: a-z, 0-9, _ or -")
    _check_once("item.tags", record.tags)
    _check_once("item.listIds", record.list_ids)
    items.check_note(record.note)


def _check_gid(field: str, gid: str) -> None:
    namespace, kind, id = gid.removeprefix("gid://").partition("/Session/")
    if ids.customer_of(gid) is None and not (
        kind and ids.is_uuid(id) and search.TAG.fullmatch(namespace)
    ):
        raise Invalid(f"{field}: is not the GID of a customer or session")


def _check_once(field: str, values: list[str]) -> None:
    if len(set(values)) != len(values):
        raise Invalid(f"{field}: must not contain duplicates")


def _check_text(field: str, text: str, most: int) -> None:
    if len(text) > most or items.has_control(text):
        raise Invalid(f"{field}: must be at most {most} characters, none a control one")
