"""Reads the ``.sql`` files of the packages into statements for one engine.

Each package has its statements beside it. Arguments have names, `:profile`, and are passed by them.
``python -m wishwell.db postgresql item_save`` prints a statement as it runs.

* A line that ends in `--postgresql` or `--sqlite` is for that engine alone. `-- name: x for
  postgresql` is one statement for what `-- name: x for sqlite` does in several, each ending in
  `;`: every statement is a round trip there. A test runs both forms against each other. In one
  `for each` the two forms stand in one text: its marked lines are of one form.
* item_fields(x), list_fields(x) and so on: the columns of a record (rows.py).
* in_uuids(:ids), in_texts(:ids), in_numbers(:ids): membership in one array, always of texts.
* as_json(…): these values as a JSON array.
* next_number(x): of an event of the store x, its place in the feed. Null on PostgreSQL, where it
  is given afterwards (events.py); SQLite has one writer, which gives it.
* shown(x): that a row is not of a profile which is being erased; told(e): the same of an event or a
  delivery, or that it tells of that.
* owner(:profile): the profile's row, open and locked. A write in one statement begins with it, so
  that the writes of one profile, links and purges among them, happen one after the other
  (docs/decisions/0004). SQLite has one writer at a time and needs no lock.
* AS MATERIALIZED, COLLATE "C" and casts are for PostgreSQL alone.

A statement on a profile's data says profile_id = :profile of each table: that keeps it on one
shard of a cluster. An insertion selects from such a table, though it needs nothing of it: other
rows go by the coordinator.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from importlib import resources
from typing import Any, Literal, NamedTuple

from wishwell.db import rows

Engine = Literal["postgresql", "sqlite"]

_NAME = re.compile(r"^-- name: (\w+)(?: for (postgresql|sqlite|each))?$", re.MULTILINE)
_ARGUMENT = re.compile(r"(?<!:):([a-z_]\w*)")
_FOR_ENGINE = re.compile(r"--(postgresql|sqlite)$")
_FIELDS = re.compile(r"(item|list|share|store|event|webhook|delivery|product)_fields\((\w+)\)")
_OWNER = (
    r"(SELECT profile_id, store_id, items, lists, changes FROM profiles"
    r" WHERE profile_id = \1 AND closed_at IS NULL{})"
)
_SHOWN = (
    (r"\btold\((\w+)\)", r"(\1.type = 'profile.erased' OR shown(\1))"),
    (
        r"\bshown\((\w+)\)",
        r"NOT EXISTS (SELECT 1 FROM erasures x"
        r" WHERE x.profile_id = \1.profile_id AND x.done_at IS NULL)",
    ),
)
_MACROS = {
    "postgresql": (
        *_SHOWN,
        # As text: for another array each new connection would first ask for its type.
        (r"in_uuids\((:\w+)\)", r"= ANY(\1::text[]::uuid[])"),
        (r"in_texts\((:\w+)\)", r"= ANY(\1::text[])"),
        (r"in_numbers\((:\w+)\)", r"= ANY(\1::text[]::bigint[])"),
        (r"\bas_json\(", "json_build_array("),
        (r"next_number\([\w.:]+\)", "NULL::bigint"),
        (r"owner\((:\w+)\)", _OWNER.format(" FOR NO KEY UPDATE")),
    ),
    "sqlite": (
        *_SHOWN,
        (r"in_(?:uuids|texts|numbers)\((:\w+)\)", r"IN (SELECT value FROM json_each(\1))"),
        (r"\bas_json\(", "json_array("),
        (
            r"next_number\(([\w.:]+)\)",
            r"1 + coalesce((SELECT max(e.number) FROM events e WHERE e.store_id = \1"
            r" AND e.number IS NOT NULL), (SELECT max(f.last, f.removed) FROM feeds f"
            r" WHERE f.store_id = \1), 0)",
        ),
        (r"owner\((:\w+)\)", _OWNER.format("")),
        (r" MATERIALIZED", ""),
        (r' COLLATE "C"', ""),
        (r"::\w+(?:\[\])?", ""),
    ),
}


class Does(Enum):
    """What a statement does: one whose name ends in ``_lock``, or a SELECT … FOR UPDATE, locks."""

    READ = 1
    LOCK = 2
    WRITE = 3


class Step(NamedTuple):
    """One statement for the driver, and the names of its arguments by their numbers."""

    sql: str
    takes: tuple[str, ...]

    def values(self, named: Mapping[str, Any]) -> Sequence[Any]:
        """The values of its arguments, in the order of ``takes``."""
        return [named[name] for name in self.takes]


class Statement(NamedTuple):
    """A named statement. Of several steps, the last one that returns rows gives the result."""

    steps: tuple[Step, ...]
    does: Does

    @property
    def step(self) -> Step:
        """The only step."""
        (step,) = self.steps
        return step

    @property
    def sql(self) -> str:
        """The SQL of the only step."""
        return self.step.sql


# contract: engines-alike
@functools.cache
def load(engine: Engine, form: Engine | None = None) -> Mapping[str, Statement]:
    """The engine's statements by name, but for the templates of pages.

    ``form``: takes that engine's form of statements that have two, in the dialect of ``engine``.
    """
    found = {}
    for name, only, body in _pieces():
        if only in (None, "each", form or engine) and not name.endswith("_page"):
            marked = form or engine if only == "each" else engine
            found[name] = _statement(name, _strip(body, marked), engine)
    return found


@functools.cache
def template(name: str) -> str:
    """The text of a page, for pages.py to fill."""
    [body] = [body for known, _, body in _pieces() if known == name]
    return _strip(body, "postgresql").rstrip(";")


def step(sql: str, engine: Engine, takes: Sequence[str] | None = None) -> Step:
    """A statement for the driver. ``takes``: its arguments in order, else as they come."""
    sql = _FIELDS.sub(_fields, sql)
    for pattern, replacement in _MACROS[engine]:
        sql = re.sub(pattern, replacement, sql)
    names = tuple(takes or dict.fromkeys(_ARGUMENT.findall(sql)))
    mark = "?" if engine == "sqlite" else "$"
    sql = _ARGUMENT.sub(lambda match: f"{mark}{names.index(match[1]) + 1}", sql)
    return Step(sql, names)


def _fields(match: re.Match[str]) -> str:
    columns: tuple[str, ...] = getattr(rows, match[1].upper())
    return ", ".join(f"{match[2]}.{column}" for column in columns)


def _pieces() -> Iterator[tuple[str, str, str]]:
    """What the files have: a statement's name, the engine that it is for, and its text."""
    for package in sorted(resources.files("wishwell").iterdir(), key=lambda entry: entry.name):
        for file in package.iterdir() if package.is_dir() else ():
            if file.name.endswith(".sql"):
                pieces = iter(_NAME.split(file.read_text("utf-8"))[1:])
                yield from zip(pieces, pieces, pieces, strict=True)


def _statement(name: str, sql: str, engine: Engine) -> Statement:
    steps = [step(piece.strip(), engine) for piece in sql.split(";") if piece.strip()]
    if not re.search(r"\b(INSERT|UPDATE|DELETE)\b", " ".join(one.sql for one in steps)):
        does = Does.READ
    else:
        does = Does.LOCK if name.endswith("_lock") or sql.startswith("SELECT") else Does.WRITE
    return Statement(tuple(steps), does)


def _strip(body: str, engine: Engine) -> str:
    lines = []
    for line in body.splitlines():
        mark = _FOR_ENGINE.search(line)
        if line.startswith("--") or (mark and mark[1] != engine):
            continue
        lines.append(_FOR_ENGINE.sub("", line).rstrip())
    return "\n".join(lines).strip()
