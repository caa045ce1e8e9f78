"""The API's record of a profile, its preference for notices, and the search by e-mail address."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell import profiles
from wishwell.db import Reader, Row, Writer, statements
from wishwell.db.journal import Act
from wishwell.profiles import Kind, Profile, WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store

MakesNotices = Annotated[
    bool | None,
    types.published(
        "MakesNotices",
        "Whether notices of price drops and of products back in stock are recorded for its items. "
        "null means that nobody has chosen: then the store's setting `notices` decides.",
    ),
]


Status = Literal["unverified", "pending", "confirmed", "suppressed"]
EmailStatus = Annotated[
    Status,
    types.published(
        "EmailStatus",
        "Whether mails are sent to the address: only if it is `confirmed`. A `pending` one waits "
        "for its owner to confirm it, nobody was asked to confirm an `unverified` one, and a "
        "`suppressed` one gets no mails, because its owner unsubscribed or mails to it failed.",
    ),
]
NoticesBy = Literal["mail", "webhook", "address_needed", "sign_in_needed", "none"]
NoticesWay = Annotated[
    NoticesBy,
    types.published(
        "NoticesBy",
        "How notices reach the shopper: by a mail to a confirmed address, or by the shop's "
        "marketing tool (`webhook`). Otherwise an address or a sign-in is needed first, or the "
        "shop sends none.",
    ),
]


class ProfileView(msgspec.Struct, rename="camel"):
    """A customer or a visitor's session, with the number of its items and lists."""

    profile: types.ProfileGid
    kind: Kind
    items: types.Count
    """The number of items."""
    lists: types.Count
    """The number of lists."""
    notices: MakesNotices
    created_at: types.Time | UnsetType = UNSET
    """Omitted for a customer of whom nothing is stored."""
    email: types.EmailAddress | UnsetType = UNSET
    """The e-mail address; masked except for an admin token."""
    email_status: EmailStatus | UnsetType = UNSET
    """Omitted without an address, and for pages of profiles."""
    notices_by: NoticesWay | UnsetType = UNSET
    """Omitted for pages of profiles."""
    notified: bool | UnsetType = UNSET
    """Whether notices reach the profile now; omitted for pages of profiles."""
    language: str | UnsetType = UNSET
    """The language of mails; only for an admin token."""
    notices_chosen_at: types.Time | UnsetType = UNSET
    """When the profile chose about notices; only for an admin token."""
    notices_source: str | UnsetType = UNSET
    """Where: on the `page`, by the `api`, or by the `link` in a mail; only for an admin token."""
    email_confirmed_at: types.Time | UnsetType = UNSET
    """When the address was confirmed; only for an admin token, and for a pending address that its
    owner had confirmed as a visitor."""
    email_source: str | UnsetType = UNSET
    """Who confirmed it: its owner by the `link` in a mail or on the `page`, or the `shop`; only for
    an admin token."""
    purchased: types.Count | UnsetType = UNSET
    """The number of items that were bought since they were last saved; omitted in a store with
    purchases off, and for pages of profiles."""
    show_reductions: bool | UnsetType = UNSET
    """Whether the store's pages strike earlier prices through, with a percentage; omitted
    otherwise, and for pages of profiles."""


def from_row(row: Row) -> ProfileView:
    """Converts a row with the columns ``profile_record_fields`` to a record."""
    columns = statements.name_columns("profile_record_fields", row)
    return ProfileView(
        profile=columns["gid"],
        kind="session" if columns["is_session"] else "customer",
        items=columns["items"],
        lists=columns["lists"],
        notices=notice_choice(columns["notices"]),
        created_at=columns["created_at"],
        email=columns["email"] or UNSET,
    )


async def find(tx: Reader, profile: Profile) -> ProfileView:
    """Returns a profile's record. Raises ``profiles.missing`` for a session without one."""
    row = await tx.one("profile_shown", profile=profile.id)
    if row is not None:
        view = from_row(row)
        if profile.store.reporting.purchases:
            [(view.purchased,)] = await tx.all("profile_purchased", profile=profile.id)
        return view
    if profile.is_session:
        raise profiles.missing(profile)
    return ProfileView(profile.gid, "customer", 0, 0, notices=None)


def notice_choice(notices: int | None) -> bool | None:
    """Returns a profile's choice about notices as the API shows it."""
    return None if notices is None else bool(notices)


# rule: notice-drop
async def set_notices(
    tx: Writer, profile: Profile, notices: bool | None, now: str, source: str = "api"
) -> ProfileView:
    """Turns a profile's notices on or off; None changes nothing. ``source``: where that was done.

    Raises ``profiles.missing``.
    """
    if notices is None:
        await profiles.lock_known(tx, profile)
    else:
        await profiles.lock(tx, profile, now)
        params = {"profile": profile.id, "notices": int(notices), "source": source}
        await tx.run("profile_choose_notices", **params, now=now)
        if not notices:
            await tx.record(withdrawal(profile.store, profile.id, now))
    return await find(tx, profile)


# rule: journal-replay
def withdrawal(store: Store, profile_id: str, now: str) -> Act:
    """Returns the act of a profile that turned notices off, which a restore must not undo."""
    act = Act(action="notices.withdrawn", store=store.handle, store_id=store.id)
    act.profile, act.created = profile_id, now
    return act


# rule: profile-email
async def by_email(
    tx: Reader, store: Store, email: str, page_request: PageRequest
) -> Page[ProfileView]:
    """Returns a page of the store's profiles with this e-mail address, ignoring case."""
    spellings = {_lower_ascii(spelling) for spelling in (email, email.lower(), email.upper())}
    page_request = page_request.among(email=sorted(spellings))
    return await pages.read(tx, "profiles", WholeStore(store), page_request, from_row)


def _lower_ascii(email: str) -> str:
    """Lower-cases A-Z only, as the index on both engines does."""
    return email.encode().lower().decode()
