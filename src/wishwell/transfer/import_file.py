"""Reads the file of an import: checks each line, and groups the lines by profile."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, TypeVar

import msgspec

from wishwell import ids
from wishwell.errors import Invalid
from wishwell.events import webhooks
from wishwell.stores import Store, placeholders
from wishwell.transfer import file_records
from wishwell.transfer.file_records import (
    KINDS,
    EndRecord,
    ItemRecord,
    ListRecord,
    ProfileRecord,
    ReservationRecord,
    RevocationRecord,
    ShareRecord,
    StoreRecord,
)
from wishwell.transfer.order_records import RemovedRecord
from wishwell.transfer.record_types import Record
from wishwell.transfer.spool import Spool, open_unpacked, read_lines

_MAX_LINE_BYTES = 1 << 25
"""Limit of bytes in a line: several times the longest line of an export."""

_MAX_CLOCK_SKEW_MS = 15 * 60_000
"""Clock skew, in milliseconds, that a revocation may have. New tokens are dated after it."""

_BATCH_SIZE = 10_000
_UNIQUE_FIELDS = (
    "adminToken.id", "adminToken.hash", "webhook.id", "suppression.address",
    "product.id", "product.productId",
    "order.hash", "profile.gid", "revocation.jti", "list.id", "share.id", "share.token", "item.id",
    "removed.itemId",
)  # fmt: skip
"""Fields whose values are unique in a file; for a revocation, in its profile."""

_MAX_RECORDS = {"secrets": 1, "webhook": webhooks.MAX_WEBHOOKS}

R = TypeVar("R", bound=Record)
RecordOfProfile = ListRecord | ShareRecord | ItemRecord | ReservationRecord | RevocationRecord
RecordOfProfile |= RemovedRecord
Lines = Sequence[tuple[int, Record]]
"""Records with the numbers of their lines."""


class Bundle(msgspec.Struct):
    """A profile with its records, and others' reservations on its items. ``joins_lists``: its
    lists are merged with existing lists of the same names."""

    profile: ProfileRecord
    lists: dict[str, ListRecord] = {}
    shares: list[ShareRecord] = []
    items: list[ItemRecord] = []
    removed: list[RemovedRecord] = []
    reservations: list[ReservationRecord] = []
    joins_lists: bool = False

    def detach(self) -> None:
        """Removes records that belong to one store: shares (their tokens are unique), reservations,
        and the removed items that the store's orders may match."""
        self.shares, self.reservations, self.removed = [], [], []
        self.profile.shared = False
        for record in self.lists.values():
            record.shared = False


class ImportFile:
    """The file at ``path``. After ``check``, iterating yields a ``Bundle`` for each profile."""

    def __init__(self, path: str, now: int, file: BinaryIO | None = None) -> None:
        """``now`` in milliseconds since 1970. ``file``: the open file, if it is open.
        Raises ``Invalid`` if the file can't be read or isn't an export."""
        self.spool = Spool()
        self.placeholders = 0
        """Number of customers whose id is a placeholder (rule: placeholder-ids)."""
        self._now, self._profile_key = now, ""
        self._end_record: EndRecord | None = None
        self._lines = read_lines(file or open_unpacked(path), _MAX_LINE_BYTES)
        self._first_line = next(self._lines, b"")
        try:
            store_record = _decode_record(self._first_line)
        except Invalid as error:
            raise Invalid(
                f"{path}: line 1: {error.message}; a CSV file needs --map, or .csv in its name."
            ) from error
        if not isinstance(store_record, StoreRecord):
            raise Invalid(
                f"{path}: line 1: isn't the first line of an export, which "
                "contains the format and its version."
            )
        self.store_record = store_record

    @property
    def store(self) -> Store:
        return self.store_record.store

    # rule: import-checked
    def check(self) -> Iterator[int]:
        """Checks all lines. Yields the number of lines read so far at intervals."""
        line, spool = 0, self.spool
        for line, text in enumerate(itertools.chain([self._first_line], self._lines), 1):
            try:
                self._store_line(line, text)
            except Invalid as error:
                spool.add_error(line, error.message)
            if spool.has_failed:
                break
            if line % _BATCH_SIZE == 0:
                yield line
        if not spool.errors:
            self._check_whole_file(line)
        for lines in () if spool.errors else self._lines_by_profile():
            for faulty_line, message in _check_references(lines):
                spool.add_error(faulty_line, message)

    def _store_line(self, line: int, text: bytes | str) -> None:
        """Checks a line, and stores it under its profile."""
        record = _decode_record(text)
        assert isinstance(text, bytes)
        file_records.check(record, text, self.store)
        if self._end_record is not None:
            raise Invalid("comes after the `end` line, which must be the last")
        key = ""
        if isinstance(record, EndRecord):
            self._end_record = record
            return
        if isinstance(record, StoreRecord):
            if line > 1:
                raise Invalid("wishwell: is already in line 1")
            return
        if isinstance(record, ProfileRecord):
            key = self._profile_key = ids.profile_key(self.store.id, record.gid)
            self.placeholders += placeholders.names_nobody(record.gid)
        elif isinstance(record, RecordOfProfile):
            key = self._profile_key
            if not key and not self.spool.errors:
                raise Invalid("comes before its profile")
        if (
            isinstance(record, RevocationRecord)
            and ids.from_timestamp(record.revoked_at) > self._now + _MAX_CLOCK_SKEW_MS
        ):
            raise Invalid("revocation.revokedAt: must not be in the future")
        self.spool.add(key, line, KINDS[type(record)], text.decode())

    def _check_whole_file(self, last_line: int) -> None:
        """Checks limits, uniqueness and completeness of the whole file."""
        counts = dict(self.spool.query("SELECT kind, count(*) FROM records GROUP BY kind"))
        for kind, max_count in _MAX_RECORDS.items():
            if counts.get(kind, 0) > max_count:
                self.spool.add_error(last_line, f"{kind}: a store can have at most {max_count}")
        for field in _UNIQUE_FIELDS:
            duplicates = self.spool.query(
                "SELECT min(line), max(line) FROM records WHERE kind = ? "
                "GROUP BY json_extract(text, '$.' || ?), CASE kind WHEN 'revocation' THEN key END "
                "HAVING count(*) > 1 ORDER BY 2",
                field.partition(".")[0],
                field,
            )
            for first_line, line in duplicates:
                self.spool.add_error(line, f"{field}: has the same value as in line {first_line}")
        counted_kinds = ("profile", "list", "item", "share", "reservation")
        if self._end_record is None:
            self.spool.add_error(
                last_line, "the file is incomplete: its last line (`end`) is missing"
            )
        elif self._end_record != EndRecord(*(counts.get(kind, 0) for kind in counted_kinds)):
            self.spool.add_error(
                last_line, "end: its counts differ from the lines of the file; lines are missing"
            )

    def _lines_by_profile(self) -> Iterator[Lines]:
        for _, rows in self.spool.by_key():
            yield [(line, file_records.decode(text)) for _, line, _, text in rows]

    def __iter__(self) -> Iterator[Bundle]:
        return map(_gather_bundle, self._lines_by_profile())

    def records(self, *kinds: type[R]) -> Iterator[tuple[str, int, R]]:
        """Yields the records of the given kinds: profile key, line number and record."""
        for kind in kinds:
            rows = self.spool.query("SELECT * FROM records WHERE kind = ?", KINDS[kind])
            for key, line, _, text in rows:
                record: Any = file_records.decode(text)
                yield key, line, record


def _decode_record(text: bytes | str) -> Record:
    """Decodes the record of a line. Raises ``Invalid``, also for a line that is too long."""
    if isinstance(text, str):
        raise Invalid(text)
    return file_records.decode(text)


def _gather_bundle(lines: Lines) -> Bundle:
    (_, profile), *rest = lines
    assert isinstance(profile, ProfileRecord)
    bundle = Bundle(profile)
    records_by_type: dict[type[Record], list[Any]] = {
        ItemRecord: bundle.items,
        RemovedRecord: bundle.removed,
        ShareRecord: bundle.shares,
        ReservationRecord: bundle.reservations,
    }
    for _, record in rest:
        if isinstance(record, ListRecord):
            bundle.lists[record.id] = record
        elif type(record) in records_by_type:
            records_by_type[type(record)].append(record)
    return bundle


def _check_references(lines: Lines) -> Iterator[tuple[int, str]]:
    """Checks the references between the lines of a profile. Yields line numbers and messages."""
    references = _References(_gather_bundle(lines))
    # Lists come last: an invalid item is reported before the list's order that contains it.
    for line, record in sorted(lines, key=lambda numbered: isinstance(numbered[1], ListRecord)):
        for message in references.find_faults(record):
            yield line, message


class _References:
    """The references between the records of a profile."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle, self._profile = bundle, bundle.profile
        self._list_ids_by_item = {item.id: item.list_ids for item in bundle.items}
        self._shared_list_ids = {id for id, record in bundle.lists.items() if record.shared}
        self._seen_keys: set[tuple[str, str]] = set()

    def find_faults(self, record: Record) -> Iterator[str]:
        """Yields a message for each reference of a record that is invalid."""
        if isinstance(record, ProfileRecord):
            bundle = self._bundle
            has_records = bool(bundle.items or bundle.lists or bundle.shares or bundle.removed)
            if record.closed_at is not None and has_records:
                yield "profile.closedAt: a closed session can't have records"
        elif isinstance(record, ListRecord):
            if any(record.id not in self._list_ids_by_item.get(id, ()) for id in record.order):
                yield "list.order: contains an item that isn't on the list"
        elif isinstance(record, ItemRecord):
            if not self._bundle.lists.keys() >= set(record.list_ids):
                yield "item.listIds: must be ids of lists of the same profile"
            if self._is_repeated(record.kind):
                yield "item: another item of the profile has the same product and variant"
        elif isinstance(record, ShareRecord) and not self._is_shared(record):
            yield "share.listId: must be the id of a shared list of the same profile"
        elif isinstance(record, ReservationRecord):
            yield from self._find_reservation_faults(record)

    def _find_reservation_faults(self, record: ReservationRecord) -> Iterator[str]:
        if record.holder == self._profile.gid:
            yield "reservation.holder: must not be the owner of the item"
        if not self._can_be_reserved(record.item_id):
            yield "reservation.itemId: must be an item on a shared list of the profile"
        if self._is_repeated((record.item_id, record.holder)):
            yield "reservation: the same holder already has a reservation of this item"

    def _is_repeated(self, key: tuple[str, str]) -> bool:
        """Records a key that must be unique. Returns whether another record had it."""
        is_repeated = key in self._seen_keys
        self._seen_keys.add(key)
        return is_repeated

    def _is_shared(self, share: ShareRecord) -> bool:
        if share.list_id is None:
            return self._profile.shared
        return share.list_id in self._shared_list_ids

    def _can_be_reserved(self, item_id: str) -> bool:
        if not self._shared_list_ids.isdisjoint(self._list_ids_by_item.get(item_id, ())):
            return True
        return self._profile.shared and item_id in self._list_ids_by_item
