"""A profile with its address and the way on which its notices reach it, as the API shows it."""

from msgspec import UNSET

from wishwell.contacts import addresses
from wishwell.db import Reader
from wishwell.profiles import Profile, records
from wishwell.profiles.records import NoticesBy, ProfileView
from wishwell.stores import Store


# rules: profile-email, mail-addresses
async def find(tx: Reader, profile: Profile, now: str, *, sends_mails: bool) -> ProfileView:
    """Returns a profile's record with its whole address. ``sends_mails``: whether the store's mails
    are on in this installation. Raises ``profiles.missing`` for a session without a record."""
    view = await records.find(tx, profile)
    view.show_reductions = profile.store.mail.show_reductions or UNSET
    contact = await addresses.find(tx, profile.id)
    view.notices_by = await find_notices_by(
        tx, profile.store, is_customer=not profile.is_session, sends_mails=sends_mails
    )
    if contact is None:
        view.notified = False
        return view
    status = await addresses.find_status(tx, profile.store, contact, now)
    view.email_status = status or UNSET
    view.language = contact.language or UNSET
    view.notices_chosen_at = contact.notices_chosen_at or UNSET
    view.notices_source = contact.notices_source or UNSET
    view.email_confirmed_at = contact.email_confirmed_at or UNSET
    view.email_source = contact.email_source or UNSET
    is_opt_out = profile.store.notices == "opt-out"
    gets_notices = is_opt_out if contact.notices is None else bool(contact.notices)
    if sends_mails and status == "confirmed":
        view.notices_by, gets_notices = "mail", contact.wants_notices(profile.store)
    view.notified = gets_notices and view.notices_by in ("mail", "webhook")
    return view


# rule: notice-consent
async def find_notices_by(
    tx: Reader, store: Store, *, is_customer: bool, sends_mails: bool
) -> NoticesBy:
    """Returns how notices reach a shopper without a confirmed address."""
    if store.events_since is None:
        return "none"
    has_webhook = await tx.one("takes_notices", store=store.id) is not None
    if has_webhook and is_customer:
        return "webhook"
    if sends_mails:
        return "address_needed"
    return "sign_in_needed" if has_webhook else "none"


def hide(view: ProfileView) -> None:
    """Removes from a record what only an admin may see, and masks its address."""
    if view.email is not UNSET:
        view.email = addresses.mask(view.email)
    view.language = view.notices_chosen_at = view.notices_source = UNSET
    view.email_source = UNSET
    if view.email_status != "pending":
        view.email_confirmed_at = UNSET
