"""Tokens: issuing, verifying and revoking them (contract: token-refused).

Admin tokens are opaque and stored as a hash. Profile tokens are JWTs that are valid for a day. The
newest key signs them, and the key that they name verifies them, so keys can be rotated without
signing anyone out. Only one algorithm and one ``typ`` are accepted.
"""

import contextlib
import hmac
import json
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import jwt
import msgspec
from jwt.types import Options

from wishwell import ids, opaque, profiles, recent, stores
from wishwell.access.access_cache import AccessCache, AdminScope
from wishwell.db import Reader, Writer
from wishwell.errors import Invalid, Misconfigured, NotFound, Unauthenticated
from wishwell.profiles import Profile
from wishwell.stores import Store

Kind = Literal["admin", "customer", "session", "storefront", "naming"]

ADMIN_PREFIX = "wwadm_"
LIFETIME = 86_400
"""Seconds for which a profile token is valid (contract: profile-token-form)."""

_RANDOM = 43
_ALGORITHM = "HS256"
_TYPE = "wishwell+jwt"
# Checked here instead: times by the service's own clock, the audience by looking up the store.
_UNTIMED: Options = {"verify_exp": False, "verify_iat": False, "verify_aud": False}
_MAX_TOKEN = 4_096
_SKEW = 60
"""Seconds by which the clock of another machine that issues tokens may be ahead."""

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
"""The only valid form of a token (RFC 7515, 7.1). Decoders would accept padding too."""

_KNOWN_TOKENS = 20_000

_BAD = "The access token is not valid: it is malformed, expired, revoked or from another service."


class Caller(msgspec.Struct, frozen=True):
    """Who sent a request: the kind of token, its store, and for a profile token the profile.

    A token for the storefront may be one that names customers (``naming``).
    """

    kind: Kind
    store: Store
    token_id: str
    profile: Profile | None


class _Known(msgspec.Struct, frozen=True):
    """A verified profile token, with the fields that are checked again on every use."""

    platform: str | None
    """The platform in the customer's GID; None for a session."""
    profile: Profile
    jti: str
    issued: int
    expires: int


class AdminTokenRecord(msgspec.Struct, frozen=True, rename="camel"):
    """An admin token as the command line shows it. The token itself is not stored."""

    id: str
    store: str
    scope: AdminScope
    label: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class Authenticator:
    """Issues and verifies tokens. ``keys`` are 32 bytes or more each, the newest first."""

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
        """A token for a profile, valid for one day from now.

        ``revoked_until``: up to this time, in milliseconds, the profile's tokens are revoked. The
        time in the new token's ``jti`` is later, so that it is valid.
        """
        now = self._clock()
        claims = {
            "sub": profile.gid,
            "aud": profile.store.id,
            # The clock's time, not that of the monotonic ids: they run ahead of a clock that was
            # set back, and the token would survive a revocation.
            "jti": ids.uuid7_at(max(now, revoked_until + 1)),
            "iat": now // 1000,
            "exp": now // 1000 + LIFETIME,
        }
        headers = {"typ": _TYPE, "kid": self._newest}
        return jwt.encode(claims, self._keys[self._newest], _ALGORITHM, headers)

    # contract: token-revoked, store-platform-change
    async def caller(self, token: str) -> Caller:
        """The caller of a token. Raises ``Unauthenticated`` or ``Unavailable``.

        Form and signature are checked first, so that a forged token is refused and counted even
        while the database can't be reached.
        """
        if token.startswith(ADMIN_PREFIX):
            return await self._admin(token)
        known = self._verified.get(token) or await self._verify(token)
        await self._access_cache.ensure_fresh()
        now = self._clock() // 1000
        if known.issued > now + _SKEW:  # the clock was set back since the token was verified
            raise Unauthenticated(_BAD)
        if now >= known.expires:
            self._verified.pop(token, None)
            raise Unauthenticated("The access token has expired. Ask for a new one.")
        store = self._access_cache.store(known.profile.store.id)
        if store is None or self._access_cache.is_revoked(known.profile.id, known.jti):
            raise Unauthenticated(_BAD)
        if known.platform is not None and known.platform != store.platform:
            raise Unauthenticated(_BAD)  # the store's platform has changed since
        profile = known.profile
        if profile.store is not store:  # it has changed since the token was verified
            profile = msgspec.structs.replace(profile, store=store)
        return Caller("session" if profile.is_session else "customer", store, known.jti, profile)

    async def _admin(self, token: str) -> Caller:
        if not well_formed(token):
            raise Unauthenticated(_BAD)
        await self._access_cache.ensure_fresh()
        admin = await self._access_cache.admin_token(hashed(token))
        store = self._access_cache.store(admin.store_id) if admin else None
        if admin is None or store is None:
            raise Unauthenticated(_BAD)
        return Caller(admin.scope, store, admin.id, None)

    # contract: profile-token-strict, signing-key-ring
    async def _verify(self, token: str) -> _Known:
        if len(token) > _MAX_TOKEN or not _COMPACT.fullmatch(token):
            raise Unauthenticated(_BAD)
        try:
            key = self._key_named_in(token)
            claims = strict_jwt.decode(token, key, [_ALGORITHM], _UNTIMED)
            if claims.keys() != {"sub", "aud", "jti", "iat", "exp"}:
                raise ValueError("claims")
            await self._access_cache.ensure_fresh()
            known = self._known(claims, await self._store(claims["aud"]))
        except (jwt.PyJWTError, KeyError, TypeError, ValueError) as error:
            raise Unauthenticated(_BAD) from error
        recent.keep(self._verified, token, known, _KNOWN_TOKENS)
        return known

    def _key_named_in(self, token: str) -> bytes:
        """The key that a token's header names. Raises errors that ``_verify`` handles."""
        header = jwt.get_unverified_header(token)
        if header.keys() != {"alg", "typ", "kid"} or header["typ"] != _TYPE:
            raise ValueError("header")
        return self._keys[header["kid"]]

    async def _store(self, id: str) -> Store | None:
        """A store by its id. Another process may issue a token for a store that is new here."""
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
        return _Known(platform, profile, claims["jti"], issued, expires)

    async def claims_of(self, token: str) -> tuple[Profile, str]:
        """The profile and ``jti`` of a token, expired or not. Raises ``Unauthenticated``."""
        known = await self._verify(token)
        return known.profile, known.jti


# contract: admin-token-form
def new_admin_token() -> str:
    """A new admin token, with 256 random bits."""
    return opaque.new(ADMIN_PREFIX, _RANDOM)


def well_formed(token: str) -> bool:
    return opaque.well_formed(token, ADMIN_PREFIX, _RANDOM)


# contract: admin-token-kept
def hashed(token: str) -> str:
    """The stored hash of an admin token."""
    return opaque.hashed(token)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses a duplicate claim: other parsers might read a different one of the two."""
    claims = dict(pairs)
    if len(claims) != len(pairs):
        raise ValueError("duplicate claim")
    return claims


class _StrictJWT(jwt.PyJWT):
    """``jwt.decode``, which also refuses a duplicate claim. Raises only ``jwt.PyJWTError``,
    whatever a token contains."""

    def _decode_payload(self, decoded: dict[str, Any]) -> dict[str, Any]:
        try:
            claims = json.loads(decoded["payload"], object_pairs_hook=_each_once)
        except (ValueError, RecursionError) as error:  # the key's holder may nest it deeply
            raise jwt.DecodeError("not JSON that can be read") from error
        if not isinstance(claims, dict):
            raise jwt.DecodeError("not an object")
        return claims


strict_jwt = _StrictJWT()


def _key_id(key: bytes) -> str:
    return hmac.digest(key, b"wishwell kid", "sha256")[:6].hex()


async def create_admin_token(
    tx: Writer,
    store: Store,
    token: str,
    label: str,
    id: str,
    now: str,
    expires_at: str | None,
    scope: AdminScope = "admin",
) -> None:
    """Stores the hash of ``token`` as an admin token of a store."""
    await tx.run(
        "admin_token_create",
        id=id,
        store=store.id,
        scope=scope,
        label=label,
        hash=hashed(token),
        created_at=now,
        expires_at=expires_at,
    )


def check_label(label: str) -> str:
    """The trimmed label. Raises ``Invalid`` unless it is 1 to 200 printable characters."""
    if not 1 <= len(label.strip()) <= 200 or not label.isprintable():
        raise Invalid("label: must be 1 to 200 printable characters.")
    return label.strip()


async def revoke_admin_token(tx: Writer, id: str, now: str) -> None:
    """Revokes an admin token, given its id or the token. Idempotent. Raises ``NotFound``."""
    if well_formed(id):
        row = await tx.one("admin_token_by_hash", hash=hashed(id))
        id = row[0] if row else id
    if not ids.is_uuid(id) or await tx.one("admin_token_revoke", id=id, now=now) is None:
        # It may be a token with a typo, which must not be shown.
        shown = f"admin token {id!r}" if len(id) <= 36 and ADMIN_PREFIX not in id else "such token"
        raise NotFound(f"There is no {shown}. `wishwell token list` shows all admin tokens.")


# contract: token-revoked-until
async def revoke_profile(tx: Writer, profile: Profile, now: int, jti: str = "") -> None:
    """Revokes the profile's token with this ``jti``, or without ``jti`` all of its tokens.

    ``now`` is in milliseconds. The clock that issued a token may be ahead by ``_SKEW``, so the
    revocation reaches that far; ``issue`` dates later tokens behind it. A customer gets a row, by
    which an export and the store's deletion find the revocation.
    """
    if not profile.is_session:
        await profiles.lock(tx, profile, ids.timestamp(now))
    await tx.run(
        "revoke_profile_token", profile=profile.id, jti=jti, now=ids.timestamp(now + _SKEW * 1000)
    )


async def revoked_until(tx: Reader, profile: Profile) -> int:
    """The time up to which a profile's tokens are revoked, in milliseconds; 0 if they are not."""
    row = await tx.one("revoked_until", profile=profile.id)
    return 0 if row is None else ids.from_timestamp(row[0])


async def admin_tokens(tx: Reader, store_handle: str | None) -> list[AdminTokenRecord]:
    """The admin tokens of all stores, or of one, oldest first. Raises ``NotFound``."""
    if store_handle is not None:
        await stores.by_handle(tx, store_handle)
    rows = [AdminTokenRecord(*row) for row in await tx.all("admin_tokens")]
    return [row for row in rows if store_handle in (None, row.store)]


def _make_key(path: Path) -> None:
    """Creates the file atomically: another process may start at the same moment."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".wishwell-key-") as file:
        file.write(secrets.token_urlsafe(48))
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)  # fails if another process was first


# contract: signing-key-source
def embedded_key(database: str) -> bytes:
    """The signing key beside an embedded database, made at the first start.

    Raises ``Misconfigured`` if other users can read it, or if it can't be made or read.
    """
    path = Path(database + ".key")
    try:
        if not path.exists():
            _make_key(path)
        if path.stat().st_mode & 0o077:
            raise Misconfigured(f"Other users can read the key file {path}. Run chmod 600 on it.")
        key = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"The key file {path} can't be used ({error}).") from error
    if len(key) < 32:
        raise Misconfigured(
            f"The key file {path} holds no key. Delete it, and the next start makes a new one."
        )
    return key.encode()
