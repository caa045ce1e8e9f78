"""Headers of all storefront responses; neither responses nor the log reveal secrets."""

import base64
import re
import time
from email.utils import parsedate_to_datetime

from . import way
from .conftest import BASE, shop_jwt

PRIVATE = {
    "Cache-Control": "private, no-store",
    "Vary": "Cookie",
    "X-Content-Type-Options": "nosniff",
}


def test_response_has_the_storefronts_headers(front):
    """Storefront responses have these headers and no others of the API.
    Rules: limit-window, storefront-no-token."""
    visitor = front.browser()
    made = visitor.post("/items", json={"productId": 1})
    id = made.json()["data"]["id"]
    assert made.headers["Location"] == f"{BASE}/api/items/{id}"
    assert visitor.at(made.headers["Location"].removeprefix(BASE)).json() == made.json()
    answer = visitor.get("/items")
    for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
        assert int(answer.headers[name]) >= 0
    known = {
        "date", "content-type", "content-length", "cache-control", "vary", "wishwell-shopper",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id",
        "x-content-type-options", "connection", "keep-alive",
    }  # fmt: skip
    known |= {"server"} if way.NAME != "direct" else set()
    assert set(answer.headers) <= known


def test_every_response_is_private_and_issues_no_token(front):
    """No response may be cached, errors included, and none issues a token. All name the shopper,
    unless it isn't known who that is. Rule: storefront-no-token."""
    visitor, nobody = front.anyone(1), front.browser()
    cross_site = {"Sec-Fetch-Site": "cross-site"}
    answers = [
        (visitor.get("/items"), 200),
        (visitor.get("/items?limit=x"), 400),
        (visitor.get("/nothing"), 404),
        (visitor.patch("/items"), 405),
        (visitor.post("/items", json={}, headers=cross_site), 403),
        (visitor.get("/items", headers={"X-Shop-Token": "wrong"}), 401),
        (nobody.get("/lists"), 200),
        (nobody.delete("/items"), 204),
    ]
    if way.NAME == "direct":  # a proxy sets the token and the host itself
        answers.append((visitor.get("/items", headers={"Authorization": "Bearer wrong"}), 401))
        answers.append((visitor.get("/items", headers={"Host": "nowhere.test"}), 404))
    for answer, status in answers:
        assert answer.status_code == status
        [date] = answer.headers.get_list("Date")
        assert abs(parsedate_to_datetime(date).timestamp() - time.time()) < 60
        assert {name: answer.headers.get(name) for name in PRIVATE} == PRIVATE
        known = status not in (401, 404, 405)  # otherwise the shopper wasn't identified
        assert len(answer.headers.get("Wishwell-Shopper", "")) in ((1, 16) if known else (0,))
        assert "WWW-Authenticate" not in answer.headers


def test_shopper_header_identifies_the_shopper_without_the_gid(front):
    """`Wishwell-Shopper` is the start of an HMAC of the GID, or `-` for an anonymous caller.
    Rule: storefront-no-token."""
    visitor = front.browser()
    assert visitor.get("/items").headers["Wishwell-Shopper"] == "-"
    made = visitor.post("/items", json={"productId": 1})
    assert made.headers["Wishwell-Shopper"] == front.shopper(visitor.session)
    assert visitor.get("/lists").headers["Wishwell-Shopper"] == front.shopper(visitor.session)
    forged = front.browser(front.cookie(visitor.session, secret="x" * 32))
    answer = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("77")})
    assert answer.headers["Wishwell-Shopper"] == front.shopper("gid://shopify/Customer/77")
    assert forged.get("/items").headers["Wishwell-Shopper"] == "-"


WORDS = re.compile(rb"[A-Za-z0-9_-]{8,}|[A-Za-z0-9+/]{8,}")
JWT_HEADS = (b"wishwell+jwt", b'"alg"')


def decoded(text: bytes) -> list[bytes]:
    """Returns all base64 in a text decoded, in both alphabets and from any offset."""
    found = []
    for word in set(WORDS.findall(text)):
        for start in range(4):
            cut = word[start:].translate(bytes.maketrans(b"-_", b"+/"))
            found.append(base64.b64decode(cut[: len(cut) - len(cut) % 4]))
    return found


def leaks(seen: list[bytes], secrets: list[str]) -> list[str]:
    """Returns the secrets and token markers found in the text, plain or encoded up to twice."""
    pieces = [b"\n".join(seen)]
    for _ in range(2):
        pieces.append(b"\n".join(found for piece in pieces for found in decoded(piece)))
    needles = [*(secret.encode() for secret in secrets), *JWT_HEADS, b"wwadm_"]
    return [needle.decode() for needle in needles if any(needle in piece for piece in pieces)]
