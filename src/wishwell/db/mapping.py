"""Converts rows to records by the names of columns and fields, so that no code lists positions."""

from collections.abc import Callable, Iterator
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType

from wishwell.db import Row, statements

T = TypeVar("T", bound=msgspec.Struct)

_NESTED = (msgspec.Raw, msgspec.Struct, dict)
"""Types of fields that are stored as JSON. A value of type Raw is only shown, and stays encoded."""


def from_columns(shape: type[T], declaration: str, *more_columns: str) -> Callable[[Row], T]:
    """Returns a function that makes a ``shape`` from the declared columns and ``more_columns``.

    Each column fills the field of the same name, converted to the field's type: words to a list, 0
    or 1 to a bool, JSON to Raw, a struct or a dict, an empty text to UNSET or None. Columns without
    a field are ignored. The function is compiled from the names, because looking them up in every
    row would double its time.
    """
    columns = (*statements.columns(declaration), *more_columns)
    values: list[str] = []
    for index, field in enumerate(msgspec.structs.fields(shape)):
        if field.name in columns:
            # Uses keywords only after an omitted field, because keywords are slower.
            name = "" if index == len(values) else f"{field.name}="
            values.append(name + _format_conversion(field.name, field.type))
        elif field.default is field.default_factory is NODEFAULT:
            raise TypeError(f"{shape.__name__}.{field.name}: isn't a column of {declaration}")
    source = f"def from_row(row):\n {','.join(columns)}, = row\n return shape({','.join(values)})"
    namespace: dict[str, Any] = {"shape": shape, "UNSET": UNSET, "Raw": msgspec.Raw}
    for field in msgspec.structs.fields(shape):
        if _is_nested(field.type):
            namespace[f"decode_{field.name}"] = msgspec.json.Decoder(field.type).decode
    exec(source, namespace)  # noqa: S102 (made of the names of columns and fields, never of values)
    from_row: Callable[[Row], T] = namespace["from_row"]
    return from_row


def _format_conversion(column: str, type_: Any) -> str:
    """Returns the expression that converts a column for a field of this type."""
    types = set(_find_types(type_))
    if types == {bool}:
        return f"bool({column})"
    if types == {list}:
        return f"{column}.split() if {column} else []"
    if types == {tuple}:
        return f"tuple({column}.split())"
    absent = [name for kind, name in ((UnsetType, "UNSET"), (type(None), "None")) if kind in types]
    if _is_nested(type_):
        value = f"Raw({column}.encode())" if msgspec.Raw in types else f"decode_{column}({column})"
        return f"{value} if {column} else {absent[0]}" if absent else value
    return f"{column} or {absent[0]}" if absent and str in types else column


def _is_nested(type_: Any) -> bool:
    return any(isinstance(kind, type) and issubclass(kind, _NESTED) for kind in _find_types(type_))


def _find_types(type_: Any) -> Iterator[Any]:
    """Yields the plain types of a union, without annotations and parameters."""
    origin = get_origin(type_)
    if origin is Annotated:
        yield from _find_types(get_args(type_)[0])
    elif origin in (Union, UnionType):
        for member in get_args(type_):
            yield from _find_types(member)
    else:
        yield origin or type_


def to_columns(record: Any, declaration: str) -> dict[str, Any]:
    """Returns a record's columns by name: the inverse of ``from_columns``.

    None becomes an empty text in a column whose initial value in the ``declaration`` is ''.
    """
    columns = msgspec.structs.asdict(record)
    for name, value in columns.items():
        if value.__class__ is str or value.__class__ is int:  # most are
            continue
        if value is UNSET or (value is None and name in statements.text_columns(declaration)):
            columns[name] = ""
        elif isinstance(value, _NESTED):
            columns[name] = msgspec.json.encode(value).decode()
        elif isinstance(value, list | tuple):
            columns[name] = " ".join(value)
        elif isinstance(value, bool):
            columns[name] = int(value)
    return columns
