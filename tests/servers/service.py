"""The program itself as a process, and a record of everything it prints."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import asyncpg
import httpx2

from tests.servers import documented, prism
from tests.servers.base import HERE, PREFIX, Program, ServerFailed, answers, free_port, wait_until
from tests.servers.forked import Loaded
from tests.servers.kept import CommandFailed, Interpreters

# Everything that the program printed in this run (the lines of each service and command), and every
# error and metrics response; and the secrets that none of it may contain:
# tests/security/secrets_in_print.py.
PRINTED: list[list[str]] = []
SECRETS: set[str] = set()

# A shared TLS context that trusts nothing, because each client would otherwise spend 40 ms on
# loading certificates that loopback tests don't need.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _secrets_of(settings: dict[str, str]) -> set[str]:
    """Returns the keys and database passwords in a service's settings."""
    names = ("WISHWELL_SIGNING_KEYS", "WISHWELL_SEALING_KEYS")
    found = {key for name in names for key in settings.get(name, "").split(",")}
    for name in ("WISHWELL_DATABASE_URL", "WISHWELL_REDIS_URL", "WISHWELL_SMTP_URL"):
        with contextlib.suppress(ValueError):
            password = urlsplit(settings.get(name, "")).password or ""
            found |= {password, unquote(password)}
    # Short values of bad settings, such as `abc`, are part of many words.
    return {secret for secret in found if len(secret) >= 12}


def _note_request(request: httpx2.Request) -> None:
    """Records a request's token and e-mail address as secrets."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Bearer" and len(token) >= 12:
        SECRETS.add(token)
    if request.url.path.endswith("/profiles/identify"):
        with contextlib.suppress(ValueError, AttributeError, RecursionError, httpx2.RequestNotRead):
            email = json.loads(request.content).get("email")
            if isinstance(email, str) and len(email) >= 12 and "@" in email:
                SECRETS.add(email)


def _note_response(response: httpx2.Response) -> None:
    """Records the time, an issued token as a secret, and errors and metrics as printed."""
    response.extensions["received"] = time.time()
    path = response.request.url.path
    if path.endswith("/profiles/token") and response.status_code == 201:
        SECRETS.add(json.loads(response.read())["data"]["token"])
    elif response.status_code >= 400 or path == "/metrics":
        with contextlib.suppress(UnicodeDecodeError):
            head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
            PRINTED.append([head, response.read().decode()])


WISHWELL = Path(sys.executable).parent / "wishwell"
_KEPT = Interpreters()
_LOADED = Loaded()


def _collect(pipe: int, lines: list[str]) -> None:
    with open(pipe, errors="replace") as stream:
        for line in stream:
            lines += [line.rstrip("\n")]


async def _rows(url: str, sql: str) -> list[tuple]:
    unchecked = {"session_replication_role": "replica"}
    connection = await asyncpg.connect(url, server_settings=unchecked)
    try:
        return [tuple(row) for row in await connection.fetch(sql)]
    finally:
        await connection.close()


class Service(Program):
    """`wishwell serve` as a process with its own folder and a clean environment.

    It is forked from an interpreter that has loaded the program, unless ``executed`` is true.
    """

    def __init__(
        self,
        settings: dict[str, str] | None = None,
        *,
        env: dict[str, str] | None = None,
        executed: bool = False,
    ):
        super().__init__("service")
        self._executed = executed
        self.settings = {"WISHWELL_PORT": "0"} | (settings or {})
        self.command = WISHWELL
        self._extra = env or {}
        self._owned |= {"clients": []}
        self._out: list[str] = []
        self._err: list[str] = []
        PRINTED.extend((self._out, self._err))
        SECRETS.update(_secrets_of(self.settings))
        self._readers: list[threading.Thread] = []
        self._tokens: dict[str, str] = {}
        self.url: str | None = None

    def beside(self) -> Service:
        """Returns another service on the same database, not started."""
        url = self.settings["WISHWELL_DATABASE_URL"]
        url = url.replace("sqlite:///wishwell.db", f"sqlite:///{self.folder}/wishwell.db")
        own = {"WISHWELL_DATABASE_URL": url, "WISHWELL_PORT": "0"}
        return Service(self.settings | own, env=self._extra)

    @property
    def environment(self) -> dict[str, str]:
        """The program's environment: of the tests' environment only PATH."""
        clean = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            # Files that a killed process leaves are deleted with the folder.
            "TMPDIR": str(self.folder),
        }
        return clean | self._extra | self.settings

    def start(self, *, timeout: float = 180) -> Service:
        """Starts the program and waits for the log line with its URL. Creates an embedded
        database that doesn't exist."""
        self._create()
        began = len(self._out)
        pipes = [os.pipe() for _ in range(2)]
        try:
            self._run(["serve"], *(write for _, write in pipes))
        finally:
            for _, write in pipes:
                os.close(write)
        self._readers = [
            threading.Thread(target=_collect, args=(read, lines), daemon=True)
            for (read, _), lines in zip(pipes, (self._out, self._err), strict=True)
        ]
        for reader in self._readers:
            reader.start()
        there = partial(self._listening, began)
        wait_until(lambda: there() or not self.running, seconds=timeout)
        if not self.running or not there():
            code = self.process.poll()
            self.kill()
            raise ServerFailed(f"wishwell serve is not ready; exit code {code}\n{self.output()}")
        self.url = there()
        return self

    def start_into(self, log: int, *words: str, timeout: float = 180) -> Service:
        """Starts with standard output and error in an open file of the caller's."""
        if "--welcome" not in words:
            self._create()
        if self.settings["WISHWELL_PORT"] == "0":
            self.settings["WISHWELL_PORT"] = str(free_port())
        self.url = f"http://{HERE}:{self.settings['WISHWELL_PORT']}"
        self._run(["serve", *words], log, log)
        live = f"{self.url}/livez"
        wait_until(lambda: answers(live) or not self.running, seconds=timeout)
        if not answers(live):
            code = self.process.poll()
            self.kill()
            raise ServerFailed(f"wishwell serve does not answer; its exit code: {code}")
        return self

    def _run(self, args: list[str], out: int, err: int) -> None:
        """Starts the program with files for its output."""
        environment = self.environment
        # Python reads these variables at its start only.
        has_python_settings = any(name.startswith("PYTHON") for name in environment)
        if self._executed or self.command != WISHWELL or has_python_settings:
            argv = [self.command, *args]
            self._spawn(argv, stdout=out, stderr=err, cwd=self.folder, env=environment)
        else:
            self._owned["process"] = _LOADED.fork(args, out, err, self.folder, environment)

    def _create(self) -> None:
        url = self.settings.get("WISHWELL_DATABASE_URL", "sqlite:///wishwell.db")
        path = url.removeprefix("sqlite:///")
        if path != url and not (self.folder / unquote(path)).exists():
            self.cli("init")

    def _listening(self, began: int) -> str | None:
        """Returns the URL in the `listening` log line, or `None`."""
        for line in self._out[began:]:
            with contextlib.suppress(ValueError, AttributeError):
                if (entry := json.loads(line)).get("event") == "listening":
                    return entry["url"]
        return None

    def stop(self, *, timeout: float = 60) -> int:
        """Sends SIGTERM and waits; returns the exit code."""
        code = self.end(signal.SIGTERM, timeout)
        self._drain()
        return code

    def kill(self) -> None:
        super().kill()
        self._drain()

    def _drain(self) -> None:
        for reader in self._readers:
            reader.join(5)

    def restart(self, *, settings: dict[str, str] | None = None) -> Service:
        """Stops and starts again on the same port, so that existing clients keep working."""
        if self.running:
            self.stop()
        if self.url:
            self.settings["WISHWELL_PORT"] = self.url.rpartition(":")[2]
        self.settings |= settings or {}
        SECRETS.update(_secrets_of(self.settings))
        return self.start()

    def log_lines(self) -> list[str]:
        """Returns every line of standard output since the first start."""
        return list(self._out)

    def output(self) -> str:
        """Returns everything that it printed, including standard error."""
        return "\n".join([*self._out, *self._err])

    def cli(
        self, *args: str, check: bool = True, timeout: float = 120, input: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs `wishwell` with this service's settings and folder: `serve` as a process, other
        commands in a pooled interpreter, in a fork."""
        if self.command == WISHWELL and args[:1] != ("serve",):
            code, out, err = self._command(args, self.environment, input, timeout, apart=True)
            done = subprocess.CompletedProcess(["wishwell", *args], code, out, err)
        else:
            done = self.run([str(self.command), *args], input=input, timeout=timeout)
            self._overhear(args, done.stdout, done.stderr)
        if check and done.returncode:
            said = f"{done.returncode}\n{done.stdout}{done.stderr}"
            raise ServerFailed(f"wishwell {' '.join(args)} ended with {said}")
        return done

    def run(self, argv: list[str], **options) -> subprocess.CompletedProcess[str]:
        """Runs any program in this service's folder and environment."""
        given = {"capture_output": True, "text": True, "timeout": 120}
        given |= {"cwd": self.folder, "env": self.environment}
        return subprocess.run(argv, **given | options)

    def quick(self, *args: str) -> str:
        """Runs a command in a pooled interpreter; returns its standard output, and raises if it
        fails."""
        if self.command != WISHWELL:
            return self.cli(*args).stdout
        code, out, err = self.attempt(*args)
        if code:
            raise ServerFailed(f"wishwell {' '.join(args)} ended with {code}\n{out}{err}")
        return out

    def attempt(self, *args: str, **settings: str) -> tuple[int, str, str]:
        """Runs a command that may fail; returns exit code (70 after a traceback), stdout and
        stderr."""
        return self._command(args, self.environment | settings, "", 120, apart=False)

    def _command(
        self, args: tuple[str, ...], env: dict[str, str], input: str, seconds: float, *, apart: bool
    ) -> tuple[int, str, str]:
        try:
            code, out, err = _KEPT.run(args, env, self.folder, input, seconds, apart)
        except CommandFailed as failed:
            raise ServerFailed(f"{failed} at: wishwell {' '.join(args)}") from None
        self._overhear(args, out, err)
        return code, out, err

    def _overhear(self, args: tuple[str, ...], out: str, err: str) -> None:
        """Records a command's output. The token that `token create` prints is a secret; an `export`
        isn't searched, because it contains secrets by design."""
        if args[:2] == ("token", "create"):
            SECRETS.update(out.split())
            out = ""
        if args[:1] == ("export",):
            out = ""
        PRINTED.append([out, err])

    def rows(self, sql: str) -> list[tuple]:
        """Returns the rows of a statement on its database, without foreign key checks."""
        url = self.settings["WISHWELL_DATABASE_URL"]
        if url.startswith("sqlite"):
            path = self.folder / url.removeprefix("sqlite:///")
            with contextlib.closing(sqlite3.connect(path)) as database, database:
                return database.execute(sql).fetchall()
        return asyncio.run(_rows(url, sql))

    def create_token(self, store: str = "default", label: str = "test", *options: str) -> str:
        """Creates an admin token of a store."""
        words = ("--store", store, "--label", label, *options)
        return self.quick("token", "create", *words).strip()

    def admin_token(self, store: str = "default") -> str:
        """Returns an admin token of a store, created on the first call."""
        if store not in self._tokens:
            self._tokens[store] = self.create_token(store)
        return self._tokens[store]

    def client(self, token: str | None = None, profile: str | None = None) -> httpx2.Client:
        """Returns an API client with a token and a `Profile` header, if given."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if profile:
            headers["Profile"] = profile
        client = httpx2.Client(
            base_url=f"{self.url}{PREFIX}",
            headers=headers,
            timeout=15,
            verify=_NO_TLS,
            trust_env=False,
            event_hooks={
                "request": [_note_request],
                "response": [_note_response, documented.check, prism.check],
            },
        )
        self._owned["clients"].append(client)
        return client
