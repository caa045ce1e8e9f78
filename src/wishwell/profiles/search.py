"""Search expressions: ``product:123,456 tag:gift list:<id> title:blue available:true`` for items,
``title:blue`` for products, ``name:birthday`` for lists.

A record must match all terms, and at least one value of each term (rule: search-terms).
``db/pages.py`` has the SQL condition of each field. The products of items are compared in
``products/sorting.py`` instead, because a cluster has them on other shards.
"""

import functools
import re
from collections.abc import Sequence
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

PRODUCT_FIELDS = ("title", "available")
"""Fields of the product of an item."""

_AVAILABLE = ("true", "false", "unknown")
_FIELDS = {
    "items": ("product", "variant", "tag", "list", *PRODUCT_FIELDS),
    "products": ("title",),
    "lists": ("name",),
}
_GRAMMAR = "A query consists of {}; separate terms by spaces, several values by commas."
_GRAMMARS = {
    "items": _GRAMMAR.format(
        "the terms product:<id>, variant:<id>, tag:<tag>, list:<list id>, title:<text> and "
        "available:<true, false or unknown>"
    ),
    "products": _GRAMMAR.format("terms title:<text>"),
    "lists": _GRAMMAR.format("terms name:<text>"),
}


class Search(NamedTuple):
    """A parsed search: for each term its field, and its value or list of values."""

    fields: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()

    @property
    def has_product_fields(self) -> bool:
        """Whether the search is also by the products of items."""
        return not {*PRODUCT_FIELDS}.isdisjoint(self.fields)

    def split(self) -> tuple["Search", "Search"]:
        """Returns the search by fields of the items, and that by fields of their products."""
        terms = list(zip(self.fields, self.values, strict=True))
        of_products = [term for term in terms if term[0] in PRODUCT_FIELDS]
        of_items = [term for term in terms if term[0] not in PRODUCT_FIELDS]
        return _from_terms(of_items), _from_terms(of_products)


def _from_terms(terms: Sequence[tuple[str, Any]]) -> Search:
    return Search(tuple(field for field, _ in terms), tuple(values for _, values in terms))


# Cached, because all visitors of a page send the same query, and parsing one with 24 products takes
# longer than running it.
# rule: search-terms
@functools.lru_cache(256)
def parse(query: str, store: Store, noun: str = "items") -> Search:
    """Parses a search expression for ``noun``: items, products or lists.

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
        if noun != "items" and field in ("title", "name"):
            term_values = [*map(patterns.in_either_case, term_values)]
        fields.append(field)
        terms.append([*dict.fromkeys(term_values)])
    if len(terms) > MAX_TERMS:
        raise Invalid(f"query: takes at most {MAX_TERMS} terms.")
    return Search(tuple(fields), tuple(terms))


def _check_value(field: str, text: str, store: Store, grammar: str) -> str:
    if field in ("title", "name"):
        if not TITLE.fullmatch(text):
            raise Invalid(
                f"query: each {field} must be 1 to 100 characters without control "
                f"characters. {grammar}"
            )
        return text
    if field == "available":
        if text not in _AVAILABLE:
            raise Invalid(f"query: available is true, false or unknown. {grammar}")
        return text
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
