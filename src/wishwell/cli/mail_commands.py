"""`wishwell store mail`: a store's mails to shoppers."""

import asyncio
from email.message import EmailMessage

import click
import msgspec

from wishwell import config, profiles
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, clock, in_database, now, read_file
from wishwell.cli.terminal import format_count
from wishwell.config import Settings
from wishwell.contacts import (
    addresses,
    confirmations,
    mail_reports,
    queue,
    store_mails,
    suppressions,
)
from wishwell.db import Database, Reader, Writer
from wishwell.errors import Invalid
from wishwell.mailer import sample, smtp
from wishwell.outbound import Outbound
from wishwell.server import opening
from wishwell.stores import Store, by_handle

_BATCH_SIZE = 250
_LANGUAGE = click.option(
    "--language", default="", metavar="LANGUAGE", help="Such as de (default: the store's)."
)


@click.group()
def mail() -> None:
    """Manage a store's mails to shoppers."""


class MailStatus(msgspec.Struct, rename="camel"):
    """What ``wishwell store mail show`` prints."""

    store: str
    on: bool
    paused_at: str
    problem: str
    own_server: bool
    mails: dict[str, int]
    """The number of mails of the last 30 days by state."""
    shoppers: int
    """The number of shoppers who may be written to, suppressed ones included."""


@mail.command("show")
@click.argument("handle")
@JSON
@in_database
async def mail_show(db: Database, _: Settings, /, handle: str, as_json: bool) -> None:
    """Show whether mails are sent, and why not.

    Also counts the mails of the last 30 days by state.
    """

    async def find(tx: Reader) -> MailStatus:
        target = await by_handle(tx, handle)
        state = await store_mails.find(tx, target.id)
        counts = await mail_reports.count_states(tx, target)
        is_on, has_own = target.mail.mail_on, bool(state.sealed)
        shoppers = await addresses.count_reachable(tx, target)
        return MailStatus(handle, is_on, state.paused_at, state.problem, has_own, counts, shoppers)

    terminal.show([await db.read(find)], as_json)


# rule: mail-server
@mail.command("set")
@click.argument("handle")
@click.option(
    "--smtp-file",
    required=True,
    metavar="FILE",
    help="A file with the URL of the store's own SMTP server, such as "
    "smtps://user:password@host; an empty file removes it; - reads standard input.",
)
@in_database
async def mail_set(db: Database, settings: Settings, /, handle: str, smtp_file: str) -> None:
    """Set the SMTP server of a store.

    The store then doesn't use the installation's.
    """
    url = terminal.first_line() if smtp_file == "-" else read_file("smtp-file", smtp_file).strip()
    if url:
        try:
            config.check_smtp_url(url)
        except ValueError as error:
            raise Invalid(f"smtp-file: {error}.") from error

    async def change(tx: Writer) -> None:
        target = await by_handle(tx, handle)
        await store_mails.set_server(tx, opening.sealing(settings), target, url)

    await db.write(change)
    terminal.say("the store's own server is used" if url else "the installation's server is used")


# rule: mail-paused
@mail.command("pause")
@click.argument("handle")
@click.option("--cancel", is_flag=True, help="Cancel the mails that wait, too.")
@in_database
async def mail_pause(db: Database, _: Settings, /, handle: str, cancel: bool) -> None:
    """Stop sending a store's mails, within a few seconds. They wait until `resume`."""
    target = await db.read(by_handle, handle)
    await db.write(store_mails.pause, target, "", now())
    cancelled = await _cancel_all(db, target) if cancel else 0
    terminal.say(f"paused; {format_count(cancelled, 'mail')} cancelled" if cancel else "paused")


# rule: mail-paused
@mail.command("resume")
@click.argument("handle")
@in_database
async def mail_resume(db: Database, _: Settings, /, handle: str) -> None:
    """Send a store's mails again. After a restore, cancels those that waited in the backup."""
    target = await db.read(by_handle, handle)
    state = await db.read(store_mails.find, target.id)
    is_restored = state.problem == store_mails.RESTORED
    cancelled = await _cancel_all(db, target) if is_restored else 0
    await db.write(store_mails.resume, target, now())
    terminal.say(f"resumed; {format_count(cancelled, 'mail')} of the backup cancelled"
                 if is_restored else "resumed")  # fmt: skip


async def _cancel_all(db: Database, target: Store) -> int:
    cancelled = 0
    while count := await db.write(queue.cancel_batch, target, now()):
        cancelled += count
        await asyncio.sleep(0.02)
    return cancelled


# rule: mail-suppressed
@mail.command("suppress")
@click.argument("handle")
@click.argument("path", metavar="FILE")
@click.option("--reason", type=click.Choice(["bounced", "complained", "shop"]), default="shop",
              show_default=True, help="Why they get no mails.")  # fmt: skip
@in_database
async def mail_suppress(
    db: Database, _: Settings, /, handle: str, path: str, reason: suppressions.Reason
) -> None:
    """Send no mails to the addresses in a file, one a line."""
    target = await db.read(by_handle, handle)
    emails = [line.strip() for line in read_file("FILE", path).split("\n") if line.strip()]
    for number, email in enumerate(emails, 1):
        try:
            profiles.check_email(email)
        except Invalid as error:
            raise Invalid(f"line {number}: {error.message}") from error
    for start in range(0, len(emails), _BATCH_SIZE):
        batch = [(email, reason) for email in emails[start : start + _BATCH_SIZE]]
        await db.long_write(confirmations.suppress, target, batch, now())
    terminal.say(f"addresses suppressed: {len(emails):,}")


# rule: mail-suppressed
@mail.command("unsuppress")
@click.argument("handle")
@click.argument("address")
@in_database
async def mail_unsuppress(db: Database, _: Settings, /, handle: str, address: str) -> None:
    """Allow mails to an address again, if its owner wants that."""
    target = await db.read(by_handle, handle)
    hash = suppressions.address_hash(target.id, profiles.check_email(address))
    if not await db.write(suppressions.remove, target, hash, now()):
        raise Invalid("ADDRESS: isn't suppressed.")
    terminal.say("mails are allowed again")


# ------------------------------------------------------------------------------ trying it out


@mail.command("preview")
@click.argument("handle")
@click.option("--kind", type=click.Choice(["confirmation", "notices"]), default="notices",
              show_default=True, help="The kind of mail.")  # fmt: skip
@click.option(
    "--language", default="", metavar="LANGUAGE", help="Such as de (default: the store's)."
)
@in_database
async def mail_preview(
    db: Database, settings: Settings, /, handle: str, kind: queue.Kind, language: str
) -> None:
    """Print a mail with sample products, as HTML."""
    target = await db.read(by_handle, handle)
    message = sample.compose_sample(target, kind, language, settings.storefront_base, clock())
    terminal.say(sample.read_part(message, "html"))


@mail.command("test")
@click.argument("handle")
@click.argument("address")
@click.option(
    "--language", default="", metavar="LANGUAGE", help="Such as de (default: the store's)."
)
@in_database
async def mail_test(
    db: Database, settings: Settings, /, handle: str, address: str, language: str
) -> None:
    """Send a mail with sample products to an address.

    Prints the server's answer.
    """
    target = await db.read(by_handle, handle)
    email = profiles.check_email(address)
    if not target.mail.mail_from:
        raise Invalid("mail: needs a sender's address; set it with `store update --mail-from`.")
    state = await db.read(store_mails.find, target.id)
    url = store_mails.open_server(
        opening.sealing(settings), target.id, state, settings.smtp_url or ""
    )
    if not url:
        raise Invalid("WISHWELL_SMTP_URL isn't set, and the store has no server of its own.")
    outbound = Outbound(http=settings.webhook_http, private=settings.webhook_private)
    connections = smtp.Connections(outbound.find_addresses)
    server = smtp.parse(url, target.id if state.sealed else "")

    async def compose_sample() -> EmailMessage:
        return sample.compose_sample(
            target, "notices", language, settings.storefront_base, clock(), email
        )

    delivery = await connections.send(server, target.mail.mail_from, email, compose_sample)
    await connections.close()
    await outbound.close()
    if delivery.outcome != "sent":
        raise Invalid(f"The mail wasn't sent ({delivery.outcome}): {delivery.problem}")
    terminal.say("sent")
