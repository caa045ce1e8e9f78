"""compose.yaml and compose.minimal.yaml: their settings, and their commands without containers.

A service's commands run with its environment; those of `secrets` as the image's user where the tests
run as root. Its volumes are folders with the owner and mode that the image gives them.
"""

import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.servers import wait_until
from tests.servers.base import answers, free_port
from tests.servers.service import WISHWELL
from wishwell import config
from wishwell.access import addresses

ROOT = Path(__file__).parents[2]
FILES = ("compose.yaml", "compose.minimal.yaml")
DOCKERFILE = (ROOT / "Dockerfile").read_text()
USER = int(re.search(r"--uid (\d+)", DOCKERFILE)[1])
AS_USER: dict[str, Any] = (
    {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
)
OWNED_FOLDERS = re.search(r"chown wishwell (.+)", DOCKERFILE)[1].split()


def services(file: str) -> dict:
    return yaml.safe_load((ROOT / file).read_text())["services"]


class Containers:
    """Runs the commands of a Compose file's services, with the volumes of each in ``folder``."""

    def __init__(self, file: str, folder: Path, **replaced: str) -> None:
        self.services, self.folder = services(file), folder
        self.replaced = {f"{path}/": f"{folder}{path}/" for path in OWNED_FOLDERS} | replaced
        for path in OWNED_FOLDERS:
            (folder / path[1:]).mkdir(mode=0o700)
        if AS_USER:
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, USER, USER)

    def replace(self, text: str) -> str:
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return text.replace("$$", "$")

    def start(self, name: str, **environment: str) -> subprocess.Popen:
        """Starts a service's command with its environment, and pipes for its output."""
        service = self.services[name]
        argv = [*service.get("entrypoint", ["wishwell"]), *service.get("command", ["serve"])]
        given = {key: self.replace(value) for key, value in service.get("environment", {}).items()}
        path = f"{WISHWELL.parent}:{os.environ['PATH']}"
        return subprocess.Popen(
            [self.replace(word) for word in argv],
            cwd=self.folder / "data",
            env={"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **given, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **(AS_USER if name == "secrets" else {}),  # others may not enter the checkout
        )

    def run(self, name: str, **environment: str) -> str:
        """Runs a service's command to its end, and returns its output."""
        process = self.start(name, **environment)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        return out

    def contents(self, folder: str) -> dict[str, str]:
        return {path.name: path.read_text() for path in (self.folder / folder).iterdir()}


@pytest.fixture
def folder():
    """A folder whose parents every user may enter, which those of `tmp_path` aren't."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize("file", FILES)
def test_compose_trusts_the_web_server_in_front(file):
    """The files have only valid settings, and trust proxies on Docker's networks, so that visitors
    have rate limits. Rule: limit-address."""
    given = services(file)["wishwell"]["environment"]
    plain = {name: value for name, value in given.items() if not name.endswith("_FILE")}
    trusted = config.load(plain).trusted_proxies
    assert all(addresses.is_within(peer, trusted) for peer in ("172.18.0.1", "192.168.16.1"))
    assert not addresses.is_within("203.0.113.5", trusted)


@pytest.mark.parametrize("file", FILES)
def test_compose_needs_no_other_file(file):
    """Every mounted volume is one of the file's own, and belongs to the image's user where the
    service writes to it, and nothing is built."""
    document = yaml.safe_load((ROOT / file).read_text())
    assert not {"secrets", "configs"} & document.keys()
    for name, service in document["services"].items():
        assert "build" not in service and "env_file" not in service
        for volume in service.get("volumes", ()):
            source, target = volume.split(":")[:2]
            assert source in document["volumes"]
            assert target in OWNED_FOLDERS or name == "database"


def test_compose_makes_secrets_once_and_readable_only_by_their_owner(folder):
    """`secrets` makes one file for each secret, with mode 400; a second start keeps them, and
    completes what a first one left undone. Rule: secret-unseen."""
    containers = Containers("compose.yaml", folder)
    containers.run("secrets")
    keys, password = containers.contents("keys"), containers.contents("password")
    assert {len(text) for text in keys.values()} == {64}
    assert len({*keys.values(), password["password"]}) == 3
    assert password["password"] in password["database_url"]
    (folder / "keys/sealing_keys").unlink()
    (folder / "keys/sealing_keys.new").write_text("")
    containers.run("secrets")
    again = containers.contents("keys")
    assert again["signing_keys"] == keys["signing_keys"]
    assert len(again["sealing_keys"]) == 64 and again.keys() == keys.keys()
    assert containers.contents("password") == password
    files = [*(folder / "keys").iterdir(), *(folder / "password").iterdir()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o400}
    named = [
        value
        for name in ("wishwell", "database")
        for value in containers.services[name]["environment"].values()
        if value.startswith(("/keys/", "/password/"))
    ]
    assert {*named} == {f"/{path.relative_to(folder)}" for path in files}


@pytest.mark.slow
def test_compose_serves_with_postgresql(folder, postgres_server):
    """After `secrets`, `init` creates the database and prints the address of the merchant's page and
    a command that makes a token; `wishwell` serves, and ends with SIGTERM."""
    url = postgres_server.create_database()
    port = free_port()
    containers = Containers("compose.yaml", folder)
    containers.run("secrets")
    # The tests' server has another address, name and user than the container.
    file = folder / "password/database_url"
    text = file.read_text()
    assert re.fullmatch(r"postgresql://wishwell:[0-9a-f]{64}@database/wishwell\n", text)
    own = {"WISHWELL_DATABASE_URL_FILE": "", "WISHWELL_DATABASE_URL": url}
    own |= {"WISHWELL_PORT": str(port), "WISHWELL_REDIS_URL": ""}
    said = containers.run("init", **own)
    assert "http://127.0.0.1:8000/admin" in said
    process = containers.start("wishwell", **own)
    try:
        assert wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), seconds=60)
        assert token_of(said, containers, own).startswith("wwadm_")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert (folder / "data/journal.jsonl").read_text()


@pytest.mark.slow
def test_compose_minimal_serves_with_sqlite(folder):
    """The one container creates its database, which only its user can read, prints the address and
    serves; after a restart the database is the same."""
    port = free_port()
    own = {"WISHWELL_PORT": str(port)}
    containers = Containers("compose.minimal.yaml", folder)
    for number in (1, 2):
        process = containers.start("wishwell", **own)
        try:
            assert wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), seconds=60)
            if number == 1:
                lines = itertools.takewhile(lambda line: '"listening"' not in line, process.stdout)
                said = "".join(lines)
                assert "http://127.0.0.1:8000/admin" in said
                token = token_of(said, containers, own)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        assert process.returncode == 0
    names = {path.name for path in (folder / "data").iterdir()}
    assert {"wishwell.db", "wishwell.db.key", "wishwell.db.sealing.key"} <= names
    assert all(path.stat().st_mode & 0o077 == 0 for path in (folder / "data").iterdir())
    assert token.startswith("wwadm_")


def token_of(said: str, containers: Containers, own: dict[str, str]) -> str:
    """Runs the printed command that makes a token, as `docker compose exec` does."""
    [command] = re.findall(r"docker compose .*exec wishwell (wishwell .+)", said)
    containers.services["token"] = containers.services["wishwell"] | {
        "entrypoint": ["sh", "-euc"],
        "command": [command],
    }
    return containers.run("token", **own).split()[-1]
