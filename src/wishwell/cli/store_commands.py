"""`wishwell store`: manages the stores that this deployment serves."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from wishwell import profiles, stores
from wishwell.cli import mail_switch, terminal
from wishwell.cli.common_options import (
    JSON,
    Progress,
    clock,
    in_database,
    new_id,
    now,
    pause_between,
    read_file,
)
from wishwell.cli.terminal import format_count
from wishwell.config import Settings
from wishwell.contacts import mail_reports
from wishwell.db import Database, Writer
from wishwell.errors import Invalid
from wishwell.privacy import store_deletion
from wishwell.server import opening
from wishwell.stores import Store, StorePatch, mailing, reporting, rules, store_secrets
from wishwell.stores.store_secrets import SecretsPatch


# rule: store-settings
@click.group()
def store() -> None:
    """Manage the stores that this deployment serves."""


def _add_store_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed((
        click.option("--host", "hosts", multiple=True, metavar="ORIGIN",
                     help="An origin of the shop, such as https://shop.example. Repeat the "
                     "option for several."),
        click.option("--jwt-cookie", metavar="NAME",
                     help="The cookie that contains the shop's JWT."),
        click.option("--jwt-header", metavar="NAME",
                     help="The header that contains the shop's JWT."),
        click.option("--jwt-issuer", metavar="TEXT", help="Required issuer (`iss`) of the JWT."),
        click.option("--jwt-audience", metavar="TEXT",
                     help="Required audience (`aud`) of the JWT."),
        click.option("--jwt-claim", metavar="NAME",
                     help="The claim that contains the customer's id (default: sub)."),
        click.option("--jwt-email-claim", metavar="NAME",
                     help="The claim that contains the customer's e-mail (default: email)."),
        click.option("--jwt-verified-claim", metavar="NAME",
                     help="The claim that is true if the shop has verified the address (default: "
                     "email_verified)."),
        click.option("--jwt-locale-claim", metavar="NAME",
                     help="The claim that contains the customer's language (default: locale)."),
        click.option("--jwt-key-set", metavar="URL|FILE",
                     help="The shop's JSON Web Key Set (RS256, ES256)."),
        click.option("--jwt-key-file", "jwt_key_files", multiple=True, metavar="FILE",
                     help="A file with a shared key (HS256). Repeat the option for several; they "
                     "replace all previous keys."),
        click.option("--platform-shop", metavar="NAME",
                     help="The value of `shop` in the platform's signed query."),
        click.option("--service-url", metavar="ORIGIN",
                     help="The origin at which browsers reach this service, such as "
                     "https://wishes.example, for visitors of a platform that removes cookies "
                     "(default: where the platform sends its requests)."),
        click.option("--platform-secret-file", "platform_secret_files", multiple=True,
                     metavar="FILE",
                     help="A file with the secret that the platform signs with. Repeat the "
                     "option for a second secret."),
        click.option("--product-url", metavar="URL",
                     help="URL of a product page, such as "
                     "https://shop.example/products/{productId}. May also contain "
                     "{variantId}."),
        click.option("--wishlist-page", metavar="URL",
                     help="The shop's own wishlist page (default: the page of this service)."),
        click.option("--shared-page", metavar="URL",
                     help="The shop's own page for shared lists. {token} is replaced by the "
                     "token; without {token}, # and the token are appended."),
        click.option("--time-zone", metavar="NAME",
                     help="Time zone of the days in reports, such as Europe/Paris (default: UTC)."),
        click.option("--show-wishes", type=click.Choice(["on", "off"]),
                     help="Whether anyone may request the number of wishes for a product "
                     "(default: off)."),
        click.option("--purchases", type=click.Choice(["on", "off"]),
                     help="Whether the shop's orders are matched with wishes (default: off)."),
        click.option("--purchased", type=click.Choice(["mark", "remove"]),
                     help="What an order does with the items that it matches (default: mark)."),
        click.option("--attribution-days", type=int, metavar="N",
                     help="Days after a save during which an order matches the item, 1 to "
                     f"{reporting.MAX_ATTRIBUTION_DAYS} (default: 90)."),
        click.option("--currency", metavar="EUR",
                     help="The currency of the shop's prices where they have none, as in the "
                     "platform's webhooks."),
        click.option("--auth-flow", metavar="PATH", help="The path of the sign-in page."),
        click.option("--price-drop-percent", type=int, metavar="N",
                     help="Minimum price drop in percent for a notice, 1 to 90 (default: 5)."),
        click.option("--shop-name", metavar="TEXT", help="The shop's name on the hosted pages."),
        click.option("--logo-url", metavar="URL", help="The https URL of the shop's logo."),
        click.option("--accent", metavar="#RRGGBB", help="The colour of buttons."),
        click.option("--shop-url", metavar="URL",
                     help="Where the hosted pages lead back to (default: /)."),
        click.option("--cart-url", metavar="URL",
                     help="URL that adds a product to the cart, with {variantId} or {productId}, "
                     "and possibly {quantity}."),
        click.option("--language", metavar="NAME",
                     help="Language of the hosted pages (default: the browser's)."),
        click.option("--texts", metavar="FILE",
                     help="A JSON file with texts that replace those of the hosted pages: "
                     '{"de": {"name": "text"}}.'),
        click.option("--notices", metavar="opt-out|opt-in",
                     help="Whether shoppers who never chose get notices (opt-out) or not (opt-in, "
                     "the default of new stores)."),
        click.option("--forget-customers-after", type=int, metavar="MONTHS",
                     help="Erase customers after this many months without a request, 1 to "
                     f"{rules.MAX_MONTHS} (default: 0, never)."),
        click.option("--product-ids", metavar="integer|text",
                     help="The JSON type of product and variant ids (default: integer)."),
        click.option("--events", type=click.Choice(["on", "off"]),
                     help="Whether events are recorded (default: off)."),
        click.option("--mail", "mail_on", type=click.Choice(["on", "off"]),
                     help="Whether mails about notices are sent to shoppers (default: off)."),
        click.option("--yes", is_flag=True,
                     help="Don't ask before mails are turned on, or the platform changes."),
        click.option("--mail-from", metavar="ADDRESS", help="The sender's address of mails."),
        click.option("--mail-reply-to", metavar="ADDRESS",
                     help="The address for answers to mails (default: the sender's)."),
        click.option("--mail-picture-host", metavar="HOST",
                     help="A host besides the shop's own from which mails load pictures, such as "
                     "cdn.shop.example; '' for none."),
        click.option("--mail-delay", type=int, metavar="MINUTES",
                     help="How long notices of a shopper are collected for one mail, 0 to "
                     f"{mailing.MAX_DELAY_MINUTES:,} (default: 15)."),
        click.option("--mail-per-day", type=int, metavar="N",
                     help="The most mails with notices to an address in 24 hours, 1 to "
                     f"{mailing.MAX_PER_DAY} (default: 1)."),
        click.option("--mail-limit", type=int, metavar="N",
                     help="The most mails of the store in 24 hours (default: 10,000)."),
        click.option("--show-reductions", type=click.Choice(["on", "off"]),
                     help="Whether pages and mails strike earlier prices through and show "
                     "reductions in percent (default: off)."),
        click.option("--platform", metavar="NAME", help="The <platform> part of customer GIDs."),
        click.option("--on/--off", "active", default=None,
                     help="Whether the storefront is served and mails are sent (default: --on)."),
        click.option("--origin", "origins", multiple=True, metavar="URL",
                     help="A browser origin that may call the API. Repeat the option for several."),
        click.option("--limit", "limits", multiple=True, metavar="NAME=N",
                     help=f"Override a limit ({', '.join(stores.LIMITS)}); NAME= resets it."),
        JSON,
    )):  # fmt: skip
        command = option(command)
    return command


@store.command("create")
@click.argument("handle")
@_add_store_options
@in_database
async def store_create(db: Database, settings: Settings, /, **options: Any) -> None:
    """Create a store."""
    await _put_and_print(db, settings, new=True, **options)


@store.command("update")
@click.argument("handle")
@click.option("--handle", "new_handle", metavar="HANDLE", help="Rename the store.")
@click.option(
    "--new-cookie-secret",
    "new_signer",
    type=click.Choice(["rotate", "leaked"]),
    help="Sign visitors' cookies with a new secret. With rotate, existing cookies stay "
    "valid; with leaked, they become invalid.",
)
@_add_store_options
@in_database
async def store_update(db: Database, settings: Settings, /, **options: Any) -> None:
    """Change a store. Options that aren't given stay unchanged; an empty text resets an option.

    Changes take effect in every process within 5 seconds.
    """
    await _put_and_print(db, settings, new=False, **options)


async def _put_and_print(
    db: Database,
    settings: Settings,
    *,
    new: bool,
    handle: str,
    as_json: bool,
    new_handle: str | None = None,
    new_signer: Literal["rotate", "leaked"] | None = None,
    yes: bool = False,
    **options: Any,
) -> None:
    patch, secrets_patch = _parse_options(settings, options)
    patch = msgspec.structs.replace(patch, handle=new_handle)
    secrets_patch = msgspec.structs.replace(secrets_patch, new_signer=new_signer)

    if patch.mail and patch.mail.get("mail_on"):
        await mail_switch.confirm(db, settings, handle, patch, is_confirmed=yes)
    if patch.platform and not new:
        await _confirm_platform(db, handle, patch.platform, is_confirmed=yes)

    async def change(tx: Writer) -> Store:
        changed_store = await put_store(tx, settings, handle, patch, secrets_patch, new=new)
        if patch.naming or secrets_patch.jwt_keys:
            await store_secrets.check_apart(tx, opening.sealing(settings), changed_store)
        return changed_store

    terminal.show([await db.write(change)], as_json)


async def _confirm_platform(
    db: Database, handle: str, platform: str, *, is_confirmed: bool
) -> None:
    """Says how many customers a change of the platform hides, and asks first if there are any.

    Raises ``Invalid`` without a confirmation.
    """
    current = await db.read(stores.by_handle, handle)
    count = await db.read(profiles.count_customers, current)
    if platform == current.platform or not count:
        return
    customers = terminal.format_count(count, "customer")
    terminal.say(
        f"The change hides {customers} of {current.platform}, with all their wishes, until the "
        f"platform is {current.platform} again.",
        err=True,
    )
    if not is_confirmed:
        terminal.say("Type yes to continue:", err=True)
        if terminal.first_line() != "yes":
            raise Invalid("Not confirmed. Nothing was changed.")


@store.command("list")
@JSON
@in_database
async def store_list(db: Database, _settings: Settings, /, as_json: bool) -> None:
    """List the stores."""
    terminal.show(await db.read(mail_reports.list_stores, now()), as_json)


# rule: store-delete
@store.command("delete")
@click.argument("handle")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@in_database
async def store_delete(db: Database, _settings: Settings, /, handle: str, yes: bool) -> None:
    """Delete a store with all its data.

    That includes profiles, items, lists, webhooks and tokens. Other stores are served in the
    meantime. If interrupted, run it again.
    """
    progress = Progress()
    target = await db.read(stores.by_handle_or_deleted, handle)
    if not yes:
        terminal.say(
            f"This deletes the store {target.handle!r} with all its data. To keep a "
            "copy, run `wishwell export` first. Type the handle to continue:",
            err=True,
        )
        if terminal.first_line() != target.handle:
            raise Invalid("The handle doesn't match; nothing was deleted.")
    target = await db.write(store_deletion.begin, handle, now())
    # After this time, every process has seen the deletion and has stopped writing to the store.
    await asyncio.sleep(stores.PROPAGATION_MS / 1000)
    deleted_profiles = 0
    async for deleted_profiles in pause_between(store_deletion.remove_store(db, target)):
        progress.report(f"{format_count(deleted_profiles, 'profile')} deleted")
    terminal.say(f"deleted the store {handle} with {format_count(deleted_profiles, 'profile')}")


# ------------------------------------------------------------------------------------ options


def _parse_options(settings: Settings, options: dict[str, Any]) -> tuple[StorePatch, SecretsPatch]:
    """Returns the changes that the given options request."""
    fields = {name: value for name, value in options.items() if value not in (None, ())}
    for name in ("jwt_key_files", "platform_secret_files", "hosts", "origins"):
        if name in fields:  # an empty text clears the setting
            fields[name] = tuple(filter(None, fields[name]))
    for name in ("events", "show_wishes", "purchases", "mail_on", "show_reductions"):
        if name in fields:
            fields[name] = fields[name] == "on"
    if "texts" in fields:
        fields["texts"] = _read_texts(fields["texts"])
    for group, struct in stores.GROUPS.items():
        fields[group] = {name: fields[name] for name in struct.__struct_fields__ if name in fields}
    if "limits" in fields:
        fields["limits"] = dict(map(_parse_limit, fields["limits"]))
    return make_patches(settings, Path(), fields, ("jwt-key-file", "platform-secret-file"))


def _read_texts(path: str) -> Any:
    """Returns the texts in a JSON file; none for an empty path."""
    try:
        return msgspec.json.decode(read_file("texts", path)) if path else {}
    except msgspec.DecodeError as error:
        raise Invalid(f"texts: {path[:200]} isn't valid JSON ({error}).") from error


def _parse_limit(text: str) -> tuple[str, int | None]:
    name, equals, number = text.partition("=")
    if not equals or not re.fullmatch("[0-9]{0,20}", number):
        raise Invalid(f"limit: {text[:80]!r} must be NAME=N, or NAME= to reset it.")
    return name, int(number) if number else None


def make_patches(
    settings: Settings, folder: Path, fields: dict[str, Any], file_options: tuple[str, str]
) -> tuple[StorePatch, SecretsPatch]:
    """Returns the changes to a store for values by field, reading the files that they name.

    File names are relative to ``folder``. ``file_options``: the names of JWT key files and platform
    secret files in error messages. Raises ``Invalid``.
    """
    naming = fields["naming"]
    key_set = naming.get("jwt_key_set", "")
    if key_set and not key_set.startswith(("http://", "https://")):
        naming["jwt_key_set"] = key_set = _read_value_file("jwt-key-set", folder, key_set)
    if key_set:
        opening.key_sets(settings).check("jwt-key-set", key_set)
    keys, secrets = (
        tuple(_read_value_file(option, folder, name) for name in fields[field])
        if field in fields
        else None
        for option, field in zip(
            file_options, ("jwt_key_files", "platform_secret_files"), strict=True
        )
    )
    patch = {name: fields[name] for name in StorePatch.__struct_fields__ if name in fields}
    return StorePatch(**patch), SecretsPatch(keys, secrets)


def _read_value_file(option: str, folder: Path, name: str) -> str:
    path = str(folder / name)
    text = terminal.first_line() if path == "-" else read_file(option, path).strip()
    if not text:
        raise Invalid(f"{option}: {path[:200]} is empty.")
    return text


async def put_store(
    tx: Writer,
    settings: Settings,
    handle: str,
    patch: StorePatch,
    secrets_patch: SecretsPatch,
    *,
    new: bool,
) -> Store:
    """Creates or changes a store and its secrets. A new store gets a cookie secret.

    Raises ``Misconfigured`` if secrets are given and there is no sealing key to encrypt them.
    """
    if new:
        changed_store = await stores.create(tx, new_id(), handle, patch, now())
    else:
        changed_store = await stores.update(tx, handle, patch, now())
    changes_secrets = not secrets_patch.changes_nothing
    sealing = opening.required_sealing(settings) if changes_secrets else opening.sealing(settings)
    if sealing is not None and (new or changes_secrets):
        await store_secrets.change(tx, sealing, changed_store, secrets_patch, clock)
    return changed_store
