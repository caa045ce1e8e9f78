"""`wishwell webhook`: where the events of a store are sent."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import click

from wishwell import events, ids, stores
from wishwell.cli.opening import new_id, now, run
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid, Misconfigured, NotFound
from wishwell.events import deliveries, webhooks
from wishwell.events.webhooks import WebhookPatch
from wishwell.outbound import Outbound
from wishwell.run import app, terminal
from wishwell.stores.sealing import Sealing

Command = Callable[..., None]


# contract: command-webhook
@click.group()
def webhook() -> None:
    """Where the events of a store are sent."""


def _of_store(command: Command) -> Command:
    """The options that all of them have, behind their own; the settings come first."""
    json = click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
    store = click.option(
        "--store",
        "handle",
        metavar="HANDLE",
        default=stores.DEFAULT_HANDLE,
        show_default=True,
        help="The webhook's store.",
    )
    return store(json(click.pass_obj(command)))


_types = click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(events.TYPES),
    help="A type of events that is sent (default: all). Repeat it for several.",
)


@webhook.command("create")
@click.argument("url")
@_types
@_of_store
def create(
    settings: Settings, url: str, types: tuple[str, ...], handle: str, as_json: bool
) -> None:
    """Create a webhook and print its secret, which is not shown again."""
    check_url(settings, "url", url)
    sealing, types = _sealing(settings), tuple(dict.fromkeys(types))

    async def make(db: Database) -> Any:
        store = await db.read(stores.by_handle, handle)
        return await db.write(webhooks.create, sealing, store, url, types, new_id(), now())

    terminal.show([run(settings, make)], as_json)


@webhook.command("list")
@_of_store
def listed(settings: Settings, handle: str, as_json: bool) -> None:
    """List the webhooks of a store, newest first."""

    async def read(db: Database) -> Any:
        store = await db.read(stores.by_handle, handle)
        return await db.read(webhooks.page, store, None, webhooks.MOST)

    terminal.show(run(settings, read).records, as_json)


@webhook.command("update")
@click.argument("id")
@click.option("--url", help="Another address.")
@_types
@click.option("--all-types", is_flag=True, help="Send events of all types.")
@click.option("--on/--off", "enabled", default=None, help="Whether events are sent.")
@_of_store
def update(
    settings: Settings,
    id: str,
    url: str | None,
    types: tuple[str, ...],
    all_types: bool,
    enabled: bool | None,
    handle: str,
    as_json: bool,
) -> None:
    """Change the given options. One that is turned on says how many events it missed."""
    if all_types and types:
        raise Invalid("--all-types: not with --type.")
    if url is not None:
        check_url(settings, "url", url)
    chosen = tuple(dict.fromkeys(types)) if types or all_types else None
    patch = WebhookPatch(url, chosen, enabled)
    _change(settings, handle, as_json, webhooks.change, id, patch, now())


@webhook.command("delete")
@click.argument("id")
@_of_store
def delete(settings: Settings, id: str, handle: str, as_json: bool) -> None:
    """Delete a webhook and its deliveries."""
    _change(settings, handle, as_json, webhooks.delete, id, now())


@webhook.command("secret")
@click.argument("id")
@_of_store
def secret(settings: Settings, id: str, handle: str, as_json: bool) -> None:
    """Print a new secret. The one before it signs for another 24 hours."""
    sealing = _sealing(settings)

    async def renew(db: Database) -> Any:
        store = await db.read(stores.by_handle, handle)
        known = _known(id)
        return await db.write(webhooks.renew_secret, sealing, store, known, ids.wall_clock())

    terminal.show([run(settings, renew)], as_json)


@webhook.command("test")
@click.argument("id")
@_of_store
def test(settings: Settings, id: str, handle: str, as_json: bool) -> None:
    """Send a message of the type webhook.test; `deliveries` shows how it went."""
    _change(settings, handle, as_json, deliveries.test, id, new_id(), now())


@webhook.command("deliveries")
@click.argument("id")
@click.option("--limit", type=click.IntRange(1, 250), default=50, show_default=True)
@_of_store
def delivered(settings: Settings, id: str, limit: int, handle: str, as_json: bool) -> None:
    """List the newest deliveries of a webhook."""

    async def read(db: Database) -> Any:
        store = await db.read(stores.by_handle, handle)
        return await db.read(deliveries.page, store, _known(id), None, limit)

    terminal.show(run(settings, read).records, as_json)


@webhook.command("retry")
@click.argument("id")
@click.argument("delivery")
@_of_store
def retry(settings: Settings, id: str, delivery: str, handle: str, as_json: bool) -> None:
    """Send a delivery again, now."""
    if not ids.is_uuid(delivery):
        raise NotFound("There is no such delivery.")
    _change(settings, handle, as_json, deliveries.retry, id, delivery, now())


@webhook.command("replay")
@click.argument("id")
@click.option("--since", required=True, metavar="TIME", help="As 2025-04-18T00:00:00Z.")
@_of_store
def replay(settings: Settings, id: str, since: str, handle: str, as_json: bool) -> None:
    """Send the kept events from a time on again."""
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Invalid("--since: must be a time with its offset, such as 2025-04-18T00:00:00Z.")
    at = round(moment.timestamp() * 1000)
    _change(settings, handle, as_json, webhooks.replay, id, at, now())


def _change(
    settings: Settings, handle: str, as_json: bool, use_case: Any, id: str, *arguments: Any
) -> None:
    """Runs a use-case on a webhook, and prints what it returns."""

    async def change(db: Database) -> Any:
        store = await db.read(stores.by_handle, handle)
        return await db.write(use_case, store, _known(id), *arguments)

    if (shown := run(settings, change)) is not None:
        terminal.show([shown], as_json)


def _known(id: str) -> str:
    if not ids.is_uuid(id):
        raise NotFound("There is no such webhook. `wishwell webhook list` shows all of a store.")
    return id


def check_url(settings: Settings, name: str, url: str) -> None:
    """Raises ``Invalid``, which begins with ``name``, for an address that may not be called."""
    Outbound(http=settings.webhook_http, private=settings.webhook_private).check(name, url)


def _sealing(settings: Settings) -> Sealing:
    sealing = app.sealing(settings)
    if sealing is None:
        raise Misconfigured(
            "WISHWELL_SEALING_KEYS is required for webhooks with a server database: a secret of "
            "at least 32 characters, for example from `openssl rand -base64 48`."
        )
    return sealing
