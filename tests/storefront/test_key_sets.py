"""The shop's JWT, signed with a key of a set that the shop publishes."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from .conftest import BY_JWT, Front, envelope, nobodys, nothing_done, products, shop_jwt, text

RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
OTHER = rsa.generate_private_key(65537, 2048)


class KeyServer(http.server.ThreadingHTTPServer):
    """A shop's key set at a URL; counts how often it was asked for."""

    def __init__(self, document: dict) -> None:
        self.document, self.asked = document, 0
        super().__init__(("127.0.0.1", 0), _Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/keys.json"


class _Answer(http.server.BaseHTTPRequestHandler):
    server: KeyServer

    def do_GET(self) -> None:
        self.server.asked += 1
        body = json.dumps(self.server.document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def public(key: Any, kid: str) -> dict:
    is_rsa = isinstance(key, rsa.RSAPrivateKey)
    kind = jwt.algorithms.RSAAlgorithm if is_rsa else jwt.algorithms.ECAlgorithm
    return json.loads(kind.to_jwk(key.public_key())) | {"kid": kid, "use": "sig"}


def with_key(key: Any, algorithm: str, kid: str | None, sub: str = "9") -> str:
    headers = {"kid": kid} if kid else {}
    return jwt.encode({"sub": sub, "exp": int(time.time()) + 600}, key, algorithm, headers)


def confused() -> str:
    """A token that takes the public key for a shared secret."""
    pem = RSA.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    head = text(json.dumps({"alg": "HS256", "kid": "r"}).encode())
    body = text(json.dumps({"sub": "9", "exp": int(time.time()) + 600}).encode())
    return f"{head}.{body}.{text(hmac.digest(pem, f'{head}.{body}'.encode(), hashlib.sha256))}"


def status(front: Front, token: str) -> int:
    return front.browser().get("/items", headers={"X-Shop-Token": token}).status_code


@pytest.fixture(scope="module")
def served():
    octets = {"kty": "oct", "kid": "shared", "k": base64.urlsafe_b64encode(b"k" * 32).decode()}
    server = KeyServer({"keys": [public(RSA, "r"), public(EC, "e"), octets, {"kty": "?"}]})
    yield server
    server.shutdown()
    server.server_close()


def test_key_set_at_a_url(new_front, served):
    """contract: storefront-jwt. The kid chooses, each key is good for its own algorithm, and the
    set is fetched once."""
    front = new_front(*BY_JWT[2:], "--jwt-key-set", served.url)
    assert status(front, with_key(RSA, "RS256", "r")) == 200
    assert status(front, with_key(EC, "ES256", "e")) == 200
    assert served.asked == 1
    for token in (
        with_key(RSA, "RS256", "e"),
        with_key(EC, "ES256", "r"),
        with_key(OTHER, "RS256", "r"),
        with_key(RSA, "RS256", None),
        with_key(RSA, "PS256", "r"),
        with_key("k" * 32, "HS256", "shared"),
        confused(),
        shop_jwt("9"),
    ):
        assert status(front, token) == 401
    served.document["keys"].append(public(OTHER, "new"))
    for _ in range(5):
        assert status(front, with_key(OTHER, "RS256", "new")) == 401  # the minute is not over
    assert served.asked == 1
    jar = {"Cookie": f"shop_jwt={with_key(OTHER, 'RS256', 'gone')}"}
    assert nobodys(front.browser().get("/items", headers=jar))


def test_key_set_and_shared_key(api, new_front):
    """contract: storefront-naming, storefront-jwt. A store may have both, the set from a file; each
    is good for its own algorithms."""
    (api.folder / "keys.json").write_text(json.dumps({"keys": [public(RSA, "r"), public(EC, "e")]}))
    (api.folder / "beside-a-set").write_text(key := "the-key-of-a-shop-that-has-a-key-set-too")
    front = new_front(*BY_JWT[2:], "--jwt-key-file", "beside-a-set", "--jwt-key-set", "keys.json")
    jar = {"Cookie": f"shop_jwt={with_key(EC, 'ES256', 'e')}"}
    assert front.browser().post("/items", json={"productId": 1}, headers=jar).status_code == 201
    assert products(front.browser().get("/items", headers=jar)) == [1]
    token = {"X-Shop-Token": shop_jwt("9", key)}
    assert products(front.browser().get("/items", headers=token)) == [1]
    assert status(front, confused()) == 401


def test_key_set_that_is_away(new_front):
    """contract: storefront-jwt. While there are no keys nobody can be told apart: 503."""
    front = new_front(*BY_JWT[2:], "--jwt-key-set", "http://127.0.0.1:1/keys")
    token = {"X-Shop-Token": with_key(RSA, "RS256", "r")}
    with nothing_done(front):
        answer = front.browser().get("/items", headers=token)
        envelope(answer, 503)
        assert int(answer.headers["Retry-After"]) >= 1
    assert nobodys(front.browser().get("/items"))
