"""Changes are accepted only from pages of the shop (CSRF protection)."""

import itertools

import pytest

from .conftest import envelope, has_cors, nothing_done, shop_jwt
from .way import direct

OWN, EVIL = "{own}", "https://evil.example"
REFUSED = {
    "neither": {},
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "none": {"Sec-Fetch-Site": "none"},
    "same-site, own origin": {"Sec-Fetch-Site": "same-site", "Origin": OWN},
    "list": {"Sec-Fetch-Site": "same-origin, cross-site"},
    "other origin": {"Origin": EVIL},
    "null": {"Origin": "null"},
    "no port": {"Origin": "{alone}"},
    "other scheme": {"Origin": "https://{host}"},
    "longer host": {"Origin": OWN + ".evil.example"},
    "two in one": {"Origin": OWN + " " + EVIL},
    "other host": {"Origin": "http://127.0.0.1:{port}"},
    "host of another": {"Origin": EVIL, "X-Forwarded-Host": "evil.example"},
    "told scheme": {"Origin": "https://{host}", "X-Forwarded-Proto": "https"},
    "host of another proxy": {"Origin": EVIL, "Forwarded": "host=evil.example;proto=https"},
}  # fmt: skip


def filled(headers: dict[str, str], own: str) -> dict[str, str]:
    alone, _, port = own.rpartition(":")
    words = {"own": own, "host": own[7:], "alone": alone, "port": port}
    return {name: given.format(**words) for name, given in headers.items()}


ID = "01a1fb82-8f15-7000-aafc-5adf06151cd4"
CHANGES = [
    ("POST", "/items", {"productId": 9}),
    ("POST", "/lists", {"name": "x"}),
    ("PUT", f"/items/{ID}/lists", {"listIds": []}),
    ("PATCH", f"/items/{ID}", {"quantity": 2}),
    ("DELETE", "/items", {"itemIds": [ID]}),
]


def test_change_from_another_site_is_403(front):
    """A change from another site is 403 with every method, for visitors and anonymous callers.
    Rule: storefront-same-origin."""
    visitor, nobody = front.anyone(1), front.browser()
    changes = [*((name, *CHANGES[0]) for name in REFUSED), *(("null", *one) for one in CHANGES)]
    with nothing_done(front):
        for browser, (name, method, path, body) in itertools.product((visitor, nobody), changes):
            browser.http.headers.pop("Sec-Fetch-Site", None)
            headers = filled(REFUSED[name], front.origin)
            answer = browser.request(method, path, json=body, headers=headers)
            assert envelope(answer, 403), name
            assert not has_cors(answer)
            assert "Set-Cookie" not in answer.headers


@direct("Authorization is the way's own")
def test_customer_of_a_proxy_changes_nothing_from_another_site(front):
    """The check also applies behind a proxy, which forwards the browser's headers.
    Rule: storefront-same-origin."""
    token = {"Authorization": f"Bearer {front.proxys_token(naming=True)}"}
    proxy = front.browser(Wishwell_Customer="by-proxy", **token)
    with nothing_done(front):
        assert changed(proxy, Sec_Fetch_Site="cross-site", Origin=front.origin) == 403
        assert changed(proxy, Origin="https://evil.example", X_Forwarded_Host=front.host) == 403
    assert changed(proxy, Origin=front.origin, X_Forwarded_Host=front.host) == 201


def are_told_apart(new_browser, statuses: dict[str, int], **headers: str) -> None:
    """Asserts the status of a save from a page of each origin."""
    got = {origin: changed(new_browser(), **headers, Origin=origin) for origin in statuses}
    assert got == statuses


def changed(browser, **headers: str) -> int:
    """Saves with these headers instead of the browser's own; returns the status."""
    browser.http.headers.pop("Sec-Fetch-Site", None)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return browser.post("/items", json={"productId": 1}, headers=given).status_code


def test_duplicate_origin_header_is_refused(front):
    """A duplicate header with a good and a bad value is refused in either order.
    Rules: storefront-same-origin, storefront-paths."""
    visitor = front.anyone(1)
    visitor.http.headers.pop("Sec-Fetch-Site")
    with nothing_done(front):
        for name, value in (("Sec-Fetch-Site", "same-origin"), ("Origin", front.origin)):
            for pair in ((value, EVIL), (EVIL, value)):
                headers = [(name, one) for one in pair]
                answer = visitor.post("/items", json={"productId": 9}, headers=headers)
                assert answer.status_code in (400, 403), (name, pair)


def test_cross_site_request_of_a_customer_links_nothing(front):
    """A refused cross-site request doesn't link the session either.
    Rule: storefront-same-origin."""
    visitor = front.anyone(1)
    evil = {"Sec-Fetch-Site": "cross-site", "X-Shop-Token": shop_jwt("cross")}
    with nothing_done(front):
        envelope(visitor.post("/items", json={"productId": 2}, headers=evil), 403)
    assert visitor.products() == [1]


def test_origin_suffices_for_changes_and_reads_need_no_header(front):
    """`Origin` suffices for changes. Reads need neither header, because without CORS another site
    can't read them.
    Rule: storefront-same-origin."""
    assert changed(front.browser(), Origin=front.origin) == 201
    visitor = front.anyone(1)
    visitor.http.headers.pop("Sec-Fetch-Site")
    answer = visitor.get("/items", headers={"Origin": EVIL, "Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200
    assert not has_cors(answer)


def test_own_origin_is_that_of_the_stores_host(new_front):
    """The own origin has the scheme that the store configured. Rule: storefront-same-origin."""
    front = new_front("--host", "http://www.two-hosts.test", scheme="https")
    http = "http" + front.origin[5:]
    are_told_apart(front.browser, {front.origin: 201, http: 403, "http://www.two-hosts.test": 403})


@direct("the scheme and the host are the way's own")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_trusted_proxy_forwards_host_and_scheme(proxied, scheme):
    """Behind a trusted proxy the origin is that of X-Forwarded-Proto and X-Forwarded-Host, in the
    spelling of browsers, without the default port.
    Rules: storefront-same-origin, storefront-hosts."""
    port = {"http": 80, "https": 443}[scheme]
    told = {"X_Forwarded_Proto": scheme, "X_Forwarded_Host": f"Shop.example:{port}"}
    statuses = {
        f"{scheme}://shop.example": 201,
        f"{scheme}://shop.example:{port}": 403,
        f"{scheme}://Shop.example": 403,
        f"{scheme.upper()}://shop.example": 403,
        {"http": "https", "https": "http"}[scheme] + "://shop.example": 403,
        proxied.origin: 403,
        EVIL: 403,
    }
    are_told_apart(proxied.browser, statuses, **told)
