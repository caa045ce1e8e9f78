"""Writes to one SQLite file: processes take turns, and writes share commits."""

from __future__ import annotations

import asyncio
import itertools
import re
import subprocess
import sys
import threading
from subprocess import PIPE

import pytest

from wishwell.db import migrate
from wishwell.db.sqlite.database import SQLite

# Logs its name at each write, with `!` if the other process waits, which holds the first byte then.
WRITER = """
import fcntl, sys, time
from wishwell.db.sqlite.turnstile import Turnstile
turn, log = Turnstile(sys.argv[1]), open(sys.argv[1] + ".log", "a")
file = open(sys.argv[1] + "-turn", "r+")

def is_waited_for():
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
    except OSError:
        return True
    fcntl.lockf(file, fcntl.LOCK_UN, 1, 0)
    return False

print("ready", flush=True)
sys.stdin.readline()
for _ in range(100):
    with turn:
        time.sleep(0.002)
        log.write(sys.argv[2] + "!" * is_waited_for()); log.flush()
"""


def test_process_that_has_just_written_waits_for_the_others(tmp_path):
    """A process that has just written waits for those that were waiting. Rule: fair-queueing."""
    database = tmp_path / "wishwell.db"
    words = (sys.executable, "-c", WRITER, str(database))
    writers = [
        subprocess.Popen([*words, name], stdin=PIPE, stdout=PIPE, text=True) for name in "AB"
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    log = (tmp_path / "wishwell.db.log").read_text()
    writes = re.findall("([AB])(!?)", log)
    assert len(writes) == 200
    # On a busy machine a process may come late, and the other writes several times until then.
    followed = [(name, then) for (name, waits), (then, _) in itertools.pairwise(writes) if waits]
    assert len(followed) > 20, log
    assert all(name != then for name, then in followed), log
    assert (database.parent / "wishwell.db-turn").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("write_seconds", "commits"), [(0.02, 5), (0, 1)])
def test_group_ends_before_the_write_that_would_exceed_its_time(
    tmp_path, monkeypatch, write_seconds, commits
):
    """Writes that arrive together share a commit only while the next one, if it takes the average, ends in time.
    Rule: fair-queueing."""
    monkeypatch.setattr("wishwell.db.sqlite.database._GROUP_SECONDS", 0.03 if write_seconds else 60)
    database = str(tmp_path / "wishwell.db")
    migrate.migrate_sqlite(database)

    async def check():
        db, blocked = SQLite(database), threading.Event()

        async def wait(_):
            blocked.wait(60)
            threading.Event().wait(write_seconds)

        async def work(_):
            threading.Event().wait(write_seconds)

        try:
            first = asyncio.create_task(db.write(wait))
            await asyncio.sleep(0)
            others = [asyncio.create_task(db.write(work)) for _ in range(4)]
            await asyncio.sleep(0)
            blocked.set()
            await asyncio.gather(first, *others)
            return db.stats().commits
        finally:
            await db.close()

    assert asyncio.run(check()) == commits
