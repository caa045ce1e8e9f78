"""docs/proxy.md, Settings: what the API does not take is told at the start, with the reason."""

import json

import pytest

from tests.conftest import Shop
from tests.servers import wait_until

from .conftest import JWT_KEY, ROOMY, SECRET, Front, envelope, new_api, shop_jwt

pytestmark = pytest.mark.python_only("the JavaScript one says nothing at the start")


def told(program) -> list[dict]:
    """What a program has logged, its requests left out."""
    lines = [json.loads(line) for line in program.output().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] != "request"]


def refusals(program) -> list[str]:
    """The reasons that were logged before it said that it listens."""
    assert wait_until(lambda: '"listening"' in program.output(), seconds=5)
    lines = told(program)
    listening = [line["event"] for line in lines].index("listening")
    return [line["reason"] for line in lines[:listening] if line["event"] == "refused_by_api"]


@pytest.fixture
def elsewhere(api, start_proxy):
    """A proxy for customers of `shopify` before a store of another platform."""
    shop = Shop(api, *ROOMY, "--platform", "elsewhere")
    more = {"JWT_KEY": JWT_KEY, "JWT_HEADER": "X-Shop-Token"}
    return Front(start_proxy(api, shop.admin_token, **more), shop, api)


def test_platform_of_another_store_is_told_at_the_start(elsewhere):
    """One line of the log names the setting, and what the store's customers are called."""
    [reason] = refusals(elsewhere.proxy)
    assert "WISHWELL_PROXY_PLATFORM is shopify" in reason
    assert "gid://elsewhere/Customer/" in reason


def test_platform_of_another_store_leaves_visitors_alone(elsewhere):
    """A customer is told that the set-up is wrong; who has not signed in is served."""
    visitor = elsewhere.anyone(1)
    answer = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("7")})
    assert "set up wrongly" in envelope(answer, 503)
    assert int(answer.headers["Retry-After"]) >= 1
    assert "Set-Cookie" not in answer.headers
    assert visitor.products() == [1]


def test_token_that_is_none_is_told_at_the_start(new_front):
    """A token that the API refuses, or that is no admin's, is named, and not shown."""
    front = new_front()
    for token in ("wwadm_" + "x" * 49, front.shop.session().token):
        proxy = new_front(TOKEN=token).proxy
        [reason] = refusals(proxy)
        assert "WISHWELL_PROXY_TOKEN" in reason
        assert token not in proxy.output()


def test_address_of_something_else_is_told_at_the_start(new_front, api):
    """A server that is no API is named."""
    [reason] = refusals(new_front(API=f"{api.url}/nothing").proxy)
    assert "WISHWELL_PROXY_API" in reason


def test_right_settings_are_told_by_nothing(new_front):
    """No line, and nothing was made in the store."""
    front = new_front()
    assert refusals(front.proxy) == []
    assert front.shop.admin.get("/items").json() == {"data": []}
    assert front.browser().get("/items").json() == {"data": []}


def test_api_that_is_away_at_the_start_holds_nothing_up(start_proxy):
    """It starts, serves what needs no API, and tells what is wrong once the API is there."""
    with new_api() as api:
        shop = Shop(api, *ROOMY, "--platform", "elsewhere")
        api.stop()
        proxy = start_proxy(api, shop.admin_token)
        assert refusals(proxy) == []
        assert Front(proxy, shop, api).browser().get("/items").json() == {"data": []}
        api.restart()
        assert wait_until(lambda: "WISHWELL_PROXY_PLATFORM" in proxy.output(), seconds=15)


def test_service_that_is_its_own_proxy_tells_too():
    """`WISHWELL_PROXY_API=self`: the same line, and the API is there."""
    service = new_api()
    service.cli("migrate")
    service.cli("store", "create", "shop", "--platform", "elsewhere")
    token = service.cli("token", "create", "--store", "shop", "--label", "proxy").stdout.strip()
    proxy = {"API": "self", "TOKEN": token, "SECRET": SECRET}
    service.settings |= {f"WISHWELL_PROXY_{name}": value for name, value in proxy.items()}
    with service:
        [reason] = refusals(service)
        assert "WISHWELL_PROXY_PLATFORM is shopify" in reason
