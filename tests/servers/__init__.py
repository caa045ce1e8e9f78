"""Real servers for tests, benchmarks and fault drills: PostgreSQL, Redis and the program itself.

Nothing here needs pytest. A server stops when its object is closed or collected, or when the
interpreter ends; a small minder process survives even a `kill -9` of the tests and cleans up. Start
reading at ``service.Service``; ``base.Program`` is the common base.

    with PostgresServer() as postgres:
        settings = {"WISHWELL_DATABASE_URL": postgres.create_database()}
        service = Service(settings)
        service.cli("init")
        with service:
            service.client(service.admin_token()).get("/items")
"""

from tests.servers.base import (
    HERE,
    PREFIX,
    Program,
    ServerFailed,
    answers,
    connects,
    free_port,
    wait_until,
)
from tests.servers.citus import Cluster, OwnCluster, has_citus
from tests.servers.postgres import PostgresServer, holding, postgres_binaries
from tests.servers.redis import RedisServer, redis_binary
from tests.servers.service import PRINTED, SECRETS, WISHWELL, Service

__all__ = [
    "HERE",
    "PREFIX",
    "PRINTED",
    "SECRETS",
    "WISHWELL",
    "Cluster",
    "OwnCluster",
    "PostgresServer",
    "Program",
    "RedisServer",
    "ServerFailed",
    "Service",
    "answers",
    "connects",
    "free_port",
    "has_citus",
    "holding",
    "postgres_binaries",
    "redis_binary",
    "wait_until",
]
