"""Prints a statement's SQL: ``python -m wishwell.db postgresql item_find id=… profile=…``.

Arguments without a value are printed as variables of ``psql`` and ``sqlite3``. Without a statement,
prints the names of all statements.
"""

import re
import sys
from typing import get_args

from wishwell.db import statements
from wishwell.db.statements import Engine, Step


def format_step(step: Step, engine: Engine, values: dict[str, str]) -> str:
    """Returns a statement to run by hand, with the given values or else named variables."""

    def substitute(match: re.Match[str]) -> str:
        name = step.param_names[int(match[1]) - 1]
        value = values.get(name)
        if value is None:
            return f":'{name}'" if engine == "postgresql" else f":{name}"
        quoted = value.replace("'", "''")
        return "NULL" if value == "NULL" else f"'{quoted}'"

    return re.sub(r"[$?](\d+)", substitute, step.sql) + ";"


def main(arguments: list[str]) -> str:
    """Returns the text to print. Raises ``SystemExit`` for bad usage or an unknown statement."""
    if not arguments or arguments[0] not in get_args(Engine):
        sys.exit("Usage: python -m wishwell.db postgresql|sqlite [STATEMENT [ARGUMENT=VALUE …]]")
    engine: Engine = "sqlite" if arguments[0] == "sqlite" else "postgresql"
    loaded = statements.load(engine)
    if len(arguments) == 1:
        return "\n".join(loaded)
    if arguments[1] not in loaded:
        sys.exit(f"No statement has the name {arguments[1]}.")
    values = dict(text.partition("=")[::2] for text in arguments[2:])
    return "\n\n".join(format_step(step, engine, values) for step in loaded[arguments[1]].steps)


if __name__ == "__main__":
    print(main(sys.argv[1:]))  # noqa: T201
