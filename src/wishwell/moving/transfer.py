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
from wishwell.moving.file_records import Record
from wishwell.stores import Store
from wishwell.wishes import fields

_LATE_MS = 60_000
"""How much later than the time in its id a record may say that it was made."""

KINDS: dict[type[Record], str] = {
    file_records.StoreRecord: "wishwell",
    file_records.SecretsRecord: "secrets",
    file_records.AdminTokenRecord: "adminToken",
    file_records.WebhookRecord: "webhook",
    file_records.ProductRecord: "product",
    file_records.RevocationRecord: "revocation",
    file_records.ProfileRecord: "profile",
    file_records.ListRecord: "list",
    file_records.ShareRecord: "share",
    file_records.ItemRecord: "item",
    file_records.ReservationRecord: "reservation",
    file_records.EndRecord: "end",
}
"""Each record, and the field of its line."""

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


def decode(text: bytes) -> Record:
    """The record of a line. Raises ``Invalid``, which names the field."""
    line = file_records.decoded(_decoder, text)
    records = [value for value in msgspec.structs.astuple(line) if value is not UNSET]
    if len(records) != 1:
        raise Invalid(f"must have exactly one of {', '.join(KINDS.values())}")
    record: Record = records[0]
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
