"""PgBouncer, a pooler in front of a PostgreSQL server."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from pathlib import Path

from tests.servers.base import HERE, Program, ServerFailed, free_port, wait_until
from tests.servers.postgres import PostgresServer, unprivileged

_SETTINGS = """
[databases]
* = host={here} port={server}
[pgbouncer]
listen_addr = {here}
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
server_idle_timeout = 5
"""


def pgbouncer_binary() -> str | None:
    found = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
    return found if Path(found).exists() else None


class PgBouncer(Program):
    """A pooler with ``size`` connections to a server, shared in ``mode``."""

    def __init__(self, server: PostgresServer, mode: str, size: int) -> None:
        super().__init__("pgbouncer")
        self._as_user = unprivileged()
        self.port = free_port()
        given = {"here": HERE, "server": server.port, "folder": self.folder, "port": self.port}
        settings = _SETTINGS.format(**given, mode=mode, size=size)
        (self.folder / "settings").write_text(settings)
        (self.folder / "users").write_text(f'"{server.user}" ""\n')
        if self._as_user:
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, self._as_user["user"], self._as_user["group"])
        self.start()

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            argv = [pgbouncer_binary(), self.folder / "settings"]
            self._spawn(argv, stdout=log, stderr=log, cwd=self.folder, **self._as_user)

        def answers() -> bool:
            with contextlib.suppress(OSError), socket.create_connection((HERE, self.port), 1):
                return True
            return False

        if not wait_until(lambda: answers() or not self.running, seconds=10) or not self.running:
            said = (self.folder / "log").read_text(errors="replace")
            raise ServerFailed(f"pgbouncer did not start: {said}")
