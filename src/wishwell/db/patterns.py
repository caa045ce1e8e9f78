"""Patterns that find a text in either case, and mean the same on both engines.

``lower`` knows ASCII alone in SQLite, and in PostgreSQL what the database's locale knows. So each
letter becomes the set of those that Unicode folds to the same: SQLite's GLOB and PostgreSQL's
regular expressions read such sets alike.
"""

import functools
from collections.abc import Mapping

_LETTERS = 0x1E944
"""Beyond it no letter has two cases."""


# contract: search-title
def in_either_case(text: str) -> str:
    """The pattern of a text without control characters, for ``titled``."""
    return "".join(map(_one, text))


def _one(letter: str) -> str:
    if alike := _cases().get(letter.casefold()):
        return f"[{alike}]"
    if letter.isalnum() or letter > "~":
        return letter
    # In a set all other signs stand for themselves, but for these two. No title has a tab.
    return {"^": "[\t^]", "\\": r"[\\]"}.get(letter, f"[{letter}]")


@functools.cache
def _cases() -> Mapping[str, str]:
    """By what Unicode folds them to: the letters of which not all are folded to themselves."""
    found: dict[str, str] = {}
    for letter in map(chr, range(_LETTERS)):
        folded = letter.casefold()
        if folded != letter:
            found[folded] = found.get(folded, folded if len(folded) == 1 else "") + letter
    return found
