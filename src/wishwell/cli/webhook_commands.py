"""`wishwell webhook`: manages the webhooks that a store's events are sent to."""

import functools
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import click

from wishwell import events
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON, STORE, clock, in_store, new_id, now, read_file
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid
from wishwell.events import deliveries, formats, webhooks
from wishwell.events.webhooks import Format, NewWebhook, WebhookPatch
from wishwell.outbound import Outbound
from wishwell.profiles.pages import Page, PageRequest
from wishwell.server import opening
from wishwell.stores import Store

UseCase = Callable[[Any, Store], Awaitable[Any]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


# rule: command-error
@click.group()
def webhook() -> None:
    """Manage the webhooks that a store's events are sent to."""


def _uuid_argument(name: str) -> Decorator:
    return click.argument(name, type=click.UUID, callback=lambda _, __, uuid: str(uuid))


_ID_ARGUMENT = _uuid_argument("id")
_TYPES_OPTION = click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(events.TYPES),
    help="An event type to send (default: all). Repeat the option for several.",
)


_KEY_FILE_OPTION = click.option(
    "--key-file",
    metavar="FILE",
    help="File with the key of the format's API; - reads standard input.",
)


_TEMPLATE_OPTION = click.option(
    "--template",
    "templates",
    multiple=True,
    metavar="TYPE=ID",
    help="The id of listmonk's template for item.price_dropped or item.back_in_stock. Repeat the "
    "option for both.",
)


def _webhook_command(
    name: str, *parameters: Decorator, is_read: bool = False
) -> Callable[[Callable[..., UseCase]], Callable[..., None]]:
    """Decorates a function that returns a use-case, making it a command that prints the result."""

    def register(make_use_case: Callable[..., UseCase]) -> Callable[..., None]:
        @functools.wraps(make_use_case)
        async def command(
            db: Database, settings: Settings, store: Store, /, as_json: bool, **options: Any
        ) -> None:
            execute = db.read if is_read else db.write
            returned = await execute(make_use_case(settings, **options), store)
            if isinstance(returned, Page):
                terminal.show(returned.records, as_json)
            elif returned is not None:
                terminal.show([returned], as_json)

        decorated = in_store(command)
        for parameter in reversed((*parameters, STORE, JSON)):
            decorated = parameter(decorated)
        return webhook.command(name)(decorated)

    return register


@_webhook_command(
    "create",
    click.argument("url"),
    _TYPES_OPTION,
    click.option(
        "--format",
        type=click.Choice([*formats.TOOLS]),
        help="Marketing tool whose API is at URL (default: Standard Webhooks).",
    ),
    _KEY_FILE_OPTION,
    _TEMPLATE_OPTION,
    click.option(
        "--include",
        multiple=True,
        type=click.Choice(webhooks.INCLUDES),
        help="Data to add to the items in events.",
    ),
)
def create(
    settings: Settings,
    url: str,
    types: tuple[str, ...],
    format: Format | None,
    key_file: str | None,
    templates: tuple[str, ...],
    include: tuple[str, ...],
) -> UseCase:
    """Create a webhook. Prints its secret, which can't be shown again, unless it has a format."""
    check_url(settings, "url", url)
    sealing, types = opening.required_sealing(settings), tuple(dict.fromkeys(types))
    key, ids_by_type = _read_key(key_file), _parse_templates(templates)
    new = NewWebhook(url, types, format, key, tuple(dict.fromkeys(include)), ids_by_type)
    return lambda tx, store: webhooks.create(tx, sealing, store, new, new_id(), now())


@_webhook_command("list", is_read=True)
def list_webhooks(settings: Settings) -> UseCase:
    """List the webhooks of a store, newest first."""
    return lambda tx, store: webhooks.page(tx, store, PageRequest(None, webhooks.MAX_WEBHOOKS))


@_webhook_command(
    "update",
    _ID_ARGUMENT,
    click.option("--url", help="New URL of the webhook."),
    _TYPES_OPTION,
    click.option("--all-types", is_flag=True, help="Send events of all types."),
    click.option("--on/--off", "enabled", default=None, help="Turn the webhook on or off."),
    _KEY_FILE_OPTION,
    _TEMPLATE_OPTION,
    click.option(
        "--include",
        type=click.Choice((*webhooks.INCLUDES, "nothing")),
        help="Data to add to the items in events.",
    ),
)
def update(
    settings: Settings,
    id: str,
    url: str | None,
    types: tuple[str, ...],
    all_types: bool,
    enabled: bool | None,
    key_file: str | None,
    templates: tuple[str, ...],
    include: str | None,
) -> UseCase:
    """Change the given options. A webhook that is turned on resumes with the unsent events."""
    if all_types and types:
        raise Invalid("--all-types: can't be combined with --type.")
    if url is not None:
        check_url(settings, "url", url)
    new_types = tuple(dict.fromkeys(types)) if types or all_types else None
    new_include = None if include is None else tuple({include} - {"nothing"})
    key, ids_by_type = _read_key(key_file), _parse_templates(templates) or None
    patch = WebhookPatch(url, new_types, enabled, key, new_include, ids_by_type)
    sealing = opening.required_sealing(settings) if key or ids_by_type else None
    return lambda tx, store: webhooks.change(tx, store, id, sealing, patch, now())


@_webhook_command("delete", _ID_ARGUMENT)
def delete(settings: Settings, id: str) -> UseCase:
    """Delete a webhook and its deliveries."""
    return lambda tx, store: webhooks.delete(tx, store, id, now())


@_webhook_command("secret", _ID_ARGUMENT)
def renew_secret(settings: Settings, id: str) -> UseCase:
    """Print a new secret. Deliveries are also signed with the previous one for 24 hours."""
    sealing = opening.required_sealing(settings)
    return lambda tx, store: webhooks.renew_secret(tx, store, id, sealing, clock())


@_webhook_command("test", _ID_ARGUMENT)
def test(settings: Settings, id: str) -> UseCase:
    """Send a test message; `deliveries` shows the outcome."""
    return lambda tx, store: deliveries.queue_test(tx, store, id, new_id(), now())


@_webhook_command(
    "deliveries",
    _ID_ARGUMENT,
    click.option(
        "--limit",
        type=click.IntRange(1, 250),
        default=50,
        show_default=True,
        help="Maximum number of deliveries.",
    ),
    is_read=True,
)
def list_deliveries(settings: Settings, id: str, limit: int) -> UseCase:
    """List the newest deliveries of a webhook."""
    return lambda tx, store: deliveries.page(tx, store, id, PageRequest(None, limit))


@_webhook_command("retry", _ID_ARGUMENT, _uuid_argument("delivery"))
def retry(settings: Settings, id: str, delivery: str) -> UseCase:
    """Send a delivery again, now."""
    return lambda tx, store: deliveries.retry(tx, store, id, delivery, now())


@_webhook_command(
    "replay",
    _ID_ARGUMENT,
    click.option(
        "--since", required=True, metavar="TIME", help="A time such as 2025-04-18T00:00:00Z."
    ),
)
def replay(settings: Settings, id: str, since: str) -> UseCase:
    """Send the retained events since a given time again."""
    try:
        time = datetime.fromisoformat(since)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise Invalid("--since: must be a time with a UTC offset, such as 2025-04-18T00:00:00Z.")
    since_ms = round(time.timestamp() * 1000)
    return lambda tx, store: webhooks.replay(tx, store, id, since_ms, now())


# rule: format-mail
def _parse_templates(options: tuple[str, ...]) -> dict[str, int]:
    """Returns the ids of templates by event type. Raises ``Invalid``."""
    ids_by_type: dict[str, int] = {}
    for option in options:
        type_, _, id = option.partition("=")
        if type_ not in formats.NOTICES or not re.fullmatch("[1-9][0-9]{0,8}", id):
            raise Invalid(
                f"--template: {option[:80]!r} must be TYPE=ID, with one of the types "
                f"{', '.join(sorted(formats.NOTICES))} and the number of a template."
            )
        ids_by_type[type_] = int(id)
    return ids_by_type


# rule: format-key
def _read_key(path: str | None) -> str | None:
    """Returns the key in a file, or on standard input for -. Raises ``Invalid``."""
    if path is None:
        return None
    key = terminal.first_line() if path == "-" else read_file("--key-file", path).strip()
    if not re.fullmatch(webhooks.KEY_PATTERN, key):
        raise Invalid(
            "--key-file: must contain 8 to 500 printable ASCII characters without spaces."
        )
    return key


def check_url(settings: Settings, name: str, url: str) -> None:
    """Raises ``Invalid``, which begins with ``name``, for a URL that may not be called (SSRF)."""
    Outbound(http=settings.webhook_http, private=settings.webhook_private).check(name, url)
