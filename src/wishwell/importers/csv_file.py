"""Reads another app's export for an import: CSV, one wish per row
(docs/coming-from-another-app.md).

Checks the rows and stores them in a temporary file, which then groups them by customer.
"""

import functools
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

import msgspec

from wishwell import ids, profiles
from wishwell.errors import Invalid
from wishwell.field_types import MAX_QUANTITY, Note, Quantity
from wishwell.importers import table
from wishwell.importers.table import Table
from wishwell.stores import Store
from wishwell.transfer.file_records import ItemRecord, ListRecord, ProfileRecord, explained
from wishwell.transfer.import_file import Bundle
from wishwell.transfer.spool import Spool, opened
from wishwell.wishlists import lists, merging

FIELDS = ("customer", "product", "variant", "list", "quantity", "note", "saved", "email")
"""Fields that a column can be mapped to."""

_MAX_EXAMPLES = 5
_EMPTY_VALUES = {"customer": table.EMPTY_CELLS | {"0"}, "variant": table.EMPTY_CELLS | {"0"}}
_BATCH_SIZE = 10_000
_MAX_CLOCK_SKEW_MS = 60_000
"""Clock skew, in milliseconds, that the other app may have."""

_EPOCH_FACTORS = {10: 1000, 13: 1}
"""Milliseconds of a unit of time, by the number of digits: seconds and milliseconds since 1970."""

_ZERO_DATE = re.compile("0000-00-00")
_IDS = ("customer", "product", "variant")
_quantity = msgspec.json.Decoder(Quantity)
_wish_decoder = msgspec.json.Decoder(list)


class Reading(msgspec.Struct, frozen=True):
    """How to read a file: its column for each of ``FIELDS`` that it has, and its encoding.
    ``zone``: time zone of times without a UTC offset; with ``None`` they are errors.
    ``skip_guests``: skips rows without a customer; otherwise they are errors."""

    columns: Mapping[str, str]
    encoding: str = "utf-8-sig"
    zone: tzinfo | None = None
    skip_guests: bool = False


def columns(text: str) -> dict[str, str]:
    """Parses the value of ``--map`` into columns by field. Raises ``Invalid``."""
    return table.columns(text, FIELDS, ("customer", "product"))


class CsvFile:
    """The file at ``path``. After ``check``, iterating yields a ``Bundle`` for each customer.

    ``first``: the first rows as they will be imported. ``guests``: number of skipped rows.
    """

    def __init__(self, path: str, store: Store, how: Reading, now: int) -> None:
        """``now`` in milliseconds since 1970. Raises ``Invalid`` if the file can't be read or lacks
        a column."""
        self._how, self.spool = how, Spool()
        self.guests = self._last = 0
        self.first: list[str] = []
        file = opened(path)
        self._now = min(os.fstat(file.fileno()).st_mtime_ns // 1_000_000, now)
        self._seen = ids.timestamp(now)
        self._table = Table(path, file, how.encoding, how.columns.values())
        readers = _readers(store, how.zone, now)
        self._cells = [
            (
                field,
                self._table.place(column),
                _EMPTY_VALUES.get(field, table.EMPTY_CELLS),
                readers[field],
            )
            for field, column in how.columns.items()
        ]

    # rule: import-csv
    def check(self) -> Iterator[int]:
        """Checks all rows. Yields the number of rows read so far at intervals."""
        for number, (line, cells) in enumerate(self._table.rows(self._is_row), 1):
            if isinstance(cells, str):
                self.spool.fail(line, cells)
            else:
                self._take(line, cells)
            if self.spool.has_failed:
                break
            if number % _BATCH_SIZE == 0:
                yield number

    # rule: catalogue-quotes
    def _is_row(self, cells: list[str], quoted: int) -> bool:
        """Whether cells name a customer and a product, one of them in the first ``quoted``."""
        columns = [cell for cell in self._cells if cell[0] in ("customer", "product")]
        try:
            for _, at, _, read in columns:
                read(cells[at].strip().removeprefix("'"))
        except Invalid:
            return False
        return any(at < quoted for _, at, _, _ in columns)

    def _take(self, line: int, cells: list[str]) -> None:
        """Checks a row, and stores its wish under its customer, unless it is a guest's."""
        wish: dict[str, Any] = dict.fromkeys(FIELDS)
        failed = False
        for field, at, nothing, read in self._cells:
            cell = cells[at].strip()
            if field in _IDS:
                cell = cell.removeprefix("'")  # Excel's mark for text
            try:
                if cell not in nothing and not (field == "saved" and _ZERO_DATE.match(cell)):
                    table.check_text(cell, self._how.encoding)
                    wish[field] = read(cell)
                elif field == "product":
                    raise Invalid("is empty")
                elif field == "customer" and not self._how.skip_guests:
                    raise Invalid("is empty; skip rows without a customer with --skip-guests")
            except Invalid as error:
                failed = True
                rule = re.sub(r"^\w+: ", "", error.message)  # the API's name of the field
                self.spool.fail(line, f"column {self._how.columns[field]!r}: {rule}")
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
def _readers(store: Store, zone: tzinfo | None, now: int) -> dict[str, Callable[[str], Any]]:
    """Returns the function that parses a cell of each field; each raises ``Invalid``."""

    def customer(cell: str) -> tuple[str, str]:
        gid = cell
        if not cell.startswith("gid://"):
            gid = ids.customer_gid(store.platform, cell)
        profile = profiles.parse(store, "", gid, "customer")
        return profile.id, profile.gid

    def quantity(cell: str) -> int:
        try:
            return _quantity.decode(re.sub(r"\.0+\Z", "", cell))  # a database's decimal
        except msgspec.DecodeError as error:
            raise Invalid(f"must be an integer from 1 to {MAX_QUANTITY}") from error

    def saved(cell: str) -> int:
        try:
            if cell.isdigit() and len(cell) in _EPOCH_FACTORS:
                milliseconds = int(cell) * _EPOCH_FACTORS[len(cell)]
            else:
                time = datetime.fromisoformat(re.sub(r" ?(UTC|GMT)\Z", "+00:00", cell))
                if time.tzinfo is None and zone is not None:
                    time = time.replace(tzinfo=zone)
                if time.tzinfo is None:
                    raise Invalid("has no UTC offset; set the time zone with --time-zone")
                milliseconds = int(time.timestamp() * 1000)
        except (ValueError, OverflowError) as error:
            raise Invalid("must be a time in ISO 8601, such as 2025-04-18T18:13:27Z") from error
        if not 0 <= milliseconds <= now + _MAX_CLOCK_SKEW_MS:
            raise Invalid("must be between 1970 and now")
        return milliseconds

    cached = functools.lru_cache(maxsize=10_000)
    return {
        "customer": cached(customer),
        "product": cached(functools.partial(table.product_id, store, "Product")),
        "variant": cached(functools.partial(table.product_id, store, "ProductVariant")),
        "list": cached(lists.check_name),
        "quantity": cached(quantity),
        "note": _note,
        "saved": saved,
        "email": profiles.check_email,
    }


def _note(cell: str) -> str:
    try:
        return msgspec.convert(cell.replace("\r\n", "\n").replace("\r", "\n"), Note)
    except msgspec.ValidationError as error:
        raise Invalid(explained(str(error))) from error
