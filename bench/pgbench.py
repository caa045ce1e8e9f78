"""The engine's own limit: the service's statements through pgbench, with no Python at all."""

import re
import subprocess
from pathlib import Path
from typing import Any

from tests.servers import PostgresServer, postgres_binaries
from wishwell.db import pages, statements
from wishwell.db.pages import PageQuery
from wishwell.db.statements import Step

_SQL = statements.load("postgresql")
_PAGE = pages.step("postgresql", PageQuery("items", whole_store=False))
_SAVED = pages.step("postgresql", PageQuery("items", whole_store=False, terms=("product",)))
_PROFILE = "(SELECT profile FROM bench_owner WHERE n = :n)"
_ITEM = "(SELECT item FROM bench_owner WHERE n = :n)"
_LIST = "(SELECT list FROM bench_owner WHERE n = :n)"
_NOW = "to_char(clock_timestamp(), 'YYYY-MM-DD')"

_OWNED = {"profile": _PROFILE, "owner": _PROFILE, "limit": "51", "term_0": "'{7,8,9,1001}'"}
_SAVE = {"id": "gen_random_uuid()", "product": "(:product)::text", "variant": "''"}

SCRIPTS: dict[str, tuple[Step, dict[str, str]]] = {
    "page": (_PAGE, _OWNED),
    "saved": (_SAVED, _OWNED),
    "item": (_SQL["item_find"].step, {**_OWNED, "id": _ITEM}),
    "list": (_SQL["list_with_items"].step, {**_OWNED, "id": _LIST}),
    "post": (
        _SQL["item_save"].step,
        {**_OWNED, **_SAVE, "quantity": ":quantity", "now": _NOW, "most": "5000"},
    ),
    "patch": (
        _SQL["item_change"].step,
        {"profile": _PROFILE, "id": _ITEM, "quantity": ":product", "now": _NOW},
    ),
}
"""Workload to statement and what stands for its arguments, NULL for the others. The look-up of a random owner costs it
something: the limit is a little higher than what is shown."""


class Limit:
    """pgbench on the database that the service is measured on."""

    def __init__(self, server: PostgresServer, url: str, owners: Path) -> None:
        self._url = url
        rows = [line.split() for line in owners.read_text().splitlines()]
        self._count = len(rows)
        database = url.rpartition("/")[2]
        server.sql("CREATE TABLE bench_owner (n int PRIMARY KEY, profile uuid, item uuid, list uuid)",
                   database)  # fmt: skip
        for at in range(0, len(rows), 500):
            values = ", ".join(
                f"({number}, '{profile}', '{item}', '{found}')"
                for number, (_, profile, item, found) in enumerate(rows[at : at + 500], at + 1)
            )
            server.sql(f"INSERT INTO bench_owner VALUES {values}", database)
        server.sql("VACUUM ANALYZE bench_owner", database)
        self._folder = owners.parent

    def run(self, work: str, seconds: int) -> dict[str, Any]:
        """32 clients, prepared statements; transactions a second and the mean latency."""
        statement, given = SCRIPTS[work]
        takes = statement.takes
        sql = re.sub(
            r"\$(\d+)",
            lambda mark: given.get(takes[int(mark[1]) - 1], "NULL"),
            statement.sql,
        )
        script = self._folder / f"{work}.pgbench"
        script.write_text(
            f"\\set n random(1, {self._count})\n\\set product random(1, 30)\n"
            "\\set quantity random(1, 1000)\n"
            + " ".join(sql.split()) + ";\n"
        )  # fmt: skip
        command = [
            str(postgres_binaries() / "pgbench"), "--no-vacuum", "--protocol=prepared",
            "--client=32", "--jobs=1", f"--time={seconds}", f"--file={script}", self._url,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rate = re.search(r"tps = ([0-9.]+)", done.stdout)
        latency = re.search(r"latency average = ([0-9.]+) ms", done.stdout)
        assert rate and latency, done.stderr
        mean = float(latency[1])
        return {"rate": float(rate[1]), "p50_ms": mean, "p99_ms": None, "count": 0}
