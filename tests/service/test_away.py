"""Responses to callers and probes while the database is unreachable or the service stops."""

import contextlib
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.api.conftest import envelope, request_head
from tests.conftest import SIGNING_KEY, Shop
from tests.faults.harness import step, with_clock
from tests.servers import Service, wait_until
from tests.servers.postgres import holding
from wishwell.access import auth

ORIGIN = "https://shop.example"
SETTINGS = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db", "WISHWELL_SIGNING_KEYS": SIGNING_KEY}


# xdist runs the group in one process, so the tests share a service.
SHARED = pytest.mark.xdist_group("away")


class Away:
    """A service whose tables can be hidden."""

    def __init__(self, service: Service) -> None:
        self.service, self.clock, self.ahead = service, with_clock(service, 0), 0.0
        service.start()
        self.shop = Shop(service, "--origin", ORIGIN, "--host", "http://away.example")

    @contextlib.contextmanager
    def without(self, table: str = "stores"):
        """Hides a table during a block, and advances the clock into the next minute. Without
        stores, cached state can't be renewed and expires."""
        self.service.rows(f"ALTER TABLE {table} RENAME TO hidden")
        self.ahead += 65 - (time.time() + self.ahead) % 60
        step(self.clock, self.ahead)
        try:
            yield
        finally:
            self.service.rows(f"ALTER TABLE hidden RENAME TO {table}")
            assert wait_until(lambda: self.status("/readyz") == 200, seconds=30)

    def status(self, path: str) -> int:
        return self.service.client().get(self.service.url + path).status_code


@pytest.fixture(scope="module")
def away():
    service = Service(SETTINGS | {"WISHWELL_LIMIT_ADDRESS": "5"})
    yield Away(service)
    service.close()


def remaining_requests(answer) -> int:
    return int(answer.headers["X-RateLimit-Remaining"])


@pytest.mark.slow
@SHARED
def test_unverifiable_token_is_503_and_counts_for_no_address(away):
    """A token that can't be checked is 503 and counts for no address; the readiness probe is 503
    too.
    Rules: limit-window, health-checks."""
    known, admin = away.shop.customer(), away.shop.admin
    assert known.http.get("/items").status_code == 200
    fresh = away.shop.customer()
    unknown = away.shop.client(auth.new_admin_token())
    with away.without():
        for http in (known.http, fresh.http, admin, unknown):
            for _ in range(7):
                answer = http.get("/items", headers={"Origin": ORIGIN})
                envelope(answer, 503)
                assert answer.headers["Retry-After"] == "1"
                assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        assert remaining_requests(answer) == 5
        # The database answers a ping, but every request is 503.
        assert (away.status("/readyz"), away.status("/livez")) == (503, 200)
    assert known.http.get("/items").status_code == 200
    # These requests weren't charged to the address, which still may guess five times.
    assert remaining_requests(away.shop.client("guess").get("/items")) == 4


@SHARED
def test_guesses_are_counted_while_the_database_is_unreachable(away):
    """Tokens of a wrong form or signature are 401 and counted, even without the database.
    Rule: limit-window."""
    head, payload, signature = away.shop.customer().token.split(".")
    turned = signature[:-2] + ("AA" if signature[-2:] != "AA" else "BB")
    guesses = ["nonsense", "wwadm_" + "A" * 49, f"{head}.{payload}.{turned}", f"{head}.{payload}."]
    with away.without():
        for spent, guess in enumerate(guesses, 1):
            answer = away.shop.client(guess).get("/items")
            envelope(answer, 401)
            assert remaining_requests(answer) == 5 - spent
        envelope(away.shop.anonymous.get("/items"), 401)
        envelope(away.shop.client(guesses[2]).get("/items"), 429)


@SHARED
def test_response_hides_internals_when_the_embedded_database_is_broken(away):
    """With a missing table the response is 503 without internals, which are logged.
    Rule: error-envelope."""
    http = away.shop.customer().http
    with away.without("items"):
        answer = http.get("/items")
    envelope(answer, 503)
    assert_only_logged(away.service, "unavailable", answer, "no such table")


@SHARED
def test_identify_reads_no_profile_and_reveals_nothing(away):
    """The response is the same whether the address is known, and doesn't read profiles.
    Rule: profile-email."""
    http = away.shop.customer().http
    known, other = {"email": "ann@example.com"}, {"email": "bob@example.com"}
    assert http.post("/profiles/identify", json=known).status_code == 200
    with away.without("profiles"):
        answers = [away.shop.admin.post("/profiles/identify", json=body) for body in (known, other)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].text == answers[1].text


@SHARED
@pytest.mark.parametrize("table", ["items", "lists", "shares"])
def test_pages_of_a_visitor_without_a_session_read_no_table(away, table):
    """Most shoppers have saved nothing; their pages are empty without a read.
    Rule: storefront-visitor."""
    url = f"{away.service.url}/apps/wishlist/api/{table}"
    head = {"Host": "away.example"}
    assert wait_until(lambda: httpx2.get(url, headers=head).status_code == 200, seconds=30)
    with away.without(table):
        queries = "", "?sort=price", "?include=product"
        answers = [httpx2.get(url + query, headers=head) for query in queries]
    assert [answer.json() for answer in answers] == [{"data": []}] * 3


@pytest.mark.slow
def test_readyz_is_503_when_the_database_has_lost_its_tables(postgres_server):
    """If tables are missing, the readiness probe fails although connections work; requests get 500.
    Rules: health-checks, error-envelope."""
    database = postgres_server.create_database()
    service = Service(SETTINGS | {"WISHWELL_DATABASE_URL": database})
    service.cli("init")
    with service.start():
        admin = service.client(service.admin_token())
        postgres_server.sql("ALTER TABLE stores RENAME TO hidden", database.rpartition("/")[2])
        # The process trusts its cache of stores for 4 s.
        assert wait_until(lambda: admin.get("/items").status_code == 500, seconds=30)
        answer = admin.get("/items")
        envelope(answer, 500)
        assert "X-RateLimit-Limit" in answer.headers
        assert_only_logged(service, "failed", answer, "UndefinedTable")
        assert httpx2.get(f"{service.url}/readyz").status_code == 503
        assert httpx2.get(f"{service.url}/livez").status_code == 200


def assert_only_logged(service: Service, event: str, answer: httpx2.Response, inside: str) -> None:
    """Asserts that the log has the internal reason under the request's id, and the response
    doesn't."""
    assert inside not in answer.text and "hidden" not in answer.text
    words = (f'"{event}"', answer.headers["X-Request-Id"], inside)
    said = lambda: any(all(word in line for word in words) for line in service.log_lines())  # noqa: E731
    assert wait_until(said, seconds=30)


# ------------------------------------------------------------------------------------- a stop


def begin_body(service: Service, token: str, *lines: str) -> socket.socket:
    """Returns a connection on which the service waits for a request's body."""
    words = ["Content-Type: application/json", "Content-Length: 30", "Expect: 100-continue"]
    host, port = service.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), 30)
    connection.sendall(request_head("POST", "/items", token, *words, *lines))
    assert connection.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
    return connection


def read_response(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Reads to the end of the connection; returns status, headers and body."""
    received = b""
    while piece := connection.recv(65_536):
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().lower().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_refusal_during_a_stop_has_rate_limit_and_cors_headers(workers):
    """A request that is refused during a stop has its caller's rate-limit and CORS headers. New
    connections aren't reported ready or left waiting.
    Rules: limit-window, cors-allowed, serve-workers."""
    settings = {"WISHWELL_SHUTDOWN_TIMEOUT": "5", "WISHWELL_WORKERS": workers}
    with Service(SETTINGS | settings) as service:
        shop = Shop(service, "--origin", ORIGIN, "--host", "http://away.example")
        member = shop.customer()
        assert member.http.get("/items").status_code == 200
        connection = begin_body(service, member.token, f"Origin: {ORIGIN}")
        service.process.terminate()
        assert wait_until(lambda: not _ready(service), seconds=30)
        status, headers, body = read_response(connection)
        assert status == 503
        assert "Nothing was done" in json.loads(body)["error"]["message"]
        assert headers["x-ratelimit-limit"] == "240"
        assert int(headers["x-ratelimit-remaining"]) == 239
        assert headers["access-control-allow-origin"] == ORIGIN
        assert headers["vary"] == "origin"
        assert headers["connection"] == "close"
        assert service.process.wait(60) == 0


def test_running_request_is_finished_during_a_stop():
    """During a stop, a running request whose body arrives in time is finished.
    Rule: serve-workers."""
    with Service(SETTINGS) as service:
        connection = begin_body(service, Shop(service).customer().token)
        service.process.terminate()
        assert wait_until(lambda: not _ready(service), seconds=30)
        time.sleep(0.5)  # the server waits a tenth of a second before it stops
        connection.sendall(b'{"productId":1,"quantity":100}')
        assert read_response(connection)[0] == 201
        assert service.process.wait(60) == 0


def _ready(service: Service) -> bool:
    """Returns whether the readiness probe succeeds. A refused connection means no; a timeout is an
    error."""
    try:
        return httpx2.get(f"{service.url}/readyz", timeout=4).status_code == 200
    except (httpx2.NetworkError, httpx2.RemoteProtocolError):
        return False


def test_readyz_says_when_requests_wait_for_locks(postgres_server):
    """While a transaction locks a table, `/readyz` is 200 and says how many statements wait.
    Rule: health-checks."""
    settings = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_DATABASE_TIMEOUT": "20"}
    settings["WISHWELL_DATABASE_URL"] = url = postgres_server.create_database()
    service = Service(settings)
    service.cli("init")

    def locks() -> str | None:
        answer = httpx2.get(f"{service.url}/readyz", timeout=10)
        return answer.raise_for_status().json().get("locks")

    with service, ThreadPoolExecutor(1) as threads:
        admin = service.client(service.admin_token())
        visitor = service.client(admin.post("/profiles/token").json()["data"]["token"])
        assert locks() is None
        with holding(url, "LOCK TABLE items"):
            waiting = threads.submit(visitor.get, "/items")
            assert wait_until(locks, seconds=15) and "statements wait for locks" in locks()
        assert waiting.result().status_code == 200
        assert locks() is None
