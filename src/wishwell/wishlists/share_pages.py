"""Pages of shares, and the addresses at which shared lists are shown."""

from collections.abc import Iterable

from wishwell.db import Reader
from wishwell.errors import no_record
from wishwell.profiles import Profile, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store
from wishwell.wishlists.shares import WHOLE, Share, from_row


async def page(tx: Reader, profile: Profile, list_id: str, request: PageRequest) -> Page[Share]:
    """Returns a page of a list's shares, newest first.

    Raises ``NotFound``, ``profiles.missing``.
    """
    request = request.among(shares_of=list_id)
    found_page = await pages.read(tx, "shares", profile, request, from_row)
    if found_page.records or list_id == WHOLE:
        return found_page
    if await tx.one("list_find", profile=profile.id, id=list_id) is None:
        raise no_record("list")
    return found_page


# rule: share-all
async def page_all(tx: Reader, profile: Profile, request: PageRequest) -> Page[Share]:
    """Returns a page of all shares of a profile, newest first. Raises ``profiles.missing``."""
    return await pages.read(tx, "shares", profile, request, from_row)


# rule: share-url
def set_urls(store: Store, base: str, shares: Iterable[Share]) -> None:
    """Sets the address of each share's page, if one shows it. ``base``: the storefront's path."""
    shared_page = store.pages.shared_page or f"{base}/shared"
    if "{token}" not in shared_page:
        shared_page += "#{token}"
    if shared_page.startswith("/"):
        if not store.page_origin:
            return
        shared_page = store.page_origin + shared_page
    for share in shares:
        share.url = shared_page.replace("{token}", share.token)
