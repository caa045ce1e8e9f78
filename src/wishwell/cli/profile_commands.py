"""`wishwell profile`: erases shoppers' data, shows its history, and lists privacy requests."""

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence

import click

from wishwell import ids, profiles
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    JSON,
    REQUIRED_STORE,
    Progress,
    clock,
    in_store,
    journal_paths,
    now,
    pause_between,
    read_file,
)
from wishwell.config import Settings
from wishwell.contacts import addresses
from wishwell.db import Database
from wishwell.errors import Invalid, NotFound, Unavailable
from wishwell.privacy import erasure, history, journal_replay, platform_requests
from wishwell.profiles import Profile
from wishwell.stores import Store

_BATCH_SIZE = 100
_MAX_ADDRESSES = 250
"""Addresses that are stored in one transaction."""


@click.group()
def profile() -> None:
    """Erase shoppers, show their history, store their addresses."""


# rule: erase-completes
@profile.command("erase")
@click.argument("gid", required=False, metavar="[GID|ID]")
@click.option("--from", "path", metavar="FILE", help="A file with a GID or customer id a line.")
@REQUIRED_STORE
@in_store
async def profile_erase(
    db: Database, settings: Settings, store: Store, /, gid: str | None, path: str | None
) -> None:
    """Erase a customer or visitor with all their data.

    ID is the id of a customer; a visitor has a GID.

    Waits until the data is removed. If interrupted, a running service finishes the erasure, or
    this command when run again.
    """
    targets = _parse_profiles(settings, store, _read_gids(gid, path))
    progress = Progress()
    pending_keys: list[str] = []
    erased = 0
    for start in range(0, len(targets), _BATCH_SIZE):
        for target in targets[start : start + _BATCH_SIZE]:
            with contextlib.suppress(NotFound):  # a session that is closed or never existed
                erased_keys = await db.long_write(erasure.erase, target, clock())
                erased += bool(erased_keys)
                pending_keys += erased_keys
        if pending_keys and not start:
            terminal.say("no longer visible; waiting for the data to be removed", err=True)
        async for _ in pause_between(erasure.remove_erased(db, clock)):
            progress.report(f"{erased:,} of {len(targets):,} erased; the rest is being removed")
    unfinished = [key for key in pending_keys if await db.read(erasure.is_under_way, key)]
    if unfinished:
        raise Unavailable(
            f"{len(unfinished):,} can't be removed yet; they stay hidden, and it is tried again."
        )
    terminal.say(
        f"{erased:,} profile{'s' * (erased != 1)} erased; {len(targets) - erased:,} not found"
    )


@profile.command("key")
@click.argument("gid", metavar="GID|ID")
@REQUIRED_STORE
@in_store
async def profile_key(db: Database, settings: Settings, store: Store, /, gid: str) -> None:
    """Print the key that the journal has in place of a GID.

    ID is the id of a customer. The key is derived from store and GID; the profile doesn't have to
    exist.
    """
    [target] = _parse_profiles(settings, store, [("GID", gid)])
    terminal.say(target.id)


@profile.command("requests")
@REQUIRED_STORE
@JSON
@in_store
async def profile_requests(db: Database, _: Settings, store: Store, /, as_json: bool) -> None:
    """List the platform's privacy requests to a store, newest first."""
    terminal.show(await db.read(platform_requests.find_all, store), as_json)


# rule: profile-history
@profile.command("history")
@click.argument("gid", metavar="GID|ID")
@click.option(
    "--journal",
    "journals",
    multiple=True,
    metavar="FILE",
    help="A journal to search, besides the one here. Repeat the option for several.",
)
@REQUIRED_STORE
@JSON
@in_store
async def profile_history(
    db: Database,
    settings: Settings,
    store: Store,
    /,
    gid: str,
    journals: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show what is recorded about a shopper.

    ID is the id of a customer; a visitor has a GID. For "my wishlist is gone": the profile, merged
    sessions, erasures, the journal and events, and what to ask the shopper. Changes nothing.
    """
    [target] = _parse_profiles(settings, store, [("GID", gid)])
    acts, errors, warnings = journal_replay.read_journals(journal_paths(settings, journals))
    for line in (*warnings, *errors):
        terminal.say(line, err=True)
    record = await history.read(db, settings, target, acts)
    if as_json:
        terminal.show([record], as_json)
        return
    terminal.say(f"{record.profile}\nkey in the journal: {record.key}\n{record.state}")
    terminal.say("\nRecorded:" if record.entries else "\nRecorded: nothing")
    for entry in record.entries:
        terminal.say(f"{entry.time}  {entry.source:10}  {entry.says}")
    for title, lines in (
        ("Not recorded", record.unrecorded),
        ("Ask the shopper", record.questions),
    ):
        terminal.say(f"\n{title}:")
        for line in lines:
            terminal.say(f"- {line}")


def _read_gids(gid: str | None, path: str | None) -> list[tuple[str, str]]:
    """Returns the GIDs and ids to erase, each after its label in error messages."""
    if gid is not None and path is None:
        return [("GID", gid)]
    if path is not None and gid is None:
        lines = read_file("--from", path).split("\n")
        return [(f"line {n}", line.strip()) for n, line in enumerate(lines, 1) if line.strip()]
    raise click.UsageError("Name a GID or a customer's id, or a file with --from.")


def _parse_profiles(
    settings: Settings, store: Store, labelled_gids: Sequence[tuple[str, str]]
) -> list[Profile]:
    """Returns the profiles without duplicates. Raises ``Invalid``, before anything is erased."""
    if not labelled_gids:
        raise Invalid("--from: the file names nobody.")
    namespace = settings.session_namespace
    parsed_profiles = [
        profiles.parse(
            store, namespace, _complete(settings, store, text.strip(), label), label, is_stored=True
        )
        for label, text in labelled_gids
    ]
    return list({parsed.id: parsed for parsed in parsed_profiles}.values())


def _complete(settings: Settings, store: Store, text: str, label: str) -> str:
    """Returns a GID as it is, and that of a customer whose id it is. Raises ``Invalid`` for an id
    that may be something else, because an erasure of a wrong profile isn't undone."""
    gid = _customer_gid(store, text)
    if gid != text and ids.is_uuid(text.lower()):
        session = f"gid://{settings.session_namespace}/Session/{text.lower()}"
        raise Invalid(
            f"{label}: a visitor or a customer may have this id. Name {session} or {gid}."
        )
    if gid != text and "@" in text:
        raise Invalid(
            f"{label}: is an e-mail address. Name the customer's id, or "
            f"gid://{store.platform}/Customer/<address> if customers' ids are their addresses."
        )
    return gid


def _customer_gid(store: Store, customer: str) -> str:
    """Returns the GID of a customer given by GID or id."""
    return customer if customer.startswith("gid://") else ids.customer_gid(store.platform, customer)


@profile.command("emails")
@click.argument("path", metavar="FILE")
@REQUIRED_STORE
@in_store
async def profile_emails(db: Database, settings: Settings, store: Store, /, path: str) -> None:
    """Store customers' addresses that the shop has confirmed.

    FILE is CSV with the columns customer, email and, if known, language.
    """
    stored, unknown = await _store_addresses(db, settings, store, path)
    terminal.say(f"{stored:,} stored; {unknown:,} of customers without a wishlist")


def _read_addresses(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields the rows of a CSV file with their line numbers. Raises ``Invalid`` without the columns
    ``customer`` and ``email``."""
    reader = csv.DictReader(io.StringIO(text))
    if missing := {"customer", "email"} - {*(reader.fieldnames or ())}:
        raise Invalid(
            f"FILE: has no column {min(missing)}; its columns are customer, email and, if known, "
            "language."
        )
    for row in reader:
        yield reader.line_num, {name: (text or "").strip() for name, text in row.items() if name}


# rule: mail-addresses
async def _store_addresses(
    db: Database, settings: Settings, target: Store, path: str
) -> tuple[int, int]:
    """Stores the addresses in a file. Returns how many, and how many customers are unknown."""
    rows = []
    for line, row in _read_addresses(read_file("FILE", path)):
        try:
            rows.append(_parse_address(settings, target, row))
        except Invalid as error:
            raise Invalid(f"line {line}: {error.message}") from error
    stored = unknown = 0
    for start in range(0, len(rows), _MAX_ADDRESSES):
        batch = rows[start : start + _MAX_ADDRESSES]
        counts = await db.long_write(addresses.set_by_shop, target, batch, now())
        stored, unknown = stored + counts[0], unknown + counts[1]
    return stored, unknown


def _parse_address(settings: Settings, target: Store, row: dict[str, str]) -> addresses.ShopAddress:
    gid = _customer_gid(target, row["customer"])
    profile: Profile = profiles.parse(target, settings.session_namespace, gid, "customer")
    language = row.get("language", "")
    if language and not addresses.read_language(language):
        raise Invalid(f"language: {language[:30]!r} isn't a language such as de or pt-BR.")
    return addresses.ShopAddress(
        profile, profiles.check_email(row["email"]), addresses.read_language(language)
    )
