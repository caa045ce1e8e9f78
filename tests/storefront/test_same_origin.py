"""A change comes from a page of the shop, or it is refused."""

import pytest

from .conftest import envelope, nothing_done, shop_jwt
from .way import direct

OWN, EVIL = "{own}", "https://evil.example"
REFUSED = {
    "neither": {},
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "same-site": {"Sec-Fetch-Site": "same-site"},
    "none": {"Sec-Fetch-Site": "none"},
    "cross-site, own origin": {"Sec-Fetch-Site": "cross-site", "Origin": OWN},
    "same-site, own origin": {"Sec-Fetch-Site": "same-site", "Origin": OWN},
    "empty": {"Sec-Fetch-Site": ""},
    "upper case": {"Sec-Fetch-Site": "Same-Origin"},
    "list": {"Sec-Fetch-Site": "same-origin, cross-site"},
    "other origin": {"Origin": EVIL},
    "null": {"Origin": "null"},
    "empty origin": {"Origin": ""},
    "other port": {"Origin": "{own}1"},
    "no port": {"Origin": "{alone}"},
    "other scheme": {"Origin": "https{own:4}"},
    "longer host": {"Origin": OWN + ".evil.example"},
    "longer port": {"Origin": OWN + "0"},
    "user": {"Origin": "http://a@{own:7}"},
    "path": {"Origin": OWN + "/"},
    "two in one": {"Origin": OWN + " " + EVIL},
    "list of two": {"Origin": OWN + ", " + OWN},
    "referer only": {"Referer": OWN + "/page"},
    "other host": {"Origin": "http://127.0.0.1:{port}"},
    "host of another": {"Origin": EVIL, "X-Forwarded-Host": "evil.example"},
    "told scheme": {"Origin": "https{own:4}", "X-Forwarded-Proto": "https"},
    "host of another proxy": {"Origin": EVIL, "Forwarded": "host=evil.example;proto=https"},
}  # fmt: skip


def filled(headers: dict[str, str], own: str) -> dict[str, str]:
    alone, _, port = own.rpartition(":")
    words = {"{own:4}": own[4:], "{own:7}": own[7:], "{own}": own, "{alone}": alone, "{port}": port}
    for word, value in words.items():
        headers = {name: given.replace(word, value) for name, given in headers.items()}
    return headers


def attempts(browser, headers):
    """A change of every method, with just these headers."""
    browser.http.headers.pop("Sec-Fetch-Site", None)
    id = "01a1fb82-8f15-7000-aafc-5adf06151cd4"
    return [
        browser.post("/items", json={"productId": 9}, headers=headers),
        browser.post("/lists", json={"name": "x"}, headers=headers),
        browser.put(f"/items/{id}/lists", json={"listIds": []}, headers=headers),
        browser.patch(f"/items/{id}", json={"quantity": 2}, headers=headers),
        browser.delete(f"/items/{id}", headers=headers),
        browser.request("DELETE", "/items", json={"itemIds": [id]}, headers=headers),
    ]


@pytest.mark.parametrize("name", REFUSED)
def test_change_from_another_site_is_403(front, name):
    """contract: storefront-same-origin. Each combination of headers that is not the shop's own
    page."""
    headers = filled(REFUSED[name], front.origin)
    visitor, nobody = front.anyone(1), front.browser()
    with nothing_done(front):
        for answer in attempts(visitor, headers) + attempts(nobody, headers):
            envelope(answer, 403)
            assert not any(given.startswith("access-control") for given in answer.headers)
            assert "Set-Cookie" not in answer.headers
    assert visitor.products() == [1]


def changed(browser, **headers: str) -> int:
    """The status of a save that has these headers, and not what new browsers say by themselves."""
    browser.http.headers.pop("Sec-Fetch-Site", None)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return browser.post("/items", json={"productId": 1}, headers=given).status_code


@direct("the scheme and the host are the way's own")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_origin_is_in_the_one_spelling_of_browsers(proxied, scheme):
    """contract: storefront-same-origin. Lower case, without the scheme's own port, which a Host may
    have."""
    port = {"http": 80, "https": 443}[scheme]
    asked = {"X_Forwarded_Proto": scheme, "Host": f"Shop.example:{port}"}
    for origin, status in (
        (f"{scheme}://shop.example", 201),
        (f"{scheme}://shop.example:{port}", 403),
        (f"{scheme}://Shop.example", 403),
        (f"{scheme.upper()}://shop.example", 403),
    ):
        assert changed(proxied.browser(), **asked, Origin=origin) == status, origin


TWICE = ("Sec-Fetch-Site", "Origin", "Content-Type")


@pytest.mark.parametrize("name", TWICE)
def test_header_sent_twice_decides_nothing(front, name):
    """contract: storefront-same-origin. Twice, one good and one bad in either order, it is
    refused."""
    visitor = front.anyone(1)
    good = {"Sec-Fetch-Site": "same-origin", "Origin": front.origin}
    for pair in ((good.get(name, "application/json"), EVIL), (EVIL, good.get(name, "text/plain"))):
        headers = [(name, value) for value in pair]
        if name == "Content-Type":
            headers.append(("Sec-Fetch-Site", "same-origin"))
        visitor.http.headers.pop("Sec-Fetch-Site", None)
        with nothing_done(front):
            answer = visitor.post("/items", content=b'{"productId":9}', headers=headers)
        assert answer.status_code in (400, 403), (pair, answer.text)
    assert visitor.products() == [1]


def test_cross_site_request_of_a_customer_links_nothing(front):
    """contract: storefront-same-origin. Refused before anything is done, the link of a sign-in
    too."""
    visitor = front.anyone(1)
    evil = {"Sec-Fetch-Site": "cross-site", "X-Shop-Token": shop_jwt("cross")}
    with nothing_done(front):
        envelope(visitor.post("/items", json={"productId": 2}, headers=evil), 403)
    assert visitor.products() == [1]


def test_old_browser_is_known_by_its_origin(front):
    """contract: storefront-same-origin. Without Sec-Fetch-Site an Origin equal to the request's own
    is enough."""
    assert changed(front.browser(), Origin=front.origin) == 201


def test_reads_need_neither_header(front):
    """contract: storefront-same-origin. It is about changes; a read is private by its cookie and
    has no CORS."""
    visitor = front.anyone(1)
    visitor.http.headers.pop("Sec-Fetch-Site")
    answer = visitor.get("/items", headers={"Origin": EVIL, "Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200
    assert not any(given.startswith("access-control") for given in answer.headers)


def test_preflight_is_405(front):
    """contract: storefront-same-origin. There is no CORS; OPTIONS is 405."""
    asked = {"Origin": EVIL, "Access-Control-Request-Method": "POST"}
    with nothing_done(front):
        answer = front.browser().request("OPTIONS", "/items", headers=asked)
    envelope(answer, 405)
    assert not any(given.startswith("access-control") for given in answer.headers)


def test_own_origin_is_that_of_the_stores_host(new_front):
    """contract: storefront-same-origin. Its scheme is the one that the store has named; another
    host of the same store is another origin."""
    front = new_front("--host", "http://www.two-hosts.test", scheme="https")
    for origin, status in (
        (front.origin, 201),
        ("http" + front.origin[5:], 403),
        ("http://www.two-hosts.test", 403),
    ):
        assert changed(front.browser(), Origin=origin) == status, origin


@direct("the scheme and the host are the way's own")
def test_host_and_scheme_of_a_trusted_proxy(proxied):
    """contract: storefront-host-source. X-Forwarded-Proto and -Host are the request's own."""
    told = {"X_Forwarded_Proto": "https", "X_Forwarded_Host": "shop.example"}
    for origin, status in (
        ("https://shop.example", 201),
        ("http://shop.example", 403),
        (proxied.origin, 403),
        (EVIL, 403),
    ):
        assert changed(proxied.browser(), **told, Origin=origin) == status, origin
