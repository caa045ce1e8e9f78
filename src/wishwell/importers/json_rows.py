"""Reads JSON files as rows, with bounded memory: lines, an array, or an object with one array."""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, BinaryIO

import ijson
import msgspec

from wishwell.errors import Invalid
from wishwell.importers.table import MAX_ROW
from wishwell.transfer.spool import read_lines

_PIECE_BYTES = 1 << 14
_MAX_DEPTH = 64
_MAX_ARRAYS = 10
_STARTS = ("start_map", "start_array")
_BOM = b"\xef\xbb\xbf"
_FAULTS = (ijson.JSONError, ValueError, ArithmeticError, SystemError)
"""The parser's errors. All but the first are from numbers of thousands of digits."""

_json = msgspec.json.Decoder(dict[str, Any], float_hook=str)

Normal = Callable[[str], str]
Keys = tuple[str, ...]
Numbered = tuple[int, dict[str, Any] | str]
"""A line number, and the row or an error message."""


# rule: catalogue-json
def read(
    file: BinaryIO, start: bytes, id_paths: Collection[str], normal: Normal
) -> tuple[str, Iterator[Numbered]]:
    """Returns the syntax, and an iterator of the rows. ``start``: the beginning of the file's
    text. ``id_paths``: dotted paths of a product's id, normalised by ``normal``, to distinguish a
    product from an object that contains products. Raises ``Invalid``."""
    keys = _array_keys(file, id_paths, normal)
    line, is_whole, _ = start.partition(b"\n")
    if keys is None and not (is_whole and line.rstrip().endswith((b"{", b"[", b",", b":"))):
        return "jsonl", _lines(file)
    return "json", _values(file, keys)


def _lines(file: BinaryIO) -> Iterator[Numbered]:
    file.seek(0)
    for line, text in enumerate(read_lines(file, MAX_ROW), 1):
        if isinstance(text, str):  # rule: catalogue-limits
            yield line, f"{text}; reading ended here"
            break
        text = text.removeprefix(_BOM)
        try:
            if text.strip():
                yield line, _json.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            yield line, f"isn't a JSON object ({error})"


class _Events:
    """The parser's events: iterating yields pairs of event and value. ``line``: of the last one.
    Raises ``Invalid`` at a fault, and if a row or a token is larger than ``MAX_ROW`` bytes."""

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        file.seek(len(_BOM) if file.read(len(_BOM)) == _BOM else 0)
        self.line = 1
        self._file, self._size, self._is_in_row = file, 0, False

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        events: Any = ijson.sendable_list()
        parser = ijson.basic_parse_coro(events, multiple_values=True)
        fault: Exception | None = None
        # By line, so that each event's line is known.
        while fault is None and (piece := self._file.readline(_PIECE_BYTES)):
            self._size += len(piece)
            try:
                parser.send(piece)
            except _FAULTS as error:
                fault = error
                if isinstance(error, SystemError):
                    del events[-1]  # its value is missing
            if events:
                yield from events
                events.clear()
                self._size *= self._is_in_row
            if self._size > MAX_ROW:
                raise Invalid(f"has a row of more than {MAX_ROW:,} bytes; reading ended here")
            self.line += piece.endswith(b"\n")
        try:
            parser.close()
        except _FAULTS as error:
            fault = fault or error
        if fault:
            reason = str(fault).removeprefix("b'").partition("\n")[0].partition("\\n")[0]
            reason = reason.strip(" .") if isinstance(fault, ijson.JSONError) else "a large number"
            raise Invalid(f"isn't valid JSON ({reason}); reading ended here") from fault

    def mark_row(self, *, begins: bool) -> None:
        self._is_in_row, self._size = begins, 0


Events = Iterator[tuple[str, Any]]


def _values(file: BinaryIO, keys: Keys | None) -> Iterator[Numbered]:
    """Yields the elements of the array to which the keys lead, or the file's values themselves.
    Ends with an error message if the rest can't be read."""
    parsed = _Events(file)
    events = iter(parsed)
    try:
        if keys is None:
            yield from _elements(parsed, events)
        for place, event, _ in _outside_arrays(events):
            if event == "start_array" and place == keys:
                yield from _elements(parsed, events)
            elif event == "start_array":
                _skip(events, 1)
    except Invalid as error:
        yield parsed.line, error.message


def _elements(parsed: _Events, events: Events) -> Iterator[Numbered]:
    """Yields the values up to the end of an array or of the file."""
    for event, value in events:
        if event == "end_array":
            return
        line = parsed.line
        parsed.mark_row(begins=True)
        row = _built(events, event, value, 1)
        parsed.mark_row(begins=False)
        yield line, row if isinstance(row, dict) else "isn't a JSON object"


def _built(events: Events, event: str, value: Any, depth: int) -> Any:
    """Returns the value that begins with an event."""
    if depth > _MAX_DEPTH:
        raise Invalid(f"is nested more than {_MAX_DEPTH} deep; reading ended here")
    if event == "start_map":
        row = {}
        for event, key in events:
            if event == "end_map":
                break
            row[key] = _built(events, *next(events), depth + 1)
        return row
    if event == "start_array":
        elements = []
        for event, value in events:
            if event == "end_array":
                break
            elements.append(_built(events, event, value, depth + 1))
        return elements
    return str(value) if isinstance(value, Decimal) else value


def _outside_arrays(events: Events) -> Iterator[tuple[Keys, str, Any]]:
    """Yields scalars, starts of arrays and ends of objects, with the keys that lead there. The
    caller reads or skips each array."""
    keys: list[str] = []
    for event, value in events:
        if event == "map_key":
            keys[-1] = value
        elif event == "start_map":
            keys.append("")
            if len(keys) > _MAX_DEPTH:
                raise Invalid(f"is nested more than {_MAX_DEPTH} deep; reading ended here")
        else:
            if event == "end_map":
                keys.pop()
            yield tuple(keys), event, value


def _skip(events: Events, depth: int) -> None:
    """Skips the rest of open arrays and objects. ``depth``: their number."""
    while depth:
        event, _ = next(events)
        depth += (event in _STARTS) - event.startswith("end")


def _array_keys(file: BinaryIO, id_paths: Collection[str], normal: Normal) -> Keys | None:
    """Returns the keys that lead to the array of rows in the file's first value, or ``None`` if the
    file's values are rows. Raises ``Invalid`` if there are several arrays of objects."""
    arrays: list[Keys] = []
    events = iter(_Events(file))
    with suppress(Invalid):  # raised again when the rows are read
        for keys, event, _ in _outside_arrays(events):
            if event == "start_array":
                if not keys:
                    return keys
                event, _ = next(events)
                if event == "start_map" and len(arrays) < _MAX_ARRAYS:
                    arrays.append(keys)
                _skip(events, (event != "end_array") + (event in _STARTS))
            elif ".".join(map(normal, keys)) in id_paths:
                return None
            if not keys:
                break
    if len(arrays) > 1:
        names = ", ".join(".".join(keys)[:80] for keys in arrays)
        raise Invalid(
            f"contains several arrays ({names}). Import only the array of products, for example "
            f"with jq '.{names.partition(',')[0]}'."
        )
    return arrays[0] if arrays else None


def value_at(row: Any, path: str, normal: Normal) -> Any:
    """Returns the value at a dotted path, in which numbers are positions in arrays. Raises
    ``KeyError``."""
    for name in path.split("."):
        if isinstance(row, list) and name.isdecimal() and int(name) < len(row):
            row = row[int(name)]
        elif isinstance(row, dict):
            row = {normal(key): value for key, value in row.items()}[name]
        else:
            raise KeyError(path)
    return row


# rule: catalogue-json
def scalar(value: Any) -> str | int | None:
    """Returns a cell's value: a price with its currency as one text. Raises ``Invalid``."""
    if isinstance(value, dict):
        amount, currency = value.get("amount"), value.get("currencyCode") or value.get("currency")
        if isinstance(amount, str | int) and isinstance(currency, str | None):
            return f"{amount} {currency or ''}"
    if not isinstance(value, str | int | None):
        raise Invalid(
            "must be a string, a number, or an object with amount and currency; name a value "
            "inside it with --map, such as price=price.amount"
        )
    return value
