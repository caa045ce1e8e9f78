"""Reads the file of an import: one profile at a time, each line checked."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import UNSET

from wishwell import transfer
from wishwell.errors import Invalid
from wishwell.stores import Store
from wishwell.transfer import (
    ItemRecord,
    Line,
    ListRecord,
    ProfileRecord,
    ReservationRecord,
    ShareRecord,
    StoreRecord,
)

_LONGEST = 1 << 25
"""Bytes of a line: several times the longest that an export writes."""

_MOST_ERRORS = 20
_OF_PROFILE = ("item", "list", "share", "reservation")


class Bundle(msgspec.Struct):
    """A profile with all that it holds, and what others have reserved of it. ``at``: the number of
    its line, and of each list's."""

    profile: ProfileRecord
    at: dict[str, int]
    lists: dict[str, ListRecord] = {}
    shares: list[ShareRecord] = []
    items: list[ItemRecord] = []
    reservations: list[ReservationRecord] = []

    def unshare(self) -> None:
        """Takes away what links lead to."""
        self.shares, self.reservations = [], []
        for record in self.lists.values():
            record.shared = False


class ImportFile:
    """The file at ``path``. Iterated, it gives a ``Bundle`` for each profile, and other lines."""

    def __init__(self, path: str) -> None:
        """Raises ``Invalid`` if it can't be read or does not begin as an export does."""
        self.path = Path(path)
        self.read = 0
        self.errors: list[str] = []
        self._line = 0
        self._checks = False
        try:
            self.size = self.path.stat().st_size
            with self.path.open("rb") as file:
                first = self._next(file)
        except OSError as error:
            raise Invalid(f"{path}: can't be read ({error.strerror}).") from error
        if first is None or first.wishwell is UNSET:
            what = "line 1: " + self.errors[0].partition(": ")[2] if self.errors else "is no export"
            raise Invalid(f"{path}: {what}; its first line names the format and its version.")
        self.first: StoreRecord = first.wishwell

    # contract: import-checked
    def check(self) -> list[Line]:
        """Checks all lines, and returns those that are of the store. Fills ``errors``."""
        self._checks, counts = True, transfer.EndRecord(0, 0, 0)
        end, of_store = None, []
        for piece in self:
            if isinstance(piece, Bundle):
                counts = transfer.EndRecord(
                    counts.profiles + 1,
                    counts.lists + len(piece.lists),
                    counts.items + len(piece.items),
                    counts.shares + len(piece.shares),
                    counts.reservations + len(piece.reservations),
                )
            elif piece.end is not UNSET:
                end = piece.end
            elif piece.secrets is not UNSET or piece.webhook is not UNSET:
                of_store.append(piece)
        self._checks = False
        if len(self.errors) > _MOST_ERRORS:
            self.errors[_MOST_ERRORS:] = ["and more"]
        elif end is None:
            self.errors.append(
                f"line {self._line}: the file ends too early: its last line is not there"
            )
        elif end != counts and not self.errors:
            self._fail("end: is not what the file holds; lines are missing, or there twice")
        return of_store

    def __iter__(self) -> Iterator[Bundle | Line]:
        self._line = self.read = 0
        bundle: Bundle | None = None
        ended = False
        with self.path.open("rb") as file:
            while (line := self._next(file)) is not None:
                if ended:
                    self._fail("stands behind the last line")
                if any(getattr(line, kind) is not UNSET for kind in _OF_PROFILE):
                    self._put(bundle, line)
                    continue
                if bundle is not None:
                    yield self._whole(bundle)
                    bundle = None
                if line.profile is not UNSET:
                    bundle = Bundle(line.profile, {"": self._line})
                    self._check(transfer.check_profile, line.profile)
                elif line.wishwell is UNSET:
                    ended = line.end is not UNSET
                    yield line
            if bundle is not None:
                yield self._whole(bundle)

    def _next(self, file: BinaryIO) -> Line | None:
        """The next good line."""
        while len(self.errors) <= _MOST_ERRORS and (text := file.readline(_LONGEST)):
            self._line += 1
            self.read += len(text)
            try:
                return transfer.decode(text)
            except Invalid as error:
                self._fail(error.message)
                if len(text) == _LONGEST:
                    return None
        return None

    def _fail(self, message: str, line: int | None = None) -> None:
        self.errors.append(f"line {line or self._line}: {message}")

    def _check(self, check: Callable[..., None], *arguments: object) -> None:
        if self._checks:
            try:
                check(*arguments)
            except Invalid as error:
                self._fail(error.message)

    def _put(self, bundle: Bundle | None, line: Line) -> None:
        """A record of the profile whose line came before."""
        if bundle is None:
            self._fail("stands before the line of its profile")
        elif line.list is not UNSET:
            self._check(transfer.check_list, line.list)
            if line.list.id in bundle.lists:
                self._fail("list.id: is there twice")
            bundle.lists[line.list.id] = line.list
            bundle.at[line.list.id] = self._line
        elif line.item is not UNSET:
            self._check(transfer.check_item, line.item, self.first.store)
            if self._checks and not bundle.lists.keys() >= set(line.item.list_ids):
                self._fail("item.listIds: must be lists of the same profile, which come before it")
            bundle.items.append(line.item)
        elif line.share is not UNSET:
            self._check(transfer.check_share, line.share)
            on = bundle.lists.get(line.share.list_id)
            if on is None or not on.shared:
                self._fail(
                    "share.listId: must be a shared list of the same profile, which comes before it"
                )
            bundle.shares.append(line.share)
        elif line.reservation is not UNSET:
            self._check(transfer.check_reservation, line.reservation, bundle.profile.gid)
            bundle.reservations.append(line.reservation)

    def _whole(self, bundle: Bundle) -> Bundle:
        if self._checks:
            self._check_whole(bundle)
        return bundle

    def _check_whole(self, bundle: Bundle) -> None:
        """What no line of a profile shows by itself."""
        first, items = bundle.at[""], bundle.items
        if len({item.id for item in items}) < len(items):
            self._fail("an item's id is there twice", first)
        if len({item.kind for item in items}) < len(items):
            self._fail("two items are of the same product and variant", first)
        if len({share.id for share in bundle.shares}) < len(bundle.shares):
            self._fail("a share's id is there twice", first)
        if len({share.token for share in bundle.shares}) < len(bundle.shares):
            self._fail("two shares have the same token", first)
        kept = bundle.reservations
        if len({(one.item_id, one.holder) for one in kept}) < len(kept):
            self._fail("a reservation is there twice", first)
        shared = {id for id, record in bundle.lists.items() if record.shared}
        if not {item.id for item in items if not shared.isdisjoint(item.list_ids)} >= {
            one.item_id for one in kept
        }:
            self._fail("reservation.itemId: is no item on a shared list of the profile", first)
        for id, record in bundle.lists.items():
            if record.order:
                on = {item.id for item in items if id in item.list_ids}
                if not on >= set(record.order):
                    self._fail("list.order: names an item that is not on the list", bundle.at[id])


def product_ids_differ(file: ImportFile, store: Store) -> str | None:
    """Why the file's records can't be those of this store, or None."""
    theirs = file.first.store.product_ids
    if theirs == store.product_ids:
        return None
    return (
        f"The file has {theirs} product ids and the store {store.handle!r} has {store.product_ids} "
        "ones; `wishwell store update --product-ids` changes that."
    )
