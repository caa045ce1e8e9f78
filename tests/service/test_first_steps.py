"""A newcomer's first steps: start, paste the printed commands, restart; and install the wheel."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx2
import pytest

from tests.servers import Service, wait_until
from tests.service.test_documents import answers, shell
from tools import samples
from wishwell.http import management

ROOT = Path(__file__).parents[2]


def test_welcome_prints_lines_that_work_as_pasted():
    """`--welcome` prints URLs, an admin token and commands that work when pasted. After a restart
    the token still works.
    Rule: init-explicit."""
    service = Service(executed=True)
    said = service.folder / "said"
    with said.open("wb") as log, service.start_into(log.fileno(), "--welcome"):
        assert wait_until(lambda: "/items -H" in said.read_text(), seconds=30)
        lines = said.read_text().splitlines()
        text = "\n".join(line for line in lines if not line.startswith("{"))
        url = re.search(r"http://127\.0\.0\.1:\d+", text)[0]
        assert httpx2.get(f"{url}/livez").status_code == 200
        storefront = re.search(r"http://\S+/apps/wishlist/", text)[0]
        assert httpx2.get(f"{storefront}api/items").json()["data"] == []
        assert re.search(r"wwadm_\w+", text)
        assert len([line for line in text.splitlines() if "curl" in line]) == 3
        output = shell(service, [text[text.index("  TOKEN=") :], "echo; echo $TOKEN"])
        saved, read = answers(output.rpartition("}")[0] + "}")
        assert read["data"] == [saved["data"]]
        assert service.stop() == 0
        service.start_into(log.fileno(), "--welcome")
        visitor = service.client(output.split("}")[-1].strip())
        assert visitor.get("/items").json()["data"] == read["data"]


@pytest.mark.slow
def test_missing_database_is_created_only_by_init():
    """Without a database, `serve` and commands name the file and create nothing; `init` creates it,
    and the log then names it. Rule: init-explicit."""
    with contextlib.closing(Service(executed=True)) as service:
        file = service.folder / "wishwell.db"
        for words in (("serve",), ("migrate",), ("migrate", "--plan"), ("store", "list")):
            done = service.cli(*words, check=False)
            assert done.returncode == 1
            assert f"The database {file} doesn't exist" in done.stderr
            assert "`wishwell init`" in done.stderr
            assert not list(service.folder.glob("wishwell.db*"))
        for last in ("the schema is up to date", "nothing to do"):
            assert service.quick("init").strip().endswith(last)
        [line] = [line for line in service.start().log_lines() if '"listening"' in line]
        assert json.loads(line)["database"] == str(file)


@pytest.mark.slow
def test_used_port_is_named_in_the_log():
    """If another program listens on the port, `serve` says so, in the log as `not_started`."""
    service = Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}, executed=True)
    service.quick("init")
    with socket.create_server(("127.0.0.1", 0)) as other:
        service.settings["WISHWELL_PORT"] = str(other.getsockname()[1])
        done = service.cli("serve", check=False)
    last = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, last["event"]) == (1, "not_started")
    assert last["reason"].startswith("Can't listen on 127.0.0.1:")
    assert last["reason"] in done.stderr
    service.close()


@pytest.mark.slow
def test_empty_server_database_asks_for_init(postgres_server):
    """With an empty PostgreSQL database `serve` and the doctor ask for `init`; the log then has its host
    and name, but no password. Rule: init-explicit."""
    url = postgres_server.create_database()
    url = re.sub(r"//([^:@]+)@", r"//\1:a-password-of-its-own@", url)
    keys = {"WISHWELL_SIGNING_KEYS": "k" * 40}
    with contextlib.closing(
        Service(keys | {"WISHWELL_DATABASE_URL": url}, executed=True)
    ) as service:
        done = service.cli("serve", check=False)
        assert "is empty" in json.loads(done.stdout.splitlines()[-1])["reason"]
        assert '"event":"not_started"' in done.stdout
        assert "is empty" in done.stderr and "`wishwell init`" in done.stderr
        assert "a-password" not in done.stderr
        findings = service.cli("doctor", check=False).stdout
        assert "The database is empty. To use it, run `wishwell init`." in findings
        service.cli("init")
        [line] = [line for line in service.start().log_lines() if '"listening"' in line]
        assert json.loads(line)["database"] == url.rpartition("@")[2]


def test_quick_start_of_the_description_works_as_pasted(service):
    """The commands in front of the API reference save an item and read it back. Rule:
    openapi-complete."""
    text = json.loads(management.description())["info"]["description"]
    assert text.index("## Quick start") < text.index("## Signing in")
    [lines] = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = lines.replace(samples.ADDRESS, service.url).replace("wwadm_…", service.admin_token())
    saved, read = answers(shell(service, [lines]))
    assert saved["data"] in read["data"]


@pytest.mark.slow
def test_installed_wheel_serves(tmp_path):
    """The wheel, installed with the lock file into an empty environment, serves, names the commit
    that it was built from, and writes `deploy/` and the sample settings.
    Rule: command-settings."""
    out = tmp_path / "dist"
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    [wheel] = out.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "wishlists/items.sql",
        "http/openapi.json",
        "http/docs_page/index.html",
        "admin/index.html",
        "deploy/settings.env",
    ):
        assert f"wishwell/{needed}" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"wishwell"}
    assert not [name for name in names if "client" in name]
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    pip = [venv / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install"]
    lock = ROOT / "requirements" / "run.lock"
    subprocess.run([*pip, "--require-hashes", "-r", lock], check=True, capture_output=True)
    subprocess.run([*pip, "--no-deps", wheel], check=True, capture_output=True)
    service = Service(executed=True)
    service.command = venv / "bin" / "wishwell"
    assert re.fullmatch(r"wishwell \S+ \(commit [0-9a-f]{7,}(-dirty)?, .+\)\n", service.quick("-V"))
    service.quick("deploy-files", "deploy")
    for file in filter(Path.is_file, (ROOT / "deploy").rglob("*")):
        copy = service.folder / "deploy" / file.relative_to(ROOT / "deploy")
        assert copy.read_bytes() == file.read_bytes()
        assert copy.stat().st_mode & 0o111 == file.stat().st_mode & 0o111, file
    sample = service.run([str(service.command), "settings", "--sample"]).stdout
    assert sample == (ROOT / "deploy/settings.env").read_text()
    with service:
        for path in ("/readyz", "/docs", "/admin/", "/api/2025-04/.well-known/openapi"):
            assert httpx2.get(service.url + path).status_code == 200


# Six processes that have loaded the program and start simultaneously.
_STARTS = """
import os, sys
from wishwell.access import key_files
reader, writer = os.pipe()
for _ in range(6):
    if not os.fork():
        os.close(writer)
        os.read(reader, 1)
        key_files.make_embedded_key(sys.argv[1])
        os.write(1, key_files.embedded_key(sys.argv[1]) + b"\\n")
        os._exit(0)
os.close(writer)
sys.exit(any(os.wait()[1] for _ in range(6)))
"""


def test_concurrent_first_starts_share_one_key(tmp_path):
    """Concurrent first starts create one key and never read a partial one.
    Rule: signing-keys."""
    for number in range(2):
        path = tmp_path / f"{number}.db"
        done = subprocess.run([sys.executable, "-c", _STARTS, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        keys = done.stdout.split()
        assert len(keys) == 6
        assert len(set(keys)) == 1, keys
        assert (tmp_path / f"{number}.db.key").stat().st_mode & 0o777 == 0o600
        assert sorted(p.name for p in tmp_path.glob(f"*{number}.db*")) == [f"{number}.db.key"]
