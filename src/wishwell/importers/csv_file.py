"""Reads another app's export for an import: CSV, one wish per row
(docs/coming-from-another-app.md).

Checks the rows and stores them in a temporary file, which then groups them by customer.
"""

import functools
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any, BinaryIO

import msgspec

from wishwell import ids, profiles
from wishwell.errors import Invalid
from wishwell.field_types import MAX_QUANTITY, Note, Quantity
from wishwell.importers import id_cells, id_files, table, wish_columns
from wishwell.importers.dates import Dates
from wishwell.importers.id_files import Unlisted
from wishwell.importers.omissions import Omissions
from wishwell.importers.table import Table
from wishwell.importers.wish_columns import FIELDS, NEEDED
from wishwell.stores import Store
from wishwell.transfer.file_records import ItemRecord, ListRecord, ProfileRecord, explained
from wishwell.transfer.import_file import Bundle
from wishwell.transfer.spool import Spool, opened
from wishwell.wishlists import lists, merging

_MAX_EXAMPLES = 5
_EMPTY_VALUES = dict.fromkeys(("customer", "variant"), table.EMPTY_CELLS | {"0", "0.0"})
_BATCH_SIZE = 10_000
_WIDTH = re.compile("has [0-9]+ cells, but")
"""The table's message about a row that is shorter or longer than the first."""

_ZERO_DATE = re.compile("0000-00-00")
_IDS = ("customer", "product", "variant")
_quantity = msgspec.json.Decoder(Quantity)
_wish_decoder = msgspec.json.Decoder(list)


class Reading(msgspec.Struct, frozen=True):
    """How to read a file: the columns of ``--map`` by field, and its encoding.
    ``zone``, ``date_format``, ``day_first``: as for ``Dates``.
    ``skip_guests``, ``skip_rows``: skips rows without a customer, or without a usable customer or
    product; otherwise they are errors. ``customers``, ``handles``: files that join addresses and
    handles to ids. ``emails_are_ids``: whether addresses are customer ids."""

    columns: Mapping[str, str]
    encoding: str = "utf-8-sig"
    zone: tzinfo | None = None
    skip_guests: bool = False
    date_format: str = ""
    day_first: bool = False
    customers: str = ""
    handles: str = ""
    skip_rows: bool = False
    emails_are_ids: bool = False


def columns(text: str) -> dict[str, str]:
    """Parses the value of ``--map`` into columns by field. Raises ``Invalid``."""
    return table.columns(text, FIELDS, ())


class CsvFile:
    """The file at ``path``. After ``check``, iterating yields a ``Bundle`` for each customer.

    ``columns``: by field. ``first``: the first rows as they will be imported. ``guests``: number of
    skipped rows without a customer. ``omissions``: other rows and cells that are left out.
    """

    def __init__(
        self, path: str, store: Store, how: Reading, now: int, file: BinaryIO | None = None
    ) -> None:
        """``now`` in milliseconds since 1970. ``file``: the open file, if it is open.
        Raises ``Invalid`` if the file can't be read or lacks a column."""
        self._how, self.spool = how, Spool()
        self.guests = self._last = 0
        self.first: list[str] = []
        file = file or opened(path)
        self._now = min(os.fstat(file.fileno()).st_mtime_ns // 1_000_000, now)
        self._seen = ids.timestamp(now)
        self._table = Table(path, file, how.encoding, how.columns.values())
        self.columns = wish_columns.complete(path, self._table.header, how.columns)
        self.omissions = Omissions()
        self._dates = Dates(now, zone=how.zone, format=how.date_format, day_first=how.day_first)
        self._bad_date: tuple[int, str] | None = None
        readers = _readers(store, how, self._dates)
        self._cells = [
            (
                field,
                self._table.place(self.columns[field]),
                _EMPTY_VALUES.get(field, table.EMPTY_CELLS),
                readers[field],
            )
            for field in FIELDS  # the needed ones are the first
            if field in self.columns
        ]

    @property
    def ignored(self) -> list[str]:
        """The columns that are not read."""
        return [name for name in self._table.header if name not in self.columns.values()]

    # rule: import-csv
    def check(self) -> Iterator[int]:
        """Checks all rows. Yields the number of rows read so far at intervals."""
        for number, (line, cells) in enumerate(self._table.rows(self._is_row), 1):
            if isinstance(cells, str) and self._how.skip_rows and _WIDTH.match(cells):
                self.omissions.add_row(line, "", "", cells)
            elif isinstance(cells, str):  # a fault of quotes or size, which may hide other rows
                self.spool.fail(line, cells)
            else:
                self._take(line, cells)
            if self.spool.has_failed:
                break
            if number % _BATCH_SIZE == 0:
                yield number
        if self._bad_date and self._dates.is_unknown:  # rule: import-dates
            self.spool.fail(*self._bad_date)

    # rule: catalogue-quotes
    def _is_row(self, cells: list[str], inside: range) -> bool:
        """Whether cells name a customer and a product, one of them in these places."""
        columns = self._cells[: len(NEEDED)]
        try:
            for _, at, _, read in columns:
                read(cells[at].strip().removeprefix("'"))
        except Invalid:
            return False
        return any(at in inside for _, at, _, _ in columns)

    def _take(self, line: int, cells: list[str]) -> None:
        """Checks a row, and stores its wish under its customer, unless it is a guest's."""
        wish: dict[str, Any] = dict.fromkeys(FIELDS)
        failed = False
        for field, at, nothing, read in self._cells:
            if field not in NEEDED and (failed or wish["customer"] is None):
                break
            cell = cells[at].strip()
            if field in _IDS:
                cell = cell.removeprefix("'")  # Excel's mark for text
            try:
                table.check_text(cell, self._how.encoding)
            except Invalid as error:
                failed = True
                self.spool.fail(line, f"column {self.columns[field]!r}: {error.message}")
                continue
            try:
                wish[field] = self._value(field, cell, nothing, read)
            except Invalid as error:
                failed |= self._leave_out(line, field, cell, error)
        if failed:
            return
        if wish["customer"] is None:
            self.guests += 1
            return
        self._last = line
        key, wish["customer"] = wish["customer"]
        if len(self.first) < _MAX_EXAMPLES:
            shown = wish | {"saved": wish["saved"] and ids.timestamp(wish["saved"])}
            said = [f"{field} {value!r}" for field, value in shown.items() if value is not None]
            self.first.append(f"line {line}: {', '.join(said)}")
        self.spool.add(key, line, "wish", msgspec.json.encode([*wish.values()]).decode())

    def _value(
        self, field: str, cell: str, nothing: Collection[str], read: Callable[[str], Any]
    ) -> Any:
        """Returns a cell's value, or ``None`` if it is empty. Raises ``Invalid``."""
        if cell not in nothing and not (field == "saved" and _ZERO_DATE.match(cell)):
            return read(cell)
        if field == "product":
            raise Invalid("is empty")
        if field == "customer" and not self._how.skip_guests:
            raise Invalid("is empty; skip rows without a customer with --skip-guests")
        return None

    # rule: import-omissions
    def _leave_out(self, line: int, field: str, cell: str, error: Invalid) -> bool:
        """Records a cell that can't be read: as a cell or a row to leave out, or as an error.
        Returns whether the row isn't imported."""
        column, reason = self.columns[field], wish_columns.reason(error)
        if field not in NEEDED:
            self.omissions.add_cell(line, column, cell, reason)
            if field == "saved" and self._bad_date is None:
                self._bad_date = line, f"column {column!r}: {reason}"
            return False
        if self._how.skip_rows or isinstance(error, Unlisted):
            self.omissions.add_row(line, column, cell, reason)
        else:
            self.spool.fail(line, f"column {column!r}: {reason}")
        return True

    def __iter__(self) -> Iterator[Bundle]:
        newest = max(self._now, self._last)
        for key, rows in self.spool.by_key():
            yield self._bundle(key, rows, newest)

    # rule: import-csv
    def _bundle(self, key: str, rows: Iterable[Sequence[Any]], newest: int) -> Bundle:
        """Merges the rows of a customer. ``newest``: time in milliseconds from which rows without a
        time count back by their line."""
        wishes: dict[tuple[str, str], list[Any]] = {}
        names: dict[str, list[Any]] = {}
        email = None
        for _, line, _, text in rows:
            gid, product, variant, name, quantity, note, saved, given = _wish_decoder.decode(text)
            at = newest - line if saved is None else saved
            wish = wishes.setdefault((product, variant), [at, line, quantity, note, set()])
            wish[0] = min(at, wish[0])
            if name is not None:
                alike = merging.normalised_name(name)
                named = names.setdefault(alike, [at, name])
                named[0] = min(at, named[0])
                wish[4].add(alike)
            email = email or given
        made_lists, holds = {}, []
        for alike, (at, name) in names.items():
            time = ids.timestamp(at)
            made_lists[alike] = ListRecord(_id(at, 0, f"{key} {alike}"), name, time, time)
        for (product, variant), (at, line, quantity, note, on) in wishes.items():
            id, time = _id(at, line, f"{key} {product} {variant or ''}"), ids.timestamp(at)
            item = ItemRecord(id, product, time, time, variant or None, quantity or 1)
            item.note, item.list_ids = note or "", [made_lists[alike].id for alike in on]
            holds.append(item)
        begun = min(item.created_at for item in holds)
        # rule: forget-customers. Their last visit is unknown, so it counts as now.
        profile = ProfileRecord(gid, begun, self._seen, email=email)
        by_id = {made.id: made for made in made_lists.values()}
        return Bundle(profile, lists=by_id, items=holds, joins=True)


def _id(at: int, line: int, name: str) -> str:
    """Returns an id that is the same each time the file is read. Of rows with the same time, the
    first is the newest."""
    rest = hashlib.blake2b(name.encode(), digest_size=5).digest()
    return ids.uuid7_of(at, ((1 << 32) - 1 - line) << 42 | int.from_bytes(rest, "big"))


# rule: import-csv
def _readers(store: Store, how: Reading, dates: Dates) -> dict[str, Callable[[str], Any]]:
    """Returns the function that parses a cell of each field; each raises ``Invalid``."""

    def quantity(cell: str) -> int:
        try:
            return _quantity.decode(re.sub(r"\.0+\Z", "", cell))  # a database's decimal
        except msgspec.DecodeError as error:
            raise Invalid(f"must be an integer from 1 to {MAX_QUANTITY}") from error

    cached = functools.lru_cache(maxsize=10_000)
    return {
        "customer": cached(_customers(store, how)),
        "product": cached(_products(store, how)),
        "variant": cached(functools.partial(table.product_id, store, "ProductVariant")),
        "list": cached(lists.check_name),
        "quantity": cached(quantity),
        "note": _note,
        "saved": dates.read,
        "email": profiles.check_email,
    }


# rules: spreadsheet-ids, import-emails, import-join
def _customers(store: Store, how: Reading) -> Callable[[str], tuple[str, str]]:
    """Returns the function that parses a customer's id, GID or address into key and GID."""

    def customer(cell: str) -> profiles.Profile:
        platform, id = ids.customer_of(cell) or (store.platform, cell)
        is_gid = id.startswith("gid://")  # of something else than a customer, which is refused
        gid = cell if is_gid else ids.customer_gid(platform, id_cells.customer(id))
        profile = profiles.parse(store, "", gid, "customer")
        if "@" in id and not how.emails_are_ids:
            raise Invalid(
                "is an e-mail address, not an id. Join addresses to ids by an export of the shop's "
                "customers with --customers FILE. Only if customers sign in with their addresses "
                "as ids, set --emails-are-ids"
            )
        return profile

    file = None
    if how.customers:
        file = id_files.customers(how.customers, lambda cell: customer(cell).gid)

    def read(cell: str) -> tuple[str, str]:
        profile = customer(file.id_of(cell) if file and "@" in cell else cell)
        return profile.id, profile.gid

    return read


# rule: import-join
def _products(store: Store, how: Reading) -> Callable[[str], str]:
    """Returns the function that parses a product's id, GID or handle."""
    product = functools.partial(table.product_id, store, "Product")
    file = id_files.handles(how.handles, product) if how.handles else None

    def read(cell: str) -> str:
        id = ""
        try:
            id = product(cell)
        except Invalid as error:
            is_handle = error.message == store.id_rule and re.search(r"[^\W\d]", cell)
            if not is_handle or cell.startswith("gid://"):
                raise
        if file and not cell.startswith("gid://") and (store.has_text_ids or not id):
            return file.id_of(cell)
        if not id:
            raise Invalid(f"{store.id_rule}. Join handles to ids with --handles FILE")
        return id

    return read


def _note(cell: str) -> str:
    try:
        return msgspec.convert(cell.replace("\r\n", "\n").replace("\r", "\n"), Note)
    except msgspec.ValidationError as error:
        raise Invalid(explained(str(error))) from error
