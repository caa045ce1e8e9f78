"""Records as a spreadsheet reads them: CSV by RFC 4180 (contract: report-csv)."""

import csv
import io
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from typing import Any

import msgspec

_MARK = "\N{BYTE ORDER MARK}"
"""By it a spreadsheet knows that the text is UTF-8."""

_FORMULA = re.compile("(^|;)(?=[=+@\t\r＝＋－＠-])")
"""Where one may begin: in languages that write ``1,5`` Excel splits cells at ``;``."""


async def whole(
    columns: Sequence[str], parts: AsyncIterable[Iterable[Any]]
) -> AsyncIterator[bytes]:
    """A spreadsheet with these columns, of records that come some at a time."""
    yield _MARK.encode() + _lines([columns])
    async for records in parts:
        yield lines(records, columns)


def lines(records: Iterable[Any], columns: Sequence[str]) -> bytes:
    """A line for each record. A field that it has not is an empty cell."""
    rows = [_flat(msgspec.to_builtins(record)) for record in records]
    return _lines([_cell(row.get(column)) for column in columns] for row in rows)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """What is in an object has a column of its own, as ``profiles.customers``."""
    parts = {f"{k}.{n}": v for k, of in row.items() if isinstance(of, dict) for n, v in of.items()}
    return row | parts


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """What a spreadsheet would take for a formula has an apostrophe before it."""
    if isinstance(value, bool):
        return str(value).lower()
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
