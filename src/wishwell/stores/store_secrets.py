"""A store's secrets: they sign its visitors' cookies and verify its customers.

One sealed text a store (``sealing.py``). Changes happen one after the other, as those of stores do.
"""

import contextlib
import functools
import itertools
import secrets
from collections.abc import Sequence
from typing import Literal

import msgspec

from wishwell import ids, stores
from wishwell.db import Reader, Writer, bad_rows
from wishwell.db.clock import ClockSuspect, ReferenceClock
from wishwell.errors import Invalid, Misconfigured
from wishwell.stores import Store
from wishwell.stores.sealing import Damaged, Sealing

COOKIE_DAYS = 90
"""How long a visitor's cookie is good (contract: storefront-cookie)."""

MOST_KEYS = 4
MOST_PLATFORM_SECRETS = 2


class CookieSecret(msgspec.Struct, frozen=True):
    """``replaced_at``: in milliseconds since 1970; None for the one that signs."""

    secret: str
    replaced_at: int | None = None


class StoreSecrets(msgspec.Struct, frozen=True):
    """``cookie``: the newest first; it signs, all verify. ``jwt_keys``: for HS256.
    ``platform``: with these the platform signs its query."""

    cookie: tuple[CookieSecret, ...]
    jwt_keys: tuple[str, ...] = ()
    platform: tuple[str, ...] = ()


class SecretsPatch(msgspec.Struct, frozen=True):
    """Changes. None leaves a field as it is.

    ``new_signer``: a new cookie secret. "rotate" keeps the old one for as long as a cookie is
    good; with "leaked" no older cookie is good any more.
    """

    jwt_keys: tuple[str, ...] | None = None
    platform: tuple[str, ...] | None = None
    new_signer: Literal["rotate", "leaked"] | None = None

    @property
    def changes_nothing(self) -> bool:
        return self == SecretsPatch()


_decoder = msgspec.json.Decoder(StoreSecrets)


def opened(sealing: Sealing, store_id: str, text: str) -> StoreSecrets:
    """The secrets in a sealed text. Raises ``Misconfigured`` and ``Damaged``."""
    return _decoder.decode(sealing.open(text, f"store {store_id}"))


# contract: storefront-secrets
async def change(
    tx: Writer, sealing: Sealing, store: Store, patch: SecretsPatch, clock: ReferenceClock
) -> StoreSecrets:
    """Changes a store's secrets. Raises ``Invalid``."""
    await stores.lock(tx)
    now = clock()
    row = await tx.one("store_secrets", store=store.id)
    before = _fresh() if row is None else opened(sealing, store.id, row[0])
    after = _patched(before, patch, now, await _expired_before(tx, clock))
    _check("jwt-key", after.jwt_keys, MOST_KEYS, 32)
    _check("platform-secret", after.platform, MOST_PLATFORM_SECRETS, 16)
    text, at = _sealed(sealing, store.id, after), ids.timestamp(now)
    await tx.run("store_secrets_set", store=store.id, sealed=text, now=at)
    return after


# contract: storefront-jwt-apart
async def check_apart(tx: Reader, sealing: Sealing | None, *changed: Store) -> None:
    """Raises ``Invalid`` if a JWT may name a customer of one of these stores and of another.

    Keys are compared only with ``sealing``, which opens them. Raises ``Misconfigured`` for those
    that can't be opened.
    """
    rows = await tx.all("store_secrets_changed", since="")
    sealed = {row[0]: row[1] for row in rows}

    @functools.cache
    def trusted(store: Store) -> set[tuple[str, str]]:
        """By what a store takes a JWT for its own."""
        text, naming = sealed.get(store.id), store.naming
        keys: tuple[str, ...] = ()
        with contextlib.suppress(Damaged):  # by such keys nobody is known
            keys = opened(sealing, store.id, text).jwt_keys if sealing and text else ()
        whole = [("issuer", naming.jwt_issuer), ("key set", naming.jwt_key_set)]
        return {(what, value) for what, value in whole if value} | {("key", key) for key in keys}

    for store, other in itertools.product(changed, await stores.listed(tx)):
        shared = trusted(store) & trusted(other)
        audiences = {"", store.naming.jwt_audience, other.naming.jwt_audience}
        if shared and other.id != store.id and len(audiences) < 3:
            raise Invalid(
                f"jwt-audience: store {other.handle!r} has the same JWT {min(shared)[0]}, so each "
                "of the two needs an audience of its own."
            )


# contract: sealing-anew, sealing-opened
async def prepare(tx: Writer, sealing: Sealing, clock: ReferenceClock) -> None:
    """Gives each store a secret for its cookies, and seals what an older key sealed anew.

    Raises ``Misconfigured`` for what none of the keys opens. Several processes may start at once.
    """
    await stores.lock(tx)
    sealed = {row[0]: row[1] for row in await tx.all("store_secrets_changed", since="")}
    now, expired_before = clock(), await _expired_before(tx, clock)
    at = ids.timestamp(now)
    for store in await stores.listed(tx):
        text, current = sealed.get(store.id), None
        try:
            with bad_rows.passed_over("store_secrets", store.id):
                current = _fresh() if text is None else opened(sealing, store.id, text)
        except Misconfigured as error:
            raise Misconfigured(f"Store {store.handle}: {error.message}") from error
        if current is None:
            continue
        kept = _patched(current, SecretsPatch(), now, expired_before)
        if text is None or kept != current or not sealing.is_newest(text):
            await tx.run(
                "store_secrets_set", store=store.id, sealed=_sealed(sealing, store.id, kept), now=at
            )


def changed_by(patch: SecretsPatch, current: StoreSecrets | None) -> tuple[str, ...]:
    """In words, without any secret, what a patch changes; ``current`` is None for a new store."""
    before = current or StoreSecrets(())
    changes = {
        "JWT keys": (patch.jwt_keys, before.jwt_keys),
        "platform secrets": (patch.platform, before.platform),
    }
    return tuple(
        f"{len(new)} {name}"
        for name, (new, old) in changes.items()
        if new is not None and new != old
    )


def _fresh() -> StoreSecrets:
    return StoreSecrets((CookieSecret(secrets.token_urlsafe(48)),))


# contract: clock-guard
async def _expired_before(tx: Reader, clock: ReferenceClock) -> int:
    """Cookie secrets that were replaced before this time, in milliseconds, are dropped; 0 while
    the clock is suspect."""
    try:
        return await clock.checked_now(tx) - COOKIE_DAYS * ids.DAY_MS
    except ClockSuspect:
        return 0


def _patched(
    current: StoreSecrets, patch: SecretsPatch, now: int, expired_before: int
) -> StoreSecrets:
    cookie = current.cookie
    if patch.new_signer == "leaked":
        cookie = _fresh().cookie
    elif patch.new_signer == "rotate":
        signer = msgspec.structs.replace(cookie[0], replaced_at=now)
        cookie = (*_fresh().cookie, signer, *cookie[1:])
    return StoreSecrets(
        tuple(old for old in cookie if (old.replaced_at or now) > expired_before),
        current.jwt_keys if patch.jwt_keys is None else patch.jwt_keys,
        current.platform if patch.platform is None else patch.platform,
    )


def _check(field: str, texts: Sequence[str], most: int, shortest: int) -> None:
    if len(texts) > most:
        raise Invalid(f"{field}: must be at most {most} keys.")
    if any(not shortest <= len(text) <= 1_000 or not text.isprintable() for text in texts):
        raise Invalid(f"{field}: each must be one line of {shortest} to 1,000 characters.")


def _sealed(sealing: Sealing, store_id: str, plain: StoreSecrets) -> str:
    return sealing.seal(msgspec.json.encode(plain), f"store {store_id}")
