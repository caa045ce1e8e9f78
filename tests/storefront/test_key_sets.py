"""Customers identified by a JWT signed with a key of the shop's published key set (JWKS)."""

import asyncio
import hashlib
import hmac
import json
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.servers import HERE, wait_until
from tests.servers.called import Called, on_loop

from .conftest import (
    BY_JWT,
    LOCAL_CALLS,
    Front,
    envelope,
    new_api,
    nobodys,
    nothing_done,
    products,
    shop_jwt,
    text,
    with_one_store,
)
from .test_keys import EC, RSA, answer, entry

OTHER = rsa.generate_private_key(65537, 2048)
SHARED = {"kty": "oct", "kid": "shared", "k": text(b"k" * 32)}
KEYS = [entry("r", RSA), entry("e"), SHARED, {"kty": "?"}]


def with_key(key: Any, algorithm: str, kid: str | None) -> str:
    headers = {"kid": kid} if kid else {}
    return jwt.encode({"sub": "9", "exp": int(time.time()) + 600}, key, algorithm, headers)


def confused() -> str:
    """Returns a token that uses the public key as an HMAC secret (algorithm confusion)."""
    pem = RSA.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    head = text(json.dumps({"alg": "HS256", "kid": "r"}).encode())
    body = text(json.dumps({"sub": "9", "exp": int(time.time()) + 600}).encode())
    return f"{head}.{body}.{text(hmac.digest(pem, f'{head}.{body}'.encode(), hashlib.sha256))}"


def status(front: Front, token: str) -> int:
    return front.browser(X_Shop_Token=token).get("/items").status_code


@on_loop
async def test_key_set_is_fetched_once(new_front):
    """A key set is fetched once, and not again for each unknown kid.
    Rules: storefront-jwt, key-set-fetched."""
    async with Called(answer(json.dumps({"keys": KEYS}).encode())).serve() as server:

        def shopping() -> None:
            url = f"http://{HERE}:{server.port}/keys.json"
            front = new_front(*BY_JWT[2:], "--jwt-key-set", url)
            assert status(front, with_key(RSA, "RS256", "r")) == 200
            assert status(front, with_key(EC, "ES256", "e")) == 200
            server.answer = answer(json.dumps({"keys": [entry("new", OTHER)]}).encode())
            for _ in range(5):
                assert status(front, with_key(OTHER, "RS256", "new")) == 401

        await asyncio.to_thread(shopping)
        assert len(server.heads) == 1


@pytest.fixture(scope="module")
def front(api, new_front):
    """A store with a key set from a file and a shared key."""
    (api.folder / "keys.json").write_text(json.dumps({"keys": KEYS}))
    (api.folder / "beside-a-set").write_text("the-key-of-a-shop-that-has-a-key-set-too")
    return new_front(*BY_JWT[2:], "--jwt-key-file", "beside-a-set", "--jwt-key-set", "keys.json")


def test_store_accepts_a_key_set_and_a_shared_key(front):
    """A store may have both a key set and a shared key.
    Rules: storefront-naming, storefront-jwt."""
    jar = {"Cookie": f"shop_jwt={with_key(EC, 'ES256', 'e')}"}
    assert front.browser().post("/items", json={"productId": 1}, headers=jar).status_code == 201
    assert products(front.browser().get("/items", headers=jar)) == [1]
    token = shop_jwt("9", "the-key-of-a-shop-that-has-a-key-set-too")
    assert front.browser(X_Shop_Token=token).products() == [1]


def test_key_is_valid_only_for_its_own_algorithm(front):
    """A key is valid only for its own algorithm; the token's kid alone selects it.
    Rule: storefront-jwt."""
    for token in (
        *(with_key(RSA, "RS256", kid) for kid in ("e", None)),
        *(with_key(OTHER, "RS256", "r"), with_key(RSA, "PS256", "r")),
        *(with_key("k" * 32, "HS256", "shared"), confused(), shop_jwt("9")),
    ):
        assert status(front, token) == 401
    jar = {"Cookie": f"shop_jwt={with_key(OTHER, 'RS256', 'gone')}"}
    assert nobodys(front.browser().get("/items", headers=jar))


def test_jwt_is_503_when_no_key_was_fetched(new_front):
    """Without any fetched keys a JWT is 503. Rule: storefront-jwt."""
    front = new_front(*BY_JWT[2:], "--jwt-key-set", "http://127.0.0.1:1/keys")
    with nothing_done(front):
        refused = front.browser(X_Shop_Token=with_key(RSA, "RS256", "r")).get("/items")
        envelope(refused, 503)
        assert int(refused.headers["Retry-After"]) >= 1
    assert nobodys(front.browser().get("/items"))


@on_loop
async def test_removed_key_signs_nobody_in_after_the_maximum_age():
    """In the running program, a removed key signs nobody in after the maximum age.
    Rule: key-set-fetched."""
    async with Called(answer(json.dumps({"keys": KEYS}).encode())).serve() as server:

        def shopping() -> None:
            url = f"http://{HERE}:{server.port}/keys.json"
            service = new_api(WISHWELL_KEY_SET_SECONDS="1", **LOCAL_CALLS)
            with with_one_store(service, *BY_JWT[2:], "--jwt-key-set", url, scheme="") as front:
                token = with_key(RSA, "RS256", "r")
                assert status(front, token) == 200
                server.answer = answer(json.dumps({"keys": [entry("e")]}).encode())
                assert wait_until(lambda: status(front, token) == 401, seconds=60)
                assert status(front, with_key(EC, "ES256", "e")) == 200

        await asyncio.to_thread(shopping)
