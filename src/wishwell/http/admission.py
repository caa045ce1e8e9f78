"""Admission: bounds how many requests a process works on at once, and answers others with 503.

The server asks it before it begins a request (docs/decisions/0015).
"""

from wishwell.access import addresses
from wishwell.access.access_cache import AccessCache
from wishwell.config import Settings
from wishwell.errors import Unavailable
from wishwell.http import responses
from wishwell.http.responses import Headers
from wishwell.limits import Limiter

# Made once, except for id, limits and CORS: under overload most answers are this one.
_ANSWER = responses.failure(Unavailable("Too many requests at once."), "\n")
_BODY = _ANSWER.body.split(b"\\n")
_HEAD = b"content-length: %d\r\n%s" % (
    len(_ANSWER.body) - 2 + 36,
    b"".join(b"%s: %s\r\n" % header for header in _ANSWER.headers),
)


class Admission:
    """The concurrency limit of a process (contract: overload-refused, slow-clients).

    A request whose body is still arriving does not count, so slow senders take no room from others.
    """

    def __init__(self, settings: Settings, limiter: Limiter, access_cache: AccessCache) -> None:
        self.paths = (b"/api/", f"{settings.storefront_base}/api/".encode())
        """Only requests below these may be refused because of load. Health is always answered."""
        self._limit = settings.max_in_flight
        self._limiter = limiter
        self._limit_address = settings.limit_address
        self._access_cache = access_cache
        self._reading = 0
        self._shed: dict[str, int] = {}
        self._turned_away = 0
        self.working = 0
        """How many API requests are in progress."""

    def admits(self, begun: int) -> bool:
        """Whether one more request may begin. ``begun``: how many the server has begun."""
        return begun - self._reading < self._limit

    def shed(self, pairs: Headers, method: str, peer: str) -> tuple[bytes, bytes]:
        """The 503 to a request that is not begun, as header lines and body.

        It counts for no rate limit and is not logged; ``refused`` counts it.
        """
        self._shed[method] = self._shed.get(method, 0) + 1
        headers = dict(pairs)
        id = responses.request_id(headers.get(b"x-request-id")).encode()
        more = self.limits(peer)
        if (origin := headers.get(b"origin")) is not None:
            more += responses.cors(
                origin, self._access_cache.allows_origin(origin.decode("latin-1"))
            )
        lines = b"".join([b"%s: %s\r\n" % header for header in more])
        return b"x-request-id: %s\r\n%s%s" % (id, _HEAD, lines), id.join(_BODY)

    def limits(self, peer: str) -> Headers:
        """The limit headers of a request that is not counted: those of its sender's address."""
        key = f"address:{addresses.direct(peer)}"
        return responses.limits(self._limiter.count(key, self._limit_address, 0))

    def __enter__(self) -> None:
        """Begins to work on one more request. Raises ``Unavailable`` if that is one too many.

        The server does not count pipelined requests, so this does.
        """
        if self.working >= self._limit:
            raise self._too_many()
        self.working += 1

    def __exit__(self, *_: object) -> None:
        self.working -= 1

    def begin_reading(self) -> None:
        """Call before a request in progress awaits its body."""
        self.working -= 1
        self._reading += 1

    def end_reading(self) -> None:
        self._reading -= 1
        self.working += 1

    def check(self) -> None:
        """Raises ``Unavailable`` if too many are in progress: many bodies may arrive at once."""
        if self.working > self._limit:
            raise self._too_many()

    def _too_many(self) -> Unavailable:
        self._turned_away += 1
        return Unavailable("Too many requests at once in this process.")

    def refused(self) -> tuple[dict[str, int], int]:
        """Requests refused since the last call: those not begun, by method, and by ``check``."""
        found = self._shed, self._turned_away
        self._shed, self._turned_away = {}, 0
        return found
