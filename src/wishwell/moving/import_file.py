"""Reads the file of an import: one profile at a time, each line checked."""

import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from wishwell import ids, opaque
from wishwell.errors import Invalid
from wishwell.events import webhooks
from wishwell.moving import file_records
from wishwell.moving.file_records import (
    AdminTokenRecord,
    EndRecord,
    ItemRecord,
    ListRecord,
    ProductRecord,
    ProfileRecord,
    Record,
    ReservationRecord,
    RevocationRecord,
    SecretsRecord,
    ShareRecord,
    StoreRecord,
    WebhookRecord,
)
from wishwell.moving.import_register import Register
from wishwell.stores import Store

_LONGEST = 1 << 25
"""Bytes of a line: several times the longest that an export writes."""

MOST_ERRORS = 20
_AHEAD_MS = 15 * 60_000
"""How far ahead the clock may be that dated a revocation: later tokens are dated behind it."""

OfProfile = ListRecord | ShareRecord | ItemRecord | ReservationRecord | RevocationRecord


class Bundle(msgspec.Struct):
    """A profile with all that it holds, and what others have reserved of it. ``at``: the number of
    its line, and of each list's. ``joins``: its lists are those of the same names, where there are
    such."""

    profile: ProfileRecord
    at: dict[str, int] = {}
    lists: dict[str, ListRecord] = {}
    shares: list[ShareRecord] = []
    items: list[ItemRecord] = []
    reservations: list[ReservationRecord] = []
    joins: bool = False

    def unshare(self) -> None:
        """Takes away what links lead to."""
        self.shares, self.reservations = [], []
        for record in self.lists.values():
            record.shared = False


def opened(path: str) -> BinaryIO:
    """A file that is read several times: each time the one that was opened. Raises ``Invalid``."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Invalid(f"{path}: can't be read ({reason}).") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise Invalid(f"{path}: must be a file; it is read several times.")
    return file


class ImportFile:
    """The file at ``path``. Iterated, it gives a ``Bundle`` for each profile, and other records.

    ``register``: what ``check`` has found by name. ``now`` in milliseconds since 1970.
    """

    def __init__(self, path: str, now: int) -> None:
        """Raises ``Invalid`` if it can't be read or does not begin as an export does."""
        self.path, self._now = path, now
        self.read = 0
        self.errors: list[str] = []
        self.register = Register()
        self._line = 0
        self._checks = self._unsure = False
        self._file = opened(path)
        found = os.fstat(self._file.fileno())
        self.size, self._changed = found.st_size, found.st_mtime_ns
        try:
            first = self._next()
        except Invalid as error:
            raise Invalid(f"{path}: {error.message}; a CSV file needs --map") from error
        if not isinstance(first, StoreRecord):
            raise Invalid(f"{path}: line 1: is no export; that names the format and its version.")
        self.first = first

    @property
    def store(self) -> Store:
        return self.first.store

    # contract: import-checked
    def check(self) -> list[tuple[int, SecretsRecord | WebhookRecord]]:
        """Checks all lines, and returns what of the store the settings decide on, with the lines.
        Fills ``errors``."""
        self._checks, counts = True, EndRecord(0, 0, 0)
        end, of_store = None, []
        for piece in self:
            if isinstance(piece, Bundle):
                counts.profiles += 1
                counts.lists += len(piece.lists)
                counts.items += len(piece.items)
                counts.shares += len(piece.shares)
                counts.reservations += len(piece.reservations)
            elif isinstance(piece, EndRecord):
                end = piece
            elif isinstance(piece, SecretsRecord | WebhookRecord):
                of_store.append((self._line, piece))
                if len(of_store) > webhooks.MOST + 1:
                    self._fail(f"webhook: a store has at most {webhooks.MOST}")
        self._check_file(end, counts)
        self._checks = False
        return of_store

    def _check_file(self, end: EndRecord | None, counts: EndRecord) -> None:
        """What only the whole file shows."""
        for kind, first, line in self.register.twice(MOST_ERRORS + 1):
            self._fail(f"{kind}: is there twice, in line {first} too", line)
        if len(self.errors) > MOST_ERRORS:
            self.errors[MOST_ERRORS:] = ["and more"]
        elif end is None:
            self._fail("the file ends too early: its last line is not there")
        elif end != counts and not self.errors:
            self._fail("end: is not what the file holds; lines are missing, or there twice")

    def __iter__(self) -> Iterator[Bundle | Record]:
        if os.fstat(self._file.fileno()).st_mtime_ns != self._changed:
            raise Invalid(f"{self.path}: has changed since it was checked; import it again.")
        self._line = self.read = 0
        self._file.seek(0)
        bundle: Bundle | None = None
        ended = False
        while (record := self._next()) is not None:
            if ended:
                self._fail("stands behind the last line")
            if isinstance(record, OfProfile):
                if not self._unsure:
                    self._put(bundle, record)
                continue
            if bundle is not None:
                yield from self._whole(bundle)
            bundle = None
            if isinstance(record, ProfileRecord):
                self._unsure = False
                bundle = Bundle(record, {"": self._line})
            elif not isinstance(record, StoreRecord):
                ended = isinstance(record, EndRecord)
                yield record
            elif self._line > 1:
                self._fail("wishwell: is there twice, in line 1 too")
        if bundle is not None:
            yield from self._whole(bundle)

    def _next(self) -> Record | None:
        """The next good record."""
        while len(self.errors) <= MOST_ERRORS and (text := self._file.readline(_LONGEST)):
            self._line += 1
            self.read += len(text)
            try:
                record = file_records.decode(text)
                if self._checks:
                    file_records.check(record, text, self.store)
                    self._note(record)
                return record
            except Invalid as error:
                self._fail(error.message)
                # It may be the line of a profile: what stands below fits nothing any more.
                self._unsure = True
                if len(text) == _LONGEST:
                    return None
        return None

    def _note(self, record: Record) -> None:
        """What may be there only once."""
        kind, line = file_records.KINDS[type(record)], self._line
        if isinstance(record, SecretsRecord):
            self.register.note(kind, "", line)
        elif isinstance(record, ProfileRecord):
            self.register.note(kind, ids.profile_key(self.store.id, record.gid), line)
        elif (id := getattr(record, "id", None)) is not None:
            self.register.note(f"{kind}.id", id, line)
        if isinstance(record, AdminTokenRecord):
            self.register.note("adminToken.hash", record.hash, line, record.id)
        elif isinstance(record, ShareRecord):
            self.register.note("share.token", opaque.hashed(record.token), line)
        elif isinstance(record, ProductRecord):
            self.register.note("product.productId", record.product_id, line)

    def _fail(self, message: str, line: int | None = None) -> None:
        """Notes an error while it checks. Raises ``Invalid`` before and afterwards."""
        said = f"line {line or self._line}: {' '.join(message.split()).removesuffix('.')}"
        if not self._checks:
            raise Invalid(said)
        self.errors.append(said)

    def _put(self, bundle: Bundle | None, record: OfProfile) -> None:
        """A record of the profile whose line came before."""
        if isinstance(record, RevocationRecord):
            if self._checks:
                self._note_revocation(bundle, record)
        elif bundle is None:
            self._fail("stands before the line of its profile")
        elif isinstance(record, ListRecord):
            bundle.lists[record.id] = record
            bundle.at[record.id] = self._line
        elif isinstance(record, ItemRecord):
            bundle.items.append(record)
            if not bundle.lists.keys() >= set(record.list_ids):
                self._fail("item.listIds: must be lists of the same profile, which come before it")
        elif isinstance(record, ShareRecord):
            bundle.shares.append(record)
            on = bundle.lists.get(record.list_id)
            if on is None or not on.shared:
                self._fail(
                    "share.listId: must be a shared list of the same profile, which comes before it"
                )
        else:
            bundle.reservations.append(record)
            if record.holder == bundle.profile.gid:
                self._fail("reservation.holder: is the owner of the item")

    def _note_revocation(self, bundle: Bundle | None, record: RevocationRecord) -> None:
        if ids.from_timestamp(record.revoked_at) > self._now + _AHEAD_MS:
            self._fail("revocation.revokedAt: is in the future")
        key = record.profile_id
        if key is None and bundle is not None:
            key = ids.profile_key(self.store.id, bundle.profile.gid)
        if key is None:
            self._fail("stands before the line of its profile")
        else:
            name = f"{key} {record.jti}"
            self.register.note("revocation", name, self._line, record.revoked_at)

    def _whole(self, bundle: Bundle) -> Iterator[Bundle]:
        if not self._unsure:
            if self._checks:
                self._check_whole(bundle)
            yield bundle

    def _check_whole(self, bundle: Bundle) -> None:
        """What no line of a profile shows by itself."""
        first, items, kept = bundle.at[""], bundle.items, bundle.reservations
        if bundle.profile.closed_at is not None and (items or bundle.lists):
            self._fail("profile.closedAt: a session that has ended holds nothing", first)
        if len({item.kind for item in items}) < len(items):
            self._fail("two items are of the same product and variant", first)
        if len({(one.item_id, one.holder) for one in kept}) < len(kept):
            self._fail("a reservation is there twice", first)
        shared = {id for id, record in bundle.lists.items() if record.shared}
        if not {item.id for item in items if not shared.isdisjoint(item.list_ids)} >= {
            one.item_id for one in kept
        }:
            self._fail("reservation.itemId: is no item on a shared list of the profile", first)
        on = {(id, item.id) for item in items for id in item.list_ids}
        for id, record in bundle.lists.items():
            if not all((id, item) in on for item in record.order):
                self._fail("list.order: names an item that is not on the list", bundle.at[id])
