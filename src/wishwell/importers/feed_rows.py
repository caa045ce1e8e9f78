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

_QUOTES_ADVICE = "; if that line is text, import with --accept-deletions"

Numbered = tuple[int, Row | str]
"""A line number, and the row's cells by column or an error message."""


def _copy_as_utf8(path: str, file: BinaryIO) -> BinaryIO:
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


def normalise_name(name: str) -> str:
    """Returns a column's name without differences in case and spaces."""
    return "_".join(name.lower().split()).removeprefix("g:")


class FeedRows:
    """The rows of the feed in ``file``. ``format``, ``syntax``, ``encoding`` and ``columns`` (by
    field) are known once the first row is read. ``columns_ignored``: those that no field uses."""

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
        self._kind, self._mapped_columns, self._has_pattern = kind, columns or {}, has_pattern
        self.encoding, self._is_id = encoding, is_id
        self.syntax = ""
        self.format = FORMATS.get(kind, feed_formats.GOOGLE)
        self.columns: dict[str, list[str]] = {}
        self._file_columns: set[str] = set()
        self._rewrite = self.format.rewrite
        self._kind_column = "", ""
        self._nested_columns: list[str] = []
        """Columns that name a value inside another one."""

    @property
    def columns_ignored(self) -> set[str]:
        used_columns = {name for columns in self.columns.values() for name in columns}
        used_columns |= {
            name.partition(".")[0] for name in self._file_columns.intersection(self._nested_columns)
        }
        return (
            self._file_columns
            - used_columns
            - self.format.signature
            - self.format.more_columns
            - {self._kind_column[0]}
        )

    @property
    def columns_read(self) -> set[str]:
        """The columns that are read."""
        return self._file_columns - self.columns_ignored

    @property
    def is_plain(self) -> bool:
        """Whether the fields are columns of the file."""
        return self._rewrite is None

    def _record_columns(self, names: Iterable[str]) -> None:
        if len(self._file_columns) >= _MAX_NAMES:  # each object or item may have names of its own
            used_columns = {name for columns in self.columns.values() for name in columns}
            names = used_columns.intersection(names)
        self._file_columns.update(names)

    # rule: catalogue-partial
    def check_columns(self) -> None:
        """Checks the columns of a file that was read. Raises ``Invalid`` if no record has one of
        ``--map``, or if a sale has no column of regular prices."""
        present_fields = {
            field for field in FIELDS if self._file_columns.intersection(self.columns[field])
        }
        is_mapped = self.is_plain and bool(self._file_columns)
        for field in self._mapped_columns if is_mapped else ():
            if field in FIELDS and field not in present_fields:
                names = " or ".join(map(repr, self.columns[field]))
                raise Invalid(
                    f"{self._path}: no record has {names}, which --map names for {field}."
                )
        for field in SALE_FIELDS if "price" not in present_fields else ():
            for name in self._file_columns.intersection(self.columns[field]):
                raise Invalid(
                    f"{self._path}: has a column of sales ({name}), but none of regular prices. "
                    "Add one, or assign it with --map price=COLUMN."
                )

    def rewrite_row(self, row: Row) -> Iterable[Row]:
        """Yields the rows that the format makes of one row. Raises ``Invalid``, ``Unpublished`` and
        ``NoProduct``."""
        column, cell = self._kind_column
        if column:
            if row[column].strip().lower() != cell:
                raise feed_formats.NoProduct(column, row[column].strip())
            visibility = row.get("product_visible?") or row.get("is_visible") or ""
            if (
                visibility.strip().lower() in ("n", "no", "false")
                or row.get("product_online") == "2"
            ):
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
                    self._file = _copy_as_utf8(self._path, self._file)
                return self._read_json(text)
            if text.startswith(b"<"):
                return self._read_xml()
        return self._read_table()

    def _set_format(self, new_format: Format) -> None:
        """Sets the format, and with it the columns of each field."""
        if new_format.needs_text_ids and not self._store.has_text_ids:
            raise Invalid(
                f"{self._path}: Shopify's product CSV names products by handles, but this store "
                "has integer ids. Import Shopify's bulk export (JSON Lines), which has the ids."
            )
        self.format, self._rewrite = new_format, new_format.rewrite
        columns_by_field = {**new_format.columns}
        if self._has_pattern:
            columns_by_field |= {"product": "id", "variant": ""}
        if new_format.translated_columns is None:
            if "price" in self._mapped_columns:  # which may name the sale's column, too
                columns_by_field |= dict.fromkeys(SALE_FIELDS, "")
            columns_by_field |= self._mapped_columns
        self.columns = {
            field: [*filter(None, map(normalise_name, columns_by_field.get(field, "").split("|")))]
            for field in FIELDS
        }
        self._nested_columns = [
            name for names in self.columns.values() for name in names if "." in name
        ]

    def _read_table(self) -> Iterator[Numbered]:
        table = self._open_table()
        header = self._check_header(table)
        self._file_columns.update(header)
        self._kind_column = feed_formats.kind_column(header)
        if self.format.name == "shopify":
            self._rewrite = Shopify().rewrite
        if self.format.name == "woocommerce":
            woocommerce = WooCommerce()
            self._rewrite = woocommerce.rewrite
            for _, row in table.read_rows():
                if not isinstance(row, str):
                    woocommerce.remember_product(dict(zip(header, row, strict=True)))
        id_columns = self.format.id_columns or self.columns["product"]
        id_indices = [header.index(name) for name in id_columns if name in header]

        def is_row(cells: list[str], quoted: range) -> bool:
            index = next((index for index in id_indices if cells[index].strip()), -1)
            is_id = self._is_id
            return index in quoted and is_id is not None and is_id(cells[index].strip())

        for line, row in table.read_rows(is_row, _QUOTES_ADVICE):
            yield line, row if isinstance(row, str) else dict(zip(header, row, strict=True))

    def _open_table(self) -> Table:
        """Opens the file as a table, and sets its encoding, syntax and format."""
        expected_columns = {name for format in FORMATS.values() for name in format.all_columns}
        for names in self._mapped_columns.values():
            expected_columns |= {*map(normalise_name, names.split("|"))}
        table = Table(self._path, self._file, self.encoding, expected_columns, normalise_name)
        self.encoding = table.encoding
        self.syntax = "tsv" if table.delimiter == "\t" else "csv"
        if self._kind or self._mapped_columns:
            self._set_format(self.format)
        else:
            self._set_format(
                feed_formats.detect_format(table.header, has_comments=table.has_comments)
            )
        return table

    def _check_header(self, table: Table) -> list[str]:
        """Returns the columns' names as the format knows them. Raises ``Invalid`` for a missing or
        repeated one."""
        if (
            columns_by_field := self.format.translated_columns
        ) is not None:  # --map translates names
            renamed = {
                normalise_name(self._mapped_columns[field]): column
                for field, column in columns_by_field.items()
                if field in self._mapped_columns
            }
            header = [renamed.get(name, name) for name in table.header]
            for field in self._mapped_columns:
                table.find_index(normalise_name(self._mapped_columns[field]))
        else:
            header = table.header
            for field in ("product", *self._mapped_columns):
                is_needed = field in self._mapped_columns or not self.format.signature
                if is_needed and not {*header}.intersection(self.columns[field]):
                    table.find_index("|".join(self.columns[field]))
        if self.format.id_columns and not {*header}.intersection(self.format.id_columns):
            table.find_index(self.format.id_columns[0])
        for name in self.format.all_columns.intersection(table.header):
            table.find_index(name)  # raises if the column occurs twice
        return header

    # rule: catalogue-json
    def _read_json(self, start: bytes) -> Iterator[Numbered]:
        id_paths = {
            *map(normalise_name, self._mapped_columns.get("product", "id|item_group_id").split("|"))
        }
        try:
            self.syntax, rows = json_rows.read_rows(self._file, start, id_paths, normalise_name)
        except Invalid as error:
            raise Invalid(f"{self._path}: {error.message}") from error
        is_bulk = None if self._kind in ("", "shopify") and not self._mapped_columns else False
        if is_bulk is False:
            self._set_format(self.format)
        for line, cells_by_name in rows:
            if isinstance(cells_by_name, str):
                yield line, cells_by_name
                continue
            row = {normalise_name(name): cell for name, cell in cells_by_name.items()}
            if is_bulk is None:
                is_bulk = str(row.get("id")).startswith("gid://shopify/")
                self._set_format(feed_formats.SHOPIFY_BULK if is_bulk else feed_formats.GOOGLE)
            for name in self._nested_columns:
                if name not in row:
                    with contextlib.suppress(KeyError):
                        row[name] = json_rows.find_value(row, name, normalise_name)
            self._record_columns(row)
            yield line, row
        if not self.columns:
            self._set_format(feed_formats.GOOGLE)

    def _read_xml(self) -> Iterator[Numbered]:
        self.syntax = "xml"
        self._set_format(self.format)
        for line, row in xml_feed.read_products(self._file):
            if not isinstance(row, str):
                self._record_columns(row)
            yield line, row
