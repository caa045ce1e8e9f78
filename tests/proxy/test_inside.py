"""docs/proxy.md, "In one process": `wishwell serve` answers the proxy's paths itself."""

import socket

import httpx2
import pytest

from tests.servers import PREFIX, Service

from .conftest import BASE, JWT_KEY, SAME, SECRET, removes_cookie, shop_jwt

# What they share is started once: one process of the suite runs them.
pytestmark = pytest.mark.xdist_group("inside")


@pytest.fixture(scope="module", params=["1", "2"], ids=["one worker", "two workers"])
def both(request):
    """The API and the proxy in one program, on an admin token of its own."""
    settings = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    settings["WISHWELL_SIGNING_KEYS"] = "a-signing-key-of-the-tests-40-characters"
    service = Service(settings | {"WISHWELL_WORKERS": request.param})
    service.cli("migrate")
    service.cli("store", "create", "shop")
    token = service.cli("token", "create", "--store", "shop", "--label", "proxy").stdout.strip()
    proxy = {"API": "self", "TOKEN": token, "SECRET": SECRET}
    proxy |= {"JWT_KEY": JWT_KEY, "JWT_HEADER": "X-Shop-Token"}
    service.settings |= {f"WISHWELL_PROXY_{name}": value for name, value in proxy.items()}
    with service:
        yield service
        assert service.stop() == 0
        assert token not in service.output()
        assert "Traceback" not in service.output()


def products(answer: httpx2.Response) -> list[int]:
    assert answer.status_code == 200, answer.text
    return sorted(item["productId"] for item in answer.json()["data"])


def test_visitor_saves_signs_in_and_the_list_follows(both):
    """The whole way: nothing for nobody, a cookie at the first write, a link at sign-in."""
    with httpx2.Client(base_url=f"{both.url}{BASE}/api", headers=SAME) as http:
        assert products(http.get("/items")) == []
        assert not http.cookies
        for product in (1, 2):
            assert http.post("/items", json={"productId": product}).status_code == 201
        assert products(http.get("/items?query=product:1,2,3")) == [1, 2]
        signed_in = http.get("/items", headers={"X-Shop-Token": shop_jwt("one")})
        assert products(signed_in) == [1, 2]
        assert removes_cookie(signed_in)
        assert products(http.get("/items")) == []
        item = signed_in.json()["data"][0]["id"]
        headers = {"X-Shop-Token": shop_jwt("one")}
        assert http.patch(f"/items/{item}", json={"quantity": 3}, headers=headers).is_success
        assert http.delete(f"/items/{item}", headers=headers).status_code == 204
        assert http.put(f"/items/{item}/lists", json={"listIds": []}, headers=headers).json()[
            "error"
        ]["message"]


def test_what_the_proxy_refuses_is_refused_here_too(both):
    """The same rules: same origin, known paths, a bad signature."""
    url = f"{both.url}{BASE}"
    assert httpx2.post(f"{url}/api/items", json={"productId": 1}).status_code == 403
    assert httpx2.get(f"{url}/api/profiles/token").status_code == 404
    wrong = {"X-Shop-Token": shop_jwt("one", key="x" * 40)}
    assert httpx2.get(f"{url}/api/items", headers=wrong).status_code == 401
    assert httpx2.get(f"{url}/livez").text.strip() == "ok"


def test_api_is_there_beside_it_and_paths_are_not_mixed_up(both):
    """The API's own paths want a token; a browser's cookie means nothing to them."""
    assert httpx2.get(f"{both.url}{PREFIX}/items").status_code == 401
    assert httpx2.get(f"{both.url}/livez").status_code == 200
    host, port = both.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"GET http://elsewhere{BASE}/api/items HTTP/1.1\r\n".encode())
        connection.sendall(b"Host: elsewhere\r\nConnection: close\r\n\r\n")
        assert connection.recv(4096).split()[1] == b"400"


def test_proxy_by_itself_needs_an_address():
    """`wishwell proxy` with `self` says what to do instead."""
    service = Service()
    service.settings = {"WISHWELL_PROXY_API": "self", "WISHWELL_PROXY_TOKEN": "x" * 40}
    service.settings["WISHWELL_PROXY_SECRET"] = SECRET
    done = service.cli("proxy", check=False)
    assert done.returncode != 0
    assert "WISHWELL_PROXY_API" in done.stderr
    assert "wishwell serve" in done.stderr
    service.close()
