"""PgBouncer, a connection pooler for PostgreSQL."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

from tests.servers.base import HERE, Program, connects, free_port
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
    """A pooler with ``size`` connections to a server, in pool mode ``mode``."""

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
        argv = [pgbouncer_binary(), self.folder / "settings"]
        self.begin(argv, partial(connects, self.port), seconds=60, **self._as_user)
