"""What a handler is given: the parts of the service, and the request."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from wishwell import ids
from wishwell.auth import Caller, Tokens
from wishwell.config import Settings
from wishwell.db import Database
from wishwell.directory import Directory
from wishwell.errors import Unavailable
from wishwell.http import broken
from wishwell.http.answers import Headers
from wishwell.limits import Limiter, LocalLimiter, Taken
from wishwell.pages import Sealer
from wishwell.profiles import Scope


@dataclass(slots=True, kw_only=True)
class Services:
    """Everything that is open while the service runs. Built by ``app``, and only there."""

    settings: Settings
    db: Database
    directory: Directory
    tokens: Tokens
    limiter: Limiter
    local_limiter: LocalLimiter
    sealer: Sealer
    clock: ids.Clock
    new_id: ids.UUID7

    def now(self) -> str:
        """The time as records carry it."""
        return ids.timestamp(self.clock())


@dataclass(slots=True)
class Room:
    """How many requests are worked on at once, and may be; ``reading`` are those whose bodies are
    awaited, which take no room."""

    limit: int
    shed: Callable[[], None]
    """Called for each that is turned away."""
    taken: int = 0
    reading: int = 0

    def enter(self) -> None:
        self.taken += 1

    def leave(self) -> None:
        self.taken -= 1

    def begin_reading(self) -> None:
        self.taken -= 1
        self.reading += 1

    def end_reading(self) -> None:
        self.reading -= 1
        self.taken += 1

    def check(self) -> None:
        """Raises ``Unavailable`` when there are too many, as so many bodies came at once."""
        if self.taken > self.limit:
            self.shed()
            raise Unavailable("Too many requests at once in this process.")


Receive = Callable[[], Awaitable[dict[str, Any]]]


@dataclass(slots=True)
class Request:
    """One request on its way through the pipeline."""

    id: str
    method: str
    path: str
    query_string: bytes
    headers: dict[bytes, bytes]
    pairs: Headers
    """All header lines; ``headers`` has the last of each name."""
    peer: str
    receive: Receive
    asgi: dict[str, Any]
    """The scope: the server writes into it what it finds while the body comes."""
    room: Room
    reading: bool = False
    """Whether the body is awaited: nothing has been done yet."""
    route: str = "unknown"
    parameters: dict[str, str] = field(default_factory=dict)
    """Those of its path, by name."""
    caller: Caller | None = None
    taken: Taken | None = None
    """The limit that it was counted for, once it was."""
    scope: Scope | None = None

    def check_whole(self) -> None:
        """Raises what became of a body that broke off while it came."""
        broken.check(self.asgi)

    @property
    def reads(self) -> bool:
        return self.method in ("GET", "HEAD")

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")
