"""Checks everything that the service depends on, and reports the state of each and what to do.

Changes no data. Every check has a timeout, and no line contains a secret.
"""

import asyncio
import os
import re
import resource
import shutil
import time
from collections.abc import Awaitable
from dataclasses import fields
from pathlib import Path
from typing import Literal

import msgspec

from wishwell import config, ids, profiles, stores, version
from wishwell.access import access_cache, auth
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock
from wishwell.db.journal import Journal
from wishwell.db.postgres import failures
from wishwell.errors import DOCS, Unavailable
from wishwell.http import routes
from wishwell.outbound import Outbound
from wishwell.outbound.answer import Unanswered
from wishwell.server import database_checks, keys, opening, stored_placeholders
from wishwell.server.database_checks import CheckFailed, Note

SEE = {
    "files": "operations.md#several-processes",
    "disk": "runbooks.md#disk-full",
    "database": "runbooks.md#wishwelldatabaseaway",
    "migrations": "operations.md#migrations",
    "keys": "runbooks.md#lost-key",
    "journal": "operations.md#the-journal",
    "clock": "runbooks.md#clock-off",
    "webhooks": "runbooks.md#receiver-down",
    "mails": "runbooks.md#wishwellmailspaused",
    "servers": "runbooks.md#standby-promoted",
    "hosts": "storefront.md#a-store-and-its-shop",
    "placeholders": "rules/profiles.md#placeholder-ids",
    "redis": "runbooks.md#wishwelllimitsstoreaway",
    "service": "runbooks.md#wishwelldown",
}
"""The section of the documentation to read for each failed check."""

_TIMEOUT_SECONDS = 5.0
"""Timeout of a check."""

_MIN_FREE_MB = 500
_MIN_FILES = 4_096
"""Least number of files and connections that a process needs to be allowed."""

_MAX_NAMED = 10
"""Number of failing hosts that are named."""

_OVERDUE_SECONDS = 300.0
"""Seconds after which a background job counts as overdue, as for its alert."""

_UNKNOWN_PROXIES = r"^wishwell_unknown_proxy_requests_total (\S+)"
_DONE_PATTERN = r'background_done_timestamp_seconds\{task="(\w+)"\} (\S+)'
_MAX_HOSTS = 100


class Finding(msgspec.Struct, frozen=True):
    """The result of a check. ``state``: ``bad`` has to be repaired; a ``note`` may be intended."""

    state: Literal["ok", "note", "bad"]
    what: str
    says: str


# rule: command-doctor
async def run_checks(settings: Settings) -> list[Finding]:
    """Returns a line for each check. Skips the checks that need the database if it has failed."""
    lines = [
        Finding("ok", "build", version.full()),
        await _run_check("settings", _settings(settings)),
        await _run_check("files", _files()),
        await _run_check("disk", _disk(settings)),
        await _run_check("journal", _journal(settings)),
    ]
    opened: list[Database] = []
    lines.append(await _run_check("database", database_checks.check_database(settings, opened)))
    if lines[-1].state == "ok":
        lines.append(await _run_check("migrations", database_checks.check_migrations(settings)))
    for db in opened:
        if lines[-1].state == "ok":
            lines += [
                await _run_check("servers", database_checks.check_servers(settings)),
                await _run_check("keys", _keys(settings, db)),
                await _run_check("clock", database_checks.check_clock(db)),
                await _run_check("webhooks", database_checks.check_webhooks(db)),
                await _run_check("mails", database_checks.check_mails(db)),
                await _run_check("hosts", _hosts(settings, db)),
                await _run_check("placeholders", _placeholders(db)),
            ]
    sound = opened if all(line.state != "bad" for line in lines) else []
    lines += [
        await _run_check("redis", _redis(settings)),
        await _run_check("service", _service(settings, sound)),
    ]
    for db in opened:
        await db.close()
    return lines


async def _run_check(name: str, check: Awaitable[str]) -> Finding:
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            text = await check
        return Finding("note" if isinstance(text, Note) else "ok", name, str(text))
    except TimeoutError:
        text, see = f"There was no response within {_TIMEOUT_SECONDS:g} s.", SEE[name]
    except Exception as error:
        # The text of an unexpected error may contain a secret.
        text = failures.message_of(error) or f"{type(error).__name__}, a bug in wishwell."
        see = SEE["database" if isinstance(error, Unavailable) else name]
    link = "" if DOCS in text else f". See {DOCS}{see}"
    return Finding("bad", name, f"{' '.join(text.split()).removesuffix('.')}{link}")


async def _settings(settings: Settings) -> str:
    changed = [
        f"{config.PREFIX}{field.name.upper()}"
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    ]
    return f"set: {', '.join(changed) or 'none'}"


async def _files() -> str:
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    if max_files != resource.RLIM_INFINITY and max_files < _MIN_FILES:
        raise CheckFailed(
            f"Only {max_files:,} files and connections may be open. Raise `ulimit -Hn` to "
            f"{_MIN_FILES:,} or more."
        )
    return "enough files and connections may be open"


async def _disk(settings: Settings) -> str:
    if settings.engine != "sqlite":
        return Note("not checked here: the data is on the database server")
    folder = Path(settings.database_name).parent
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < _MIN_FREE_MB:
        raise CheckFailed(f"Only {free:,} MB are free in {folder}.")
    return f"{free:,} MB are free in {folder}"


async def _journal(settings: Settings) -> str:
    """Checks that acts can be recorded."""
    path = settings.journal_path
    if not path:
        return Note("off: set WISHWELL_JOURNAL, so that a restore can repeat erasures")
    checked_path = path if os.access(path, os.F_OK) else os.path.dirname(path) or "."  # noqa: PTH120
    is_file = os.path.isfile(path) or checked_path != path  # noqa: ASYNC240, PTH113
    if not (is_file and os.access(checked_path, os.W_OK)):
        raise CheckFailed(f"{path} can't be written, so nothing can be erased or revoked.")
    if Journal(path).is_another_file():
        raise CheckFailed(f"{path} isn't a journal; name a file for the journal alone.")
    return f"acts are recorded in {path}"


async def _keys(settings: Settings, db: Database) -> str:
    """Checks that the keys exist and decrypt all secrets. Creates no key."""
    missing = await db.read(keys.missing, settings)
    if missing and not any(missing.values()):
        return "will be created at the first start"
    replaced = await db.read(keys.check_signing_key, settings, ids.wall_clock())
    sealing = opening.sealing(settings)
    await db.read(keys.check_secrets, sealing)
    if sealing is None:
        return Note("WISHWELL_SEALING_KEYS is not set, so storefront and webhooks are turned off")
    if exposed := config.readable_by_others():
        owner = "make the service's user its owner, and run chmod 400"
        return Note(f"other users of this machine can read {', '.join(exposed)}: {owner}")
    if replaced:
        return Note(replaced)
    used = keys.key_ids(settings)[0]
    return f"present, and they decrypt all stored secrets; signing key {used}"


async def _hosts(settings: Settings, db: Database) -> str:
    """Checks that the shops' own hosts and the service's public addresses lead to this service."""
    listed = await db.read(stores.listed)
    hosts = [host for store in listed for host in store.hosts]
    paths = [f"{host}{settings.storefront_base}/api/items" for host in hosts[:_MAX_HOSTS]]
    paths += sorted({f"{one.naming.service_url}/livez" for one in listed if one.naming.service_url})
    outbound = Outbound(http=True, private=True)  # the operator chose these hosts

    async def unreachable(path: str) -> str:
        """Returns why a path doesn't reach this service, or ""."""
        try:
            answer = await outbound.call("GET", path, seconds=_TIMEOUT_SECONDS / 2)
        except Unanswered as error:
            return f"{path}: {error}"
        good = answer.status == 200 and answer.body.startswith((b'{"data":', b'{"status":'))
        return "" if good else f"{path} returns {answer.status} instead of a wishlist"

    wrong = [why for why in await asyncio.gather(*map(unreachable, paths)) if why]
    await outbound.close()
    if wrong:
        more = [one.partition(settings.storefront_base)[0] for one in wrong[1:_MAX_NAMED]]
        few = f"{len(wrong)} of {len(paths)} shop hosts don't reach this service"
        raise CheckFailed(f"{few}: {'; '.join([wrong[0], *more])}")
    if not hosts:
        return "no store has a host"
    if not settings.trusted_proxies:
        return Note("visitors have no rate limits until WISHWELL_TRUSTED_PROXIES names the proxies")
    return f"{min(len(hosts), _MAX_HOSTS)} of {len(hosts)} were checked and reach this service"


async def _placeholders(db: Database) -> str:
    count, commands = await db.read(stored_placeholders.commands)
    return Note(f"{count} ids are placeholders: {'; '.join(commands)}") if count else "none are ids"


async def _redis(settings: Settings) -> str:
    if not settings.redis_url:
        return "not used"
    from wishwell.ratelimits import shared

    limiter = shared.RedisLimiter(settings.redis_url, ids.wall_clock)
    await limiter.consume("doctor", 1, 0)
    memory = {} if limiter.is_unreachable else await limiter.memory()
    await limiter.close()
    if limiter.is_unreachable:  # it has logged why
        raise CheckFailed("It can't be reached, so each process counts rate limits on its own.")
    if memory.get("maxmemory") == 0 or memory.get("maxmemory_policy") == "noeviction":
        return Note("reachable, but set both maxmemory and the maxmemory-policy volatile-ttl")
    return "reachable; rate limits are shared"


async def _service(settings: Settings, opened: list[Database]) -> str:
    """Checks that the service is ready on this machine with these keys and this database, and that
    its background jobs finish."""
    if not settings.port:
        return Note("not checked: with WISHWELL_PORT=0 the port is unknown")
    address = f"{settings.host}:{settings.port}"
    try:
        ready = await _get(settings, "/readyz")
    except OSError as error:
        raise CheckFailed(f"No service is running on {address}.") from error
    if b" 200 " not in ready.partition(b"\r\n")[0]:
        raise CheckFailed(f"The service on {address} isn't ready.")
    for db in opened:
        await _check_token(settings, db, address)
    metrics_text = (await _get(settings, "/metrics")).decode()
    if overdue_jobs := _find_overdue_jobs(settings, metrics_text):
        raise CheckFailed(
            f"These background jobs haven't finished for minutes: {', '.join(overdue_jobs)}. "
            f"See {DOCS}runbooks.md#wishwellbackgroundstuck"
        )
    proxied_match = re.search(_UNKNOWN_PROXIES, metrics_text, re.MULTILINE)
    if proxied_match and float(proxied_match[1]):
        return Note(
            f"ready on {address}, but proxies outside WISHWELL_TRUSTED_PROXIES forwarded visitors "
            f"{float(proxied_match[1]):,.0f} times: their limits don't apply"
        )
    return f"ready on {address}; all background jobs run"


async def _check_token(settings: Settings, db: Database, address: str) -> None:
    """Raises ``CheckFailed`` if the service doesn't accept a token of these keys and database."""
    token = await _token(settings, db)
    answer = await _get(settings, f"{routes.PREFIX}/items", f"Authorization: Bearer {token}")
    if b" 401 " in answer.partition(b"\r\n")[0]:
        raise CheckFailed(
            f"The service on {address} has other signing keys or another database than this "
            "command: give both the same settings and folder."
        )


def _find_overdue_jobs(settings: Settings, metrics_text: str) -> list[str]:
    """Returns the names of the background jobs that haven't finished in time."""
    return [
        job
        for job, done_at in re.findall(_DONE_PATTERN, metrics_text)
        if time.time() - float(done_at)
        > _OVERDUE_SECONDS + 3 * settings.purge_interval * (job == "purge")
    ]


async def _token(settings: Settings, db: Database) -> str:
    """Returns a token of a customer who doesn't exist."""
    store = (await db.read(stores.listed))[0]
    clock, keys = ReferenceClock(ids.wall_clock), opening.signing_keys(settings)
    cache = access_cache.AccessCache(db, clock)
    issuer = auth.Authenticator(keys, cache, settings.session_namespace, clock)
    who = f"gid://{store.platform}/Customer/{ids.random_uuid()}"
    return issuer.issue(profiles.of_customer(store, who))


async def _get(settings: Settings, path: str, *headers: str) -> bytes:
    """Returns the whole response of the service on this machine."""
    reader, writer = await asyncio.open_connection(settings.host, settings.port)
    try:
        lines = (f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", "")
        writer.write("\r\n".join(lines).encode())
        return await reader.read()
    finally:
        writer.close()
