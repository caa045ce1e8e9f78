"""The command ``wishwell``."""

import asyncio
import os
import re
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
import click
import msgspec
import structlog

from wishwell import __version__, app, auth, config, ids, log, profiles, purge, stores, terminal
from wishwell.access_cache import AccessCache
from wishwell.config import Settings
from wishwell.db import Database, migrate
from wishwell.errors import (
    Invalid,
    Misconfigured,
    NotFound,
    ServiceError,
    Undecided,
)
from wishwell.proxy.command import proxy
from wishwell.serve import serve_until_stopped
from wishwell.stores import StorePatch

T = TypeVar("T")
new_id = ids.UUID7()
logger = structlog.get_logger("wishwell")


@click.group(cls=terminal.Command)
@click.version_option(__version__, prog_name="wishwell")
@click.pass_context
def main(ctx: click.Context) -> None:
    """The wishlist service that an online store runs itself.

    Settings come from the environment (WISHWELL_*); docs/configuration.md lists them.
    """
    if sys.stdout is None:
        raise Misconfigured("Standard output is closed. To discard the output, use >/dev/null.")
    ctx.obj = config.load(os.environ)


main.add_command(proxy)

# ------------------------------------------------------------------------------ serve, migrate


@main.command()
@click.option("--welcome", is_flag=True, help="Create an admin token and show the first steps.")
@click.pass_obj
def serve(settings: Settings, welcome: bool) -> None:
    """Serve the API. An embedded database is migrated first."""
    log.configure(settings.log_level)
    _prepare(settings)
    serve_until_stopped(settings, _welcome(settings) if welcome else "")


# contract: serve-start
def _welcome(settings: Settings) -> str:
    """The text of ``--welcome``; empty if the token can't be printed. The service starts anyway."""
    try:
        return _run(settings, _first_steps)
    except terminal.NotShown as error:
        logger.warning("welcome_not_shown", reason=error.message)
        return ""


# contract: serve-schema
def _prepare(settings: Settings) -> None:
    if settings.engine == "sqlite":
        migrate.migrate_sqlite(config.sqlite_path(settings.database_url))
    # After the migration, so that no key file is made beside a file that is not a database.
    app.signing_keys(settings)
    if settings.engine == "postgresql" and (
        waiting := asyncio.run(migrate.pending_postgres(settings.database_url))
    ):
        raise Misconfigured(
            f"The database's schema is not up to date ({', '.join(waiting)}): "
            "run `wishwell migrate` first."
        )
    _run(settings, _ensure_default)


async def _first_steps(db: Database) -> str:
    """Prints a new admin token. Returns the rest of the welcome, with ``{url}`` not filled in."""
    known = {store.handle: store for store in await db.read(stores.listed)}
    store = known.get(stores.DEFAULT_HANDLE) or next(iter(known.values()))
    now = ids.wall_clock()
    fresh = auth.new_admin_token()
    # Printed before it is stored: no token is valid that nobody has seen.
    terminal.show_token(_FRESH.replace("{token}", fresh), err=True)
    in_a_month = _in_days(now, 30)
    await db.write(
        auth.create_admin_token, store, fresh, "welcome", new_id(), ids.timestamp(now), in_a_month
    )
    # Each command is one line to paste; "@" marks where two lines here are joined.
    return _WELCOME.replace(" @\n   ", "").replace("{token}", fresh)


_FRESH = """
A new admin token, valid for 30 days (keep it on the server, never in a page):

  {token}
"""
_WELCOME = r"""
Wishwell listens on {url}. The API is at {url}/api/2025-04, its documentation at {url}/docs

Get a visitor's session token, save an item with it, and read the item back:

  TOKEN=$(curl -s -X POST {url}/api/2025-04/profiles/token -H "Authorization: Bearer {token}" @
    | sed 's/.*"token":"\([^"]*\)".*/\1/')
  curl -s -X POST {url}/api/2025-04/items -H "Authorization: Bearer $TOKEN" @
    -H "Content-Type: application/json" -d '{"productId": 632910392, "variantId": 808950810}'
  curl -s {url}/api/2025-04/items -H "Authorization: Bearer $TOKEN"
"""


@main.command("migrate")
@click.option("--plan", is_flag=True, help="Show the pending migrations and change nothing.")
@click.pass_obj
def migrate_command(settings: Settings, plan: bool) -> None:
    """Migrate the database to the current schema."""
    path = config.sqlite_path(settings.database_url)
    embedded = settings.engine == "sqlite"
    if plan:
        names = (
            migrate.pending_sqlite(path)
            if embedded
            else asyncio.run(migrate.pending_postgres(settings.database_url))
        )
        for name in names:
            terminal.say(name)
        return
    if embedded:
        done = migrate.migrate_sqlite(path, terminal.say)
    else:
        done = asyncio.run(migrate.migrate_postgres(settings.database_url, terminal.say))
    _run(settings, _ensure_default)
    terminal.say(f"{len(done)} applied; the schema is up to date" if done else "nothing to do")


# -------------------------------------------------------------------------------------- stores


# contract: command-store
@main.group()
def store() -> None:
    """The stores that this deployment serves."""


def _store_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print a JSON array."),
        click.option("--limit", "limits", multiple=True, metavar="NAME=N",
                     help=f"Override a limit ({', '.join(stores.LIMITS)}); NAME= resets it."),
        click.option("--origin", "origins", multiple=True, metavar="URL",
                     help="A browser origin that may call the API. Repeat it for several."),
        click.option("--auth-flow", metavar="PATH", help="The path of the sign-in page."),
        click.option("--product-ids", metavar="integer|text",
                     help="The JSON type of product and variant ids (default: integer)."),
        click.option("--platform", metavar="NAME", help="The <platform> of customer GIDs."),
    ):  # fmt: skip
        command = option(command)
    return command


@store.command("create")
@click.argument("handle")
@_store_options
@click.pass_obj
def store_create(settings: Settings, /, handle: str, as_json: bool, **given: Any) -> None:
    """Create a store."""
    patch = _store_patch(given)
    made = _run(settings, lambda db: db.write(stores.create, new_id(), handle, patch, _now()))
    terminal.show([made], as_json)


@store.command("update")
@click.argument("handle")
@click.option("--handle", "new_handle", metavar="HANDLE", help="Rename the store.")
@click.option("--no-origins", is_flag=True, help="Remove all browser origins.")
@_store_options
@click.pass_obj
def store_update(
    settings: Settings,
    /,
    handle: str,
    new_handle: str | None,
    no_origins: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Change a store. What no option names stays as it is."""
    patch = _store_patch(given, handle=new_handle)
    if no_origins:
        patch = msgspec.structs.replace(patch, origins=())
    changed = _run(settings, lambda db: db.write(stores.update, handle, patch, _now()))
    terminal.show([changed], as_json)


@store.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def store_list(settings: Settings, as_json: bool) -> None:
    """List the stores."""
    terminal.show(_run(settings, lambda db: db.read(stores.listed)), as_json)


def _store_patch(given: dict[str, Any], handle: str | None = None) -> StorePatch:
    limits: dict[str, int | None] = {}
    for text in given["limits"]:
        name, equals, number = text.partition("=")
        if not equals or not re.fullmatch("[0-9]{0,20}", number):
            raise Invalid(f"limit: {text[:80]!r} must be NAME=N, or NAME= to reset it.")
        limits[name] = int(number) if number else None
    return StorePatch(
        handle,
        given["platform"],
        given["product_ids"],
        given["auth_flow"],
        given["origins"] or None,
        limits or None,
    )


# -------------------------------------------------------------------------------------- tokens


@main.group()
def token() -> None:
    """Admin tokens, and the revocation of profile tokens."""


# contract: command-token-create
@token.command("create")
@click.option("--store", "handle", required=True, metavar="HANDLE", help="The token's store.")
@click.option("--label", required=True, help="What it is for; shown by `token list`.")
@click.option(
    "--expires-days", type=click.IntRange(1, 3650), help="Days until it expires (default: never)."
)
@click.pass_obj
def token_create(settings: Settings, handle: str, label: str, expires_days: int | None) -> None:
    """Create an admin token and print it. It is never shown again.

    A token that can't be printed is not created.
    """
    now = ids.wall_clock()
    expires = None if expires_days is None else _in_days(now, expires_days)
    label = auth.check_label(label)
    printed = False

    async def make(db: Database) -> None:
        nonlocal printed
        shop = await db.read(stores.by_handle, handle)
        token = auth.new_admin_token()
        terminal.show_token(token)
        printed = True
        await db.write(
            auth.create_admin_token, shop, token, label, new_id(), ids.timestamp(now), expires
        )

    try:
        _run(settings, make)
    except (ServiceError, asyncpg.PostgresError, sqlite3.Error) as error:
        if not printed:
            raise
        made = "may not have been" if isinstance(error, Undecided) else "was not"
        raise Misconfigured(f"The token printed above {made} created: {error}") from error


# contract: command-token-list
@token.command("list")
@click.option("--store", "handle", metavar="HANDLE", help="List only this store's tokens.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def token_list(settings: Settings, handle: str | None, as_json: bool) -> None:
    """List the admin tokens: ids and labels, never the tokens themselves."""
    terminal.show(_run(settings, lambda db: db.read(auth.admin_tokens, handle)), as_json)


# contract: command-token-revoke
@token.command("revoke")
@click.argument("what", metavar="ID|GID|TOKEN")
@click.option("--store", "handle", metavar="HANDLE", help="The store that the GID belongs to.")
@click.pass_obj
def token_revoke(settings: Settings, what: str, handle: str | None) -> None:
    """Revoke an admin token or profile tokens.

    ID or TOKEN revokes one token; GID revokes all tokens of a profile. - reads the argument from
    standard input, which keeps a token out of the shell's history. It takes effect in every
    process within 5 seconds.
    """
    what = terminal.first_line() if what == "-" else what.strip()

    async def revoke(db: Database) -> None:
        if what.startswith("gid://"):
            shop = await db.read(stores.by_handle, handle or stores.DEFAULT_HANDLE)
            profile = profiles.parse(shop, settings.session_namespace, what, "GID")
            if not await db.read(profiles.is_known, profile):
                raise NotFound(
                    f"The store {shop.handle!r} has no such session. Name another with --store."
                )
            await db.write(auth.revoke_profile, profile, ids.wall_clock())
        elif what.count(".") == 2:
            profile, jti = await _claims(settings, db, what)
            await db.write(auth.revoke_profile, profile, ids.wall_clock(), jti)
        else:
            await db.write(auth.revoke_admin_token, what, _now())

    _run(settings, revoke)
    terminal.say("revoked", err=True)


async def _claims(settings: Settings, db: Database, text: str) -> tuple[profiles.Profile, str]:
    directory = AccessCache(db, ids.wall_clock)
    await directory.refresh()
    keys = app.signing_keys(settings)
    tokens = auth.Authenticator(keys, directory, settings.session_namespace, ids.wall_clock)
    return await tokens.claims_of(text)


# --------------------------------------------------------------------------------------- purge


# contract: command-purge
@main.command("purge")
@click.pass_obj
def purge_command(settings: Settings) -> None:
    """Remove expired sessions now. `serve` also does it by itself."""

    async def run(db: Database) -> int:
        seen = 0
        async for total in purge.sessions(db, settings, ids.wall_clock()):
            seen = total
            await asyncio.sleep(0.02)  # lets a running service write in between
            if sys.stderr.isatty():
                click.echo(f"\r{seen} sessions", err=True, nl=False)
        return seen

    terminal.say(f"{_run(settings, run)} sessions removed")


# ---------------------------------------------------------------------------------- what they share


async def _ensure_default(db: Database) -> None:
    await db.write(stores.ensure_default, new_id(), _now())


def _run(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    """Opens the database, runs ``work`` on it, and closes it."""
    path = config.sqlite_path(settings.database_url)
    missing = settings.engine == "sqlite" and not os.access(path, os.F_OK)

    async def run() -> T:
        if missing:
            raise Misconfigured(f"There is no database {path} yet: run `wishwell migrate` first.")
        db = app.open_database(settings)
        try:
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())


def _now() -> str:
    return ids.timestamp(ids.wall_clock())


def _in_days(now: int, days: int) -> str:
    return ids.timestamp(now + days * 86_400_000)
