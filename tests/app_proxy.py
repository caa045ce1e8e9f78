"""A shop on a platform whose app proxy signs queries and removes cookies, as Shopify's does.

The proxy forwards the base's paths to the service. Of the request's headers it forwards only known
ones, and adds the shopper's address; of the response's it removes ``Set-Cookie``.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode

import httpx2

from tests.servers import SECRETS, Service

BASE = "/apps/wishlist"
KEY = "hush-hush-of-the-platform"
SHOP = "shop.example"
SECRETS.add(KEY)
_FORWARDED = ("Content-Type", "Accept-Language", "User-Agent")
_BROWSERS = ("Origin", "Sec-Fetch-Site")
_DROPPED = ("set-cookie", "content-length", "content-encoding", "date", "server", "connection")


def signed(pairs: list[tuple[str, str]], key: str = KEY) -> str:
    """Returns a query string as the platform signs it."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    content = "".join(sorted(f"{name}={','.join(given)}" for name, given in values.items()))
    right = hmac.new(key.encode(), content.encode(), hashlib.sha256).hexdigest()
    return urlencode([*pairs, ("signature", right)])


def common(customer: str = "", age: int = 0, shop: str = SHOP) -> list[tuple[str, str]]:
    return [
        ("shop", shop),
        ("logged_in_customer_id", customer),
        ("path_prefix", BASE),
        ("timestamp", str(int(time.time()) - age)),
    ]


class AppProxy(ThreadingHTTPServer):
    """The shop's domain. ``customer`` is signed in; ``pages`` has the HTML of other paths."""

    daemon_threads = True
    host = ""
    """The ``Host`` of the requests to the service; empty for the service's own."""

    def __init__(self, service: Service, shop: str = SHOP) -> None:
        # Another host name than the service's, so that browsers see another site.
        super().__init__(("localhost", 0), _Handler)
        self.service, self.shop = service, shop
        self.origin = f"http://localhost:{self.server_port}"
        self.pages: dict[str, str] = {}
        self.customer = ""
        self.strips_origin = False
        """Whether the proxy removes ``Origin`` and ``Sec-Fetch-Site``, too."""
        self.forwarded: list[tuple[str, int]] = []
        """Method with path, and status, of each request to the API."""
        self.targets: list[str] = []
        """All request targets that the proxy received."""

    def sent(self, line: str) -> list[int]:
        """Returns the statuses of the requests with this method and path below the API."""
        return [status for name, status in self.forwarded if name == line]

    @contextlib.contextmanager
    def running(self):
        with self:
            threading.Thread(target=self.serve_forever, daemon=True).start()
            yield self
            self.shutdown()

    def answer(self, path: str) -> tuple[int, dict[str, str], str]:
        """Returns the shop's own response to a path: status, headers and HTML."""
        return 200, {"Content-Type": "text/html"}, self.pages.get(path, self.pages.get("", ""))

    def submitted(self, query: dict[str, str]) -> str:
        """Signs a customer in, because a form was submitted. Returns where to go."""
        self.customer = "42"
        return query.get("return_url", "/account")


class _Handler(BaseHTTPRequestHandler):
    server: AppProxy

    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle_any(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.targets.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if path.startswith(f"{BASE}/"):
            self.forward(path, query, body)
        elif self.command == "POST":
            back = self.server.submitted(dict(parse_qsl(query)))
            self.reply(303, {"Location": back}, b"")
        else:
            status, headers, html = self.server.answer(path)
            self.reply(status, headers, html.encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any  # noqa: N815

    def forward(self, path: str, query: str, body: bytes) -> None:
        server = self.server
        given = [*common(server.customer, shop=server.shop), *parse_qsl(query)]
        names = _FORWARDED if server.strips_origin else (*_FORWARDED, *_BROWSERS)
        headers = {name: self.headers[name] for name in names if name in self.headers}
        headers["X-Forwarded-For"] = self.client_address[0]
        if server.host:
            headers["Host"] = server.host
        url = f"{server.service.url}{path}?{signed(given)}"
        got = httpx2.request(self.command, url, headers=headers, content=body, trust_env=False)
        if "/api/" in path:
            server.forwarded.append(
                (f"{self.command} {path.partition('/api')[2]}", got.status_code)
            )
        kept = {name: value for name, value in got.headers.items() if name not in _DROPPED}
        self.reply(got.status_code, kept, got.content)

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
