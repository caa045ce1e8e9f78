"""A backup of a database whose damage shows only in a check of the whole copy."""

import sqlite3
from contextlib import closing

from tests.servers import Service


def test_backup_of_a_database_with_a_damaged_index_fails():
    """A backup of a database with a damaged index fails: SQLite copies the index as it is, and only an
    integrity check reads it. Rule: backup-complete."""
    service = Service()
    service.cli("migrate")
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
    done = service.cli("backup", "a.db", check=False)
    assert (done.returncode, "No backup was made" in done.stderr) == (1, True), done.stderr
    assert "missing from index" in done.stderr
    assert not [*service.folder.glob("a.db*"), *service.folder.glob(".*.part")]
