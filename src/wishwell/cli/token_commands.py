"""`wishwell token`: manages admin tokens, and revokes profile tokens."""

import click

from wishwell import ids, profiles, stores
from wishwell.access import auth
from wishwell.access.access_cache import AccessCache, AdminScope
from wishwell.cli import terminal
from wishwell.cli.common_options import (
    JSON,
    REQUIRED_STORE,
    STORE,
    clock,
    in_database,
    in_store,
    new_id,
    now,
    timestamp_in_days,
)
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.errors import Invalid, NotFound
from wishwell.server import opening
from wishwell.stores import Store


@click.group()
def token() -> None:
    """Manage admin tokens, and revoke profile tokens."""


# rule: admin-token-hashed
@token.command("create")
@REQUIRED_STORE
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["api", "storefront", "reports"]),
    default="api",
    show_default=True,
    help="Where the token is valid: the API, a proxy in front of the storefront, or only reports.",
)
@click.option(
    "--names-customers",
    is_flag=True,
    help="With --for storefront: the proxy may identify the signed-in customer.",
)
@click.option("--label", required=True, help="Purpose of the token; shown by `token list`.")
@click.option(
    "--expires-days",
    type=click.IntRange(1, 3650),
    help="Days until the token expires (default: never).",
)
@in_store
async def token_create(
    db: Database,
    _: Settings,
    store: Store,
    /,
    purpose: str,
    names_customers: bool,
    label: str,
    expires_days: int | None,
) -> None:
    """Create an admin token and print it. The token can't be shown again."""
    if names_customers and purpose != "storefront":
        raise Invalid("--names-customers: is allowed only with --for storefront.")
    scope: AdminScope = "reports" if purpose == "reports" else "admin"
    if purpose == "storefront":
        scope = "naming" if names_customers else "storefront"
    expires_at = None if expires_days is None else timestamp_in_days(clock(), expires_days)
    label, admin_token = auth.check_label(label), auth.new_admin_token()
    await db.write(
        auth.create_admin_token, store, admin_token, label, new_id(), now(), expires_at, scope
    )
    terminal.say(admin_token)


# rule: admin-token-hashed
@token.command("list")
@click.option("--store", "handle", metavar="HANDLE", help="List only this store's tokens.")
@JSON
@in_database
async def token_list(
    db: Database, _settings: Settings, /, handle: str | None, as_json: bool
) -> None:
    """List the ids and labels of admin tokens."""
    terminal.show(await db.read(auth.admin_tokens, handle), as_json)


# rule: token-revoked
@token.command("revoke")
@click.argument("identifier", metavar="ID|GID|TOKEN")
@STORE
@in_database
async def token_revoke(db: Database, settings: Settings, /, identifier: str, handle: str) -> None:
    """Revoke an admin token or profile tokens.

    ID or TOKEN revokes one token; GID revokes all tokens of a profile. - reads the argument from
    standard input, which keeps a token out of the shell's history. Takes effect in every process
    within 5 seconds.
    """
    identifier = terminal.first_line() if identifier == "-" else identifier.strip()
    if identifier.startswith("gid://"):
        store = await db.read(stores.by_handle, handle)
        profile = profiles.parse(
            store, settings.session_namespace, identifier, "GID", is_stored=True
        )
        if not await db.read(profiles.is_known, profile):
            raise NotFound(
                f"The store {store.handle!r} has no such session. Choose a store with --store.",
                "session_not_found",
            )
        # rule: token-revoked. Also tokens issued before the clock was set back.
        at = max(clock(), await db.read(clock.likely_now))
        await db.write(auth.revoke_profile, profile, at)
        message = f"revoked all tokens of {profile.gid}"
    elif identifier.count(".") == 2:
        profile, jti = await _read_claims(settings, db, identifier)
        await db.write(auth.revoke_profile, profile, clock(), jti)
        message = f"revoked a token of {profile.gid}"
    elif identifier.isdecimal():  # not an id of a token, but maybe of a customer
        store = await db.read(stores.by_handle, handle)
        gid = ids.customer_gid(store.platform, identifier)
        raise NotFound(
            f"No token has the id {identifier}. To revoke the tokens of a customer, name {gid}.",
            "token_not_found",
        )
    else:
        id = await db.write(auth.revoke_admin_token, identifier, now())
        [record] = [each for each in await db.read(auth.admin_tokens, None) if each.id == id]
        message = f"revoked admin token {id} ({record.label}) of store {record.store}"
    terminal.say(message, err=True)


async def _read_claims(
    settings: Settings, db: Database, profile_token: str
) -> tuple[profiles.Profile, str]:
    access_cache = AccessCache(db, clock)
    await access_cache.refresh()
    keys = opening.signing_keys(settings)
    authenticator = auth.Authenticator(keys, access_cache, settings.session_namespace, clock)
    return await authenticator.claims_of(profile_token)
