"""The key rotation steps of SECURITY.md, as written there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.api.conftest import data, refused, soon
from tests.conftest import SIGNING_KEY
from tests.documents import commands
from tests.servers import SECRETS, Service

pytestmark = pytest.mark.either_engine

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text()


def new_key() -> str:
    """Makes a key with the command in SECURITY.md."""
    command = re.search(r"Make a new one: `([^`]+)`", TEXT)[1]
    key = subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout.strip()
    SECRETS.add(key)
    return key


def test_leaked_key_of_the_embedded_database_is_replaced_as_described():
    """Stop, write the file, start: the old key's tokens are refused."""
    with Service() as service:
        admin = service.client(service.admin_token())
        old = service.client(data(admin.post("/profiles/token"), 201)["token"])
        key = service.folder / "wishwell.db.key"
        before = key.read_text()
        service.stop()
        service.run(["sh", "-c", *commands("SECURITY.md", "## A signing key has leaked")])
        service.restart()
        assert key.read_text() != before
        refused(old.get("/items"), 401)
        data(admin.get("/items"))
        SECRETS.update((before.strip(), key.read_text().strip()))


def test_keys_rotate_in_three_steps_as_described(new_service):
    """Key rotation in three steps signs nobody out, and keeps cursors valid, before the last one.
    Rule: signing-keys."""
    steps = re.findall(r"^\d\. `WISHWELL_SIGNING_KEYS=(\S+)`|: `WISHWELL_SIGNING_KEYS=(\w+)`\.$", TEXT, re.MULTILINE)  # fmt: skip
    steps = [first or last for first, last in steps]
    assert steps == ["OLD,NEW", "NEW,OLD", "NEW"]
    keys = {"OLD": SIGNING_KEY, "NEW": new_key()}
    service = new_service().start()
    admin = service.client(service.admin_token())
    tokens = [data(admin.post("/profiles/token"), 201)["token"]]
    for product in (1, 2):
        data(admin.put(f"/products/{product}", json={}))
    cursor = admin.get("/products?limit=1").json()["pageInfo"]["next"]
    for step in steps[:2]:
        ring = ",".join(keys[name] for name in step.split(","))
        service.restart(settings={"WISHWELL_SIGNING_KEYS": ring})
        tokens.append(data(admin.post("/profiles/token"), 201)["token"])
        for token in tokens:
            data(service.client(token).get("/items"))
        data(admin.get("/products", params={"limit": 1, "page": cursor}))
    service.restart(settings={"WISHWELL_SIGNING_KEYS": keys["NEW"]})
    refused(admin.get("/products", params={"limit": 1, "page": cursor}), 400, "page")
    assert [service.client(token).get("/items").status_code for token in tokens] == [401, 401, 200]


def test_embedded_key_moves_into_the_settings_as_described():
    """The documented command moves the embedded key into the settings: a new key signs, and the old
    one's tokens remain valid."""
    assignment = re.search(r'`WISHWELL_SIGNING_KEYS=("[^`]+")`', TEXT)[1]
    with Service() as service:
        admin = service.client(service.admin_token())
        old = data(admin.post("/profiles/token"), 201)["token"]
        words = ["bash", "-c", f"printf %s {assignment}"]
        ring = subprocess.run(words, check=True, capture_output=True, text=True, cwd=service.folder)
        service.restart(settings={"WISHWELL_SIGNING_KEYS": ring.stdout})
        data(service.client(old).get("/items"))
        new = data(admin.post("/profiles/token"), 201)["token"]
        assert new.partition(".")[0] != old.partition(".")[0], "another key is named"


@pytest.mark.slow
def test_sighup_reloads_the_key_file_with_several_workers(new_service):
    """With a key file and several workers, SIGHUP replaces a restart."""
    assert "writing the file and SIGHUP" in TEXT
    service = new_service(WISHWELL_WORKERS="2")
    newer, path = new_key(), service.folder / "keys"
    path.write_text(SIGNING_KEY)
    del service.settings["WISHWELL_SIGNING_KEYS"]
    service.settings["WISHWELL_SIGNING_KEYS_FILE"] = str(path)
    with service.start():
        admin = service.client(service.admin_token())
        old = data(admin.post("/profiles/token"), 201)["token"]
        path.write_text(f"{newer},{SIGNING_KEY}")
        os.kill(service.process.pid, signal.SIGHUP)
        soon(lambda: '"workers_replaced"' in service.output(), within=150)
        for _ in range(10):
            admin = service.client(service.admin_token())  # on a new connection
            new = data(admin.post("/profiles/token"), 201)["token"]
            assert new.partition(".")[0] != old.partition(".")[0], "another key is named"
            data(service.client(old).get("/items"))
