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
from wishwell.importers.wish_columns import FIELDS, NEEDED_FIELDS
from wishwell.stores import Store
from wishwell.transfer.file_records import ItemRecord, ListRecord, ProfileRecord, explain_error
from wishwell.transfer.import_file import Bundle
from wishwell.transfer.spool import Spool, open_unpacked
from wishwell.wishlists import lists, merging

_MAX_EXAMPLES = 5
_EMPTY_CELLS_BY_FIELD = dict.fromkeys(("customer", "variant"), table.EMPTY_CELLS | {"0", "0.0"})
_BATCH_SIZE = 10_000
_WIDTH_MESSAGE = re.compile("has [0-9]+ cells, but")
"""The table's message about a row that is shorter or longer than the first."""

_ZERO_DATE = re.compile("0000-00-00")
_ID_FIELDS = ("customer", "product", "variant")
_quantity_decoder = msgspec.json.Decoder(Quantity)
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


def parse_columns(text: str) -> dict[str, str]:
    """Parses the value of ``--map`` into columns by field. Raises ``Invalid``."""
    return table.parse_columns(text, FIELDS, ())


class CsvFile:
    """The file at ``path``. After ``check``, iterating yields a ``Bundle`` for each customer.

    ``columns``: by field. ``example_lines``: the first rows as they will be imported.
    ``guest_rows``: number of skipped rows without a customer. ``omissions``: other
    rows and cells that are left out.
    """

    def __init__(
        self, path: str, store: Store, reading: Reading, now: int, file: BinaryIO | None = None
    ) -> None:
        """``now`` in milliseconds since 1970. ``file``: the open file, if it is open.
        Raises ``Invalid`` if the file can't be read or lacks a column."""
        self._reading, self.spool = reading, Spool()
        self.guest_rows = self._last_line = 0
        self.example_lines: list[str] = []
        file = file or open_unpacked(path)
        self._now = min(os.fstat(file.fileno()).st_mtime_ns // 1_000_000, now)
        self._visited_at = ids.timestamp(now)
        self._table = Table(path, file, reading.encoding, reading.columns.values())
        self.columns = wish_columns.complete_columns(path, self._table.header, reading.columns)
        self.omissions = Omissions()
        self._dates = Dates(
            now, zone=reading.zone, format=reading.date_format, day_first=reading.day_first
        )
        self._bad_date: tuple[int, str] | None = None
        parsers = _create_parsers(store, reading, self._dates)
        self._columns_to_read = [
            (
                field,
                self._table.find_index(self.columns[field]),
                _EMPTY_CELLS_BY_FIELD.get(field, table.EMPTY_CELLS),
                parsers[field],
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
        for row_count, (line, cells) in enumerate(self._table.read_rows(self._is_row), 1):
            if isinstance(cells, str) and self._reading.skip_rows and _WIDTH_MESSAGE.match(cells):
                self.omissions.add_row(line, "", "", cells)
            elif isinstance(cells, str):  # a fault of quotes or size, which may hide other rows
                self.spool.add_error(line, cells)
            else:
                self._store_row(line, cells)
            if self.spool.has_failed:
                break
            if row_count % _BATCH_SIZE == 0:
                yield row_count
        if self._bad_date and self._dates.is_unknown:  # rule: import-dates
            self.spool.add_error(*self._bad_date)

    # rule: catalogue-quotes
    def _is_row(self, cells: list[str], quoted: range) -> bool:
        """Whether cells name a customer and a product, at least one of them inside the quotes."""
        needed_columns = self._columns_to_read[: len(NEEDED_FIELDS)]
        try:
            for _, index, _, parse in needed_columns:
                parse(cells[index].strip().removeprefix("'"))
        except Invalid:
            return False
        return any(index in quoted for _, index, _, _ in needed_columns)

    def _store_row(self, line: int, cells: list[str]) -> None:
        """Checks a row, and stores its wish under its customer, unless it is a guest's."""
        wish: dict[str, Any] = dict.fromkeys(FIELDS)
        is_refused = False
        for field, index, empty_cells, parse in self._columns_to_read:
            if field not in NEEDED_FIELDS and (is_refused or wish["customer"] is None):
                break
            cell = cells[index].strip()
            if field in _ID_FIELDS:
                cell = cell.removeprefix("'")  # Excel's mark for text
            try:
                table.check_text(cell, self._reading.encoding)
            except Invalid as error:
                is_refused = True
                self.spool.add_error(line, f"column {self.columns[field]!r}: {error.message}")
                continue
            try:
                wish[field] = self._parse_cell(field, cell, empty_cells, parse)
            except Invalid as error:
                is_refused |= self._leave_out(line, field, cell, error)
        if is_refused:
            return
        if wish["customer"] is None:
            self.guest_rows += 1
            return
        self._last_line = line
        key, wish["customer"] = wish["customer"]
        if len(self.example_lines) < _MAX_EXAMPLES:
            printed_wish = wish | {"saved": wish["saved"] and ids.timestamp(wish["saved"])}
            field_texts = [
                f"{field} {value!r}" for field, value in printed_wish.items() if value is not None
            ]
            self.example_lines.append(f"line {line}: {', '.join(field_texts)}")
        self.spool.add(key, line, "wish", msgspec.json.encode([*wish.values()]).decode())

    def _parse_cell(
        self, field: str, cell: str, empty_cells: Collection[str], parse: Callable[[str], Any]
    ) -> Any:
        """Returns a cell's value, or ``None`` if it is empty. Raises ``Invalid``."""
        if cell not in empty_cells and not (field == "saved" and _ZERO_DATE.match(cell)):
            return parse(cell)
        if field == "product":
            raise Invalid("is empty")
        if field == "customer" and not self._reading.skip_guests:
            raise Invalid("is empty; skip rows without a customer with --skip-guests")
        return None

    # rule: import-omissions
    def _leave_out(self, line: int, field: str, cell: str, error: Invalid) -> bool:
        """Records a cell that can't be read: as a cell or a row to leave out, or as an error.
        Returns whether the row isn't imported."""
        column, reason = self.columns[field], wish_columns.remove_field_name(error)
        if field not in NEEDED_FIELDS:
            self.omissions.add_cell(line, column, cell, reason)
            if field == "saved" and self._bad_date is None:
                self._bad_date = line, f"column {column!r}: {reason}"
            return False
        if self._reading.skip_rows or isinstance(error, Unlisted):
            self.omissions.add_row(line, column, cell, reason)
        else:
            self.spool.add_error(line, f"column {column!r}: {reason}")
        return True

    def __iter__(self) -> Iterator[Bundle]:
        newest_ms = max(self._now, self._last_line)
        for key, rows in self.spool.by_key():
            yield self._merge_rows(key, rows, newest_ms)

    # rule: import-csv
    def _merge_rows(self, key: str, rows: Iterable[Sequence[Any]], newest_ms: int) -> Bundle:
        """Merges the rows of a customer. ``newest_ms``: time in milliseconds from which rows
        without a time count back by their line."""
        wishes: dict[tuple[str, str], _Wish] = {}
        named_lists: dict[str, _NamedList] = {}
        email = None
        for _, line, _, text in rows:
            columns = _wish_decoder.decode(text)
            gid, product, variant, name, quantity, note, saved, row_email = columns
            time = newest_ms - line if saved is None else saved
            wish = wishes.setdefault((product, variant), _Wish(time, line, quantity, note))
            wish.time = min(time, wish.time)
            if name is not None:
                list_name = merging.normalised_name(name)
                named_list = named_lists.setdefault(list_name, _NamedList(time, name))
                named_list.time = min(time, named_list.time)
                wish.list_names.add(list_name)
            email = email or row_email
        lists_by_name = {
            name: named_list.to_record(key, name) for name, named_list in named_lists.items()
        }
        items = [
            wish.to_record(
                key, product, variant, [lists_by_name[name].id for name in wish.list_names]
            )
            for (product, variant), wish in wishes.items()
        ]
        first_created_at = min(item.created_at for item in items)
        # rule: forget-customers. Their last visit is unknown, so it counts as now.
        profile = ProfileRecord(gid, first_created_at, self._visited_at, email=email)
        lists_by_id = {record.id: record for record in lists_by_name.values()}
        return Bundle(profile, lists=lists_by_id, items=items, joins_lists=True)


class _NamedList(msgspec.Struct):
    """A customer's list. ``time``: its first wish's, in milliseconds."""

    time: int
    name: str

    def to_record(self, key: str, normalised_name: str) -> ListRecord:
        id = _derive_id(self.time, 0, f"{key} {normalised_name}")
        created_at = ids.timestamp(self.time)
        return ListRecord(id, self.name, created_at, created_at)


class _Wish(msgspec.Struct):
    """A customer's wish. ``time``: its first row's, in milliseconds. ``list_names``: the lists'
    normalised names."""

    time: int
    line: int
    quantity: int | None
    note: str | None
    list_names: set[str] = set()

    def to_record(
        self, key: str, product: str, variant: str | None, list_ids: list[str]
    ) -> ItemRecord:
        id = _derive_id(self.time, self.line, f"{key} {product} {variant or ''}")
        created_at = ids.timestamp(self.time)
        item = ItemRecord(id, product, created_at, created_at, variant or None, self.quantity or 1)
        item.note, item.list_ids = self.note or "", list_ids
        return item


def _derive_id(time_ms: int, line: int, name: str) -> str:
    """Returns an id that is the same each time the file is read. Of rows with the same time, the
    first is the newest."""
    hash_bytes = hashlib.blake2b(name.encode(), digest_size=5).digest()
    return ids.uuid7_of(time_ms, ((1 << 32) - 1 - line) << 42 | int.from_bytes(hash_bytes, "big"))


# rule: import-csv
def _create_parsers(
    store: Store, reading: Reading, dates: Dates
) -> dict[str, Callable[[str], Any]]:
    """Returns the function that parses a cell of each field; each raises ``Invalid``."""

    def parse_quantity(cell: str) -> int:
        try:
            return _quantity_decoder.decode(re.sub(r"\.0+\Z", "", cell))  # a database's decimal
        except msgspec.DecodeError as error:
            raise Invalid(f"must be an integer from 1 to {MAX_QUANTITY}") from error

    cache = functools.lru_cache(maxsize=10_000)
    return {
        "customer": cache(_create_customer_parser(store, reading)),
        "product": cache(_create_product_parser(store, reading)),
        "variant": cache(functools.partial(table.product_id, store, "ProductVariant")),
        "list": cache(lists.check_name),
        "quantity": cache(parse_quantity),
        "note": _parse_note,
        "saved": dates.read,
        "email": profiles.check_email,
    }


# rules: spreadsheet-ids, import-emails, import-join
def _create_customer_parser(store: Store, reading: Reading) -> Callable[[str], tuple[str, str]]:
    """Returns the function that parses a customer's id, GID or address into key and GID."""

    def parse_customer(cell: str) -> profiles.Profile:
        platform, id = ids.customer_of(cell) or (store.platform, cell)
        is_gid = id.startswith("gid://")  # of something else than a customer, which is refused
        gid = cell if is_gid else ids.customer_gid(platform, id_cells.parse_customer(id))
        profile = profiles.parse(store, "", gid, "customer")
        if "@" in id and not reading.emails_are_ids:
            raise Invalid(
                "is an e-mail address, not an id. Join addresses to ids by an export of the shop's "
                "customers with --customers FILE. Only if customers sign in with their addresses "
                "as ids, set --emails-are-ids"
            )
        return profile

    customer_ids = None
    if reading.customers:
        customer_ids = id_files.read_customers(
            reading.customers, lambda cell: parse_customer(cell).gid
        )

    def parse_key(cell: str) -> tuple[str, str]:
        profile = parse_customer(
            customer_ids.find_id(cell) if customer_ids and "@" in cell else cell
        )
        return profile.id, profile.gid

    return parse_key


# rule: import-join
def _create_product_parser(store: Store, reading: Reading) -> Callable[[str], str]:
    """Returns the function that parses a product's id, GID or handle."""
    parse_id = functools.partial(table.product_id, store, "Product")
    ids_by_handle = id_files.read_handles(reading.handles, parse_id) if reading.handles else None

    def parse_product(cell: str) -> str:
        id = ""
        try:
            id = parse_id(cell)
        except Invalid as error:
            is_handle = error.message == store.id_rule and re.search(r"[^\W\d]", cell)
            if not is_handle or cell.startswith("gid://"):
                raise
        if ids_by_handle and not cell.startswith("gid://") and (store.has_text_ids or not id):
            return ids_by_handle.find_id(cell)
        if not id:
            raise Invalid(f"{store.id_rule}. Join handles to ids with --handles FILE")
        return id

    return parse_product


def _parse_note(cell: str) -> str:
    try:
        return msgspec.convert(cell.replace("\r\n", "\n").replace("\r", "\n"), Note)
    except msgspec.ValidationError as error:
        raise Invalid(explain_error(str(error))) from error
