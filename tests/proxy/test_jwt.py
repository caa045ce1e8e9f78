"""docs/proxy.md, The shop's JWT."""

import base64
import hashlib
import hmac
import http.server
import json
import string
import threading
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from .conftest import JWT_KEY, SECRET, envelope, nothing_forwarded, shop_jwt, text


def now() -> int:
    """Asked for anew each time: a run of all tests may take longer than these tokens live."""
    return int(time.time())


def unsigned(algorithm: str, **claims: object) -> str:
    head = text(json.dumps({"alg": algorithm, "typ": "JWT"}).encode())
    return f"{head}.{text(json.dumps({'sub': '7', 'exp': now() + 600} | claims).encode())}."


WRONG = {
    "another key": lambda: shop_jwt("7", key="x" * 40),
    "the cookie's secret": lambda: shop_jwt("7", key=SECRET),
    "expired": lambda: shop_jwt("7", exp=now() - 5),
    "not yet": lambda: shop_jwt("7", nbf=now() + 500),
    "no end": lambda: shop_jwt("7", exp=None),
    "end of text": lambda: shop_jwt("7", exp="never"),
    "no subject": lambda: jwt.encode({"exp": now() + 600}, JWT_KEY, "HS256"),
    "empty subject": lambda: jwt.encode({"sub": "", "exp": now() + 600}, JWT_KEY, "HS256"),
    "subject with a slash": lambda: shop_jwt("a/b"),
    "subject too long": lambda: shop_jwt("a" * 65),
    "a session": lambda: shop_jwt("gid://wishwell/Session/400705fd-f08e-4532-85ca-9a17350587b9"),
    "another platform": lambda: shop_jwt("gid://other/Customer/7"),
    "subject with a line": lambda: shop_jwt("7\n"),
    "other algorithm": lambda: jwt.encode({"sub": "7", "exp": now() + 600}, JWT_KEY, "HS512"),
    "no algorithm": lambda: unsigned("none"),
    "None": lambda: unsigned("None"),
    "HS256, no signature": lambda: unsigned("HS256"),
    "claims changed": lambda: ".".join([shop_jwt("8").split(".")[0], shop_jwt("7").split(".")[1],
                                        shop_jwt("8").split(".")[2]]),
    "two parts": lambda: shop_jwt("7").rpartition(".")[0],
    "nonsense": lambda: "nonsense",
    "very long": lambda: "a." * 6_000,
    "empty": lambda: "",
}  # fmt: skip


def is_nobodys(front, token: str) -> None:
    """Wrong in its header it is 401; in a cookie it is nobody."""
    with nothing_forwarded(front.api):
        browser = front.browser()
        envelope(browser.get("/items", headers={"X-Shop-Token": token}), 401)
        envelope(browser.post("/items", json={}, headers={"X-Shop-Token": token}), 401)
        in_cookie = browser.get("/items", headers={"Cookie": f"shop_jwt={token}"})
        assert (in_cookie.status_code, in_cookie.json()) == (200, {"data": []})


@pytest.mark.parametrize("name", WRONG)
def test_wrong_jwt(front, name):
    """Who is shopping, 1: wrong in its header it is 401; in a cookie it is nobody."""
    is_nobodys(front, WRONG[name]())


def signed(*words: str) -> str:
    """These words and their signature; for what a JWT library would not write."""
    right = hmac.new(JWT_KEY.encode(), ".".join(words).encode(), hashlib.sha256).digest()
    return ".".join([*words, text(right)])


HS256 = text(b'{"alg":"HS256"}')


def claims_of(sub: str) -> str:
    """The claims of a customer, whose id stands in it as it does here."""
    return text(f'{{"sub": {sub}, "exp": {now() + 600}}}'.encode())


def changed(token: str, change: Callable[[str], str]) -> str:
    """The same token with its signature in another spelling."""
    before, _, signature = token.rpartition(".")
    return f"{before}.{change(signature)}"


def spare_bit(signature: str) -> str:
    """What base64 reads as the same bytes: the last letter has two bits that mean nothing."""
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    return signature[:-1] + alphabet[alphabet.index(signature[-1]) ^ 1]


LOOSE = {
    "number beyond 2^53": lambda: signed(HS256, claims_of("9007199254740993")),
    "first number that may be another": lambda: signed(HS256, claims_of("9007199254740992")),
    "number with a fraction": lambda: signed(HS256, claims_of("42.0")),
    "number with an exponent": lambda: signed(HS256, claims_of("42e0")),
    "number below 1": lambda: signed(HS256, claims_of("-42")),
    "nought": lambda: signed(HS256, claims_of("0")),
    "end as text": lambda: shop_jwt("7", exp=str(now() + 600)),
    "beginning as text": lambda: shop_jwt("7", nbf=str(now() - 600)),
    "end that is true": lambda: shop_jwt("7", exp=True),
    "= behind the signature": lambda: shop_jwt("7") + "=",
    "= behind the header": lambda: signed(HS256 + "=", claims_of("7")),
    "= behind the claims": lambda: signed(HS256, claims_of("7") + "="),
    "a sign of no alphabet": lambda: changed(shop_jwt("7"), lambda right: "!" + right),
    "spare bits": lambda: changed(shop_jwt("7"), spare_bit),
    "a part too many": lambda: shop_jwt("7") + ".",
}  # fmt: skip


@pytest.mark.python_only("the JavaScript one takes some of these")
@pytest.mark.parametrize("name", LOOSE)
def test_jwt_that_two_readers_may_read_differently(front, name):
    """The shop's JWT: what another program may take for another customer or time is wrong."""
    is_nobodys(front, LOOSE[name]())


def test_customer_of_the_jwt(front):
    """The shop's JWT: header with or without Bearer, or cookie; an id, or the whole GID."""
    front.shop.customer("jane_1").http.post("/items", json={"productId": 4})
    for customer in ("jane_1", "gid://shopify/Customer/jane_1"):
        token = shop_jwt(customer)
        for headers in (
            {"X-Shop-Token": token},
            {"X-Shop-Token": f"Bearer {token}"},
            {"X-Shop-Token": f"bearer  {token}"},
            {"Cookie": f"a=b; shop_jwt={token}"},
        ):
            answer = front.browser().get("/items", headers=headers)
            assert [item["productId"] for item in answer.json()["data"]] == [4]
            assert "Set-Cookie" not in answer.headers


def test_customer_as_a_number(front):
    """The shop's JWT: many shops' ids are numbers, and so is their `sub`."""
    front.shop.customer("41").http.post("/items", json={"productId": 5})
    token = jwt.encode({"sub": 41, "exp": now() + 600}, JWT_KEY, "HS256")
    for headers in ({"X-Shop-Token": token}, {"Cookie": f"shop_jwt={token}"}):
        answer = front.browser().get("/items", headers=headers)
        assert [item["productId"] for item in answer.json()["data"]] == [5]


def test_largest_number_of_a_customer(front):
    """The shop's JWT: every number that all programs write alike, and text beyond it."""
    for sub, named in (
        ("9007199254740991", "9007199254740991"),
        ('"9007199254740993"', "9007199254740993"),
    ):
        front.shop.customer(named).http.post("/items", json={"productId": 6})
        token = {"X-Shop-Token": signed(HS256, claims_of(sub))}
        assert front.browser().get("/items", headers=token).json()["data"]


def test_end_with_a_fraction(front):
    """The shop's JWT: a NumericDate may have one (RFC 7519, section 2)."""
    token = {"X-Shop-Token": shop_jwt("7", exp=time.time() + 600.5)}
    assert front.browser().get("/items", headers=token).status_code == 200


def test_shop_whose_clock_is_ahead(front):
    """The shop's JWT: when it was made decides nothing; `nbf` and `exp` say when it holds."""
    answer = front.browser().get("/items", headers={"X-Shop-Token": shop_jwt("7", iat=now() + 3)})
    assert answer.status_code == 200


def test_jwt_sent_twice(front):
    """The shop's JWT: two of them name nobody."""
    one, other = shop_jwt("one"), shop_jwt("two")
    pairs = [("X-Shop-Token", one), ("X-Shop-Token", other)]
    with nothing_forwarded(front.api):
        assert front.browser().get("/items", headers=pairs).status_code in (400, 401)
        jar = {"Cookie": f"shop_jwt={one}; shop_jwt={other}"}
        assert front.browser().get("/items", headers=jar).json() == {"data": []}


def test_issuer_audience_and_claim(new_front):
    """The shop's JWT: iss and aud are checked when set, and the claim is a setting."""
    front = new_front(
        JWT_KEY=JWT_KEY, JWT_HEADER="Authorization", JWT_ISSUER="https://shop.example",
        JWT_AUDIENCE="wishes", JWT_CLAIM="customer",
    )  # fmt: skip
    good: dict[str, Any] = {"iss": "https://shop.example", "aud": ["x", "wishes"], "customer": "9"}

    def status(**changed: Any) -> int:
        token = shop_jwt("7", **(good | changed))
        return (
            front.browser().get("/items", headers={"Authorization": f"Bearer {token}"}).status_code
        )

    assert status() == 200
    for changed in ({"iss": "https://evil.example"}, {"iss": None}, {"aud": "other"},
                    {"aud": None}, {"customer": None}, {"customer": True}, {"customer": ["9"]}):  # fmt: skip
        assert status(**changed) == 401, changed


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


RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
OTHER = rsa.generate_private_key(65537, 2048)


def public(key: Any, kid: str, **more: str) -> dict:
    kind = (
        jwt.algorithms.RSAAlgorithm
        if isinstance(key, rsa.RSAPrivateKey)
        else jwt.algorithms.ECAlgorithm
    )
    return json.loads(kind.to_jwk(key.public_key())) | {"kid": kid, "use": "sig"} | more


def with_key(key: Any, algorithm: str, kid: str | None, sub: str = "9") -> str:
    headers = {"kid": kid} if kid else {}
    return jwt.encode({"sub": sub, "exp": now() + 600}, key, algorithm, headers)


def test_key_set_at_a_url(new_front):
    """The shop's JWT, JWKS: kid chooses; an unknown one fetches again at most once a minute."""
    pem = RSA.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    octets = {"kty": "oct", "kid": "shared", "k": base64.urlsafe_b64encode(b"k" * 32).decode()}
    served = KeyServer({"keys": [public(RSA, "r"), public(EC, "e"), octets, {"kty": "?"}]})
    try:
        front = new_front(JWT_JWKS=served.url, JWT_HEADER="X-Shop-Token", JWT_COOKIE="shop_jwt")

        def status(token: str) -> int:
            return front.browser().get("/items", headers={"X-Shop-Token": token}).status_code

        assert status(with_key(RSA, "RS256", "r")) == 200
        assert status(with_key(EC, "ES256", "e")) == 200
        assert served.asked == 1
        for token in (
            with_key(RSA, "RS256", "e"),
            with_key(EC, "ES256", "r"),
            with_key(OTHER, "RS256", "r"),
            with_key(RSA, "RS256", None),
            with_key(RSA, "PS256", "r"),
            with_key("k" * 32, "HS256", "shared"),
            confused(pem),
            shop_jwt("9"),
        ):
            assert status(token) == 401
        served.document["keys"].append(public(OTHER, "new"))
        for _ in range(5):
            assert status(with_key(OTHER, "RS256", "new")) == 401  # the minute is not over
        assert served.asked == 1
        jar = {"Cookie": f"shop_jwt={with_key(OTHER, 'RS256', 'gone')}"}
        assert front.browser().get("/items", headers=jar).json() == {"data": []}
    finally:
        served.shutdown()


def confused(pem: bytes) -> str:
    """A token that takes the public key for a shared secret."""
    head = text(json.dumps({"alg": "HS256", "kid": "r"}).encode())
    body = text(json.dumps({"sub": "9", "exp": now() + 600}).encode())
    signed = hmac.new(pem, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{text(signed)}"


def test_key_set_in_a_file(new_front, tmp_path):
    """The shop's JWT, JWKS: a file does too."""
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"keys": [public(EC, "e")]}))
    front = new_front(JWT_JWKS=str(path), JWT_COOKIE="shop_jwt")
    jar = {"Cookie": f"shop_jwt={with_key(EC, 'ES256', 'e')}"}
    assert front.browser().post("/items", json={"productId": 1}, headers=jar).status_code == 201
    assert front.browser().get("/items", headers=jar).json()["data"]


def test_key_set_that_is_away(new_front):
    """The shop's JWT, JWKS: while there are no keys nobody can be told apart: 503."""
    front = new_front(JWT_JWKS="http://127.0.0.1:1/keys", JWT_HEADER="X-Shop-Token")
    with nothing_forwarded(front.api):
        token = {"X-Shop-Token": with_key(RSA, "RS256", "r")}
        answer = front.browser().get("/items", headers=token)
        envelope(answer, 503)
        assert int(answer.headers["Retry-After"]) >= 1
    assert front.browser().get("/items").json() == {"data": []}
