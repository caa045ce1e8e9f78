"""A store as the storefront needs it: its secrets opened, and what was verified with them."""

import time

import jwt

from wishwell import store_secrets
from wishwell.access_cache import AccessCache
from wishwell.errors import Misconfigured, Unavailable
from wishwell.outbound import Outbound
from wishwell.sealing import Sealing
from wishwell.storefront import cookie, customers
from wishwell.storefront.customers import Known, Wrong
from wishwell.storefront.keys import KeySets
from wishwell.stores import Store

_KEPT = 10_000
"""JWTs whose customers are remembered, for each store."""


# contract: storefront-jwt
class Shop:
    """One store, as it is until it changes."""

    def __init__(
        self, store: Store, secrets: store_secrets.StoreSecrets, key_sets: KeySets
    ) -> None:
        self.store = store
        self.cookies = cookie.Signer(secrets.cookie, store.id)
        self.platform_secrets = secrets.platform
        self._shared = secrets.jwt_keys
        self._key_sets = key_sets
        self._known: dict[str, Known] = {}

    async def customer(self, token: str) -> str:
        """The GID of the customer that a JWT names. Raises ``Wrong`` and ``Unavailable``."""
        known = self._known.get(token)
        if known is None:
            known = await self._verified(token)
            if len(self._known) >= _KEPT:
                self._known.pop(next(iter(self._known)))  # the oldest: it is verified again
            self._known[token] = known
        elif known.ends <= time.time():
            del self._known[token]
            raise Wrong("it has expired")
        return known.customer

    async def _verified(self, token: str) -> Known:
        kid = customers.key_id(token)
        keys: list[str | jwt.PyJWK] = list(self._shared)
        if kid is not None:
            keys = [await self._public(kid)]
        known = customers.jwt_customer(token, keys, self.store.naming)
        return Known(customers.gid(self.store.platform, known.customer), known.ends)

    async def _public(self, kid: str) -> jwt.PyJWK:
        source = self.store.naming.jwt_key_set
        if not source:
            raise Wrong("the shop has no key set")
        try:
            return await self._key_sets.key(source, kid)
        except ValueError as error:
            raise Wrong(str(error)) from None


class Shops:
    """The shops of all stores, each made when it is first asked for and when it has changed."""

    def __init__(
        self, access_cache: AccessCache, sealing: Sealing | None, outbound: Outbound
    ) -> None:
        self._access_cache = access_cache
        self._sealing = sealing
        self._shops: dict[str, tuple[Store, str, Shop]] = {}
        self._key_sets = KeySets(outbound)

    def of(self, store: Store) -> Shop:
        """The shop of a store. Raises ``Unavailable`` if its secrets can't be opened."""
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
        except Misconfigured as error:  # sealed by another process, with a key that is new
            raise Unavailable(error.message) from error
        return Shop(store, secrets, self._key_sets)
