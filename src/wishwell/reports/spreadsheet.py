"""Encodes records as CSV for spreadsheets, by RFC 4180 (rule: report-csv)."""

import csv
import io
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from typing import Any

import msgspec

_BYTE_ORDER_MARK = "\N{BYTE ORDER MARK}"
"""Marks the text as UTF-8 for spreadsheets."""

_FORMULA = re.compile('((?:^|[;\t\r\n])[" ]*)(?=[=+@\t\r＝＋－＠-])')
"""Places where a formula may begin (CSV injection).

A spreadsheet that splits cells at ``;`` (Excel in locales with a decimal comma) or at tabs doesn't
see where our quoted cells begin. It then drops quotes after a separator, and ends the row at a line
break.
"""


async def csv_file(
    columns: Sequence[str], batches: AsyncIterable[Iterable[Any]]
) -> AsyncIterator[bytes]:
    """Yields a CSV file with these columns. ``batches`` yields its records in batches."""
    yield head(columns)
    async for records in batches:
        yield lines(records, columns)


def head(columns: Sequence[str]) -> bytes:
    """Returns the beginning of a CSV file with these columns."""
    return _BYTE_ORDER_MARK.encode() + _encode_rows([columns])


def lines(records: Iterable[Any], columns: Sequence[str]) -> bytes:
    """Returns a line for each record. A missing field is an empty cell."""
    rows = [_flatten(msgspec.to_builtins(record)) for record in records]
    return _encode_rows([_encode_cell(row.get(column)) for column in columns] for row in rows)


def _flatten(row: dict[str, Any]) -> dict[str, Any]:
    """Adds fields of nested objects as columns of their own, such as ``profiles.customers``."""
    objects = {column: fields for column, fields in row.items() if isinstance(fields, dict)}
    return row | {
        f"{column}.{name}": value
        for column, fields in objects.items()
        for name, value in fields.items()
    }


def _encode_rows(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _encode_cell(value: Any) -> Any:
    """Returns a value as a cell, with an apostrophe before anything that looks like a formula."""
    if isinstance(value, bool):
        return str(value).lower()
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
