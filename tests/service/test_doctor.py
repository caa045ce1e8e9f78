"""`wishwell doctor`: each check is made to fail once with a real cause."""

import asyncio
import contextlib
import itertools
import json
import os
import re
import subprocess
import time
from pathlib import Path

import httpx2
import pytest

from tests.browser.conftest import CLOCK
from tests.conftest import SEALING_KEY, Shop, missing
from tests.servers import HERE, PostgresServer, Service, free_port, wait_until
from tests.servers.pgbouncer import PgBouncer, pgbouncer_binary
from wishwell import config
from wishwell.errors import DOCS
from wishwell.server import doctor

ROOT = Path(__file__).parents[2]
NEEDED = ["build", "settings", "files", "disk", "journal", "database", "migrations"]
IN_DATABASE = ["servers", "keys", "clock", "webhooks", "mails", "hosts", "placeholders"]


def doctor_lines(service, **settings):
    """Returns the lines by subject; asserts exit code 1 if one is bad."""
    code, out, err = service.attempt("doctor", "--json", **settings)
    lines = {line["what"]: line for line in json.loads(out)}
    assert (code == 1) == any(line["state"] == "bad" for line in lines.values()), err
    return lines


def bad_line(service, **settings):
    """Asserts that exactly one line is bad; returns its subject and text."""
    [line] = [one for one in doctor_lines(service, **settings).values() if one["state"] == "bad"]
    assert f"{DOCS}{doctor.SEE[line['what']]}" in line["says"]
    assert line["says"].count(DOCS) == 1
    return line["what"], line["says"]


@pytest.fixture
def database(new_service):
    """A service on a migrated database, not started."""
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    service.cli("init")
    return service


@pytest.mark.either_engine
def test_checks_pass_with_the_service_running_and_stopped(database, engine, redis_server):
    """All checks pass, with the service running and stopped. Rule: command-doctor."""
    settings = {"WISHWELL_REDIS_URL": redis_server.url, "WISHWELL_TRUSTED_PROXIES": HERE}
    with database.restart(settings=settings) as service:
        port = service.url.rpartition(":")[2]
        Shop(service, "--host", service.url)
        lines = doctor_lines(service, WISHWELL_PORT=port)
        assert list(lines) == [*NEEDED, *IN_DATABASE, "redis", "service"]
        notes = {what for what, line in lines.items() if line["state"] != "ok"}
        assert notes == ({"disk", "journal"} if engine == "postgresql" else set())
        assert "1 of 1" in lines["hosts"]["says"]
        assert (
            "returns 404 instead of" in bad_line(service, WISHWELL_STOREFRONT_BASE="/elsewhere")[1]
        )
        service.quick("store", "update", "default", "--host", f"http://{HERE}:{free_port()}")
        assert (
            "1 of 2 shop hosts don't reach this service" in bad_line(service, WISHWELL_PORT=port)[1]
        )
        service.quick("store", "update", "default", "--host", "")
        service.stop()
        [shop] = [
            one for one in json.loads(service.quick("store", "list", "--json")) if one["hosts"]
        ]
        service.quick("store", "update", shop["handle"], "--host", "")
        what, says = bad_line(service, WISHWELL_PORT=port)
        assert (what, "No service is running" in says) == ("service", True)
        code, out, _ = service.attempt("doctor", WISHWELL_PORT="0")
        assert code == 0
        assert re.search(r"^ok +migrations +up to date$", out, re.MULTILINE)


def test_missing_database_is_reported(tmp_path):
    """A missing or invalid database file, and an unreachable server, are reported without the
    password."""
    service = Service()
    assert bad_line(service)[0] == "database"
    assert list(service.folder.glob("wishwell.db*")) == []
    (service.folder / "wishwell.db").write_text("no database" * 100)
    assert "not a database" in bad_line(service)[1]
    url = f"postgresql://wishwell:a-long-password-of-it@{HERE}:{free_port()}/wishwell"
    what, says = bad_line(
        Service({"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": "k" * 40})
    )
    assert (what, "can't be reached" in says) == ("database", True)


def test_missing_server_database_is_reported_as_to_be_created(postgres_server):
    """A missing PostgreSQL database is reported as to be created, because no migration creates
    it."""
    url = f"{postgres_server.create_database()}-2"
    service = Service({"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": "k" * 40})
    says = doctor_lines(service)["database"]["says"]
    assert says.endswith(f"and create the database: {DOCS}operations.md#postgresql")


@pytest.mark.slow
def test_database_that_hangs_is_reported_within_seconds():
    """A suspended database server, before and after connecting, and a suspended service are
    reported in time."""
    with PostgresServer() as server:
        service = Service({"WISHWELL_DATABASE_URL": server.create_database()})
        service.settings["WISHWELL_SIGNING_KEYS"] = "k" * 40
        service.cli("init")
        server.pause()
        began = time.monotonic()
        assert bad_line(service)[0] == "database"
        assert time.monotonic() - began < 60
        server.resume()
    with Service().start() as service:
        port = service.url.rpartition(":")[2]
        service.pause()
        began = time.monotonic()
        assert bad_line(service, WISHWELL_PORT=port)[0] == "service"
        assert time.monotonic() - began < 60


def test_pending_migration_is_named(database):
    """A pending migration is named, with the command."""
    database.rows("DELETE FROM migrations WHERE version = 8")
    what, says = bad_line(database)
    assert what == "migrations"
    assert "0008_tokens_of_a_store. Run `wishwell migrate`" in says


@pytest.mark.either_engine
def test_signing_key_is_named_by_its_id(database):
    """The id of the signing key, by which an operator compares instances, changes with the key."""
    ids = set()
    for key in ("a" * 40, "b" * 40):
        says = doctor_lines(database, WISHWELL_SIGNING_KEYS=key)["keys"]["says"]
        ids |= {*re.findall(r"; signing key ([0-9a-f]{12})$", says)}
    assert len(ids) == 2


@pytest.mark.either_engine
def test_file_that_is_not_a_journal_is_reported_and_never_written(database):
    """A journal's setting that leads to a key is reported, and no line damages the key; with an empty
    file commands work. Rules: command-doctor, journal-first."""
    key = database.folder / "shop.key"
    key.write_text("k" * 40)
    what, says = bad_line(database, WISHWELL_JOURNAL="shop.key")
    assert (what, "shop.key isn't a journal" in says) == ("journal", True)
    words = ("token", "create", "--store", "default", "--label", "x")
    code, out, err = database.attempt(*words, WISHWELL_JOURNAL="shop.key")
    assert (code, out, "isn't a journal" in err) == (1, "", True)
    assert key.read_text() == "k" * 40
    key.write_text("")
    for _ in range(2):
        assert database.attempt(*words, WISHWELL_JOURNAL="shop.key")[0] == 0
    assert doctor_lines(database, WISHWELL_JOURNAL="shop.key")["journal"]["state"] == "ok"


@pytest.mark.slow
def test_lost_key_is_reported_and_not_created_again(database, engine):
    """A wrong sealing key, or a missing key file, is reported; doctor doesn't create a new one, as
    a start would."""
    what, says = bad_line(
        database, WISHWELL_SEALING_KEYS="another-sealing-key-of-40-characters-at-all"
    )
    assert what == "keys"
    assert "which isn't in WISHWELL_SEALING_KEYS" in says
    if engine == "postgresql":
        assert "not set" in bad_line(database, WISHWELL_SEALING_KEYS="")[1]
        return
    own = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db", "WISHWELL_PURGE_INTERVAL": "1"}
    with Service(own).start() as service:
        turn = lambda: service.rows("SELECT 1 FROM leases WHERE name = 'purge'")  # noqa: E731
        assert wait_until(turn, seconds=30, every=0.1)
        service.stop()
        assert doctor_lines(service)["keys"]["state"] == "ok"
        for name in ("wishwell.db.key", "wishwell.db.sealing.key"):
            key = (service.folder / name).rename(service.folder / "elsewhere")
            assert f"{name} is missing" in bad_line(service)[1]
            assert not (service.folder / name).exists()
            key.rename(service.folder / name)


def test_nearly_full_disk_is_reported(tmp_path):
    """A nearly full disk of 20 MB is reported."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", tmp_path]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        service = Service({"WISHWELL_DATABASE_URL": f"sqlite:///{tmp_path}/wishwell.db"})
        service.cli("init")
        what, says = bad_line(service)
        assert what == "disk"
        assert re.search(r"Only \d\d MB are free", says)
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


@pytest.mark.either_engine
def test_unreachable_redis_is_reported(database):
    """An unreachable Redis is reported."""
    url = f"redis://:a-long-password-of-redis@{HERE}:{free_port()}"
    assert bad_line(database, WISHWELL_REDIS_URL=url)[0] == "redis"


@pytest.mark.either_engine
def test_redis_without_a_memory_limit_is_noted(database, redis_server):
    """A Redis that grows without limit, or refuses writes when it is full, is noted."""
    set_policy = lambda *words: redis_server.run("CONFIG", "SET", *words)  # noqa: E731
    for name, wrong, right in (
        ("maxmemory", "0", "256mb"),
        ("maxmemory-policy", "noeviction", "volatile-ttl"),
    ):
        set_policy(name, wrong)
        try:
            line = doctor_lines(database, WISHWELL_REDIS_URL=redis_server.url)["redis"]
            assert (line["state"], "volatile-ttl" in line["says"]) == ("note", True)
        finally:
            set_policy(name, right)


@pytest.mark.either_engine
def test_service_with_other_settings_is_reported(database, new_service):
    """A service with another database is reported; so is one that gets visitors through a proxy that
    isn't trusted, and a platform's store whose visitors can't reach the service. Rule: command-doctor."""
    other = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    other.cli("init")
    with database.start() as service:
        port = {"WISHWELL_PORT": service.url.rpartition(":")[2]}
        assert doctor_lines(service, **port)["service"]["state"] == "ok"
        assert "other signing keys or another database" in bad_line(other, **port)[1]
        url = f"{service.url}/apps/wishlist/api/items"
        assert httpx2.get(url, headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200
        line = doctor_lines(service, **port)["service"]
        assert (line["state"], "forwarded visitors 1 times" in line["says"]) == ("note", True)
        service.quick("store", "update", "default", "--host", service.url)
        assert "no rate limits" in doctor_lines(service)["hosts"]["says"]
        service.quick("store", "update", "default", "--platform-shop", "shop.example")
        nowhere = f"http://localhost:{free_port()}"
        service.quick("store", "update", "default", "--service-url", nowhere)
        assert f"{nowhere}/livez" in bad_line(service, **port)[1]
        own = service.url.replace(HERE, "localhost")
        service.quick("store", "update", "default", "--service-url", own)
        assert "no rate limits" in doctor_lines(service)["hosts"]["says"]


@pytest.mark.slow
@pytest.mark.either_engine
def test_low_file_limit_and_readable_keys_are_reported(database):
    """A low limit of open files is bad, and a key file that others can read is noted."""
    doctor_ = f"ulimit -n 256; {database.command} doctor"
    done = database.run(["bash", "-c", doctor_])
    assert done.returncode == 1
    assert re.search(r"^bad +files +Only 256 files", done.stdout, re.MULTILINE), done.stdout
    key = database.folder / "sealing.key"
    key.write_text(SEALING_KEY)
    own = {"WISHWELL_SEALING_KEYS": "", "WISHWELL_SEALING_KEYS_FILE": str(key)}
    for mode, state in ((0o644, "note"), (0o600, "ok")):
        key.chmod(mode)
        line = doctor_lines(database, **own)["keys"]
        assert (line["state"], str(key) in line["says"]) == (state, state == "note")


def test_unsuitable_server_is_reported(postgres_server):
    """Too few connections, a database in SQL_ASCII and a pooler without timeouts are reported."""
    keys = {"WISHWELL_SIGNING_KEYS": "k" * 40, "WISHWELL_SEALING_KEYS": SEALING_KEY}
    url = postgres_server.create_database()
    with contextlib.closing(Service(keys | {"WISHWELL_DATABASE_URL": url})) as service:
        service.cli("init")
        what, says = bad_line(service, WISHWELL_WORKERS="64", WISHWELL_DATABASE_CONNECTIONS="500")
        assert (what, "32000 connections" in says) == ("servers", True)
        name = url.rpartition("/")[2]
        postgres_server.sql(
            f"CREATE DATABASE {name}_ascii ENCODING SQL_ASCII LC_COLLATE 'C' LC_CTYPE 'C'"
            " TEMPLATE template0"
        )
        service.settings["WISHWELL_DATABASE_URL"] = f"{url}_ascii"
        service.cli("init")
        line = doctor_lines(service)["servers"]
        assert (line["state"], "SQL_ASCII" in line["says"]) == ("note", True)
        if pgbouncer_binary() is None:
            missing("pgbouncer isn't installed")
        with contextlib.closing(PgBouncer(postgres_server, "session", 5)) as pooler:
            pooled = url.replace(f":{postgres_server.port}/", f":{pooler.port}/")
            what, says = bad_line(service, WISHWELL_DATABASE_URL=pooled)
            assert (what, "connection pooler" in says) == ("servers", True)
            for timeout in ("statement_timeout", "idle_in_transaction_session_timeout"):
                postgres_server.sql(f"ALTER DATABASE {name} SET {timeout} = '8s'")
        with contextlib.closing(PgBouncer(postgres_server, "session", 5)) as pooler:
            pooled = url.replace(f":{postgres_server.port}/", f":{pooler.port}/")
            assert doctor_lines(service, WISHWELL_DATABASE_URL=pooled)["servers"]["state"] == "ok"


@pytest.mark.slow
def test_failing_webhook_is_reported(database):
    """A failing webhook is reported without its URL."""
    allowed = {"WISHWELL_WEBHOOK_HTTP": "true", "WISHWELL_WEBHOOK_PRIVATE": "true"}
    with database.restart(settings=allowed) as service:
        service.quick("store", "update", "default", "--events", "on")
        url = f"http://{HERE}:{free_port()}/a-secret-of-the-receiver"
        [hook] = json.loads(service.quick("webhook", "create", url, "--json"))
        who = service.client(service.admin_token(), "gid://shopify/Customer/1")
        numbers = itertools.count(1)  # events are recorded once the process sees that they are on

        def fails():
            who.post("/items", json={"productId": next(numbers)})
            return doctor_lines(service)["webhooks"]["state"] == "bad"

        assert wait_until(fails, seconds=60, every=0.5)
        says = bad_line(service)[1]
        assert hook["id"] in says
        assert "a-secret" not in says


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [-60, 60])
def test_clock_that_differs_is_reported(database, tmp_path, seconds):
    """A clock that differs from the database's is reported."""
    (tmp_path / "clock").write_text(str(seconds))
    shifted = {"PYTHONPATH": str(CLOCK), "TEST_CLOCK": str(tmp_path / "clock")}
    done = database.run([database.command, "doctor"], env=database.environment | shifted)
    assert done.returncode == 1
    assert re.search(r"^bad +clock +The clock differs by 60 s from", done.stdout, re.MULTILINE), (
        done.stdout
    )


def test_times_in_the_future_are_reported(database):
    """Times in the future, written by a process with a wrong clock, are reported."""
    database.rows(
        "INSERT INTO leases (name, taken_at) VALUES ('purge', '2999-01-01T00:00:00.000Z')"
    )
    assert bad_line(database)[0] == "clock"


def test_late_jobs_are_reported(monkeypatch):
    """Late jobs are read from the running service's metrics; here every job counts as late."""
    monkeypatch.setattr(doctor, "_OVERDUE_SECONDS", -3600)
    monkeypatch.setattr(doctor, "_TIMEOUT_SECONDS", 20)
    with Service().start() as service, contextlib.chdir(service.folder):
        known = {"WISHWELL_PORT": service.url.rpartition(":")[2]}
        lines = asyncio.run(doctor.run_checks(config.load(known)))
    [line] = [line for line in lines if line.state == "bad"]
    assert line.what == "service"
    assert {"access_cache", "count", "purge"} <= set(re.findall(r"\w+", line.says))


@pytest.mark.slow
def test_unreachable_standby_is_reported():
    """An unreachable standby is reported, because each host of the URL is checked."""
    with PostgresServer() as primary, primary.standby() as standby:
        url = primary.create_database()
        both = url.replace(f":{primary.port}", f":{primary.port},{HERE}:{standby.port}")
        service = Service({"WISHWELL_DATABASE_URL": both, "WISHWELL_SIGNING_KEYS": "k" * 40})
        service.cli("init")
        says = doctor_lines(service)["servers"]["says"]
        assert says == f"{HERE}:{primary.port} accepts writes; {HERE}:{standby.port} is a standby"
        standby.kill()
        assert f"{HERE}:{standby.port} can't be reached" in bad_line(service)[1]
