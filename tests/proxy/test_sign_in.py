"""docs/proxy.md, Sign-in and Sign-out."""

import asyncio
import contextlib
import json
import uuid
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import httpx2
import pytest

from tests.conftest import Shop
from tests.servers import wait_until
from wishwell.proxy.tokens import Tokens
from wishwell.proxy.upstream import Upstream

from .conftest import (
    JWT_KEY,
    ROOMY,
    Fixed,
    Front,
    asked_of,
    envelope,
    made_cookie,
    new_api,
    removes_cookie,
    shop_jwt,
    shopper_of,
)


def links(api) -> float:
    """How many sessions the API has linked."""
    lines = httpx2.get(f"{api.url}/metrics", trust_env=False).text.splitlines()
    return float(next(line for line in lines if line.startswith("wishwell_links_total")).split()[1])


def test_what_the_visitor_saved_is_the_customers(front):
    """Sign-in: the first request of the customer links, shows both, and removes the cookie."""
    front.shop.customer("mary").http.post("/items", json={"productId": 1})
    visitor = front.anyone(1, 2)
    answer = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("mary")})
    assert sorted(item["productId"] for item in answer.json()["data"]) == [1, 2]
    assert removes_cookie(answer)
    assert visitor.cookie is None
    assert answer.headers["Wishwell-Shopper"] == shopper_of("gid://shopify/Customer/mary")
    again = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("mary")})
    assert again.json() == answer.json()
    assert "Set-Cookie" not in again.headers


def test_write_that_signs_in_goes_on_as_the_customer(front):
    """Sign-in: a write links too, and is done after it."""
    visitor = front.anyone(1)
    token = {"X-Shop-Token": shop_jwt("writer")}
    answer = visitor.post("/items", json={"productId": 2}, headers=token)
    assert answer.status_code == 201
    assert removes_cookie(answer)
    assert front.signed_in("writer").products() == [1, 2]


def test_twenty_requests_at_once_link_once(front):
    """Sign-in: requests at once share one link; all of them see what was saved."""
    visitor, before, asked = front.anyone(1, 2, 3), links(front.api), len(asked_of(front.api))
    cookie, token = visitor.cookie, shop_jwt("crowd")

    def ask(_: int) -> httpx2.Response:
        return front.browser(cookie, X_Shop_Token=token).get("/items")

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert [answer.status_code for answer in answers] == [200] * 20
    for answer in answers:
        assert sorted(item["productId"] for item in answer.json()["data"]) == [1, 2, 3]
        assert removes_cookie(answer)
    assert links(front.api) == before + 1
    tokens = [line for line in asked_of(front.api)[asked:] if line["route"] == "/profiles/token"]
    assert len(tokens) <= 2  # the link, and the customer's own token at most


def test_linked_cookie_that_comes_late_is_harmless(front):
    """Sign-in: a tab that sends the old cookie again, to the same or another customer, moves nothing."""
    visitor = front.anyone(1)
    cookie = visitor.cookie
    assert front.signed_in("first", Cookie=f"wishwell={cookie}").products() == [1]
    late = front.signed_in("second", Cookie=f"wishwell={cookie}")
    answer = late.get("/items")
    assert answer.json() == {"data": []}
    assert removes_cookie(answer)
    assert front.signed_in("first").products() == [1]


def test_session_that_the_api_does_not_know_is_dropped(front):
    """Sign-in: a session that is gone does not stop the customer; the cookie goes."""
    gone = made_cookie("gid://wishwell/Session/400705fd-f08e-4532-85ca-9a17350587b9")
    answer = front.signed_in("late", Cookie=f"wishwell={gone}").get("/items")
    assert (answer.status_code, answer.json()) == (200, {"data": []})
    assert removes_cookie(answer)


def test_fault_of_the_link_keeps_the_cookie(new_front):
    """Sign-in: 429 of the link is the answer, and the cookie stays, so nothing is lost."""
    front = new_front("--limit", "admin_token=1", JWT_KEY="k" * 32, JWT_HEADER="X-Shop-Token")
    visitor = front.anyone(1)
    token = {"X-Shop-Token": shop_jwt("7", key="k" * 32)}
    answers = [visitor.get("/items", headers=token) for _ in range(2)]
    refused = [answer for answer in answers if answer.status_code != 200]
    if not refused:  # a new minute began between the save and the link
        return
    envelope(refused[0], 429)
    assert int(refused[0].headers["Retry-After"]) >= 1
    assert "Set-Cookie" not in refused[0].headers
    assert visitor.products() == [1]


@contextlib.contextmanager
def locked(database: str, gid: str):
    """Somebody else holds the row of a profile: whatever begins by locking it waits in vain."""
    with asyncio.Runner() as runner:
        other = runner.run(asyncpg.connect(database))
        runner.run(other.execute("BEGIN"))
        assert runner.run(other.fetch("SELECT 1 FROM profiles WHERE gid = $1 FOR UPDATE", gid))
        yield
        runner.run(other.close())


@pytest.fixture
def on_postgresql(postgres_server, start_proxy):
    """A proxy before an API on PostgreSQL that gives up a wait after half a second."""
    database = postgres_server.create_database()
    api = new_api(WISHWELL_DATABASE_URL=database, WISHWELL_DATABASE_TIMEOUT="0.5")
    api.cli("migrate")
    with api:
        shop = Shop(api, *ROOMY)
        proxy = start_proxy(api, shop.admin_token, JWT_KEY=JWT_KEY, JWT_HEADER="X-Shop-Token")
        yield Front(proxy, shop, api), database


@pytest.mark.python_only("the JavaScript one answers the link's 503, reads included")
def test_customer_whose_link_fails_is_served(on_postgresql):
    """Sign-in: a link that fails keeps nobody out, is tried again, and then nothing is missing."""
    front, database = on_postgresql
    front.shop.customer("held-up").http.post("/items", json={"productId": 1})
    visitor = front.anyone(2, 3)
    token = {"X-Shop-Token": shop_jwt("held-up")}

    def signed_in() -> list[int]:
        answer = visitor.get("/items", headers=token)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Wishwell-Shopper"] == shopper_of("gid://shopify/Customer/held-up")
        return sorted(item["productId"] for item in answer.json()["data"])

    with locked(database, visitor.session):
        first = visitor.get("/items", headers=token)
        assert [item["productId"] for item in first.json()["data"]] == [1]
        assert "Set-Cookie" not in first.headers
        assert visitor.post("/items", json={"productId": 4}, headers=token).status_code == 201
        assert signed_in() == [1, 4]
        assert visitor.cookie is not None
    assert wait_until(lambda: "link_put_off" in front.proxy.output(), seconds=5)
    [line] = [entry for entry in front.proxy.output().splitlines() if "link_put_off" in entry][:1]
    assert "503" in json.loads(line)["reason"]
    assert visitor.session not in front.proxy.output()
    assert wait_until(lambda: signed_in() == [1, 2, 3, 4], seconds=10, every=0.1)
    assert visitor.cookie is None
    assert visitor.get("/items").json() == {"data": []}


def test_link_that_fails_is_tried_again_after_growing_pauses():
    """Sign-in: after 1 s, then twice as long each time, at most 60 s; those meanwhile don't wait."""
    busy = Fixed(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
    now = [0.0]

    async def walk() -> None:
        upstream = Upstream(busy.url, 5)
        tokens = Tokens(upstream, "wwadm_" + "x" * 49, 10, clock=lambda: now[0])

        async def link() -> bool:
            session = "gid://wishwell/Session/400705fd-f08e-4532-85ca-9a17350587b9"
            return await tokens.link(session, "gid://shopify/Customer/7", str(uuid.uuid4()))

        assert await asyncio.gather(*(link() for _ in range(5))) == [False] * 5
        for asked, pause in enumerate((1, 2, 4, 8, 16, 32, 60, 60), start=1):
            assert busy.asked == asked
            now[0] += pause - 0.01
            assert not await link()
            assert busy.asked == asked
            now[0] += 0.01
            assert not any(await asyncio.gather(link(), link()))
        await upstream.close()

    try:
        asyncio.run(walk())
    finally:
        busy.close()


def test_sign_out_begins_anew(front):
    """Sign-out: the shop names nobody, there is no cookie: nobody, until the next save."""
    browser = front.anyone(1)
    browser.get("/items", headers={"X-Shop-Token": shop_jwt("leaver")})
    assert browser.get("/items").json() == {"data": []}
    browser.save(5)
    assert browser.products() == [5]
    assert front.signed_in("leaver").products() == [1]


def test_customer_without_a_cookie_gets_none(front):
    """Who is shopping, 1: a customer is known by the shop; no cookie is set."""
    browser = front.signed_in("plain")
    answer = browser.post("/items", json={"productId": 1})
    assert answer.status_code == 201
    assert "Set-Cookie" not in answer.headers
