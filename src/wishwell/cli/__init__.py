"""The command line, ``wishwell``.

`serve`, `migrate` and `purge` are in this file, other commands in ``*_commands.py``, options and
set-up that they share in ``common_options.py``, output in ``terminal.py``.
"""

import asyncio
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import click
import structlog

from wishwell import __version__, config, stores, version
from wishwell.access import auth
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    Progress,
    clock,
    command_journal,
    command_limit,
    in_database,
    new_id,
    now,
    pause_between,
    run,
    timestamp_in_days,
)
from wishwell.cli.data_commands import export_command, import_command
from wishwell.cli.mail_commands import mail
from wishwell.cli.maintenance_commands import backup_command, clock_command, doctor_command
from wishwell.cli.openapi_command import openapi_command
from wishwell.cli.product_commands import products_command
from wishwell.cli.profile_commands import profile
from wishwell.cli.report_commands import report
from wishwell.cli.restore_commands import restore
from wishwell.cli.settings_commands import deploy_files_command, settings_command
from wishwell.cli.store_apply import store_apply
from wishwell.cli.store_commands import store
from wishwell.cli.terminal import format_count
from wishwell.cli.token_commands import token
from wishwell.cli.webhook_commands import webhook
from wishwell.config import Settings
from wishwell.db import Database, future_times, migrate
from wishwell.errors import DOCS, Invalid, Misconfigured, ServiceError
from wishwell.events import webhooks
from wishwell.privacy import erasure
from wishwell.server import keys, opening
from wishwell.stores import store_secrets as secrets
from wishwell.telemetry import log
from wishwell.wishlists import purge

logger = structlog.get_logger("wishwell")


def _show_version(ctx: click.Context, _: click.Parameter, is_requested: bool) -> None:
    if is_requested:
        terminal.say(f"wishwell {version.full()}")
        ctx.exit()


@click.group(
    cls=terminal.Command,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Documentation: {DOCS}operations.md",
)
@click.option(
    *("-V", "--version"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show version and commit, and exit.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Run and manage Wishwell, the self-hosted wishlist service for online stores.

    Settings come from the environment (WISHWELL_*).
    """
    if sys.stdout is None:
        raise Misconfigured("Standard output is closed. To discard the output, use >/dev/null.")
    log.configure_for_commands()
    if ctx.invoked_subcommand != "version":
        ctx.obj = config.load(os.environ)


store.add_command(store_apply)
store.add_command(mail)
for command in (
    *(store, token, profile, report, webhook, restore),
    *(export_command, import_command, products_command, doctor_command, backup_command),
    *(clock_command, settings_command, deploy_files_command, openapi_command),
):
    main.add_command(command)


@main.command("version")
def version_command() -> None:
    """Show version and commit, like `wishwell --version`."""
    terminal.say(f"wishwell {version.full()}")


# ------------------------------------------------------------------------------ serve, migrate


@main.command()
@click.option("--welcome", is_flag=True, help="Create an admin token and show the first steps.")
@click.pass_obj
def serve(settings: Settings, welcome: bool) -> None:
    """Serve the API and the storefront. An embedded database is migrated first.

    `wishwell init` creates the database; with --welcome, `serve` creates an embedded one.
    """
    # Imported here, because no other command needs the HTTP server and the metrics.
    from wishwell.server.serve import serve_until_stopped

    log.configure(settings.log_level)
    logger.info("starting", version=__version__, commit=version.commit())
    try:
        _prepare_database(settings, create=welcome)
    except ServiceError as error:
        logger.error("not_started", reason=error.message)
        raise
    welcome_text = run(settings, _create_welcome) if welcome else ""
    serve_until_stopped(
        settings, welcome_text.replace("{base}", settings.storefront_base), _ensure_keys
    )


# rules: migrate-once, init-explicit
def _prepare_database(settings: Settings, *, create: bool) -> None:
    if settings.engine == "sqlite":
        if not create:
            opening.require_database(settings)
        migrate.migrate_sqlite(config.sqlite_path(settings.database_url))
    else:
        opening.signing_keys(settings)
        pending_names = asyncio.run(migrate.pending_postgres(settings.database_url))
        if len(pending_names) == len(migrate.available("postgresql")):
            raise Misconfigured(
                f"The database {settings.database_name} is empty. Check WISHWELL_DATABASE_URL. To "
                "use this database, run `wishwell init` first."
            )
        if pending_names:
            raise Misconfigured(
                f"The database's schema is not up to date ({', '.join(pending_names)}): "
                "run `wishwell migrate` first."
            )
        asyncio.run(migrate.check_rights(settings.database_url))
    _ensure_keys(settings)


def _ensure_keys(settings: Settings) -> None:
    """Makes missing keys, the default store and store secrets.

    Raises ``Misconfigured`` if a required key is missing or can't decrypt the stored secrets.
    """

    async def write_keys(db: Database) -> None:
        await _ensure_keys_and_stores(db, settings)
        if reason := await db.write(keys.record_signing_key, settings, now()):
            logger.warning("signing_key_replaced", reason=reason)

    run(settings, write_keys, in_journal=False)


async def _ensure_keys_and_stores(db: Database, settings: Settings) -> None:
    """Makes missing keys, the default store of an empty database, and each store's secrets."""
    await keys.make(db, settings)
    with contextlib.suppress(Invalid):
        await db.write(stores.ensure_default, new_id(), now())
    if (sealing := opening.sealing(settings)) is not None:
        await db.write(secrets.prepare, sealing, clock)
        await webhooks.reencrypt(db, sealing)


# rule: init-explicit
async def _create_welcome(db: Database) -> str:
    """Returns the welcome text with a new admin token. ``{url}`` and ``{base}`` stay in it."""
    stores_by_handle = {store.handle: store for store in await db.read(stores.listed)}
    store = stores_by_handle.get(stores.DEFAULT_HANDLE) or next(iter(stores_by_handle.values()))
    admin_token = auth.new_admin_token()
    expires_at = timestamp_in_days(clock(), 30)
    await db.write(
        auth.create_admin_token, store, admin_token, "welcome", new_id(), now(), expires_at
    )
    # Each shell command must be one line to paste, so "@" marks lines that are joined.
    return _WELCOME.replace(" @\n   ", "").replace("{token}", admin_token)


_WELCOME = r"""
A new admin token, valid for 30 days (keep it on the server, never in a page):

  {token}

Wishwell listens on {url}. The API is at {url}/api/2025-04, its documentation at {url}/docs
The merchant's page, which asks for the token, is at {url}/admin
A shop forwards its path {base}/ to {url}{base}/ and has hearts; the README shows how.

Get a visitor's session token, save an item with it, and read the item back:

  TOKEN=$(curl -s -X POST {url}/api/2025-04/profiles/token -H "Authorization: Bearer {token}" @
    | sed 's/.*"token":"\([^"]*\)".*/\1/')
  curl -s -X POST {url}/api/2025-04/items -H "Authorization: Bearer $TOKEN" @
    -H "Content-Type: application/json" -d '{"productId": 632910392, "variantId": 808950810}'
  curl -s {url}/api/2025-04/items -H "Authorization: Bearer $TOKEN"
"""


# rule: init-explicit
@main.command("init")
@click.pass_obj
def init_command(settings: Settings) -> None:
    """Create the database.

    Makes its schema, the store "default" and, for an embedded database, its keys. An existing
    database is only migrated.
    """
    _migrate(settings)


@main.command("migrate")
@click.option("--plan", is_flag=True, help="Show what would be done and change nothing.")
@click.option("--cluster", is_flag=True, help="Spread the tables over the servers of a cluster.")
@click.pass_obj
def migrate_command(settings: Settings, plan: bool, cluster: bool) -> None:
    """Migrate the database to the current schema."""
    opening.require_database(settings)
    is_embedded = settings.engine == "sqlite"
    if is_embedded and cluster:
        raise Misconfigured(
            "An embedded database can't be spread: WISHWELL_DATABASE_URL must name the "
            "coordinator of a PostgreSQL cluster with Citus."
        )
    if plan:
        names = (
            migrate.pending_sqlite(config.sqlite_path(settings.database_url))
            if is_embedded
            else _run_migration(settings, migrate.pending_postgres, distribute=cluster)
        )
        for name in names:
            terminal.say(name)
        return
    _migrate(settings, cluster=cluster)


def _run_migration(
    settings: Settings,
    migration: Callable[..., Coroutine[Any, Any, list[str]]],
    *arguments: Any,
    **options: Any,
) -> list[str]:
    with command_limit(settings):
        seconds = settings.command_timeout
        return asyncio.run(migration(settings.database_url, *arguments, seconds=seconds, **options))


def _migrate(settings: Settings, *, cluster: bool = False) -> None:
    command_journal(settings).record_command()
    if settings.engine == "sqlite":
        applied = migrate.migrate_sqlite(config.sqlite_path(settings.database_url), terminal.say)
    else:
        applied = _run_migration(
            settings, migrate.migrate_postgres, terminal.say, distribute=cluster
        )
    run(settings, lambda db: _ensure_keys_and_stores(db, settings), in_journal=False)
    terminal.say(
        f"{len(applied)} applied; the schema is up to date" if applied else "nothing to do"
    )


# --------------------------------------------------------------------------------------- purge


# rule: session-purged
@main.command("purge")
@click.option(
    "--dry-run", "dry", is_flag=True, help="Print how many would be removed; change nothing."
)
@in_database
async def purge_command(db: Database, settings: Settings, /, dry: bool) -> None:
    """Remove expired sessions, and erase long inactive customers.

    A store's option forget-customers says after how many months. `serve` also does both in the
    background.
    """
    sessions = customers = 0
    progress, failed_profiles = Progress(), set[str]()
    await clock.observe(db)
    if not dry:
        async for _ in pause_between(clock.guarded(db, functools.partial(future_times.repair, db))):
            pass
    expired = functools.partial(purge.sessions, db, settings, dry=dry, failed=failed_profiles)
    async for sessions in pause_between(clock.guarded(db, expired)):
        progress.report(format_count(sessions, "session"))
    async for _ in clock.guarded(db, functools.partial(erasure.erase_idle, db, dry=dry)):
        customers += 1
    if customers and not dry:
        async for _ in pause_between(erasure.remove_erased(db, clock, failed_profiles)):
            pass
    outcome = "would be removed" if dry else "removed"
    terminal.say(
        f"{format_count(sessions, 'session')}, {format_count(customers, 'customer')} {outcome}"
    )
    purge.check_removed(failed_profiles)
