"""docs/runbooks.md and deploy/: an entry per alert, a rehearsed restore, the systemd units, the backup
job."""

import json
import os
import re
import shutil
import subprocess
import time

import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY, missing
from tests.documents import ROOT, commands
from tests.servers import Service, postgres_binaries
from tests.servers.patroni import haproxy
from tests.service.test_documents import shell
from tests.service.test_upgrade import _postgres_path as postgres_path

PAGE = "docs/runbooks.md"
BESIDE = {"sqlite": "restore database [^ ]+$", "postgresql": "restore database .*--keys"}
"""Commands for the other engine, by engine."""


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


def job(service, script="backup", **more):
    """Runs a script of `deploy/` as its timer does."""
    places = {"BACKUPS": "backups", "KEYS": "keys", "KEEP": "2"} | more
    (service.folder / places["BACKUPS"]).mkdir(exist_ok=True)
    path = f"{service.command.parent}:{postgres_path()}"
    env = service.environment | places | {"PATH": path}
    return service.run([ROOT / "deploy" / script], env=env)


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
    """The page's commands restore the newest good backup of the job, on PostgreSQL with two nodes'
    journals: tokens and wishes are restored, acts since the backup hold, and the commands since can be
    pasted. Rules: backup-complete, restore-checked, journal-replay, journal-options."""
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
        script, suffix = ("backup", "db") if engine == "sqlite" else ("backup-postgresql", "dump")
        backed_up = job(service, script)
        assert backed_up.returncode == 0, backed_up.stderr
        (service.folder / "backups" / f"wishwell-9.{suffix}").write_bytes(b"cut off")
        service.quick("store", "update", "default", "--shop-name", "Ann's & more", "--events", "on")
        (service.folder / "texts.json").write_text('{"de": {"heading": "Wünsche"}}')
        service.quick("store", "update", "default", "--texts", "texts.json")
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
        lines = [line for line in lines if not re.search(BESIDE[engine], line)]
        for name, there in (("-keys", "keys"), ("", "backups")):
            lines = [line.replace(f"/var/backups/wishwell{name}", there) for line in lines]
        more = "".join(f" --journal {journal}" for journal in journals[1:])
        lines = [f"{line}{more}" if "restore database" in line else line for line in lines]
        printed = done(service, lines, PATH=f"{service.command.parent}:{postgres_path()}")
        assert f"wishwell-9.{suffix} was skipped" in printed
        assert "8 repeated, 0 done already, 1 unknown here" in printed
        assert len(re.findall("^ok +keys", printed, re.MULTILINE)) == 2
        pasted = "wishwell store update default '--shop-name=Ann'\"'\"'s & more' --events=on"
        assert [line for line in printed.splitlines() if line.startswith("wishwell store")] == [
            pasted
        ]
        [by_hand] = re.findall("^# by hand .*", printed, re.MULTILINE)
        assert "wishwell store update default --texts=FILE; --texts: SHA-256 " in by_hand
        shell(service, [pasted])
        assert (
            json.loads(service.quick("store", "list", "--json"))[0]["look"]["shopName"]
            == "Ann's & more"
        )
        assert "1 profile, 0 lists, 1 item" in printed
        people = [service.client(token, who) for who in (kept, erased, other, late, signed_in)]
        held = [http.get("/items").json()["data"] for http in (*people, service.client(mine))]
        assert [len(items) for items in held] == [1, 0, 0, 0, 0, 1]
        refused = [
            service.client(text).get("/items") for text in (leaked, revoked, session["token"])
        ]
        assert [answer.status_code for answer in refused] == [401, 401, 401]
        assert people[3].post("/items", json={"productId": 6}).status_code == 201
        assert '"command":"restore database"' in (service.folder / journals[0]).read_text()
        again = service.cli("restore", "replay", *journals)
        assert again.stdout.startswith("0 repeated, ")


@pytest.mark.slow
def test_restore_refuses_what_it_would_damage_and_keeps_the_present_files(engine, postgres_server):
    """`restore database` refuses a database in use, one with tables and a damaged backup, and changes
    nothing. SQLite's present files are kept. Rule: restore-checked."""
    settings = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    script, pattern = ("backup", "*.db") if engine == "sqlite" else ("backup-postgresql", "*.dump")
    if engine == "postgresql":
        settings = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}
        settings["WISHWELL_DATABASE_URL"] = postgres_server.create_database()
    service = Service(settings)
    service.cli("init")
    with service.start():
        path = f"{service.command.parent}:{postgres_path()}"
        service.create_token(label="before it")
        run = lambda *words: service.attempt("restore", "database", *words, PATH=path)  # noqa: E731
        assert job(service, script).returncode == 0
        [copy] = (service.folder / "backups").glob(pattern)
        label = service.create_token(label="since the backup")
        code, _, err = run("backups")
        assert (code, "in use" in err or "isn't empty" in err) == (1, True), err
        service.stop()
        cut = service.folder / "cut"
        cut.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
        if engine == "postgresql":
            service.settings["WISHWELL_DATABASE_URL"] = postgres_server.create_database()
        code, _, err = run("cut")
        assert (code, "cut" in err) == (1, True), err
        if engine == "postgresql":
            code, _, err = run("backups", "--keys", "keys")
            assert (code, "to the files of WISHWELL_SIGNING_KEYS_FILE" in err) == (1, True), err
            assert "is empty" in service.cli("serve", check=False).stderr
            code, out, err = run("backups")
            assert code == 0, (out, err)
            return
        assert len(json.loads(service.quick("token", "list", "--json"))) == 2
        key = service.folder / "wishwell.db.sealing.key"
        good = key.read_text()
        key.write_text("another-sealing-key-of-40-characters-now")
        code, _, err = run("backups")
        assert (code, "are encrypted with" in err) == (1, True), err
        code, out, err = run("backups", "--keys", "keys")
        assert code == 0, (out, err)
        assert "wishwell token create --store=default '--label=since the backup'" in out
        assert label not in out
        assert "before it" not in out
        [token] = json.loads(service.quick("token", "list", "--json"))
        assert token["label"] == "before it"
        assert key.read_text() == good
        [kept] = service.folder.glob("wishwell.db.replaced-*")
        assert {path.name for path in kept.iterdir()} >= {"wishwell.db", key.name}
        assert not [*service.folder.glob(".*.part")]


def test_restore_takes_neither_the_database_itself_nor_a_missing_journal():
    """`restore database` in the database's own folder takes the newest backup there, refuses the database
    itself, and reads the named journals before it changes anything. Rule: restore-checked."""
    service = Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"})
    service.cli("init")
    service.quick("backup", "copy.db")
    code, _, err = service.attempt("restore", "database", "wishwell.db")
    assert (code, "wishwell.db is the database itself" in err) == (1, True), err
    code, _, err = service.attempt("restore", "database", "copy.db", "--journal", "away.jsonl")
    assert (code, "JOURNAL: away.jsonl can't be read" in err) == (1, True), err
    assert not [*service.folder.glob("*.replaced-*")]
    assert "restoring copy.db\n" in service.quick("restore", "database", ".")
    service.close()


def test_replay_lists_the_commands_since_a_backup_that_another_program_restored():
    """`restore replay` lists the commands since the restored backup, unless they are in it.
    Rules: journal-replay, journal-options."""
    service = Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"})
    service.cli("init")
    service.create_token(label="before it")
    service.quick("backup", "copy.db")
    service.create_token(label="since then")
    replay = ("restore", "replay", "wishwell.db.journal.jsonl")
    assert "token create" not in service.quick(*replay)
    (service.folder / "copy.db").replace(service.folder / "wishwell.db")
    listed = service.quick(*replay)
    assert "\nwishwell token create --store=default '--label=since then'\n" in listed
    assert "before it" not in listed
    service.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_restore_refuses_root_in_a_folder_of_the_services_user():
    """Run as root, `restore database` leaves no file that the service's user can't read.
    Rule: restore-checked."""
    service = Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"})
    service.cli("init")
    service.quick("backup", "copy.db", "--keys", "keys")
    os.chown(service.folder, 10_001, -1)
    code, _, err = service.attempt("restore", "database", "copy.db", "--keys", "keys")
    assert (code, "belongs to the user 10001" in err) == (1, True), err
    assert not [*service.folder.glob("*.replaced-*")]
    os.chown(service.folder, 0, -1)
    service.quick("restore", "database", "copy.db", "--keys", "keys")
    service.close()


def test_restore_refuses_a_clusters_database_and_its_dump(postgres_server):
    """A database with the extension Citus and its dump are refused, with the page about clusters, and
    nothing is restored. A row of the catalogue stands for the extension. Rule: restore-checked."""
    cluster, empty = postgres_server.create_database(), postgres_server.create_database()
    postgres_server.sql(
        "SET allow_system_table_mods = on; CREATE TABLE t AS SELECT 1; INSERT INTO pg_extension "
        "VALUES (99999, 'citus', 10, 'public'::regnamespace, false, '1')",
        cluster.rpartition("/")[2],
    )
    service = Service({"WISHWELL_SIGNING_KEYS": SIGNING_KEY})
    dump = [postgres_binaries() / "pg_dump", "--format=custom", "--file=cluster.dump", cluster]
    assert service.run(dump).returncode == 0
    for url in (cluster, empty):
        settings = {"PATH": postgres_path(), "WISHWELL_DATABASE_URL": url}
        code, _, err = service.attempt("restore", "database", "cluster.dump", **settings)
        assert (code, "This is a cluster" in err, "scaling.md#4-a-cluster" in err) == (
            1,
            True,
            True,
        )
    assert postgres_server.sql("\\dt", empty.rpartition("/")[2]) == ""
    service.close()


@pytest.mark.slow
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
    for name, most in (
        ("wishwell", 20),
        ("wishwell-backup", 40),
        ("wishwell-backup-postgresql", 50),
    ):
        words = ["security", "--offline=true", f"--threshold={most}", tmp_path / f"{name}.service"]
        subprocess.run(["systemd-analyze", *words], check=True, capture_output=True)


def test_haproxy_starts_although_a_name_does_not_resolve():
    """`deploy/haproxy.cfg` is valid while no name of a server resolves, as after the loss of one."""
    if haproxy() is None:
        missing("haproxy isn't installed")
    file = ROOT / "deploy" / "haproxy.cfg"
    done = subprocess.run([haproxy(), "-c", "-f", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
