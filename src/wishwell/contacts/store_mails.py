"""A store's own SMTP server, and since when and why its mails are paused."""

import msgspec

from wishwell import stores
from wishwell.db import Reader, Writer
from wishwell.errors import Misconfigured
from wishwell.stores import Store
from wishwell.stores.sealing import Sealing

RESTORED = "A backup was restored."
"""The problem of mails that wait since before a restore. Resuming cancels them, because they may
have been sent after the backup."""

MAX_CREDENTIAL_REFUSALS = 3
"""Refusals of the credentials in a row after which a store's mails are paused."""


class MailState(msgspec.Struct, frozen=True):
    """The state of a store's mails. ``paused_at``, ``resumed_at``: '' for never. ``problem``: why
    they are paused; '' if a command paused them. ``sealed``: the encrypted URL of its own SMTP
    server, '' for the installation's. ``refusals``: of the credentials, in a row."""

    refusals: int = 0
    sealed: str = ""
    paused_at: str = ""
    resumed_at: str = ""
    problem: str = ""


async def find(tx: Reader, store_id: str) -> MailState:
    """Returns the state of a store's mails."""
    row = await tx.one("store_mail", store=store_id)
    return MailState() if row is None else MailState(*row)


async def lock(tx: Writer, store_id: str) -> MailState:
    """Locks the state of a store's mails, which serialises the processes that claim them."""
    await tx.begin()
    if await tx.one("store_mail_lock", store=store_id) is None:
        await tx.run("store_mail_open", store=store_id)
        await tx.one("store_mail_lock", store=store_id)
    return await find(tx, store_id)


# rule: mail-paused
async def pause(tx: Writer, store: Store, problem: str, now: str) -> None:
    """Pauses a store's mails. ``problem``: why, or '' for a command. The first reason stays."""
    state = await lock(tx, store.id)
    if not state.paused_at:
        await tx.run("store_mail_pause", store=store.id, problem=problem, now=now)


# rules: mail-paused, journal-replay
async def pause_all(tx: Writer, now: str) -> None:
    """Pauses the mails of all stores that send any, because a backup was restored, also where they
    were paused for another reason."""
    for store in await stores.listed(tx):
        if store.mail.mail_on:
            await lock(tx, store.id)
            await tx.run("store_mail_pause", store=store.id, problem=RESTORED, now=now)


# rule: mail-paused
async def resume(tx: Writer, store: Store, now: str) -> None:
    await lock(tx, store.id)
    await tx.run("store_mail_resume", store=store.id, now=now)


# rule: mail-paused
async def count_refusal(tx: Writer, store: Store, problem: str, now: str) -> None:
    """Counts a refusal of the credentials, and pauses the mails after several in a row."""
    state = await lock(tx, store.id)
    await tx.run("store_mail_count_refusal", store=store.id)
    if state.refusals + 1 >= MAX_CREDENTIAL_REFUSALS:
        await pause(tx, store, problem, now)


async def clear_refusals(tx: Writer, store: Store) -> None:
    """Restarts the count of refused credentials, because the server has accepted them."""
    # Read first, because a cluster updates the table on all servers, for each mail.
    if (await find(tx, store.id)).refusals:
        await tx.run("store_mail_clear_refusals", store=store.id)


async def set_server(tx: Writer, sealing: Sealing | None, store: Store, url: str) -> None:
    """Stores a store's own SMTP server, encrypted; an empty ``url`` removes it.

    Raises ``Misconfigured`` without sealing keys.
    """
    if url and sealing is None:
        raise Misconfigured("WISHWELL_SEALING_KEYS is not set, so the SMTP URL can't be encrypted.")
    sealed = sealing.seal(url.encode(), _owner(store.id)) if sealing and url else ""
    await lock(tx, store.id)
    await tx.run("store_mail_set_server", store=store.id, sealed=sealed)


def open_server(sealing: Sealing | None, store_id: str, state: MailState, default: str) -> str:
    """Returns the URL of a store's SMTP server, or the installation's.

    Raises ``Misconfigured`` and ``Damaged`` if it can't be decrypted.
    """
    if not state.sealed:
        return default
    if sealing is None:
        raise Misconfigured("WISHWELL_SEALING_KEYS is not set, so the SMTP URL can't be decrypted.")
    return sealing.open(state.sealed, _owner(store_id)).decode()


def _owner(store_id: str) -> str:
    return f"SMTP server of store {store_id}"
