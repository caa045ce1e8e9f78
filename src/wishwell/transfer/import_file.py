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
from wishwell.transfer.spool import Spool, opened, read_lines

_MAX_LINE_BYTES = 1 << 25
"""Limit of bytes in a line: several times the longest line of an export."""

_MAX_CLOCK_SKEW_MS = 15 * 60_000
"""Clock skew, in milliseconds, that a revocation may have. New tokens are dated after it."""

_BATCH_SIZE = 10_000
_UNIQUE_FIELDS = (
    "adminToken.id", "adminToken.hash", "webhook.id", "product.id", "product.productId",
    "order.hash", "profile.gid", "revocation.jti", "list.id", "share.id", "share.token", "item.id",
    "removed.itemId",
)  # fmt: skip
"""Fields whose values are unique in a file; for a revocation, in its profile."""

_MAX_RECORDS = {"secrets": 1, "webhook": webhooks.MAX_WEBHOOKS}

R = TypeVar("R", bound=Record)
OfProfile = ListRecord | ShareRecord | ItemRecord | ReservationRecord | RevocationRecord
OfProfile |= RemovedRecord
Lines = Sequence[tuple[int, Record]]
"""Records with the numbers of their lines."""


class Bundle(msgspec.Struct):
    """A profile with its records, and others' reservations on its items. ``joins``: its lists are
    merged with existing lists of the same names."""

    profile: ProfileRecord
    lists: dict[str, ListRecord] = {}
    shares: list[ShareRecord] = []
    items: list[ItemRecord] = []
    removed: list[RemovedRecord] = []
    reservations: list[ReservationRecord] = []
    joins: bool = False

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
        self._now, self._key = now, ""
        self._end: EndRecord | None = None
        self._lines = read_lines(file or opened(path), _MAX_LINE_BYTES)
        self._first = next(self._lines, b"")
        try:
            first = _record(self._first)
        except Invalid as error:
            raise Invalid(
                f"{path}: line 1: {error.message}; a CSV file needs --map, or .csv in its name."
            ) from error
        if not isinstance(first, StoreRecord):
            raise Invalid(
                f"{path}: line 1: isn't the first line of an export, which "
                "contains the format and its version."
            )
        self.first = first

    @property
    def store(self) -> Store:
        return self.first.store

    # rule: import-checked
    def check(self) -> Iterator[int]:
        """Checks all lines. Yields the number of lines read so far at intervals."""
        line, spool = 0, self.spool
        for line, text in enumerate(itertools.chain([self._first], self._lines), 1):
            try:
                self._take(line, text)
            except Invalid as error:
                spool.fail(line, error.message)
            if spool.has_failed:
                break
            if line % _BATCH_SIZE == 0:
                yield line
        if not spool.errors:
            self._check_uniqueness(line)
        for lines in () if spool.errors else self._lines_by_profile():
            for at, message in _wrong(lines):
                spool.fail(at, message)

    def _take(self, line: int, text: bytes | str) -> None:
        """Checks a line, and stores it under its profile."""
        record = _record(text)
        assert isinstance(text, bytes)
        file_records.check(record, text, self.store)
        if self._end is not None:
            raise Invalid("comes after the `end` line, which must be the last")
        key = ""
        if isinstance(record, EndRecord):
            self._end = record
            return
        if isinstance(record, StoreRecord):
            if line > 1:
                raise Invalid("wishwell: is already in line 1")
            return
        if isinstance(record, ProfileRecord):
            key = self._key = ids.profile_key(self.store.id, record.gid)
            self.placeholders += placeholders.names_nobody(record.gid)
        elif isinstance(record, OfProfile):
            key = self._key
            if not key and not self.spool.errors:
                raise Invalid("comes before its profile")
        if (
            isinstance(record, RevocationRecord)
            and ids.from_timestamp(record.revoked_at) > self._now + _MAX_CLOCK_SKEW_MS
        ):
            raise Invalid("revocation.revokedAt: must not be in the future")
        self.spool.add(key, line, KINDS[type(record)], text.decode())

    def _check_uniqueness(self, last: int) -> None:
        """Checks limits, uniqueness and completeness of the whole file."""
        counts = dict(self.spool.ask("SELECT kind, count(*) FROM records GROUP BY kind"))
        for kind, most in _MAX_RECORDS.items():
            if counts.get(kind, 0) > most:
                self.spool.fail(last, f"{kind}: a store can have at most {most}")
        for name in _UNIQUE_FIELDS:
            twice = self.spool.ask(
                "SELECT min(line), max(line) FROM records WHERE kind = ? "
                "GROUP BY json_extract(text, '$.' || ?), CASE kind WHEN 'revocation' THEN key END "
                "HAVING count(*) > 1 ORDER BY 2",
                name.partition(".")[0],
                name,
            )
            for first, line in twice:
                self.spool.fail(line, f"{name}: has the same value as in line {first}")
        of = ("profile", "list", "item", "share", "reservation")
        if self._end is None:
            self.spool.fail(last, "the file is incomplete: its last line (`end`) is missing")
        elif self._end != EndRecord(*(counts.get(kind, 0) for kind in of)):
            self.spool.fail(
                last, "end: its counts differ from the lines of the file; lines are missing"
            )

    def _lines_by_profile(self) -> Iterator[Lines]:
        for _, rows in self.spool.by_key():
            yield [(line, file_records.decode(text)) for _, line, _, text in rows]

    def __iter__(self) -> Iterator[Bundle]:
        return map(_gathered, self._lines_by_profile())

    def records(self, *kinds: type[R]) -> Iterator[tuple[str, int, R]]:
        """Yields the records of the given kinds: profile key, line number and record."""
        for kind in kinds:
            rows = self.spool.ask("SELECT * FROM records WHERE kind = ?", KINDS[kind])
            for key, line, _, text in rows:
                record: Any = file_records.decode(text)
                yield key, line, record


def _record(text: bytes | str) -> Record:
    """Decodes the record of a line. Raises ``Invalid``, also for a line that is too long."""
    if isinstance(text, str):
        raise Invalid(text)
    return file_records.decode(text)


def _gathered(lines: Lines) -> Bundle:
    (_, profile), *rest = lines
    assert isinstance(profile, ProfileRecord)
    bundle = Bundle(profile)
    others: dict[type[Record], list[Any]] = {
        ItemRecord: bundle.items,
        RemovedRecord: bundle.removed,
        ShareRecord: bundle.shares,
        ReservationRecord: bundle.reservations,
    }
    for _, record in rest:
        if isinstance(record, ListRecord):
            bundle.lists[record.id] = record
        elif type(record) in others:
            others[type(record)].append(record)
    return bundle


def _wrong(lines: Lines) -> Iterator[tuple[int, str]]:
    """Checks the references between the lines of a profile. Yields line numbers and messages."""
    bundle = _gathered(lines)
    profile = bundle.profile
    on = {item.id: item.list_ids for item in bundle.items}
    shared = {id for id, record in bundle.lists.items() if record.shared}
    seen: set[tuple[str, str]] = set()
    # Lists come last: an invalid item is reported before the list's order that contains it.
    for line, record in sorted(lines, key=lambda one: isinstance(one[1], ListRecord)):
        wrong = {}
        if isinstance(record, ProfileRecord):
            holds = bool(bundle.items or bundle.lists or bundle.shares or bundle.removed)
            has_ended = record.closed_at is not None
            wrong = {"profile.closedAt: a closed session can't have records": has_ended and holds}
        elif isinstance(record, ListRecord):
            there = all(record.id in on.get(id, ()) for id in record.order)
            wrong = {"list.order: contains an item that isn't on the list": not there}
        elif isinstance(record, ItemRecord):
            wrong = {
                "item.listIds: must be ids of lists of the same profile": (
                    not bundle.lists.keys() >= set(record.list_ids)
                ),
                "item: another item of the profile has the same product and variant": record.kind
                in seen,
            }
            seen.add(record.kind)
        elif isinstance(record, ShareRecord):
            where = record.list_id in shared or (record.list_id is None and profile.shared)
            wrong = {"share.listId: must be the id of a shared list of the same profile": not where}
        elif isinstance(record, ReservationRecord):
            what = record.item_id, record.holder
            wrong = {
                "reservation.holder: must not be the owner of the item": (
                    record.holder == bundle.profile.gid
                ),
                "reservation.itemId: must be an item on a shared list of the profile": (
                    shared.isdisjoint(on.get(record.item_id, ()))
                    and not (profile.shared and record.item_id in on)
                ),
                "reservation: the same holder already has a reservation of this item": what in seen,
            }
            seen.add(what)
        yield from ((line, message) for message, is_so in wrong.items() if is_so)
