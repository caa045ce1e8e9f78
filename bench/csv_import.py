"""Another app's export that is imported: `python -m bench.csv_import`, some minutes for each engine.

Writes a file in which a customer has ten rows on average, anywhere in it, and imports it into an
empty store. Printed are the seconds that passed, those of processor time of the command and of
PostgreSQL, and the most memory that the command had; then the same for the file again.
"""

import argparse
import contextlib
import csv
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

from bench.targets import STORE, Shop, run, with_children
from tests.servers import PostgresServer
from wishwell import ids

MAP = "customer=Customer ID,product=Product,variant=Variant,list=List,quantity=Qty,note=Note,saved=Added,email=Email"
BEGIN = ids.from_timestamp("2021-01-01T00:00:00.000Z")


def write(path: Path, rows: int) -> None:
    chance = random.Random(5)
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        out = csv.writer(file, delimiter=";")
        out.writerow(("Customer ID", "Email", "Product", "Variant", "List", "Qty", "Note", "Added"))
        for number in range(rows):
            who, product = chance.randrange(rows // 10 + 1) + 1, chance.randrange(50_000) + 1
            name = ("", "Birthday", "Für später", "Wishes")[chance.randrange(4)]
            note = "" if number % 10 else 'A note, with a "quote"'
            added = ids.timestamp(BEGIN + number * 100_000 + chance.randrange(10**9))
            email, variant = f"c{who}@shop.example", 1_000_000 + product * 10 + number % 3
            out.writerow((who, email, product, variant, name, number % 3 + 1, note, added))


def imported(shop: Shop, server: PostgresServer, path: Path) -> str:
    command = [str(shop.command), "import", str(path), "--store", STORE, "--map", MAP]
    before, begun = with_children(server.process.pid), time.monotonic()
    process = subprocess.Popen(command, env=shop.environment, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    took = time.monotonic() - begun
    if status:
        raise RuntimeError(f"the import ended with {status}")
    return (
        f"{took:.0f} s, processor {used.ru_utime + used.ru_stime:.0f} s and the server "
        f"{with_children(server.process.pid) - before:.0f} s, at most {used.ru_maxrss // 1024} MiB"
    )


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.csv_import", description=__doc__)
    words.add_argument("--rows", type=int, default=1_000_000)
    words.add_argument("--engine", choices=("SQLite", "PostgreSQL"), action="append")
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, PostgresServer(fsync=True) as server:
        path = Path(folder) / "wishes.csv"
        write(path, chosen.rows)
        for engine in chosen.engine or ["PostgreSQL", "SQLite"]:
            with contextlib.closing(Shop(engine, server)) as shop:
                for times in ("first", "again"):
                    print(f"{engine:10} {times} {imported(shop, server, path)}", flush=True)


if __name__ == "__main__":
    run(main)
