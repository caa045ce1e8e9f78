"""Tokens: issuing, verifying and revoking them (rule: token-required).

Admin tokens are opaque and stored as a hash. Profile tokens are JWTs that are valid for a day. The
newest key signs them, and the key that they name verifies them, so keys can be rotated without
signing anyone out.
"""

import contextlib
import functools
import hmac
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Literal

import msgspec
from jwt.utils import base64url_decode, base64url_encode
from msgspec import UNSET, UnsetType, structs

from wishwell import ids, opaque, profiles, stores
from wishwell.access.access_cache import AccessCache, AdminScope
from wishwell.access.registry import oldest_revocations
from wishwell.db import Reader, Row, Writer, mapping
from wishwell.db.journal import Act
from wishwell.errors import Invalid, OutdatedToken, Unauthenticated, Unavailable, no_record
from wishwell.field_types import Id, Time
from wishwell.jobs import Run
from wishwell.profiles import Profile, WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store

Kind = Literal["admin", "customer", "session", "storefront", "naming", "reports"]

ADMIN_PREFIX = "wwadm_"
LIFETIME_SECONDS = 86_400
"""Seconds for which a profile token is valid (rule: profile-token-strict)."""

_RANDOM_CHARACTERS = 43
_MAX_TOKEN_CHARACTERS = 4_096
_CLOCK_SKEW_SECONDS = 60
"""Seconds by which the clock of another machine that issues tokens may be ahead."""

_MAX_CACHED_TOKENS = 20_000

_INVALID_MESSAGE = (
    "The access token is not valid: it is malformed, expired, revoked or from another service."
)


class Caller(msgspec.Struct, frozen=True):
    """The sender of a request: the kind of token, its store, and for a profile token the profile.

    A token of the kind ``naming`` is for the storefront, and may name customers.
    """

    kind: Kind
    store: Store
    token_id: str
    profile: Profile | None


class _Claims(msgspec.Struct, frozen=True):
    """Claims of a profile token: a GID, the ids of store and token, and times in epoch seconds."""

    sub: str
    aud: str
    jti: str
    iat: int
    exp: int


_claims_decoder = msgspec.json.Decoder(_Claims)


class AdminTokenView(msgspec.Struct, frozen=True, rename="camel"):
    """An admin token, without the token itself."""

    id: Id
    store: str
    """The handle of its store."""
    scope: AdminScope
    """The purpose of the token."""
    label: str
    created_at: Time
    expires_at: Time | None = None
    last_used_at: Time | None = None
    revoked_at: Time | None = None
    current: bool | UnsetType = UNSET
    """Only for the token that sends the request."""


_view_from_row = mapping.from_columns(AdminTokenView, "admin_token_fields", "store")


class Authenticator:
    """Issues and verifies tokens. ``keys`` are 32 bytes or more each, the newest first."""

    def __init__(
        self,
        keys: Sequence[bytes],
        access_cache: AccessCache,
        namespace: str,
        clock: Callable[[], int],
    ) -> None:
        self._keys = {_jwt_header(key): key for key in keys}  # by the header of their tokens
        self._newest = _jwt_header(keys[0])
        self._access_cache = access_cache
        self._namespace = namespace
        self._clock = clock

    def issue(
        self, profile: Profile, revoked_until: int = 0, seconds: int = LIFETIME_SECONDS
    ) -> str:
        """Returns a token for a profile, valid for one day from now, or for ``seconds``.

        ``revoked_until``: up to this time, in milliseconds, the profile's tokens are revoked. The
        time in the new token's ``jti`` is later, so that it is valid.
        """
        now = self._clock()
        # The clock's time, not that of the monotonic ids: they run ahead of a clock that was set
        # back, and the token would survive a revocation.
        jti = ids.uuid7_at(max(now, revoked_until + 1))
        now_seconds = now // 1000
        claims = _Claims(profile.gid, profile.store.id, jti, now_seconds, now_seconds + seconds)
        return self._sign(self._newest, claims)

    def _sign(self, header: str, claims: _Claims) -> str:
        text = f"{header}.{_encode(msgspec.json.encode(claims))}"
        return f"{text}.{_encode(hmac.digest(self._keys[header], text.encode(), 'sha256'))}"

    # rules: token-revoked, changes-take-effect
    async def caller(self, token: str) -> Caller:
        """Returns the caller of a token. Raises ``Unauthenticated`` or ``Unavailable``.

        Form and signature are checked first, so that a forged token is refused and counted even
        while the database can't be reached.
        """
        if token.startswith(ADMIN_PREFIX):
            return await self._admin_caller(token)
        claims = self._verify(token)
        now = await self._access_cache.ensure_fresh() // 1000
        if claims.iat > now + _CLOCK_SKEW_SECONDS:
            raise Unauthenticated(
                "The access token is dated ahead: the clock that issued it and this one differ. "
                "Ask for a new one."
            )
        if now >= claims.exp:
            raise OutdatedToken("The access token has expired. Ask for a new one.", "token_expired")
        store = self._access_cache.store(claims.aud) or await self._fetch_new_store(claims)
        caller = self._profile_caller(token, store)
        assert caller.profile is not None
        if self._access_cache.is_revoked(caller.profile.id, caller.token_id):
            raise OutdatedToken("The access token was revoked. Ask for a new one.", "token_revoked")
        return caller

    async def _admin_caller(self, token: str) -> Caller:
        if not is_well_formed(token):
            raise Unauthenticated(_INVALID_MESSAGE)
        await self._access_cache.ensure_fresh()
        admin = await self._access_cache.admin_token(opaque.hashed(token))
        store = self._access_cache.store(admin.store_id) if admin else None
        if admin is None or store is None:
            raise Unauthenticated(_INVALID_MESSAGE)
        return Caller(admin.scope, store, admin.id, None)

    def cached_caller(self, token: str) -> Caller | None:
        """Returns the caller of a token from the caches, without I/O: the token may be revoked.
        ``None`` for an invalid or uncached token."""
        try:
            if token.startswith(ADMIN_PREFIX):
                admin = self._access_cache.cached_admin_token(opaque.hashed(token))
                store = self._access_cache.store(admin.store_id) if admin else None
                return Caller(admin.scope, store, admin.id, None) if admin and store else None
            store = self._access_cache.store(self._verify(token).aud)
            return self._profile_caller(token, store) if store else None
        except (Unauthenticated, Unavailable):
            return None

    # rules: profile-token-strict, signing-keys
    @functools.lru_cache(maxsize=_MAX_CACHED_TOKENS)  # noqa: B019 - one instance per process
    def _verify(self, token: str) -> _Claims:
        """Returns a token's claims. A token is valid if signing its claims gives the same text."""
        try:
            header, payload, _ = token.split(".")
            claims = _claims_decoder.decode(base64url_decode(payload))
            signed_again = self._sign(header, claims)
        except (msgspec.MsgspecError, RecursionError, KeyError, ValueError) as error:
            raise Unauthenticated(_INVALID_MESSAGE) from error
        if (
            not hmac.compare_digest(signed_again.encode(), token.encode())
            or len(token) > _MAX_TOKEN_CHARACTERS
            or not 0 < claims.exp - claims.iat <= LIFETIME_SECONDS
            or not ids.is_uuid(claims.jti)
        ):
            raise Unauthenticated(_INVALID_MESSAGE)
        return claims

    async def _fetch_new_store(self, claims: _Claims) -> Store:
        """Returns a token's store: another process may have issued it, for a new store."""
        await self._access_cache.refresh()
        store = self._access_cache.store(claims.aud)
        if store is None:
            raise Unauthenticated(_INVALID_MESSAGE)
        return store

    @functools.lru_cache(maxsize=_MAX_CACHED_TOKENS)  # noqa: B019
    def _profile_caller(self, token: str, store: Store) -> Caller:
        """Returns a token's caller, for this version of the store: its platform may change."""
        claims = self._verify(token)
        try:
            profile = profiles.parse(store, self._namespace, claims.sub, "sub", is_stored=True)
        except Invalid as error:
            raise Unauthenticated(_INVALID_MESSAGE) from error
        kind: Kind = "session" if profile.is_session else "customer"
        return Caller(kind, store, claims.jti, structs.replace(profile, by_token=True))

    async def claims_of(self, token: str) -> tuple[Profile, str]:
        """Returns a token's profile and ``jti``, expired or not. Raises ``Unauthenticated``."""
        claims = self._verify(token)
        store = self._access_cache.store(claims.aud) or await self._fetch_new_store(claims)
        caller = self._profile_caller(token, store)
        assert caller.profile is not None
        return caller.profile, caller.token_id


# rule: admin-token-hashed
def new_admin_token() -> str:
    """Returns a new admin token, with 256 random bits."""
    return opaque.new(ADMIN_PREFIX, _RANDOM_CHARACTERS)


def is_well_formed(token: str) -> bool:
    return opaque.is_well_formed(token, ADMIN_PREFIX, _RANDOM_CHARACTERS)


def key_id(key: bytes) -> str:
    return hmac.digest(key, b"wishwell kid", "sha256")[:6].hex()


def _jwt_header(key: bytes) -> str:
    """Returns the header with which the JWTs of a key begin."""
    return _encode(b'{"alg":"HS256","kid":"%b","typ":"wishwell+jwt"}' % key_id(key).encode())


def _encode(raw: bytes) -> str:
    return base64url_encode(raw).decode()


# rule: admin-token-hashed
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
        hash=opaque.hashed(token),
        created_at=now,
        expires_at=expires_at,
    )


def check_label(label: str) -> str:
    """Returns the trimmed label. Raises ``Invalid`` unless it is 1 to 200 printable characters."""
    if not 1 <= len(label.strip()) <= 200 or not label.isprintable():
        raise Invalid("label: must be 1 to 200 printable characters.")
    return label.strip()


async def revoke_admin_token(tx: Writer, id: str, now: str, store: Store | None = None) -> str:
    """Revokes an admin token by its id, which is returned. Without ``store``: in any store, also by
    the token itself.

    Idempotent. Raises ``NotFound``, without ``id``, which may be a token with a typo.
    """
    if store is None and is_well_formed(id):
        row = await tx.one("admin_token_by_hash", hash=opaque.hashed(id))
        id = row[0] if row else id
    store_id = None if store is None else store.id
    if ids.is_uuid(id):  # anything else may be a secret, which must not be in the journal
        await tx.record(Act(action="token.revoked", id=id, store_id=store_id or ""))
        if await tx.one("admin_token_revoke", id=id, store=store_id, now=now) is not None:
            return id
    raise no_record("token")


# rule: token-revoked
async def revoke_profile(tx: Writer, profile: Profile, now: int, jti: str = "") -> None:
    """Revokes the profile's token with this ``jti``, or without ``jti`` all the profile's tokens.

    ``now`` is in milliseconds. The clock that issued a token may be ahead by
    ``_CLOCK_SKEW_SECONDS``, so the revocation reaches that far; ``issue`` dates later tokens after
    it. A customer gets a row, so that an export and the store's deletion find the revocation.
    """
    if not profile.is_session:
        await profiles.lock(tx, profile, ids.timestamp(now))
    await revoke(tx, profile, now, jti)


async def revoke(tx: Writer, profile: Profile, now: int, jti: str = "") -> None:
    """Like ``revoke_profile``, for a profile that is already locked."""
    until = now + _CLOCK_SKEW_SECONDS * 1000
    if jti:
        # A revocation is retained for a day from this time, but a token that a clock ahead issued
        # expires a day after its own.
        until = max(until, ids.time_of(jti))
    else:
        # Tokens issued since the last revocation are dated after it, even by a clock set back.
        with contextlib.suppress(ValueError):  # rule: bad-row
            until = max(until, await revoked_until(tx, profile.id) + 1)
    await revoke_until(tx, profile.store, profile.id, jti, ids.timestamp(until))


async def revoke_until(tx: Writer, store: Store, profile_id: str, jti: str, until: str) -> None:
    """Revokes a profile's token with this ``jti``, or without ``jti`` those issued by ``until``."""
    act = Act(action="profile.revoked", store=store.handle, store_id=store.id, profile=profile_id)
    act.jti, act.until = jti, until
    await tx.record(act)
    await tx.run("revoke_profile_token", profile=profile_id, jti=jti, now=until)


async def revoked_until(tx: Reader, profile_id: str, jti: str = "") -> int:
    """Returns the time up to which a profile's tokens, or the one with this ``jti``, are revoked,
    in milliseconds; 0 if they are not."""
    row = await tx.one("revoked_until", profile=profile_id, jti=jti)
    return 0 if row is None else ids.from_timestamp(row[0])


async def forget_revocations(tx: Writer, now: int) -> None:
    """Removes revocations of tokens and cookies that have expired."""
    before, for_cookies = oldest_revocations(now)
    await tx.run("revocations_forget", before=before, before_for_cookies=for_cookies)


async def remove_revocations(run: Run, now: int) -> AsyncIterator[None]:
    """A step of the job ``purge``."""
    await run.db.write(forget_revocations, now)
    yield


async def admin_tokens(tx: Reader, store_handle: str | None) -> list[AdminTokenView]:
    """Returns the admin tokens of all stores, or of one, oldest first. Raises ``NotFound``."""
    if store_handle is not None:
        await stores.by_handle(tx, store_handle)
    views = [_view_from_row(row) for row in await tx.all("admin_tokens")]
    return [view for view in views if store_handle in (None, view.store)]


async def admin_tokens_page(
    tx: Reader, store: Store, caller_token_id: str, page_request: PageRequest
) -> Page[AdminTokenView]:
    """Returns a page of a store's admin tokens, newest first. ``current`` marks the caller's."""

    def from_row(row: Row) -> AdminTokenView:
        view = _view_from_row(row)
        return structs.replace(view, current=True) if view.id == caller_token_id else view

    return await pages.read(tx, "admin_tokens", WholeStore(store), page_request, from_row)
