"""Handlers for a store's mails, and the types of their bodies."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import field_types as types
from wishwell import profiles
from wishwell.contacts import addresses, confirmations, mail_reports, queue
from wishwell.contacts.addresses import ShopAddress
from wishwell.http import queries, request_body, responding
from wishwell.http.context import Request
from wishwell.http.request_types import Body, Language
from wishwell.mailer import compose, sample
from wishwell.wishlists import fields

MAX_BULK = 250
Reason = Literal["bounced", "complained"]
SuppressionReason = Annotated[
    Reason,
    types.published(
        "SuppressionReason", "What the mail relay has reported: a bounce, or a complaint as spam."
    ),
]


class SuppressionBody(Body):
    """An address that gets no mails any more."""

    email: types.EmailAddress
    reason: SuppressionReason


class SuppressionsBody(Body):
    """Addresses that get no mails any more (``PUT /mails/suppressions``)."""

    suppressions: Annotated[list[SuppressionBody], Meta(min_length=1, max_length=MAX_BULK)]


class ProfileEmailBody(Body):
    """A customer's address, which the shop has confirmed."""

    profile: types.ProfileGid
    email: types.EmailAddress
    language: Language | UnsetType = UNSET
    """The language of mails; by default the last one stays."""


class ProfileEmailsBody(Body):
    """Addresses that the shop has confirmed (``PUT /profiles/email``)."""

    profiles: Annotated[list[ProfileEmailBody], Meta(min_length=1, max_length=MAX_BULK)]


class MailPreview(msgspec.Struct):
    """A mail with sample products."""

    subject: str
    text: str
    html: str


class StoredSuppressions(msgspec.Struct):
    """How many addresses were stored."""

    stored: types.Count


class StoredEmails(msgspec.Struct):
    """How many addresses were stored, and how many profiles don't exist."""

    stored: types.Count
    unknown: types.Count
    """The number of profiles that don't exist; nothing is stored for them."""


async def list_mails(request: Request) -> object:
    page_request = responding.parse_page_request(request, "mails")
    return await request.run(queue.find_page, request.store, page_request)


async def list_days(request: Request) -> object:
    now = request.service.clock()
    return await request.service.db.long_read(mail_reports.list_days, request.store, now)


# rule: mail-form
async def get_preview(request: Request) -> object:
    kind = queries.choice(request.query, "kind", get_args(queue.Kind)[::-1])
    language = ""
    if "language" in request.query:
        language = queries.choice(request.query, "language", tuple(compose.TEXTS))
    service = request.service
    base = service.settings.storefront_base
    message = sample.compose_sample(request.store, kind, language, base, service.clock())
    parts = [sample.read_part(message, part) for part in ("plain", "html")]
    return MailPreview(str(message["Subject"]), *parts)


# rule: mail-suppressed
async def put_suppressions(request: Request) -> object:
    body = await request_body.decode(request, SuppressionsBody)
    rows = fields.each(
        "suppressions",
        body.suppressions,
        lambda one: (profiles.check_email(one.email), one.reason),
    )
    await request.run(confirmations.suppress, request.store, rows, request.now())
    return StoredSuppressions(len(rows))


# rule: mail-addresses
async def put_profile_emails(request: Request) -> object:
    body = await request_body.decode(request, ProfileEmailsBody)
    rows = fields.each(
        "profiles",
        body.profiles,
        lambda one: ShopAddress(
            request.profile_of(one.profile, "profile"),
            profiles.check_email(one.email),
            one.language or "",
        ),
    )
    counts = await request.run(addresses.set_by_shop, request.store, rows, request.now())
    return StoredEmails(*counts)
