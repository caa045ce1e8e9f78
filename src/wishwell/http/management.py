"""Endpoints outside the versioned API: OpenAPI description, documentation, health, metrics."""

import functools
import gzip
from pathlib import Path

import msgspec
import prometheus_client
from prometheus_client import multiprocess

from wishwell.errors import Unavailable
from wishwell.http import assets
from wishwell.http.context import Request
from wishwell.http.responses import JSON, Response

_NO_STORE = (b"cache-control", b"no-store")
_NOSNIFF = (b"x-content-type-options", b"nosniff")
_DESCRIPTION = Path(__file__).with_name("openapi.json")
_PAGE = Path(__file__).parent / "docs_page"
# The renderer brings its styles as elements, hence unsafe-inline.
_CLOSED = assets.security_headers(b"style-src 'unsafe-inline'; img-src data:")


@functools.cache
def description() -> bytes:
    """Returns the OpenAPI document as JSON. ``make format`` builds it."""
    return msgspec.json.format(_DESCRIPTION.read_bytes(), indent=-1)


# rule: openapi-complete
async def openapi(request: Request) -> Response:
    # It is the same for all callers and does not change while this version runs.
    headers = [(b"cache-control", b"public, max-age=300"), _NOSNIFF]
    return assets.encoded(request, _forms(), b"application/json", headers)


@functools.cache
def _forms() -> dict[str, bytes]:
    return {"gzip": gzip.compress(description()), "identity": description()}


# rule: health-checks
async def livez(request: Request) -> Response:
    """The process runs."""
    return Response(200, b'{"status":"ok"}', [JSON, _NO_STORE])


# rule: health-checks
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
    answer = {"status": "ok"}
    if service.clock.suspicion:  # rule: clock-jump
        answer["clock"] = service.clock.suspicion
    return Response(200, msgspec.json.encode(answer), [JSON, _NO_STORE])


# rule: health-checks
async def metrics(request: Request) -> Response:
    """The metrics of all workers, in Prometheus' text format."""
    registry: prometheus_client.CollectorRegistry = prometheus_client.REGISTRY
    if request.service.settings.workers > 1:
        registry = prometheus_client.CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    body = prometheus_client.generate_latest(registry)
    content_type = (b"content-type", prometheus_client.CONTENT_TYPE_LATEST.encode())
    return Response(200, body, [content_type, _NO_STORE])


# rule: openapi-complete
async def top(request: Request) -> Response:
    # Relative, so that it also works below a path of a reverse proxy.
    return assets.redirect("docs")


# rule: openapi-complete
async def docs(request: Request) -> Response:
    return assets.file(request, _PAGE, request.parameters.get("file", "index.html"), _CLOSED)
