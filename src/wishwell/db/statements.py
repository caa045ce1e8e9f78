"""Reads the ``.sql`` files of the packages into statements for one engine.

Each package has its statements beside it. Once, at the start, this module turns the few marks by
which the engines differ into SQL.

* Arguments have names, `:profile`; they are passed by these names. (`$1` is the older form, by
  position.)
* A line that ends in `--postgresql` or `--sqlite` is for that engine alone. `-- name: x for
  postgresql` is one statement for what `-- name: x for sqlite` does in several, each ending in
  `;`: every statement is a round trip there. A test runs both forms against each other. A step
  `then …` runs only if the row that the ones before have returned ends with true, a step `else …`
  only if there is none or it does not.
* item_fields(x), list_fields(x), store_fields(x), event_fields(x): the columns of a record
  (rows.py).
* in_uuids($n), in_texts($n), in_numbers($n): membership in one array parameter, always of texts.
* ids_in(x): a row for each of the ids in a text, in its column `value`. id_count(x): how many
  there are. without(x, id): the text without this one. has_id(x, id): whether it is in there.
* id_list(x): the ids of a group, as such a text; their order is that of the rows.
* as_json(…): these values as a JSON array.
* next_number(x): of an event of the store x, its place in the feed. Null on PostgreSQL, where it
  is given afterwards (events.py); SQLite has one writer, which gives it.
* pairs($n): the key and the value of each entry of a JSON object.
* AS MATERIALIZED is for PostgreSQL alone, which then joins two profiles without asking every
  shard; SQLite joins by the tables' own indexes.
* owner($1): the profile's row, open and locked. Every write to a profile begins with it, so that
  the writes of one profile, links and purges among them, happen one after the other
  (docs/decisions/0004). SQLite has one writer at a time and needs no lock.
* owner($1, $n): the same, unless others have reserved any of its items and $n is false. What
  takes items off lists is then run again with $n, and ends reservations too (items.py: _certain).
* A PostgreSQL statement that waited for the lock still sees other rows as they were before. One
  that reads or removes entries or tags therefore asks for settled($1) or settled($1, $n): the
  owner's row, unless profiles.changes is not what it was before the lock (docs/decisions/0013).
  The caller tries again with the lock in hand.
* Rows to be found by ids that another part gives are found by `= ANY (ARRAY(…))`: PostgreSQL
  knows little of one profile, and may else join all of it with all of them.
* A statement on a profile's data says profile_id = $1 of each table: that keeps it on one shard.
  An insertion selects from such a table, though it needs nothing of it: other rows go by the
  coordinator.
* The first word tells what a statement does: SELECT reads, or locks when it ends in FOR UPDATE.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from importlib import resources
from typing import Any, Literal, NamedTuple

from wishwell.db import rows

Engine = Literal["postgresql", "sqlite"]

_PIECE = re.compile(r"^-- (name|part): (\w+)(?: for (postgresql|sqlite))?$", re.MULTILINE)
_ARGUMENT = re.compile(r"(?<!:):([a-z_]\w*)")
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
        (r"in_uuids\(([:$]\w+)\)", r"= ANY(\1::text[]::uuid[])"),
        (r"in_texts\(([:$]\w+)\)", r"= ANY(\1::text[])"),
        (r"in_numbers\(([:$]\w+)\)", r"= ANY(\1::text[]::bigint[])"),
        (r"pairs\(([:$]\w+)\)", r"json_each_text(\1::json)"),
        (
            r"ids_in\(([\w.]+)\) AS (\w+)",
            r"unnest(string_to_array(\1, ' ')::uuid[]) AS \2(value)",
        ),
        (r"id_list\((\w+)\)", r"string_agg(\1::text, ' ')"),
        (r"\bas_json\(", "json_build_array("),
        (r"next_number\([\w.$]+\)", "NULL::bigint"),
        (
            r"settled\(([:$]\w+)((?:, [:$]\w+)?)\)",
            r"(SELECT p.* FROM owner(\1\2) AS p"
            r" JOIN profiles s ON s.profile_id = \1 AND s.changes = p.changes)",
        ),
        (r"owner\(([:$]\w+)\)", _OWNER.format(" FOR NO KEY UPDATE")),
        (
            r"owner\(([:$]\w+), ([:$]\w+)\)",
            _OWNER.format(_UNRESERVED + " FOR NO KEY UPDATE"),
        ),
    ),
    "sqlite": (
        (r"in_(?:uuids|texts|numbers)\(([:$]\w+)\)", r"IN (SELECT value FROM json_each(\1))"),
        (r"pairs\(([:$]\w+)\)", r"json_each(\1)"),
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
        (r"owner\(([:$]\w+)\)", _OWNER.format("")),
        (r"owner\(([:$]\w+), ([:$]\w+)\)", _OWNER.format(_UNRESERVED)),
        (r" MATERIALIZED", ""),
        (r"::\w+(?:\[\])?", ""),
        (r"\$(\d+)", r"?\1"),
    ),
}


class Does(Enum):
    """What a statement does: one whose name ends in ``_lock``, or a SELECT … FOR UPDATE, locks."""

    READ = 1
    LOCK = 2
    WRITE = 3


class Step(NamedTuple):
    """One statement for the driver, and the names of the arguments that it takes, or their indices.

    ``when``: whether it is for a row so far that ends with true, or for any other outcome.
    """

    sql: str
    takes: tuple[Any, ...]
    when: bool | None = None

    def values(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """The values of its arguments, in the order of ``takes``."""
        if named:
            return [named[name] for name in self.takes]
        return [arguments[at] for at in self.takes]

    def of(self, row: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any]:
        """One row of arguments in the order of ``takes``."""
        return self.values((), row) if isinstance(row, Mapping) else row

    def is_due(self, found: Sequence[Sequence[object]]) -> bool:
        """Whether to run it, after the steps before have returned these rows."""
        return self.when is None or self.when == bool(found and found[0][-1])


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
        """The SQL of a statement with one step."""
        return self.step.sql


def for_engine(sql: str, engine: Engine) -> str:
    """A statement or fragment with its marks turned into the engine's SQL."""
    sql = re.sub(
        r"(item|list|share|store|event|webhook|delivery|product)_fields\((\w+)\)", _fields, sql
    )
    sql = re.sub(r"id_count\(([^()]+)\)", r"((length(\1) + 1) / 37)", sql)
    sql = re.sub(
        r"without\(([\w.]+), ([:$]\w+)\)",
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
    parts: dict[str, str] = {}
    found = {}
    for kind, name, only, body in _pieces():
        sql = _strip(body, engine)
        sql = re.sub(r"part\((\w+)\)", lambda match: parts[match[1]], sql)
        if kind == "part":
            parts[name] = sql
        elif only in (None, form or engine):
            found[name] = _statement(name, for_engine(sql, engine), engine)
    return found


def _pieces() -> Iterator[tuple[str, str, str | None, str]]:
    """What the files have: a name or a part, what it is called, for which engine, and its text."""
    for package in sorted(resources.files("wishwell").iterdir(), key=lambda entry: entry.name):
        for file in package.iterdir() if package.is_dir() else ():
            if file.name.endswith(".sql"):
                pieces = iter(_PIECE.split(file.read_text("utf-8"))[1:])
                yield from zip(pieces, pieces, pieces, pieces, strict=True)


def _statement(name: str, sql: str, engine: Engine) -> Statement:
    if "{direction}" in sql:  # the template of a page, for pages.py
        return Statement((Step(sql.rstrip(";"), ()),), Does.READ)
    steps = []
    for step in filter(None, (piece.strip() for piece in sql.split(";"))):
        word, _, rest = step.partition(" ")
        when = {"then": True, "else": False}.get(word)
        step = step if when is None else rest
        names = tuple(dict.fromkeys(_ARGUMENT.findall(step)))
        if names:
            for at, argument in enumerate(names, 1):
                mark = "?" if engine == "sqlite" else "$"
                step = re.sub(rf"(?<!:):{argument}\b", f"{mark}{at}", step)
            steps.append(Step(step, names, when))
            continue
        # Drivers expect arguments numbered from 1 without gaps.
        numbers = sorted({int(number) for number in re.findall(r"[$?](\d+)", step)})
        for at, number in enumerate(numbers, 1):
            step = re.sub(rf"([$?]){number}\b", rf"\g<1>{at}", step)
        steps.append(Step(step, tuple(number - 1 for number in numbers), when))
    if not re.search(r"\b(INSERT|UPDATE|DELETE)\b", sql):
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
