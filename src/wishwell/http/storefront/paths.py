"""What the paths below the base are, and what no request to them may hold. No I/O."""

import re
from typing import NamedTuple

from wishwell.errors import ExpectationFailed, Invalid, MethodNotAllowed, NotFound
from wishwell.http import routes
from wishwell.http.context import Request
from wishwell.http.routes import Route

# contract: storefront-paths
_PATH = re.compile(
    r"/(?:api(?P<api>(?:/[A-Za-z0-9_-]{1,64}){1,5})"
    r"|assets/(?P<asset>(?:wishwell|share)(?:-[0-9a-f]{1,64})?\.js)"
    r"|(?P<livez>livez))",
    re.ASCII,
)
_QUERY = re.compile(rb"[!-\"$-~]*")
_ONCE = (
    b"content-type",
    b"content-length",
    b"origin",
    b"sec-fetch-site",
    b"host",
    b"expect",
    b"authorization",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"wishwell-customer",
)


class Found(NamedTuple):
    """What a path is: a route of the API with its parameters, an asset's name, or ``livez``."""

    route: Route | None
    parameters: dict[str, str]
    asset: str | None

    @property
    def name(self) -> str:
        """For log and metrics."""
        if self.route is not None:
            return f"/storefront{self.route.path}"
        return "/storefront/assets" if self.asset else "/storefront/livez"

    @property
    def is_page(self) -> bool:
        """Whether it is all items or all lists, and not one record."""
        return self.route is not None and not self.parameters

    def begins(self, method: str) -> bool:
        """Whether this is for who has a shared list's token, and so may begin a session."""
        return "token" in self.parameters and method != "DELETE"


def find(request: Request, base: str) -> Found:
    """What the path is, as it was sent, percent-encoding and all; sets the request's route.

    Raises ``NotFound`` if it is nothing here, and ``MethodNotAllowed``.
    """
    match = _PATH.fullmatch(request.path, len(base))
    api = match["api"] if match else None
    route, parameters = routes.find(routes.PREFIX + api) if api else (None, {})
    if match is None or (api and not (route and route.on_storefront)):
        raise NotFound("There is nothing at this path.")
    found = Found(route, parameters, match["asset"])
    request.route, request.parameters = found.name, parameters
    allowed = routes.allowed(route) if route else ("GET", "HEAD")
    if request.method not in allowed:
        raise MethodNotAllowed(f"This path allows only {', '.join(allowed)}.", allowed)
    return found


# contract: storefront-strict
def check(request: Request) -> None:
    """Raises ``Invalid`` where two readers could take the request for different ones, and
    ``ExpectationFailed``."""
    target = request.asgi["wishwell.target"]
    if not target.startswith(b"/") or b"#" in target:
        raise Invalid("The request target must be a path without a #.")
    if not _QUERY.fullmatch(request.query_string):
        raise Invalid("The query string may hold printable ASCII characters only, and no #.")
    headers = request.headers
    request.check_once(*_ONCE)
    if b"transfer-encoding" in headers and b"content-length" in headers:
        raise Invalid("Content-Length and Transfer-Encoding can't both be sent.")
    if headers.get(b"expect", b"100-continue").lower() != b"100-continue":
        raise ExpectationFailed("Expect: only 100-continue can be met.")
