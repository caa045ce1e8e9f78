"""Endpoints outside the versioned API: OpenAPI description, documentation, health, metrics."""

import asyncio
import functools
import gzip
import re
import struct
from pathlib import Path

import msgspec
import prometheus_client
from prometheus_client import multiprocess

from wishwell.errors import Unavailable
from wishwell.http import assets
from wishwell.http.context import Request
from wishwell.http.responses import JSON, Response
from wishwell.telemetry.metrics import CATALOGUES, publish_requests

_NO_STORE = (b"cache-control", b"no-store")
_NOSNIFF = (b"x-content-type-options", b"nosniff")
_DESCRIPTION = Path(__file__).with_name("openapi.json")
_PAGE = Path(__file__).parent / "docs_page"
_TOP_PAGE = Path(__file__).parent / "top_page" / "index.html"
_ADDRESS = "http://127.0.0.1:8000"
"""The service's address in the code samples."""

_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?")
_HTTPS = (rb"^[Hh][Tt][Tt][Pp][Ss]://", rb"(?::(?:443|8443))?")
_ALSO_HTTP = (rb"^[Hh][Tt][Tt][Pp][Ss]?://", rb"(?::[0-9]{1,5})?")
"""The parts of a webhook URL's pattern that ``WISHWELL_WEBHOOK_HTTP`` changes."""

# The renderer brings its styles as elements, hence unsafe-inline.
_CLOSED = assets.security_headers(b"style-src 'unsafe-inline'; img-src data:")


@functools.cache
def description() -> bytes:
    """Returns the OpenAPI document as JSON. ``make format`` builds it."""
    return msgspec.json.format(_DESCRIPTION.read_bytes(), indent=-1)


# rule: openapi-complete
async def openapi(request: Request) -> Response:
    # The document is the same for all callers and does not change while this version runs.
    headers = [(b"cache-control", b"public, max-age=300"), _NOSNIFF]
    forms = _forms(_address(request.header(b"host")), request.service.settings.webhook_http)
    return assets.encoded(request, forms, b"application/json", headers)


def _address(host: str | None) -> str:
    """Returns the samples' address: the request's own, with https unless the host is local."""
    if host is None or not _HOST.fullmatch(host):
        return _ADDRESS
    name = host.partition(":")[0]
    is_local = name == "localhost" or name.replace(".", "").isdigit()
    return f"http{'' if is_local else 's'}://{host}"


@functools.lru_cache(4)
def _forms(address: str, webhook_http: bool) -> dict[str, bytes]:
    text = description().replace(_ADDRESS.encode(), address.encode())
    for https, also_http in zip(_HTTPS, _ALSO_HTTP, strict=True) if webhook_http else ():
        text = text.replace(https, also_http)
    return {"gzip": gzip.compress(text), "identity": text}


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
        lock_waits = await service.db.count_lock_waits()
    except Unavailable:
        raise
    except Exception as error:
        # For example, the schema or a permission is missing. Requests should go elsewhere.
        raise Unavailable(f"The database can't be used ({type(error).__name__}).") from error
    answer = {"status": "ok"}
    if service.clock.suspicion:  # rule: clock-jump
        answer["clock"] = service.clock.suspicion
    if lock_waits:
        answer["locks"] = f"{lock_waits} statements wait for locks in the database"
    if service.failing_jobs:
        answer["failing"] = ", ".join(sorted(service.failing_jobs))
    return Response(200, msgspec.json.encode(answer), [JSON, _NO_STORE])


_UNREADABLE = (OSError, ValueError, RuntimeError, struct.error)
"""Errors of reading a worker's metrics while another process creates or removes their file."""

_REREAD_SECONDS = 0.1


# rule: health-checks
async def metrics(request: Request) -> Response:
    """The metrics of all workers, in Prometheus' text format."""
    publish_requests()
    registry: prometheus_client.CollectorRegistry = prometheus_client.REGISTRY
    if request.service.settings.workers > 1:
        registry = prometheus_client.CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        registry.register(CATALOGUES)
    try:
        body = prometheus_client.generate_latest(registry)
    except _UNREADABLE:
        await asyncio.sleep(_REREAD_SECONDS)
        body = prometheus_client.generate_latest(registry)
    content_type = (b"content-type", prometheus_client.CONTENT_TYPE_LATEST.encode())
    return Response(200, body, [content_type, _NO_STORE])


# rule: top-page
async def top(request: Request) -> Response:
    """A page that says which program runs here. Its links are relative, for proxies with a path."""
    forms = _top_page(request.service.settings.admin == "on")
    headers = [*_CLOSED, (b"cache-control", b"no-cache")]
    return assets.encoded(request, forms, b"text/html; charset=utf-8", headers)


@functools.cache
def _top_page(has_admin: bool) -> dict[str, bytes]:
    lines = _TOP_PAGE.read_text("utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if has_admin or 'href="admin/"' not in line).encode()
    return {"gzip": gzip.compress(text), "identity": text}


# rule: openapi-complete
async def docs(request: Request) -> Response:
    return assets.file(request, _PAGE, request.parameters.get("file", "index.html"), _CLOSED)
