"""Record types of the export file, which imports read: JSON Lines (docs/data.md).

Each line is an object with one field, named for the record's kind. A profile's line precedes its
lists, shares, items, and the reservations on those items. Data that is in several tables is one
record here, from which an import rebuilds the rows. Records have the limits of requests and
commands; rules that a type can't express are in ``check``, which calls the domain packages.
"""

import functools
import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import events, ids, json_keys, profiles, stores
from wishwell.access import auth
from wishwell.access.access_cache import AdminScope
from wishwell.errors import Invalid
from wishwell.field_types import MAX_QUANTITY, Note, ProductId, Quantity
from wishwell.products import NewProduct, Variant, money, notices, product_bodies
from wishwell.products.product_bodies import ProductBody
from wishwell.stores import Store, rules
from wishwell.transfer import strict
from wishwell.transfer.order_records import OrderRecord, RemovedRecord
from wishwell.transfer.record_types import (
    HASH,
    PATTERN_MESSAGES,
    Id,
    Record,
    RecordId,
    Time,
    WholeNumber,
    check_gid,
)
from wishwell.wishlists import fields, lists, shares

T = TypeVar("T")
OptionalTime = Annotated[str, Meta(pattern=rf"^(?:{ids.TIME_PATTERN.pattern})?\Z")]
ChoiceSource = Literal["", "page", "api", "link", "shop"]
VERSION: Literal[1] = 1

_MAX_LATER_MS = 60_000
"""Maximum milliseconds that ``created_at`` may be later than the time in the record's UUIDv7."""

_LENGTH = re.compile(r"Expected `str` of length <= (\d+)")
_FIELD_PATH = re.compile(r" - at (?:`key` in )?`\$\.?(?P<field>[^`]*)`\Z")


class StoreFields(Store, frozen=True, forbid_unknown_fields=True):
    """The store in the file."""

    id: RecordId
    naming: strict.Naming
    events_since: Time | None
    created_at: Time
    forget_since: Time | None = None
    pages: strict.Pages = strict.Pages()
    reporting: strict.Reporting = strict.Reporting()
    look: strict.Look = strict.Look()
    mail: strict.Mail = strict.Mail()


class StoreRecord(Record):
    """The first line: the format's version, the time of the export, and the store.

    ``feed``: the feed position of the store's last event.
    """

    version: Literal[1]
    exported_at: Time
    store: StoreFields
    feed: WholeNumber = 0

    def check(self, store: Store, /) -> None:
        stores.check(store)


class SecretsRecord(Record):
    """The store's secrets, encrypted as in the database."""

    sealed: str


class AdminTokenRecord(Record):
    """An admin token. Has its hash, never the token itself."""

    id: RecordId
    scope: AdminScope
    label: str
    hash: Annotated[str, Meta(pattern=HASH)]
    created_at: Time
    expires_at: Time | None = None
    last_used_at: Time | None = None
    revoked_at: Time | None = None

    def check(self, _: Store, /) -> None:
        _check_exported_form("label", self.label, auth.check_label(self.label))


class WebhookRecord(Record):
    """A webhook. Its secret is encrypted."""

    id: RecordId
    enabled: Literal[0, 1]
    created_at: Time
    updated_at: Time
    types: str
    url: str
    sealed: str
    failing_since: Time | None = None
    format: Literal["", "segment", "klaviyo", "brevo", "listmonk"] = ""
    include: Literal["", "product"] = ""

    def check(self, _: Store, /) -> None:
        types = self.types.split(" ") if self.types else []
        if not set(types) <= set(events.TYPES):
            raise Invalid(f"types: each must be one of {', '.join(events.TYPES)}")
        fields.each_once("types", types)


class SuppressionRecord(Record):
    """An address that gets no mails. ``address``: its hash, which only the same store can use.
    ``reason``: '' if the address was refused on ``refused_day`` only."""

    address: Annotated[str, Meta(pattern=HASH)]
    created_at: Time
    reason: Literal["", "unsubscribed", "not_me", "bounced", "complained", "shop"] = ""
    until: OptionalTime = ""
    refused_day: Annotated[str, Meta(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?\Z")] = ""


class _VariantState(notices.VariantState, forbid_unknown_fields=True):
    """``notices.VariantState``, but unknown fields and malformed times are refused."""

    dropped_at: OptionalTime = ""
    restocked_at: OptionalTime = ""


class ProductRecord(Record):
    """A product with the state that notices are based on, as in the database."""

    product_id: str
    id: RecordId
    position: Id
    created_at: Time
    updated_at: Time
    document: str
    variants: str
    known: str
    noticed_at: Time | None = None

    def check(self, store: Store, /) -> None:
        product = self._to_product(store)
        for field, parsed in (("document", product.data), ("variants", product.variants)):
            _check_exported_form(field, getattr(self, field), msgspec.json.encode(parsed).decode())
        states = _decode_nested("known", self.known, dict[str, _VariantState])
        if not states.keys() <= product.offers.keys():
            raise Invalid("known: contains a variant that the product doesn't have")

    def _to_product(self, store: Store) -> NewProduct:
        """Returns the product as a request would have given it. Raises ``Invalid``."""
        body: ProductBody = _decode_nested("document", self.document, ProductBody)
        body.variants = _decode_nested("variants", self.variants, list[Variant])
        for variant in body.variants:
            variant.variant_id = store.shown_id(variant.variant_id)
        id = product_bodies.product_id(self.product_id, store)
        return body.product(id, store, is_stored=True)


class RevocationRecord(Record):
    """A revoked token of the preceding profile; without ``jti``, all tokens issued until then."""

    revoked_at: Time
    jti: Annotated[str, Meta(pattern=rf"^(?:{ids.RECORD_ID.pattern})?\Z")] = ""


class ProfileRecord(Record):
    """A customer or session. ``events``: the last ``sequence`` that was assigned. ``shared``:
    whether the whole wishlist was ever shared."""

    gid: str
    created_at: Time
    touched_at: Time
    closed_at: Time | None = None
    email: str | None = None
    events: WholeNumber = 0
    notices: Literal[0, 1] | None = None
    shared: bool = False
    email_status: Literal["", "pending", "confirmed", "removed"] = ""
    email_source: ChoiceSource = ""
    email_confirmed_at: OptionalTime = ""
    language: Annotated[str, Meta(pattern=rf"^(?:{rules.LANGUAGE})?\Z")] = ""
    notices_chosen_at: OptionalTime = ""
    notices_source: ChoiceSource = ""

    @property
    def is_session(self) -> bool:
        return ids.customer_of(self.gid) is None

    def check(self, _: Store, /) -> None:
        self.gid = check_gid("gid", self.gid)
        if self.email is not None:
            profiles.check_email(self.email)
        if self.closed_at is not None and not self.is_session:
            raise Invalid("closedAt: is allowed only for a session")


class ListRecord(Record):
    """A list. ``order``: its items that have a position. ``shared``: whether it was ever shared."""

    id: RecordId
    name: str
    created_at: Time
    updated_at: Time
    order: list[RecordId] = msgspec.field(default_factory=list)
    shared: bool = False

    def check(self, _: Store, /) -> None:
        _check_exported_form("name", self.name, lists.check_name(self.name))
        fields.each_once("order", self.order)


class ShareRecord(Record):
    """A share of a list or, without one, of the whole wishlist, with the token of the link."""

    id: RecordId
    token: str
    created_at: Time
    list_id: RecordId | None = None
    display_name: str = ""
    reservations: bool = False
    notes: bool = False
    expires_at: Time | None = None

    def check(self, _: Store, /) -> None:
        if not shares.is_token(self.token):
            raise Invalid("token: isn't the token of a share")
        _check_exported_form(
            "displayName", self.display_name, shares.check_display_name(self.display_name)
        )


class ItemRecord(Record):
    """An item. ``dropped_at``, ``restocked_at``: times of the last notices (``notices.py``);
    ``saved_at``: when it was saved again."""

    id: RecordId
    product_id: ProductId
    created_at: Time
    updated_at: Time
    variant_id: ProductId | None = None
    quantity: Quantity = 1
    tags: list[str] = msgspec.field(default_factory=list)
    note: Note = ""
    list_ids: list[RecordId] = msgspec.field(default_factory=list)
    dropped_at: Time | None = None
    restocked_at: Time | None = None
    saved_price: money.Money | None = None
    saved_at: Time | None = None

    @property
    def kind(self) -> tuple[str, str]:
        """Product and variant ids as they are stored."""
        return str(self.product_id), "" if self.variant_id is None else str(self.variant_id)

    def check(self, store: Store, /) -> None:
        store.product_id("productId", self.product_id)
        if self.variant_id is not None:
            store.product_id("variantId", self.variant_id)
        fields.check_each_tag(self.tags)
        fields.each_once("listIds", self.list_ids)


class ReservationRecord(Record):
    """A reservation on an item by the profile with the GID ``holder``.

    ``merged_id``: the item's id as the holder knows it, if a sign-in has merged the item since. The
    quantity may exceed the limit of requests a hundredfold, because sign-ins add quantities up.
    """

    item_id: RecordId
    holder: str
    quantity: Annotated[int, Meta(ge=1, le=100 * MAX_QUANTITY)]
    created_at: Time
    merged_id: RecordId | None = None

    def check(self, _: Store, /) -> None:
        self.holder = check_gid("holder", self.holder)


class EndRecord(Record):
    """The last line: the number of records of each kind. A file without it is incomplete."""

    profiles: WholeNumber
    lists: WholeNumber
    items: WholeNumber
    shares: WholeNumber = 0
    reservations: WholeNumber = 0


KINDS: dict[type[Record], str] = {
    StoreRecord: "wishwell",
    SecretsRecord: "secrets",
    AdminTokenRecord: "adminToken",
    WebhookRecord: "webhook",
    ProductRecord: "product",
    OrderRecord: "order",
    SuppressionRecord: "suppression",
    RevocationRecord: "revocation",
    ProfileRecord: "profile",
    ListRecord: "list",
    ShareRecord: "share",
    ItemRecord: "item",
    RemovedRecord: "removed",
    ReservationRecord: "reservation",
    EndRecord: "end",
}
"""Name of the field in a line, by record type."""

_Line = msgspec.defstruct(
    "_Line",
    [(kind, record | UnsetType, UNSET) for record, kind in KINDS.items()],
    forbid_unknown_fields=True,
    gc=False,
)
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Line)


def encode(record: Record) -> bytes:
    return _encoder.encode({KINDS[type(record)]: record}) + b"\n"


def decode(text: bytes | str) -> Record:
    """Returns the record in a line. Raises ``Invalid``, which names the field."""
    line = _decode(_decoder, text)
    records = [record for record in msgspec.structs.astuple(line) if record is not UNSET]
    if len(records) != 1:
        raise Invalid(f"must contain exactly one of {', '.join(KINDS.values())}")
    record: Record = records[0]
    return record


# rule: import-checked
def check(record: Record, text: bytes, store: Store) -> None:
    """Raises ``Invalid`` if a record breaks a rule that types can't express. ``text``: its line."""
    if (key := json_keys.duplicate_key(text)) is not None:
        raise Invalid(f"{key}: is repeated")
    try:
        record.check(store)
        _check_created_at(record)
    except Invalid as error:
        raise Invalid(f"{KINDS[type(record)]}.{error.message}") from error


def _check_created_at(record: Record) -> None:
    # Pages and reports use the id's time. `createdAt` may be earlier, because a sign-in keeps the
    # older of two items' times.
    id, created_at = getattr(record, "id", None), getattr(record, "created_at", "")
    if id is not None and ids.from_timestamp(created_at) > ids.time_of(id) + _MAX_LATER_MS:
        raise Invalid(
            "createdAt: is more than a minute after the time in the id; use an earlier "
            "time, or a UUIDv7 with that time as the id"
        )


def _decode(decoder: msgspec.json.Decoder[T], text: bytes | str) -> T:
    """Returns the decoded text. Raises ``Invalid``, which names the field."""
    try:
        return decoder.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Invalid(explain_error(str(error))) from error


def explain_error(text: str) -> str:
    """Returns a msgspec error message with the field before the rule."""
    path = _FIELD_PATH.search(text)
    rule = text[: path.start()] if path else text
    rule = _LENGTH.sub(r"must be at most \1 characters", rule)
    rule = next(
        (message for pattern, message in PATTERN_MESSAGES.items() if rule.endswith(repr(pattern))),
        rule,
    )
    return f"{path['field']}: {rule}" if path and path["field"] else rule


_cached_decoder = functools.cache(msgspec.json.Decoder)


def _decode_nested(field: str, text: str, struct_type: Any) -> Any:
    """Decodes JSON that is nested in a text field. Raises ``Invalid``, which names the field."""
    try:
        nested = _decode(_cached_decoder(struct_type), text)
    except Invalid as error:
        raise Invalid(f"{field}: {error.message}") from error
    if (key := json_keys.duplicate_key(text)) is not None:
        raise Invalid(f"{field}: {key[:80]!r} is repeated")
    return nested


def _check_exported_form(field: str, text: str, exported_text: str) -> None:
    if text != exported_text:
        raise Invalid(f"{field}: isn't in the form that an export writes: {exported_text[:80]!r}")
