"""`wishwell backup`: copies during writes, and refusals."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing

import pytest

from tests.api.conftest import walk
from tests.servers import Service, wait_until
from wishwell.db.sqlite import backup

from .conftest import saving

KEYS = ("wishwell.db.key", "wishwell.db.sealing.key")


def products(http) -> set[int]:
    return {item["productId"] for page in walk(http, "/items", limit=250) for item in page}


def test_backup_during_writes_is_complete_up_to_a_moment():
    """A backup contains all writes acknowledged before it began, and of each writer no write
    without the earlier ones. It can be started, and only its owner can read it.
    Rule: backup-complete."""
    with Service().start() as service:
        token, people = service.admin_token(), [f"gid://shopify/Customer/{n}" for n in range(1, 4)]
        with saving(*(service.client(token, who) for who in people)) as savers:
            for number in range(2):
                before = [{one.product for one in saver.done} for saver in savers]
                said = service.run(
                    ["sh", "-c", f"umask 0; {service.command} backup {number}.db"]
                ).stdout
                assert re.fullmatch(rf"{number}\.db: [\d.]+ MB, verified, took [\d.]+ s\n", said)
        assert all(one.status == 201 for saver in savers for one in saver.done)
        assert (service.folder / "1.db").stat().st_mode & 0o777 == 0o600
        assert not list(service.folder.glob(".*.part"))
        restored = Service()
        for name in KEYS:
            shutil.copy(service.folder / name, restored.folder)
        shutil.copy(service.folder / "1.db", restored.folder / "wishwell.db")
        with restored.start():
            for who, acknowledged in zip(people, before, strict=True):
                there = products(restored.client(token, who))
                assert acknowledged <= there
                assert there == set(range(1, len(there) + 1))


@pytest.mark.slow
def test_backup_refuses_to_overwrite_files_and_leaves_no_partial_ones():
    """A backup refuses an existing file, the database itself, another one's leftovers, a missing
    folder and a full disk. Existing files stay, and no partial file is left.
    Rule: backup-complete."""
    service = Service()
    assert "wishwell.db doesn't exist" in service.cli("backup", "a.db", check=False).stderr
    service.cli("init")
    service.cli("backup", "a.db")
    first = (service.folder / "a.db").read_bytes()
    (service.folder / "link.db").symlink_to("wishwell.db")
    (service.folder / "left.db-wal").write_bytes(b"what the copy would get, too")
    for word, why in (
        ("a.db", "a.db already exists"),
        ("wishwell.db", "already exists"),
        ("link.db", "already exists"),
        ("left.db", "left.db-wal already exists"),
        ("none/a.db", "none doesn't exist, so no backup was made"),
    ):
        done = service.cli("backup", word, check=False)
        assert (done.returncode, why in done.stderr) == (1, True), done.stderr
    full = service.run(["sh", "-c", f"ulimit -f 64; {service.command} backup b.db"])
    assert full.returncode == 1
    assert full.stderr.startswith("wishwell: No backup was made (")
    assert not [*service.folder.glob(".*"), *service.folder.glob("b.db")]
    assert (service.folder / "a.db").read_bytes() == first
    service.cli("backup", os.fsdecode(b"\xff.db"))


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_backup_that_is_stopped_leaves_nothing(ending):
    """A stopped backup leaves no files. Rule: backup-complete."""
    service = Service()
    service.cli("init")
    target = service.folder / "a.db"
    with closing(sqlite3.connect(service.folder / "wishwell.db")) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")  # the copy waits for this lock
        argv = [str(service.command), "backup", "a.db"]
        copying = subprocess.Popen(
            argv,
            cwd=service.folder,
            env=service.environment,
            # Nohup sets it to be ignored
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )
        assert wait_until(lambda: list(service.folder.glob(".*.part")), seconds=60)
        copying.send_signal(ending)
    assert copying.wait(timeout=60) == 1
    assert not target.exists()
    assert not list(service.folder.glob(".*"))


def test_backup_of_postgresql_refers_to_pg_dump(postgres_server):
    """On PostgreSQL the command refers to pg_dump and the documentation."""
    service = Service({"WISHWELL_DATABASE_URL": postgres_server.create_database()})
    done = service.cli("backup", "a.db", check=False)
    assert done.returncode == 1
    assert "pg_dump" in done.stderr
    assert "docs/operations.md#backup-and-restore" in done.stderr


@pytest.mark.slow
def test_backup_of_a_large_file_reports_copying_and_checking(tmp_path):
    """Both steps of a backup report progress, the copy with the share that is done, and a copy of which
    pages were lost is found. Rule: backup-complete."""
    path, copy, reports = str(tmp_path / "a.db"), str(tmp_path / "b.db"), []
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE t (id TEXT PRIMARY KEY, text TEXT)")
        database.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
            "INSERT INTO t SELECT i * 7919 % 200003, printf('%0100d', i) FROM n"
        )
    with backup.copying(path, copy, lambda *report: reports.append(report), full=False):
        assert not os.path.exists(copy)
    assert {step for step, _ in reports} == {"copying", "checking"}
    shares = [share for step, share in reports if step == "copying"]
    assert shares == sorted(shares)
    assert 0 < shares[-1] < 1
    with open(copy, "r+b") as file:
        file.seek(4096 * 40)
        file.write(bytes(4096 * 4))
    assert backup.find_damage(copy, lambda *_: None)


def test_full_backup_of_a_database_with_a_damaged_index_fails():
    """With --full, a backup of a database with a damaged index fails: SQLite copies the index as it is, and
    only an integrity check compares it with the rows. Rule: backup-complete."""
    service = Service()
    service.cli("init")
    file = service.folder / "wishwell.db"
    index = (
        "SELECT (rootpage - 1) * page_size, page_size FROM sqlite_master, pragma_page_size "
        "WHERE name = 'sqlite_autoindex_stores_2'"  # of handles, which are unique
    )
    with closing(sqlite3.connect(file)) as database:
        [(start, size)] = database.execute(index)
    raw = bytearray(file.read_bytes())
    at = raw.index(b"default", start, start + size)
    raw[at] ^= 1  # one bit
    file.write_bytes(raw)
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT handle FROM stores NOT INDEXED").fetchall() == [
            ("default",)
        ]
    done = service.cli("backup", "a.db", "--full", check=False)
    assert (done.returncode, "No backup was made" in done.stderr) == (1, True), done.stderr
    assert "missing from index" in done.stderr
    assert not [*service.folder.glob("a.db*"), *service.folder.glob(".*.part")]
