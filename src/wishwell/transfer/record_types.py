"""Types that the records of the export file share."""

from typing import Annotated

import msgspec
from msgspec import Meta

from wishwell import ids
from wishwell.errors import Invalid
from wishwell.field_types import PATTERN_RULES
from wishwell.stores import Store

RECORD_ID = rf"^{ids.RECORD_ID.pattern}\Z"
UUID = rf"^{ids.UUID_PATTERN.pattern}\Z"
TIME = rf"^{ids.TIME_PATTERN.pattern}\Z"
HASH = r"^[0-9a-f]{64}\Z"

RecordId = Annotated[str, Meta(pattern=RECORD_ID)]
Id = Annotated[str, Meta(pattern=UUID)]
Time = Annotated[str, Meta(pattern=TIME)]
WholeNumber = Annotated[int, Meta(ge=0, le=2**53)]

PATTERN_MESSAGES = {
    RECORD_ID: "must be a version 7 UUID in lower case with hyphens",
    UUID: "must be a UUID in lower case with hyphens",
    TIME: "must be a valid time such as 2025-04-18T18:13:27.481Z",
    HASH: "must be a SHA-256 hash in lower-case hexadecimal",
    **PATTERN_RULES,
}


class Record(
    msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True, gc=False
):
    """A record of the file. Fields that are left out have their default."""

    def check(self, store: Store, /) -> None:
        """Raises ``Invalid`` if a rule is broken that the types can't express.

        ``store`` is the file's store.
        """


def check_gid(field: str, gid: str) -> str:
    if (normalised := ids.normalised(gid)) is None:
        raise Invalid(f"{field}: isn't the GID of a customer or session")
    return normalised


def show_ids(store: Store, record: msgspec.Struct, *fields: str) -> None:
    """Converts product and variant ids to numbers, unless the store has text ids."""
    for field in fields:
        if (id := getattr(record, field)) is not None:
            setattr(record, field, store.shown_id(id))
