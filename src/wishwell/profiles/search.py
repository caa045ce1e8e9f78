"""Search expressions: ``product:123,456 variant:7 tag:gift list:<id>`` for items, ``title:blue``
for products.

A record must match all terms, and at least one value of each term (rule: search-terms).
``db/pages.py`` has the SQL condition of each field.
"""

import functools
import re
from typing import Any, NamedTuple

from wishwell import ids, stores
from wishwell.db import patterns
from wishwell.errors import Invalid
from wishwell.field_types import MAX_NUMBER
from wishwell.stores import Store

MAX_VALUES = 250
MAX_TERMS = 8
TAG = re.compile(r"[a-z0-9_-]{1,50}")
TITLE = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,100}")
_NUMBER = re.compile(r"[1-9][0-9]{0,15}", re.ASCII)

_FIELDS = {"items": ("product", "variant", "tag", "list"), "products": ("title",)}
_GRAMMAR = "A query consists of {}; separate terms by spaces, several values by commas."
_GRAMMARS = {
    "items": _GRAMMAR.format("the terms product:<id>, variant:<id>, tag:<tag> and list:<list id>"),
    "products": _GRAMMAR.format("terms title:<text>"),
}


class Search(NamedTuple):
    """A parsed search: for each term its field, and its value or list of values."""

    fields: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()


# Cached, because all visitors of a page send the same query, and parsing one with 24 products takes
# longer than running it.
# rule: search-terms
@functools.lru_cache(256)
def parse(query: str, store: Store, noun: str = "items") -> Search:
    """Parses a search expression for ``noun``, items or products.

    A blank one matches all records. Raises ``Invalid`` for an unknown field, a malformed value, or
    too many terms or values.
    """
    fields: list[str] = []
    terms: list[list[str]] = []
    grammar = _GRAMMARS[noun]
    for term in query.split(" "):
        if not term:
            continue
        field, colon, text = term.partition(":")
        if not colon or field not in _FIELDS[noun]:
            raise Invalid(f"query: {excerpt(term)} isn't a search term. {grammar}")
        values = text.split(",")
        if len(values) > MAX_VALUES:
            raise Invalid(f"query: {field} takes at most {MAX_VALUES} values. {grammar}")
        term_values = [_check_value(field, value, store, grammar) for value in values]
        fields.append(field)
        terms.append([*dict.fromkeys(term_values)])
    if len(terms) > MAX_TERMS:
        raise Invalid(f"query: takes at most {MAX_TERMS} terms.")
    return Search(tuple(fields), tuple(terms))


def _check_value(field: str, text: str, store: Store, grammar: str) -> str:
    if field == "title":
        if not TITLE.fullmatch(text):
            raise Invalid(
                "query: each title must be 1 to 100 characters without control "
                f"characters. {grammar}"
            )
        return patterns.in_either_case(text)
    if field == "tag":
        if not TAG.fullmatch(text):
            raise Invalid(
                f"query: each tag must be 1 to 50 characters: a-z, 0-9, _ or -. {grammar}"
            )
    elif field == "list":
        if not text:
            raise Invalid(f"query: list needs an id. {grammar}")
        return text if ids.is_uuid(text) else ids.NO_UUID  # malformed is like unknown
    else:
        is_text = store.has_text_ids
        is_valid = stores.TEXT_ID.fullmatch(text) if is_text else _NUMBER.fullmatch(text)
        if not is_valid or (not is_text and int(text) > MAX_NUMBER):
            raise Invalid(f"query: each {field} {store.id_rule}. {grammar}")
    return text


def excerpt(text: str) -> str:
    """Returns the start of the caller's text, quoted, if it is safe to show."""
    return repr(text[:40]) if text[:40].isprintable() else "that text"
