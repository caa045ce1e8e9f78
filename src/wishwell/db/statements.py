"""Loads the ``.sql`` files of all packages as named statements for an engine.

Each package has its SQL next to its code. Arguments are named, `:profile`, and passed by name.
``python -m wishwell.db postgresql item_save`` prints a statement as it runs.

* A line that ends in `--postgresql` or `--sqlite` is for that engine only, and one that ends in
  `--cluster` or `--single` only for a cluster or a single server. Where `-- name: x for sqlite` has
  several steps, each ending in `;`, `-- name: x for postgresql` does the same in one statement,
  because there each one is a network round trip.
* A line that ends in `--shown` is only in a second statement, `item_save_shown`, because a save
  that doesn't ask for the product's data would pay for the subqueries.
* `-- of: lists (profile_id, id), items (profile_id, id)` below a name makes a statement for each of
  these tables: in its name and text, `TABLE` becomes the table and `KEY` its key.
* `-- list_fields: id, name` at the head of a file names the columns of a record; `-- lists_filled:
  …` names the columns of bulk inserts (``Writer.fill``). `*list_fields` stands for
  another declaration's columns, and `note = ''` gives an initial value, which is also the text that
  ``mapping.to_columns`` stores for None. A bulk insert computes a value that has an argument on
  SQLite, and leaves the column out on PostgreSQL.
* `-- each: id uuid, note` below the name of an UPDATE names the arguments that differ between the
  rows of ``run_many``, with their types if not text. PostgreSQL then gets several rows as JSON and
  runs the statement once, because each run costs some 10 us, and ten times that on a cluster.

Macros expand declarations, and cover differences between the SQL dialects and repeated conditions:

* list_fields(x), lists_filled(x): the columns above, of the table alias x.
* names(list_options): the columns. initial(list_options): the arguments of these names for a new
  row, or the initial values where those are null.
* given(list_options, x): assigns the arguments, except null ones, to the row x.
  changed(list_options, x): the names of the fields that this changes, in camel case, each after a
  space.
* in_uuids(:ids), in_texts(:ids), in_numbers(:ids): membership in an array, passed as texts. After
  equalities, as in `profile_id = :profile AND id in_uuids(:ids)`, the columns are the first of an
  index, and PostgreSQL looks up each key (see ``_expand_lookup``).
* few(x): always true unless x is null. PostgreSQL expects it of one row in 200, so it looks up each
  of the rows in another table, where it would otherwise read all of that.
* owner(:profile): the profile's row, if open, locked. A single-statement write selects from it.
* is_wanted(i): whether the item wasn't bought since it was last saved (rule: purchase-mark).
* shown(x): whether the row's profile isn't being erased; event_shown(e): the same for an event or a
  delivery, except that the event of the erasure itself is always shown.
* next_number(x): an event's position in the feed of store x on SQLite; null on PostgreSQL, where
  positions are assigned after the commit.

COLLATE "C" and casts such as ::text are removed for SQLite, and two functions are renamed: strpos
to instr, json_build_array to json_array.

A statement on a profile's data has profile_id = :profile for every table, so that a cluster runs it
on one shard. An INSERT selects from such a table even if it needs none of its columns, because
other rows would go through the coordinator.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

Engine = Literal["postgresql", "sqlite"]

_NAME = re.compile(r"^-- name: (\w+)(?: for (postgresql|sqlite))?$", re.MULTILINE)
_ARGUMENT = re.compile(r"(?<!:):([a-z_]\w*)")
_FOR_SHOWN = re.compile(r"^.* --shown\n", re.MULTILINE)
_MARK = re.compile(r"--(postgresql|sqlite|cluster|single)\Z")
_EACH = re.compile(r"^-- each: (.+)$", re.MULTILINE)
_EQUAL = r"(?:\w+\.)?(?:store|profile|list|product)_id = :\w+"
_IN = r"(?:\w+\.)?(?:(?:list|item|product)_id|id|hash|number) in_(?:uuids|texts|numbers)\(:\w+\)"
_LOOKUP = re.compile(rf"(?:{_EQUAL} AND )+{_IN}(?: AND {_IN})*")
_LOOKUP_OF_ROWS = re.compile(r"\bprofile_id = (:\w+) AND \S+ = (r\.\w+)")
_CONDITION = re.compile(r"(\S+) (?:= |in_(\w+)s\()(:\w+)")
_BATCH = re.compile(r"IN \(\s*SELECT ((?:\w+\.)?(\w+)[^;]*? LIMIT :limit)\)")
_TABLE = re.compile(r"(\w+)(?: \(([^)]+)\))?(?:, |\Z)")
_FIELDS = re.compile(r"\b(\w+_(?:fields|filled))\((\w+)\)")
_OPTIONS = re.compile(r"\b(names|initial|given|changed)\((\w+)(?:, (\w+))?\)")
_OWNER = (
    r"(SELECT profile_id, store_id, items, lists, shared FROM profiles"
    r" WHERE profile_id = \1 AND closed_at IS NULL{})"
)
_SHOWN = (
    (r"\bis_wanted\((\w+)\)", r"(\1.purchased = '')"),
    (r"\bevent_shown\((\w+)\)", r"(\1.type = 'profile.erased' OR shown(\1))"),
    (
        r"\bshown\((\w+)\)",
        r"NOT EXISTS (SELECT 1 FROM erasures x"
        r" WHERE x.profile_id = \1.profile_id AND x.done_at IS NULL)",
    ),
)
_MACROS = {
    "postgresql": (
        *_SHOWN,
        # Passed as text[], because for other array types the driver first looks up the type on
        # each new connection.
        (r"in_uuids\((:\w+)\)", r"= ANY(\1::text[]::uuid[])"),
        (r"in_texts\((:\w+)\)", r"= ANY(\1::text[])"),
        (r"in_numbers\((:\w+)\)", r"= ANY(\1::text[]::bigint[])"),
        (r"next_number\([\w.:]+\)", "NULL::bigint"),
        (r"\bfew\(([\w.]+)\)", r"\1::text = \1::text || ''"),
        (r"owner\((:\w+)\)", _OWNER.format(" FOR NO KEY UPDATE")),
    ),
    "sqlite": (
        *_SHOWN,
        (r"in_(?:uuids|texts|numbers)\((:\w+)\)", r"IN (SELECT value FROM json_each(\1))"),
        (
            r"next_number\(([\w.:]+)\)",
            r"1 + coalesce((SELECT max(e.number) FROM events e WHERE e.store_id = \1"
            r" AND e.number IS NOT NULL), (SELECT max(f.last, f.removed) FROM feeds f"
            r" WHERE f.store_id = \1), 0)",
        ),
        (r"owner\((:\w+)\)", _OWNER.format("")),
        (r"\bfew\(([\w.]+)\)", r"\1 IS NOT NULL"),
        (r"\bstrpos\(", "instr("),
        (r"\bjson_build_array\(", "json_array("),
        (r' COLLATE "C"', ""),
        (r"::\w+(?:\[\])?", ""),
    ),
}


class Effect(Enum):
    """The effect of a statement. A name that ends in ``_lock``, or a SELECT … FOR UPDATE, locks."""

    READ = 1
    LOCK = 2
    WRITE = 3


class Step(NamedTuple):
    """SQL for the driver. ``param_names``: the names of the numbered arguments, in order."""

    sql: str
    param_names: tuple[str, ...]

    def values(self, params: Mapping[str, Any]) -> Sequence[Any]:
        """Returns the arguments in the order of ``param_names``."""
        return list(map(params.__getitem__, self.param_names))


class Statement(NamedTuple):
    """A named statement. If it has several steps, the result is that of the last with rows.

    ``batch``: the statement for several rows, which takes their JSON as `rows`, if it has one.
    """

    steps: tuple[Step, ...]
    effect: Effect
    batch: Step | None = None

    @property
    def step(self) -> Step:
        """The only step."""
        (step,) = self.steps
        return step

    def runs(self, rows: Sequence[Mapping[str, Any]]) -> tuple[Step, list[Sequence[Any]]]:
        """Returns what runs for these rows, with the arguments of each run."""
        if self.batch is None or len(rows) <= 1:
            return self.step, [self.step.values(row) for row in rows]
        params = {**rows[0], "rows": msgspec.json.encode(rows).decode()}
        return self.batch, [self.batch.values(params)]


# rule: engines-alike
@functools.cache
def load(engine: Engine, *, distributed: bool = False) -> Mapping[str, Statement]:
    """Returns an engine's statements by name, except for page templates.

    ``distributed``: whether they are for a cluster.
    """
    return {
        name: _parse_statement(name, text, engine, distributed=distributed)
        for name, only, text in _split_statements()
        if only in (None, engine) and not name.endswith("_page")
    }


def for_server(sql: str, engine: Engine, *, distributed: bool) -> str:
    """Returns a statement with its lookups. A cluster routes it by `profile_id = :profile`."""
    return sql if distributed or engine == "sqlite" else _LOOKUP.sub(_expand_lookup, sql)


# rule: lookup-cost
def _expand_lookup(match: re.Match[str]) -> str:
    """Returns conditions on an index's columns so that PostgreSQL reads only the rows of the keys.

    With = ANY it may read all rows of the profile instead, and filter them, because most profiles
    have few. OFFSET 0 hides the profile, so that no index can be read by that alone.
    """
    columns: list[str] = []
    values: list[str] = []
    arrays: list[str] = []
    for column, type_, argument in _CONDITION.findall(match[0]):
        columns.append(column)
        if type_:
            values.append(f"k{len(arrays)}.key::{'bigint' if type_ == 'number' else type_}")
            arrays.append(f"unnest({argument}::text[]) AS k{len(arrays)} (key)")
        else:
            values.append(f"{argument}::{'text' if column.endswith('product_id') else 'uuid'}")
    few = " AND ".join(f"few(k{number}.key)" for number in range(len(arrays)))
    return (
        f"({', '.join(columns)}) IN (SELECT {', '.join(values)} FROM {', '.join(arrays)}"  # noqa: S608
        f" WHERE {few} OFFSET 0)"
    )


@functools.cache
def template(name: str) -> str:
    """Returns the first part of a page's SQL, which ``pages.py`` completes."""
    [body] = [body for page, _, body in _split_statements() if page == name]
    return select_lines(body, "postgresql").rstrip(";")


def step(
    sql: str,
    engine: Engine,
    param_names: Sequence[str] | None = None,
    each: Mapping[str, str] = MappingProxyType({}),
    *,
    distributed: bool = False,
) -> Step:
    """Returns a statement for the driver, with macros expanded and arguments numbered.

    ``param_names``: the order of the arguments; by default that of their first use. ``each``: the
    types of the arguments that come as the rows of a JSON array.
    """
    sql = _OPTIONS.sub(_expand_options, _FIELDS.sub(_expand_fields, sql))
    if each:
        sql = _update_from_rows(sql, each, distributed=distributed)
    for pattern, replacement in _MACROS[engine]:
        sql = re.sub(pattern, replacement, sql)
    names = tuple(param_names or dict.fromkeys(_ARGUMENT.findall(sql)))
    mark = "?" if engine == "sqlite" else "$"
    sql = _ARGUMENT.sub(lambda match: f"{mark}{names.index(match[1]) + 1}", sql)
    return Step(sql, names)


def _update_from_rows(sql: str, each: Mapping[str, str], *, distributed: bool) -> str:
    """Returns an UPDATE of several rows, whose arguments ``each`` come as JSON."""
    sql = re.sub(rf"(?<!:):({'|'.join(each)})\b", r"r.\1", sql)
    rows = ", ".join(f"{name} {type_}" for name, type_ in each.items())
    rows = f"json_to_recordset(:rows::json) AS r ({rows})"
    if not distributed:  # as in _expand_lookup
        [(profile, key)] = _LOOKUP_OF_ROWS.findall(sql)
        rows = f"(SELECT {profile}::uuid AS owner, r.* FROM {rows} WHERE few({key}) OFFSET 0) AS r"  # noqa: S608
        sql = sql.replace(f"profile_id = {profile}", "profile_id = r.owner", 1)
    return sql.replace("\nWHERE", f"\nFROM {rows}\nWHERE", 1)


def _parse_each(body: str) -> dict[str, str]:
    """Returns the types of a statement's arguments that differ between rows, by name."""
    match = _EACH.search(body)
    types: dict[str, str] = {}
    for part in match[1].split(", ") if match else ():
        name, _, type_ = part.partition(" ")
        for column in _parse_declaration(name[1:]) if name[0] == "*" else (name,):
            types.setdefault(column, type_ or "text")
    return types


@functools.cache
def columns(name: str) -> tuple[str, ...]:
    """Returns the columns that a file declares, such as ``list_fields`` or ``lists_filled``."""
    return tuple(_parse_declaration(name))


@functools.cache
def text_columns(name: str) -> frozenset[str]:
    """Returns the columns of a declaration whose missing value is an empty text."""
    return frozenset(
        column for column, initial in _parse_declaration(name).items() if initial == "''"
    )


@functools.cache
def _parse_declaration(name: str) -> Mapping[str, str | None]:
    """Returns a declaration's columns, each with its initial value in SQL, or ``None``."""
    [parts] = re.findall(f"^-- {name}: (.+)$", _read_files(), re.MULTILINE)
    initial_values: dict[str, str | None] = {}
    for part in parts.split(", "):
        column, _, initial = part.partition(" = ")
        initial_values |= (
            _parse_declaration(column[1:]) if column[0] == "*" else {column: initial or None}
        )
    return initial_values


def name_columns(declaration: str, row: Sequence[Any]) -> dict[str, Any]:
    """Returns a row's values by column name. See ``columns``."""
    return dict(zip(columns(declaration), row, strict=True))


@functools.cache
def build_insert(table: str, engine: Engine) -> Step:
    """Returns the INSERT for ``Writer.fill``. Its arguments are named like the columns."""
    declared = _parse_declaration(f"{table}_filled")
    computed = {name: initial for name, initial in declared.items() if initial and ":" in initial}
    names = [name for name in declared if engine == "sqlite" or name not in computed]
    values = ", ".join(computed.get(name, f":{name}") for name in names)
    return step(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})", engine)  # noqa: S608


def _expand_fields(match: re.Match[str]) -> str:
    return ", ".join(f"{match[2]}.{column}" for column in columns(match[1]))


def _expand_options(match: re.Match[str]) -> str:
    macro, name, row = match.groups()
    if macro == "names":
        return ", ".join(columns(name))
    if macro == "initial":
        return ", ".join(
            f":{column}" if initial is None else f"coalesce(:{column}, {initial})"
            for column, initial in _parse_declaration(name).items()
        )
    if macro == "given":
        return ", ".join(f"{name} = coalesce(:{name}, {row}.{name})" for name in columns(name))
    return " || ".join(
        f"CASE WHEN :{name} <> {row}.{name} THEN ' {_to_camel(name)}' ELSE '' END"
        for name in columns(name)
    )


def _to_camel(column: str) -> str:
    first, *rest = column.split("_")
    return first + "".join(map(str.title, rest))


def _split_statements() -> Iterator[tuple[str, str, str]]:
    """Yields each statement's name, engine (``None`` for both) and text."""
    pieces = iter(_NAME.split(_read_files())[1:])
    for name, engine, text in zip(pieces, pieces, pieces, strict=True):
        tables = ", ".join(re.findall(r"^-- of: (.+?),?$", text, re.MULTILINE))
        for table, key in _TABLE.findall(tables) or [("TABLE", "KEY")]:
            body = text.replace("TABLE", table).replace("KEY", key)
            yield name.replace("TABLE", table), engine, _FOR_SHOWN.sub("", body)
            if _FOR_SHOWN.search(body):
                yield f"{name}_shown", engine, body.replace(" --shown\n", "\n")


@functools.cache
def _read_files() -> str:
    """Returns the text of all ``.sql`` files except migrations."""
    files = sorted(Path(__file__).parents[1].rglob("*.sql"))
    return "\n".join(file.read_text("utf-8") for file in files if "migrations" not in file.parts)


def _parse_statement(name: str, text: str, engine: Engine, *, distributed: bool) -> Statement:
    each = _parse_each(text) if engine == "postgresql" else {}
    sql = select_lines(text, engine, distributed=distributed)
    sql = for_server(sql, engine, distributed=distributed)
    if engine == "postgresql" and not distributed:
        sql = _BATCH.sub(r"IN (SELECT * FROM (SELECT \1) AS k WHERE few(k.\2))", sql)
    pieces = filter(None, map(str.strip, sql.split(";")))
    steps = [step(piece, engine) for piece in pieces]
    if not re.search(r"\b(INSERT|UPDATE|DELETE)\b", " ".join(part.sql for part in steps)):
        return Statement(tuple(steps), Effect.READ)
    locks = name.endswith("_lock") or sql.startswith("SELECT")
    effect = Effect.LOCK if locks else Effect.WRITE
    whole = sql.rstrip(";")
    batch = step(whole, engine, each=each, distributed=distributed) if each else None
    return Statement(tuple(steps), effect, batch)


def select_lines(text: str, engine: Engine, *, distributed: bool = False) -> str:
    """Returns the lines of a text that apply to an engine, without comments."""
    marks = (engine, "cluster" if distributed else "single")
    lines = []
    for line in text.splitlines():
        mark = _MARK.search(line)
        if not line.startswith("--") and (mark is None or mark[1] in marks):
            lines.append(_MARK.sub("", line).rstrip())
    return "\n".join(lines).strip()
