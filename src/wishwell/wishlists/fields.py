"""Validation of fields, shared by request bodies and imported files."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from wishwell import field_types, ids
from wishwell.errors import Invalid
from wishwell.profiles import search

_MAX_CLOCK_SKEW_MS = ids.DAY_MS
"""Most milliseconds that a time may be in the future: a wrong clock would refuse later versions."""

TAG_RULE = "must be 1 to 50 characters: a-z (lower case), 0-9, _ or -"

T = TypeVar("T")
R = TypeVar("R")


def each(field: str, values: Iterable[T], convert: Callable[[T], R]) -> list[R]:
    """Converts each value. If that raises ``Invalid``, adds the value's index to the error."""
    converted = []
    for index, value in enumerate(values):
        try:
            converted.append(convert(value))
        except Invalid as error:
            message = f"{field}[{index}].{error.message}"
            raise Invalid(message, error.code, cause=error.cause) from None
    return converted


def each_once(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """Returns the values. Raises ``Invalid`` for a duplicate."""
    check_once(f"{field}[{{}}]: is the same as {field}[{{}}].", values)
    return tuple(values)


def check_once(message: str, values: Sequence[object]) -> None:
    """Raises ``Invalid`` for a duplicate. ``message`` has placeholders for its index, and for the
    index of the equal value before it."""
    if len({*values}) == len(values):
        return
    first_indexes: dict[object, int] = {}
    for index, value in enumerate(values):
        if (first := first_indexes.setdefault(value, index)) != index:
            raise Invalid(message.format(index, first), cause="repeated")


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Returns the tags.

    Raises ``Invalid`` for more than 20 tags, duplicates, or one that isn't 1 to 50 characters
    ``a-z 0-9 _ -``.
    """
    if len(tags) > field_types.MAX_TAGS:
        raise Invalid(f"tags: must be at most {field_types.MAX_TAGS} tags.")
    return check_each_tag(tags)


def check_each_tag(tags: Sequence[str]) -> tuple[str, ...]:
    """Returns the tags. Validates like ``check_tags``, but without a maximum number."""
    for index, tag in enumerate(tags):
        if not search.TAG.fullmatch(tag):
            raise Invalid(f"tags[{index}]: {TAG_RULE}.")
    return each_once("tags", tags)


def time(field: str, at: datetime, now: int) -> str:
    """Returns a sender's time as stored. Raises ``Invalid`` for one more than a day after
    ``now``, in milliseconds."""
    milliseconds = max(0, round(at.timestamp() * 1000))
    if milliseconds > now + _MAX_CLOCK_SKEW_MS:
        now_text = ids.timestamp(now)
        raise Invalid(
            f"{field}: must not be more than 24 hours in the future; it is now {now_text}."
        )
    return ids.timestamp(milliseconds)


# rule: input-inert
def has_control(text: str) -> bool:
    return any(character < " " or "\x7f" <= character <= "\x9f" for character in text)
