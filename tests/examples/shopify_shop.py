"""A shop that does what Shopify does for examples/shopify: it renders the theme app extension into
pages, signs customers in, has a cart, and forwards the app proxy's path."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import threading
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2

from tests.documents import ROOT
from tests.servers import HERE, Service, free_port
from tests.storefront.test_platform import common, signed

APP = ROOT / "examples" / "shopify"
EXTENSION = APP / "extensions" / "wishlist"
TOOLS = ROOT / "build" / "tools"
DOMAIN = "my-shop.myshopify.com"
BASE = "/apps/wishlist"
PASSED = ("accept", "content-type", "origin", "sec-fetch-site", "user-agent")
"""Headers that the proxy passes on; Shopify documents only that it removes cookies."""

SHIRT: dict[str, Any] = {"id": 632910392, "title": 'Shirt "A" & <B>', "selected_variant": None}
MUG: dict[str, Any] = {
    "id": 101,
    "title": "Mug",
    "has_only_default_variant": True,
    "variants": [{"id": 201}],
}
SIZES = (808950810, 808950811)
FORM = """<form action="/cart/add"><select name="id" aria-label="Size">
  <option value="{}">S</option><option value="{}">M</option></select></form>""".format(*SIZES)
PAGE = """<!doctype html><html lang="{language}"><title>Shop</title><link rel="icon" href="data:,">
<header class="shopify-section">{count}</header><main class="shopify-section">{main}</main>
<script>window.Shopify = {{ routes: {{ root: "/" }} }}</script>{embed}</html>"""
ROUTES = {"root_url": "/", "storefront_login_url": "/customer_authentication/login"}


def block(name: str) -> tuple[str, dict[str, Any]]:
    """Returns a block's Liquid without its schema, and its settings' default values."""
    source = (EXTENSION / "blocks" / f"{name}.liquid").read_text()
    liquid, schema = re.split(r"{% (?:end)?schema %}", source)[:2]
    settings = json.loads(schema)["settings"]
    return liquid, {one["id"]: one["default"] for one in settings if "default" in one}


@functools.cache
def page(path: str, customer: str, language: str) -> str:
    """Renders a page of the shop, with the language's texts and Shopify's objects."""
    product = SHIRT if path.startswith("/products/") else None
    hearts = [product] if product else [SHIRT, MUG] if path == "/collections/all" else []
    blocks = [block("count"), block("wishlist")]
    blocks += [(block("heart")[0], {"product": one}) for one in hearts]
    blocks += [block("page")] if path == "/pages/wishlist" else []
    [texts] = EXTENSION.glob(f"locales/{language}*[!a].json")
    objects: dict[str, Any] = {"routes": ROUTES, "product": product, "closest": {}}
    objects["customer"] = {"id": int(customer)} if customer else None
    given = {"sources": blocks, "texts": json.loads(texts.read_text()), "objects": objects}
    argv = ["node", str(ROOT / "tests/examples/render.mjs")]
    done = subprocess.run(argv, input=json.dumps(given), cwd=TOOLS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, embed, *main = json.loads(done.stdout)
    text = "\n".join([*main, FORM * bool(product)])
    return PAGE.format(language=language, count=count, embed=embed, main=text)


class ShopifyShop:
    """The shop's server. ``added`` are the lines put into the cart."""

    def __init__(self, running: Service, key: str) -> None:
        self.running, self.service, self.key = running, f"{running.url}", key
        self.added: list[dict] = []
        self.forwarded: list[httpx2.Request] = []
        self.language, self.sold_out = "en", False
        self.http = httpx2.Client(base_url=self.service, trust_env=False, timeout=15)
        handler = type("Handler", (_Handler,), {"shop": self})
        self.server = ThreadingHTTPServer((HERE, free_port()), handler)
        self.url = f"http://{HERE}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.http.close()


class _Handler(BaseHTTPRequestHandler):
    shop: ShopifyShop
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Prints nothing: a shared list's address is a key."""

    def _answer(self, status: int, body: bytes, content: str = "text/html", **more: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": content, **more}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        known = SimpleCookie(self.headers.get("Cookie", "")).get("customer")
        customer = known.value if known else ""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if path.startswith(f"{BASE}/"):
            self._forward(body, customer)
        elif path.startswith("/cdn/"):
            self._answer(200, (EXTENSION / "assets" / path[5:]).read_bytes(), "text/javascript")
        elif path == "/customer_authentication/login":
            cookie = f"customer={query.partition('=')[2] or 7}; Path=/"
            self._answer(302, b"", Location="/products/shirt", Set_Cookie=cookie)
        elif path == "/account/logout":
            self._answer(302, b"", Location="/", Set_Cookie="customer=; Path=/; Max-Age=0")
        elif path == "/cart/add.js":
            self.shop.added += json.loads(body)["items"]
            said = json.dumps({"items": [], "description": "Sold out"}).encode()
            self._answer(422 if self.shop.sold_out else 200, said, "application/json")
        else:
            html = page(path, customer, self.shop.language)
            self._answer(200, html.encode(), "text/html; charset=utf-8")

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815

    def _forward(self, body: bytes, customer: str) -> None:
        """Forwards a request as the app proxy does: without cookies, and with a signed query."""
        parts = urlsplit(self.path)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        query = signed([*pairs, *common(customer, shop=DOMAIN)], self.shop.key)
        headers = {name: value for name in PASSED if (value := self.headers.get(name))}
        headers["X-Forwarded-For"] = self.client_address[0]
        url = f"{parts.path}?{query}"
        answer = self.shop.http.request(self.command, url, content=body, headers=headers)
        self.shop.forwarded.append(answer.request)
        kept = ("cache-control", "content-language", "etag", "wishwell-shopper")
        more = {name: answer.headers[name] for name in kept if name in answer.headers}
        content = answer.headers.get("content-type", "")
        self._answer(answer.status_code, answer.content, content, **more)
