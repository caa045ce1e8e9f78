"""Who is shopping, by what the shop says: the platform's signed query, or a JWT. No I/O.

Evidence that is there and wrong raises ``Wrong``.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import jwt

_CUSTOMER = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_PLATFORM = frozenset({"signature", "timestamp", "shop", "path_prefix", "logged_in_customer_id"})
_OLD, _AHEAD = 300, 60
_LONGEST = 8_192
_MOST = 2**53 - 1
"""The largest number that every program reads as itself; another one would become a neighbour."""

SHARED = ("HS256",)
PUBLIC = ("RS256", "ES256")


class Wrong(Exception):
    """The evidence does not hold; the message says why, without quoting it."""


def gid(platform: str, customer: str | int) -> str:
    """The GID of a customer named by id or by GID. Raises ``Wrong``."""
    if isinstance(customer, int) and not isinstance(customer, bool):
        customer = str(customer)  # as a shop's database has it
    before = f"gid://{platform}/Customer/"
    if not isinstance(customer, str) or not _CUSTOMER.fullmatch(customer.removeprefix(before)):
        raise Wrong("it names no customer of this platform")
    return before + customer.removeprefix(before)


# ------------------------------------------------------------------- the platform's signed query


def platform_customer(query: bytes, secret: str, shop: str, now: int) -> str | None:
    """The customer id in a query that the platform has signed; None if nobody is signed in.

    ``shop`` is the one that it must be of, or empty; ``now`` in epoch seconds. Raises ``Wrong``.
    """
    values: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100
        )
    except ValueError:
        raise Wrong("it is not a query string") from None
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    given = values.pop("signature", [])
    if len(given) != 1:
        raise Wrong("there is no signature")
    signed = "".join(sorted(f"{name}={','.join(value)}" for name, value in values.items()))
    right = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(right.encode(), given[0].encode()):
        raise Wrong("the signature is not right")
    # Several values of a name are signed like one with commas in it: none of ours may be several.
    if any(len(values.get(name, [])) > 1 for name in _PLATFORM):
        raise Wrong("a parameter is there twice")
    # The parameters are signed with nothing between them, so the text can be cut in another way: a
    # value that the browser chose may end in a customer of its own. Then the name is there twice.
    if signed.count("logged_in_customer_id=") > 1:
        raise Wrong("it can be read in two ways")
    moment = "".join(values.get("timestamp", []))
    if not re.fullmatch(r"[0-9]{1,12}", moment) or not -_AHEAD <= now - int(moment) <= _OLD:
        raise Wrong("its timestamp is missing, old or ahead")
    if shop and values.get("shop") != [shop]:
        raise Wrong("it is of another shop")
    return "".join(values.get("logged_in_customer_id", [])) or None


def without_platform(query: bytes) -> bytes:
    """The query as it came, less the parameters of the platform."""
    parts = (part for part in query.split(b"&") if part)
    return b"&".join(
        part
        for part in parts
        if unquote_plus(part.partition(b"=")[0].decode("ascii")) not in _PLATFORM
    )


# ----------------------------------------------------------------------------------- the shop's JWT


def key_id(token: str) -> str:
    """The ``kid`` of a JWT that is signed with a key of a set. Raises ``Wrong``."""
    header = _header(token)
    kid = header.get("kid")
    if header.get("alg") not in PUBLIC or not isinstance(kid, str):
        raise Wrong("it is not signed with a key of the set")
    return kid


def jwt_customer(
    token: str, key: str | jwt.PyJWK, *, issuer: str, audience: str, claim: str
) -> str:
    """The customer that a JWT names. Raises ``Wrong``.

    ``key`` is the shared secret, or the key of the set that the token's ``kid`` names: each is good
    for its own algorithm only.
    """
    algorithm = SHARED[0] if isinstance(key, str) else key.algorithm_name
    if _header(token).get("alg") != algorithm:
        raise Wrong("its algorithm is not the one of the key")
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            issuer=issuer or None,
            audience=audience or None,
            options={
                "require": ["exp", *(["iss"] if issuer else []), *(["aud"] if audience else [])],
                "verify_aud": bool(audience),
                # The library's own checks would refuse a customer whose id is a number, and one
                # who signed in at a shop whose clock is a second ahead.
                "verify_sub": False,
                "verify_iat": False,
            },
        )
    except (jwt.PyJWTError, ValueError) as error:
        raise Wrong(f"it is not valid ({type(error).__name__})") from None
    # The library takes a time that is text, which others don't.
    for name in ("exp", "nbf"):
        if type(claims.get(name, 0)) not in (int, float):
            raise Wrong(f"its {name} is not a number")
    customer = claims.get(claim)
    if type(customer) is int and 1 <= customer <= _MOST:
        customer = str(customer)
    if not isinstance(customer, str) or not customer:
        raise Wrong(f"its claim {claim} is no text, and no whole number from 1 to {_MOST}")
    return customer


def public_keys(document: Any) -> dict[str, jwt.PyJWK]:
    """The keys of a key set (RFC 7517) that can be used here, by ``kid``. Raises ``Wrong``."""
    entries = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(entries, list):
        raise Wrong("it is no key set")
    found = {}
    for entry in entries:
        # A set may hold keys for other uses; a shared secret in a public set is a trap.
        if not isinstance(entry, dict) or entry.get("kty") not in ("RSA", "EC"):
            continue
        try:
            key = jwt.PyJWK(entry)
        except (jwt.PyJWTError, ValueError, KeyError, TypeError):
            continue
        if key.key_id and key.algorithm_name in PUBLIC and key.public_key_use in (None, "sig"):
            found[key.key_id] = key
    return found


def _header(token: str) -> dict[str, Any]:
    if len(token) > _LONGEST:
        raise Wrong("it is too long")
    if "=" in token:
        # The library takes the padding, which is no part of a JWT (RFC 7515, section 2).
        raise Wrong("it has a = in it")
    try:
        return jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError):
        raise Wrong("it is no JWT") from None
