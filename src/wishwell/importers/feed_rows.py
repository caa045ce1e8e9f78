"""The rows of a product feed: finds the file's syntax and format, and reads its rows."""

import codecs
import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO

from wishwell.errors import Invalid
from wishwell.importers import feed_formats, json_rows, xml_feed
from wishwell.importers.feed_formats import (
    FIELDS,
    FORMATS,
    SALE_FIELDS,
    Format,
    Row,
    Shopify,
    WooCommerce,
)
from wishwell.importers.table import Table
from wishwell.stores import Store

SYNTAXES = ("csv", "tsv", "json", "jsonl")
"""Kinds of files whose columns are a Google feed's or those of ``--map``."""

_SNIFFED_BYTES = 4_096
_MAX_NAMES = 10_000
"""Maximum names of columns that are remembered for the summary."""

_ADVICE = "; if that line is text, import with --accept-deletions"

Numbered = tuple[int, Row | str]
"""A line number, and the row's cells by column or an error message."""


def _as_utf8(path: str, file: BinaryIO) -> BinaryIO:
    """Returns a temporary copy, in UTF-8, of a file in UTF-16."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115
    reader = codecs.getreader("utf-16")(file)
    try:
        while text := reader.read(_SNIFFED_BYTES):
            copy.write(text.encode())
    except UnicodeError as error:
        raise Invalid(f"{path}: isn't valid UTF-16 text.") from error
    copy.seek(0)
    return copy


def normal(name: str) -> str:
    """Returns a column's name without differences in case and spaces."""
    return "_".join(name.lower().split()).removeprefix("g:")


class FeedRows:
    """The rows of the feed in ``file``. ``format``, ``syntax``, ``encoding`` and ``columns`` (by
    field) are known once the first row is read. ``unread``: the columns that no field uses."""

    def __init__(
        self,
        path: str,
        file: BinaryIO,
        store: Store,
        *,
        kind: str = "",
        columns: Mapping[str, str] | None = None,
        encoding: str = "utf-8-sig",
        has_pattern: bool = False,
        is_id: Callable[[str], bool] | None = None,
    ) -> None:
        """``kind``: one of ``FORMATS`` or ``SYNTAXES``, detected if empty. ``columns``: overrides
        the format's. ``has_pattern``: whether the id also contains the variant's. ``is_id``:
        whether a cell is a product's id, to refuse rows that enclose others in their quotes."""
        self._path, self._file, self._store = path, file, store
        self._kind, self._named, self._has_pattern = kind, columns or {}, has_pattern
        self.encoding, self._is_id = encoding, is_id
        self.syntax = ""
        self.format = FORMATS.get(kind, feed_formats.GOOGLE)
        self.columns: dict[str, list[str]] = {}
        self._found: set[str] = set()
        self._rewrite = self.format.rows
        self._kind_column = "", ""
        self._paths: list[str] = []
        """Columns that name a value inside another one."""

    @property
    def unread(self) -> set[str]:
        known = {name for names in self.columns.values() for name in names}
        known |= {name.partition(".")[0] for name in self._found.intersection(self._paths)}
        return self._found - known - self.format.signs - self.format.reads - {self._kind_column[0]}

    @property
    def read(self) -> set[str]:
        """The columns that are read."""
        return self._found - self.unread

    @property
    def is_plain(self) -> bool:
        """Whether the fields are columns of the file."""
        return self._rewrite is None

    def _remember(self, names: Iterable[str]) -> None:
        if len(self._found) >= _MAX_NAMES:  # each object or item may have names of its own
            known = {name for columns in self.columns.values() for name in columns}
            names = known.intersection(names)
        self._found.update(names)

    # rule: catalogue-partial
    def check_columns(self) -> None:
        """Checks the columns of a file that was read. Raises ``Invalid`` if no record has one of
        ``--map``, or if a sale has no column of regular prices."""
        has = {field for field in FIELDS if self._found.intersection(self.columns[field])}
        is_mapped = self.is_plain and bool(self._found)
        for field in self._named if is_mapped else ():
            if field in FIELDS and field not in has:
                names = " or ".join(map(repr, self.columns[field]))
                raise Invalid(
                    f"{self._path}: no record has {names}, which --map names for {field}."
                )
        for field in SALE_FIELDS if "price" not in has else ():
            for name in self._found.intersection(self.columns[field]):
                raise Invalid(
                    f"{self._path}: has a column of sales ({name}), but none of regular prices. "
                    "Add one, or assign it with --map price=COLUMN."
                )

    def rewritten(self, row: Row) -> Iterable[Row]:
        """Yields the rows that the format makes of one row. Raises ``Invalid``, ``Unpublished`` and
        ``NoProduct``."""
        name, cell = self._kind_column
        if name:
            if row[name].strip().lower() != cell:
                raise feed_formats.NoProduct(name, row[name].strip())
            visible = row.get("product_visible?") or row.get("is_visible") or ""
            if visible.strip().lower() in ("n", "no", "false") or row.get("product_online") == "2":
                raise feed_formats.Unpublished
        return self._rewrite(row) if self._rewrite else (row,)

    # rule: catalogue-formats
    def __iter__(self) -> Iterator[Numbered]:
        start = self._file.read(_SNIFFED_BYTES)
        self._file.seek(0)
        is_utf16 = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = start.decode("utf-16", "ignore").encode() if is_utf16 else start
        text = text.lstrip(b"\xef\xbb\xbf \t\r\n")
        if self._kind not in ("csv", "tsv"):
            if text.startswith((b"{", b"[")) or self._kind in ("json", "jsonl"):
                if is_utf16:
                    self._file = _as_utf8(self._path, self._file)
                return self._json_rows(text)
            if text.startswith(b"<"):
                return self._xml_rows()
        return self._table_rows()

    def _set_format(self, chosen: Format) -> None:
        """Sets the format, and with it the columns of each field."""
        if chosen.needs_text_ids and not self._store.has_text_ids:
            raise Invalid(
                f"{self._path}: Shopify's product CSV names products by handles, but this store "
                "has integer ids. Import Shopify's bulk export (JSON Lines), which has the ids."
            )
        self.format, self._rewrite = chosen, chosen.rows
        known = {**chosen.columns}
        if self._has_pattern:
            known |= {"product": "id", "variant": ""}
        if chosen.header is None:
            if "price" in self._named:  # which may name the sale's column, too
                known |= dict.fromkeys(SALE_FIELDS, "")
            known |= self._named
        self.columns = {
            field: [*filter(None, map(normal, known.get(field, "").split("|")))] for field in FIELDS
        }
        self._paths = [name for names in self.columns.values() for name in names if "." in name]

    def _table_rows(self) -> Iterator[Numbered]:
        hints = {name for one in FORMATS.values() for name in one.all_columns}
        hints |= {normal(name) for names in self._named.values() for name in names.split("|")}
        found = Table(self._path, self._file, self.encoding, hints, normal)
        self.encoding = found.encoding
        self.syntax = "tsv" if found.delimiter == "\t" else "csv"
        if self._kind or self._named:
            self._set_format(self.format)
        else:
            self._set_format(feed_formats.detect(found.header, commented=found.commented))
        header = self._checked_header(found)
        self._found.update(header)
        self._kind_column = feed_formats.kind_column(header)
        if self.format.name == "shopify":
            self._rewrite = Shopify().rows
        if self.format.name == "woocommerce":
            made = WooCommerce()
            self._rewrite = made.rows
            for _, row in found.rows():
                if not isinstance(row, str):
                    made.remember_product(dict(zip(header, row, strict=True)))
        id_columns = self.format.ids or self.columns["product"]
        places = [header.index(name) for name in id_columns if name in header]

        def is_row(cells: list[str], inside: range) -> bool:
            place = next((place for place in places if cells[place].strip()), -1)
            is_id = self._is_id
            return place in inside and is_id is not None and is_id(cells[place].strip())

        for line, row in found.rows(is_row, _ADVICE):
            yield line, row if isinstance(row, str) else dict(zip(header, row, strict=True))

    def _checked_header(self, found: Table) -> list[str]:
        """Returns the columns' names as the format knows them. Raises ``Invalid`` for a missing or
        repeated one."""
        if (own := self.format.header) is not None:  # --map translates names
            renamed = {
                normal(self._named[field]): own[field] for field in own if field in self._named
            }
            header = [renamed.get(name, name) for name in found.header]
            for field in self._named:
                found.place(normal(self._named[field]))
        else:
            header = found.header
            for field in ("product", *self._named):
                is_needed = field in self._named or not self.format.signs
                if is_needed and not {*header}.intersection(self.columns[field]):
                    found.place("|".join(self.columns[field]))
        if self.format.ids and not {*header}.intersection(self.format.ids):
            found.place(self.format.ids[0])
        for name in self.format.all_columns.intersection(found.header):
            found.place(name)  # raises if the column occurs twice
        return header

    # rule: catalogue-json
    def _json_rows(self, start: bytes) -> Iterator[Numbered]:
        id_paths = {*map(normal, self._named.get("product", "id|item_group_id").split("|"))}
        try:
            self.syntax, rows = json_rows.read(self._file, start, id_paths, normal)
        except Invalid as error:
            raise Invalid(f"{self._path}: {error.message}") from error
        is_bulk = None if self._kind in ("", "shopify") and not self._named else False
        if is_bulk is False:
            self._set_format(self.format)
        for line, read in rows:
            if isinstance(read, str):
                yield line, read
                continue
            row = {normal(name): cell for name, cell in read.items()}
            if is_bulk is None:
                is_bulk = str(row.get("id")).startswith("gid://shopify/")
                self._set_format(feed_formats.SHOPIFY_BULK if is_bulk else feed_formats.GOOGLE)
            for name in self._paths:
                if name not in row:
                    with contextlib.suppress(KeyError):
                        row[name] = json_rows.value_at(row, name, normal)
            self._remember(row)
            yield line, row
        if not self.columns:
            self._set_format(feed_formats.GOOGLE)

    def _xml_rows(self) -> Iterator[Numbered]:
        self.syntax = "xml"
        self._set_format(self.format)
        for line, row in xml_feed.rows(self._file):
            if not isinstance(row, str):
                self._remember(row)
            yield line, row
