"""Reads another app's export for an import: CSV, a wish a row (docs/coming-from-another-app.md).

The rows are checked and put into a temporary file, which then gives each customer's at once.
"""

import contextlib
import csv
import functools
import hashlib
import io
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from wishwell import ids, profiles
from wishwell.errors import Invalid, Misconfigured
from wishwell.moving.file_records import ItemRecord, ListRecord, ProfileRecord
from wishwell.moving.import_file import MOST_ERRORS, Bundle, opened
from wishwell.moving.import_register import room, temporary
from wishwell.stores import Store
from wishwell.wishes import fields, items, lists, merging
from wishwell.wishes.fields import ProductId, Quantity

FIELDS = ("customer", "product", "variant", "list", "quantity", "note", "saved", "email")
"""What a column may be of."""

_FIRST = 5
_LONGEST = 1 << 20
"""Characters of a line, several times what cells may have."""

_NOTHING = {"", "NULL", "null", "\\N"}
"""How databases write that there is nothing."""

_NONE = {"customer": _NOTHING | {"0"}, "variant": _NOTHING | {"0"}}
_WISHES = (
    "wishes (key TEXT, line INTEGER, gid TEXT, product TEXT, variant TEXT, list TEXT, "
    "quantity INTEGER, note TEXT, saved INTEGER, email TEXT)"
)
_SOME = 1_000
_AHEAD_MS = 60_000
"""How far ahead another clock may be."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOT_TEXT = re.compile("[\ud800-\udfff]")
_id_number = msgspec.json.Decoder(ProductId)
_SHOP_GID = re.compile(r"gid://[a-z0-9-]{1,40}/Product(?:Variant)?/")


class Reading(msgspec.Struct, frozen=True):
    """How a file is read: its column for each of ``FIELDS`` that it has, and its encoding.
    ``zone``: of times without an offset; None: they are faults. ``skip_guests``: leaves out rows
    without a customer; else they are too."""

    columns: Mapping[str, str]
    encoding: str = "utf-8-sig"
    zone: tzinfo | None = None
    skip_guests: bool = False


# contract: import-csv-columns
def columns(text: str) -> dict[str, str]:
    """The columns that ``field=column,…`` names; a column's name may hold commas.

    Raises ``Invalid``.
    """
    found: dict[str, str] = {}
    for part in re.split(r",(?=\s*\w+\s*=)", text):
        field, _, column = (word.strip() for word in part.partition("="))
        if field not in FIELDS or not column:
            known = ", ".join(FIELDS)
            raise Invalid(f"--map: {part!r} must be field=column, with a field of {known}.")
        if field in found:
            raise Invalid(f"--map: {field} is there twice.")
        found[field] = column
    if missing := {"customer", "product"} - found.keys():
        raise Invalid(f"--map: {' and '.join(sorted(missing))} must be there.")
    return found


# contract: import-csv-times
def zone(name: str) -> ZoneInfo:
    """The time zone of a name. Raises ``Invalid``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(f"--time-zone: {name!r} is none, such as Europe/Paris.") from error


class CsvFile:
    """The file at ``path``. Once checked, it gives a ``Bundle`` for each customer when iterated.

    ``size``: how many rows there are; ``read``: how many of them were given. ``first``: what the
    first rows become. ``guests``: how many were left out.
    """

    def __init__(self, path: str, store: Store, how: Reading, now: int) -> None:
        """``now`` in milliseconds since 1970. Raises ``Invalid`` if it can't be read or lacks a
        column."""
        self.path, self._how = path, how
        self.size = self.read = self.guests = self._last = 0
        self.first: list[str] = []
        self.errors: list[str] = []
        self._db = temporary(_WISHES)
        file = opened(path)
        self._now = min(os.fstat(file.fileno()).st_mtime_ns // 1_000_000, now)
        try:
            # A byte that is no text is found in its cell, so that its line is known.
            self._text = io.TextIOWrapper(file, how.encoding, "surrogateescape", newline="")
        except LookupError as error:
            raise Misconfigured(f"--encoding: {error}.") from error
        self._delimiter, header = self._header()
        readers = _readers(store, how.zone, now)
        self._cells = [
            (field, self._place(header, column), _NONE.get(field, _NOTHING), readers[field])
            for field, column in how.columns.items()
        ]
        self._width = len(header)

    # contract: import-csv-form
    def _header(self) -> tuple[str, list[str]]:
        """The delimiter and the names of the columns, by the first line."""
        found = []
        for delimiter in ",;\t":
            with contextlib.suppress(csv.Error):
                names = [name.strip() for name in next(self._rows(delimiter), [])]
                known = {*self._how.columns.values()} & {*names}
                found.append((len(known), len(names), delimiter, names))
        _, width, delimiter, names = max(found, default=(0, 0, ",", []))
        if not width:
            raise Invalid(f"{self.path}: line 1: must have the names of the columns.")
        return delimiter, names

    def _rows(self, delimiter: str) -> Any:
        return csv.reader(self._lines(), delimiter=delimiter, strict=True)

    def _lines(self) -> Iterator[str]:
        self._text.seek(0)
        try:
            while line := self._text.readline(_LONGEST):
                yield line
        except UnicodeError as error:
            raise Invalid(f"{self.path}: {self._other_encoding()}.") from error

    def _other_encoding(self) -> str:
        name = self._how.encoding.removesuffix("-sig")
        return f"is not text in {name}; name its --encoding, such as windows-1252"

    def _place(self, header: list[str], column: str) -> int:
        if header.count(column) != 1:
            there = "is there twice" if column in header else "is not there"
            names = ", ".join(map(repr, header))[:500]
            raise Invalid(
                f"{self.path}: line 1: the column {column!r} {there}; the columns are {names}."
            )
        return header.index(column)

    # contract: import-csv-checked
    def check(self) -> Iterator[int]:
        """Checks all rows, and fills ``errors``. Yields how many were read after each some."""
        rows, some = self._rows(self._delimiter), []
        number = 0
        next(rows)
        while len(self.errors) <= MOST_ERRORS:
            line = rows.line_num + 1
            try:
                cells = next(rows, None)
            except csv.Error as error:
                self._fail(line, f"is no row of CSV ({error}); is a quote not closed?")
                continue
            if cells is None:
                break
            number += 1
            if (wish := self._wish(line, cells)) is not None:
                some.append(wish)
            if len(some) == _SOME:
                self._keep(some)
                some = []
                yield number
        self._keep(some)
        if len(self.errors) > MOST_ERRORS:
            self.errors[MOST_ERRORS:] = ["and more"]

    def _wish(self, line: int, cells: list[str]) -> Sequence[Any] | None:
        """What is kept of a row; None for one that says nothing or is wrong."""
        if not any(cells):
            return None
        if len(cells) != self._width:
            self._fail(line, f"has {len(cells)} cells, and the first line {self._width}")
            return None
        wish: dict[str, Any] = dict.fromkeys(FIELDS)
        failed = False
        for field, at, nothing, read in self._cells:
            cell = cells[at].strip()
            try:
                if cell in nothing:
                    if field == "product":
                        raise Invalid("is empty")
                    if field == "customer" and not self._how.skip_guests:
                        raise Invalid("is empty; --skip-guests leaves out rows without a customer")
                elif not cell.isascii() and _NOT_TEXT.search(cell):
                    raise Invalid(self._other_encoding())
                else:
                    wish[field] = read(cell)
            except Invalid as error:
                failed = True
                rule = re.sub(r"^\w+: ", "", error.message)  # the API's name of the field
                self._fail(line, f"column {self._how.columns[field]!r}: {rule}")
        if failed:
            return None
        if wish["customer"] is None:
            self.guests += 1
            return None
        self._last = line
        (key, gid), product, variant, *rest = wish.values()
        if len(self.first) < _FIRST:
            saved = wish["saved"]
            said = wish | {"customer": gid, "saved": saved and ids.timestamp(saved)}
            shown = [f"{field} {value!r}" for field, value in said.items() if value is not None]
            self.first.append(f"line {line}: {', '.join(shown)}")
        return (key, line, gid, product, variant or items.NO_VARIANT, *rest)

    def _keep(self, some: Sequence[Sequence[Any]]) -> None:
        self.size += len(some)
        with room():
            self._db.executemany("INSERT INTO wishes VALUES (?,?,?,?,?,?,?,?,?,?)", some)

    def _fail(self, line: int, message: str) -> None:
        self.errors.append(f"line {line}: {message.removesuffix('.')}")

    def __iter__(self) -> Iterator[Bundle]:
        # By the profile's key: so the database writes its rows in the order of its index.
        with room():
            rows = self._db.execute("SELECT * FROM wishes ORDER BY key, line")
        newest = max(self._now, self._last)
        for (key, gid), of_customer in itertools.groupby(rows, itemgetter(0, 2)):
            yield self._bundle(key, gid, of_customer, newest)

    # contract: import-csv-times, import-csv-merge
    def _bundle(self, key: str, gid: str, rows: Iterable[Sequence[Any]], newest: int) -> Bundle:
        """What the rows of a customer are together. ``newest``: the time of a first row."""
        wishes: dict[tuple[str, str], list[Any]] = {}
        names: dict[str, list[Any]] = {}
        email = None
        for _, line, _, product, variant, name, quantity, note, saved, given in rows:
            self.read += 1
            at = newest - line if saved is None else saved
            wish = wishes.setdefault((product, variant), [at, line, quantity, note, set()])
            wish[0] = min(at, wish[0])
            if name is not None:
                alike = merging.alike(name)
                named = names.setdefault(alike, [at, name])
                named[0] = min(at, named[0])
                wish[4].add(alike)
            email = email or given
        made_lists, holds = {}, []
        for alike, (at, name) in names.items():
            time = ids.timestamp(at)
            made_lists[alike] = ListRecord(_id(at, 0, f"{key} {alike}"), name, time, time)
        for (product, variant), (at, line, quantity, note, on) in wishes.items():
            id, time = _id(at, line, f"{key} {product} {variant}"), ids.timestamp(at)
            item = ItemRecord(id, product, time, time, variant or None, quantity or 1)
            item.note, item.list_ids = note or "", [made_lists[alike].id for alike in on]
            holds.append(item)
        begun = min(item.created_at for item in holds)
        profile = ProfileRecord(gid, begun, begun, email=email)
        by_id = {made.id: made for made in made_lists.values()}
        return Bundle(profile, lists=by_id, items=holds, joins=True)


def _id(at: int, line: int, name: str) -> str:
    """The same id each time the file is read; of one time, what stands first is newer."""
    rest = hashlib.blake2b(name.encode(), digest_size=5).digest()
    return ids.uuid7_of(at, ((1 << 32) - 1 - line) << 42 | int.from_bytes(rest, "big"))


# contract: import-csv-checked
def _readers(store: Store, zone: tzinfo | None, now: int) -> dict[str, Callable[[str], Any]]:
    """Of each field, what a cell becomes; each raises ``Invalid``."""

    def customer(cell: str) -> tuple[str, str]:
        gid = cell if ":" in cell else f"gid://{store.platform}/Customer/{cell}"
        profile = profiles.parse(store, "", gid, "customer", ("customer",))
        return profile.id, profile.gid

    def product(cell: str) -> str:
        cell = _SHOP_GID.sub("", cell)
        try:
            return store.product_id("", cell if store.has_text_ids else _id_number.decode(cell))
        except (msgspec.DecodeError, Invalid) as error:
            raise Invalid(store.id_rule) from error

    def quantity(cell: str) -> int:
        try:
            return msgspec.convert(cell, Quantity, strict=False)
        except msgspec.ValidationError as error:
            raise Invalid(f"must be an integer from 1 to {items.MAX_QUANTITY}") from error

    def note(cell: str) -> str:
        return fields.check_note(cell.replace("\r\n", "\n").replace("\r", "\n"))

    def saved(cell: str) -> int:
        try:
            time = datetime.fromisoformat(cell)
            if time.tzinfo is None and zone is not None:
                time = time.replace(tzinfo=zone)
            if time.tzinfo is None:
                raise Invalid("has no offset; name the --time-zone")
            milliseconds = int((time - _EPOCH).total_seconds() * 1000)
        except (ValueError, OverflowError) as error:
            raise Invalid("must be a time in ISO 8601, such as 2025-04-18T18:13:27Z") from error
        if not 0 <= milliseconds <= now + _AHEAD_MS:
            raise Invalid("must be between 1970 and now")
        return milliseconds

    cached = functools.lru_cache(maxsize=10_000)
    return {
        "customer": cached(customer),
        "product": cached(product),
        "variant": cached(product),
        "list": cached(lists.check_name),
        "quantity": cached(quantity),
        "note": note,
        "saved": saved,
        "email": profiles.check_email,
    }
