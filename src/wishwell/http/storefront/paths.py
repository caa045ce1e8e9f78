"""Routing below the storefront's base, and checks against ambiguous requests. No I/O."""

import re

from wishwell.errors import Invalid, MethodNotAllowed, NotFound
from wishwell.http import routes
from wishwell.http.context import Request
from wishwell.http.routes import Route
from wishwell.http.storefront import visitors

# rule: storefront-paths
_PATH = re.compile(
    r"/api(?P<visitor>/visitor/(?:token|link))"
    r"|/api(?P<api>(?:/[A-Za-z0-9_-]{1,64}){1,5})"
    r"|/assets/(?P<asset>[a-z]{1,20}(?:-[a-z]{1,20})?\.(?:js|css))"
    r"|/mail/(?P<mail>[A-Za-z0-9_]{1,64})"
    r"|(?P<page>/?|/shared)",
    re.ASCII,
)
_QUERY = re.compile(rb"[!-\"$-~]*")
_ONCE = (
    b"content-type",
    b"content-length",
    b"origin",
    b"sec-fetch-site",
    b"host",
    b"authorization",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"wishwell-customer",
    b"wishwell-email",
)


_LABELS = {"asset": "/assets", "mail": "/mail", "page": "/", "visitor": ""}


def find(request: Request, base: str) -> tuple[Route | str, str]:
    """Returns the API route or "asset", "mail", "page" or "visitor", and the part of the path that
    names it.

    Matches the raw path, percent-encoding included. Sets the request's route and parameters.
    Raises ``NotFound`` and ``MethodNotAllowed``.
    """
    match = _PATH.fullmatch(request.path, len(base))
    kind = (match and match.lastgroup) or ""
    name = match[kind] if match else ""
    route, request.parameters = routes.find(routes.PREFIX + name) if kind == "api" else (None, {})
    if kind not in _LABELS and not (route and route.on_storefront):
        raise NotFound("There is nothing at this path.", "path_not_found")
    request.route = f"/storefront{route.path if route else _LABELS[kind] or name}"
    allowed = routes.allowed(route) if route else ("GET", "HEAD")
    if kind == "mail":
        allowed = ("GET", "HEAD", "POST")
    if kind == "visitor":
        allowed = ("POST", "OPTIONS") if name == visitors.EXCHANGE else ("POST",)
    if route is not None and route.off_storefront:
        allowed = tuple(method for method in allowed if method != route.off_storefront)
    if request.method not in allowed:
        raise MethodNotAllowed(f"This path allows only {', '.join(allowed)}.", allowed)
    return route or kind, name


# rule: storefront-paths
def check(request: Request) -> None:
    """Raises ``Invalid`` for a request that a proxy might interpret differently."""
    if not request.target.startswith(b"/") or b"#" in request.target:
        raise Invalid("The request target must be a path without a #.")
    if not _QUERY.fullmatch(request.query_string):
        raise Invalid("The query string may contain only printable ASCII characters, and no #.")
    request.check_once(*_ONCE)
