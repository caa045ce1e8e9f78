"""The largest bodies, for every operation and in every shape, cost little more than to decode them.

The pipeline runs in the test's process, on the database of the running service, so that one clock
measures both.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import gc
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import msgspec
import pytest

from tests.conftest import ROOMY
from tests.servers import wait_until
from wishwell import config
from wishwell.errors import MAX_BAD_FIELDS
from wishwell.http import routes
from wishwell.http.context import Request, Services
from wishwell.http.pipeline import Pipeline
from wishwell.http.server import flows
from wishwell.http.server.body_reader import MAX_BODY, BodyReader
from wishwell.server import app

from .description import OPERATIONS, follow

pytestmark = pytest.mark.either_engine

MAX_RATIO, MAX_ROUNDS = 50, 10
SIZE = MAX_BODY - 250
"""Bytes of the part of a body that makes it large; the fields around it are the rest."""

UNKNOWN = "0190a8b0-0000-7000-8000-000000000000"
BASE = "/apps/wishlist"
SCHEMAS = {
    f"{method.upper()} {path}": content["application/json"]["schema"]
    for method, path, operation in OPERATIONS.values()
    if (content := operation.get("requestBody", {}).get("content"))
}
ALL = [(method, route) for route in routes.API for method in route.methods]
KEYS = ["/visitor/token", "/visitor/link"]
VALID: dict[str, Any] = {"productId": 1, "variantId": 1, "orderId": "1", "lines": [], "quantity": 1}
VALID |= {"profile": "gid://shopify/Customer/1", "status": "paid"}
VALID |= dict.fromkeys(("placedAt", "updatedAt"), "2025-01-01T00:00:00Z")


def listed(one: Callable[[int], str]) -> str:
    """Returns as many JSON values, separated by commas, as make a body large."""
    return ",".join(map(one, range(SIZE // (len(one(SIZE)) + 1))))


@functools.cache
def values() -> dict[str, str]:
    """Returns large values for any field, by shape."""
    keys, deep = listed('"k{}":1'.format), SIZE // 6
    return {
        "long text": '"' + "x" * SIZE + '"',
        "escapes": '"' + r"\u0061" * deep + '"',
        "half of a pair at the end": '"' + r"\u0061" * deep + r"\ud800" + '"',
        "digits": "9" * SIZE,
        "fraction": "0." + "9" * SIZE,
        "wide numbers": "[" + listed("{}".format) + "]",
        "wide texts": "[" + listed('"{}"'.format) + "]",
        "wide objects": "[" + listed(lambda _: "{}") + "]",
        "nested arrays": "[" + listed(lambda _: "[" * 50 + "]" * 50) + "]",
        "deep arrays": "[" * (SIZE // 2) + "]" * (SIZE // 2),
        "deep objects": '{"a":' * deep + "1" + "}" * deep,
        "many keys": "{" + keys + "}",
        "last key repeated": "{" + keys + ',"k0":1}',
        "one key repeated": "{" + listed(lambda _: '"a":1') + "}",
    }


def records(schema: dict) -> Iterator[tuple[str, str]]:
    """Yields large arrays of a schema's objects, by shape: valid ones, and with bad ones."""
    required = schema.get("required", [])
    valid = {name: VALID[name] for name in required if name in VALID}
    bad = valid | {next(iter(schema["properties"])): []}
    one, other = json.dumps(valid)[1:-1], json.dumps(bad)
    many = listed(lambda _: "{" + one + "}")
    yield "equal records", f"[{many}]"
    yield "records, first bad", f"[{other},{many}]"
    yield "records, last bad", f"[{many},{other}]"
    yield "bad records", f"[{listed(lambda _: other)}]"
    yield "records with unknown keys", f"[{listed(lambda n: json.dumps(valid | {f'k{n}': 1}))}]"
    if required:
        several = listed(lambda n: json.dumps(valid | {required[0]: n + 1}))
        yield "distinct records", f"[{several}]"


def of_schema(schema: dict, name: str = "") -> Iterator[tuple[str, str]]:
    """Yields large values that a schema may have or not, by shape."""
    for shape, text in values().items():
        yield f"{name}{shape}", text
    schema = follow(schema)
    schema = follow(next(iter(schema.get("oneOf", schema.get("anyOf", [schema])))))
    inner = follow(schema.get("items", {}))
    if inner.get("properties"):
        for shape, text in records(inner):
            yield f"{name}{shape}", text
        for shape, text in of_schema(inner, f"{name}[]."):
            yield shape, f"[{text}]"
    for field, of_field in schema.get("properties", {}).items():
        for shape, text in of_schema(of_field, f"{name}{field}: "):
            yield shape, f'{{"{field}":{text}}}'


def decoding(body: bytes) -> float:
    """Returns the seconds of processor time in which msgspec decodes a body. One that it refuses,
    perhaps at the first byte, takes at least as long as a text of its length."""
    began = time.process_time()
    with contextlib.suppress(ValueError, RecursionError):
        msgspec.json.decode(body)
        return time.process_time() - began
    refused = time.process_time() - began
    return max(refused, decoding(b'"' + b"x" * len(body) + b'"'))


class Sender:
    """Sends bodies to a pipeline in this process."""

    def __init__(self, service: Services) -> None:
        self._service, self._pipeline = service, Pipeline(service)

    def submit(
        self, begin: Callable[[], None], method: str, path: str, body: bytes, **named: str
    ) -> Request:
        """Submits a request to admission, which calls ``begin``."""
        incoming = BodyReader(None)
        incoming.add(body)
        incoming.end()
        named = {"host": "x", "content-type": "application/json", **named}
        headers = {name.replace("_", "-").encode(): named[name].encode() for name in named}
        request = Request(
            admission=self._service.admission, begin=begin, service=self._service, id=UNKNOWN,
            method=method, target=path.encode(), raw_path=path, path=path, query_string=b"",
            headers=headers, pairs=[*headers.items()], peer="127.0.0.1", incoming=incoming,
            keep_alive=True, accepts_chunked=True, reads=method == "GET",
        )  # fmt: skip
        self._pipeline.submit(request)
        return request

    async def send(self, method: str, path: str, body: bytes, **named: str) -> tuple[float, Any]:
        """Returns the seconds of processor time until the response, and the response."""
        began, begun = time.process_time(), asyncio.Event()
        request = self.submit(begun.set, method, path, body, **named)
        await begun.wait()
        answer = await self._pipeline(request)
        return time.process_time() - began, answer


@pytest.fixture
def large_shop(make_shop):
    options = "--purchases", "on", "--events", "on", "--show-wishes", "on"
    shop = make_shop(*ROOMY, *options)
    shop.update("--host", f"https://{shop.handle}.example")
    return shop


@pytest.fixture
def sending(service):
    """Runs a function with a ``Sender``."""
    here, name = f"sqlite:///{service.folder}/wishwell.db", "WISHWELL_DATABASE_URL"
    url = service.environment[name].replace("sqlite:///wishwell.db", here)
    settings = config.load(service.environment | {name: url})

    async def run(test: Callable[[Sender], Any]) -> None:
        async with app.opened(settings) as services:
            # As the service does; else each large array is a reason to visit the tests' objects.
            gc.freeze()
            try:
                await test(Sender(services))
            finally:
                gc.unfreeze()

    return lambda test: asyncio.run(run(test))


def operations(shop: Any, way: str) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Yields name, method, path and headers of each operation, for records that exist."""
    member = shop.customer("1")
    ids = {"productId": "7", "orderId": "1"}
    ids["itemId"] = member.http.post("/items", json={"productId": 1}).json()["data"]["id"]
    ids["listId"] = member.http.post("/lists", json={"name": "a"}).json()["data"]["id"]
    made = member.http.post(f"/lists/{ids['listId']}/shares", json={}).json()["data"]
    ids |= {"shareId": made["id"], "token": made["token"]}
    url = {"url": "https://shop.example/hook"}
    ids["webhookId"] = shop.admin.post("/webhooks", json=url).json()["data"]["id"]
    base, head = routes.PREFIX, {}
    if way == "storefront":
        words = ("--label", "x", "--for", "storefront", "--names-customers")
        proxy = shop.service.quick("token", "create", "--store", shop.handle, *words).strip()
        base, head = f"{BASE}/api", {"sec_fetch_site": "same-origin", "wishwell_customer": "1"}
        head["authorization"] = f"Bearer {proxy}"
        head["x_forwarded_host"] = f"{shop.handle}.example"
        for path in KEYS:
            yield path, "POST", base + path, head
    for method, route in ALL:
        known = ids if method != "DELETE" else {}
        path = base + re.sub(r"{(\w+)}", lambda match: known.get(match[1], UNKNOWN), route.path)
        if way == "storefront" and route.on_storefront and method != route.off_storefront:
            yield f"{method} {route.path}", method, path, head
        elif way == "api":
            whole = route.of_store or route.path.startswith("/profiles/")
            token = shop.admin_token if whole else member.token
            yield f"{method} {route.path}", method, path, {"authorization": f"Bearer {token}"}


async def measured(
    sender: Sender, method: str, path: str, body: bytes, head: dict[str, str], allowed: float = 0
) -> tuple[float, Any]:
    """Returns the least seconds of several rounds, and the response. Stops at ``allowed`` seconds."""
    seconds = 60.0
    for _ in range(MAX_ROUNDS):
        took, answer = await sender.send(method, path, body, **head)
        seconds = min(seconds, took)
        if seconds <= allowed or took > allowed + 1:
            break
    return seconds, answer


@pytest.mark.slow
@pytest.mark.parametrize("way", ["api", "storefront"])
def test_handling_costs_little_more_than_decoding_whatever_the_shape(large_shop, sending, way):
    """Each operation handles each of the largest bodies in at most 50 times as long as msgspec needs to decode it,
    plus the time for a small body. Rule: request-limits."""
    expensive = []

    async def check(sender: Sender) -> None:
        for name, method, path, head in operations(large_shop, way):
            small, _ = await measured(sender, method, path, b"{}", head)
            shapes = of_schema(SCHEMAS[name]) if name in SCHEMAS else values().items()
            for shape, text in shapes:
                body = text.encode()
                assert 0.75 * MAX_BODY < len(body) <= MAX_BODY, (name, shape)
                most = small + MAX_RATIO * min(decoding(body) for _ in range(3))
                seconds, answer = await measured(sender, method, path, body, head, most)
                if seconds > most:
                    expensive.append((name, shape, answer.status, seconds, most))

    sending(check)
    assert expensive == []


def test_many_unknown_keys_cost_little_more_than_one(large_shop, sending):
    """A change with 20,000 unknown keys is refused with the first 50, also if the last one is repeated, and costs at
    most five times as much as a change with one unknown key in a body of this size.
    Rules: request-limits, error-envelope."""

    async def check(sender: Sender) -> None:
        chosen = next(one for one in operations(large_shop, "api") if one[0].startswith("PATCH"))
        _, method, path, head = chosen
        many, repeated = values()["many keys"], values()["last key repeated"]
        one, answer = await measured(sender, method, path, b'{"k":%b}' % many.encode(), head)
        assert [bad["field"] for bad in details(answer)] == ["k"]
        for text in (many, repeated):
            seconds, answer = await measured(sender, method, path, text.encode(), head, 5 * one)
            fields = [bad["field"] for bad in details(answer)]
            assert fields == [f"k{number}" for number in range(MAX_BAD_FIELDS)]
            assert seconds <= 5 * one

    sending(check)


def details(answer: Any) -> list[dict[str, str]]:
    assert answer.status == 400
    return json.loads(answer.body)["error"]["details"]


def test_waiting_visitor_counts_by_the_session_of_its_cookie(large_shop, sending):
    """Before its checks, a storefront request counts for its address and the session of its cookie, so
    that busy sessions refuse no quiet one of their address. Rules: fair-queueing, load-shedding."""
    host, place = f"{large_shop.handle}.example", "/apps/wishlist/api/items"
    headers = {"Host": host, "Sec-Fetch-Site": "same-origin"}
    save = functools.partial(httpx2.post, f"{large_shop.service.url}{place}", headers=headers)
    assert wait_until(lambda: save(json={"productId": 1}).status_code == 201, seconds=30)
    cookie, _, _ = save(json={"productId": 1}).headers["Set-Cookie"].partition(";")
    session = json.loads(
        base64.urlsafe_b64decode(cookie.partition("=")[2].partition(".")[0] + "==")
    )

    async def check(sender: Sender) -> None:
        await sender.send("GET", place, b"", host=host)  # loads the stores
        for sent, expected in ((cookie, session["s"]), (cookie[:-1], ""), ("a=b", "")):
            request = sender.submit(lambda: None, "GET", place, b"", host=host, cookie=sent)
            assert flows.before_checks(request) == (large_shop.id, "127.0.0.1", expected)

    sending(check)
