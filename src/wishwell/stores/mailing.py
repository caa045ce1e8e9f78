"""Settings of a store's mails to shoppers."""

import re
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from wishwell.errors import Invalid
from wishwell.field_types import Time, published

MAX_DELAY_MINUTES = 1_440
MAX_PER_DAY = 24
MAX_DAILY_LIMIT = 10_000_000

# A domain of dotted ASCII labels: the sender's is part of headers and of each Message-ID.
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}")
_HOST = re.compile(r"(([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63})?")

_API_NAMES = {
    "mail_on": "on",
    "mail_from": "sender",
    "mail_reply_to": "replyTo",
    "mail_picture_host": "pictureHost",
    "mail_delay": "delay",
    "mail_per_day": "perDay",
    "mail_limit": "limit",
    "show_reductions": "showReductions",
    "paused_at": "pausedAt",
}


# rule: mail-on
class Mail(msgspec.Struct, frozen=True, rename=_API_NAMES, omit_defaults=True):
    """Settings of the store's mails to shoppers. Settings that are not set are omitted."""

    mail_on: bool = False
    """Whether mails are sent."""
    mail_from: str = ""
    """The sender's address."""
    mail_reply_to: str = ""
    """The address for answers (default: the sender's)."""
    mail_delay: Annotated[int, published(minimum=0, maximum=MAX_DELAY_MINUTES)] = 15
    """Minutes during which notices of a shopper are collected for one mail."""
    mail_per_day: Annotated[int, published(minimum=1, maximum=MAX_PER_DAY)] = 1
    """The most mails with notices to an address in 24 hours."""
    mail_limit: Annotated[int, published(minimum=1, maximum=MAX_DAILY_LIMIT)] = 10_000
    """The most mails of the store in 24 hours."""
    mail_picture_host: str = ""
    """A host besides the store's own from which mails load pictures."""
    show_reductions: bool = False
    """Whether pages and mails strike earlier prices through and show reductions in percent."""


# rule: mail-paused
class MailStatus(Mail, frozen=True, rename=_API_NAMES, omit_defaults=True):
    """Settings of the store's mails to shoppers, and why none are sent. Settings that are not set
    are omitted."""

    paused_at: Time | UnsetType = UNSET
    """Since when mails are paused."""
    problem: str | UnsetType = UNSET
    """Why mails wait, in English. Omitted if there is no reason, or if a command has paused
    them."""


# rule: mail-on
def check(mail: Mail) -> None:
    """Raises ``Invalid`` for an invalid field."""
    for option, address in (("mail-from", mail.mail_from), ("mail-reply-to", mail.mail_reply_to)):
        if address and (len(address) > 254 or not _ADDRESS.fullmatch(address)):
            raise Invalid(
                f"{option}: {address[:80]!r} isn't an e-mail address in ASCII characters, such as "
                "shop@shop.example."
            )
    host = mail.mail_picture_host
    if len(host) > 253 or not _HOST.fullmatch(host):
        raise Invalid(
            f"mail-picture-host: {host[:80]!r} isn't a host, such as cdn.shop.example, in lower "
            "case and without https://."
        )
    for option, number, minimum, maximum in (
        ("mail-delay", mail.mail_delay, 0, MAX_DELAY_MINUTES),
        ("mail-per-day", mail.mail_per_day, 1, MAX_PER_DAY),
        ("mail-limit", mail.mail_limit, 1, MAX_DAILY_LIMIT),
    ):
        if not minimum <= number <= maximum:
            raise Invalid(f"{option}: must be a whole number from {minimum} to {maximum:,}.")
