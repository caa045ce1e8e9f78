"""Several processes on one SQLite file: they take turns to write, and share its time fairly."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import subprocess
import sys
import time
from subprocess import PIPE

from wishwell import ids, stores
from wishwell.db import migrate
from wishwell.db.sqlite.database import SQLite
from wishwell.db.sqlite.turnstile import Turnstile
from wishwell.fairness.fair_queue import Contention

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

CONTENDED = """
import sys
from wishwell.db.sqlite.turnstile import Turnstile
turn = Turnstile(sys.argv[1])
for line in sys.stdin:
    with turn:
        print(turn.is_contended_elsewhere(line == "contended\\n"), flush=True)
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


@contextlib.contextmanager
def another_process(database):
    """Yields a function by which another process tells whether its queues are contended, and returns what it learns
    about those of the others."""
    words = (sys.executable, "-c", CONTENDED, str(database))
    with subprocess.Popen(words, stdin=PIPE, stdout=PIPE, text=True) as it:

        def tell(here):
            it.stdin.write(("contended" if here else "calm") + "\n")
            it.stdin.flush()
            return it.stdout.readline() == "True\n"

        try:
            yield tell
        finally:
            it.stdin.close()


def test_process_knows_whether_queues_of_another_are_contended(tmp_path):
    """A process learns whether another's queues are contended, until that process ends. Its own don't count.
    Rule: fair-queueing."""
    database = tmp_path / "wishwell.db"
    turn = Turnstile(str(database))

    def tell(here):
        with turn:
            return turn.is_contended_elsewhere(here)

    with another_process(database) as other:
        for here, there in itertools.product([False, True], repeat=2):
            other(there)
            assert tell(here) is there
            assert other(there) is here
        assert tell(True) and other(True)
    assert not tell(True) and not tell(False)
    turn.close()


def test_writes_are_committed_in_short_groups_while_another_process_is_contended(
    tmp_path, monkeypatch
):
    """A process whose own queue has only one party's writes keeps another process waiting for a short group at most.
    Rule: fair-queueing."""
    monkeypatch.setattr("wishwell.db.sqlite.database._SHORT_GROUP_SECONDS", 0)
    monkeypatch.setattr("wishwell.db.sqlite.database._GROUP_SECONDS", 60)
    database = str(tmp_path / "wishwell.db")
    migrate.migrate_sqlite(database)

    async def commits():
        db = SQLite(database)
        new, now = ids.UUID7(), ids.timestamp(ids.wall_clock())
        try:
            await asyncio.gather(*(db.write(stores.ensure_default, new(), now) for _ in range(200)))
            return db.stats().commits
        finally:
            await db.close()

    with another_process(database) as other:
        assert asyncio.run(commits()) < 100
        other(True)
        assert asyncio.run(commits()) == 200


def test_idle_process_does_not_keep_others_at_short_groups(tmp_path, monkeypatch):
    """A process whose queues were contended, and that has nothing to write since, tells the others that they no longer
    are. Rule: fair-queueing."""
    # The queues stay contended, and the process waits as long for its next write, until the other
    # process has learnt it, however slow the machine is.
    monkeypatch.setattr("wishwell.fairness.fair_queue.CONTENDED_SECONDS", 3600)
    monkeypatch.setattr("wishwell.db.sqlite.database.CONTENDED_SECONDS", 3600)
    database = str(tmp_path / "wishwell.db")
    migrate.migrate_sqlite(database)

    async def check(other):
        contention = Contention()
        db = SQLite(database, contention=contention)
        try:
            contention.note()
            now = ids.timestamp(ids.wall_clock())
            await db.write(stores.ensure_default, ids.UUID7()(), now)
            assert other(False)
            monkeypatch.setattr("wishwell.db.sqlite.database.CONTENDED_SECONDS", 0.1)
            await db.write(stores.ensure_default, ids.UUID7()(), now)
            end = time.monotonic() + 30
            while other(False):
                assert time.monotonic() < end
                await asyncio.sleep(0.1)
        finally:
            await db.close()

    with another_process(database) as other:
        asyncio.run(check(other))
