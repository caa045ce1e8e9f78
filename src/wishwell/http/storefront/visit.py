"""What a request to the storefront turns out to be."""

from dataclasses import dataclass

from wishwell.access.auth import Caller
from wishwell.http.storefront import cookie
from wishwell.http.storefront.cookie import Visitor
from wishwell.http.storefront.shop import Shop
from wishwell.profiles import Profile
from wishwell.stores import Store


@dataclass(slots=True)
class Visit:
    """What a request to the storefront turns out to be."""

    shop: Shop
    host: str
    secure: bool
    address: str | None
    """Of the browser, if it is known."""
    caller: Caller | None
    """The proxy's, if it sent a token."""
    signed: bool
    """Whether the platform signed the query."""
    customer: str | None = None
    visitor: Visitor | None = None
    has_cookie: bool = False
    shopper: Profile | None = None
    new_session: str = ""
    """The id of the session that the first save begins."""
    set_cookie: bytes | None = None

    @property
    def store(self) -> Store:
        return self.shop.store

    def remove_cookie(self) -> None:
        if self.has_cookie:
            self.set_cookie = cookie.line("", secure=self.secure)
