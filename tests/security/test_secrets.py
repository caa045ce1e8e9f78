"""Tokens, keys, e-mail addresses and passwords appear nowhere but where they belong."""

from __future__ import annotations

import os
import stat

import psutil
import pytest

from tests.api.conftest import data, refused, soon
from tests.security import secrets_in_print
from tests.servers import SECRETS, PostgresServer, ServerFailed, Service

PASSWORD = "a-password-that-is-no-word-7Qx"


LEAKS = [
    '{"token":"wwadm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"}',
    "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    *("remembered ann.secret@example.com", "?email=ann.secret%40example.com"),
    *("postgresql://shop:secret@db/wishwell", f"password {PASSWORD}"),
]


def test_secret_search_at_the_end_of_a_run_finds_tokens_and_addresses(service, shop):
    """The search after each test run finds this test's tokens and addresses in output and errors."""
    SECRETS.add(PASSWORD)
    assert all(secrets_in_print.leaks(f"before\n{line}\nafter") for line in LEAKS)
    assert not secrets_in_print.leaks('{"profile":"gid://shopify/Customer/1","token":"01a1fb2f"}')
    member, email = shop.customer("1"), f"a-{shop.handle}@shop.example"
    refused(member.http.get("/items/x"), 404)
    data(member.http.post("/profiles/identify", json={"email": email}))
    assert {member.token, shop.admin_token, email} <= SECRETS
    soon(lambda: member.gid in secrets_in_print.everything())
    assert "The item doesn't exist" in secrets_in_print.everything()


@pytest.fixture(scope="module")
def guarded():
    """A PostgreSQL that requires a password of one role, and the URL with the password."""
    with PostgresServer() as server:
        server.sql(f"CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'")
        server.sql("CREATE DATABASE guarded OWNER app")
        rules = server.data / "pg_hba.conf"
        rules.write_text("host all app 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        server.sql("SELECT pg_reload_conf()")
        yield server, f"postgresql://app:{PASSWORD}@127.0.0.1:{server.port}/guarded"


@pytest.mark.slow
def test_database_password_is_rotated_as_described(guarded):
    """The database password is rotated as in SECURITY.md and isn't printed."""
    server, url = guarded
    newer = PASSWORD[::-1]
    SECRETS.update((PASSWORD, newer))
    service = Service({"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": "k" * 40})
    service.cli("init")
    with service:
        data(service.client(service.admin_token()).get("/items"))
        server.sql(f"ALTER ROLE app PASSWORD '{newer}'")
        with pytest.raises(ServerFailed) as failed:
            service.restart(settings={"WISHWELL_DATABASE_URL": url})
        assert PASSWORD not in str(failed.value)
        service.restart(settings={"WISHWELL_DATABASE_URL": url.replace(PASSWORD, newer)})
        data(service.client(service.admin_token()).get("/items"))
        assert not secrets_in_print.leaks(service.output())
    assert PASSWORD not in server.output() and newer not in server.output().replace(
        f"ALTER ROLE app PASSWORD '{newer}'", ""
    )


PLACES = (
    "127.0.0.1:1/none",
    "127.0.0.1:1/none?bad=1",
    "127.0.0.1:port/none",
    "no.host.invalid/none",
)
ADDRESSES = [f"postgresql://app:{PASSWORD}@{place}" for place in PLACES]
ADDRESSES += [f"{scheme}://app:{PASSWORD}@127.0.0.1/none" for scheme in ("postgres+x", "mysql")]


@pytest.mark.parametrize("address", ADDRESSES)
def test_password_in_a_bad_database_url_is_not_shown(address):
    """A password in an invalid or unreachable database's URL isn't shown. Rule: secret-unseen."""
    service = Service({"WISHWELL_DATABASE_URL": address, "WISHWELL_SIGNING_KEYS": "k" * 40})
    for command in ("migrate", "serve", "purge"):
        code, out, err = service.attempt(command)
        assert code not in (0, 70)
        assert PASSWORD not in out + err
    service.close()


def test_files_that_the_service_creates_are_readable_by_their_owner_only():
    """The database, its journal and the key file are readable by their owner only, whatever the
    umask.
    Rule: secret-unseen."""
    service = Service()
    before = os.umask(0)
    try:
        service.start()
    finally:
        os.umask(before)
    with service:
        admin = service.client(service.admin_token())
        data(admin.post("/profiles/token"), 201)
        files = [path for path in service.folder.iterdir() if path.name.startswith("wishwell")]
        assert {"wishwell.db", "wishwell.db.key"} <= {path.name for path in files}
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
        assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}


def test_key_file_that_others_can_read_stops_the_start():
    """A key file that others can read stops the start. Rule: signing-keys."""
    service = Service()
    try:
        service.start()
        key = service.folder / "wishwell.db.key"
        token = data(service.client(service.admin_token()).post("/profiles/token"), 201)
        before = key.read_text()
        service.restart()
        data(service.client(token["token"]).get("/items"))
        service.stop()
        assert key.read_text() == before
        key.chmod(0o644)
        with pytest.raises(ServerFailed, match="chmod 600"):
            service.start()
    finally:
        service.close()


def test_no_process_has_a_secret_in_its_command_line(service, shop):
    """No secret is on a command line, which anybody on the machine can read.
    Rule: secret-unseen."""
    process = psutil.Process(service.process.pid)
    for member in (process, *process.children(recursive=True)):
        assert not secrets_in_print.leaks(" ".join(member.cmdline()))


def test_database_holds_only_hashed_tokens_and_email_addresses_of_profiles(shop, service, engine):
    """The database holds hashes of admin tokens, no profile tokens, and e-mail addresses of known
    profiles only.
    Rules: admin-token-hashed, profile-email."""
    known, nobodys = (f"{name}@{shop.handle}.example" for name in ("known", "nobodys"))
    member = shop.customer("1")
    data(member.http.post("/profiles/identify", json={"email": known}))
    data(shop.admin.post("/profiles/identify", json={"email": nobodys}))
    text = _held(service, engine)
    assert shop.handle in text and known in text
    for secret in (shop.admin_token, member.token, *member.token.split(".")[1:], nobodys):
        assert secret not in text


def _held(service, engine: str) -> str:
    """Returns all text in the database."""
    if engine == "postgresql":
        names = service.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return str([service.rows(f'SELECT t::text FROM "{name}" t') for (name,) in names])
    raw = b"".join(path.read_bytes() for path in service.folder.glob("wishwell.db*"))
    return raw.decode("latin-1")
