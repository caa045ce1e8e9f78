"""Identifies the signed-in customer by the platform's signed query or the shop's JWT. No I/O.

Evidence that is present but invalid raises ``InvalidEvidence`` (rule: storefront-naming).
"""

import functools
import hashlib
import hmac
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote_plus

import jwt

from wishwell import ids, profiles
from wishwell.contacts import addresses
from wishwell.errors import Invalid
from wishwell.stores import placeholders
from wishwell.stores.naming import Naming

_PARAMETERS = frozenset({"signature", "timestamp", "shop", "path_prefix", "logged_in_customer_id"})
_SIGNED_PARAMETERS = _PARAMETERS - {"signature"}
_OLD, _AHEAD = 300, 60  # maximum seconds by which a signed query may be old or ahead
_MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON parser reads exactly; a larger one could change its value."""

_LEEWAY_SECONDS = 60
"""Tolerated clock skew between a shop and the service, for ``exp`` and ``nbf``."""

_MAX_CACHED = 10_000
"""Size of a process's LRU cache of verified JWTs, over all stores."""

SHARED = "HS256"
PUBLIC = ("RS256", "ES256")


class InvalidEvidence(ValueError):
    """The evidence is invalid; the message says why, without quoting it."""


class Expired(InvalidEvidence):
    """The evidence was valid, but has expired."""


class Placeholder(InvalidEvidence):
    """The evidence is valid, but names nobody: the shop has put a placeholder in place of an id."""


class BadSignature(InvalidEvidence):
    """The key did not make the signature."""


class Customer(NamedTuple):
    """The signed-in customer. ``email``: an address that the shop has verified, or ''.
    ``language``: '' if the shop doesn't name it."""

    gid: str
    email: str = ""
    language: str = ""


class VerifiedClaims(NamedTuple):
    """The claims of a verified JWT: the customer, and the expiry in epoch seconds."""

    customer: Customer
    ends: float


def gid(platform: str, customer: str) -> str:
    """Returns the GID of a customer given by id or GID. Raises ``InvalidEvidence``, and
    ``Placeholder`` for a placeholder."""
    platform_and_id = platform, customer
    if customer.startswith("gid://"):
        platform_and_id = ids.customer_of(customer) or ("", "")
    if placeholders.is_customer(platform_and_id[1]):
        raise Placeholder(f"its customer id is the placeholder {platform_and_id[1][:30]}")
    if platform_and_id[0] != platform or not ids.is_customer_id(platform_and_id[1]):
        raise InvalidEvidence("it doesn't identify a customer of this platform")
    return ids.customer_gid(*platform_and_id)


# ------------------------------------------------------------------- the platform's signed query


def platform_shop(query: bytes) -> str | None:
    """Returns the shop in a signed query, unverified; ``None`` if the query isn't signed."""
    if b"signature=" not in query or b"shop=" not in query:
        return None
    values = _values(query)
    return values.get("shop", [None])[-1] if "signature" in values else None


# rule: storefront-platform
def platform_customer(query: bytes, secrets: Sequence[str], now: int) -> str | None:
    """Verifies a signed query. Returns its customer id, or ``None`` if nobody is signed in.

    ``now`` is in epoch seconds. Raises ``InvalidEvidence``.
    """
    values = _values(query)
    signatures = values.pop("signature")
    signed = "".join(sorted(f"{name}={','.join(value)}" for name, value in values.items()))
    # Compares with every secret, so that the time doesn't show which one matched.
    matches = [
        hmac.compare_digest(
            hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest().encode(),
            signatures[0].encode(),
        )
        for secret in secrets
    ]
    if len(signatures) != 1 or not any(matches):
        raise InvalidEvidence("its signature is wrong")
    # Repeated values are signed joined by commas, like one value with commas in it, so the
    # platform's parameters must not be repeated.
    if any(len(values.get(name, [])) > 1 for name in _PARAMETERS):
        raise InvalidEvidence("a parameter is repeated")
    # Parameters are signed without a separator, so the signed text can be split in several ways: a
    # value that the browser chose could end in a forged customer id, or extend the real one. In
    # such a text, a platform parameter's name occurs more often than the parameter itself. (Names
    # that begin with a digit sort first, so no such parameter directly follows the id.)
    if any(signed.count(f"{name}=") != len(values.get(name, [])) for name in _SIGNED_PARAMETERS):
        raise InvalidEvidence("its signed text is ambiguous")
    timestamp = "".join(values.get("timestamp", []))
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or not -_AHEAD <= now - int(timestamp) <= _OLD:
        raise InvalidEvidence("its timestamp is missing, too old or in the future")
    customer = "".join(values.get("logged_in_customer_id", ["-"]))
    if not re.fullmatch("[0-9]{0,64}", customer):
        raise InvalidEvidence("logged_in_customer_id is missing or isn't a number")
    return customer or None


def signature(query: bytes) -> str:
    """Returns the signature of a verified query."""
    return _values(query)["signature"][0]


def without_platform(query: bytes) -> bytes:
    """Returns the query as sent, without the platform's parameters."""
    parts = (part for part in query.split(b"&") if part)
    return b"&".join(
        part
        for part in parts
        if unquote_plus(part.partition(b"=")[0].decode("latin-1")) not in _PARAMETERS
    )


def _values(query: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100
        )
    except ValueError:
        raise InvalidEvidence("it isn't a valid query string") from None


# ----------------------------------------------------------------------------------- the shop's JWT


def key_id(token: str, accepted: Sequence[str]) -> str | None:
    """Returns the ``kid`` of a JWT signed with a key of a key set; ``None`` for a shared secret.

    Raises ``InvalidEvidence``, also if its algorithm isn't one of ``accepted``.
    """
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise InvalidEvidence("it isn't a JWT") from None
    algorithm = header.get("alg")
    if algorithm not in accepted:
        name = algorithm if re.fullmatch("[A-Za-z0-9]{2,10}", str(algorithm)) else "unknown"
        raise InvalidEvidence(
            f"its algorithm is {name}, and the store accepts {' and '.join(accepted) or 'none'}"
        )
    if algorithm == SHARED:
        return None
    if "kid" not in header:
        raise InvalidEvidence(f"its algorithm is {algorithm}, and its header has no kid")
    return str(header["kid"])


# rules: storefront-jwt, storefront-secrets
@functools.lru_cache(maxsize=_MAX_CACHED)
def jwt_customer(
    token: str, keys: tuple[str | jwt.PyJWK, ...], naming: Naming, platform: str
) -> VerifiedClaims:
    """Verifies a JWT. Returns its customer and expiry; a cached result may have expired since.

    A key is valid for its own algorithm only. ``exp`` and ``nbf`` have a minute of leeway. Raises
    ``InvalidEvidence``.
    """
    error = InvalidEvidence("no key of the shop verifies its signature")
    issuer, audience = naming.jwt_issuer, naming.jwt_audience
    required = ["exp", *(["iss"] if issuer else []), *(["aud"] if audience else [])]
    for key in keys:
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[SHARED if isinstance(key, str) else key.algorithm_name],
                issuer=issuer or None,
                audience=audience or None,
                leeway=_LEEWAY_SECONDS,
                options={
                    "require": required,
                    "verify_aud": bool(audience),
                    # PyJWT's checks would refuse a `sub` that is a number, and an `iat` from a
                    # shop whose clock is ahead; they don't recognise milliseconds.
                    "verify_sub": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
            _check_times(claims)
            ends = float(claims["exp"]) + _LEEWAY_SECONDS
        except InvalidEvidence as wrong:
            error = wrong
        except jwt.ExpiredSignatureError:
            error = Expired("it has expired")
        except jwt.InvalidSignatureError:
            error = BadSignature("its signature is not valid")
        except jwt.InvalidAlgorithmError:
            error = BadSignature("its algorithm isn't that of the key with its kid")
        except Exception as wrong:  # a key's holder can sign claims that PyJWT doesn't expect
            error = InvalidEvidence(f"it isn't valid ({type(wrong).__name__})")
        else:
            customer = gid(platform, _customer_of_claim(claims, naming.jwt_claim or "sub"))
            return VerifiedClaims(Customer(customer, *_address_of_claims(claims, naming)), ends)
    raise error


def _check_times(claims: dict[str, Any]) -> None:
    """Raises ``InvalidEvidence`` for times in milliseconds and for ``nbf`` in the future."""
    for name in ("exp", "iat", "nbf"):  # seconds have 12 digits from the year 5138 on
        value = claims.get(name)
        if re.fullmatch(r"[0-9]{12,}", str(int(value) if isinstance(value, float) else value)):
            raise InvalidEvidence(f"its {name} is in milliseconds, not in seconds")
    ahead = float(claims.get("nbf", 0)) - time.time()
    if ahead > _LEEWAY_SECONDS:
        raise InvalidEvidence(f"it isn't valid yet: its nbf is {ahead:.0f} s ahead")


# rule: mail-addresses
def _address_of_claims(claims: dict[str, Any], naming: Naming) -> tuple[str, str]:
    """Returns the verified address and the language in a JWT, or '' for what it lacks.

    By default the names are those of OpenID Connect. A claim that can't be read doesn't prevent the
    sign-in.
    """
    email = claims.get(naming.jwt_email_claim or "email")
    is_verified = claims.get(naming.jwt_verified_claim or "email_verified") is True
    address = read_address(email) if is_verified and isinstance(email, str) else ""
    locale = claims.get(naming.jwt_locale_claim or "locale")
    return address, addresses.read_language(locale) if address else ""


def read_address(email: str) -> str:
    """Returns an address that the shop has verified, or '' if it can't be read."""
    try:
        return profiles.check_email(email)
    except Invalid:
        return ""


def _customer_of_claim(claims: dict[str, Any], claim: str) -> str:
    customer = claims.get(claim)
    if type(customer) is int and 1 <= customer <= _MAX_SAFE_INTEGER:
        customer = str(customer)
    if not isinstance(customer, str) or not customer:
        raise InvalidEvidence(
            f"its claim {claim} is neither a non-empty string nor a whole number from 1 to "
            f"{_MAX_SAFE_INTEGER}"
        )
    return customer
