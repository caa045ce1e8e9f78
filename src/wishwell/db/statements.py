"""Reads ``queries.sql`` into statements for one engine.

The few differences between the engines are marked in the file, side by side. This module turns the
marks into SQL once, at the start.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from importlib import resources
from typing import Literal, NamedTuple

from wishwell.db import rows

Engine = Literal["postgresql", "sqlite"]

_PIECE = re.compile(r"^-- (name|part): (\w+)(?: for (postgresql|sqlite))?$", re.MULTILINE)
_FOR_ENGINE = re.compile(r"--(postgresql|sqlite)$")
_OWNER = (
    r"(SELECT profile_id, store_id, items, lists, changes FROM profiles"
    r" WHERE profile_id = \1 AND closed_at IS NULL{})"
)
_UNRESERVED = (
    r" AND (\2::boolean OR NOT EXISTS (SELECT 1 FROM reservations r WHERE r.profile_id = \1))"
)
_MACROS = {
    "postgresql": (
        # As text: for another array each new connection would first ask for its type.
        (r"in_uuids\((\$\d+)\)", r"= ANY(\1::text[]::uuid[])"),
        (r"in_texts\((\$\d+)\)", r"= ANY(\1::text[])"),
        (r"in_numbers\((\$\d+)\)", r"= ANY(\1::text[]::bigint[])"),
        (r"pairs\((\$\d+)\)", r"json_each_text(\1::json)"),
        (
            r"ids_in\(([\w.]+)\) AS (\w+)",
            r"unnest(string_to_array(\1, ' ')::uuid[]) AS \2(value)",
        ),
        (r"id_list\((\w+)\)", r"string_agg(\1::text, ' ')"),
        (r"\bas_json\(", "json_build_array("),
        (r"next_number\([\w.$]+\)", "NULL::bigint"),
        (
            r"settled\((\$\d+)((?:, \$\d+)?)\)",
            r"(SELECT p.* FROM owner(\1\2) AS p"
            r" JOIN profiles s ON s.profile_id = \1 AND s.changes = p.changes)",
        ),
        (r"owner\((\$\d+)\)", _OWNER.format(" FOR NO KEY UPDATE")),
        (
            r"owner\((\$\d+), (\$\d+)\)",
            _OWNER.format(_UNRESERVED + " FOR NO KEY UPDATE"),
        ),
    ),
    "sqlite": (
        (r"in_(?:uuids|texts|numbers)\((\$\d+)\)", r"IN (SELECT value FROM json_each(\1))"),
        (r"pairs\((\$\d+)\)", r"json_each(\1)"),
        (
            r"ids_in\(([\w.]+)\) AS (\w+)",
            r"""json_each('["' || replace(nullif(\1, ''), ' ', '","') || '"]') AS \2""",
        ),
        (r"id_list\((\w+)\)", r"group_concat(\1, ' ')"),
        (r"\bas_json\(", "json_array("),
        (
            r"next_number\(([\w.$]+)\)",
            r"1 + coalesce((SELECT max(e.number) FROM events e WHERE e.store_id = \1"
            r" AND e.number IS NOT NULL), (SELECT max(f.last, f.removed) FROM feeds f"
            r" WHERE f.store_id = \1), 0)",
        ),
        (r"owner\((\$\d+)\)", _OWNER.format("")),
        (r"owner\((\$\d+), (\$\d+)\)", _OWNER.format(_UNRESERVED)),
        (r" MATERIALIZED", ""),
        (r"::\w+(?:\[\])?", ""),
        (r"\$(\d+)", r"?\1"),
    ),
}


class Does(Enum):
    """What a statement does, by its first word."""

    READ = 1
    LOCK = 2
    WRITE = 3


class Step(NamedTuple):
    """One statement for the driver, and the indices of the arguments that it takes.

    ``when``: whether it is for a row so far that ends with true, or for any other outcome.
    """

    sql: str
    takes: tuple[int, ...]
    when: bool | None = None

    def is_due(self, found: Sequence[Sequence[object]]) -> bool:
        """Whether to run it, after the steps before have returned these rows."""
        return self.when is None or self.when == bool(found and found[0][-1])


class Statement(NamedTuple):
    """A named statement. Of several steps, the last one that returns rows gives the result."""

    steps: tuple[Step, ...]
    does: Does

    @property
    def sql(self) -> str:
        """The SQL of a statement with one step."""
        (step,) = self.steps
        return step.sql


def for_engine(sql: str, engine: Engine) -> str:
    """A statement or fragment with its marks turned into the engine's SQL."""
    sql = re.sub(
        r"(item|list|share|store|event|webhook|delivery|product)_fields\((\w+)\)", _fields, sql
    )
    sql = re.sub(r"id_count\(([^()]+)\)", r"((length(\1) + 1) / 37)", sql)
    sql = re.sub(
        r"without\(([\w.]+), (\$\d+)\)",
        r"trim(replace(' ' || \1 || ' ', ' ' || \2::uuid::text || ' ', ' '))",
        sql,
    )
    sql = re.sub(r"has_id\(([\w.$:]+), ([\w.]+)\)", r"(replace(\1, \2::text, '') <> \1)", sql)
    for pattern, replacement in _MACROS[engine]:
        sql = re.sub(pattern, replacement, sql)
    return sql


def _fields(match: re.Match[str]) -> str:
    columns: tuple[str, ...] = getattr(rows, match[1].upper())
    return ", ".join(f"{match[2]}.{column}" for column in columns)


# contract: engines-alike
@functools.cache
def load(engine: Engine, form: Engine | None = None) -> Mapping[str, Statement]:
    """The engine's statements by name.

    ``form``: takes that engine's form of statements that have two, in the dialect of ``engine``.
    """
    text = resources.files("wishwell.db").joinpath("queries.sql").read_text("utf-8")
    pieces = iter(_PIECE.split(text)[1:])
    parts: dict[str, str] = {}
    found = {}
    for kind, name, only, body in zip(pieces, pieces, pieces, pieces, strict=True):
        sql = _strip(body, engine)
        sql = re.sub(r"part\((\w+)\)", lambda match: parts[match[1]], sql)
        if kind == "part":
            parts[name] = sql
        elif only in (None, form or engine):
            found[name] = _statement(for_engine(sql, engine))
    return found


def _statement(sql: str) -> Statement:
    if "{direction}" in sql:  # the template of a page, for pages.py
        return Statement((Step(sql.rstrip(";"), ()),), Does.READ)
    steps = []
    for step in filter(None, (piece.strip() for piece in sql.split(";"))):
        word, _, rest = step.partition(" ")
        when = {"then": True, "else": False}.get(word)
        step = step if when is None else rest
        # Drivers expect arguments numbered from 1 without gaps.
        numbers = sorted({int(number) for number in re.findall(r"[$?](\d+)", step)})
        for at, number in enumerate(numbers, 1):
            step = re.sub(rf"([$?]){number}\b", rf"\g<1>{at}", step)
        steps.append(Step(step, tuple(number - 1 for number in numbers), when))
    if not re.search(r"\b(INSERT|UPDATE|DELETE)\b", sql):
        does = Does.READ
    else:
        does = Does.LOCK if sql.startswith("SELECT") else Does.WRITE
    return Statement(tuple(steps), does)


def _strip(body: str, engine: Engine) -> str:
    lines = []
    for line in body.splitlines():
        mark = _FOR_ENGINE.search(line)
        if line.startswith("--") or (mark and mark[1] != engine):
            continue
        lines.append(_FOR_ENGINE.sub("", line).rstrip())
    return "\n".join(lines).strip()
