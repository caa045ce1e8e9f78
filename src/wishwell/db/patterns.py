"""Case-insensitive search patterns that work identically on both engines.

``lower`` covers only ASCII in SQLite, and depends on the locale in PostgreSQL. Therefore each
letter becomes a character set of all letters with the same Unicode case folding, which SQLite's
GLOB and PostgreSQL's regular expressions interpret alike.
"""

import functools
import re
from collections.abc import Mapping

_MAX_CASED = 0x1E944
"""Code point after which no letter has two cases."""


# rule: search-terms
def in_either_case(text: str) -> str:
    """Returns the pattern that finds a text, for the search by title.

    The text must not contain control characters.
    """
    return "".join(map(_to_set, text))


# rule: search-terms
def compile_either_case(text: str) -> re.Pattern[str]:
    """Returns the regular expression of Python that finds the same titles."""
    variants = _find_case_variants()
    sets = (variants.get(letter.casefold()) for letter in text)
    return re.compile(
        "".join(
            f"[{letters}]" if letters else re.escape(letter)
            for letter, letters in zip(text, sets, strict=True)
        )
    )


def _to_set(letter: str) -> str:
    if letters := _find_case_variants().get(letter.casefold()):
        return f"[{letters}]"
    if letter.isalnum() or letter > "~":
        return letter
    # In a set, all characters except these two are literal. The tab, which no title has, precedes
    # ^, because a leading ^ would negate the set.
    return {"^": "[\t^]", "\\": r"[\\]"}.get(letter, f"[{letter}]")


@functools.cache
def _find_case_variants() -> Mapping[str, str]:
    """Returns letters by their case folding, except those that are alone with it."""
    letters_by_folding: dict[str, str] = {}
    for letter in map(chr, range(_MAX_CASED)):
        folded = letter.casefold()
        if folded != letter:
            letters_by_folding[folded] = (
                letters_by_folding.get(folded, folded if len(folded) == 1 else "") + letter
            )
    return letters_by_folding
