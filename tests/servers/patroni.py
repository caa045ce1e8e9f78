"""A PostgreSQL cluster managed by Patroni with etcd: three nodes on the loopback."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
from functools import partial
from pathlib import Path

import httpx2

from tests.servers.base import HERE, Program, ServerFailed, connects, free_port, wait_until
from tests.servers.postgres import unprivileged

DEPLOY = Path(__file__).parents[2] / "deploy"
BIN = Path("/usr/lib/postgresql/15/bin")


def missing() -> str:
    """Returns the programs that this system lacks for a cluster; empty if none."""
    programs = [name for name in ("patroni", "etcd") if not shutil.which(name)]
    return ", ".join([*programs, *([] if BIN.exists() else [str(BIN)])])


class Etcd(Program):
    """A single etcd without durable storage."""

    def __init__(self) -> None:
        super().__init__("etcd")
        self.port, peers = free_port(), free_port()
        mine, theirs = f"http://{HERE}:{self.port}", f"http://{HERE}:{peers}"
        # Version 2 of the API, because Patroni before 3.0.3 can overwrite another's lock through
        # version 3.
        argv = ["etcd", "--data-dir", self.folder / "data", "--unsafe-no-fsync", "--enable-v2"]
        argv += ["--listen-client-urls", mine, "--advertise-client-urls", mine]
        argv += ["--listen-peer-urls", theirs, "--initial-advertise-peer-urls", theirs]
        argv += ["--initial-cluster", f"default={theirs}"]
        self.begin(argv, f"{mine}/health")


class Node(Program):
    """A Patroni node with its PostgreSQL."""

    def __init__(self, number: int, etcd: Etcd) -> None:
        super().__init__("patroni")
        user = unprivileged()
        if user:
            os.chown(self.folder, user["user"], user["group"])
        self.port, self.rest = free_port(), free_port()
        self._as_user = user
        sql, rest = f"{HERE}:{self.port}", f"{HERE}:{self.rest}"
        self._environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "LC_ALL": "C",
            "PATRONI_NAME": f"node{number}",
            "PATRONI_ETCD_HOSTS": f"{HERE}:{etcd.port}",
            "PATRONI_RESTAPI_LISTEN": rest,
            "PATRONI_RESTAPI_CONNECT_ADDRESS": rest,
            "PATRONI_POSTGRESQL_LISTEN": sql,
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": sql,
            "PATRONI_POSTGRESQL_DATA_DIR": str(self.folder / "data"),
            "PATRONI_POSTGRESQL_BIN_DIR": str(BIN),
            "PATRONI_POSTGRESQL_PGPASS": str(self.folder / "pgpass"),
            "PATRONI_SUPERUSER_USERNAME": "wishwell",
            "PATRONI_SUPERUSER_PASSWORD": "wishwell",
            "PATRONI_REPLICATION_USERNAME": "replicator",
            "PATRONI_REPLICATION_PASSWORD": "replicator",
        }
        self.start()

    def start(self) -> None:
        """Starts the node and waits until its PostgreSQL runs, as a primary or a standby."""
        argv = ["/usr/bin/python3", shutil.which("patroni"), DEPLOY / "patroni.yml"]
        url, options = f"http://{HERE}:{self.rest}/health", {"env": self._environment}
        self.begin(argv, url, seconds=90, **options | self._as_user)

    def freeze(self) -> None:
        """Suspends Patroni alone; its PostgreSQL keeps running. ``resume`` resumes both."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def status(self, path: str) -> int:
        with contextlib.suppress(httpx2.HTTPError):
            url = f"http://{HERE}:{self.rest}{path}"
            return httpx2.get(url, trust_env=False, timeout=1).status_code
        return 0


class Cluster:
    """Three nodes; a commit waits for one of the standbys."""

    def __init__(self) -> None:
        self.etcd = Etcd()
        self.nodes = [Node(number, self.etcd) for number in (1, 2, 3)]
        if not wait_until(lambda: self._standbys() == 2, seconds=60, every=0.2):
            raise ServerFailed(f"no cluster: {[node.output()[-2000:] for node in self.nodes]}")

    def _standbys(self) -> int:
        synchronous = sum(node.status("/synchronous") == 200 for node in self.nodes)
        return sum(node.status("/replica") == 200 for node in self.nodes) if synchronous else 0

    def primary(self) -> Node | None:
        return next((node for node in self.nodes if node.status("/primary") == 200), None)

    def url(self, database: str) -> str:
        hosts = ",".join(f"{HERE}:{node.port}" for node in self.nodes)
        return f"postgresql://wishwell:wishwell@{hosts}/{database}"

    def close(self) -> None:
        for node in self.nodes:
            with contextlib.suppress(ServerFailed):
                node.resume()
            node.close()
        self.etcd.close()


class HAProxy(Program):
    """HAProxy with `deploy/haproxy.cfg`: one address for a cluster's primary."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__("haproxy")
        self.port = free_port()
        text = (
            (DEPLOY / "haproxy.cfg").read_text().replace("bind :5432", f"bind {HERE}:{self.port}")
        )
        for number, node in enumerate(cluster.nodes, 1):
            ours = f"{HERE}:{node.port} port {node.rest}"
            text, count = re.subn(rf"db{number}:5432$", ours, text, flags=re.MULTILINE)
            assert count == 1
        (self.folder / "haproxy.cfg").write_text(text)

    def start(self) -> None:
        argv = [haproxy(), "-db", "-f", self.folder / "haproxy.cfg"]
        self.begin(argv, partial(connects, self.port))


def haproxy() -> str | None:
    """Returns the path of the program, or `None`. Debian installs it where only root's PATH leads."""
    return shutil.which("haproxy", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
