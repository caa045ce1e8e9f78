"""Encodes records as CSV for spreadsheets, by RFC 4180 (rule: report-csv)."""

import csv
import io
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from typing import Any

import msgspec

_MARK = "\N{BYTE ORDER MARK}"
"""Marks the text as UTF-8 for spreadsheets."""

_FORMULA = re.compile('((?:^|[;\t\r\n])[" ]*)(?=[=+@\t\r＝＋－＠-])')
"""Places where a formula may begin (CSV injection).

A spreadsheet that splits cells at ``;`` (Excel in locales with a decimal comma) or at tabs doesn't
see where our quoted cells begin. It then drops quotes after a separator, and ends the row at a line
break.
"""


async def whole(
    columns: Sequence[str], parts: AsyncIterable[Iterable[Any]]
) -> AsyncIterator[bytes]:
    """Yields a CSV file with these columns. ``parts`` yields its records in batches."""
    yield head(columns)
    async for records in parts:
        yield lines(records, columns)


def head(columns: Sequence[str]) -> bytes:
    """Returns the beginning of a CSV file with these columns."""
    return _MARK.encode() + _lines([columns])


def lines(records: Iterable[Any], columns: Sequence[str]) -> bytes:
    """Returns a line for each record. A missing field is an empty cell."""
    rows = [_flat(msgspec.to_builtins(record)) for record in records]
    return _lines([_cell(row.get(column)) for column in columns] for row in rows)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Adds fields of nested objects as columns of their own, such as ``profiles.customers``."""
    parts = {f"{k}.{n}": v for k, of in row.items() if isinstance(of, dict) for n, v in of.items()}
    return row | parts


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """Returns a value as a cell, with an apostrophe before anything that looks like a formula."""
    if isinstance(value, bool):
        return str(value).lower()
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
