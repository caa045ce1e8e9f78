"""Serves the merchant's admin page: static files, which call the API like any other client."""

from pathlib import Path

from wishwell.errors import NotFound
from wishwell.http import assets
from wishwell.http.context import Request
from wishwell.http.responses import Headers, Response

FOLDER = Path(__file__).parents[1] / "admin"
# rule: admin-page
_CLOSED: Headers = [
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-robots-tag", b"noindex"),
]
_PAGE = assets.security_headers(
    b"style-src 'self'; img-src 'self' https: http://127.0.0.1:*; "
    b"require-trusted-types-for 'script'; trusted-types lit-html"
)
_MAIL = assets.security_headers(b"style-src 'unsafe-inline'; img-src https:")


# rule: admin-page
async def file(request: Request) -> Response:
    _check_enabled(request)
    name = request.parameters.get("file", "index.html")
    policy = _MAIL if name == "mail.html" else _PAGE
    return assets.file(request, FOLDER, name, [*policy, *_CLOSED])


async def bare(request: Request) -> Response:
    """Redirects to the page. The target is relative, so a reverse proxy may add a path prefix."""
    _check_enabled(request)
    return assets.redirect("admin/")


def _check_enabled(request: Request) -> None:
    if request.service.settings.admin == "off":
        raise NotFound("There is nothing at this path.", "path_not_found")
