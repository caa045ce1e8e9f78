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
from wishwell.db import Database, migrate, run_statement
from wishwell.db.clock import ClockSuspect, ReferenceClock
from wishwell.db.journal import Journal
from wishwell.db.postgres import cluster, connecting, failures, url
from wishwell.db.postgres.hosts import Connection
from wishwell.errors import DOCS, ServiceError, Unavailable
from wishwell.http import routes
from wishwell.outbound import Outbound
from wishwell.outbound.answer import Unanswered
from wishwell.server import keys, opening, stored_placeholders

SEE = {
    "files": "operations.md#several-processes",
    "disk": "runbooks.md#disk-full",
    "database": "runbooks.md#wishwelldatabaseaway",
    "migrations": "operations.md#migrations",
    "keys": "runbooks.md#lost-key",
    "journal": "operations.md#the-journal",
    "clock": "runbooks.md#clock-off",
    "webhooks": "runbooks.md#receiver-down",
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

_MAX_OFFSET_MS = 5_000
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


class Note(str):
    """A result that may be intended or not."""


class CheckFailed(ServiceError):
    """A failed check."""


# rule: command-doctor
async def run_checks(settings: Settings) -> list[Finding]:
    """Returns a line for each check. Skips the checks that need the database if it has failed."""
    lines = [
        Finding("ok", "build", version.full()),
        await _line("settings", _settings(settings)),
        await _line("files", _files()),
        await _line("disk", _disk(settings)),
        await _line("journal", _journal(settings)),
    ]
    opened: list[Database] = []
    lines.append(await _line("database", _database(settings, opened)))
    if lines[-1].state == "ok":
        lines.append(await _line("migrations", _migrations(settings)))
    for db in opened:
        if lines[-1].state == "ok":
            lines += [
                await _line("servers", _servers(settings)),
                await _line("keys", _keys(settings, db)),
                await _line("clock", _clock(db)),
                await _line("webhooks", _webhooks(db)),
                await _line("hosts", _hosts(settings, db)),
                await _line("placeholders", _placeholders(db)),
            ]
    sound = opened if all(line.state != "bad" for line in lines) else []
    lines += [
        await _line("redis", _redis(settings)),
        await _line("service", _service(settings, sound)),
    ]
    for db in opened:
        await db.close()
    return lines


async def _line(what: str, seen: Awaitable[str]) -> Finding:
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            said = await seen
        return Finding("note" if isinstance(said, Note) else "ok", what, str(said))
    except TimeoutError:
        said, see = f"There was no response within {_TIMEOUT_SECONDS:g} s.", SEE[what]
    except Exception as error:
        # The text of an unexpected error may contain a secret.
        said = failures.message_of(error) or f"{type(error).__name__}, a bug in wishwell."
        see = SEE["database" if isinstance(error, Unavailable) else what]
    more = "" if DOCS in said else f". See {DOCS}{see}"
    return Finding("bad", what, f"{' '.join(said.split()).removesuffix('.')}{more}")


async def _settings(settings: Settings) -> str:
    changed = [
        f"{config.PREFIX}{field.name.upper()}"
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    ]
    return f"set: {', '.join(changed) or 'none'}"


async def _files() -> str:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < _MIN_FILES:
        raise CheckFailed(
            f"Only {most:,} files and connections may be open. Raise `ulimit -Hn` to "
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
    there = path if os.access(path, os.F_OK) else os.path.dirname(path) or "."  # noqa: PTH120
    is_file = os.path.isfile(path) or there != path  # noqa: ASYNC240, PTH113
    if not (is_file and os.access(there, os.W_OK)):
        raise CheckFailed(f"{path} can't be written, so nothing can be erased or revoked.")
    if Journal(path).is_another_file():
        raise CheckFailed(f"{path} isn't a journal; name a file for the journal alone.")
    return f"acts are recorded in {path}"


async def _database(settings: Settings, opened: list[Database]) -> str:
    """Checks that the database responds, and appends it to ``opened``."""
    began = time.monotonic()
    opening.require_database(settings)
    opened.append(opening.open_database(settings))
    await opened[0].ping()
    return f"{settings.engine}, responds in {(time.monotonic() - began) * 1000:.0f} ms"


async def _migrations(settings: Settings) -> str:
    if settings.engine == "sqlite":
        waiting = migrate.pending_sqlite(config.sqlite_path(settings.database_url))
    else:
        waiting = await migrate.pending_postgres(settings.database_url)
    if waiting:
        raise CheckFailed(f"Pending: {', '.join(waiting)}. Run `wishwell migrate`.")
    if settings.engine != "sqlite":
        await migrate.check_rights(settings.database_url)
    return "up to date"


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


async def _clock(db: Database) -> str:
    try:
        await db.read(ReferenceClock(ids.wall_clock).checked_now)
    except ClockSuspect as error:
        raise CheckFailed(f"{error.message}. Until then nothing is removed for its age.") from error
    # The database's clock, and when a process last took a lease for housekeeping.
    [[database_time, leased_at]] = await db.read(run_statement, "database_times")
    apart = abs(ids.wall_clock() - ids.from_timestamp(database_time))
    ahead = ids.from_timestamp(leased_at) - ids.wall_clock() if leased_at else 0
    if max(apart, ahead) > _MAX_OFFSET_MS:
        seconds = max(apart, ahead) / 1000
        raise CheckFailed(f"The clock differs by {seconds:,.0f} s from the times in the database.")
    return f"differs by {apart} ms from the database's clock"


async def _webhooks(db: Database) -> str:
    if failing := await db.read(run_statement, "webhooks_failing"):
        handle, id, since, problem = failing[0]
        first = f"{id} of store {handle} since {since}. {problem}".strip()
        raise CheckFailed(f"{len(failing)} webhooks fail; the first: {first}")
    return "no webhook fails"


async def _servers(settings: Settings) -> str:
    """Checks the hosts in the database URL, and the servers of a cluster."""
    if settings.engine == "sqlite":
        return "one embedded file"
    target = url.parse(settings.database_url)._replace(options={"target_session_attrs": "any"})

    async def ask(address: url.Address) -> str:
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS / 2):
                there = await connecting.open_one(target, address, statement_cache_size=0)
                standby = await there.fetchval("SELECT pg_is_in_recovery()")
                there.terminate()
        except Exception as error:
            return f"{address} can't be reached ({type(error).__name__})"
        return f"{address} {'is a standby' if standby else 'accepts writes'}"

    several = len(target.addresses) > 1
    said = "; ".join(await asyncio.gather(*map(ask, target.addresses))) if several else "one server"
    if "can't be reached" in said or (said.count("accepts writes") > 1 and not target.random_order):
        raise CheckFailed(f"{said}.")
    there = await connecting.connect(settings.database_url, timeout=_TIMEOUT_SECONDS / 2)
    try:
        await _check_server(settings, there)
        if there.get_settings().server_encoding == "SQL_ASCII":
            return Note(f"{said}; the encoding is SQL_ASCII, so search is case-sensitive: use UTF8")
        if not await cluster.is_distributed(there):
            return said
        if pairs := await cluster.disconnected_pairs(there):
            raise CheckFailed(f"These servers of the cluster can't connect: {', '.join(pairs)}.")
        return f"{said}; all servers of the cluster can connect to each other"
    finally:
        there.terminate()


async def _check_server(settings: Settings, there: Connection) -> None:
    """Raises ``CheckFailed`` if the server has too few connections, or a pooler needs timeouts."""
    pid, most, *timeouts = await there.fetchrow(
        "SELECT pg_backend_pid(), current_setting('max_connections')::int"
        " - current_setting('superuser_reserved_connections')::int,"
        " current_setting('statement_timeout'),"
        " current_setting('idle_in_transaction_session_timeout')"
    )
    wanted = settings.workers * settings.database_connections
    if pid != there.get_server_pid():  # a pooler, which has its own limit of connections
        if "0" in timeouts:
            raise CheckFailed(
                "There is a connection pooler, and the role has no statement_timeout or no "
                "idle_in_transaction_session_timeout. Set both with ALTER ROLE."
            )
    elif wanted > most:
        raise CheckFailed(
            f"The service may open {wanted} connections (WISHWELL_WORKERS times "
            f"WISHWELL_DATABASE_CONNECTIONS), but the server allows {most}."
        )


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
    return Note(f"{count} ids are placeholders: {'; '.join(commands)}") if count else "no ids"


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
    place = f"{settings.host}:{settings.port}"
    try:
        ready = await _get(settings, "/readyz")
    except OSError as error:
        raise CheckFailed(f"No service is running on {place}.") from error
    if b" 200 " not in ready.partition(b"\r\n")[0]:
        raise CheckFailed(f"The service on {place} isn't ready.")
    for db in opened:
        token = await _token(settings, db)
        answer = await _get(settings, f"{routes.PREFIX}/items", f"Authorization: Bearer {token}")
        if b" 401 " in answer.partition(b"\r\n")[0]:
            raise CheckFailed(
                f"The service on {place} has other signing keys or another database than this "
                "command: give both the same settings and folder."
            )
    measured = (await _get(settings, "/metrics")).decode()
    overdue_jobs = [
        job
        for job, finished_at in re.findall(_DONE_PATTERN, measured)
        if time.time() - float(finished_at)
        > _OVERDUE_SECONDS + 3 * settings.purge_interval * (job == "purge")
    ]
    if overdue_jobs:
        raise CheckFailed(
            f"These background jobs haven't finished for minutes: {', '.join(overdue_jobs)}. "
            f"See {DOCS}runbooks.md#wishwellbackgroundstuck"
        )
    proxied = re.search(_UNKNOWN_PROXIES, measured, re.MULTILINE)
    if proxied and float(proxied[1]):
        return Note(
            f"ready on {place}, but proxies outside WISHWELL_TRUSTED_PROXIES forwarded visitors "
            f"{float(proxied[1]):,.0f} times: their limits don't apply"
        )
    return f"ready on {place}; all background jobs run"


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
