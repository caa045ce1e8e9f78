"""The operations beside the API: its description, the documentation page, health, metrics."""

import functools
import gzip
import re
from importlib import resources
from pathlib import Path

import msgspec
import prometheus_client
import yaml
from prometheus_client import multiprocess

from wishwell import __version__
from wishwell.errors import NotFound, Unavailable
from wishwell.http import assets, samples
from wishwell.http import metrics as counted
from wishwell.http.context import Request
from wishwell.http.responses import JSON, Response

_NOSNIFF = (b"x-content-type-options", b"nosniff")
_PAGE = Path(__file__).parent / "docs_page"
_SCRIPTS = ("scalar.js", "start.js")
# The renderer brings its styles as elements, hence unsafe-inline.
_PAGE_HEADERS = {
    b"content-type": b"text/html; charset=utf-8",
    b"cache-control": b"no-cache",
    b"referrer-policy": b"no-referrer",
    b"content-security-policy": b"default-src 'none'; script-src 'self'; connect-src 'self'; "
    b"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'",
}


@functools.cache
def description() -> bytes:
    """The OpenAPI document as JSON. It is written by hand, in ``openapi.yaml``."""
    text = resources.files("wishwell.http").joinpath("openapi.yaml").read_text("utf-8")
    # The C loader is ten times as fast, if PyYAML has it. Both loaders are safe.
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    document["info"]["x-wishwell-version"] = __version__
    samples.add(document)
    return msgspec.json.encode(document)


# contract: openapi-served
async def openapi(request: Request) -> Response:
    # It is the same for all callers and does not change while this version runs.
    cached = (b"cache-control", b"public, max-age=300")
    headers = [JSON, cached, (b"vary", b"Accept-Encoding"), _NOSNIFF]
    if assets.preferred(request.header(b"accept-encoding"), ["gzip", "identity"]) == "gzip":
        return Response(200, _smaller(), [*headers, (b"content-encoding", b"gzip")])
    return Response(200, description(), headers)


@functools.cache
def _smaller() -> bytes:
    return gzip.compress(description(), mtime=0)


# contract: health-live
async def livez(request: Request) -> Response:
    """The process runs."""
    return Response(200, b'{"status":"ok"}', [JSON])


# contract: health-ready
async def readyz(request: Request) -> Response:
    """The process can serve: the database answers and the access cache is fresh; else 503."""
    service = request.service
    try:
        await service.access_cache.ensure_fresh()
        await service.db.ping()
    except Unavailable:
        raise
    except Exception as error:
        # For example, the schema or a permission is missing. Requests should go elsewhere.
        raise Unavailable(f"The database can't be used ({type(error).__name__}).") from error
    return Response(200, b'{"status":"ok"}', [JSON])


# contract: metrics-served
async def metrics(request: Request) -> Response:
    """The metrics of all workers, in Prometheus' text format."""
    counted.flush()
    registry: prometheus_client.CollectorRegistry = prometheus_client.REGISTRY
    if request.service.settings.workers > 1:
        registry = prometheus_client.CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    body = prometheus_client.generate_latest(registry)
    return Response(200, body, [(b"content-type", prometheus_client.CONTENT_TYPE_LATEST.encode())])


# contract: docs-from-top
async def top(request: Request) -> Response:
    """Redirects a browser to the documentation. Other clients get 404."""
    if not _takes_html(request.header(b"accept")):
        raise NotFound("There is nothing at this path.")
    # Relative, so that it also works below a path of a reverse proxy.
    headers = [(b"location", b"docs"), (b"vary", b"Accept"), (b"content-type", b"text/plain")]
    return Response(303, b"The documentation is at /docs\n", headers)


def _takes_html(accept: str | None) -> bool:
    if accept is None:
        return True
    for entry in accept.lower().split(","):
        kind, _, parameters = entry.partition(";")
        refused = re.fullmatch(r"\s*q=0(\.0*)?\s*", parameters)
        if kind.strip() in ("text/html", "text/*", "*/*") and not refused:
            return True
    return False


# contract: docs-page
async def docs(request: Request) -> Response:
    page = (_PAGE / "index.html").read_text("utf-8")
    for name in _SCRIPTS:
        page = page.replace(f"docs/{name}", f"docs/{assets.hashed(name, _PAGE)}")
    return Response(200, page.encode(), [*_PAGE_HEADERS.items(), _NOSNIFF])


async def docs_file(request: Request) -> Response:
    name = request.parameters["file"]
    if re.sub("-[0-9a-f]+", "", name) not in _SCRIPTS:
        raise NotFound("There is nothing at this path.")
    # Relative, so that it also works below a path of a reverse proxy.
    return assets.answer(name, ".", request.header(b"accept-encoding"), _PAGE)
