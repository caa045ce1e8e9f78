"""Forged and altered profile tokens."""

import base64
import hashlib
import hmac
import json
import math
import time
import uuid

import jwt
import pytest

from tests.conftest import SIGNING_KEY
from tests.storefront.conftest import text

from .conftest import data, products, refused, wrong


def signed(
    header: object, payload: object, key: str | bytes = SIGNING_KEY, digest: str = "sha256"
) -> str:
    """Returns a token with this header and payload, which need not be JSON, signed with a key."""
    head, body = (
        part if isinstance(part, bytes) else json.dumps(part, separators=(",", ":")).encode()
        for part in (header, payload)
    )
    plain = f"{text(head)}.{text(body)}"
    secret = key.encode() if isinstance(key, str) else key
    return f"{plain}.{text(hmac.new(secret, plain.encode(), digest).digest())}"


@pytest.fixture
def genuine(roomy_shop):
    """A genuine token: its text, header and payload."""
    token = roomy_shop.customer("1").token
    claims = jwt.decode(token, options={"verify_signature": False})
    return token, jwt.get_unverified_header(token), claims


def without(claims: dict, name: str) -> dict:
    return {key: value for key, value in claims.items() if key != name}


def refuses_all(shop, tokens: dict[str, str]) -> None:
    statuses = {}
    for name, token in tokens.items():
        headers = {"Authorization": b"Bearer " + token.encode()}
        statuses[name] = shop.anonymous.get("/items", headers=headers).status_code
    assert wrong(401, statuses) == {}
    assert products(shop.customer("1").http) == []


def test_unaltered_token_signed_by_these_tests_is_valid(roomy_shop, genuine):
    """Control: these tests' signing produces valid tokens when nothing is altered."""
    _, header, payload = genuine
    data(roomy_shop.client(signed(header, payload)).get("/items"))
    again = payload | {"jti": str(uuid.uuid4())}
    data(roomy_shop.client(signed(header, again)).get("/items"))


def test_token_with_claims_that_are_never_issued_is_refused(roomy_shop, genuine):
    """Claims that are missing, of a wrong type or out of time are refused.
    Rule: profile-token-strict."""
    _, header, good = genuine
    now = int(time.time())
    claims = {
        "expired": {"exp": now - 90, "iat": now - 86_490}, "exp far": {"exp": good["iat"] + 86_400 * 30},
        "exp a minute more": {"exp": good["exp"] + 60}, "iat future": {"iat": now + 3600, "exp": now + 7200},
        "exp at iat": {"iat": now + 50, "exp": now + 50}, "nbf future": {"nbf": now + 3600},
        "aud other": {"aud": str(uuid.uuid4())}, "aud text of it": {"aud": f"{good['aud']} "},
        "sub other platform": {"sub": "gid://other/Customer/1"}, "sub NUL": {"sub": good["sub"] + "\0"},
        "sub unknown session": {"sub": f"gid://wishwell/Session/{uuid.uuid4()}"}, "sub admin": {"sub": "admin"},
    }  # fmt: skip
    tokens = {name: signed(header, good | change) for name, change in claims.items()}
    for name, value in good.items():
        tokens[f"no {name}"] = signed(header, without(good, name))
        more = (str(value), value + 0.5) if isinstance(value, int) else (value[:4], f"{value}9" * 9)
        for odd in (None, True, -1, 10**30, math.nan, math.inf, "", [], [value], {}, *more):
            tokens[f"{name} {odd!r:.20}"] = signed(header, good | {name: odd})
    plain = json.dumps(good, separators=(",", ":"))
    double = plain[:-1] + f',"sub":"{roomy_shop.gid("2")}"}}'
    tokens |= {"sub twice": signed(header, double.encode()), "no claims": signed(header, {})}
    tokens |= {
        "one more": signed(header, good | {"x": 1}),
        "spaces": signed(header, json.dumps(good).encode()),
        "another order": signed(header, dict(reversed(good.items()))),
        "an escape": signed(header, plain.replace("gid", "\\u0067id").encode()),
    }
    refuses_all(roomy_shop, tokens)


def test_token_with_a_header_that_is_never_issued_is_refused(roomy_shop, genuine):
    """Only the issued algorithm and a known `kid` are accepted. Rule: profile-token-strict."""
    _, good, payload = genuine
    other = base64.urlsafe_b64encode(b"an-attackers-own-key-of-32-bytes").decode()
    headers = {
        "alg lower": {"alg": "hs256"}, "alg RS256": {"alg": "RS256"}, "alg dir": {"alg": "dir", "enc": "A256GCM"},
        "kid path": {"kid": "../../../../dev/null"}, "kid url": {"kid": "http://127.0.0.1:1/key"},
        "kid long": {"kid": "x" * 3000}, "crit": {"crit": ["exp"]}, "crit empty": {"crit": []},
        "b64 false": {"b64": False, "crit": ["b64"]}, "zip": {"zip": "DEF", "crit": ["zip"]},
    }  # fmt: skip
    tokens = {name: signed(good | change, payload) for name, change in headers.items()}
    for name, value in good.items():
        tokens[f"no {name}"] = signed(without(good, name), payload)
        for odd in (None, 0, "", [], [value], f"{value} ", "unknown", "\0"):
            tokens[f"{name} {odd!r}"] = signed(good | {name: odd}, payload)
    for name in ("none", "None", "NONE", "nOnE"):
        bare = signed(good | {"alg": name}, payload).rpartition(".")[0]
        tokens |= {name: f"{bare}.", f"{name}, signed": signed(good | {"alg": name}, payload)}
    tokens |= {
        "HS512": signed(good | {"alg": "HS512"}, payload, digest="sha512"),
        "HS384": signed(good | {"alg": "HS384"}, payload, digest="sha384"),
        "SHA-512 called HS256": signed(good, payload, digest="sha512"),
        "key in the header": signed(good | {"jwk": {"kty": "oct", "k": other}}, payload, key="an-attackers-own-key-of-32-bytes"),
        "key by url": signed(good | {"jku": "http://127.0.0.1:1/"}, payload, key="an-attackers-own-key-of-32-bytes"),
        "header array": signed([good], payload),
        "alg twice": signed(json.dumps(good, separators=(",", ":"))[:-1].encode() + b',"alg":"none"}', payload),
    }  # fmt: skip
    refuses_all(roomy_shop, tokens)


NO_OBJECT = (
    b"",
    b"{",
    b"null",
    b'"x"',
    b"\xff\xfe",
    b"[" * 900 + b"]" * 900,
    b'{"sub":' + b"[" * 1000,
)


def test_token_whose_parts_are_not_json_objects_is_refused(roomy_shop, genuine):
    """A correctly signed token whose parts aren't JSON objects is refused.
    Rule: profile-token-strict."""
    _, header, payload = genuine
    tokens = {f"header {part!r:.9}": signed(part, payload) for part in NO_OBJECT}
    tokens |= {f"payload {part!r:.9}": signed(header, part) for part in NO_OBJECT}
    refuses_all(roomy_shop, tokens)


def test_token_with_another_signature_is_refused(roomy_shop, genuine):
    """Another deployment's signature, or one of altered parts, is refused.
    Rules: profile-token-strict, token-required."""
    token, header, payload = genuine
    head, body, signature = token.split(".")
    richer = text(json.dumps(payload | {"sub": roomy_shop.gid("2")}).encode())
    tokens = {
        "key of another deployment": signed(header, payload, key="the-key-of-another-deployment-altogether"),
        "empty key": signed(header, payload, key=b""), "kid as the key": signed(header, payload, key=str(header["kid"])),
        "hash of the key": signed(header, payload, key=hashlib.sha256(SIGNING_KEY.encode()).hexdigest()),
        "changed payload": f"{head}.{richer}.{signature}", "changed header": f"{text(b'{}')}.{body}.{signature}",
        "no signature": f"{head}.{body}.", "two parts": f"{head}.{body}", "one part": head, "four parts": f"{token}.x",
        "five parts": f"{head}.{body}.{signature}.x.y", "empty parts": "..", "dots": "....", "cut": token[:-4], "longer": token + "AAAA",
        "first character": f"{head}.{body}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}", "zeros": f"{head}.{body}.{'A' * 43}",
        "twice": f"{token}{token}", "swapped": f"{body}.{head}.{signature}", "bad base64": f"{head}.{body}.!!!!", "padded part": f"{head}=.{body}.{signature}",
        "padded signature": f"{token}=", "padded twice": f"{token}==",
        "not ASCII": f"{head}.{body}.\u00e9", "spaces": f"{head}. {body}.{signature}",
        "payload array": signed(header, [payload]),
        "over 4 KB": signed(header, payload | {"x": "x" * 4000}), "12 KB": signed(header, payload | {"x": "x" * 9000}), "text": "x" * 5000,
    }  # fmt: skip
    refuses_all(roomy_shop, tokens)


def test_refusal_of_a_token_does_not_reveal_the_reason(roomy_shop, genuine):
    """The message doesn't reveal why a token is invalid, except that it has expired.
    Rule: token-required."""
    _, header, payload = genuine
    forged = refused(roomy_shop.client(signed(header, payload, key=b"x" * 32)).get("/items"), 401)
    other = signed(header | {"kid": "unknown"}, payload)
    unknown = refused(roomy_shop.client(other).get("/items"), 401)
    assert forged == unknown, "whether a key is known is nobody's business"
    old = signed(header, payload | {"exp": int(time.time()) - 90, "iat": int(time.time()) - 86_490})
    assert "has expired" in refused(roomy_shop.client(old).get("/items"), 401).lower()
    assert "jwt" not in forged.lower().replace("jwts", ""), forged
