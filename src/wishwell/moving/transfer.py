"""The file that an export writes and an import reads: one JSON object a line (docs/data.md).

Each line has one field, which says what it is of. A profile's line comes first, then its lists,
their shares, its items and what others have reserved of them. What stands in several tables is one
record here; an import makes the rows again.
"""

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import ids
from wishwell.errors import Invalid
from wishwell.moving import file_records
from wishwell.moving.file_records import (
    AdminTokenRecord,
    EndRecord,
    ItemRecord,
    ListRecord,
    ProductRecord,
    ProfileRecord,
    ReservationRecord,
    RevocationRecord,
    SecretsRecord,
    ShareRecord,
    StoreRecord,
    WebhookRecord,
)
from wishwell.stores import Store
from wishwell.wishes import fields

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
    "admin_tokens": "adminToken",
    "products": "product",
    "webhooks": "webhook",
    "share_tokens": "share",
    "deliveries": None,
    "feeds": None,
    "deleted_stores": None,
}
"""The same of the tables of a store."""

_LATE_MS = 60_000
"""How much later than the time in its id a record may say that it was made."""

Record = (
    StoreRecord
    | SecretsRecord
    | AdminTokenRecord
    | WebhookRecord
    | ProductRecord
    | RevocationRecord
    | ProfileRecord
    | ListRecord
    | ShareRecord
    | ItemRecord
    | ReservationRecord
    | EndRecord
)


class _Line(msgspec.Struct, rename="camel", forbid_unknown_fields=True, gc=False):
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


KINDS = {
    StoreRecord: "wishwell",
    SecretsRecord: "secrets",
    AdminTokenRecord: "adminToken",
    WebhookRecord: "webhook",
    ProductRecord: "product",
    RevocationRecord: "revocation",
    ProfileRecord: "profile",
    ListRecord: "list",
    ShareRecord: "share",
    ItemRecord: "item",
    ReservationRecord: "reservation",
    EndRecord: "end",
}
"""Each record, and the field of its line."""

_FIELDS = _Line.__struct_fields__
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Line)


def encode(record: Record) -> bytes:
    return _encoder.encode({KINDS[type(record)]: record}) + b"\n"


def decode(text: bytes) -> Record:
    """The record of a line. Raises ``Invalid``, which names the field."""
    line = file_records.decoded(_decoder, text)
    found = [one for name in _FIELDS if (one := getattr(line, name)) is not UNSET]
    if len(found) != 1:
        raise Invalid(f"must have exactly one of {', '.join(KINDS.values())}")
    record: Record = found[0]
    return record


# contract: import-checked
def check(record: Record, text: bytes, store: Store) -> None:
    """Raises ``Invalid`` for what the types of a record can't say; ``text`` is its line."""
    if (key := fields.key_twice(text)) is not None:
        raise Invalid(f"{key}: is there twice")
    try:
        record.check(store)
        _check_made(record)
    except Invalid as error:
        raise Invalid(f"{KINDS[type(record)]}.{error.message}") from error


def _check_made(record: Record) -> None:
    # Pages and reports go by the id's time. Earlier is right: a sign-in keeps the older time.
    id, made = getattr(record, "id", None), getattr(record, "created_at", "")
    if id is not None and ids.from_timestamp(made) > ids.time_of(id) + _LATE_MS:
        raise Invalid(
            "createdAt: is more than a minute later than the time in its id; make it earlier, or "
            "give the record a UUIDv7 of that time"
        )
