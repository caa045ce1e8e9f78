"""Which parts of a store need somebody's attention (rule: store-status)."""

from collections.abc import Iterator, Sequence
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from wishwell import field_types as types
from wishwell import ids
from wishwell.contacts import mail_reports
from wishwell.db import Reader
from wishwell.events import webhooks
from wishwell.events.webhooks import Webhook
from wishwell.profiles.pages import PageRequest
from wishwell.reports import counting
from wishwell.stores import Store, StoreView

MAX_WARNINGS = 50
_OLD_COUNT_MS = ids.DAY_MS
"""Milliseconds after which a store's last count is too old."""


class StoreStatus(msgspec.Struct):
    """The running program, and what needs attention in the store."""

    version: str
    """The version of the program that answered."""
    commit: str
    """The commit that it was built from, or `unknown`."""
    warnings: Annotated[list[str], types.published(maxItems=MAX_WARNINGS)]
    """In English, a sentence or two each. The first are about the whole service."""


async def find_warnings(tx: Reader, store: Store, now: str, *, sends_mails: bool) -> list[str]:
    """Returns the warnings that follow from the store's records. ``sends_mails``: whether this
    installation does."""
    page = await webhooks.page(tx, store, PageRequest(None, webhooks.MAX_WEBHOOKS))
    shown_store = await mail_reports.show_store(tx, store, now)
    counts = await counting.last(tx, store)
    age = ids.from_timestamp(now) - ids.from_timestamp(counts[0].began_at) if counts else 0
    warnings = [
        *_webhook_warnings(page.records),
        *_mail_warnings(shown_store, sends_mails=sends_mails),
    ]
    if age > _OLD_COUNT_MS:
        warnings.append(f"Wishes were last counted at {counts[0].began_at}: the figures are old.")
    return warnings


def _webhook_warnings(store_webhooks: Sequence[Webhook]) -> Iterator[str]:
    for webhook in store_webhooks:
        # The rest of the address may be a secret.
        name = f"The webhook to {urlsplit(webhook.url).netloc}"
        if webhook.problem:
            yield f"{name} was turned off. {webhook.problem}"
        elif webhook.enabled and webhook.failing_since:
            yield f"{name} has failed since {webhook.failing_since}."


def _mail_warnings(store: StoreView, *, sends_mails: bool) -> Iterator[str]:
    if not store.mail.mail_on:
        return
    if not sends_mails:
        yield "Mails are on in the store, but off in this service (WISHWELL_MAIL)."
    if store.mail.paused_at:
        yield f"Mails wait since {store.mail.paused_at}. {store.mail.problem or ''}".strip()
    elif store.mail.problem:
        yield store.mail.problem
