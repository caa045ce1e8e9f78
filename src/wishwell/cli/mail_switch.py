"""What `wishwell store update --mail on` and `store apply` check, say and ask."""

from wishwell import stores
from wishwell.cli import terminal
from wishwell.cli.terminal import format_count
from wishwell.config import Settings
from wishwell.contacts import addresses, store_mails
from wishwell.db import Database, Reader
from wishwell.errors import Invalid, NotFound
from wishwell.stores import Store, StorePatch


# rule: mail-on
async def confirm(
    db: Database, settings: Settings, handle: str, patch: StorePatch, *, is_confirmed: bool
) -> None:
    """Says whom a store will write to, and asks first in an opt-out store.

    Raises ``Invalid`` without an SMTP server, and without a confirmation.
    """
    store, count, has_server = await db.read(_find, handle)
    if not (has_server or settings.smtp_url):
        raise Invalid(
            "mail: needs an SMTP server; set WISHWELL_SMTP_URL, or the store's own with `wishwell "
            "store mail set`."
        )
    if store is None or store.mail.mail_on:
        return
    if store.events_since is None:
        terminal.say("Mails follow from events, which are turned on, too.", err=True)
    shoppers = format_count(count, "shopper")
    terminal.say(f"{handle}: {shoppers} may be written to, about notices from now on.", err=True)
    if (patch.notices or store.notices) == "opt-out" and not is_confirmed:
        terminal.say(
            "The store is opt-out: that includes customers who never chose. Is that lawful where "
            "you sell? Type yes to continue:",
            err=True,
        )
        if terminal.first_line() != "yes":
            raise Invalid("Not confirmed. Nothing was changed.")


async def _find(tx: Reader, handle: str) -> tuple[Store | None, int, bool]:
    """Returns a store, how many shoppers it may write to, and whether it has its own server."""
    try:
        store = await stores.by_handle(tx, handle)
    except NotFound:
        return None, 0, False
    state = await store_mails.find(tx, store.id)
    return store, await addresses.count_reachable(tx, store), bool(state.sealed)
