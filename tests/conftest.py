"""Fixtures for real servers: both databases, Redis, the running program, and a new store per test."""

from __future__ import annotations

import functools
import json
import os
import secrets
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import httpcore2
import httpx2
import hypothesis
import pytest
from hypothesis import HealthCheck

from tests import repeated
from tests.security import secrets_in_print
from tests.servers import Cluster, PostgresServer, RedisServer, Service, redis_binary

ROOT = Path(__file__).parents[1]

# Tests that wait for a program of somebody else's, with its name. `.ci/run` runs them again if they
# failed. All others have to pass at the first attempt, however busy the machine is.
TIMING = {
    "tests/browser": "a browser",
    "tests/examples": "a browser, and other shops' servers",
    "tests/forward/test_web_servers.py": "the start of nginx and Caddy",
    "tests/service/test_alerts.py": "Prometheus' promtool",
    "tests/service/test_cluster.py": "a failover of PostgreSQL with Citus",
    "tests/service/test_failover.py": "a failover of PostgreSQL",
    "tests/service/test_patroni.py": "failovers by Patroni and HAProxy",
    "tests/service/test_pooler.py": "PgBouncer",
    "tests/test_limits.py": "Redis, which has 200 ms to answer",
}

# Tests of the API itself, whose PostgreSQL half is in `make test-slow`: tests/contract runs each
# use-case, and with it nearly every statement, on both engines.
ONE_ENGINE = tuple(ROOT / "tests" / name for name in ("api", "client", "http", "storefront"))

# How many times as many examples a property gets; `make test-examples` sets it.
EXAMPLES = int(os.environ.get("WISHWELL_TEST_EXAMPLES", "1"))
# No limit depends on how fast the machine is, and the quick tests try the same examples on each.
hypothesis.settings.register_profile(
    "tests",
    max_examples=40 * EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES == 1,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("tests")

SEALING_KEY = "a-sealing-key-of-the-tests-40-characters"
SIGNING_KEY = "a-signing-key-of-the-tests-40-characters"

# A local time zone other than UTC with an unusual offset, so that code which prints or compares
# local time fails visibly. This form of TZ needs no time zone files on the system.
ODD_CLOCK = {"TZ": "ODD-5:45"}


# Loading the system's certificates takes 20 ms of CPU, and each of the thousands of test clients
# would do it. Caching loads them once; the trusted set stays the same.
httpcore2.default_ssl_context = functools.cache(httpcore2.default_ssl_context)


def missing(reason: str) -> None:
    """Skips a test because a program isn't installed; fails it in CI, where the program is
    required."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; CI has to install it")
    pytest.skip(reason)


class File(NamedTuple):
    """Where a test file is."""

    path: str
    """Relative to the checkout, such as ``tests/api/test_items.py``."""
    group: str
    """The xdist group of its tests that name none, such as ``api-test_items``."""
    timing: tuple[str, ...]
    """Its reasons in ``TIMING``."""
    one_engine: bool
    """Whether it is in a folder of ``ONE_ENGINE``."""


@functools.cache  # thousands of tests are in a few hundred files, and paths are slow to compare
def _file(path: Path) -> File:
    return File(
        path.relative_to(ROOT).as_posix(),
        "-".join(path.relative_to(ROOT / "tests").with_suffix("").parts),
        tuple(reason for place, reason in TIMING.items() if path.is_relative_to(ROOT / place)),
        any(path.is_relative_to(folder) for folder in ONE_ENGINE),
    )


def _one_engine_is_enough(item: pytest.Item) -> bool:
    if item.get_closest_marker("both_engines"):
        return False
    return bool(item.get_closest_marker("either_engine")) or _file(item.path).one_engine


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    """Marks the PostgreSQL run of tests for which one engine is enough as slow, the tests of
    ``TIMING``, and those that `.ci/run` repeats elsewhere."""
    for item in items:
        file = _file(item.path)
        for reason in file.timing:
            item.add_marker(pytest.mark.timing(reason))
        engine = item.callspec.params.get("engine") if hasattr(item, "callspec") else None
        if engine == "postgresql" and _one_engine_is_enough(item):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.second_engine)
        for mark in repeated.marks(file.path, engine):
            item.add_marker(mark)
    yield
    # xdist runs each group in one process, and each file without groups, so that what its tests
    # share is made once. pytest-xdist 3.8 passes the group in an attribute that pytest 9.2 doesn't
    # read.
    if not config.getoption("loadgroup", False):
        return
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        named = sorted({mark.args[0] for mark in item.iter_markers("xdist_group")})
        group = "_".join(named) or _file(item.path).group
        groups.setdefault(group, []).append(item)
        if not item.nodeid.endswith(f"@{group}"):
            item._id = item.parent.id.child(f"{item.name}@{group}")
    # Browsers begin, and then the other groups that take long, so that none of them runs alone at the
    # end. The rest is mixed: tests of processes mostly wait, and would leave the processor idle.
    order = sorted(
        groups,
        key=lambda name: ("browser" not in name, len(groups[name]) < 50, zlib.crc32(name.encode())),
    )
    items[:] = [item for name in order for item in groups[name]]


def slow(*values: object, **options: Any) -> Any:
    """Returns a parameter set that only `make test-slow` tries."""
    return pytest.param(*values, marks=pytest.mark.slow, **options)


KINDS = [
    f"{caller}_{kind}" for caller in ("profile", "admin") for kind in ("read", "write", "token")
]
# Store options with rate limits that a long table of requests doesn't exhaust.
ROOMY = [word for kind in (*KINDS, "lists") for word in ("--limit", f"{kind}=1000000")]


class Member(NamedTuple):
    """A profile, one of its tokens, and a client that sends the token."""

    token: str
    gid: str
    http: httpx2.Client


class Shop:
    """A store for one test: its admin token, and clients for its customers and visitors."""

    def __init__(
        self,
        service: Service,
        *options: str,
        first: bool = False,
        usual: tuple[str, ...] = ("--notices", "opt-out"),
    ) -> None:
        """Creates the store; with ``first``, adopts the service's default store instead. ``usual``:
        options that come before the others, except for an old release, which lacks them."""
        self.service = service
        self.handle = f"shop-{secrets.token_hex(6)}"
        words = ("update", "default", "--handle") if first else ("create",)
        [self.record] = json.loads(
            service.quick("store", *words, self.handle, *usual, *options, "--json")
        )
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
        """Returns the GID of a customer of this store; a random one unless an id is given."""
        return f"gid://{self.platform}/Customer/{customer or secrets.token_hex(6)}"

    def token(self, **body: str) -> Member:
        """Requests a profile token with the admin token."""
        answer = self.admin.post("/profiles/token", json=body)
        assert answer.status_code == 201, answer.text
        issued = answer.json()["data"]
        ISSUED.setdefault(id(self.service), []).append(issued["token"])
        return Member(issued["token"], issued["profile"], self.client(issued["token"]))

    def session(self) -> Member:
        """Creates a visitor's session with a token."""
        return self.token()

    def customer(self, customer: str | None = None) -> Member:
        """Returns a token of a customer; of a new one unless an id is given."""
        return self.token(customer=self.gid(customer))

    def acting_as(self, gid: str) -> httpx2.Client:
        """Returns a client that sends the admin token and a `Profile` header."""
        return self.client(self.admin_token, gid)


# Tokens that the tests received, by service; none may appear in the program's output.
ISSUED: dict[int, list[str]] = {}


@pytest.fixture(scope="session", autouse=True)
def nothing_secret_is_printed():
    """After all tests: fails if a token, key, password or address of theirs was printed anywhere."""
    yield
    leaks = secrets_in_print.leaks()
    assert not leaks, f"printed, or in an error or a metric: {leaks}"


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server, or the Citus cluster that WISHWELL_TEST_CITUS names."""
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


def _new_service(database: str, server: PostgresServer | None, **settings: str) -> Service:
    """Returns a service, not started, on an embedded database or a server's."""
    common = {"WISHWELL_DATABASE_URL": database, "WISHWELL_SIGNING_KEYS": SIGNING_KEY}
    if server and server.spread:  # the cluster's servers share this machine
        common["WISHWELL_DATABASE_TIMEOUT"] = "10"
    service = Service(common | settings, env=ODD_CLOCK)
    if server:
        service.cli("migrate", *["--cluster"] * server.spread)
        service.settings["WISHWELL_DATABASE_URL"] = server.asked(database)
    return service


@pytest.fixture(scope="session")
def new_service(engine, request):
    """A factory for services on new databases of the engine, not yet started; stops them at the
    end."""
    made: list[Service] = []

    def make(**settings: str) -> Service:
        database, server = "sqlite:///wishwell.db", None
        if engine == "postgresql":
            server = request.getfixturevalue("postgres_server")
            database = server.create_database()
        made.append(_new_service(database, server, **settings))
        return made[-1]

    yield make
    for service in made:
        service.close()


def _shared(service: Service):
    """Runs the service that tests share, and checks what it printed."""
    yield service.start()
    assert service.running, f"the service ended by itself\n{service.output()[-4000:]}"
    service.stop()
    printed = service.output()
    leaked = [token for token in ISSUED.pop(id(service), []) if token in printed]
    service.close()
    assert not leaked, "the service printed tokens"
    assert "Traceback" not in printed, printed[printed.index("Traceback") :][:4000]


SHARED = {"WISHWELL_SEALING_KEYS": SEALING_KEY}
SHARED |= {f"WISHWELL_LIMIT_{kind}": "100000" for kind in ("ADDRESS", "SHARED")}


@pytest.fixture(scope="session")
def sqlite_service():
    yield from _shared(_new_service("sqlite:///wishwell.db", None, **SHARED))


@pytest.fixture(scope="session")
def postgresql_service(postgres_server):
    database = postgres_server.create_database()
    yield from _shared(_new_service(database, postgres_server, **SHARED))


@pytest.fixture(scope="session")
def service(engine, request) -> Service:
    """The program, shared by all tests that need no settings of their own. It goes on when a file's
    tests change to the other engine, as each file's do."""
    return request.getfixturevalue(f"{engine}_service")


@pytest.fixture
def make_shop(service):
    """A factory for stores of the shared service; takes options of `wishwell store create`."""
    return lambda *options: Shop(service, *options)


@pytest.fixture
def shop(make_shop) -> Shop:
    """A new store, so that no test sees another's data or uses up its rate limits."""
    return make_shop()


@pytest.fixture
def roomy_shop(make_shop) -> Shop:
    """A new store with rate limits that a long table of requests doesn't reach."""
    return make_shop(*ROOMY)
