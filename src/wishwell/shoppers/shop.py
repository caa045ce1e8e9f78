"""A store with its decrypted secrets, as the storefront needs it, and a request to it."""

import functools
import time
from dataclasses import dataclass

from wishwell.access.access_cache import AccessCache
from wishwell.access.auth import Caller
from wishwell.contacts.addresses import ShopAddress
from wishwell.errors import Misconfigured, Unavailable
from wishwell.profiles import Profile
from wishwell.shoppers import cookie, customers
from wishwell.shoppers.customers import BadSignature, Customer, InvalidEvidence
from wishwell.shoppers.key_sets import KeySets
from wishwell.stores import Store, store_secrets
from wishwell.stores.naming import authority
from wishwell.stores.sealing import Damaged, Sealing
from wishwell.stores.store_secrets import StoreSecrets


class Shop:
    """A version of a store with its secrets. Each change to the store creates another."""

    def __init__(self, store: Store, secrets: StoreSecrets, key_sets: KeySets) -> None:
        self.store = store
        self.origins = {authority(origin): origin for origin in store.hosts}
        self.cookies = cookie.Signer(secrets.cookie, store.id)
        self.visitor_keys = cookie.Signer(secrets.cookie, store.id, "visitor key")
        self.platform_secrets = secrets.platform
        self._jwt_keys = secrets.jwt_keys
        self._key_sets = key_sets

    # rule: storefront-naming
    @property
    def names_customers(self) -> bool:
        """Whether the store can name its customers by a JWT or by the platform's query."""
        return bool(self._jwt_keys or self.platform_secrets or self.store.naming.jwt_key_set)

    # rule: storefront-jwt
    async def customer(self, token: str) -> Customer:
        """Returns the customer of a JWT. Raises ``InvalidEvidence`` and ``Unavailable``."""
        naming, platform = self.store.naming, self.store.platform
        accepted = [customers.SHARED] if self._jwt_keys else []
        kid = customers.key_id(token, accepted + [*customers.PUBLIC] * bool(naming.jwt_key_set))
        if kid is None:
            claims = customers.jwt_customer(token, self._jwt_keys, naming, platform)
        else:
            key = await self._key_sets.key(naming.jwt_key_set, kid)
            try:
                claims = customers.jwt_customer(token, (key,), naming, platform)
            except BadSignature:
                new_key = await self._key_sets.key(naming.jwt_key_set, kid, failed=key)
                if new_key is key:
                    raise
                claims = customers.jwt_customer(token, (new_key,), naming, platform)
        if claims.ends <= time.time():
            raise InvalidEvidence("it has expired")
        return claims.customer


# rule: storefront-secrets
class ShopCache:
    """LRU cache of the shops of all stores, by store and secrets."""

    def __init__(
        self, access_cache: AccessCache, sealing: Sealing | None, key_sets: KeySets
    ) -> None:
        self._access_cache = access_cache
        self._sealing = sealing
        self._key_sets = key_sets

    def of(self, store: Store) -> Shop:
        """Returns the shop of a store. Raises ``Unavailable`` if its secrets can't be decrypted."""
        return self._open_shop(store, self._access_cache.sealed_secrets(store.id) or "")

    @functools.lru_cache(maxsize=cookie.MAX_CACHED)  # noqa: B019 - one instance per process
    def _open_shop(self, store: Store, sealed: str) -> Shop:
        if self._sealing is None or not sealed:  # logged at the start
            raise Unavailable("The storefront has no secrets: WISHWELL_SEALING_KEYS is not set.")
        try:
            secrets = store_secrets.opened(self._sealing, store.id, sealed)
        except (Misconfigured, Damaged) as error:  # another process has a newer sealing key
            raise Unavailable(error.message) from error
        return Shop(store, secrets, self._key_sets)


@dataclass(slots=True)
class StorefrontRequest:
    """A storefront request: the shop, and the proven identity of the sender."""

    shop: Shop
    host: str
    secure: bool
    address: str | None
    """The browser's address, if it is known."""
    caller: Caller | None
    """The proxy, if it sent a token."""
    signed: bool
    """Whether the platform signed the query."""
    customer: Profile | None = None
    session: Profile | None = None
    """The visitor, by the cookie."""
    is_due: bool = False
    """Whether to set the cookie again."""
    has_cookie: bool = False
    set_cookie: bytes | None = None
    is_identified: bool = False
    """Whether it is known who is shopping, be it nobody."""
    shop_address: ShopAddress | None = None
    """The customer's address, if the shop has named it with the customer."""
    signature: str = ""
    """The signature of the platform's query, once verified."""
    new_key: str = ""
    """The key of a visitor whose session was created without a cookie."""

    @property
    def shopper(self) -> Profile | None:
        return self.customer or self.session

    @property
    def store(self) -> Store:
        return self.shop.store

    def issue_cookie(self, session: Profile, now: int) -> None:
        """Sets a session's cookie with the response; ``now`` in milliseconds."""
        value = self.shop.cookies.value(session.gid, now // 1000)
        self.set_cookie = cookie.line(value, secure=self.secure)

    def remove_cookie(self) -> None:
        if self.has_cookie:
            self.set_cookie = cookie.line("", secure=self.secure)
