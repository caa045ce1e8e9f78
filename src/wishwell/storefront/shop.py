"""A store as the storefront needs it: its secrets opened, and what was verified with them."""

import time

import jwt
import structlog

from wishwell import store_secrets
from wishwell.access_cache import AccessCache
from wishwell.errors import Misconfigured, Unavailable
from wishwell.outbound import Outbound
from wishwell.sealing import Sealing
from wishwell.storefront import cookie, customers
from wishwell.storefront.customers import Known, Wrong
from wishwell.storefront.keys import KeySet
from wishwell.stores import Store

_KEPT = 10_000
"""JWTs whose customers are remembered, for each store."""

log = structlog.get_logger("wishwell.storefront")


class Shop:
    """One store, as it is until it changes."""

    def __init__(
        self, store: Store, secrets: store_secrets.StoreSecrets, keys: KeySet | None
    ) -> None:
        self.store = store
        self.cookies = cookie.Signer(secrets.cookie, store.id)
        self.platform_secrets = secrets.platform
        self._shared = secrets.jwt_keys
        self._keys = keys
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
        if self._keys is None:
            raise Wrong("the shop has no key set")
        try:
            return await self._keys.key(kid)
        except ValueError as error:
            raise Wrong(str(error)) from None


class Shops:
    """The shops of all stores, each made when it is first asked for and when it has changed."""

    def __init__(
        self, access_cache: AccessCache, sealing: Sealing | None, outbound: Outbound
    ) -> None:
        self._access_cache = access_cache
        self._sealing = sealing
        self._outbound = outbound
        self._shops: dict[str, tuple[Store, str, Shop]] = {}
        self._key_sets: dict[str, KeySet] = {}

    def of(self, store: Store) -> Shop:
        """The shop of a store. Raises ``Unavailable`` if its secrets can't be opened."""
        sealed = self._access_cache.sealed(store.id) or ""
        made = self._shops.get(store.id)
        if made is None or made[0] is not store or made[1] != sealed:
            made = store, sealed, self._made(store, sealed)
            self._shops[store.id] = made
        return made[2]

    def _made(self, store: Store, sealed: str) -> Shop:
        if self._sealing is None:
            log.error("storefront_closed", reason="WISHWELL_SEALING_KEYS is not set")
            raise Unavailable("WISHWELL_SEALING_KEYS is not set.")
        if not sealed:
            raise Unavailable(f"The store {store.handle} has no secrets yet.")
        try:
            secrets = store_secrets.opened(self._sealing, store.id, sealed)
        except Misconfigured as error:
            log.error("storefront_closed", reason=error.message)
            raise Unavailable(error.message) from error
        place = store.naming.jwt_key_set
        if place and place not in self._key_sets:
            self._key_sets[place] = KeySet(place, self._outbound)
        return Shop(store, secrets, self._key_sets.get(place))
