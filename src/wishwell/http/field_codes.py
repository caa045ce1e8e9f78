"""Makes the entries of ``details`` from errors."""

import re

from wishwell.errors import BadField, FieldCode, Invalid

_TYPE_PATTERNS: dict[str, FieldCode] = {
    "of length <=": "too_long",
    "of length >=": "too_short",
    "Expected `(int|float)` <=": "too_large",
    "Expected `(int|float)` >=": "too_small",
    "Expected .*, got ": "wrong_type",
}


def of_type_error(message: str) -> FieldCode:
    """Returns the code of a field that msgspec refused with this message, which alone says why."""
    for pattern, code in _TYPE_PATTERNS.items():
        if re.search(pattern, message):
            return code
    return "invalid"


def of_error(error: Invalid) -> list[BadField]:
    """Returns the parameter or header that an error's message names before a colon, if any."""
    match = re.match(r"(?!body:)(\S+): (.*)", error.message, re.DOTALL)
    return [BadField(match[1], match[2], error.cause)] if match else []
