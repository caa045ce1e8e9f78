"""Fixtures of real servers: both databases, Redis, the running program, and a store for each test."""

from __future__ import annotations

import functools
import json
import os
import secrets
from typing import Any, NamedTuple

import httpcore2
import httpx2
import pytest

from tests.security import secrets_in_print
from tests.servers import Cluster, PostgresServer, RedisServer, Service, redis_binary

SEALING_KEY = "a-sealing-key-of-the-tests-40-characters"
SIGNING_KEY = "a-signing-key-of-the-tests-40-characters"

# Local time that is not UTC, in whole-minute offsets that nobody expects: a time that is printed
# or compared in local time shows at once. The form needs no time zone files on the system.
ODD_CLOCK = {"TZ": "ODD-5:45"}


# Reading the certificates of this system takes 20 ms of a core, and each of the thousands of clients
# of the tests would do so. They are read once; what is trusted stays the same.
httpcore2.default_ssl_context = functools.cache(httpcore2.default_ssl_context)


def missing(reason: str) -> None:
    """Skips a test for want of a program; in CI, which has to install it, the test fails."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; CI has to install it")
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    """What has nothing to do with the engine is quick on one of them."""
    for item in items:
        engine = item.callspec.params.get("engine") if hasattr(item, "callspec") else None
        if engine == "postgresql" and item.get_closest_marker("either_engine"):
            item.add_marker(pytest.mark.slow)
    yield
    # pytest-xdist 3.8 says the group of a test in an attribute that pytest 9.2 does not read: each
    # process would start what a group shares, and its tests would come in any order.
    for item in items if config.getoption("loadgroup", False) else ():
        groups = sorted({mark.args[0] for mark in item.iter_markers("xdist_group")})
        if groups and "@" not in item.nodeid:
            item._id = item.parent.id.child(f"{item.name}@{'_'.join(groups)}")


def slow(*values: object, **options: Any) -> Any:
    """Values of a parametrized test that are tried in `make test-slow` only."""
    return pytest.param(*values, marks=pytest.mark.slow, **options)


KINDS = [
    f"{caller}_{kind}" for caller in ("profile", "admin") for kind in ("read", "write", "token")
]
# Options of a store that a long table of requests doesn't exhaust.
ROOMY = [word for kind in (*KINDS, "lists") for word in ("--limit", f"{kind}=1000000")]


class Member(NamedTuple):
    """A profile with a token of its own."""

    token: str
    gid: str
    http: httpx2.Client


class Shop:
    """A store of its own: an admin token, and clients for whoever comes by."""

    def __init__(self, service: Service, *options: str, first: bool = False) -> None:
        """With ``first`` it is the store that the service begins with."""
        self.service = service
        self.handle = f"shop-{secrets.token_hex(6)}"
        words = ("update", "default", "--handle") if first else ("create",)
        [self.record] = json.loads(service.quick("store", *words, self.handle, *options, "--json"))
        self.id: str = self.record["id"]
        self.platform: str = self.record["platform"]
        self.admin_token = self.another_admin_token("test")
        self.admin = self.client(self.admin_token)
        self.anonymous = self.client()

    def client(self, token: str | None = None, profile: str | None = None) -> httpx2.Client:
        return self.service.client(token, profile)

    def another_admin_token(self, label: str = "another", *options: str) -> str:
        token = self.service.create_token(self.handle, label, *options)
        ISSUED.setdefault(id(self.service), []).append(token)
        return token

    def update(self, *options: str) -> None:
        self.service.quick("store", "update", self.handle, *options)

    def gid(self, customer: str | None = None) -> str:
        """The GID of a customer of this store, of a new one when none is named."""
        return f"gid://{self.platform}/Customer/{customer or secrets.token_hex(6)}"

    def token(self, **body: str) -> Member:
        """Ask for a profile token with the admin token."""
        answer = self.admin.post("/profiles/token", json=body)
        assert answer.status_code == 201, answer.text
        issued = answer.json()["data"]
        ISSUED.setdefault(id(self.service), []).append(issued["token"])
        return Member(issued["token"], issued["profile"], self.client(issued["token"]))

    def session(self) -> Member:
        """A new visitor."""
        return self.token()

    def customer(self, customer: str | None = None) -> Member:
        """A customer, signed in."""
        return self.token(customer=self.gid(customer))

    def acting_as(self, gid: str) -> httpx2.Client:
        """The admin token with a `Profile` header."""
        return self.client(self.admin_token, gid)


# Every token handed out, by service: none of them may ever be in what the program prints.
ISSUED: dict[int, list[str]] = {}


@pytest.fixture(scope="session", autouse=True)
def nothing_secret_is_printed():
    """After all tests: none of their tokens, keys, passwords and addresses was printed anywhere."""
    yield
    leaks = secrets_in_print.leaks()
    assert not leaks, f"printed, or in an error or a metric: {leaks}"


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL; the cluster, if one is named."""
    named = os.environ.get("WISHWELL_TEST_CITUS")
    with Cluster(named) if named else PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server():
    if redis_binary() is None:
        missing("neither redis-server nor valkey-server is on PATH")
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def engine(request) -> str:
    return request.param


@pytest.fixture(scope="session")
def new_service(engine, request):
    """Make a service on a new database of the engine, not started yet; what it makes is closed."""
    made: list[Service] = []

    def make(**settings: str) -> Service:
        database = "sqlite:///wishwell.db"
        if engine == "postgresql":
            server = request.getfixturevalue("postgres_server")
            database = server.create_database()
        common = {"WISHWELL_DATABASE_URL": database, "WISHWELL_SIGNING_KEYS": SIGNING_KEY}
        if engine == "postgresql" and server.spread:  # several servers share this machine
            common["WISHWELL_DATABASE_TIMEOUT"] = "10"
        service = Service(common | settings, env=ODD_CLOCK)
        made.append(service)
        if engine == "postgresql":
            service.cli("migrate", *["--cluster"] * server.spread)
            service.settings["WISHWELL_DATABASE_URL"] = server.asked(database)
        return service

    yield make
    for service in made:
        service.close()


@pytest.fixture(scope="session")
def service(new_service):
    """The program, shared by every test that needs no settings of its own."""
    settings = {"WISHWELL_SEALING_KEYS": SEALING_KEY}
    settings |= {f"WISHWELL_LIMIT_{kind}": "100000" for kind in ("ADDRESS", "SHARED")}
    service = new_service(**settings).start()
    yield service
    assert service.running, f"the service ended by itself\n{service.output()[-4000:]}"
    service.stop()
    printed = service.output()
    leaked = [token for token in ISSUED.pop(id(service), []) if token in printed]
    assert not leaked, "the service printed tokens"
    assert "Traceback" not in printed, printed[printed.index("Traceback") :][:4000]


@pytest.fixture
def make_shop(service):
    """Make a new store of the shared service, with options of `wishwell store create`."""
    return lambda *options: Shop(service, *options)


@pytest.fixture
def shop(make_shop) -> Shop:
    """A new store, so that no test sees the data or uses up the rate limits of another."""
    return make_shop()


@pytest.fixture
def roomy_shop(make_shop) -> Shop:
    """A new store whose rate limits a long table of requests doesn't reach."""
    return make_shop(*ROOMY)
