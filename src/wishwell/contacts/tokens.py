"""Tokens in the links of mails: 130 random bits, found by their hash.

A token allows one thing for one profile, and only while the profile has the address that the mail
was sent to (rule: mail-links).
"""

from typing import Literal, NamedTuple

from wishwell import ids, opaque
from wishwell.db import Reader, Writer
from wishwell.stores import Store

_RANDOM_CHARACTERS = 22

Purpose = Literal["confirm", "unsubscribe"]
PREFIXES: dict[Purpose, str] = {"confirm": "wwmc_", "unsubscribe": "wwmu_"}
"""The prefix of a token says what it is for, so that a page for it needs no database."""

_DAYS: dict[Purpose, int] = {"confirm": 7, "unsubscribe": 400}
"""Days that a token is valid."""


class MailToken(NamedTuple):
    """A stored token. ``address``: the hash of the address that it was sent to."""

    hash: str
    profile_id: str
    purpose: Purpose
    address: str
    expires_at: str

    @property
    def created_at(self) -> str:
        return ids.timestamp(ids.from_timestamp(self.expires_at) - _DAYS[self.purpose] * ids.DAY_MS)


# rule: mail-links
async def create(
    tx: Writer, store: Store, profile_id: str, purpose: Purpose, address: str, now: str
) -> str:
    """Creates a token for a mail to the address with this hash, and returns it."""
    token = opaque.new(PREFIXES[purpose], _RANDOM_CHARACTERS)
    expires_at = ids.timestamp(ids.from_timestamp(now) + _DAYS[purpose] * ids.DAY_MS)
    await tx.run(
        "mail_token_add",
        hash=opaque.hashed(token),
        store=store.id,
        profile=profile_id,
        purpose=purpose,
        address=address,
        expires_at=expires_at,
    )
    return token


def purpose_of(token: str) -> Purpose | None:
    """Returns what a token is for, by its prefix."""
    return next((purpose for purpose in PREFIXES if token.startswith(PREFIXES[purpose])), None)


# rule: mail-links
async def find(tx: Reader, store: Store, token: str, now: str) -> MailToken | None:
    """Returns a store's token unless it has expired; also None for a malformed one."""
    prefix = PREFIXES.get(purpose_of(token) or "confirm", "")
    if not opaque.is_well_formed(token, prefix, _RANDOM_CHARACTERS):
        return None
    row = await tx.one("mail_token", hash=opaque.hashed(token), store=store.id, now=now)
    return None if row is None else MailToken(*row)


async def remove(tx: Writer, token: MailToken) -> None:
    """Removes a token that was used and may not be used again."""
    await tx.run("mail_token_remove", hash=token.hash)
