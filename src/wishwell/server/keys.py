"""The keys of an embedded database: made once, checked against its secrets, and backed up.

The key that signs tokens is in ``<database>.key``, the key that encrypts secrets in
``<database>.sealing.key``.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from wishwell import config, files, ids
from wishwell.access import auth, key_files
from wishwell.config import Settings
from wishwell.db import Database, Reader, Writer, migrate
from wishwell.db.sqlite.database import reading
from wishwell.errors import DOCS, Misconfigured
from wishwell.events import webhooks
from wishwell.server import opening
from wishwell.stores import store_secrets
from wishwell.stores.sealing import Damaged, Sealing


def _files(settings: Settings) -> tuple[str, ...]:
    """The signing and the sealing key file in use, without ``.key``; "" for a configured key."""
    path = config.sqlite_path(settings.database_url)
    return "" if settings.signing_keys else path, "" if settings.sealing_keys else f"{path}.sealing"


# rules: signing-keys, sealing-keys
async def missing(tx: Reader, settings: Settings) -> Mapping[str, bool]:
    """The key files (without ``.key``) that don't exist, and whether the database needs them."""
    row = None if settings.engine != "sqlite" else await tx.one("keys_needed")
    if row is None:
        return {}
    sealed, signed = map(bool, row)
    needed_files = zip(_files(settings), (signed, sealed), strict=True)
    return {
        file: needed
        for file, needed in needed_files
        if file and not os.access(f"{file}.key", os.F_OK)
    }


async def make(db: Database, settings: Settings) -> None:
    """Makes missing key files, except those that the database already depends on."""
    for file, needed in (await db.read(missing, settings)).items():
        if not needed:
            key_files.make_embedded_key(file)


# rule: signing-keys
async def record_signing_key(tx: Writer, settings: Settings, now: str) -> str:
    """Records the signing key that the service starts with, for ``check_signing_key``. Returns a
    warning if the previous key is no longer accepted, or ""."""
    accepted_ids, recorded = key_ids(settings), await _recorded_keys(tx)
    previous, changes = recorded.get("current", accepted_ids[0]), {"current": accepted_ids[0]}
    if previous not in accepted_ids:
        changes |= {"replaced": previous, "replaced_at": now}
    if recorded | changes != recorded:
        await tx.begin()
        await tx.run_many(
            "signing_key_record", [{"name": name, "key": key} for name, key in changes.items()]
        )
    return "" if previous in accepted_ids else _REPLACED.format(old=previous)


# rule: signing-keys
async def check_signing_key(tx: Reader, settings: Settings, now: int) -> str:
    """Returns a warning if the key was replaced within the lifetime of a token, or "".

    Raises ``Misconfigured`` if the key that the service last started with isn't among these.
    """
    accepted_ids, recorded = key_ids(settings), await _recorded_keys(tx)
    current, replaced = (
        recorded.get("current", accepted_ids[0]),
        recorded.get("replaced", accepted_ids[0]),
    )
    if current not in accepted_ids:
        raise Misconfigured(
            f"The service last started with the signing key {current}, which is not the key here. "
            f"Put it back, or start the service with the new key: {DOCS}runbooks.md#lost-key"
        )
    if replaced in accepted_ids or recorded["replaced_at"] < ids.timestamp(now - ids.DAY_MS):
        return ""
    return _REPLACED.format(old=replaced)


_REPLACED = (
    "The signing key {old} was replaced, so profile tokens signed with it are refused. If that "
    "wasn't intended, add it to WISHWELL_SIGNING_KEYS after the new key, or put its file back: "
    f"{DOCS}runbooks.md#lost-key"
)


def key_ids(settings: Settings) -> list[str]:
    """Returns the ids of the signing keys; the first one signs."""
    return [auth.key_id(key) for key in opening.signing_keys(settings)]


async def _recorded_keys(tx: Reader) -> dict[str, str]:
    return {row[0]: row[1] for row in await tx.all("signing_key")}


# rule: sealing-keys
async def check_secrets(tx: Reader, sealing: Sealing | None) -> None:
    """Raises ``Misconfigured`` if a key for a secret in the database is missing, and otherwise
    ``Damaged`` if no key can open one."""
    stored, damaged = await tx.all("store_secrets_changed", since=""), None
    if sealing is None:
        if stored:
            raise Misconfigured(
                "WISHWELL_SEALING_KEYS is not set, but stores have secrets that are encrypted with "
                "it."
            )
        return
    decryptions: list[Callable[[], object]] = [
        partial(store_secrets.opened, sealing, *row) for row in stored
    ]
    decryptions += [
        partial(webhooks.decrypt, sealing, *row[:3]) for row in await tx.all("webhooks")
    ]
    for decrypt in decryptions:
        try:
            decrypt()
        except Damaged as error:
            damaged = error
    if damaged is not None:
        raise damaged


# rule: backup-complete
def back_up(settings: Settings, copy: str, name: str, folder: str | None) -> tuple[list[str], str]:
    """Copies the key files to ``folder``, once they open the secrets of ``copy``, a copy of the
    database that will be named ``name``.

    Returns the paths of the files, and a warning or "". Without ``folder`` it only checks. Never
    replaces a file. Raises ``ServiceError`` and ``OSError``.
    """
    keys, warning = usable_keys(settings, copy)
    if folder is None:
        return [], warning
    target_folder, database = Path(folder).resolve(), config.sqlite_path(settings.database_url)
    if target_folder in (Path(copy).resolve().parent, Path(database).resolve().parent):
        raise Misconfigured(f"{folder} must be a folder apart from the database and its copy.")
    target_folder.mkdir(0o700, exist_ok=True)
    written = []
    for file, key in keys.items():
        target = target_folder / f"{name}{file.removeprefix(database)}.key"
        key_files.write_key(target, key.decode())
        with files.open_regular(target) as key_file:
            is_same = key_file.read() == key
        if not is_same:
            raise Misconfigured(f"{target} exists already and is another key: name another FILE.")
        written.append(str(target))
    return written, warning


# rule: backup-complete
def usable_keys(settings: Settings, copy: str) -> tuple[dict[str, bytes], str]:
    """Returns the keys in the files that the copy of a database needs, by file without ``.key``,
    and the warning of ``check_signing_key``. Raises ``ServiceError`` if such a key is missing, does
    not open the copy's secrets or isn't the one that signs."""
    with reading(copy) as tx:
        return asyncio.run(_read_usable_keys(tx, settings, copy))


async def _read_usable_keys(
    tx: Reader, settings: Settings, copy: str
) -> tuple[dict[str, bytes], str]:
    missing_files = await missing(tx, settings)
    signing, sealing = _files(settings)
    # A database that no key was made for yet needs none.
    used = [file for file in (signing, sealing) if file and missing_files.get(file, True)]
    keys, warning = {file: key_files.embedded_key(file) for file in used}, ""
    pending_migrations = migrate.pending_sqlite(copy)
    if (settings.signing_keys or signing in keys) and "0011_signing_key" not in pending_migrations:
        warning = await check_signing_key(tx, settings, ids.wall_clock())
    if settings.sealing_keys or sealing in keys:
        with contextlib.suppress(Damaged):  # doctor reports it; the keys are good
            await check_secrets(tx, opening.sealing(settings))
    return keys, warning
