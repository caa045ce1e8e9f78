"""Upgrade, and back out: this program and one with another migration, on one database."""

import os
import re
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.servers import Service, postgres_binaries
from tests.service.test_documents import ROOT, commands, shell

CUSTOMER = "gid://shopify/Customer/1"
NEWEST = "9000_later"


@pytest.fixture(scope="module")
def after(tmp_path_factory) -> Path:
    """The source of a program with one migration more."""
    source = tmp_path_factory.mktemp("after") / "src"
    shutil.copytree(ROOT / "src", source)
    for engine in ("sqlite", "postgresql"):
        file = source / "wishwell" / "db" / "migrations" / engine / f"{NEWEST}.sql"
        file.write_text("ALTER TABLE items ADD COLUMN later text NOT NULL DEFAULT '';\n")
    return source


@pytest.fixture
def both(engine, request, tmp_path, after):
    """This program and the one after it, with the same settings."""
    url = f"sqlite:///{tmp_path}/wishwell.db"
    if engine == "postgresql":
        url = request.getfixturevalue("postgres_server").create_database()
    settings = {"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": "k" * 40}
    old, new = Service(settings), Service(settings, env={"PYTHONPATH": str(after)})
    yield old, new
    old.close()
    new.close()


def fill(http) -> None:
    """Two items, one of them on a list."""
    kept = http.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    body = {"productId": 1, "quantity": 2, "tags": ["gift"], "listIds": [kept]}
    assert http.post("/items", json=body).status_code == 201
    assert http.post("/items", json={"productId": 2, "variantId": 3}).status_code == 201


def everything(http) -> list:
    """What a profile holds, as it is answered."""
    return [http.get(path).json()["data"] for path in ("/items", "/lists")]


def products(http) -> set[int]:
    return {item["productId"] for item in http.get("/items").json()["data"]}


def backup(service: Service, url: str) -> None:
    if url.startswith("sqlite"):
        [line] = [line for line in commands("docs/operations.md", "## Backup") if "VACUUM" in line]
        path = url.removeprefix("sqlite:///")
        line = line.replace(".venv/bin/python", sys.executable).replace("wishwell.db", path)
        shell(service, [line])
    else:
        shell(service, [_document(r"`(pg_dump [^`]+)`")], PATH=_postgres_path())


def restore(service: Service, url: str) -> None:
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        shutil.copy(service.folder / "backup.db", path)
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    else:
        lines = [_document(r"`(psql [^`]+)`"), _document(r"`(pg_restore [^`]+)`")]
        shell(service, lines, PATH=_postgres_path())


def _document(pattern: str) -> str:
    [found] = re.findall(pattern, (ROOT / "docs" / "operations.md").read_text())
    return found


def _postgres_path() -> str:
    return f"{postgres_binaries()}:{os.environ['PATH']}"


@pytest.mark.slow
def test_upgrade_with_data_and_back_out(both):
    """contract: upgrade-beside. docs/operations.md, Upgrade: the old one serves on, a new start of
    it is refused, and a restored backup is the way back, from which it goes forth again."""
    old, new = both
    url = old.settings["WISHWELL_DATABASE_URL"]
    old.cli("migrate")
    old.start()
    token = old.admin_token()
    here = old.client(token, CUSTOMER)
    fill(here)
    session = old.client(token).post("/profiles/token").json()["data"]
    assert old.client(session["token"]).post("/items", json={"productId": 9}).status_code == 201
    held = everything(here)
    backup(old, url)

    # 3: what it will do, then that; the processes of before serve on.
    assert new.cli("migrate", "--plan").stdout.split() == [NEWEST]
    assert NEWEST in new.cli("migrate").stdout
    assert everything(here) == held
    assert here.post("/items", json={"productId": 4}).status_code == 201

    # 4: both at once, then only the new ones.
    new.start()
    there = new.client(token, CUSTOMER)
    assert products(there) == products(here) == {1, 2, 4}
    assert there.post("/items", json={"productId": 5}).status_code == 201
    assert here.post("/items", json={"productId": 6}).status_code == 201
    assert products(there) == products(here) == {1, 2, 4, 5, 6}
    body = {"customer": CUSTOMER, "session": session["profile"]}
    assert new.client(token).post("/profiles/token", json=body).status_code == 201
    assert products(there) == products(here) == {1, 2, 4, 5, 6, 9}
    old.stop()
    assert products(there) == {1, 2, 4, 5, 6, 9}

    # A new start of the old one is refused, in one line.
    for command in ("serve", "migrate"):
        done = old.cli(command, check=False)
        assert done.returncode == 1
        assert "newer than this program" in done.stderr
        assert done.stderr.count("\n") == 1
    new.stop()

    # The way back: the backup, on which the old one starts.
    restore(old, url)
    old.settings["WISHWELL_PORT"] = "0"
    old.start()
    again = old.client(token, CUSTOMER)
    assert everything(again) == held
    assert old.client(session["token"]).get("/items").status_code == 200
    assert again.post("/items", json={"productId": 7}).status_code == 201

    # And forth again, some other day.
    old.stop()
    assert NEWEST in new.cli("migrate").stdout
    new.settings["WISHWELL_PORT"] = "0"
    new.start()
    assert products(new.client(token, CUSTOMER)) == {1, 2, 7}
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
