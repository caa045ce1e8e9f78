"""A store's secrets, which sign its visitors' cookies and verify its customers.

Each store has one sealed text (``sealing.py``). The lock of ``stores`` serialises changes.
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
"""Days that a visitor's cookie is valid (rule: storefront-visitor)."""

MAX_KEYS = 4
MAX_PLATFORM_SECRETS = 2


class CookieSecret(msgspec.Struct, frozen=True):
    """A secret that signs cookies. ``replaced_at``: milliseconds since 1970, or ``None`` for the
    current secret."""

    secret: str
    replaced_at: int | None = None


class StoreSecrets(msgspec.Struct, frozen=True):
    """``cookie``: the newest first, which signs; all verify. ``jwt_keys``: for HS256.
    ``platform``: the secrets that the platform signs its query with."""

    cookie: tuple[CookieSecret, ...]
    jwt_keys: tuple[str, ...] = ()
    platform: tuple[str, ...] = ()


class SecretsPatch(msgspec.Struct, frozen=True):
    """Changes to secrets. ``None`` leaves a field unchanged.

    ``new_signer``: creates a cookie secret. "rotate" keeps the old secret for as long as a cookie
    is valid; "leaked" makes all earlier cookies invalid.
    """

    jwt_keys: tuple[str, ...] | None = None
    platform: tuple[str, ...] | None = None
    new_signer: Literal["rotate", "leaked"] | None = None

    @property
    def changes_nothing(self) -> bool:
        return self == SecretsPatch()


_decoder = msgspec.json.Decoder(StoreSecrets)


def opened(sealing: Sealing, store_id: str, text: str) -> StoreSecrets:
    """Decrypts a store's secrets. Raises ``Misconfigured`` and ``Damaged``."""
    return _decoder.decode(sealing.open(text, f"store {store_id}"))


# rule: storefront-secrets
async def change(
    tx: Writer, sealing: Sealing, store: Store, patch: SecretsPatch, clock: ReferenceClock
) -> StoreSecrets:
    """Changes a store's secrets. Raises ``Invalid``."""
    await stores.lock(tx)
    now = clock()
    row = await tx.one("store_secrets", store=store.id)
    before = _new_secrets() if row is None else opened(sealing, store.id, row[0])
    after = _apply_patch(before, patch, now, await _expired_before(tx, clock))
    _check("jwt-key", after.jwt_keys, MAX_KEYS, 32)
    _check("platform-secret", after.platform, MAX_PLATFORM_SECRETS, 16)
    text, at = _seal(sealing, store.id, after), ids.timestamp(now)
    await tx.run("store_secrets_set", store=store.id, sealed=text, now=at)
    return after


# rule: storefront-jwt
async def check_apart(tx: Reader, sealing: Sealing | None, *changed: Store) -> None:
    """Raises ``Invalid`` if a JWT could name a customer in a changed store and in another store.

    Compares keys only with ``sealing``, which decrypts them. Raises ``Misconfigured`` for keys that
    can't be decrypted.
    """
    rows = await tx.all("store_secrets_changed", since="")
    sealed = {row[0]: row[1] for row in rows}

    @functools.cache
    def trusted(store: Store) -> set[tuple[str, str]]:
        """Returns the issuers, key sets and keys whose JWTs a store accepts."""
        text, naming = sealed.get(store.id), store.naming
        keys: tuple[str, ...] = ()
        with contextlib.suppress(Damaged):  # no JWT can be verified with damaged keys
            keys = opened(sealing, store.id, text).jwt_keys if sealing and text else ()
        whole = [("issuer", naming.jwt_issuer), ("key set", naming.jwt_key_set)]
        return {(what, value) for what, value in whole if value} | {("key", key) for key in keys}

    for store, other in itertools.product(changed, await stores.listed(tx)):
        shared = trusted(store) & trusted(other)
        audiences = {"", store.naming.jwt_audience, other.naming.jwt_audience}
        if shared and other.id != store.id and len(audiences) < 3:
            raise Invalid(
                f"jwt-audience: store {other.handle!r} has the same JWT {min(shared)[0]}, so each "
                "of the two stores needs its own audience."
            )


# rule: sealing-keys
async def prepare(tx: Writer, sealing: Sealing, clock: ReferenceClock) -> None:
    """Creates missing cookie secrets, and seals secrets under older keys again with the newest one.

    Raises ``Misconfigured`` for secrets that no key decrypts. Several processes may run this
    concurrently.
    """
    await stores.lock(tx)
    sealed = {row[0]: row[1] for row in await tx.all("store_secrets_changed", since="")}
    now, expired_before = clock(), await _expired_before(tx, clock)
    updated_at = ids.timestamp(now)
    for store in await stores.listed(tx):
        text, current = sealed.get(store.id), None
        try:
            with bad_rows.skip_bad_row("store_secrets", store.id):
                current = _new_secrets() if text is None else opened(sealing, store.id, text)
        except Misconfigured as error:
            raise Misconfigured(f"Store {store.handle}: {error.message}") from error
        if current is None:
            continue
        renewed = _apply_patch(current, SecretsPatch(), now, expired_before)
        if text is None or renewed != current or not sealing.is_newest(text):
            await tx.run(
                "store_secrets_set",
                store=store.id,
                sealed=_seal(sealing, store.id, renewed),
                now=updated_at,
            )


def changed_by(patch: SecretsPatch, current: StoreSecrets | None) -> tuple[str, ...]:
    """Returns the changes of a patch, in words and without any secret. ``current`` is ``None`` for
    a new store."""
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


def _new_secrets() -> StoreSecrets:
    return StoreSecrets((CookieSecret(secrets.token_urlsafe(48)),))


# rule: clock-guard
async def _expired_before(tx: Reader, clock: ReferenceClock) -> int:
    """Returns the time in milliseconds before which a replaced cookie secret has expired; 0 while
    the clock is suspect."""
    try:
        return await clock.checked_now(tx) - COOKIE_DAYS * ids.DAY_MS
    except ClockSuspect:
        return 0


def _apply_patch(
    current: StoreSecrets, patch: SecretsPatch, now: int, expired_before: int
) -> StoreSecrets:
    cookie = current.cookie
    if patch.new_signer == "leaked":
        cookie = _new_secrets().cookie
    elif patch.new_signer == "rotate":
        signer = msgspec.structs.replace(cookie[0], replaced_at=now)
        cookie = (*_new_secrets().cookie, signer, *cookie[1:])
    return StoreSecrets(
        tuple(secret for secret in cookie if (secret.replaced_at or now) > expired_before),
        current.jwt_keys if patch.jwt_keys is None else patch.jwt_keys,
        current.platform if patch.platform is None else patch.platform,
    )


def _check(field: str, texts: Sequence[str], max_count: int, min_length: int) -> None:
    if len(texts) > max_count:
        raise Invalid(f"{field}: must be at most {max_count} keys.")
    if any(not min_length <= len(text) <= 1_000 or not text.isprintable() for text in texts):
        raise Invalid(f"{field}: each must be one line of {min_length} to 1,000 characters.")


def _seal(sealing: Sealing, store_id: str, plain: StoreSecrets) -> str:
    return sealing.seal(msgspec.json.encode(plain), f"store {store_id}")
