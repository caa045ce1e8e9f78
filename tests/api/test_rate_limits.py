"""Rate limits: how requests are counted, and the response over the limit."""

import time

import pytest

from .conftest import data, in_one_window, refused

# Requests of each kind that change nothing.
READS = [("GET", "/items"), ("HEAD", "/items"), ("GET", "/lists"), ("GET", "/items/x")]
WRITES = [("POST", "/items"), ("PUT", "/items/x/lists"), ("PATCH", "/items/x")]
WRITES += [("DELETE", "/items/x")]
TOKENS = [("POST", "/profiles/identify"), ("POST", "/profiles/token")]


def limit_of(answer) -> int:
    return int(answer.headers["X-RateLimit-Limit"])


def remaining_requests(answer) -> int:
    return int(answer.headers["X-RateLimit-Remaining"])


def test_default_rate_limits_depend_on_method_and_caller(shop):
    """Without settings, the limits per minute are those below for each kind of request and caller.
    Rule: limit-caller."""
    limits = ((READS, 600, 6_000), (WRITES, 240, 3_000), (TOKENS, 30, 3_000))
    for requests, profile, admin in limits:
        for method, path in requests:
            for member in (shop.customer("1"), shop.session()):
                assert limit_of(member.http.request(method, path)) == profile, f"{method} {path}"
            assert limit_of(shop.admin.request(method, path)) == admin, f"{method} {path}"
            assert limit_of(shop.acting_as(shop.gid("1")).request(method, path)) == admin


@pytest.mark.parametrize(
    ("kind", "requests"), [("read", READS), ("write", WRITES), ("token", TOKENS)]
)
@pytest.mark.parametrize("caller", ["profile", "admin"])
@in_one_window
def test_request_over_the_limit_is_refused_and_changes_nothing(make_shop, caller, kind, requests):
    """The methods of a kind count together; a request over the limit changes nothing.
    Rules: limit-window, limit-caller."""
    roomy = ("--limit", "admin_token=1000") if caller == "profile" else ()
    shop = make_shop("--limit", f"{caller}_{kind}=4", *roomy)
    http = shop.customer("1").http if caller == "profile" else shop.admin
    first = [http.request(*requests[n % len(requests)]) for n in range(4)]
    assert all(answer.status_code != 429 and limit_of(answer) == 4 for answer in first)
    assert [remaining_requests(answer) for answer in first] == [3, 2, 1, 0]
    for method, path in requests:
        answer = http.request(method, path)
        assert answer.status_code == 429
        if method != "HEAD":
            refused(answer, 429)
        assert (limit_of(answer), remaining_requests(answer)) == (4, 0)
        wait, reset = int(answer.headers["Retry-After"]), int(answer.headers["X-RateLimit-Reset"])
        assert 1 <= wait <= 61 and wait >= reset - time.time() - 1
    if kind == "write":
        http = shop.customer("1").http if caller == "profile" else shop.acting_as(shop.gid("1"))
        refused(http.post("/items", json={"productId": 1}), 429)
        assert data(http.get("/items")) == []
    # The other kinds have counters of their own.
    for others in (READS, WRITES, TOKENS):
        if others is not requests:
            assert http.request(*others[0]).status_code != 429


@in_one_window
def test_all_tokens_of_a_profile_share_one_rate_limit(make_shop):
    """All tokens of a profile share one counter. Requests that fail count too, and each store
    counts separately.
    Rules: limit-caller, limit-window, store-settings."""
    shop = make_shop("--limit", "profile_read=2")
    first, second, other = shop.customer("1"), shop.customer("1"), shop.customer("2")
    assert [
        remaining_requests(first.http.get("/items?limit=0")),
        remaining_requests(second.http.get("/items")),
    ] == [1, 0]
    refused(first.http.get("/items"), 429)
    refused(second.http.get("/items"), 429)
    assert remaining_requests(other.http.get("/items")) == 1
    assert limit_of(make_shop().customer("1").http.get("/items")) == 600


@in_one_window
def test_admin_token_has_one_rate_limit_with_and_without_profile_header(make_shop):
    """An admin token has one counter, with and without `Profile`. Rule: limit-caller."""
    shop = make_shop("--limit", "admin_read=3")
    acting = [shop.admin, shop.acting_as(shop.gid("1")), shop.acting_as(shop.gid("2"))]
    assert [remaining_requests(http.get("/items")) for http in acting] == [2, 1, 0]
    for http in acting:
        refused(http.get("/items"), 429)
    assert remaining_requests(shop.client(shop.another_admin_token()).get("/items")) == 2
    assert shop.customer("1").http.get("/items").status_code == 200, "not the profile's own limit"
