"""The commands that the documents show, run as they stand there."""

import json
import os
import re
import sqlite3
import subprocess
import time
from pathlib import Path

import httpx2
import jwt
import pytest

from tests.servers import Service, postgres_binaries, wait_until

ROOT = Path(__file__).parents[2]


def commands(document, heading):
    """The indented lines of a section."""
    text = (ROOT / document).read_text()
    section = re.split(r"^#+ ", text.split(heading, 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return [line[4:] for line in section.splitlines() if line.startswith("    ")]


def shell(service, lines, **more):
    environment = service.environment | {"PATH": f"{service.command.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        cwd=service.folder,
        env=environment | more,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answers(output):
    """The values of a text of JSON after JSON."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(output.rstrip()):
        value, at = decoder.raw_decode(output, at)
        found.append(value)
    return found


def test_first_five_minutes_of_the_readme():
    """Visitor, list, save, search, sign-in: each line as pasted; the list follows."""
    with Service().start() as service:
        lines = commands("README.md", "## The first five minutes")
        assert len(lines) > 10
        token = service.admin_token()
        lines = [
            line.replace("ADMIN=wwadm_…", f"ADMIN={token}").replace(
                "http://127.0.0.1:8000", service.url
            )
            for line in lines
        ]
        output = shell(service, lines)
    saved, searched, followed, refused, impersonated = answers(output)
    assert searched["data"] == [saved["data"]]
    assert followed["data"]["name"] == "Birthday"
    assert followed["data"]["items"] == [saved["data"]]
    assert refused["error"]["statusCode"] == 401
    assert impersonated["data"] == [saved["data"]]


def test_backup_of_the_embedded_database_while_it_serves():
    """contract: backup-whole. The line of docs/operations.md makes a whole copy, from which the
    service starts again."""
    with Service().start() as service:
        admin = service.client(service.admin_token(), "gid://shopify/Customer/1")
        item = admin.post("/items", json={"productId": 5}).json()["data"]
        [line] = [line for line in commands("docs/operations.md", "## Backup") if "VACUUM" in line]
        python = service.command.parent / "python"
        shell(service, [line.replace(".venv/bin/python", str(python))])
        copy = service.folder / "backup.db"
        assert sqlite3.connect(copy).execute("PRAGMA integrity_check").fetchone() == ("ok",)
        service.stop()
        for name in ("wishwell.db", "wishwell.db-wal", "wishwell.db-shm"):
            (service.folder / name).unlink(missing_ok=True)
        copy.rename(service.folder / "wishwell.db")
        service.restart()
        assert service.client(service.admin_token(), "gid://shopify/Customer/1").get(
            "/items"
        ).json()["data"] == [item]


def test_backup_of_postgresql_while_it_serves(postgres_server):
    """contract: backup-whole. pg_dump and pg_restore as documented: what was changed after the dump
    is as it was."""
    database = postgres_server.create_database()
    settings = {"WISHWELL_DATABASE_URL": database, "WISHWELL_SIGNING_KEYS": "k" * 40}
    service = Service(settings)
    service.cli("migrate")
    with service.start():
        admin = service.client(service.admin_token(), "gid://shopify/Customer/1")
        item = admin.post("/items", json={"productId": 5}).json()["data"]
        text = (ROOT / "docs" / "operations.md").read_text()
        dump, restore = re.findall(r"`(pg_(?:dump|restore) [^`]+)`", text)
        path = f"{postgres_binaries()}:{os.environ['PATH']}"
        shell(service, [dump], PATH=path)
        assert admin.delete(f"/items/{item['id']}").status_code == 204
        shell(service, [restore], PATH=path)
        assert admin.get("/items").json()["data"] == [item]


@pytest.mark.slow
def test_store_moves_to_postgresql_as_described(postgres_server):
    """contract: import-whole. The lines of docs/data.md, from a file that has served to a server: the
    wish is there, and the shop's token is good."""
    file = Service().start()
    token = file.admin_token()
    who = "gid://shopify/Customer/1"
    item = file.client(token, who).post("/items", json={"productId": 5}).json()["data"]
    file.stop()
    lines = commands("docs/data.md", "## Moving a store")
    assert lines.pop() == "wishwell serve"
    database = postgres_server.create_database()
    lines = [re.sub(r"postgresql://\S+", database, line) for line in lines]
    assert "1 profiles, 0 lists, 1 items" in shell(file, lines)
    keys = {
        "WISHWELL_SIGNING_KEYS": (file.folder / "wishwell.db.key").read_text(),
        "WISHWELL_SEALING_KEYS": (file.folder / "wishwell.db.sealing.key").read_text(),
    }
    with Service(keys | {"WISHWELL_DATABASE_URL": database}).start() as server:
        assert server.client(token, who).get("/items").json()["data"] == [item]
    file.close()


def test_who_was_erased_is_erased_again_after_a_restore():
    """contract: erase-command. The lines of docs/forgetting.md, by the logs of the service and of the
    command; not who was erased in a store whose handle begins alike."""
    first, second, third = (f"gid://shopify/Customer/{number}" for number in (1, 2, 3))
    with Service().start() as service:
        service.cli("store", "create", "default-2")
        token, other = service.admin_token(), service.create_token("default-2", "x")

        def saves(who):
            return service.client(token, who).post("/items", json={"productId": 5}).status_code

        assert service.client(token, first).delete("/profile").status_code == 204
        assert service.client(other, third).delete("/profile").status_code == 204
        log = service.folder / "logs"
        log.mkdir()
        for who, handle in ((second, "default"), (third, "default-2")):
            shell(service, [f"wishwell profile erase {who} --store {handle} 2>> logs/commands"])
        said = lambda: "\n".join(service.log_lines())  # noqa: E731
        assert wait_until(lambda: said().count("profile_erased") == 2, seconds=5)
        (log / "service").write_text(said())
        people = (first, second, third)
        assert wait_until(lambda: all(saves(who) == 200 for who in people), seconds=20)
        shell(service, commands("docs/forgetting.md", "## After a restore"))
        items = [service.client(token, who).get("/items").json()["data"] for who in people]
    assert [len(found) for found in items] == [0, 0, 1]


@pytest.mark.slow
def test_leaked_tokens_are_revoked_as_described():
    """contract: command-token-revoke. The steps of SECURITY.md: list, create, revoke by id; one
    profile token; all of a profile."""
    with Service().start() as service:
        service.cli("store", "create", "leaky")
        old = service.create_token("leaky", "shop server")
        lines = commands("SECURITY.md", "## An admin token has leaked")
        listed = json.loads(service.cli("token", "list", "--store", "leaky", "--json").stdout)
        [record] = listed
        output = shell(
            service,
            [re.sub(r"\bID$", record["id"], line.replace("HANDLE", "leaky")) for line in lines],
        )
        new = re.search(r"wwadm_\w+", output)[0]
        admin = service.client(new)
        issued = admin.post("/profiles/token", json={"customer": "gid://shopify/Customer/7"})
        token = issued.json()["data"]["token"]
        one, everything = commands("SECURITY.md", "## A profile token has leaked")
        shell(service, [one], TOKEN=token)
        shell(service, [everything.replace("HANDLE", "leaky")])
        _until_refused(service, old)
        _until_refused(service, token)
        assert admin.get("/items").status_code == 200


@pytest.mark.slow
def test_leaked_secrets_of_a_store_are_replaced_as_described():
    """contract: storefront-secrets. The lines of SECURITY.md: no older cookie and no JWT of the old
    key is anybody's."""
    old, new = (
        "the-old-key-of-the-shop-of-40-characters",
        "the-new-key-of-the-shop-of-40-characters",
    )
    with Service().start() as service:
        for name, key in (("old.key", old), ("new.key", new)):
            (service.folder / name).write_text(f"{key}\n")
        shell(service, ["wishwell store update default --jwt-cookie shop --jwt-key-file old.key"])
        url = f"{service.url}/apps/wishlist/api/items"
        cookies = {
            f"shop={jwt.encode({'sub': '7', 'exp': time.time() + 600}, old, 'HS256')}",
            _visitor(url),
        }

        def shoppers():
            answers = [httpx2.get(url, headers={"Cookie": cookie}) for cookie in cookies]
            return {answer.headers["wishwell-shopper"] for answer in answers}

        assert wait_until(lambda: "-" not in shoppers(), seconds=5, every=0.1)
        lines = commands("SECURITY.md", "## A store's secrets have leaked")
        shell(service, [line.replace("HANDLE", "default") for line in lines])
        assert wait_until(lambda: shoppers() == {"-"}, seconds=5, every=0.1)


def _visitor(url):
    """The cookie of a visitor who has saved something."""
    same = {"Sec-Fetch-Site": "same-origin"}
    return (
        httpx2.post(url, json={"productId": 5}, headers=same)
        .headers["set-cookie"]
        .partition(";")[0]
    )


def _until_refused(service, token):
    client = service.client(token)
    assert wait_until(lambda: client.get("/items").status_code == 401, seconds=5, every=0.1)
