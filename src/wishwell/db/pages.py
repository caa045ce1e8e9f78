"""Builds the SQL of pages (pagination by cursor).

The ``.sql`` files have the columns, tables and owner; the search conditions, cursor and order are
added here. Values are always parameters, never part of the SQL.
"""

import functools
from collections.abc import Mapping
from typing import Literal, NamedTuple

from wishwell.db import statements
from wishwell.db.statements import Engine

Noun = Literal[
    "admin_tokens",
    "items",
    "items_shown",
    "items_wished",
    "lists",
    "mails",
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
    "webhook": " AND d.webhook_id = :term::uuid",
    # Literal, because only then the index of failed deliveries is used.
    **{
        f"webhook_{status}": f" AND d.webhook_id = :term::uuid AND d.status = '{status}'"
        for status in ("pending", "delivered", "failed", "skipped", "by_hand")
    },
}
_MATCHES = {
    "postgresql": ' AND {} COLLATE "C" ~ ANY(:term::text[])',
    "sqlite": (
        " AND EXISTS (SELECT 1 FROM json_each(:term) v WHERE {} GLOB '*' || v.value || '*')"
    ),
}
"""The condition that a text matches one of the patterns (patterns.py)."""

_TITLE = {
    "postgresql": "(p.document::json ->> 'title')",
    "sqlite": "json_extract(p.document, '$.title')",
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
def sql(engine: Engine, query: PageQuery, *, distributed: bool = False) -> str:
    """Returns the SQL of a page. Its arguments are in the order that ``PageQuery`` gives.

    ``distributed``: whether it is for a cluster.
    """
    matches = _MATCHES[engine]
    fragments = (
        _IN_STORE | {"title": matches.format(_TITLE[engine])}
        if query.whole_store
        else _IN_PROFILE | {"name": matches.format("l.name")}
    )
    terms = {f"term_{number}": term for number, term in enumerate(query.terms)}
    merged = None if distributed or not query.whole_store else _merged(query, terms)
    if merged:
        fragments = fragments | _AMONG_MERGED
    conditions = "".join(
        fragments[term].replace(":term", f":{name}")
        for name, term in terms.items()
        if name != merged
    )
    open_only = "" if query.whole_store else _OPEN_OWNER
    name = f"store_{query.noun}_page" if query.whole_store else f"{query.noun}_page"
    alias = query.noun[0]
    id = f"{alias}.{_id(query.noun)}"
    from_cursor = " AND :cursor::uuid IS NULL"  # a parameter must have a type
    if query.edge:
        from_cursor = f" AND {id} {'>' if query.edge == 'newer' else '<'} :cursor::uuid"
    order = f" ORDER BY {id} {'DESC' if query.newest_first else 'ASC'} LIMIT :limit"
    if merged:
        rows = f"SELECT i.id FROM {_MERGED[terms[merged]]}{conditions}"  # noqa: S608
        values = _VALUES[engine].format(merged)
        beyond = f", EXISTS (SELECT 1 FROM {values} WHERE {_beyond(query, id, rows)})"  # noqa: S608
        conditions = _merging(engine, values, f"{rows}{_OPEN}{from_cursor}{order}")
    else:
        table = "items" if query.noun.startswith("items_") else query.noun
        key = "store_id" if query.whole_store else "profile_id"
        rows = f"SELECT {id} FROM {table} {alias} WHERE {alias}.{key} = :owner{conditions}"  # noqa: S608
        beyond = f", {_beyond(query, id, rows)}"
        conditions += open_only + from_cursor
    filled = statements.template(name).replace("{beyond}", beyond if query.beyond else "")
    filled = statements.for_server(filled + conditions + order, engine, distributed=distributed)
    return statements.step(filled, engine, ("owner", "cursor", "limit", *terms)).sql


_VALUES = {
    "postgresql": "unnest(:{}::text[]) AS v (value)",
    "sqlite": "json_each(:{}) AS v",
}
"""A table of a term's values."""

_MERGED = {
    "list": (
        "lists y JOIN entries x ON x.profile_id = y.profile_id AND x.list_id = y.id"
        " JOIN items i ON i.profile_id = x.profile_id AND i.id = x.item_id"
        " WHERE y.store_id = :owner AND y.id = v.value::uuid AND few(x.item_id)"
    ),
    "product": "items i WHERE i.store_id = :owner AND i.product_id = v.value",
    "variant": (
        "items i WHERE i.store_id = :owner AND i.variant_id = v.value AND i.variant_id <> ''"
    ),
    "tag": (
        "(SELECT t.item_id AS id, t.profile_id FROM item_tags t"
        " WHERE t.store_id = :owner AND t.tag = v.value) AS i WHERE true"
    ),
}
"""Rows of one value of a term. Except for a list, an index has them in the order of their ids."""

_AMONG_MERGED = {
    "tag": (
        " AND (SELECT t.tag FROM item_tags t WHERE t.profile_id = i.profile_id"
        " AND t.item_id = i.id AND t.tag in_texts(:term) LIMIT 1) IS NOT NULL"
    ),
}
_OPEN_OWNER = (
    " AND EXISTS (SELECT 1 FROM profiles o WHERE o.profile_id = :owner AND o.closed_at IS NULL)"
)
_OPEN = " AND (SELECT p.closed_at FROM profiles p WHERE p.profile_id = i.profile_id) IS NULL"


def _merged(query: PageQuery, terms: Mapping[str, str]) -> str | None:
    """Returns the name of the term whose values are merged, each from its own index range."""
    names = (name for term in _MERGED for name, field in terms.items() if field == term)
    return next(names, None) if query.noun.startswith("items") else None


# rule: lookup-cost
def _merging(engine: Engine, values: str, rows: str) -> str:
    """Returns the condition that an item is among the ``rows``, the first ones, of any value.

    Otherwise a planner may fetch and sort all matches for each page, or search the whole store.
    """
    if engine == "sqlite":  # has no LATERAL
        ids = f"(SELECT json_group_array(n.id) FROM ({rows}) AS n)"  # noqa: S608
        return f" AND i.id IN (SELECT k.value FROM {values}, json_each({ids}) AS k)"  # noqa: S608
    return (
        f" AND (i.store_id, i.id) IN (SELECT :owner::uuid, k.id FROM {values},"  # noqa: S608
        f" LATERAL ({rows}) AS k WHERE few(k.id) OFFSET 0)"
    )


def _id(noun: Noun) -> str:
    """Returns the column that pages are ordered by."""
    return "profile_id" if noun == "profiles" else "id"


def _beyond(query: PageQuery, id: str, rows: str) -> str:
    """Returns the condition that the nearest of the ``rows`` on the cursor's other side exists.

    Reads it over the index. For EXISTS, PostgreSQL would scan the table: it expects a match soon
    because nearly every row matches, but the oldest rows come first and don't.
    """
    sign, order = ("<=", "DESC") if query.edge == "newer" else (">=", "ASC")
    return f"({rows} AND {id} {sign} :cursor::uuid ORDER BY {id} {order} LIMIT 1) IS NOT NULL"
