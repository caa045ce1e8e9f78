"""The error envelope, statuses, and unknown paths and methods."""

import json
import re

import pytest

from tests.http.description import DOCUMENT
from tests.servers import PREFIX

from .conftest import (
    data,
    envelope,
    in_one_window,
    is_uuid,
    new_list,
    nothing_changes,
    over_the_wire,
    products,
    refused,
    request_head,
    save,
    wrong,
)

SOME = "0190a8b0-0000-7000-8000-000000000000"


# --- paths, methods, versions --------------------------------------------------------------------


@pytest.mark.parametrize("path", DOCUMENT["paths"])
def test_unsupported_method_is_405_and_names_the_supported_ones(roomy_shop, path):
    """An unsupported method is 405 with the supported ones in `Allow`. Rule: error-envelope."""
    methods = {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"}
    known = methods & {name.upper() for name in DOCUMENT["paths"][path]}
    known |= {"HEAD"} if "GET" in known else set()
    for method in methods - known:
        answer = roomy_shop.admin.request(method, re.sub(r"{\w+}", SOME, path))
        refused(answer, 405)
        allowed = {word.strip() for word in answer.headers["Allow"].split(",")}
        assert allowed - {"OPTIONS"} == known, f"{method} {path}"


def test_unknown_path_is_404_with_the_error_envelope(shop):
    """An unknown path is 404 with the error envelope; rate limits apply only below `/api`.
    Rules: error-envelope, limit-window."""
    deep = (f"/items/{SOME}/", f"/items/{SOME}/list", f"/lists/{SOME}/things", "/items/a/b/c/d")
    ends = ("", "/", "/item", "/items/", "/items//", "/profile/", "/profiles/", "/profiles/token/")
    for path in (*deep, *ends, "/Items", "//items", "/.well-known", "/%00", "/%ff", "/../items"):
        refused(shop.admin.get(shop.service.url + PREFIX + path), 404)
    service = shop.service
    for path in ("/nothing", "/apix", "//", "/%00", "/..%2f..%2fetc/passwd"):
        answer = shop.anonymous.get(service.url + path)
        envelope(answer, 404)
        assert not any(name.lower().startswith("x-ratelimit") for name in answer.headers)
    assert shop.anonymous.post(service.url + "/livez").status_code == 405


def test_unknown_api_version_is_404_and_names_the_known_ones(service, shop):
    """An unknown API version is 404, and the message names the known one. Rule: error-envelope."""
    for version in ("2024-01", "latest", "2025-04x"):
        for path in ("/items", "/.well-known/openapi", "/nothing", ""):
            refused(shop.admin.get(f"{service.url}/api/{version}{path}"), 404, "2025-04")


def test_malformed_id_gets_the_same_error_as_an_unknown_one(shop):
    """A malformed id, an unknown one and an id of another record type get the same 404 message.
    Rule: token-scope."""
    member = shop.customer("1").http
    other = {"item": new_list(member)["id"], "list": save(member, 1)["id"]}
    for noun, put in (("item", ("/lists", "listIds")), ("list", ("/items/order", "itemIds"))):
        for id in ("x", SOME, other[noun], "x" * 500, "%00", "%ff", "%0d%0a"):
            path = f"/{noun}s/{id}"
            answers = [member.get(path), member.patch(path, json={}), member.delete(path)]
            answers.append(member.put(f"{path}{put[0]}", json={put[1]: []}))
            assert {refused(answer, 404) for answer in answers} == {f"The {noun} doesn't exist."}


@pytest.mark.slow
@in_one_window
def test_everything_below_api_has_rate_limits(service, roomy_shop):
    """Everything below `/api` has rate-limit headers and counts, including unknown paths and
    versions.
    Rule: limit-window."""
    for path in ("/api", "/api/", PREFIX, f"{PREFIX}/", "/api/v1", "/api/v1/items", "/api//"):
        for http in (roomy_shop.admin, roomy_shop.anonymous, roomy_shop.client("guess")):
            refused(http.get(service.url + path), 404)
    first = roomy_shop.admin.get(f"{service.url}{PREFIX}").headers["X-RateLimit-Remaining"]
    second = roomy_shop.admin.get(f"{service.url}/api/v1").headers["X-RateLimit-Remaining"]
    assert int(second) == int(first) - 1


def test_only_the_description_may_be_cached(shop):
    """Responses may not be cached, errors included; only the API description may.
    Rule: response-uncached."""
    http = shop.customer("1").http
    made = http.post("/items", json={"productId": 1})
    path = f"/items/{data(made, 201)['id']}"
    answers = [made, http.get("/items"), http.get(path), http.delete(path), http.get(path)]
    asked = (("GET", "/nothing"), ("PATCH", "/items"))
    answers += [shop.anonymous.get("/items"), *(shop.admin.request(*what) for what in asked)]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [201, 200, 200, 204, 404, 401, 404, 405]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}
    described = shop.anonymous.get("/.well-known/openapi")
    assert described.headers["Cache-Control"].startswith("public")


def test_head_answers_as_get_without_a_body(shop):
    """`HEAD` returns the status and headers of `GET`, without a body. Rule: request-smuggling."""
    http = shop.customer("1").http
    kept = new_list(http)
    saved = save(http, 1, listIds=[kept["id"]])
    changing = ("x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id", "date")
    good = ("/items?limit=1", f"/items/{saved['id']}", f"/lists/{kept['id']}?sort=customer")
    bad = ("/items?limit=0", "/items?query=tag:x", f"/items/{SOME}", "/nothing")
    for path in (*good, *bad, "/lists", "/.well-known/openapi"):
        got, head = http.get(path), http.head(path)
        assert head.status_code == got.status_code and head.content == b""
        # A request id has a fixed length, so error bodies are equally long too.
        for answer in (got, head):
            for name in changing:
                answer.headers.pop(name, None)
        assert dict(got.headers) == dict(head.headers), path
    for path in ("/livez", "/readyz", "/metrics"):
        assert http.head(shop.service.url + path).status_code == 200


# --- the envelope --------------------------------------------------------------------------------


def test_request_id_is_new_for_each_request(shop):
    """Every response has a new request id, a UUID, also in the error envelope.
    Rule: error-envelope."""
    answers = [shop.admin.get("/items"), shop.admin.get("/items"), shop.admin.get("/nothing")]
    answers += [shop.anonymous.get("/items"), shop.anonymous.get(shop.service.url + "/nothing")]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert all(is_uuid(id) for id in ids) and len(set(ids)) == len(ids)


def test_error_message_shortens_and_escapes_client_input(shop):
    """Error messages repeat client input neither in full length nor unescaped.
    Rule: error-envelope."""
    long = "x" * 10_000
    http = shop.customer("1").http
    paths = (f"/items?{long}=1", f"/items?query={long}:1", f"/items?limit={long}", f"/{long}")
    bodies = (("/items", {"productId": 1, long: 1}), ("/lists", {"name": long}))
    answers = [http.get(path) for path in paths]
    for answer in answers + [http.post(path, json=body) for path, body in bodies]:
        assert answer.status_code in (400, 404) and len(answer.content) < 1500, answer.text[:200]


# --- the body as a whole -------------------------------------------------------------------------

TYPES = {
    "none": None, "plain": "text/plain", "form": "application/x-www-form-urlencoded", "html": "text/html",
    "multipart": "multipart/form-data; boundary=x", "msgpack": "application/msgpack", "empty": "", "any": "*/*",
    "utf-16": "application/json; charset=utf-16", "latin-1": "application/json; charset=iso-8859-1",
    "patch": "application/merge-patch+json", "sequence": "application/json-seq", "longer": "application/jsonx",
    "two": "application/json, text/plain", "other": "application/octet-stream", "api": "application/vnd.api+json",
}  # fmt: skip


def test_body_without_a_json_content_type_is_refused(shop):
    """A body needs a JSON content type, in any case or spelling. Rule: input-strict."""
    http = shop.customer("1").http
    saved, statuses = save(http, 9)["id"], {}
    with nothing_changes(http):
        for name, kind in TYPES.items():
            headers = {"Content-Type": kind} if kind is not None else {}
            answer = http.post("/items", content=b'{"productId": 1}', headers=headers)
            statuses[name] = answer.status_code
        assert wrong(415, statuses) == {}
        body, plain = json.dumps({"itemIds": [saved]}), {"Content-Type": "text/plain"}
        answer = http.request("DELETE", "/items", content=body, headers=plain)
        refused(answer, 415, "application/json")
    refused(shop.admin.post("/profiles/token", content=b"{}", headers=plain), 415)
    good = ("application/json", "Application/JSON", "application/json; charset=utf-8")
    for kind in (*good, 'application/json;charset="UTF-8"'):
        answer = http.post("/items", content=b'{"productId": 9}', headers={"Content-Type": kind})
        data(answer, 200)


def test_body_over_256_kib_is_refused(service, shop):
    """A body over 256 KiB is refused: unread if its length is declared, at the limit if chunked.
    Rule: request-limits."""
    member, json_type = shop.customer("1"), "Content-Type: application/json"
    for length in (262_145, 2**30, 10**15):
        head = request_head("POST", "/items", member.token, json_type, f"Content-Length: {length}")
        got = over_the_wire(service, head, patience=1)
        assert got.status == 413 and "256" in json.loads(got.body)["error"]["message"]
    lines = [json_type, "Transfer-Encoding: chunked", "Connection: close"]
    head = request_head("POST", "/items", member.token, *lines)
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    got = over_the_wire(service, head + b"8\r\n" + b'{"a": 1,' + b"\r\n" + chunk * 5 + b"0\r\n\r\n")
    assert got.status == 413
    assert over_the_wire(service, head + chunk * 100).status == 413
    assert products(member.http) == []
    small = b'f\r\n{"productId": 1\r\n1\r\n}\r\n0\r\n\r\n'
    assert over_the_wire(service, head + small).status == 201
    largest = b'{"productId":1' + b" " * (262_144 - 15) + b"}"
    answer = member.http.post(
        "/items", content=largest, headers={"Content-Type": "application/json"}
    )
    data(answer, 200)
