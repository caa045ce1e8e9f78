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
_START_EVENTS = ("start_map", "start_array")
_BOM = b"\xef\xbb\xbf"
_PARSER_ERRORS = (ijson.JSONError, ValueError, ArithmeticError, SystemError)
"""The parser's errors. All but the first are from numbers of thousands of digits."""

_json = msgspec.json.Decoder(dict[str, Any], float_hook=str)

Normalise = Callable[[str], str]
KeyPath = tuple[str, ...]
Numbered = tuple[int, dict[str, Any] | str]
"""A line number, and the row or an error message."""


# rule: catalogue-json
def read_rows(
    file: BinaryIO, start: bytes, id_paths: Collection[str], normalise: Normalise
) -> tuple[str, Iterator[Numbered]]:
    """Returns the syntax, and an iterator of the rows. ``start``: the beginning of the file's
    text. ``id_paths``: dotted paths of a product's id, normalised by ``normalise``, to distinguish
    a product from an object that contains products. Raises ``Invalid``."""
    keys = _find_array_keys(file, id_paths, normalise)
    line, is_whole, _ = start.partition(b"\n")
    if keys is None and not (is_whole and line.rstrip().endswith((b"{", b"[", b",", b":"))):
        return "jsonl", _read_lines(file)
    return "json", _read_values(file, keys)


def _read_lines(file: BinaryIO) -> Iterator[Numbered]:
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
        while fault is None and (chunk := self._file.readline(_PIECE_BYTES)):
            self._size += len(chunk)
            try:
                parser.send(chunk)
            except _PARSER_ERRORS as error:
                fault = error
                if isinstance(error, SystemError):
                    del events[-1]  # its value is missing
            if events:
                yield from events
                events.clear()
                self._size *= self._is_in_row
            if self._size > MAX_ROW:
                raise Invalid(f"has a row of more than {MAX_ROW:,} bytes; reading ended here")
            self.line += chunk.endswith(b"\n")
        try:
            parser.close()
        except _PARSER_ERRORS as error:
            fault = fault or error
        if fault:
            reason = str(fault).removeprefix("b'").partition("\n")[0].partition("\\n")[0]
            reason = reason.strip(" .") if isinstance(fault, ijson.JSONError) else "a large number"
            raise Invalid(f"isn't valid JSON ({reason}); reading ended here") from fault

    def mark_row(self, *, begins: bool) -> None:
        self._is_in_row, self._size = begins, 0


Events = Iterator[tuple[str, Any]]


def _read_values(file: BinaryIO, keys: KeyPath | None) -> Iterator[Numbered]:
    """Yields the elements of the array to which the keys lead, or the file's values themselves.
    Ends with an error message if the rest can't be read."""
    parser_events = _Events(file)
    events = iter(parser_events)
    try:
        if keys is None:
            yield from _read_elements(parser_events, events)
        for event_keys, event, _ in _walk_outside_arrays(events):
            if event == "start_array" and event_keys == keys:
                yield from _read_elements(parser_events, events)
            elif event == "start_array":
                _skip_open(events, 1)
    except Invalid as error:
        yield parser_events.line, error.message


def _read_elements(parser_events: _Events, events: Events) -> Iterator[Numbered]:
    """Yields the values up to the end of an array or of the file."""
    for event, value in events:
        if event == "end_array":
            return
        line = parser_events.line
        parser_events.mark_row(begins=True)
        row = _build_value(events, event, value, 1)
        parser_events.mark_row(begins=False)
        yield line, row if isinstance(row, dict) else "isn't a JSON object"


def _build_value(events: Events, event: str, value: Any, depth: int) -> Any:
    """Returns the value that begins with an event."""
    if depth > _MAX_DEPTH:
        raise Invalid(f"is nested more than {_MAX_DEPTH} deep; reading ended here")
    if event == "start_map":
        row = {}
        for event, key in events:
            if event == "end_map":
                break
            row[key] = _build_value(events, *next(events), depth + 1)
        return row
    if event == "start_array":
        elements = []
        for event, value in events:
            if event == "end_array":
                break
            elements.append(_build_value(events, event, value, depth + 1))
        return elements
    return str(value) if isinstance(value, Decimal) else value


def _walk_outside_arrays(events: Events) -> Iterator[tuple[KeyPath, str, Any]]:
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


def _skip_open(events: Events, depth: int) -> None:
    """Skips the rest of open arrays and objects. ``depth``: their number."""
    while depth:
        event, _ = next(events)
        depth += (event in _START_EVENTS) - event.startswith("end")


def _find_array_keys(
    file: BinaryIO, id_paths: Collection[str], normalise: Normalise
) -> KeyPath | None:
    """Returns the keys that lead to the array of rows in the file's first value, or ``None`` if the
    file's values are rows. Raises ``Invalid`` if there are several arrays of objects."""
    array_keys: list[KeyPath] = []
    events = iter(_Events(file))
    with suppress(Invalid):  # raised again when the rows are read
        for keys, event, _ in _walk_outside_arrays(events):
            if event == "start_array":
                if not keys:
                    return keys
                event, _ = next(events)
                if event == "start_map" and len(array_keys) < _MAX_ARRAYS:
                    array_keys.append(keys)
                _skip_open(events, (event != "end_array") + (event in _START_EVENTS))
            elif ".".join(map(normalise, keys)) in id_paths:
                return None
            if not keys:
                break
    if len(array_keys) > 1:
        array_names = ", ".join(".".join(keys)[:80] for keys in array_keys)
        raise Invalid(
            f"contains several arrays ({array_names}). Import only the array of products, for "
            f"example with jq '.{array_names.partition(',')[0]}'."
        )
    return array_keys[0] if array_keys else None


def find_value(row: Any, path: str, normalise: Normalise) -> Any:
    """Returns the value at a dotted path, in which numbers are positions in arrays. Raises
    ``KeyError``."""
    for name in path.split("."):
        if isinstance(row, list) and name.isdecimal() and int(name) < len(row):
            row = row[int(name)]
        elif isinstance(row, dict):
            row = {normalise(key): value for key, value in row.items()}[name]
        else:
            raise KeyError(path)
    return row


# rule: catalogue-json
def read_cell(value: Any) -> str | int | None:
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
