"""`wishwell store`: the stores that this deployment serves."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from wishwell import ids, stores
from wishwell.cli.opening import new_id, now, read_file, run
from wishwell.config import Settings
from wishwell.db import Writer
from wishwell.errors import Invalid, Misconfigured
from wishwell.run import app, terminal
from wishwell.stores import Store, StorePatch, naming, store_secrets
from wishwell.stores.store_secrets import SecretsPatch


# contract: command-store
@click.group()
def store() -> None:
    """The stores that this deployment serves."""


def _store_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print a JSON array."),
        click.option("--limit", "limits", multiple=True, metavar="NAME=N",
                     help=f"Override a limit ({', '.join(stores.LIMITS)}); NAME= resets it."),
        click.option("--origin", "origins", multiple=True, metavar="URL",
                     help="A browser origin that may call the API. Repeat it for several."),
        click.option("--host", "hosts", multiple=True, metavar="ORIGIN",
                     help="An origin of the shop, as https://shop.example. Repeat it for several."),
        click.option("--jwt-cookie", metavar="NAME", help="The cookie with the shop's JWT."),
        click.option("--jwt-header", metavar="NAME", help="The header with the shop's JWT."),
        click.option("--jwt-issuer", metavar="TEXT", help="What `iss` of the JWT must be."),
        click.option("--jwt-audience", metavar="TEXT", help="What `aud` of the JWT must be."),
        click.option("--jwt-claim", metavar="NAME",
                     help="The claim that names the customer (default: sub)."),
        click.option("--jwt-key-set", metavar="URL|FILE",
                     help="The shop's key set (RS256, ES256)."),
        click.option("--jwt-key-file", "jwt_keys", multiple=True, metavar="FILE",
                     help="A file with a shared key (HS256). Repeat it for several; they replace "
                     "all earlier ones."),
        click.option("--platform-shop", metavar="NAME",
                     help="The `shop` in the platform's signed query."),
        click.option("--platform-secret-file", "platform_secrets", multiple=True, metavar="FILE",
                     help="A file with the secret that the platform signs with. Twice for two."),
        click.option("--auth-flow", metavar="PATH", help="The path of the sign-in page."),
        click.option("--price-drop-percent", type=int, metavar="N",
                     help="By how much a price must fall to be told, 1 to 90 (default: 5)."),
        click.option("--product-ids", metavar="integer|text",
                     help="The JSON type of product and variant ids (default: integer)."),
        click.option("--events", type=click.Choice(["on", "off"]),
                     help="Whether what happens to records is told (default: off)."),
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
    patch, hidden = _store_patch(settings, given), _secrets_patch(given)

    async def make(tx: Writer) -> Store:
        made = await stores.create(tx, new_id(), handle, patch, now())
        await change_secrets(tx, settings, made, hidden, new=True)
        await store_secrets.check_apart(tx, app.sealing(settings), made)
        return made

    terminal.show([run(settings, lambda db: db.write(make))], as_json)


@store.command("update")
@click.argument("handle")
@click.option("--handle", "new_handle", metavar="HANDLE", help="Rename the store.")
@click.option("--no-origins", is_flag=True, help="Remove all browser origins.")
@click.option("--no-hosts", is_flag=True, help="Remove all hosts.")
@click.option(
    "--new-cookie-secret",
    "new_signer",
    type=click.Choice(["rotate", "leaked"]),
    help="Sign visitors' cookies with a new secret. rotate keeps those that are out there "
    "good; leaked does not.",
)
@_store_options
@click.pass_obj
def store_update(
    settings: Settings,
    /,
    handle: str,
    new_handle: str | None,
    no_origins: bool,
    no_hosts: bool,
    new_signer: Literal["rotate", "leaked"] | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Change a store. What no option names stays as it is; an empty text resets an option.

    It takes effect in every process within 5 seconds.
    """
    patch = _store_patch(settings, given, handle=new_handle)
    if no_origins:
        patch = msgspec.structs.replace(patch, origins=())
    if no_hosts and patch.hosts:
        raise Invalid("--no-hosts and --host: use only one of them.")
    if no_hosts:
        patch = msgspec.structs.replace(patch, hosts=())
    hidden = _secrets_patch(given)
    hidden = msgspec.structs.replace(hidden, new_signer=new_signer)

    async def change(tx: Writer) -> Store:
        changed = await stores.update(tx, handle, patch, now())
        await change_secrets(tx, settings, changed, hidden)
        if patch.naming or hidden.jwt_keys:
            await store_secrets.check_apart(tx, app.sealing(settings), changed)
        return changed

    terminal.show([run(settings, lambda db: db.write(change))], as_json)


@store.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def store_list(settings: Settings, as_json: bool) -> None:
    """List the stores."""
    terminal.show(run(settings, lambda db: db.read(stores.listed)), as_json)


def _store_patch(
    settings: Settings, given: dict[str, Any], handle: str | None = None
) -> StorePatch:
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
        given["hosts"] or None,
        _naming(settings, given),
        given["origins"] or None,
        limits or None,
        None if given["events"] is None else given["events"] == "on",
        price_drop_percent=given["price_drop_percent"],
    )


def _naming(settings: Settings, given: dict[str, Any]) -> dict[str, str]:
    fields = naming.Naming.__struct_fields__
    return naming_patch(settings, {name: given[name] for name in fields if given[name] is not None})


def naming_patch(
    settings: Settings, named: dict[str, str], folder: Path | None = None
) -> dict[str, str]:
    """The fields of ``Naming``, with the key set of a file in ``folder`` in place of its name."""
    place = named.get("jwt_key_set", "")
    if place and not place.startswith(("http://", "https://")):
        named["jwt_key_set"] = place = contents("jwt-key-set", str((folder or Path()) / place))
    if place:
        app.key_sets(settings).check("jwt-key-set", place)
    return named


def _secrets_patch(given: dict[str, Any]) -> SecretsPatch:
    keys = tuple(contents("jwt-key-file", path) for path in given["jwt_keys"] if path)
    secrets = tuple(
        contents("platform-secret-file", path) for path in given["platform_secrets"] if path
    )
    return SecretsPatch(
        keys if given["jwt_keys"] else None, secrets if given["platform_secrets"] else None
    )


def contents(option: str, path: str) -> str:
    """What a file of a secret or a key set holds. Raises ``Invalid``."""
    found = terminal.first_line() if path == "-" else read_file(option, path).strip()
    if not found:
        raise Invalid(f"{option}: {path[:200]} is empty.")
    return found


async def change_secrets(
    tx: Writer, settings: Settings, changed: Store, patch: SecretsPatch, *, new: bool = False
) -> None:
    """Changes a store's secrets; a new one gets some. Raises ``Misconfigured`` without a key."""
    sealing = app.sealing(settings)
    if sealing is None:
        if patch.changes_nothing:
            return
        raise Misconfigured(
            "WISHWELL_SEALING_KEYS is required to keep secrets in a server database: at least 32 "
            "characters, for example from `openssl rand -base64 48`."
        )
    if new or not patch.changes_nothing:
        await store_secrets.change(tx, sealing, changed, patch, ids.wall_clock())
