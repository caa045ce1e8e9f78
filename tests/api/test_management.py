"""The API description, health, metrics, CORS and the log."""

import json
import re
import uuid

import pytest

from tests.conftest import SEALING_KEY
from tests.http.description import DOCUMENT
from tools import samples

from .conftest import RATE_HEADERS, over_the_wire, refused, request_head, soon

# --- the description -----------------------------------------------------------------------------


def test_description_is_served_without_a_token(service):
    """The description is served without a token, compressed on request. tests/http checks its
    content.
    Rule: openapi-complete."""
    for encoding in ("gzip", "identity"):
        headers = {"Accept-Encoding": encoding}
        answer = service.client().get("/.well-known/openapi", headers=headers)
        assert answer.headers.get("Content-Encoding", "identity") == encoding
        assert "Accept-Encoding" in answer.headers["Vary"]
        here = json.dumps(DOCUMENT).replace(samples.ADDRESS, service.url)
        assert answer.json() == json.loads(here)


def test_samples_have_the_host_of_the_request(shop):
    """The samples use the host that the request names, with https unless it is local; a host that
    could break out of a sample is never copied. Rule: openapi-complete."""
    for host, address in (
        ("wishes.example", "https://wishes.example"),
        ("localhost:9999", "http://localhost:9999"),
    ):
        answer = shop.admin.get("/.well-known/openapi", headers={"Host": host})
        sample = answer.json()["paths"]["/items"]["get"]["x-codeSamples"][0]["source"]
        assert f" {address}/api/2025-04/items " in sample
    answer = shop.admin.get("/.well-known/openapi", headers={"Host": "$(id)"})
    assert "$(id)" not in answer.text
    # Once a store names its hosts (other tests' stores may), a malformed host gets 404.
    assert answer.status_code == 404 or samples.ADDRESS in answer.text


def test_root_says_what_runs_and_links_to_existing_pages(service):
    """`/` is a page with working links, relative so that they work below a proxy's path; it needs no
    token and has no script. Rule: top-page."""
    http, top = service.client(), f"{service.url}/"
    page = http.get(top)
    assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert not any(name.lower().startswith("x-ratelimit") for name in page.headers)
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "Wishwell runs here" in page.text and "<script" not in page.text
    links = re.findall(r'<a href="([^"]+)"', page.text)
    assert links == ["admin/", "docs", "readyz"]
    assert [http.get(top + link).status_code for link in links] == [200, 200, 200]
    assert (http.head(top).status_code, http.post(top).status_code) == (200, 405)


# --- health and metrics --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["livez", "readyz", "metrics"])
def test_health_and_metrics_may_not_be_cached(service, path):
    """Health and metrics forbid caching; a cache in front would answer for a service that is down.
    Rule: response-uncached."""
    for method, status in (("GET", 200), ("HEAD", 200), ("POST", 405)):
        answer = service.client().request(method, f"{service.url}/{path}")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (status, "no-store")


# --- browsers ------------------------------------------------------------------------------------

ORIGIN = "https://shop.example"
HOSTILE = [
    *("https://evil.example", "http://shop.example", "https://shop.example:8443", "shop.example"),
    *("https://shop.example.evil.example", "https://xshop.example", "https://SHOP.example."),
    *("https://shop.example/", "null", "*"),
]
ALLOWED = "Access-Control-Allow-Origin"


@pytest.fixture
def open_shop(make_shop):
    """A store that allows two origins."""
    return make_shop("--origin", ORIGIN, "--origin", "http://localhost:5173")


def preflight(shop, origin: str, method: str = "PATCH", path: str = "/items/x"):
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    headers["Access-Control-Request-Headers"] = "authorization,content-type"
    return shop.anonymous.options(path, headers=headers)


def names(answer, header: str) -> set[str]:
    return {word.strip().lower() for word in answer.headers.get(header, "").split(",")}


def test_origin_that_is_allowed_may_read_answers_and_their_headers(open_shop):
    """An allowed origin may read responses, rate-limit headers and the request id.
    Rule: cors-allowed."""
    exposed = {name.lower() for name in (*RATE_HEADERS, "X-Request-Id")}
    http = open_shop.customer("1").http
    for origin in (ORIGIN, "http://localhost:5173"):
        http.headers["Origin"] = origin
        written = [http.post("/items", json={"productId": product}) for product in (0, 1)]
        for answer in (*written, http.get("/items"), http.get("/items/x")):
            assert answer.headers[ALLOWED] == origin
            assert exposed <= names(answer, "Access-Control-Expose-Headers")
            assert "origin" in names(answer, "Vary")
            assert answer.headers.get("Access-Control-Allow-Credentials") != "true"


def test_origin_that_is_not_allowed_gets_no_permission(open_shop, shop):
    """Other origins get no CORS headers, even if another store allows them.
    Rules: cors-allowed, store-isolation."""
    http = open_shop.customer("1").http
    for origin in HOSTILE:
        assert ALLOWED not in http.get("/items", headers={"Origin": origin}).headers, origin
        assert ALLOWED not in preflight(open_shop, origin).headers, origin
    other = shop.customer("1").http
    assert ALLOWED not in other.get("/items", headers={"Origin": ORIGIN}).headers


def test_preflight_of_an_allowed_origin_is_answered_without_a_token(open_shop):
    """A preflight is answered without a token, because browsers don't send one.
    Rule: cors-allowed."""
    soon(lambda: ALLOWED in preflight(open_shop, ORIGIN).headers)
    paths = {"PATCH": "/items/x", "PUT": "/items/x/lists", "DELETE": "/items", "POST": "/lists"}
    for method, path in paths.items():
        answer = preflight(open_shop, ORIGIN, method, path)
        assert answer.status_code in (200, 204)
        assert answer.headers[ALLOWED] == ORIGIN
        assert method.lower() in names(answer, "Access-Control-Allow-Methods")
        assert {"authorization", "content-type"} <= names(answer, "Access-Control-Allow-Headers")
        assert "origin" in names(answer, "Vary")


# --- the log -------------------------------------------------------------------------------------


def lines_of(service, request_id: str) -> list[str]:
    soon(lambda: any(request_id in line for line in service.log_lines()))
    return [line for line in service.log_lines() if request_id in line]


def test_each_request_is_one_line_of_json(service, shop):
    """Each request is one line of JSON with the request id and, with a valid token, the caller.
    Rule: log-private."""
    http = shop.customer("1").http
    callers = {"admin": shop.admin, "customer": http, "session": shop.session().http}
    answers = {kind: client.get("/items") for kind, client in callers.items()}
    more = [http.get("/items/x"), http.get("/nothing"), http.patch("/items")]
    more += [shop.anonymous.get("/items"), http.post("/items", json={"productId": 1})]
    for kind, answer in [*answers.items(), *((None, answer) for answer in more)]:
        [line] = lines_of(service, answer.headers["X-Request-Id"])
        entry = json.loads(line)
        assert (entry["status"], entry["method"]) == (answer.status_code, answer.request.method)
        assert kind is None or entry["caller"] == kind
    assert all(isinstance(json.loads(line), dict) for line in service.log_lines())


def test_line_of_a_sign_in_that_merges_has_both_profiles(service, shop):
    """The line of a sign-in that merges a session has the session and the customer; those of other
    requests have no session. Rule: log-private."""
    visitor, customer = shop.session(), shop.customer("1")
    visitor.http.post("/items", json={"productId": 1}).raise_for_status()
    body = {"customer": customer.gid, "session": visitor.gid}
    answers = [shop.admin.post("/profiles/token", json=body), customer.http.get("/items")]
    entries = [json.loads(lines_of(service, one.headers["X-Request-Id"])[0]) for one in answers]
    assert [one["profile"] for one in entries] == [customer.gid, customer.gid]
    assert [one.get("session") for one in entries] == [visitor.gid, None]


def test_log_has_no_query_and_no_body(service, shop):
    """The log contains no query and no body. Tokens and e-mail addresses in any output:
    tests/security/secrets_in_print.py.
    Rule: log-private."""
    http, json_type = shop.customer("1").http, {"Content-Type": "application/json"}
    for answer in (
        http.post("/lists", json={"name": "SecretName"}),
        http.post("/items", content=b'{"name":"SecretName', headers=json_type),
        http.get("/items?query=tag:SecretName"),
    ):
        lines_of(service, answer.headers["X-Request-Id"])
    assert "SecretName" not in service.output()


@pytest.mark.parametrize("given", ["5e6f" * 8, "0b9e6f0e-7d5c-4a0e-9a57-5a2e0c7b1d12"])
def test_request_id_of_a_proxy_is_kept(service, shop, given):
    """A UUID, with hyphens or without, is kept as the id of the request. Rule: error-envelope."""
    answer = shop.admin.get("/items/x", headers={"X-Request-Id": given})
    assert answer.headers["X-Request-Id"] == given
    assert answer.json()["error"]["requestId"] == given
    assert len(lines_of(service, given)) == 1


@pytest.mark.slow
def test_log_has_the_clients_network_only_if_configured(new_service):
    """With the setting, a request's line has the client's network, as the trusted proxy forwards it;
    without the setting, none. Rule: log-private."""
    settings = {"WISHWELL_TRUSTED_PROXIES": "127.0.0.1", "WISHWELL_SEALING_KEYS": SEALING_KEY}
    with new_service(**settings).start() as quiet:
        http = quiet.client(quiet.admin_token())
        [line] = lines_of(quiet, http.get("/items").headers["X-Request-Id"])
        assert "network" not in json.loads(line)
        quiet.restart(settings={"WISHWELL_LOG_NETWORKS": "on"})
        networks = {"192.0.2.77": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48"}
        for address, network in networks.items():
            for url in ("/items", f"{quiet.url}/apps/wishlist/api/items"):
                answer = http.get(url, headers={"X-Forwarded-For": address, "Authorization": ""})
                [line] = lines_of(quiet, answer.headers["X-Request-Id"])
                assert json.loads(line)["network"] == network
                assert address not in line


def test_log_line_cannot_be_forged(service, shop):
    """Line breaks in logged input can't begin a new log line. Rule: log-private."""
    mark = uuid.uuid4().hex
    for value in (f"a\x85{mark}", f"a\xe2\x80\xa8{mark}", f"a\tb{mark}"):
        lines = [f"{name}: {value}" for name in ("X-Request-Id", "User-Agent", "Profile")]
        path = f"/items/%0a%0d{mark}"
        head = request_head("GET", path, shop.admin_token, *lines, "Connection: close")
        got = over_the_wire(service, head)
        assert got.status in (400, 404)
        [line] = lines_of(service, got.headers["x-request-id"])
        json.loads(line)
    refused(shop.admin.get(f"/items?x%0a{mark}=1"), 400)
    for line in service.log_lines():
        json.loads(line)
