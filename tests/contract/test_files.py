"""The embedded database's file: exactly the configured one, readable by its owner only."""

import asyncio
import os
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from wishwell import config, ids, stores
from wishwell.access import key_files
from wishwell.db import migrate
from wishwell.db.sqlite import sqlite_file
from wishwell.errors import Misconfigured
from wishwell.server import opening

NEW = [entry.name for entry in migrate.available("sqlite")]


def settings_for(url: str) -> config.Settings:
    return config.load({"WISHWELL_DATABASE_URL": url})


def files_in(folder: bytes) -> dict[bytes, str]:
    """Returns a folder's files with their modes."""
    return {
        name: oct(stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode))
        for name in os.listdir(folder)
    }


async def use_database(mine: config.Settings) -> list[str]:
    """Opens the database as `serve` does, writes, and reads it back."""
    db = opening.open_database(mine)
    try:
        await db.write(stores.ensure_default, ids.UUID7()(), ids.timestamp(ids.wall_clock()))
        return [store.handle for store in await db.read(stores.listed)]
    finally:
        await db.close()


@strategies.examples(12)
@given(name=strategies.file_names, relative=st.booleans())
def test_database_url_opens_exactly_the_file_that_it_names(name, relative):
    """Any file name that a file system allows in a URL opens exactly that file, with mode 600."""
    before, umask = os.getcwd(), os.umask(0)
    with tempfile.TemporaryDirectory() as place:
        folder = os.fsencode(place)
        os.chdir(folder)
        try:
            path = name if relative else os.path.join(folder, name)
            if relative and name == b":memory:":
                path = b"./:memory:"
            mine = settings_for(f"sqlite:///{quote(path)}")
            real = config.sqlite_path(mine.database_url)
            assert migrate.pending_sqlite(real) == NEW
            assert os.listdir(folder) == []
            assert migrate.migrate_sqlite(real) == NEW
            assert migrate.pending_sqlite(real) == []
            assert asyncio.run(use_database(mine)) == ["default"]
            key_files.make_embedded_key(real)
            assert opening.signing_keys(mine) == opening.signing_keys(mine)
            found = files_in(folder)
            assert {name, name + b".key"} <= found.keys()
            assert found.keys() <= {
                name + more for more in (b"", b".key", b"-wal", b"-shm", b"-turn")
            }
            assert set(found.values()) == {"0o600"}
        finally:
            os.umask(umask)
            os.chdir(before)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("sqlite:///a.db?mode=ro", "%3F"),
        ("sqlite:///a%00b.db", "sqlite:///wishwell.db"),
        ("sqlite:///:memory:", "sqlite:///wishwell.db"),
        ("sqlite://", "sqlite:///wishwell.db"),
        ("sqlite:a.db", "sqlite:///wishwell.db"),
        ("sqlite://host/a.db", "sqlite:///wishwell.db"),
        ("SQLITE:///a.db", "sqlite:///"),
    ],
)
def test_ambiguous_database_url_is_refused_with_the_right_spelling(url, says):
    """An ambiguous database URL is refused, and the message shows how to write it."""
    with pytest.raises(Misconfigured, match=r"^WISHWELL_DATABASE_URL [^\n]*$") as refusal:
        settings_for(url)
    assert says in refusal.value.message


def test_start_makes_the_files_readable_by_their_owner_only(tmp_path):
    """At start the file, and those that SQLite puts next to it, become readable by their owner
    only."""
    path = tmp_path / "restored.db"
    migrate.migrate_sqlite(str(path))
    open_ = sqlite_file.connect(str(path))
    open_.execute("BEGIN IMMEDIATE")
    open_.execute("ROLLBACK")
    beside = sorted(tmp_path.glob("restored.db*"))
    assert len(beside) == 3
    for file in beside:
        file.chmod(0o666)
    assert migrate.migrate_sqlite(str(path)) == []
    assert {oct(stat.S_IMODE(file.stat().st_mode)) for file in beside} == {"0o600"}
    open_.close()


@pytest.mark.parametrize("kind", ["folder", "device", "pipe", "nowhere", "text"])
def test_path_that_is_not_a_database_is_refused_and_unchanged(tmp_path, kind):
    """A path that isn't a database is refused in one line; nothing is created, and no mode changes."""
    path = {
        "folder": tmp_path / "folder",
        "device": Path("/dev/null"),
        "pipe": tmp_path / "pipe",
        "nowhere": tmp_path / "none" / "wishwell.db",
        "text": tmp_path / "text",
    }[kind]
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no database at all\n" * 200)
    os.mkfifo(tmp_path / "pipe")
    there = sorted(tmp_path.rglob("*"))
    mode = path.stat().st_mode if path.exists() else None
    with pytest.raises(Misconfigured, match="can't be") as refusal:
        migrate.migrate_sqlite(str(path))
    assert str(path) in refusal.value.message and "\n" not in refusal.value.message
    assert sorted(tmp_path.rglob("*")) == there
    assert (path.stat().st_mode if path.exists() else None) == mode
