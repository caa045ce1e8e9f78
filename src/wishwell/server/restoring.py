"""Puts a backup in the place of the database: a copy of SQLite's file, or an archive of pg_dump.

Everything is checked before anything is changed. ``cli/restore_commands.py`` then migrates the
database and replays the journals.
"""

import contextlib
import fcntl
import os
import pwd
import secrets
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from wishwell import config, ids
from wishwell.access import key_files
from wishwell.config import Settings
from wishwell.db import Reader, migrate
from wishwell.db.postgres import connecting, url
from wishwell.db.postgres.failures import translate_errors
from wishwell.db.sqlite import backup
from wishwell.errors import DOCS, Invalid, Misconfigured, ServiceError
from wishwell.server import keys

T = TypeVar("T")
Say = Callable[[str], None]

_SHARED_LOCK_START, _SHARED_LOCK_BYTES = 0x40000002, 510
"""The bytes of its file that SQLite locks while a connection is open."""

_SUFFIXES = {"sqlite": "*.db", "postgresql": "*.dump"}
"""Names of backups in a folder, of which the newest good one is restored."""

_CONNECT_SECONDS = 10.0
_COUNT_TABLES = """
SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p')),
       EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
"""
_CLUSTER = (
    "This is a cluster, which `wishwell restore database` can't restore: "
    f"{DOCS}scaling.md#4-a-cluster"
)


class _StagedCopy(NamedTuple):
    """A checked copy next to the database, under another name, and the keys that open it, by the
    end of the key file's name; no keys if those in place open it."""

    path: Path
    keys: dict[str, str]


# rule: restore-checked
def restore_sqlite(settings: Settings, path: str, keys_path: str | None, say: Say) -> None:
    """Restores the newest good one of the copies at ``path``, and keeps the present database in a
    folder next to it. ``keys_path``: see ``_keys_settings``. Raises ``ServiceError``."""
    database = Path(config.sqlite_path(settings.database_url)).absolute()
    _check_user(database.parent)
    with _unused(database), contextlib.ExitStack() as stack:
        staged = _first_good(
            _list_backups(path, "sqlite", database),
            lambda each: _stage(stack, settings, database, each, keys_path, say),
            say,
        )
        replaced = [
            each
            for suffix in ("", "-wal", "-shm", "-journal", *(f"{key}.key" for key in staged.keys))
            if (each := Path(f"{database}{suffix}")).exists()
        ]
        if replaced:
            time = "".join(c for c in ids.timestamp(ids.wall_clock())[:19] if c not in "-:")
            folder = database.with_name(f"{database.name}.replaced-{time}Z")
            folder.mkdir(0o700)
            for each in replaced:
                each.rename(folder / each.name)
            say(f"the files that were here are kept in {folder}")
        for suffix, key in staged.keys.items():
            key_files.write_key(Path(f"{database}{suffix}.key"), key)
        staged.path.rename(database)
        _sync(database.parent)


def _check_user(folder: Path) -> None:
    """Raises ``Misconfigured`` if root would leave files that the service's user can't read."""
    if os.geteuid() == 0 and folder.exists() and (user_id := folder.stat().st_uid):
        owner = str(user_id)
        with contextlib.suppress(KeyError):  # the system has no name for it
            owner = pwd.getpwuid(user_id).pw_name
        raise Misconfigured(
            f"The folder {folder} belongs to the user {owner}, who couldn't read files of root, so "
            f"nothing was restored. Run the command as {owner}: runuser -u {owner} -- wishwell "
            "restore database …"
        )


@contextlib.contextmanager
def _unused(database: Path) -> Iterator[None]:
    """Locks the database's file, if there is one. Raises ``Misconfigured`` if it is in use."""
    if not database.exists():
        yield
        return
    with database.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_LOCK_BYTES, _SHARED_LOCK_START)
        except OSError as error:
            raise Misconfigured(
                f"The database {database} is in use, so nothing was restored. Stop the service and "
                "other commands first."
            ) from error
        yield


def _list_backups(path: str, engine: str, database: Path | None = None) -> list[Path]:
    """Returns the file, or the backups in a folder, the newest name first, without the database."""
    file = Path(path)
    present = database.resolve() if database is not None else None
    if file.resolve() == present:
        raise Invalid(f"FILE: {path} is the database itself. Name a backup.")
    if not file.is_dir() or (file / "toc.dat").exists():  # a folder that pg_dump wrote
        return [file]
    pattern = _SUFFIXES[engine]
    candidates = sorted(file.glob(pattern), reverse=True)
    if backups := [each for each in candidates if each.resolve() != present]:
        return backups
    raise Invalid(f"FILE: the folder {path} has no backup ({pattern}).")


def _first_good(backups: Sequence[Path], check: Callable[[Path], T], say: Say) -> T:
    """Returns what ``check`` returns for the first backup for which it raises no error. Raises the
    error of the last."""
    for number, each in enumerate(backups, 1):
        try:
            checked = check(each)
        except ServiceError as error:
            if number == len(backups):
                raise
            say(f"{each} was skipped: {error}")
        else:
            say(f"restoring {each}")
            return checked
    raise AssertionError("a folder without backups was refused")


def _stage(
    stack: contextlib.ExitStack,
    settings: Settings,
    database: Path,
    path: Path,
    keys_path: str | None,
    say: Say,
) -> _StagedCopy:
    """Copies a backup next to the database, and checks the copy, its schema and its keys. Raises
    ``Misconfigured``."""
    if Path(f"{path}-wal").exists():
        raise Misconfigured(f"{path}-wal exists, so {path} isn't a finished backup.")
    part = database.with_name(f".{database.name}-{secrets.token_hex(4)}.part")
    stack.callback(part.unlink, missing_ok=True)
    try:
        part.touch(0o600, exist_ok=False)
        shutil.copyfile(path, part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        if problem := backup.find_damage(str(part), lambda *_: None):
            raise Misconfigured(f"{path} is damaged ({problem}).")
        migrate.pending_sqlite(str(part))
    except (OSError, sqlite3.Error) as error:
        raise Misconfigured(f"{path} can't be restored ({error}).") from error
    keys_settings, base = _keys_settings(settings, path, keys_path)
    used_keys, warning = keys.usable_keys(keys_settings, str(part))
    if warning:
        say(warning)
    copied = {file.removeprefix(base): key.decode() for file, key in used_keys.items()}
    return _StagedCopy(part, copied if keys_path else {})


def _keys_settings(settings: Settings, path: Path, keys_path: str | None) -> tuple[Settings, str]:
    """Returns settings whose key files are those of a backup, and the start of their names.

    ``keys_path``: the folder of `wishwell backup --keys`, or one of the two files in it; without
    it, the files next to the database. Keys in settings stay.
    """
    if keys_path is None:
        return settings, config.sqlite_path(settings.database_url)
    base = f"{keys_path}/{path.name}"
    if not Path(keys_path).is_dir():
        base = keys_path.removesuffix(".key").removesuffix(".sealing")
    return replace(settings, database_url=f"sqlite:///{quote(base)}"), base


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


# ---------------------------------------------------------------------------------- PostgreSQL


# rule: restore-checked
async def restore_postgres(settings: Settings, path: str, say: Say) -> None:
    """Restores the newest good one of the archives at ``path`` into an empty database. Raises
    ``ServiceError``."""
    await _check_empty(settings)
    archive = _first_good(_list_backups(path, "postgresql"), _check_archive, say)
    address, environment = _libpq(settings.database_url)
    # In one transaction, so that a failure leaves the database empty.
    options = "--no-owner", "--exit-on-error", "--single-transaction", f"--dbname={address}"
    _run_pg_restore(*options, str(archive), environment=environment)


async def _check_empty(settings: Settings) -> None:
    """Raises ``Misconfigured`` if the database has tables or is a cluster's."""
    with translate_errors():
        connection = await connecting.connect(settings.database_url, timeout=_CONNECT_SECONDS)
        try:
            tables, is_cluster = await connection.fetchrow(_COUNT_TABLES)
        finally:
            await connection.close(timeout=5)
    if is_cluster:
        raise Misconfigured(_CLUSTER)
    if tables:
        raise Misconfigured(
            f"The database {settings.database_name} isn't empty, so nothing was restored. Create a "
            "new database, and name it in WISHWELL_DATABASE_URL."
        )


def _check_archive(path: Path) -> Path:
    """Reads a whole archive. Raises ``Misconfigured`` if it is damaged or a cluster's."""
    contents = _run_pg_restore("--list", str(path))
    if " EXTENSION - citus" in contents:
        raise Misconfigured(_CLUSTER)
    if " TABLE DATA " not in contents:
        raise Misconfigured(f"{path} has no tables.")
    _run_pg_restore("--file=/dev/null", str(path))
    return path


def _run_pg_restore(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """Runs the server's program, and returns its output. Raises ``Misconfigured``."""
    program = shutil.which("pg_restore")
    if program is None:
        raise Misconfigured(
            "The program pg_restore isn't here: install PostgreSQL's client programs, at least as "
            "new as the server, and add their folder to PATH."
        )
    done = subprocess.run(  # noqa: S603
        [program, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        hint = (
            f" {program} is older than the program that wrote the file: install newer client "
            "programs, and put their folder first in PATH."
        )
        raise Misconfigured(
            f"{arguments[-1]} can't be restored ({'; '.join(lines[:3])})."
            f"{hint if 'unsupported version' in done.stderr else ''}"
        )
    return done.stdout


# rule: secret-unseen
def _libpq(database_url: str) -> tuple[str, dict[str, str]]:
    """Returns the URL for libpq's programs without its password, and the environment with it."""
    target = url.parse(database_url)
    parts = urlsplit(target.url)
    login, at, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    options = "&".join([parts.query, *(f"{k}={v}" for k, v in target.options.items())]).strip("&")
    address = urlunsplit(parts._replace(netloc=f"{user}{at}{hosts}", query=options))
    return address, {"PGPASSWORD": unquote(password)} if password else {}


async def find_backup_time(tx: Reader, now: str) -> str:
    """Returns about when the backup was made: the newest time in it."""
    row = await tx.one("newest_time", now=now)
    return "" if row is None or row[0] is None else row[0]
