"""`wishwell webhook`: manages the webhooks that a store's events are sent to."""

import functools
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import click

from wishwell import events
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, STORE, clock, in_store, new_id, now
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.events import deliveries, webhooks
from wishwell.events.webhooks import WebhookPatch
from wishwell.outbound import Outbound
from wishwell.profiles.pages import Page, PageRequest
from wishwell.server import app
from wishwell.stores import Store

UseCase = Callable[[Any, Store], Awaitable[Any]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


# rule: command-error
@click.group()
def webhook() -> None:
    """Manage the webhooks that a store's events are sent to."""


def _uuid_argument(name: str) -> Decorator:
    return click.argument(name, type=click.UUID, callback=lambda _, __, given: str(given))


_ID = _uuid_argument("id")
_TYPES = click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(events.TYPES),
    help="An event type to send (default: all). Repeat the option for several.",
)


def _command(
    name: str, *parameters: Decorator, reads: bool = False
) -> Callable[[Callable[..., UseCase]], Callable[..., None]]:
    """Decorates a function that returns a use-case, making it a command that prints the result."""

    def register(make: Callable[..., UseCase]) -> Callable[..., None]:
        @functools.wraps(make)
        async def command(
            db: Database, settings: Settings, store: Store, /, as_json: bool, **given: Any
        ) -> None:
            use = db.read if reads else db.write
            shown = await use(make(settings, **given), store)
            if isinstance(shown, Page):
                terminal.show(shown.records, as_json)
            elif shown is not None:
                terminal.show([shown], as_json)

        decorated = in_store(command)
        for parameter in reversed((*parameters, STORE, JSON)):
            decorated = parameter(decorated)
        return webhook.command(name)(decorated)

    return register


@_command("create", click.argument("url"), _TYPES)
def create(settings: Settings, url: str, types: tuple[str, ...]) -> UseCase:
    """Create a webhook and print its secret, which can't be shown again."""
    check_url(settings, "url", url)
    sealing, types = app.required_sealing(settings), tuple(dict.fromkeys(types))
    return lambda tx, store: webhooks.create(tx, sealing, store, url, types, new_id(), now())


@_command("list", reads=True)
def listed(settings: Settings) -> UseCase:
    """List the webhooks of a store, newest first."""
    return lambda tx, store: webhooks.page(tx, store, PageRequest(None, webhooks.MAX_WEBHOOKS))


@_command(
    "update",
    _ID,
    click.option("--url", help="New URL of the webhook."),
    _TYPES,
    click.option("--all-types", is_flag=True, help="Send events of all types."),
    click.option("--on/--off", "enabled", default=None, help="Turn the webhook on or off."),
)
def update(
    settings: Settings,
    id: str,
    url: str | None,
    types: tuple[str, ...],
    all_types: bool,
    enabled: bool | None,
) -> UseCase:
    """Change the given options. A webhook that is turned on resumes with the unsent events."""
    if all_types and types:
        raise Invalid("--all-types: can't be combined with --type.")
    if url is not None:
        check_url(settings, "url", url)
    chosen = tuple(dict.fromkeys(types)) if types or all_types else None
    patch = WebhookPatch(url, chosen, enabled)
    return lambda tx, store: webhooks.change(tx, store, id, patch, now())


@_command("delete", _ID)
def delete(settings: Settings, id: str) -> UseCase:
    """Delete a webhook and its deliveries."""
    return lambda tx, store: webhooks.delete(tx, store, id, now())


@_command("secret", _ID)
def secret(settings: Settings, id: str) -> UseCase:
    """Print a new secret. Deliveries are also signed with the previous one for 24 hours."""
    sealing = app.required_sealing(settings)
    return lambda tx, store: webhooks.renew_secret(tx, store, id, sealing, clock())


@_command("test", _ID)
def test(settings: Settings, id: str) -> UseCase:
    """Send a message of the type webhook.test; `deliveries` shows the outcome."""
    return lambda tx, store: deliveries.test(tx, store, id, new_id(), now())


@_command(
    "deliveries",
    _ID,
    click.option("--limit", type=click.IntRange(1, 250), default=50, show_default=True),
    reads=True,
)
def delivered(settings: Settings, id: str, limit: int) -> UseCase:
    """List the newest deliveries of a webhook."""
    return lambda tx, store: deliveries.page(tx, store, id, PageRequest(None, limit))


@_command("retry", _ID, _uuid_argument("delivery"))
def retry(settings: Settings, id: str, delivery: str) -> UseCase:
    """Send a delivery again, now."""
    return lambda tx, store: deliveries.retry(tx, store, id, delivery, now())


@_command(
    "replay",
    _ID,
    click.option(
        "--since", required=True, metavar="TIME", help="A time such as 2025-04-18T00:00:00Z."
    ),
)
def replay(settings: Settings, id: str, since: str) -> UseCase:
    """Send the retained events since a given time again."""
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Invalid("--since: must be a time with a UTC offset, such as 2025-04-18T00:00:00Z.")
    at = round(moment.timestamp() * 1000)
    return lambda tx, store: webhooks.replay(tx, store, id, at, now())


def check_url(settings: Settings, name: str, url: str) -> None:
    """Raises ``Invalid``, which begins with ``name``, for a URL that may not be called (SSRF)."""
    Outbound(http=settings.webhook_http, private=settings.webhook_private).check(name, url)
