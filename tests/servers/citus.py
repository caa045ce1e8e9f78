"""Databases on all servers of a PostgreSQL cluster with Citus, running or started here."""

from __future__ import annotations

import itertools
import os
import re
import secrets
import subprocess
from pathlib import Path

from tests.servers.base import HERE, ServerFailed
from tests.servers.postgres import PostgresServer, postgres_binaries


class Cluster:
    """The cluster of a coordinator's URL, with the interface of ``PostgresServer``.

    WISHWELL_TEST_CITUS_NODE is the index of the server that the program uses; 0, the default, is
    the coordinator.
    """

    spread = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._names = itertools.count(1)
        self._made: list[str] = []
        found = self.sql("SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid")
        self.nodes = [tuple(line.split("|")) for line in found.split()]
        self._node = int(os.environ.get("WISHWELL_TEST_CITUS_NODE", "0"))

    def url(self, database: str, node: int = 0) -> str:
        """Returns the URL of a database through one of the servers."""
        url = re.sub(r"/[^/]*$", f"/{database}", self._url)
        if node:
            url = re.sub(r"[^@/]+(?=/[^/]*$)", ":".join(self.nodes[node]), url)
        return url

    def url_of_all(self, database: str) -> str:
        """Returns the URL of a database with all servers, for load balancing."""
        hosts = ",".join(":".join(node) for node in self.nodes)
        url = re.sub(r"[^@/]+(?=/[^/]*$)", hosts, self.url(database))
        return f"{url}?load_balance_hosts=random"

    def asked(self, url: str) -> str:
        """Returns the program's URL for the same database."""
        return self.url(url.rpartition("/")[2], self._node)

    def sql(self, statement: str, database: str | None = None, node: int = 0) -> str:
        """Runs a statement through psql; returns its rows, one a line, columns separated by `|`."""
        url = self._url if database is None else self.url(database, node)
        done = subprocess.run(
            [postgres_binaries() / "psql", "-XwqAt", "-v", "ON_ERROR_STOP=1", url, "-c", statement],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise ServerFailed(f"psql: {done.stdout}{done.stderr}")
        return done.stdout

    def create_database(self) -> str:
        """Creates an empty database that knows all servers; returns its URL."""
        name = f"wishwell_{next(self._names)}_{secrets.token_hex(4)}"
        self._made.append(name)
        for node in range(len(self.nodes)):
            self.sql(f"CREATE DATABASE {name} TEMPLATE template0", "postgres", node)
            self.sql("CREATE EXTENSION citus", name, node)
        (host, port), *workers = self.nodes
        add = "".join(f"SELECT citus_add_node('{host}', {port});" for host, port in workers)
        self.sql(f"SELECT citus_set_coordinator_host('{host}', {port});{add}", name)
        return self.url(name)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._made:
            for node in reversed(range(len(self.nodes))):
                self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", "postgres", node)


def has_citus() -> bool:
    """Returns whether the tests' PostgreSQL has Citus."""
    return any(postgres_binaries().parent.glob("lib/**/citus.so"))


def settings() -> dict[str, str]:
    """Returns the settings of deploy/citus.conf for a cluster without certificates."""
    text = (Path(__file__).parents[2] / "deploy" / "citus.conf").read_text()
    found = dict(re.findall(r"^([\w.]+) = '?(.+?)'?$", text, re.MULTILINE))
    return found | {"citus.node_conninfo": "sslmode=disable"}


class OwnCluster(Cluster):
    """A cluster for one test, which may break it: a coordinator and two workers."""

    def __init__(self, workers: int = 2) -> None:
        self.servers = [self._server() for _ in range(workers + 1)]
        first, *others = self.servers
        for server in self.servers:
            server.sql("CREATE EXTENSION citus")
        first.sql(f"SELECT citus_set_coordinator_host('{HERE}', {first.port})")
        for server in others:
            first.sql(f"SELECT citus_add_node('{HERE}', {server.port})")
        super().__init__(first.url("postgres"))
        self._turns = itertools.cycle(reversed(self.servers))
        self._struck = first

    def stop(self, mode: str = "fast") -> None:
        """Stops a server, a different one each time; the coordinator comes last."""
        self._struck = next(self._turns)
        self._struck.stop(mode)

    def start(self) -> None:
        """Starts the stopped server."""
        self._struck.start()

    def pause(self) -> None:
        """Suspends a server, in the same turn as `stop`."""
        self._struck = next(self._turns)
        self._struck.pause()

    def resume(self) -> None:
        """Resumes the suspended server."""
        self._struck.resume()

    def _server(self) -> PostgresServer:
        return PostgresServer(settings=settings(), fsync=True)

    def add_worker(self, database: str) -> None:
        """Starts another worker with only this database, without data yet."""
        server = self._server()
        self.servers.append(server)
        server.sql(f"CREATE DATABASE {database} TEMPLATE template0")
        server.sql("CREATE EXTENSION citus", database)
        self.sql(f"SELECT citus_add_node('{HERE}', {server.port})", database)

    def close(self) -> None:
        for server in self.servers:
            server.close()

    def __exit__(self, *_: object) -> None:
        self.close()
