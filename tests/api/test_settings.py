"""Invalid settings, missing databases, timeouts and stopping."""

import base64
import contextlib
import hmac
import json
import time

import pytest

from tests.conftest import SIGNING_KEY, slow
from tests.servers import Service

from .conftest import connect, data, new_list, over_the_wire, refused, request_head, save

BAD = [
    ("WISHWELL_PORT", "abc"), ("WISHWELL_PORT", "65536"), ("WISHWELL_PORT", "8" * 5000), ("WISHWELL_WORKERS", "0"),
    ("WISHWELL_DATABASE_URL", "mysql://localhost/x"), ("WISHWELL_DATABASE_URL", "sqlite:///a%00b.db"),
    ("WISHWELL_DATABASE_URL", "postgresql://a,b/c?load_balance_hosts=even"),
    ("WISHWELL_DATABASE_URL", "postgresql:///c?host=a,b&port=1,2,3"),
    ("WISHWELL_JOURNAL", "folder/"),
    ("WISHWELL_SIGNING_KEYS", "short"), ("WISHWELL_SIGNING_KEYS", f"{SIGNING_KEY},"),
    ("WISHWELL_SIGNING_KEYS", "\udcff" * 40), ("WISHWELL_SIGNING_KEYS_FILE", "no-such-file"),
    ("WISHWELL_LIMIT_ADDRESS", "-1"), ("WISHWELL_LIMIT_SHARED", "0"), ("WISHWELL_LIMIT_ADDRESS", "1e3"),
    ("WISHWELL_TRUSTED_PROXIES", "everybody"), ("WISHWELL_TRUSTED_PROXIES", "10.0.0.0/99"),
    ("WISHWELL_SESSION_NAMESPACE", "a/b"), ("WISHWELL_SESSION_DAYS", "-1"), ("WISHWELL_ITEMS_PER_PROFILE", "0"),
    ("WISHWELL_REDIS_URL", "http://localhost"), ("WISHWELL_REDIS_URL", "redis://127.0.0.1?foo=1"),
    ("WISHWELL_REDIS_URL", "redis://127.0.0.1:99999"), ("WISHWELL_REDIS_URL", "redis://[::1"),
    ("WISHWELL_REDIS_URL", "rediss://127.0.0.1?ssl_ca_certs=no-such-file"),
    ("WISHWELL_WEBHOOK_HTTP", "yes"), ("WISHWELL_ADMIN", "true"), ("WISHWELL_WEBHOOK_PRIVATE", "1"),
    ("WISHWELL_EVENTS_DAYS", "3.9"), ("WISHWELL_EVENTS_DAYS", "3651"), ("WISHWELL_LOG_LEVEL", "loud"),
    ("WISHWELL_BODY_MEMORY", "3"), ("WISHWELL_PROT", "8000"), ("WISHWELL_KEY_SET_SECONDS", "0"),
    ("WISHWELL_MAX_UNPACKED_BYTES", "4G"),
    ("WISHWELL_SIGNING_KEYS_FILE", "/dev/null"),
]  # fmt: skip


@pytest.fixture(scope="module")
def idle():
    """A service that is never started: a folder with a database, and the command."""
    service = Service()
    service.cli("init")
    yield service
    service.close()


def refuses_to_start(service: Service, **settings: str) -> str:
    kept = dict(service.settings)
    service.settings |= settings
    try:
        done = service.cli("serve", check=False)
    finally:
        service.settings = kept
    assert done.returncode != 0
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


@pytest.mark.parametrize(("name", "value"), BAD, ids=lambda text: text[:32])
def test_bad_setting_stops_the_start_and_is_named(idle, name, value):
    """A bad setting stops the start with a message that names it. Rule: setting-invalid."""
    code, _, said = idle.attempt("serve", **{name: value})
    assert code not in (0, 70) and name in said, said


@pytest.mark.parametrize("host", ["a..b", *map(slow, ("300.1.1.1", "x" * 300, "[::1]", "\udcff"))])
def test_bad_host_stops_the_start_and_is_named(idle, host):
    """A bad host, which shows only when the socket is bound, is named too.
    Rule: setting-invalid."""
    assert "WISHWELL_HOST" in refuses_to_start(idle, WISHWELL_HOST=host)


def test_all_bad_settings_are_named_together(idle):
    """All bad settings are named together in one line. Rule: setting-invalid."""
    bad = {"WISHWELL_PORT": "x", "WISHWELL_WORKERS": "y", "WISHWELL_REDIS_URL": "redis://h?a=1"}
    said = refuses_to_start(idle, **bad)
    assert [name for name in bad if name not in said] == []
    assert said.count("\n") == 1


def is_signed(service: Service) -> bool:
    """Returns whether the tests' signing key signs the service's tokens."""
    admin = service.client(service.admin_token())
    token = data(admin.post("/profiles/token"), 201)["token"]
    text, _, signature = token.rpartition(".")
    ours = hmac.digest(SIGNING_KEY.encode(), text.encode(), "sha256")
    return signature == base64.urlsafe_b64encode(ours).rstrip(b"=").decode()


@pytest.mark.parametrize(("plain", "file"), [("", "keys"), (SIGNING_KEY, " ")])
def test_empty_setting_counts_as_not_set(plain, file):
    """An empty value counts as not set, and a line end in a file isn't part of its value.
    Rule: setting-invalid."""
    service = Service({"WISHWELL_SIGNING_KEYS": plain, "WISHWELL_SIGNING_KEYS_FILE": file})
    (service.folder / "keys").write_text(f"{SIGNING_KEY}\n")
    with service:
        assert is_signed(service)


@pytest.mark.slow
def test_start_fails_without_a_signing_key_or_schema_or_with_two_secrets(postgres_server, idle):
    """A start fails if a secret is set in both forms, a server database has no signing key, or its
    schema is missing.
    Rules: setting-invalid, signing-keys, migrate-once."""
    (idle.folder / "keys").write_text(SIGNING_KEY)
    keys = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY}
    assert "both set" in refuses_to_start(idle, **keys, WISHWELL_SIGNING_KEYS_FILE="keys")
    database = {"WISHWELL_DATABASE_URL": postgres_server.create_database()}
    assert "WISHWELL_SIGNING_KEYS" in refuses_to_start(idle, **database)
    assert "is empty" in refuses_to_start(idle, **keys, **database)


# xdist runs the group in one process, so its service starts once.
ADJUSTED = pytest.mark.xdist_group("adjusted")


@pytest.fixture(scope="module")
def adjusted():
    """A service whose settings all differ from the defaults, with its keys in a file."""
    settings = {"SIGNING_KEYS_FILE": "keys", "SESSION_NAMESPACE": "acme"}
    settings |= {"ITEMS_PER_PROFILE": "2", "LISTS_PER_PROFILE": "1"}
    settings |= {"HEADER_TIMEOUT": "0.5", "BODY_TIMEOUT": "0.5"}
    settings |= {f"LIMIT_{name}": str(limit) for name, limit in LIMITS.items()}
    service = Service({f"WISHWELL_{name}": value for name, value in settings.items()})
    (service.folder / "keys").write_text(f"{SIGNING_KEY}\n")
    with service:
        yield service


LIMITS = {"PROFILE_READ": 51, "PROFILE_WRITE": 52, "PROFILE_TOKEN": 53}
LIMITS |= {"ADMIN_READ": 54, "ADMIN_WRITE": 55, "ADMIN_TOKEN": 56, "ADDRESS": 57}


@ADJUSTED
def test_limits_can_be_set(adjusted):
    """Rate limits and profile limits can be set.
    Rules: setting-invalid, limit-caller, profile-limits."""
    admin = adjusted.client(adjusted.admin_token())
    profile = adjusted.client(data(admin.post("/profiles/token"), 201)["token"])
    answers = [http.request(*what) for http in (profile, admin) for what in EACH_KIND]
    answers.append(adjusted.client().get("/items"))
    assert [int(answer.headers["X-RateLimit-Limit"]) for answer in answers] == [*LIMITS.values()]
    save(profile, 1), save(profile, 2), new_list(profile)
    refused(profile.post("/items", json={"productId": 3}), 400, "2", "items")
    refused(profile.post("/lists", json={"name": "x"}), 400, "1", "list")


EACH_KIND = [("GET", "/items"), ("DELETE", "/items/x"), ("POST", "/profiles/identify")]


@ADJUSTED
def test_namespace_of_sessions_can_be_set(adjusted):
    """The namespace of session GIDs can be set. Rule: profile-gid."""
    admin = adjusted.client(adjusted.admin_token())
    issued = data(admin.post("/profiles/token"), 201)
    assert issued["profile"].startswith("gid://acme/Session/")
    assert data(admin.get("/items", headers={"Profile": issued["profile"]})) == []
    assert data(admin.post("/profiles/token", json={"session": issued["profile"]}), 201)


TYPE = "Content-Type: application/json"


@ADJUSTED
def test_unfinished_request_is_408_and_closes_the_connection(adjusted):
    """Headers and bodies that never end are 408, and the connection closes.
    Rule: request-limits."""
    token = adjusted.admin_token()
    head = request_head("POST", "/profiles/token", token, TYPE, "Content-Length: 20")
    whole = request_head("GET", "/items", token)
    parts = {"header": head[:-10], "line": b"GE", "second header": whole + head[:-10]}
    parts |= {"body": head + b'{"customer":'}
    got = {name: over_the_wire(adjusted, part, patience=30) for name, part in parts.items()}
    assert {name: answer.closed for name, answer in got.items()} == dict.fromkeys(parts, True)
    timed_out = {name: b"HTTP/1.1 408 " in answer.everything for name, answer in got.items()}
    assert timed_out == dict.fromkeys(parts, True)
    assert json.loads(got["body"].body)["error"]["statusCode"] == 408
    silent = over_the_wire(adjusted, b"", patience=30)
    assert (silent.closed, silent.everything) == (True, b"")


LONG = (TYPE, "Content-Length: 100000")
# The bytes sent immediately after the request line; then single bytes follow now and then.
TRICKLING = {
    "headers on a kept connection": ("GET", "/items", (), b"GET /"),
    "body of an early answer": ("POST", "/items", LONG, b""),
    "body of an unknown path": ("POST", "/nothing", LONG, b""),
    "extension of a chunk": ("POST", "/items", (TYPE, "Transfer-Encoding: chunked"), b"1;"),
}


@ADJUSTED
@pytest.mark.parametrize("name", TRICKLING)
def test_trickling_bytes_do_not_extend_a_timeout(adjusted, name):
    """Trickling single bytes doesn't extend a timeout. Rule: request-limits."""
    method, path, lines, first = TRICKLING[name]
    head = request_head(method, path, None, *lines)
    began, received = time.monotonic(), b""
    with contextlib.suppress(ConnectionError), connect(adjusted, 0.1) as held:
        held.sendall(head + first)
        while time.monotonic() - began < 30:
            with contextlib.suppress(TimeoutError):
                piece = held.recv(65536)
                received += piece
                if not piece:
                    break
            held.sendall(b"x")
        else:
            pytest.fail("the connection was held for 30 s, by a byte now and then")
    assert received.startswith((b"HTTP/1.1 401 ", b"HTTP/1.1 404 "))
    assert name != "headers on a kept connection" or b"HTTP/1.1 408 " in received


@pytest.mark.slow
def test_port_in_use_gets_a_clear_message(idle):
    """A port that is taken fails the start with a message that names it. Rule: init-explicit."""
    with Service() as service:
        port = service.url.rpartition(":")[2]
        said = refuses_to_start(idle, WISHWELL_PORT=port)
        assert port in said or "WISHWELL_PORT" in said
