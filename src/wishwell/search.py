"""The search expression of ``GET /items``: ``product:123,456 variant:7 tag:gift list:<id>``.

Terms are separated by spaces and all must hold; a term's values by commas, and any may hold
(contract: search-terms). Parsed into fixed fragments of SQL and the values that go with them.
"""

import re
from dataclasses import dataclass

from wishwell import ids
from wishwell.errors import Invalid

MAX_VALUES = 250
MAX_NUMBER = 2**53 - 1
TAG = re.compile(r"[a-z0-9_-]{1,50}")
_NUMBER = re.compile(r"[1-9][0-9]{0,15}", re.ASCII)

_FIELDS = "product:<number>, variant:<number>, tag:<tag>, list:<list id>"
_GRAMMAR = f"A query is made of {_FIELDS}; several values with commas, several terms with spaces."

_IN_PROFILE = {
    "product": " AND i.product_id in_numbers({0})",
    "variant": " AND i.variant_id in_numbers({0})",
    "tag": (
        " AND EXISTS (SELECT 1 FROM item_tags t WHERE t.profile_id = i.profile_id"
        " AND t.item_id = i.id AND t.tag in_texts({0}))"
    ),
    "list": (
        " AND EXISTS (SELECT 1 FROM entries x WHERE x.profile_id = i.profile_id"
        " AND x.item_id = i.id AND x.list_id in_uuids({0}))"
    ),
}
_IN_STORE = _IN_PROFILE | {
    # From the tag's index, in id order: a rare tag must not cost a walk over the whole store.
    "tag": (
        " AND i.id IN (SELECT t.item_id FROM item_tags t"
        " WHERE t.store_id = $1 AND t.tag in_texts({0}))"
    ),
    # A list lies in one profile: finding that first leaves its items alone to look at.
    "list": (
        " AND (i.profile_id, i.id) IN (SELECT x.profile_id, x.item_id"
        " FROM lists y JOIN entries x ON x.profile_id = y.profile_id AND x.list_id = y.id"
        " WHERE y.store_id = $1 AND y.id in_uuids({0}))"
    ),
}


@dataclass(frozen=True, slots=True)
class Search:
    """A parsed expression: per field its values, each term one entry. Equal text, equal search."""

    terms: tuple[tuple[str, tuple[str | int, ...]], ...] = ()

    def conditions(self, first: int, *, whole_store: bool) -> tuple[str, list[list[str | int]]]:
        """The SQL that narrows ``items i``, and its parameters, numbered from ``first``."""
        known = _IN_STORE if whole_store else _IN_PROFILE
        sql = "".join(
            known[field].format(f"${first + at}") for at, (field, _) in enumerate(self.terms)
        )
        return sql, [list(values) for _, values in self.terms]


def parse(query: str) -> Search:
    """Raises ``Invalid`` with what there is for an unknown field or a malformed value."""
    terms = []
    for term in query.split(" "):
        if not term:
            continue
        field, colon, text = term.partition(":")
        if not colon or field not in _IN_PROFILE:
            raise Invalid(f"query: {_shown(term)} names no field that can be searched. {_GRAMMAR}")
        values = text.split(",")
        if len(values) > MAX_VALUES:
            raise Invalid(f"query: {field} takes at most {MAX_VALUES} values. {_GRAMMAR}")
        terms.append((field, tuple(dict.fromkeys(_value(field, value) for value in values))))
    if not terms:
        raise Invalid(f"query: is empty. {_GRAMMAR}")
    if len(terms) > 8:
        raise Invalid("query: takes at most 8 terms.")
    return Search(tuple(terms))


def _value(field: str, text: str) -> str | int:
    if field == "tag":
        if not TAG.fullmatch(text):
            raise Invalid(f"query: a tag is 1 to 50 of a-z 0-9 _ -. {_GRAMMAR}")
        return text
    if field == "list":
        if not ids.is_uuid(text):
            raise Invalid(f"query: {_shown(text)} is not the id of a list. {_GRAMMAR}")
        return text
    if not _NUMBER.fullmatch(text) or int(text) > MAX_NUMBER:
        raise Invalid(f"query: {field} takes whole numbers from 1 to {MAX_NUMBER}. {_GRAMMAR}")
    return int(text)


def _shown(text: str) -> str:
    """Some of what the caller sent, safe to show again."""
    return repr(text[:40]) if text[:40].isprintable() else "that text"
