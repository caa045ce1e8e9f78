"""The e-mail address of a profile, whose it is, and the profile's choice about notices."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from wishwell import profiles
from wishwell.contacts import suppressions
from wishwell.contacts.suppressions import address_hash
from wishwell.db import Reader, Writer, statements
from wishwell.db.journal import Act
from wishwell.profiles import Profile
from wishwell.profiles.records import Status
from wishwell.stores import Store, rules

Source = Literal["page", "api", "link", "shop"]
"""Where a choice was made or an address confirmed: on the wishlist page, by the API, by the link in
a mail, or by the shop."""


_UNVERIFIED = ""
"""The stored status of an address that nobody was asked to confirm."""

_REMOVED = "removed"
"""The stored status of a profile whose address its owner has removed, so that the shop's next
sign-in token doesn't bring it back."""


class Contact(msgspec.Struct, frozen=True):
    """The row of a profile, as far as it decides about mails. ``notices``: 1, 0, or None for never
    chosen. Times and sources are '' for never."""

    profile_id: str
    gid: str
    email: str | None
    email_status: str
    email_source: str
    email_confirmed_at: str
    language: str
    notices: int | None
    notices_chosen_at: str
    notices_source: str

    # rule: mail-consent
    def wants_notices(self, store: Store) -> bool:
        """Returns whether mails about notices may be sent to the address, unless it is suppressed.

        In an opt-out store that includes shoppers who never chose, whose address the shop
        confirmed.
        """
        if self.email is None or self.email_status != "confirmed":
            return False
        if self.notices is None:
            return store.notices == "opt-out" and self.email_source == "shop"
        return bool(self.notices)


class ShopAddress(NamedTuple):
    """A customer's address that the shop has confirmed."""

    profile: Profile
    email: str
    language: str


async def find(tx: Reader, profile_id: str) -> Contact | None:
    """Returns the contact data of a profile, or None if it is unknown or closed."""
    row = await tx.one("contact", profile=profile_id)
    return None if row is None else Contact(**statements.name_columns("contact_fields", row))


# rule: mail-suppressed
async def find_status(tx: Reader, store: Store, contact: Contact, now: str) -> Status | None:
    """Returns the status of a profile's address, or None without an address."""
    if contact.email is None:
        return None
    if await suppressions.find(tx, store.id, address_hash(store.id, contact.email), now):
        return "suppressed"
    status: Status = contact.email_status or "unverified"  # type: ignore[assignment]
    return status


async def count_reachable(tx: Reader, store: Store) -> int:
    """Returns how many profiles of the store may be written to, suppressed ones included."""
    params = {"store": store.id, "opt_out": int(store.notices == "opt-out")}
    row = await tx.one("contacts_reachable", **params)
    assert row is not None
    count: int = row[0]
    return count


def mask(email: str) -> str:
    """Returns an address that only its owner recognises, such as ``s…@e….com``."""
    local, _, domain = email.rpartition("@")
    name, dot, top_level = domain.rpartition(".")
    return f"{local[:1]}…@{name[:1]}…{dot}{top_level}" if dot else f"{local[:1]}…@{domain[:1]}…"


# rules: profile-email, mail-addresses
async def remember(tx: Writer, profile: Profile, email: str, now: str) -> None:
    """Stores a typed address with the profile, unless the profile has one that is confirmed.

    Raises ``missing(profile)``.
    """
    await profiles.lock(tx, profile, now)
    contact = await find(tx, profile.id)
    if contact is None or contact.email_status != "confirmed":
        await set_address(tx, profile.id, email, _UNVERIFIED)


async def set_address(
    tx: Writer,
    profile_id: str,
    email: str | None,
    status: str,
    *,
    source: str = "",
    confirmed_at: str = "",
    language: str = "",
) -> None:
    """Replaces a profile's address. An empty ``language`` leaves it unchanged."""
    await tx.run(
        "contact_set_address",
        profile=profile_id,
        email=email,
        status=status,
        source=source,
        confirmed_at=confirmed_at,
        language=language,
    )


# rules: mail-addresses, notice-consent
async def choose(tx: Writer, profile_id: str, notices: bool, source: Source, now: str) -> None:
    """Stores a profile's choice about notices, with its time and place."""
    params = {"profile": profile_id, "notices": int(notices), "source": source}
    await tx.run("profile_choose_notices", **params, now=now)


def read_language(text: object) -> str:
    """Returns a language as stored, such as ``de`` or ``pt-BR``, or '' if it can't be read."""
    language = text.replace("_", "-") if isinstance(text, str) else ""
    return language if re.fullmatch(rules.LANGUAGE, language) else ""


# rule: mail-addresses
async def is_new(tx: Reader, address: ShopAddress) -> bool:
    """Returns whether a customer's profile exists and lacks this address or language. A removed
    address isn't new."""
    contact = await find(tx, address.profile.id)
    if contact is None or contact.email_status == _REMOVED:
        return False
    stored = contact.email, contact.email_status, address.language and contact.language
    return stored != (address.email, "confirmed", address.language)


# rule: mail-addresses
async def set_by_shop(
    tx: Writer, store: Store, rows: Sequence[ShopAddress], now: str
) -> tuple[int, int]:
    """Stores addresses of existing profiles that the shop has confirmed. An address that the shop
    confirmed after ``now`` stays, because the platform's webhooks come in any order.

    Returns how many were stored, and how many profiles are unknown.
    """
    await tx.begin()
    stored_count = unknown_count = 0
    for profile, email, language in sorted(rows, key=lambda row: row.profile.id):
        contact = None
        if await tx.one("contact", profile=profile.id) is not None:
            await profiles.lock_known(tx, profile)
            contact = await find(tx, profile.id)
        if contact is None:
            unknown_count += 1
            continue
        if contact.email_source == "shop" and contact.email_confirmed_at > now:
            continue
        is_same = contact.email == email and contact.email_status == "confirmed"
        confirmed_at = contact.email_confirmed_at if is_same else now
        await set_address(
            tx,
            profile.id,
            email,
            "confirmed",
            source="shop",
            confirmed_at=confirmed_at,
            language=language,
        )
        stored_count += 1
    return stored_count, unknown_count


# rules: mail-addresses, journal-replay
async def remove(tx: Writer, profile: Profile, now: str) -> None:
    """Removes a profile's address, if it has one. Raises ``missing(profile)``."""
    if not await profiles.lock_known(tx, profile):
        return
    contact = await find(tx, profile.id)
    if contact is None or contact.email is None:
        return
    store = profile.store
    act = Act(action="address.removed", store=store.handle, store_id=store.id, profile=profile.id)
    act.hash, act.created = address_hash(store.id, contact.email), now
    await tx.record(act)
    await set_address(tx, profile.id, None, _REMOVED)
    await tx.run("mails_cancel_of_profile", profile=profile.id)


# rules: mail-addresses, mail-unsubscribe, link-atomic
async def merge(tx: Writer, session: Profile, customer: Profile) -> None:
    """Gives a customer without an address the session's, as pending, and without a choice the
    session's choice. Links to unsubscribe in mails to the session stay valid. Both profiles are
    locked.

    A session's confirmed address becomes pending too, because two people may share a device: the
    signed-in shopper has to confirm it.
    """
    source, target = await find(tx, session.id), await find(tx, customer.id)
    if source is None or target is None:
        return
    if source.email is not None:
        await tx.run("link_move_mail_tokens", session=session.id, customer=customer.id)
    if target.email is None and source.email is not None:
        is_confirmed = source.email_status == "confirmed"
        status = "pending" if is_confirmed else source.email_status
        # The time of the confirmation says that no other mail is needed to confirm it.
        await set_address(
            tx,
            customer.id,
            source.email,
            status,
            confirmed_at=source.email_confirmed_at if is_confirmed else "",
            language="" if target.language else source.language,
        )
    if target.notices is None and source.notices is not None:
        await tx.run(
            "profile_choose_notices",
            profile=customer.id,
            notices=source.notices,
            source=source.notices_source,
            now=source.notices_chosen_at,
        )


# rule: mail-addresses
async def confirm_moved(tx: Writer, profile: Profile, now: str) -> bool:
    """Confirms an address that came from a session in which its owner had confirmed it, because the
    signed-in shopper has agreed. Returns whether there was one. The profile is locked."""
    contact = await find(tx, profile.id)
    if contact is None or contact.email_status != "pending" or not contact.email_confirmed_at:
        return False
    await set_address(tx, profile.id, contact.email, "confirmed", source="page", confirmed_at=now)
    return True
