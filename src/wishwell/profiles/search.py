"""The search expression of ``GET /items``: ``product:123,456 variant:7 tag:gift list:<id>``.

An item must match all terms, and of each term at least one value (contract: search-terms).
``db/pages.py`` has the SQL of each field.
"""

import re
from dataclasses import dataclass

from wishwell import ids, stores
from wishwell.errors import Invalid
from wishwell.stores import Store

MAX_VALUES = 250
MAX_TERMS = 8
TAG = re.compile(r"[a-z0-9_-]{1,50}")
_NUMBER = re.compile(r"[1-9][0-9]{0,15}", re.ASCII)

_FIELDS = ("product", "variant", "tag", "list")
_GRAMMAR = (
    "A query consists of the terms product:<id>, variant:<id>, tag:<tag> and list:<list id>; "
    "separate terms by spaces, and several values of a term by commas."
)


@dataclass(frozen=True, slots=True)
class Search:
    """A parsed expression: a field and its values for each term."""

    terms: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The field of each term."""
        return tuple(field for field, _ in self.terms)

    @property
    def values(self) -> list[list[str]]:
        """The values of each term."""
        return [list(values) for _, values in self.terms]


# contract: search-invalid, search-terms
def parse(query: str, store: Store) -> Search:
    """Parses an expression. Raises ``Invalid`` for an unknown field or a malformed value."""
    terms = []
    for term in query.split(" "):
        if not term:
            continue
        field, colon, text = term.partition(":")
        if not colon or field not in _FIELDS:
            raise Invalid(f"query: {_shown(term)} is not a search term. {_GRAMMAR}")
        values = text.split(",")
        if len(values) > MAX_VALUES:
            raise Invalid(f"query: {field} takes at most {MAX_VALUES} values. {_GRAMMAR}")
        terms.append((field, tuple(dict.fromkeys(_value(field, value, store) for value in values))))
    if not terms:
        raise Invalid(f"query: is empty. {_GRAMMAR}")
    if len(terms) > MAX_TERMS:
        raise Invalid(f"query: takes at most {MAX_TERMS} terms.")
    return Search(tuple(terms))


def _value(field: str, text: str, store: Store) -> str:
    if field == "tag":
        if not TAG.fullmatch(text):
            raise Invalid(
                f"query: each tag must be 1 to 50 characters: a-z, 0-9, _ or -. {_GRAMMAR}"
            )
    elif field == "list":
        if not ids.is_uuid(text):
            raise Invalid(f"query: {_shown(text)} is not a list id. {_GRAMMAR}")
    else:
        is_text = store.has_text_ids
        known = stores.TEXT_ID.fullmatch(text) if is_text else _NUMBER.fullmatch(text)
        if not known or (not is_text and int(text) > stores.MAX_NUMBER):
            raise Invalid(f"query: each {field} {store.id_rule}. {_GRAMMAR}")
    return text


def _shown(text: str) -> str:
    """The start of what the caller sent, if it is safe to show."""
    return repr(text[:40]) if text[:40].isprintable() else "that text"
