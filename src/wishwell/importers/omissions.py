"""Rows and cells of another app's file that an import leaves out, with the reasons."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from wishwell.errors import Invalid
from wishwell.reports import spreadsheet
from wishwell.transfer.spool import Spool

_MAX_REASONS = 20
_COLUMNS = ("line", "column", "value", "reason")


# rule: import-omissions
class Omissions:
    """Rows and cells that an import leaves out, in a temporary file. ``rows`` and ``cells`` are
    their numbers."""

    def __init__(self) -> None:
        self.rows = self.cells = self._last_line = 0
        self._spool = Spool()

    def add_cell(self, line: int, column: str, value: str, reason: str) -> None:
        self.cells += 1
        self._spool.add(value, line, "cell", f"{column}\0{reason}")

    def add_row(self, line: int, column: str, value: str, reason: str) -> None:
        """Records a bad cell because of which its row is left out."""
        self.rows += line != self._last_line
        self._last_line = line
        self._spool.add(value, line, "row", f"{column}\0{reason}")

    def describe_reasons(self) -> Iterator[str]:
        """Yields the reasons, those of rows first, with the numbers of rows and different values
        and the first example."""
        rows = self._spool.query(
            "SELECT kind, text, count(*), count(DISTINCT key), min(line), key FROM records "
            "GROUP BY kind, text ORDER BY kind DESC, count(*) DESC LIMIT CAST(? AS INTEGER)",
            str(_MAX_REASONS),
        )
        for kind, text, count, value_count, line, example in rows:
            column, _, reason = text.partition("\0")
            count_text = (
                f"{count:,} {kind}s with {value_count:,} different values"
                if count > 1
                else f"1 {kind}"
            )
            example_text = (
                "" if "@" in example else f", {example[:60]!r}"
            )  # an address isn't printed
            yield f"{column or 'row'}: {reason} ({count_text}, first: line {line}{example_text})"

    def write(self, path: str) -> str:
        """Writes the list of rows next to the file at ``path``, else to the folder for temporary
        files. Returns its name. Raises ``Invalid``."""
        name = Path(path).stem[:50]
        for folder in (str(Path(path).resolve().parent), None):
            with contextlib.suppress(OSError):
                return self._write_file(f"{name}-left-out-", folder)
        raise Invalid(f"{path}: the list of rows that were left out can't be written next to it.")

    def _write_file(self, prefix: str, folder: str | None) -> str:
        # Only the user may read the list, because it contains addresses.
        with tempfile.NamedTemporaryFile(
            prefix=prefix, suffix=".csv", dir=folder, delete=False
        ) as file:
            file.write(spreadsheet.head(_COLUMNS))
            query = "SELECT line, text, key FROM records WHERE kind = 'row' ORDER BY line"
            for line, text, value in self._spool.query(query):
                column, _, reason = text.partition("\0")
                row = dict(zip(_COLUMNS, (line, column, value, reason), strict=True))
                file.write(spreadsheet.lines([row], _COLUMNS))
            return file.name
