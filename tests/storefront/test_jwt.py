"""Customers identified by the shop's JWT, signed with a shared key."""

import hashlib
import hmac
import json
import re
import string
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from tests.api.conftest import soon

from . import way
from .conftest import (
    BY_JWT,
    JWT_KEY,
    SEALING_KEY,
    envelope,
    nobodys,
    nothing_done,
    products,
    shop_jwt,
    text,
)


def now() -> int:
    """Returns the current time; not a constant, because a whole test run may outlast these tokens."""
    return int(time.time())


def unsigned(algorithm: str, **claims: object) -> str:
    head = text(json.dumps({"alg": algorithm, "typ": "JWT"}).encode())
    return f"{head}.{text(json.dumps({'sub': '7', 'exp': now() + 600} | claims).encode())}."


def signed(*words: str) -> str:
    """Returns parts with a valid signature, for tokens that a JWT library wouldn't make."""
    right = hmac.new(JWT_KEY.encode(), ".".join(words).encode(), hashlib.sha256).digest()
    return ".".join([*words, text(right)])


LEEWAY = 60
HS256 = text(b'{"alg":"HS256"}')


def claims_of(sub: str) -> str:
    """Returns encoded claims with a customer's id as raw JSON."""
    return text(f'{{"sub": {sub}, "exp": {now() + 600}}}'.encode())


def changed(token: str, change: Callable[[str], str]) -> str:
    """Returns the token with its signature spelled differently."""
    before, _, signature = token.rpartition(".")
    return f"{before}.{change(signature)}"


def spare_bit(signature: str) -> str:
    """Changes unused bits of the last base64 letter, so the decoded bytes stay the same."""
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    return signature[:-1] + alphabet[alphabet.index(signature[-1]) ^ 1]


WRONG = {
    "another key": lambda: shop_jwt("7", key="x" * 40),
    "the key that seals": lambda: shop_jwt("7", key=SEALING_KEY),
    "expired": lambda: shop_jwt("7", exp=now() - 65),
    "expired, in milliseconds": lambda: shop_jwt("7", exp=(now() - 3600) * 1000),
    "expired, in milliseconds as a float": lambda: shop_jwt("7", exp=(now() - 3600) * 1000.0),
    "never expires": lambda: shop_jwt("7", exp=1e17),
    "issued in milliseconds": lambda: shop_jwt("7", iat=now() * 1000),
    "not before, in milliseconds": lambda: shop_jwt("7", nbf=(now() - 3600) * 1000),
    "not before no number": lambda: shop_jwt("7", nbf="today"),
    "not yet": lambda: shop_jwt("7", nbf=now() + 500),
    "no end": lambda: shop_jwt("7", exp=None),
    "empty subject": lambda: jwt.encode({"sub": "", "exp": now() + 600}, JWT_KEY, "HS256"),
    "subject with a slash": lambda: shop_jwt("a/b"),
    "subject too long": lambda: shop_jwt("a" * 256),
    "subject with a space": lambda: shop_jwt("a b"),
    "hyphen": lambda: shop_jwt("-"),
    "GID with a bad escape": lambda: shop_jwt("gid://shopify/Customer/50%off"),
    "GID with a hidden slash": lambda: shop_jwt("gid://shopify/Customer/a%2Fb"),
    "a session": lambda: shop_jwt("gid://wishwell/Session/400705fd-f08e-4532-85ca-9a17350587b9"),
    "another platform": lambda: shop_jwt("gid://other/Customer/7"),
    "other algorithm": lambda: jwt.encode({"sub": "7", "exp": now() + 600}, JWT_KEY, "HS512"),
    "no algorithm": lambda: unsigned("none"),
    "claims changed": lambda: ".".join([shop_jwt("8").split(".")[0], shop_jwt("7").split(".")[1],
                                        shop_jwt("8").split(".")[2]]),
    # Nginx limits a header to 8 KiB
    "very long": lambda: "a." * (6_000 if way.NAME != "nginx" else 3_500),
    "empty": lambda: "",
    # Numbers that programs could read as another customer or time.
    "number beyond 2^53": lambda: signed(HS256, claims_of("9007199254740993")),
    "first number that may be another": lambda: signed(HS256, claims_of("9007199254740992")),
    "number with a fraction": lambda: signed(HS256, claims_of("42.0")),
    "number below 1": lambda: signed(HS256, claims_of("0")),
    "spare bits": lambda: changed(shop_jwt("7"), spare_bit),
    "a part too many": lambda: shop_jwt("7") + ".",
    "half a character": lambda: signed(HS256, claims_of('"\\ud800"')),
    "no number": lambda: signed(HS256, claims_of("NaN")),
    "end beyond all numbers": lambda: signed(HS256, text(b'{"sub": "7", "exp": 1e999}')),
    "end that is no number": lambda: signed(HS256, text(b'{"sub": "7", "exp": NaN}')),
    "number of 5,000 digits": lambda: signed(HS256, claims_of('"7", "x": ' + "9" * 5_000)),
    "claims that are nested deeply": lambda: signed(HS256, claims_of('"7", "x": ' + "[" * 5_000)),
    "header that is nested deeply": lambda: signed(text(b"[" * 5_000), claims_of("7")),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_invalid_jwt_is_refused(front, name):
    """A wrong JWT is 401 in the header and ignored in a cookie.
    Rules: storefront-naming, storefront-jwt."""
    token = WRONG[name]()
    in_header = front.browser(X_Shop_Token=token)
    with nothing_done(front):
        envelope(in_header.get("/items"), 401)
        envelope(in_header.post("/items", json={"productId": 1}), 401)
        in_cookie = front.browser().get("/items", headers={"Cookie": f"shop_jwt={token}"})
        assert nobodys(in_cookie)
        assert in_cookie.headers["Wishwell-Shopper"] == "-"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: shop_jwt("7", exp=None), "MissingRequiredClaimError"),
        (lambda: shop_jwt("7", exp=now() * 1000), "its exp is in milliseconds"),
        (lambda: shop_jwt("7", nbf=now() + 3_000), r"its nbf is (2999|3000) s ahead"),
        (WRONG["other algorithm"], "its algorithm is HS512, and the store accepts HS256"),
        (lambda: unsigned("no\nne"), "its algorithm is unknown, and the store accepts HS256"),
    ],
)
def test_log_says_why_the_jwt_of_a_cookie_was_ignored(front, make, reason):
    """The log says why a cookie's JWT was ignored, because the shop sees only an anonymous caller.
    Rule: storefront-naming."""
    cookie = {"Cookie": f"shop_jwt={make()}"}
    id = front.browser().get("/items", headers=cookie).headers["X-Request-Id"]
    line = rf'"requestId":"{id}".*{reason}.*"event":"jwt_refused"'
    soon(lambda: re.search(line, front.api.output()))


RIGHT = {
    "id": lambda: ("jane_1", shop_jwt("jane_1")),
    "Auth0": lambda: ("auth0|64f0", shop_jwt("auth0|64f0")),
    "Saleor": lambda: ("VXNlcjoxMA==", shop_jwt("VXNlcjoxMA==")),
    "Keycloak": lambda: ("f:realm:7", shop_jwt("f:realm:7")),
    "e-mail address": lambda: ("ada@shop.example", shop_jwt("ada@shop.example")),
    "longest": lambda: ("~" * 255, shop_jwt("~" * 255)),
    "GID with escapes": lambda: ("auth0|64f0", shop_jwt("gid://shopify/Customer/auth0%7C64f0")),
    "GID": lambda: ("jane_1", shop_jwt("gid://shopify/Customer/jane_1")),
    "number": lambda: ("41", signed(HS256, claims_of("41"))),
    # Every number that all programs represent exactly, and larger ids as text.
    "largest number": lambda: ("9007199254740991", signed(HS256, claims_of("9007199254740991"))),
    "larger, as text": lambda: ("9007199254740993", shop_jwt("9007199254740993")),
    "end with a fraction": lambda: ("7", shop_jwt("7", exp=time.time() + 600.5)),
    "clock that is ahead": lambda: ("7", shop_jwt("7", iat=now() + 300, nbf=now() + 50)),
    "clock that is behind": lambda: ("7", shop_jwt("7", exp=now() - 50)),
    "issued at no number": lambda: ("7", shop_jwt("7", iat="today")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_jwt_identifies_the_customer(front, name):
    """The customer is named by the JWT in the header, with or without `Bearer`, or in the cookie.
    Rule: storefront-jwt."""
    customer, token = RIGHT[name]()
    front.shop.customer(customer).http.post("/items", json={"productId": 4})
    for headers in (
        {"X-Shop-Token": token},
        {"X-Shop-Token": f"Bearer {token}"},
        {"X-Shop-Token": f"bearer  {token}"},
        {"Cookie": f"a=b; shop_jwt={token}"},
    ):
        answer = front.browser().get("/items", headers=headers)
        assert products(answer) == [4]
        assert "Set-Cookie" not in answer.headers


def test_duplicate_jwt_is_refused(front):
    """Duplicate JWTs are refused in the header. Rule: storefront-jwt."""
    pairs = [("X-Shop-Token", shop_jwt("one")), ("X-Shop-Token", shop_jwt("two"))]
    with nothing_done(front):
        envelope(front.browser().get("/items", headers=pairs), 400)


def expired() -> str:
    return shop_jwt("7", exp=now() - 65)


COOKIES = {
    "equal ones": (lambda: [shop_jwt("7", exp=now() + 600)] * 6, "7", ""),
    "old and new": (lambda: [expired(), shop_jwt("7")], "7", ""),
    "new and old": (lambda: [shop_jwt("7"), shop_jwt("7", key="x" * 40)], "7", ""),
    "two of one customer": (lambda: [shop_jwt("7"), shop_jwt("gid://shopify/Customer/7")], "7", ""),
    "the fourth": (
        lambda: [*(shop_jwt("7", n=n, key="x" * 40) for n in "abc"), shop_jwt("7")],
        "7",
        "",
    ),
    "the fifth": (
        lambda: [*(shop_jwt("7", n=n, key="x" * 40) for n in "abcd"), shop_jwt("7")],
        None,
        "its signature is not valid",
    ),
    "two customers": (
        lambda: [shop_jwt("7"), shop_jwt("8")],
        None,
        "its cookies name different customers",
    ),
    "two old ones": (lambda: [expired(), shop_jwt("7", exp=now() - 69)], None, "expired"),
}


@pytest.mark.parametrize("name", COOKIES)
def test_jwt_cookies_identify_one_customer_or_nobody(front, name):
    """Equal cookies count once, and only the first four are verified; the log says why
    nobody was identified. Rule: storefront-jwt."""
    made, customer, reason = COOKIES[name]
    front.shop.customer("7").http.post("/items", json={"productId": 4})
    jar = "; ".join(f"shop_jwt={token}" for token in made())
    answer = front.browser().get("/items", headers={"Cookie": jar})
    line = rf'"requestId":"{answer.headers["X-Request-Id"]}".*"event":"jwt_refused"'
    if customer:
        assert products(answer) == [4]
        assert not re.search(line, front.api.output())
    else:
        assert nobodys(answer)
        soon(lambda: re.search(line, front.api.output()))
        assert reason in re.search(line, front.api.output())[0]


def test_jwt_must_have_the_issuer_audience_and_claim(api, new_front):
    """Issuer, audience and claim are checked as the store configures them.
    Rules: storefront-naming, storefront-jwt."""
    key = "the-key-of-a-shop-with-an-issuer-of-its-own"
    (api.folder / "issuers-key").write_text(key)
    front = new_front(
        *BY_JWT[2:], "--jwt-key-file", "issuers-key", "--jwt-issuer", "https://shop.example",
        "--jwt-audience", "wishes", "--jwt-claim", "customer",
    )  # fmt: skip
    good: dict[str, Any] = {"iss": "https://shop.example", "aud": ["x", "wishes"], "customer": "9"}

    def status(**changed: Any) -> int:
        token = shop_jwt("7", key, **(good | changed))
        return front.browser().get("/items", headers={"X-Shop-Token": token}).status_code

    assert status() == 200
    for changed in ({"iss": "https://evil.example"}, {"iss": None}, {"aud": "other"},
                    {"aud": None}, {"customer": None}, {"customer": True}, {"customer": ["9"]}):  # fmt: skip
        assert status(**changed) == 401, changed


def test_each_of_several_keys_is_valid(api, new_front):
    """Each of up to four keys of a store is valid. Rule: storefront-jwt."""
    keys = [f"key-{number}-of-a-shop-that-replaces-them" for number in range(4)]
    words = []
    for number, key in enumerate(keys):
        (api.folder / f"key-{number}").write_text(f"{key}\n")
        words += ["--jwt-key-file", f"key-{number}"]
    front = new_front("--jwt-header", "X-Shop-Token", *words)
    for key in keys:
        token = {"X-Shop-Token": shop_jwt("several", key=key)}
        assert front.browser().get("/items", headers=token).status_code == 200
    envelope(front.signed_in("several").get("/items"), 401)


def test_jwt_is_valid_until_a_minute_after_its_expiry(front):
    """A JWT is valid until a minute after its expiry, also if it was verified and cached before.
    Rule: storefront-jwt."""
    for seconds in (4, 30):
        end = int(time.time()) + seconds
        browser = front.browser(X_Shop_Token=shop_jwt("short", exp=end - LEEWAY))
        status = browser.get("/items").status_code
        if time.time() < end:  # on a busy machine the request may take longer than 4 s
            break
    assert status == 200
    time.sleep(end + 0.1 - time.time())
    envelope(browser.get("/items"), 401)
