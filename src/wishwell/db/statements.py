"""Reads ``queries.sql`` into statements for one engine.

The few places where the engines differ are marked in the file itself, side by side; this module
turns the marks into SQL, once, at the start. What is put together at run time (pages) is made of
fixed fragments alone: no value ever becomes part of a statement.
"""

import functools
import re
from collections.abc import Mapping
from importlib import resources
from typing import Literal, NamedTuple

Engine = Literal["postgresql", "sqlite"]

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_FOR_ENGINE = re.compile(r"--(postgresql|sqlite)$")

_LIST_IDS = {
    "postgresql": (
        "(SELECT string_agg(e.list_id::text, ' ' ORDER BY e.list_id) FROM entries e"
        " WHERE e.profile_id = \\1.profile_id AND e.item_id = \\1.id)"
    ),
    # group_concat takes no ORDER BY before SQLite 3.44; it keeps the order of its input.
    "sqlite": (
        "(SELECT group_concat(list_id, ' ') FROM (SELECT e.list_id FROM entries e"
        " WHERE e.profile_id = \\1.profile_id AND e.item_id = \\1.id ORDER BY e.list_id))"
    ),
}
_LIST_SIZE = (
    r"(SELECT count(*) FROM entries e WHERE e.profile_id = \1.profile_id AND e.list_id = \1.id)"
)
_ITEM = (
    r"\1.id, \1.product_id, \1.variant_id, \1.quantity, \1.tags, {}, \1.created_at, \1.updated_at"
)
_LIST = r"\1.id, \1.name, {}, \1.created_at, \1.updated_at"
_COMMON = (
    (r"item_fields\((\w+)\)", _ITEM.format(r"list_ids(\1)")),
    (r"list_fields\((\w+)\)", _LIST.format(_LIST_SIZE)),
    (r"item_written\((\w+)\)", _ITEM.format(r"list_ids_written(\1)")),
    (r"list_written\((\w+)\)", _LIST.format(r"list_size_written(\1)")),
)
_MACROS = {
    "postgresql": (
        (r"list_ids\((\w+)\)", _LIST_IDS["postgresql"]),
        # Functions of ours, which see more than the statement does (migration 0002).
        (r"list_ids_written\((\w+)\)", r"item_lists(\1.profile_id, \1.id)"),
        (r"list_size_written\((\w+)\)", r"list_size(\1.profile_id, \1.id)"),
        (r"in_uuids\((\$\d+)\)", r"= ANY(\1::uuid[])"),
        (r"in_numbers\((\$\d+)\)", r"= ANY(\1::bigint[])"),
        (r"in_texts\((\$\d+)\)", r"= ANY(\1::text[])"),
        (r"pairs\((\$\d+)\)", r"json_each_text(\1::json)"),
        (
            r"owner\((\$\d+)\)",
            r"(SELECT profile_id, store_id FROM profiles WHERE profile_id = \1"
            r" AND closed_at IS NULL FOR NO KEY UPDATE)",
        ),
    ),
    "sqlite": (
        (r"list_ids(?:_written)?\((\w+)\)", _LIST_IDS["sqlite"]),
        (r"list_size_written\((\w+)\)", _LIST_SIZE),
        (r"in_(?:uuids|numbers|texts)\((\$\d+)\)", r"IN (SELECT value FROM json_each(\1))"),
        (r"pairs\((\$\d+)\)", r"json_each(\1)"),
        (
            r"owner\((\$\d+)\)",
            r"(SELECT profile_id, store_id FROM profiles WHERE profile_id = \1"
            r" AND closed_at IS NULL)",
        ),
        (r"::\w+(?:\[\])?", ""),
        (r"\$(\d+)", r"?\1"),
    ),
}


def for_engine(sql: str, engine: Engine) -> str:
    """One statement or fragment, its marks turned into the engine's own SQL."""
    for pattern, replacement in (*_COMMON, *_MACROS[engine]):
        sql = re.sub(pattern, replacement, sql)
    return sql


class Fragments(NamedTuple):
    """What the ``{…}`` of a page's statement are filled with, in the marks of ``queries.sql``."""

    conditions: str
    from_cursor: str
    direction: str
    beyond: str


@functools.cache
def load(engine: Engine) -> Mapping[str, str]:
    """The engine's statements by name. The ``{…}`` of pages are filled by ``filled``."""
    text = resources.files("wishwell.db").joinpath("queries.sql").read_text("utf-8")
    pieces = _NAME.split(text)[1:]
    return {
        name: for_engine(sql, engine)
        for name, body in zip(pieces[::2], pieces[1::2], strict=True)
        if (sql := _strip(body, engine))
    }


@functools.lru_cache(maxsize=512)
def filled(engine: Engine, name: str, fragments: Fragments) -> str:
    """A page's statement. Only fragments from ``pages`` and ``search`` come here, never a value."""
    return load(engine)[name].format(
        **{key: for_engine(text, engine) for key, text in fragments._asdict().items()}
    )


def _strip(body: str, engine: Engine) -> str:
    lines = []
    for line in body.splitlines():
        mark = _FOR_ENGINE.search(line)
        if line.startswith("--") or (mark and mark[1] != engine):
            continue
        lines.append(_FOR_ENGINE.sub("", line).rstrip())
    return "\n".join(lines).strip().rstrip(";").rstrip()
