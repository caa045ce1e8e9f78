"""docs/proxy.md, the Python proxy as an application to mount: the function that names a customer."""

import asyncio

import httpx2
import pytest

from tests.conftest import Shop
from wishwell.proxy import Proxy, Settings

from .conftest import BASE, SAME, SECRET, envelope, new_api, removes_cookie


@pytest.fixture(scope="module")
def shop():
    with new_api() as api:
        yield Shop(api)


def asked(shop, customer, requests):
    """What an application with this function answers, in one event loop."""

    async def run() -> list[httpx2.Response]:
        settings = Settings(api=shop.service.url, token=shop.admin_token, secret=(SECRET,))
        proxy = Proxy(settings, customer)
        transport = httpx2.ASGITransport(proxy)  # type: ignore[arg-type]
        url = "http://shop.example"
        async with httpx2.AsyncClient(transport=transport, base_url=url, headers=SAME) as http:
            answers = [
                await http.request(m, f"{BASE}/api/{path}", **more) for m, path, more in requests
            ]
        await proxy.close()
        return answers

    return asyncio.run(run())


def named(scope):
    return dict(scope["headers"]).get(b"x-user", b"").decode() or None


async def named_later(scope):
    await asyncio.sleep(0)
    return named(scope)


@pytest.mark.parametrize("function", [named, named_later])
def test_function_names_the_customer(shop, function):
    """Who is shopping, 1: a function of the request, asynchronous or not; then the cookie."""
    who = {"headers": {"x-user": function.__name__}}
    save = {"json": {"productId": 1}}
    made, read, whole, none, other = asked(
        shop,
        function,
        [
            ("POST", "items", save),
            ("GET", "items", who),
            (
                "GET",
                "items",
                {"headers": {"x-user": f"gid://shopify/Customer/{function.__name__}"}},
            ),
            ("GET", "items", {}),
            ("GET", "items", {"headers": {"x-user": "somebody-else"}}),
        ],
    )
    assert made.status_code == 201
    assert read.json()["data"] == whole.json()["data"] != []
    assert removes_cookie(read)
    assert none.json() == other.json() == {"data": []}


def test_function_may_give_a_number(shop):
    """Who is shopping, 1: an id as a database has it, and as its text, are one customer."""
    save = {"json": {"productId": 3}}
    asked(shop, lambda scope: 4_711, [("POST", "items", save)])
    (read,) = asked(shop, lambda scope: "4711", [("GET", "items", {})])
    assert [item["productId"] for item in read.json()["data"]] == [3]
    (odd,) = asked(shop, lambda scope: True, [("GET", "items", {})])
    assert odd.status_code == 500


def test_function_that_fails_is_500(shop):
    """Who is shopping, 1: what the function raises, or names wrongly, stays inside."""

    def broken(scope):
        raise RuntimeError("the password is hunter2")

    for function in (broken, lambda scope: "a/b", lambda scope: ""):
        [answer] = asked(shop, function, [("GET", "items", {})])
        assert "hunter2" not in envelope(answer, 500)


def test_date_is_left_to_the_server(shop):
    """What passes: the server of the shop's application writes Date, so there are not two."""
    saved = ("POST", "items", {"json": {"productId": 1}})
    for answer in asked(shop, named, [saved, ("GET", "items", {}), ("GET", "nothing", {})]):
        assert "Date" not in answer.headers
