"""Builds the SQL of pages (pagination by cursor).

The ``.sql`` files have the columns, tables and owner; the search conditions, cursor and order are
added here. Values are always parameters, never part of the SQL.
"""

import functools
from typing import Literal, NamedTuple

from wishwell.db import statements
from wishwell.db.statements import Engine

Noun = Literal[
    "admin_tokens",
    "items",
    "items_shown",
    "items_wished",
    "lists",
    "webhooks",
    "deliveries",
    "products",
    "profiles",
    "requests",
    "shares",
]
Edge = Literal["older", "newer"]

_IN_PROFILE = {
    "product": " AND i.product_id in_texts(:term)",
    "variant": " AND i.variant_id in_texts(:term)",
    "tag": (
        " AND EXISTS (SELECT 1 FROM item_tags t WHERE t.profile_id = :owner"
        " AND t.item_id = i.id AND t.tag in_texts(:term))"
    ),
    "list": (
        " AND i.id IN (SELECT x.item_id FROM entries x"
        " WHERE x.profile_id = :owner AND x.list_id in_uuids(:term))"
    ),
    "shares_of": " AND s.list_id = :term::uuid",
}
_IN_STORE = _IN_PROFILE | {
    # Uses the index of tags, because finding a rare tag must not scan the whole store.
    "tag": (
        " AND i.id IN (SELECT t.item_id FROM item_tags t"
        " WHERE t.store_id = :owner AND t.tag in_texts(:term))"
    ),
    # A list belongs to one profile, so finding it first leaves only that profile's items to search.
    "list": (
        " AND (i.profile_id, i.id) IN (SELECT x.profile_id, x.item_id"
        " FROM lists y JOIN entries x ON x.profile_id = y.profile_id AND x.list_id = y.id"
        " WHERE y.store_id = :owner AND y.id in_uuids(:term))"
    ),
    "email": ' AND lower(p.email COLLATE "C") in_texts(:term)',
    "title": " AND titled(p, :term)",
    "webhook": " AND d.webhook_id = :term::uuid",
}


class PageQuery(NamedTuple):
    """A page of records of a whole store or a profile. ``terms``: the fields of the search.

    The statement's arguments are the key of the store or profile, the cursor's id or ``None``, the
    number of rows, and the values of each term. ``edge``: whether to read rows older or newer than
    the cursor, nearest first. ``beyond`` adds a column: whether rows exist on the cursor's other
    side.
    """

    noun: Noun
    whole_store: bool
    terms: tuple[str, ...] = ()
    edge: Edge | None = None
    newest_first: bool = True
    beyond: bool = False


# rule: input-inert
@functools.lru_cache(maxsize=512)
def sql(engine: Engine, query: PageQuery) -> str:
    """Returns the SQL of a page. Its arguments are in the order that ``PageQuery`` gives."""
    fragments = _IN_STORE if query.whole_store else _IN_PROFILE
    terms = [f"term_{number}" for number in range(len(query.terms))]
    conditions = "".join(
        fragments[term].replace(":term", f":{name}")
        for term, name in zip(query.terms, terms, strict=True)
    )
    open_only = "" if query.whole_store else " AND open(:owner)"
    name = f"store_{query.noun}_page" if query.whole_store else f"{query.noun}_page"
    alias = query.noun[0]
    id = _id(query.noun)
    from_cursor = " AND :cursor::uuid IS NULL"  # a parameter must have a type
    if query.edge:
        from_cursor = f" AND {alias}.{id} {'>' if query.edge == 'newer' else '<'} :cursor::uuid"
    beyond = _beyond(query, alias, conditions) if query.beyond else ""
    direction = "DESC" if query.newest_first else "ASC"
    filled = (
        statements.template(name).replace("{beyond}", beyond)
        + f"{conditions}{open_only}{from_cursor} ORDER BY {alias}.{id} {direction} LIMIT :limit"
    )
    return statements.step(filled, engine, ("owner", "cursor", "limit", *terms)).sql


def _id(noun: Noun) -> str:
    """Returns the column that pages are ordered by."""
    return "profile_id" if noun == "profiles" else "id"


def _beyond(query: PageQuery, alias: str, conditions: str) -> str:
    owner = "store_id" if query.whole_store else "profile_id"
    id = _id(query.noun)
    sign, order = ("<=", "DESC") if query.edge == "newer" else (">=", "ASC")
    table = "items" if query.noun.startswith("items_") else query.noun
    # Reads the nearest row over the index. For EXISTS, PostgreSQL would scan the table: it expects
    # a match soon because nearly every row matches, but the oldest rows come first and don't.
    return (
        f", (SELECT {alias}.{id} FROM {table} {alias}"  # noqa: S608
        f" WHERE {alias}.{owner} = :owner{conditions} AND {alias}.{id} {sign} :cursor::uuid"
        f" ORDER BY {alias}.{id} {order} LIMIT 1) IS NOT NULL"
    )
