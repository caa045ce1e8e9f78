"""Reads CSV and similar files, finding the header and the delimiter (one of ``;,|`` or a tab)."""

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, BinaryIO

import msgspec

from wishwell.errors import Invalid, Misconfigured
from wishwell.field_types import ProductId
from wishwell.importers import id_cells
from wishwell.stores import Store, placeholders

EMPTY_CELLS = {"", "NULL", "null", "\\N"}
"""Cells that stand for a missing value, as databases write them."""

MAX_ROW = 1 << 20
"""Maximum characters of a row with all its lines."""

_MAX_TITLE_ROWS = 10
"""Maximum non-empty rows above the header, such as a title."""

_MAX_CELL = 131_072
"""Maximum characters of a cell."""

_READING_ENDED = "; reading ended here (is a closing quote or a line break missing?)"
_LINE_BREAK = re.compile("\r\n|\r|\n")

# The reader must return large cells, because after its own error it takes a cell's next line for a
# row. ``Table`` limits rows and cells.
csv.field_size_limit(MAX_ROW)

_UNDECODABLE = re.compile("[\ud800-\udfff]")
_id_decoder = msgspec.json.Decoder(ProductId)


# rule: import-csv
def parse_columns(text: str, fields: Collection[str], needed: Collection[str]) -> dict[str, str]:
    """Returns the columns by field in ``field=column,…``. A column's name may contain commas.

    Raises ``Invalid``.
    """
    columns_by_field: dict[str, str] = {}
    for part in re.split(r",(?=\s*\w+\s*=)", text):
        field, _, column = (word.strip() for word in part.partition("="))
        if field not in fields or not column:
            raise Invalid(
                f"--map: {part!r} must be field=column; the fields are {', '.join(fields)}."
            )
        if field in columns_by_field:
            raise Invalid(f"--map: {field} is repeated.")
        columns_by_field[field] = column
    if missing := set(needed) - columns_by_field.keys():
        raise Invalid(f"--map: {' and '.join(sorted(missing))} must be included.")
    return columns_by_field


IsRow = Callable[[list[str], range], bool]


class _RowTooLarge(Exception):
    """The row being read has more than ``MAX_ROW`` characters."""


class Table:
    """The table in a file. ``header``: the columns' names, normalised by ``normal``.
    ``has_comments``: whether rows of comments, which begin with ``#``, precede it."""

    def __init__(
        self,
        path: str,
        file: BinaryIO,
        encoding: str,
        known_names: Collection[str],
        normalise: Callable[[str], str] = str.strip,
    ) -> None:
        """``known_names``: expected names of columns, used to detect the delimiter.

        Raises ``Invalid`` and ``Misconfigured``.
        """
        self.path, self.encoding = path, encoding
        self._row_lines: list[str] = []
        self._row_size = 0  # characters of the row's lines
        if file.seekable():
            start = file.read(2)
            file.seek(0)
            if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                self.encoding = encoding = "utf-16"
        try:
            # Undecodable bytes are reported later, per cell, so that the error can name the line.
            self._text = io.TextIOWrapper(file, encoding, "surrogateescape", newline="")
        except LookupError as error:
            raise Misconfigured(f"--encoding: {error}.") from error
        self._known_names, self._normalise = {*known_names} - {""}, normalise
        self._column_count = 0
        header = max(
            self._find_header_candidates(), key=lambda candidate: candidate[:3], default=None
        )
        if header is None:
            raise Invalid(f"{self.path}: line 1: must contain the names of the columns.")
        *_, self.has_comments, self.delimiter, self.header_line, self.header = header
        self._column_count = len(self.header)

    # rule: table-header
    def _find_header_candidates(self) -> Iterator[tuple[int, int, int, bool, str, int, list[str]]]:
        """Yields the first rows by each delimiter, as candidates for the header: how many names are
        known, how early and how wide it is, whether comments precede it, the delimiter, the line,
        and the names."""
        for delimiter in ";,\t|":
            reader, row_count, has_comments = self._create_reader(delimiter), 0, False
            with contextlib.suppress(csv.Error, _RowTooLarge):
                while (
                    row_count <= _MAX_TITLE_ROWS and (cells := self._read_row(reader)) is not None
                ):
                    names = [self._normalise(cell) for cell in cells]
                    known_count, line = len(self._known_names.intersection(names)), reader.line_num
                    if cells and cells[0].startswith("#") and not known_count:
                        has_comments = True  # as in Meta's templates
                    elif any(names):
                        row_count += 1
                        yield known_count, -line, len(names), has_comments, delimiter, line, names

    def _read_row(self, reader: Any) -> list[str] | None:
        """Returns the next row's cells, or ``None`` at the end of the file."""
        self._row_lines.clear()
        self._row_size = 0
        return next(reader, None)

    def _create_reader(self, delimiter: str) -> Any:
        if delimiter == "\t":
            return _TabSeparated(self._read_lines(), self._column_count)
        return csv.reader(self._read_lines(), delimiter=delimiter, strict=True)

    # rule: catalogue-limits
    def _read_lines(self) -> Iterator[str]:
        self._text.seek(0)
        try:
            while line := self._text.readline(MAX_ROW + 1 - self._row_size):
                self._row_lines.append(line)
                self._row_size += len(line)
                if self._row_size > MAX_ROW:
                    raise _RowTooLarge
                yield line
        except UnicodeError as error:
            raise Invalid(f"{self.path}: {_explain_encoding(self.encoding)}.") from error

    def find_index(self, column: str) -> int:
        """Returns the index of a column. Raises ``Invalid`` if it is missing or a duplicate."""
        if self.header.count(column) != 1:
            fault = "is repeated" if column in self.header else "is missing"
            names = ", ".join(map(repr, self.header))[:500]
            raise Invalid(
                f"{self.path}: line {self.header_line}: the column {column!r} {fault}; the "
                f"columns are {names}. Assign columns to fields with --map."
            )
        return self.header.index(column)

    # rules: catalogue-limits, catalogue-quotes
    def read_rows(
        self, is_row: IsRow | None = None, advice: str = ""
    ) -> Iterator[tuple[int, list[str] | str]]:
        """Yields each non-empty row: its line number, and its cells or an error message. Ends at a
        row or cell that is too large.

        ``is_row``: whether cells are those of a row with an id in one of these places. With it, a
        row that encloses another in its quotes is an error, which ends with ``advice``.
        """
        reader, column_count = self._create_reader(self.delimiter), len(self.header)
        while reader.line_num < self.header_line:
            self._read_row(reader)
        header_place = "the first line" if self.header_line == 1 else f"line {self.header_line}"
        while True:
            line = reader.line_num + 1
            try:
                cells = self._read_row(reader)
            except csv.Error as error:
                line += _count_lines_before_fault("".join(self._row_lines), self.delimiter)
                yield line, f"isn't a valid CSV row ({error}); is a closing quote missing?"
                continue
            except _RowTooLarge:
                yield line, f"begins a row of more than {MAX_ROW:,} characters{_READING_ENDED}"
                return
            if cells is None:
                return
            if self._row_size > _MAX_CELL and max(map(len, cells), default=0) > _MAX_CELL:
                yield line, f"has a cell of more than {_MAX_CELL:,} characters{_READING_ENDED}"
                return
            if not "".join(cells).strip():
                continue
            if len(cells) != column_count:
                yield line, f"has {len(cells)} cells, but {header_place} has {column_count}"
            elif is_row and (enclosed_line := self._find_enclosed_row(line, cells, is_row)):
                message = f"encloses line {enclosed_line} in its quotes, which reads as a row"
                if enclosed_line == line:
                    message = "opens a quote that a later line closes, but reads as a row"
                yield line, f"{message} (is a quote missing?){advice}"
            else:
                yield line, cells

    def _find_enclosed_row(self, line: int, cells: list[str], is_row: IsRow) -> int | None:
        """Returns the line number of the first line inside a row's quotes that reads as a row."""
        column_count = len(self.header)
        for number, line_cells, quoted in self._split_quoted_lines(line, cells):
            if len(line_cells) == column_count and is_row(line_cells, quoted):
                return number
        return None

    def _split_quoted_lines(
        self, first_line: int, cells: list[str]
    ) -> Iterator[tuple[int, list[str], range]]:
        """Yields the lines of cells that contain line breaks, as in the cell and as in the file:
        number, cells, and the range of the cells inside the quotes."""
        line, column_count = first_line, len(self.header)
        cells_before: list[str] = []  # cells of the line in front of the quotes
        for cell in cells:
            parts = _LINE_BREAK.split(cell)
            if len(parts) == 1:
                cells_before.append(cell)
                continue
            yield (
                line,
                cells_before + self._split_line(parts[0]),
                range(len(cells_before), column_count),
            )
            for number, part in enumerate(parts, line):
                yield number, self._split_line(part, column_count), range(column_count)
                if number > line:
                    quoted = range(part.count(self.delimiter))
                    yield (
                        number,
                        self._split_line(self._row_lines[number - first_line], column_count),
                        quoted,
                    )
            line += len(parts) - 1
            cells_before = self._split_line(parts[-1])

    def _split_line(self, text: str, min_cells: int = 0) -> list[str]:
        """Returns the cells of a line; none if they must be fewer than ``min_cells``."""
        if text.count(self.delimiter) < min_cells - 1:
            return []
        return next(csv.reader([text.rstrip("\r\n")], delimiter=self.delimiter), [])


def _count_lines_before_fault(row: str, delimiter: str) -> int:
    """Returns the number of line breaks before the field in which a row stops being valid."""
    quoted_field, bare_field = re.compile('"[^"]*(?:""[^"]*)*"'), re.compile(f"[^{delimiter}\r\n]*")
    start = 0
    while True:
        match = (
            quoted_field.match(row, start)
            if row.startswith('"', start)
            else bare_field.match(row, start)
        )
        end = match.end() if match else len(row)
        if match is None or not row.startswith(delimiter, end):
            return row.count("\n", 0, start)
        start = end + 1


class _TabSeparated:
    """Reads tab-separated rows like ``csv.reader``. Quotes are data, unless they enclose a field;
    a field contains no line break (rule: catalogue-cells)."""

    _QUOTED = re.compile('"((?:[^"]|"")*)"')

    def __init__(self, lines: Iterator[str], column_count: int = 0) -> None:
        """``column_count``: number of columns, by default that of the first line."""
        self._lines = lines
        self._column_count = column_count
        self.line_num = 0

    def __iter__(self) -> "_TabSeparated":
        return self

    def __next__(self) -> list[str]:
        line = next(self._lines).rstrip("\r\n")
        self.line_num += 1
        cells = [self._unquote(cell) for cell in line.split("\t")] if line else []
        if not line.startswith("#"):
            self._column_count = self._column_count or len(cells)
        if len(cells) > self._column_count and '"' in line:  # tabs inside quotes
            csv_cells = next(csv.reader([line], delimiter="\t"))
            cells = csv_cells if len(csv_cells) == self._column_count else cells
        return cells

    def _unquote(self, cell: str) -> str:
        match = self._QUOTED.fullmatch(cell)
        return match[1].replace('""', '"') if match else cell


def check_text(cell: str, encoding: str) -> None:
    """Raises ``Invalid`` for a cell with bytes that the encoding can't decode."""
    if not cell.isascii() and _UNDECODABLE.search(cell):
        raise Invalid(_explain_encoding(encoding))


def _explain_encoding(encoding: str) -> str:
    name = encoding.removesuffix("-sig")
    return f"isn't valid {name} text; set its --encoding, for example windows-1252"


# rule: spreadsheet-ids
def product_id(store: Store, kind: str, cell: str) -> str:
    """Returns the product or variant id in a cell, which may also hold a GID of this ``kind``.

    Raises ``Invalid``.
    """
    cell = re.sub(rf"^gid://[a-z0-9-]{{1,40}}/{kind}/", "", cell)
    if not store.has_text_ids:
        cell = id_cells.parse_number(cell)
    if placeholders.is_product(cell):
        raise Invalid("is a placeholder, not an id")
    try:
        return store.product_id("", cell if store.has_text_ids else _id_decoder.decode(cell))
    except (msgspec.DecodeError, Invalid) as error:
        raise Invalid(store.id_rule) from error
