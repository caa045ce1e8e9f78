"""Parses and validates query parameters. Bad values raise ``Invalid``."""

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar
from urllib.parse import unquote_to_bytes

from wishwell import events
from wishwell.errors import Invalid
from wishwell.profiles import pages
from wishwell.wishlists import items

C = TypeVar("C", bound=str)

_LISTS = {"itemIds", "products", "type"}
"""Parameters with several values. Some generated clients repeat them instead of using commas."""


# rule: input-strict
@functools.lru_cache(256)
def parameters(query_string: bytes, allowed_names: frozenset[str]) -> Mapping[str, str]:
    """Returns query parameters by name.

    A repeated list is joined with commas. Raises ``Invalid`` if another parameter is repeated, or
    one is unknown or not UTF-8.
    """
    values: dict[str, str] = {}
    if not query_string:
        return values
    for pair in query_string.split(b"&"):
        if not pair:
            continue
        raw_name, _, raw_value = pair.partition(b"=")
        name = _unquoted(raw_name, "the query string")
        if name not in allowed_names:
            shown_name = name[:80] if name[:80].isprintable() else ascii(name[:80])
            names = ", ".join(sorted(allowed_names))
            allowed = f"allowed: {names}" if names else "none are allowed"
            refused = shown_name or "no name"
            raise Invalid(
                f"{refused}: isn't a query parameter of this operation; {allowed}.", cause="unknown"
            )
        value = _unquoted(raw_value, name)
        if name in values and name not in _LISTS:
            raise Invalid(f"{name}: is repeated.", cause="repeated")
        values[name] = f"{values[name]},{value}" if name in values else value
    return values


# rule: error-envelope
def find_errors(pairs: Sequence[bytes], allowed_names: frozenset[str]) -> Iterator[Invalid]:
    """Yields the errors of all query parameters whose rules are the same in all operations."""
    yield from errors_of(partial(parameters, pair, allowed_names) for pair in pairs)
    names = [name for pair in pairs for name in readable([pair], allowed_names)]
    for name in dict.fromkeys(names):
        if name not in _LISTS and names.count(name) > 1:
            yield Invalid(f"{name}: is repeated.", cause="repeated")
    values = readable(pairs, allowed_names)
    yield from errors_of([partial(limit, values.get("limit")), partial(include, values)])


def readable(pairs: Sequence[bytes], allowed_names: frozenset[str]) -> dict[str, str]:
    """Returns the last value of each known parameter that is UTF-8."""
    values: dict[str, str] = {}
    for pair in pairs:
        with contextlib.suppress(Invalid):
            values |= parameters(pair, allowed_names)
    return values


def errors_of(checks: Iterable[Callable[[], object]]) -> Iterator[Invalid]:
    """Yields the errors of the checks that fail."""
    for check in checks:
        try:
            check()
        except Invalid as error:
            yield error


def _unquoted(raw: bytes, name: str) -> str:
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ")).decode()
    except UnicodeDecodeError as error:
        raise Invalid(f"{name}: must be percent-encoded UTF-8.") from error


def limit(text: str | None) -> int:
    """Returns the page size: 1 to 250, by default 50. Raises ``Invalid``."""
    if text is None:
        return pages.DEFAULT_SIZE
    if not re.fullmatch(r"[0-9]{1,4}", text, re.ASCII) or not 1 <= int(text) <= pages.MAX_SIZE:
        raise Invalid(f"limit: must be a whole number from 1 to {pages.MAX_SIZE}.")
    return int(text)


def required(query: Mapping[str, str], name: str) -> str:
    """Returns a parameter. Raises ``Invalid`` without it."""
    if name not in query:
        raise Invalid(f"{name}: is required.", cause="required")
    return query[name]


def choice(query: Mapping[str, str], name: str, allowed: Sequence[C]) -> C:
    """Returns a parameter that must be one of ``allowed``. The default is the first.

    Raises ``Invalid``.
    """
    text = query.get(name, allowed[0])
    for option in allowed:
        if option == text:
            return option
    raise Invalid(f"{name}: must be one of {', '.join(allowed)}.")


def include(query: Mapping[str, str]) -> bool:
    """Returns whether ``include=product`` is given. Raises ``Invalid`` for other values."""
    text = query.get("include")
    if text not in (None, "product"):
        raise Invalid("include: must be product.")
    return text is not None


def event_types(text: str | None) -> tuple[str, ...]:
    """Returns the event types in ``?type=a,b``. Raises ``Invalid`` for an unknown one."""
    if text is None:
        return ()
    types = tuple(dict.fromkeys(text.split(",")))
    if not set(types) <= set(events.TYPES):
        raise Invalid(f"type: must be one or more of {', '.join(events.TYPES)}.")
    return types


def resume(text: str | None) -> int | None:
    """Returns the feed position in ``?from=``, an earlier response's ``resume``.

    Raises ``Invalid``.
    """
    if text is None:
        return None
    if not re.fullmatch(r"0|[1-9][0-9]{0,17}", text, re.ASCII):
        raise Invalid("from: must be the `resume` value of an earlier response, or latest.")
    return int(text)


def several(query: Mapping[str, str], name: str) -> list[str]:
    """Returns 1 to ``items.MAX_BULK`` ids, as in ``?itemIds=a,b``. Raises ``Invalid``."""
    ids = required(query, name).split(",")
    if "" in ids or len(ids) > items.MAX_BULK:
        raise Invalid(f"{name}: must be 1 to {items.MAX_BULK} ids, separated by commas.")
    return ids
