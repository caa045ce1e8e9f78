"""docs/runbooks.md and deploy/: an entry per alert, a rehearsed restore, the systemd units, the backup
job."""

import re
import shutil
import subprocess
import time

import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY, missing
from tests.documents import ROOT, commands
from tests.servers import Service
from tests.servers.patroni import haproxy
from tests.service.test_documents import shell
from tests.service.test_upgrade import _postgres_path as postgres_path

PAGE = "docs/runbooks.md"
BESIDE = {"sqlite": "pg_restore", "postgresql": "BACKUP=|KEYS=|mkdir|mv |cp "}
"""Prefixes of commands for the other engine, by engine."""


def done(service, lines, **more):
    """Runs the lines; returns their output. Starting and stopping the unit is applied to the test's
    service."""
    said, waiting = "", []
    for line in (*lines, "systemctl end"):
        if not line.startswith("systemctl "):
            waiting.append(line)
            continue
        if waiting:
            said += shell(service, ["exec 2>&1", *waiting], **more)
        waiting = []
        if " stop " in line:
            service.stop()
        elif " start " in line:
            service.start()
    return said


def job(service, **more):
    """Runs `deploy/backup` as its timer does."""
    places = {"BACKUPS": "backups", "KEYS": "keys", "KEEP": "2"} | more
    (service.folder / places["BACKUPS"]).mkdir(exist_ok=True)
    path = f"{service.command.parent}:/usr/bin:/bin"
    env = service.environment | places | {"PATH": path}
    return service.run([ROOT / "deploy" / "backup"], env=env)


def lose(service, engine, server):
    """Destroys the database, as if its disk were lost."""
    service.kill()
    if engine == "postgresql":
        name = service.settings["WISHWELL_DATABASE_URL"].rpartition("/")[2]
        server.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public", name)
        return
    for path in service.folder.glob("wishwell.db*key"):
        path.unlink()
    (service.folder / "wishwell.db").write_bytes(b"lost" * 1024)


@pytest.mark.slow
def test_documented_restore_brings_back_tokens_wishes_and_later_acts(engine, postgres_server):
    """The page's commands restore a backup of the job or of pg_dump, on PostgreSQL with two nodes'
    journals: tokens and wishes are restored, and acts since the backup hold.
    Rules: backup-complete, journal-replay."""
    settings = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    journals = ["wishwell.db.journal.jsonl"]
    if engine == "postgresql":
        settings = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}
        settings["WISHWELL_DATABASE_URL"] = postgres_server.create_database()
        settings["WISHWELL_JOURNAL"] = journals[0]
    service = Service(settings)
    service.cli("init")
    with service.start():
        node = service.beside() if engine == "postgresql" else service
        if node is not service:
            journals.append(f"{node.folder}/node.jsonl")
            node.settings["WISHWELL_JOURNAL"] = journals[1]
            node.start()
        token, leaked = service.admin_token(), service.create_token(label="leaked")
        kept, erased, other, late, signed_in = (f"gid://shopify/Customer/{n}" for n in range(1, 6))
        admin = service.client(token)
        for who in (kept, erased, other):
            assert service.client(token, who).post("/items", json={"productId": 5}).is_success
        issue = lambda **body: admin.post("/profiles/token", json=body).json()["data"]  # noqa: E731
        mine, revoked = issue(customer=kept)["token"], issue(customer=kept)["token"]
        session = issue()
        visitor = service.client(session["token"])
        assert visitor.post("/items", json={"productId": 5}).is_success
        if engine == "sqlite":
            assert job(service).returncode == 0
        else:
            shell(service, commands("docs/operations.md", "## Backup")[1:], PATH=postgres_path())
        assert service.client(token, late).post("/items", json={"productId": 5}).is_success
        issue(customer=signed_in, session=session["profile"])  # an open session in the backup
        for who, at in ((erased, service), (signed_in, node)):
            assert at.client(token, who).delete("/profile").status_code == 204
        node.quick("profile", "erase", other, "--store", "default")
        node.quick("token", "revoke", leaked)
        service.quick("token", "revoke", revoked)
        node.stop()
        text = "".join((service.folder / journal).read_text() for journal in journals)
        assert "gid://" not in text
        assert not {token, leaked, revoked} & {*text.split('"')}
        lose(service, engine, postgres_server)

        lines = commands("docs/runbooks.md", "## Restore")
        lines = [line for line in lines if not re.match(BESIDE[engine], line)]
        for name, there in (("-keys", "keys"), ("", "backups")):
            lines = [line.replace(f"/var/backups/wishwell{name}", there) for line in lines]
        lines = [line.replace(f" {journals[0]}", f" {' '.join(journals)}") if "replay" in line else line
                 for line in lines]  # fmt: skip
        printed = done(service, lines, PATH=f"{service.command.parent}:{postgres_path()}")
        assert "8 to repeat, 0 done already, 1 unknown here" in printed
        assert "8 repeated, 0 done already, 1 unknown here" in printed
        assert len(re.findall("^ok +keys", printed, re.MULTILINE)) == 2
        assert "1 profile, 0 lists, 1 item" in printed
        people = [service.client(token, who) for who in (kept, erased, other, late, signed_in)]
        held = [http.get("/items").json()["data"] for http in (*people, service.client(mine))]
        assert [len(items) for items in held] == [1, 0, 0, 0, 0, 1]
        refused = [
            service.client(text).get("/items") for text in (leaked, revoked, session["token"])
        ]
        assert [answer.status_code for answer in refused] == [401, 401, 401]
        assert people[3].post("/items", json={"productId": 6}).status_code == 201
        again = service.cli("restore", "replay", *journals)
        assert again.stdout.startswith("0 repeated, ")


def test_service_starts_after_a_lost_sealing_keys_secrets_are_removed():
    """After a sealing key is lost, removing the secrets lets the service start again.
    Rule: sealing-keys."""
    with Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}).start() as service:
        service.quick("store", "update", "default", "--events", "on")
        service.quick("webhook", "create", "https://a.example/")
        service.stop()
        (service.folder / "wishwell.db.sealing.key").unlink()
        assert service.attempt("doctor")[0] == 1
        [line] = commands("docs/runbooks.md", "## Lost key")
        for statement in re.search('"(.*)"', line)[1].split(";"):
            service.rows(statement)
        service.start()
        shell(service, commands("docs/runbooks.md", "# Runbooks"))


@pytest.mark.slow
def test_backup_job_keeps_the_newest_and_removes_none_when_it_fails():
    """The backup job keeps the newest two backups and all keys; a failed one removes none."""
    service = Service()
    service.cli("init")
    for _ in range(3):
        assert job(service).returncode == 0
        time.sleep(1.1)  # their names have a resolution of one second
    names = sorted(path.name for path in (service.folder / "backups").iterdir())
    assert len(names) == 2
    assert len(list((service.folder / "keys").iterdir())) == 6
    nameless = job(service, KEYS="")
    assert (nameless.returncode, "KEYS" in nameless.stderr) == (2, True)
    (service.folder / "wishwell.db").unlink()
    failed = job(service, KEEP="1")
    assert failed.returncode == 1
    assert "doesn't exist" in failed.stderr
    assert sorted(path.name for path in (service.folder / "backups").iterdir()) == names


def test_systemd_accepts_the_units_and_rates_them_well(tmp_path):
    """systemd accepts the units and rates their sandboxing well (0 to 100, lower is better)."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd")
    for unit in (ROOT / "deploy" / "systemd").iterdir():
        text = unit.read_text().replace("/opt/wishwell/deploy", f"{ROOT}/deploy")
        (tmp_path / unit.name).write_text(text.replace("/opt/wishwell/.venv", f"{ROOT}/.venv"))
    units = sorted(tmp_path.iterdir())
    verify = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    assert (verify.returncode, verify.stderr) == (0, "")
    for name, most in (("wishwell", 20), ("wishwell-backup", 40)):
        words = ["security", "--offline=true", f"--threshold={most}", tmp_path / f"{name}.service"]
        subprocess.run(["systemd-analyze", *words], check=True, capture_output=True)


def test_haproxy_starts_although_a_name_does_not_resolve():
    """`deploy/haproxy.cfg` is valid while no name of a server resolves, as after the loss of one."""
    if haproxy() is None:
        missing("haproxy isn't installed")
    file = ROOT / "deploy" / "haproxy.cfg"
    done = subprocess.run([haproxy(), "-c", "-f", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
