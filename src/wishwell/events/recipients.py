"""Whom a webhook's format that sends mails may write to, read directly before it sends."""

from wishwell import ids
from wishwell.contacts import addresses, suppressions, tokens
from wishwell.db import Writer
from wishwell.events.formats import Recipient, Unsent
from wishwell.stores import Store


# rules: format-mail, mail-consent
async def find(tx: Writer, store: Store, gid: str, base: str, now: str) -> Recipient | Unsent:
    """Returns the owner of a profile with a new link to unsubscribe, or why no mail may be sent.

    ``base``: the path of the storefront.
    """
    profile_id = ids.profile_key(store.id, gid)
    contact = await addresses.find(tx, profile_id)
    status = contact and await addresses.find_status(tx, store, contact, now)
    if contact is None or status != "confirmed" or not contact.wants_notices(store):
        return Unsent("The shopper has no confirmed address, or doesn't want notices.")
    if not store.mail_origin:
        return Unsent("The store has no https host (--host) and no --service-url for links.")
    email = contact.email or ""
    address = suppressions.address_hash(store.id, email)
    token = await tokens.create(tx, store, profile_id, "unsubscribe", address, now)
    return Recipient(email, contact.language, f"{store.mail_origin}{base}/mail/{token}")
