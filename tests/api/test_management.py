"""The description, health, metrics, browsers of other sites, the log."""

import json
import re
import uuid

import pytest

from tests.servers import PREFIX

from .conftest import (
    RATE_HEADERS,
    data,
    envelope,
    has_standard_headers,
    new_list,
    over_the_wire,
    refused,
    request_head,
    save,
    soon,
)

OPERATIONS = {
    "/items": {"get", "post", "delete"},
    "/items/{itemId}": {"get", "patch", "delete"},
    "/items/{itemId}/lists": {"put"},
    "/lists": {"get", "post"},
    "/lists/{listId}": {"get", "patch", "delete"},
    "/lists/{listId}/items/order": {"put"},
    "/profiles/identify": {"post"},
    "/profiles/token": {"post"},
    "/events": {"get"},
    "/products": {"get", "put"},
    "/products/{productId}": {"get", "put", "delete"},
    "/webhooks": {"get", "post"},
    "/webhooks/{webhookId}": {"get", "patch", "delete"},
    "/webhooks/{webhookId}/secret": {"post"},
    "/webhooks/{webhookId}/test": {"post"},
    "/webhooks/{webhookId}/replays": {"post"},
    "/webhooks/{webhookId}/deliveries": {"get"},
    "/webhooks/{webhookId}/deliveries/{deliveryId}/retry": {"post"},
    "/lists/{listId}/shares": {"get", "post"},
    "/lists/{listId}/shares/{shareId}": {"patch", "delete"},
    "/shared/{token}": {"get"},
    "/shared/{token}/copies": {"post"},
    "/shared/{token}/items/{itemId}/reservation": {"put", "delete"},
}


# --- the description -----------------------------------------------------------------------------


@pytest.fixture(scope="session")
def described(service):
    """The description, with every path as it is below the version prefix."""
    answer = service.client().get("/.well-known/openapi")
    assert answer.status_code == 200
    has_standard_headers(answer)
    document = answer.json()
    document["paths"] = {
        path.removeprefix(PREFIX): item for path, item in document["paths"].items()
    }
    return document


def resolved(document: dict, node: dict) -> dict:
    while "$ref" in node:
        target = document
        for word in node["$ref"].removeprefix("#/").split("/"):
            target = target[word.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def every(node):
    yield node
    for child in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from every(child)


def test_description_needs_no_token_and_is_openapi_3_1(described):
    """contract: openapi-served. OpenAPI 3.1 as JSON, without a token."""
    assert described["openapi"].startswith("3.1")
    assert described["info"]["version"] == "2025-04"


def test_description_has_every_operation(described):
    """contract: openapi-complete. Every operation that there is, and no other."""
    methods = {"get", "put", "post", "patch", "delete"}
    found = {path: methods & set(item) for path, item in described["paths"].items()}
    found.pop("/.well-known/openapi", None)
    assert found == OPERATIONS
    ids = [
        described["paths"][path][method]["operationId"]
        for path in OPERATIONS
        for method in OPERATIONS[path]
    ]
    assert len(set(ids)) == len(ids)


def test_description_refers_to_nothing_that_is_missing(described):
    """contract: openapi-complete. A description that tools can read, all within itself."""
    references = [
        node["$ref"]
        for node in every(described)
        if isinstance(node, dict) and isinstance(node.get("$ref"), str)
    ]
    assert references and all(reference.startswith("#/") for reference in references)
    for reference in references:
        assert resolved(described, {"$ref": reference})


def test_description_has_every_status_header_and_example(described):
    """contract: openapi-complete. Every status, header and example."""
    for path, methods in OPERATIONS.items():
        for method in methods:
            operation = described["paths"][path][method]
            statuses = set(operation["responses"])
            assert {"400", "401", "429", "503"} <= statuses, f"{method} {path}: {sorted(statuses)}"
            assert {"404"} <= statuses or ("{" not in path and not path.startswith("/profiles"))
            if "requestBody" in operation:
                assert {"413", "415"} <= statuses, f"{method} {path}"
                content = resolved(described, operation["requestBody"])["content"][
                    "application/json"
                ]
                assert "example" in json.dumps(content), f"{method} {path} has no example"
            for status, response in operation["responses"].items():
                headers = {
                    name.lower() for name in resolved(described, response).get("headers", {})
                }
                wanted = {name.lower() for name in (*RATE_HEADERS, "X-Request-Id")}
                wanted |= {"retry-after"} if status in ("429", "503") else set()
                wanted |= {"www-authenticate"} if status == "401" else set()
                assert wanted <= headers, f"{method} {path} {status}: {wanted - headers}"


def test_description_has_the_bounds(described):
    """contract: openapi-complete. Every bound."""
    text = json.dumps(described)
    for bound in (2**53 - 1, 1_000_000, 255, 250, 50, 20):
        assert re.search(rf'"(maximum|maxLength|maxItems|default)": {bound}\b', text), bound
    assert "recently_saved" in text and "oldest_saved" in text


def test_docs_page_loads_nothing_from_elsewhere(service):
    """contract: docs-page. A page to browse the description, all from here."""
    http = service.client()
    answer = http.get(f"{service.url}/docs")
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")
    assert not re.search(
        r"""(src|href|action)\s*=\s*["']?\s*(https?:)?//""", answer.text, re.IGNORECASE
    )
    assert not re.search(
        r"""@import|url\(\s*["']?(https?:)?//|(fetch|import)\(\s*["'](https?:)?//""",
        answer.text,
        re.IGNORECASE,
    )
    for target in re.findall(r"""<(?:script|link)[^>]*(?:src|href)=["']([^"'#]+)""", answer.text):
        if not target.startswith("data:"):
            assert http.get(str(answer.url.join(target))).status_code == 200, target


@pytest.mark.parametrize(
    "accept",
    ["text/html,application/xhtml+xml,*/*;q=0.8", "TEXT/HTML ; q=0.5", "text/*", "*/*", None],
)
def test_person_at_the_top_is_sent_to_the_docs_page(service, accept):
    """contract: docs-from-top. A browser and curl find the page; below a path of a proxy in front,
    too."""
    http = service.client()
    if accept is None:
        http.headers.pop("Accept")
    headers = {} if accept is None else {"Accept": accept}
    for method in ("GET", "HEAD"):
        answer = http.request(method, f"{service.url}/", headers=headers)
        assert answer.status_code == 303
        assert answer.headers["Location"] == "docs"
        assert answer.headers["Vary"] == "Accept"
        assert ("docs" in answer.text) == (method == "GET")
        assert not any(name.lower().startswith("x-ratelimit") for name in answer.headers)
    page = http.get(f"{service.url}/", headers=headers, follow_redirects=True)
    assert (page.status_code, page.url) == (200, f"{service.url}/docs")
    assert http.post(f"{service.url}/").status_code == 405


@pytest.mark.parametrize("accept", ["application/json", "image/*", "text/html;q=0", ""])
def test_program_at_the_top_finds_nothing(service, accept):
    """contract: docs-from-top. What takes no page gets the 404 of any other path."""
    envelope(service.client().get(f"{service.url}/", headers={"Accept": accept}), 404)


# --- health and metrics --------------------------------------------------------------------------


def test_health_is_asked_without_a_token(service):
    """contract: health-live, health-ready. Outside the prefix."""
    http = service.client()
    for path in ("/livez", "/readyz"):
        assert http.get(service.url + path).status_code == 200
        assert http.get(service.url + PREFIX + path).status_code == 404


def test_metrics_are_in_the_form_of_prometheus_and_name_nobody(service, shop):
    """contract: metrics-served. The route as a label, never the raw path."""
    member = shop.customer("metric-customer")
    saved = save(member.http, 1)
    data(member.http.get(f"/items/{saved['id']}"))
    odd = f"odd-{uuid.uuid4()}"
    member.http.get(f"/{odd}")
    answer = service.client().get(f"{service.url}/metrics")
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/plain")
    assert "# HELP" in answer.text and "# TYPE" in answer.text
    assert "/items/{itemId}" in answer.text or "/items/{item_id}" in answer.text
    for private in (
        saved["id"],
        member.gid,
        member.token,
        shop.admin_token,
        "metric-customer",
        odd,
    ):
        assert private not in answer.text


# --- browsers ------------------------------------------------------------------------------------

ORIGIN = "https://shop.example"
HOSTILE = [
    "https://evil.example",
    "http://shop.example",
    "https://shop.example:8443",
    "https://shop.example.evil.example",
]
HOSTILE += [
    "https://xshop.example",
    "null",
    "*",
    "https://SHOP.example.",
    "https://shop.example/",
    "shop.example",
]


@pytest.fixture
def open_shop(make_shop):
    """A store that two origins may call from."""
    return make_shop("--origin", ORIGIN, "--origin", "http://localhost:5173")


def preflight(shop, origin: str, method: str = "PATCH", path: str = "/items/x"):
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    headers["Access-Control-Request-Headers"] = "authorization,content-type"
    return shop.anonymous.options(path, headers=headers)


def names(answer, header: str) -> set[str]:
    return {word.strip().lower() for word in answer.headers.get(header, "").split(",")}


def test_origin_that_is_allowed_may_read_answers_and_their_headers(open_shop):
    """contract: cors-allowed. The headers of limits and the request id are exposed."""
    http = open_shop.customer("1").http
    for origin in (ORIGIN, "http://localhost:5173"):
        for answer in (
            http.get("/items", headers={"Origin": origin}),
            http.post("/items", json={"productId": 1}, headers={"Origin": origin}),
            http.get("/items/x", headers={"Origin": origin}),
            http.post("/items", json={"productId": 0}, headers={"Origin": origin}),
        ):
            assert answer.headers["Access-Control-Allow-Origin"] == origin
            assert {name.lower() for name in (*RATE_HEADERS, "X-Request-Id")} <= names(
                answer, "Access-Control-Expose-Headers"
            )
            assert "origin" in names(answer, "Vary")
            assert answer.headers.get("Access-Control-Allow-Credentials") != "true"


def test_origin_that_is_not_allowed_gets_no_permission(open_shop):
    """contract: cors-refused. None of the headers that permit."""
    http = open_shop.customer("1").http
    for origin in HOSTILE:
        answer = http.get("/items", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in answer.headers, origin
        assert "Access-Control-Allow-Origin" not in preflight(open_shop, origin).headers, origin


def test_origin_of_another_store_gets_no_permission(open_shop, make_shop):
    """contract: cors-refused, store-isolation. What another store allows does not count."""
    other = make_shop().customer("1").http
    assert (
        "Access-Control-Allow-Origin" not in other.get("/items", headers={"Origin": ORIGIN}).headers
    )


def test_preflight_of_an_allowed_origin_is_answered_without_a_token(open_shop):
    """contract: cors-preflight. Browsers send it without the token."""
    soon(lambda: "Access-Control-Allow-Origin" in preflight(open_shop, ORIGIN).headers)
    for method, path in (
        ("PATCH", "/items/x"),
        ("PUT", "/items/x/lists"),
        ("DELETE", "/items"),
        ("POST", "/lists"),
    ):
        answer = preflight(open_shop, ORIGIN, method, path)
        assert answer.status_code in (200, 204)
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        assert method.lower() in names(answer, "Access-Control-Allow-Methods")
        assert {"authorization", "content-type"} <= names(answer, "Access-Control-Allow-Headers")
        assert "origin" in names(answer, "Vary")


def test_origin_that_is_added_later_is_allowed_soon(open_shop):
    """contract: store-change-seen. Allowed browser origins are the store's, and change with it."""
    http = open_shop.customer("1").http
    fresh = f"https://{uuid.uuid4().hex}.example"
    assert (
        "Access-Control-Allow-Origin" not in http.get("/items", headers={"Origin": fresh}).headers
    )
    open_shop.update("--origin", fresh)
    soon(
        lambda: (
            http.get("/items", headers={"Origin": fresh}).headers.get("Access-Control-Allow-Origin")
            == fresh
        )
    )


# --- the log -------------------------------------------------------------------------------------


def lines_of(service, request_id: str) -> list[str]:
    soon(lambda: any(request_id in line for line in service.log_lines()), within=3)
    return [line for line in service.log_lines() if request_id in line]


def test_each_request_is_one_line_of_json(service, shop):
    """contract: log-line. One JSON log line a request, with the request id."""
    http = shop.customer("1").http
    kept = new_list(http)
    answers = [
        http.get("/items"),
        http.get(f"/lists/{kept['id']}"),
        http.get("/items/x"),
        http.get("/nothing"),
    ]
    answers += [
        shop.anonymous.get("/items"),
        http.post("/items", json={"productId": 1}),
        http.patch("/items"),
    ]
    for answer in answers:
        [line] = lines_of(service, answer.headers["X-Request-Id"])
        entry = json.loads(line)
        assert answer.status_code in entry.values(), entry
        assert answer.request.method in entry.values(), entry
    assert all(isinstance(json.loads(line), dict) for line in service.log_lines())


def test_log_line_names_the_kind_of_caller(service, shop):
    """contract: log-line. With a valid token the caller: an admin, a customer or a session."""
    callers = {"admin": shop.admin, "customer": shop.customer("1").http}
    for kind, http in (callers | {"session": shop.session().http}).items():
        [line] = lines_of(service, http.get("/items").headers["X-Request-Id"])
        assert json.loads(line)["caller"] == kind


def test_log_holds_no_token_address_or_body(service, shop):
    """contract: log-private. Never a token, an e-mail address or a body."""
    member = shop.customer("1")
    secrets = ["ann.secret@example.com", "SecretListName", "secret-tag", "querysecret"]
    answers = [
        shop.admin.post("/profiles/identify", json={"email": secrets[0]}),
        member.http.post("/lists", json={"name": secrets[1]}),
        member.http.post("/items", json={"productId": 1, "tags": [secrets[2]]}),
        member.http.post(
            "/items",
            content=b'{"name":"SecretListName',
            headers={"Content-Type": "application/json"},
        ),
        shop.anonymous.get(f"/items?token={member.token}"),
        shop.anonymous.get(f"/items?access_token={shop.admin_token}"),
        member.http.post("/profiles/identify", json={"email": "ann.secret@example"}),
    ]
    for answer in answers:
        lines_of(service, answer.headers["X-Request-Id"])
    printed = service.output()
    for secret in (*secrets[:3], member.token, shop.admin_token, member.token.rpartition(".")[2]):
        assert secret not in printed


def test_log_line_cannot_be_forged(service, shop):
    """contract: log-private. CR, LF and the like in what is logged stay within one line."""
    mark = uuid.uuid4().hex
    for value in (f"a\x85{mark}", f"a\xe2\x80\xa8{mark}", f"a\tb{mark}"):
        lines = [
            f"X-Request-Id: {value}",
            f"User-Agent: {value}",
            f"Profile: {value}",
            "Connection: close",
        ]
        got = over_the_wire(
            service, request_head("GET", f"/items/%0a%0d{mark}", shop.admin_token, *lines)
        )
        assert got.status in (400, 404)
        [line] = lines_of(service, got.headers["x-request-id"])
        json.loads(line)
    refused(shop.admin.get(f"/items?x%0a{mark}=1"), 400)
    for line in service.log_lines():
        json.loads(line)
