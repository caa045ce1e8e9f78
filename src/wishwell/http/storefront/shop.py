"""A store as the storefront needs it: its secrets opened, and what was verified with them."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import jwt

from wishwell import recent
from wishwell.access.access_cache import AccessCache
from wishwell.errors import Misconfigured, Unavailable
from wishwell.http.storefront import cookie, customers
from wishwell.http.storefront.customers import Known, Wrong
from wishwell.http.storefront.keys import KeySets
from wishwell.outbound import Outbound
from wishwell.stores import Store, store_secrets
from wishwell.stores.naming import authority
from wishwell.stores.sealing import Damaged, Sealing

MOST = 30_000
"""Cookies, JWTs and shoppers that a process remembers, over all stores; some 500 bytes each."""


# contract: storefront-jwt
class Shop:
    """One store, as it is until it changes."""

    def __init__(
        self,
        store: Store,
        secrets: store_secrets.StoreSecrets,
        key_sets: KeySets,
        remembered: dict[Any, Any],
    ) -> None:
        self.store = store
        self.origins = {authority(origin): origin for origin in store.hosts}
        self.cookies = cookie.Signer(secrets.cookie, store.id, remembered, MOST)
        self.platform_secrets = secrets.platform
        self._shared = secrets.jwt_keys
        self._key_sets = key_sets
        self._known = recent.Part[bytes, tuple[Known, jwt.PyJWK | None]](remembered, MOST)

    async def customer(self, token: str) -> str:
        """The GID of the customer that a JWT names. Raises ``Wrong`` and ``Unavailable``."""
        # By its hash: a token may have 8 KiB.
        hashed = hashlib.sha256(token.encode()).digest()
        known, key = self._known.get(hashed) or (None, None)
        # A key that is not in the set any more is good for no JWT, whenever it was verified.
        if key is not None and key is not await self._public(str(key.key_id)):
            known = None
        if known is None:
            known, key = await self._verified(token)
            self._known.keep(hashed, (known, key))
        elif known.ends <= time.time():
            self._known.forget(hashed)
            raise Wrong("it has expired")
        return known.customer

    async def _verified(self, token: str) -> tuple[Known, jwt.PyJWK | None]:
        """What a JWT says, and the key of the set that verified it."""
        kid = customers.key_id(token)
        key = None if kid is None else await self._public(kid)
        keys: Sequence[str | jwt.PyJWK] = self._shared if key is None else [key]
        known = customers.jwt_customer(token, keys, self.store.naming)
        return Known(customers.gid(self.store.platform, known.customer), known.ends), key

    async def _public(self, kid: str) -> jwt.PyJWK:
        source = self.store.naming.jwt_key_set
        if not source:
            raise Wrong("the shop has no key set")
        try:
            return await self._key_sets.key(source, kid)
        except ValueError as error:
            raise Wrong(str(error)) from None


# contract: storefront-remembered
class Shops:
    """The shops of all stores, each made when it is first asked for and when it has changed.

    ``remembered``: what was verified for all of them, at most ``MOST`` entries.
    """

    def __init__(
        self, access_cache: AccessCache, sealing: Sealing | None, outbound: Outbound
    ) -> None:
        self._access_cache = access_cache
        self._sealing = sealing
        self._shops: dict[str, tuple[Store, str, Shop]] = {}
        self._there: Mapping[str, Store] = {}
        self.remembered: dict[Any, Any] = {}
        self._key_sets = KeySets(outbound)

    def of(self, store: Store) -> Shop:
        """The shop of a store. Raises ``Unavailable`` if its secrets can't be opened."""
        if self._access_cache.stores is not self._there:  # some have changed, or are gone
            self._there = self._access_cache.stores
            self._shops = {id: made for id, made in self._shops.items() if id in self._there}
        sealed = self._access_cache.sealed(store.id) or ""
        made = self._shops.get(store.id)
        if made is None or made[0] is not store or made[1] != sealed:
            made = store, sealed, self._made(store, sealed)
            self._shops[store.id] = made
        return made[2]

    def _made(self, store: Store, sealed: str) -> Shop:
        if self._sealing is None or not sealed:  # the start has said why
            raise Unavailable("The storefront has no secrets: WISHWELL_SEALING_KEYS is not set.")
        try:
            secrets = store_secrets.opened(self._sealing, store.id, sealed)
        except (Misconfigured, Damaged) as error:  # sealed by a process with a key that is new
            raise Unavailable(error.message) from error
        return Shop(store, secrets, self._key_sets, self.remembered)
