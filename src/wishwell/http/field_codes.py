"""Finds the codes of bad fields from the messages that refuse them."""

import re

from wishwell.errors import BadField, FieldCode

_PATTERNS: dict[str, FieldCode] = {
    "is required": "required",
    "isn't (a|an) (field|query parameter) ": "unknown",
    "(can't be changed|isn't allowed|is not allowed|isn't supported|requires a token)": (
        "not_allowed"
    ),
    "(is repeated|must be sent (only|exactly) once)": "repeated",
}
"""Our own messages."""

_TYPE_PATTERNS: dict[str, FieldCode] = {
    "of length <=": "too_long",
    "of length >=": "too_short",
    "Expected `(int|float)` <=": "too_large",
    "Expected `(int|float)` >=": "too_small",
    "Expected .*, got ": "wrong_type",
}
"""The messages of msgspec."""


def bad_field(field: str, message: str, type_error: str = "") -> BadField:
    """Returns a bad field with its code. ``type_error``: msgspec's message, if it was refused by
    its type."""
    for pattern, code in _PATTERNS.items():
        if re.match(pattern, message):
            return BadField(field, message, code)
    for pattern, code in _TYPE_PATTERNS.items():
        if re.search(pattern, type_error):
            return BadField(field, message, code)
    return BadField(field, message, "invalid")


def of_message(message: str) -> list[BadField]:
    """Returns the parameter or header that an error's message names before a colon, if any."""
    match = re.match(r"(?!body:)([A-Za-z][A-Za-z-]*): (.*)", message, re.DOTALL)
    return [bad_field(match[1], match[2])] if match else []
