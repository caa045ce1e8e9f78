"""Authenticator: one in, a caller out; issues and revokes them (contract: token-refused).

Admin tokens are opaque and stored as a hash. Profile tokens are JWTs that live a day, signed with
the newest key of a ring and checked against the one that they name, so keys rotate without signing
anyone out. One verifier, one algorithm, one ``typ``: a token of anything else is none of ours.
"""

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import jwt
import msgspec
from jwt.types import Options

from wishwell import ids, profiles, stores
from wishwell.access_cache import AccessCache
from wishwell.db import Reader, Writer
from wishwell.errors import Invalid, Misconfigured, NotFound, Unauthenticated
from wishwell.profiles import Profile
from wishwell.stores import Store

Kind = Literal["admin", "customer", "session"]

ADMIN_PREFIX = "wwadm_"
LIFETIME = 86_400
"""Seconds that a profile token lives (contract: profile-token-form)."""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM, _CHECKSUM = 43, 6
_ALGORITHM = "HS256"
_TYPE = "wishwell+jwt"
# The times are checked by the service's own clock, the audience is looked up.
_UNTIMED: Options = {"verify_exp": False, "verify_iat": False, "verify_aud": False}
_MAX_TOKEN = 4_096
_SKEW = 60
"""Seconds by which another machine's clock may be ahead when it issues a token."""

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
"""The only spelling of a token (RFC 7515, 7.1): decoders also take padding."""

_KNOWN_TOKENS = 20_000

_BAD = "The access token is not valid: it is malformed, expired, revoked or not of this service."


class Caller(msgspec.Struct, frozen=True):
    """Who asks: the kind of its token, the store, and for a profile token its profile."""

    kind: Kind
    store: Store
    token_id: str
    profile: Profile | None


class _Known(msgspec.Struct, frozen=True):
    """A profile token that was verified: what is left to check on every use."""

    store_id: str
    platform: str | None
    """Of a customer's GID."""
    profile: Profile
    jti: str
    issued: int
    expires: int


class AdminTokenRecord(msgspec.Struct, frozen=True, rename="camel"):
    """An admin token as the command line shows it; the token itself is nowhere."""

    id: str
    store: str
    label: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class Authenticator:
    """Issues and verifies tokens. ``keys``: the ring, the newest first, each 32 bytes or more."""

    def __init__(
        self,
        keys: Sequence[bytes],
        access_cache: AccessCache,
        namespace: str,
        clock: Callable[[], int],
    ) -> None:
        self._keys = {_key_id(key): key for key in keys}
        self._newest = _key_id(keys[0])
        self._access_cache = access_cache
        self._namespace = namespace
        self._clock = clock
        self._verified: dict[str, _Known] = {}

    def issue(self, profile: Profile, revoked_until: int = 0) -> str:
        """A token for a profile, good for one day from now.

        ``revoked_until``: of the profile's last revocation, in milliseconds (``revoked_until``);
        the new token's ``jti`` is later than that, so that it counts.
        """
        now = self._clock()
        claims = {
            "sub": profile.gid,
            "aud": profile.store_id,
            # The time of this moment, not of the monotonic ids: those are ahead of the clock after
            # it was put back, and would outlive a revocation made by it.
            "jti": ids.uuid7_at(max(now, revoked_until + 1)),
            "iat": now // 1000,
            "exp": now // 1000 + LIFETIME,
        }
        headers = {"typ": _TYPE, "kid": self._newest}
        return jwt.encode(claims, self._keys[self._newest], _ALGORITHM, headers)

    # contract: token-revoked, store-platform-change
    async def caller(self, token: str) -> Caller:
        """Who holds the token. Raises ``Unauthenticated``, and ``Unavailable`` as the database.

        What form and signature tell comes first: a token that was made up is refused as such, and
        counted, while the database is away too.
        """
        if token.startswith(ADMIN_PREFIX):
            return await self._admin(token)
        known = self._verified.get(token) or await self._verify(token)
        await self._access_cache.ensure_fresh()
        now = self._clock() // 1000
        if known.issued > now + _SKEW:  # the clock was put back since it was verified
            raise Unauthenticated(_BAD)
        if now >= known.expires:
            self._verified.pop(token, None)
            raise Unauthenticated("The access token has expired: ask for a new one.")
        store = self._access_cache.store(known.store_id)
        if store is None or self._access_cache.is_revoked(known.profile.id, known.jti):
            raise Unauthenticated(_BAD)
        if known.platform is not None and known.platform != store.platform:
            raise Unauthenticated(_BAD)  # as for one that was never seen before the store's changed
        return Caller(
            "session" if known.profile.is_session else "customer", store, known.jti, known.profile
        )

    async def _admin(self, token: str) -> Caller:
        if not well_formed(token):
            raise Unauthenticated(_BAD)
        await self._access_cache.ensure_fresh()
        found = await self._access_cache.admin_token(hashed(token))
        store = self._access_cache.store(found.store_id) if found else None
        if found is None or store is None:
            raise Unauthenticated(_BAD)
        return Caller("admin", store, found.id, None)

    # contract: profile-token-strict, signing-key-ring
    async def _verify(self, token: str) -> _Known:
        if len(token) > _MAX_TOKEN or not _COMPACT.fullmatch(token):
            raise Unauthenticated(_BAD)
        try:
            key = self._key_named_in(token)
            claims = _jwt.decode(token, key, [_ALGORITHM], _UNTIMED)
            if claims.keys() != {"sub", "aud", "jti", "iat", "exp"}:
                raise ValueError("claims")
            await self._access_cache.ensure_fresh()
            known = self._known(claims, await self._store(claims["aud"]))
        except (jwt.PyJWTError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise Unauthenticated(_BAD) from error
        if len(self._verified) >= _KNOWN_TOKENS:
            # The oldest goes: what is still in use is verified once more.
            self._verified.pop(next(iter(self._verified)))
        self._verified[token] = known
        return known

    def _key_named_in(self, token: str) -> bytes:
        """The key that a token's header names. Raises what ``_verify`` takes for a refusal."""
        header = jwt.get_unverified_header(token)
        if header.keys() != {"alg", "typ", "kid"} or header["typ"] != _TYPE:
            raise ValueError("header")
        return self._keys[header["kid"]]

    async def _store(self, id: str) -> Store | None:
        """A store by its id; a process may hear of a new one by a token that another issued."""
        if self._access_cache.store(id) is None:
            await self._access_cache.refresh()
        return self._access_cache.store(id)

    def _known(self, claims: dict[str, Any], store: Store | None) -> _Known:
        issued, expires = claims["iat"], claims["exp"]
        if type(issued) is not int or type(expires) is not int:
            raise ValueError("times")
        if not 0 < expires - issued <= LIFETIME or issued > self._clock() // 1000 + _SKEW:
            raise ValueError("times")
        if not ids.is_uuid(claims["jti"]) or store is None:
            raise ValueError("ids")
        try:
            profile = profiles.parse(store, self._namespace, claims["sub"], "sub")
        except Invalid as error:
            raise ValueError("sub") from error
        profile = msgspec.structs.replace(profile, by_token=True)
        platform = None if profile.is_session else store.platform
        return _Known(store.id, platform, profile, claims["jti"], issued, expires)

    async def claims_of(self, token: str) -> tuple[Profile, str]:
        """The profile and ``jti`` of a token of ours, expired or not, else ``Unauthenticated``."""
        known = await self._verify(token)
        return known.profile, known.jti


# contract: admin-token-form
def new_admin_token() -> str:
    """A new admin token: prefix, 256 random bits, checksum, in letters and digits."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return ADMIN_PREFIX + body + _checksum(body)


def well_formed(token: str) -> bool:
    """Whether the checksum holds: a typo is refused without asking the database."""
    body = token[len(ADMIN_PREFIX) : -_CHECKSUM]
    return (
        token.startswith(ADMIN_PREFIX)
        and len(body) == _RANDOM
        and token.isascii()
        and hmac.compare_digest(token[-_CHECKSUM:], _checksum(body))
    )


# contract: admin-token-kept
def hashed(token: str) -> str:
    """What is stored of an admin token. It has 256 random bits: a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def _checksum(body: str) -> str:
    value, text = zlib.crc32((ADMIN_PREFIX + body).encode()), ""
    for _ in range(_CHECKSUM):
        value, digit = divmod(value, len(_ALPHABET))
        text = _ALPHABET[digit] + text
    return text


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two readers of a token must not see two subjects: parsers keep the last without a word."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


class _JWT(jwt.PyJWT):
    """``jwt.decode``, but that a name which is there twice is an error."""

    def _decode_payload(self, decoded: dict[str, Any]) -> dict[str, Any]:
        claims = json.loads(decoded["payload"], object_pairs_hook=_each_once)
        if not isinstance(claims, dict):
            raise jwt.DecodeError("no object")
        return claims


_jwt = _JWT()


def _key_id(key: bytes) -> str:
    return hmac.digest(key, b"wishwell kid", "sha256")[:6].hex()


async def create_admin_token(
    tx: Writer, store: Store, token: str, label: str, id: str, now: str, expires_at: str | None
) -> None:
    """Makes ``token`` an admin token of a store. Only its hash is kept."""
    await tx.run("admin_token_create", id, store.id, label, hashed(token), now, expires_at)


def check_label(label: str) -> str:
    """The label, trimmed: 1 to 200 printable characters; else ``Invalid``."""
    if not 1 <= len(label.strip()) <= 200 or not label.isprintable():
        raise Invalid("label: must be 1 to 200 printable characters.")
    return label.strip()


async def revoke_admin_token(tx: Writer, id: str, now: str) -> None:
    """By its id, or by itself. Raises ``NotFound``. Revoking twice is revoking once."""
    if well_formed(id):
        row = await tx.one("admin_token_by_hash", hashed(id))
        id = row[0] if row else ""
    if not ids.is_uuid(id) or await tx.one("admin_token_revoke", id, now) is None:
        # What may be a token with a typo in it is not shown.
        shown = f" {id!r}" if len(id) <= 36 and ADMIN_PREFIX not in id else " like that"
        raise NotFound(
            f"There is no admin token{shown}; `wishwell token list` shows those there are."
        )


# contract: token-revoked-until
async def revoke_profile(tx: Writer, profile: Profile, now: int, jti: str = "") -> None:
    """Revokes one token of a profile, or without ``jti`` all that it was given until now.

    ``now`` in milliseconds. The machine that issued a token may be ahead of this one by as much as
    is allowed, so it reaches that far; tokens issued afterwards begin behind it (``issue``).
    """
    await tx.run("revoke_profile_token", profile.id, jti, ids.timestamp(now + _SKEW * 1000))


async def revoked_until(tx: Reader, profile: Profile) -> int:
    """Up to when the tokens of a profile are revoked, in milliseconds; 0 for never."""
    row = await tx.one("revoked_until", profile.id)
    return 0 if row is None else ids.from_timestamp(row[0])


async def admin_tokens(tx: Reader, store_handle: str | None) -> list[AdminTokenRecord]:
    """The admin tokens of all stores, or of one, oldest first. Raises ``NotFound``."""
    if store_handle is not None:
        await stores.by_handle(tx, store_handle)
    rows = [AdminTokenRecord(*row) for row in await tx.all("admin_tokens")]
    return [row for row in rows if store_handle in (None, row.store)]


def _make_key(path: Path) -> None:
    """Makes the file whole or not at all: another process may start at the same moment."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".wishwell-key-") as file:
        file.write(secrets.token_urlsafe(48))
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)  # the first one counts


# contract: signing-key-source
def embedded_key(database: str) -> bytes:
    """The key of an embedded deployment: made at the first start beside the database file.

    Only its owner can read it. Raises ``Misconfigured`` when others can, or it can't be made.
    """
    path = Path(database + ".key")
    try:
        if not path.exists():
            _make_key(path)
        if path.stat().st_mode & 0o077:
            raise Misconfigured(f"The key file {path} can be read by others: chmod 600 it.")
        key = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"The key file {path} can't be used ({error}).") from error
    if len(key) < 32:
        raise Misconfigured(f"The key file {path} holds no key: delete it, and a new one is made.")
    return key.encode()
