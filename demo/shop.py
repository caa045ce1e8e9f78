"""The shop: an ASGI application with its own pages and sessions.

Wishlists need only three lines: those in ``Shop.__call__`` that forward a path to the service,
which reads the shop's session cookie itself. The rest is the shop.
"""

import asyncio
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs

import jwt

from demo import catalogue, mailbox, pages
from demo.catalogue import Product
from demo.forward import Application, Receive, Scope, Send
from demo.mail_server import Mail

COOKIE = "shop_session"
_SESSION_SECONDS = 7 * 86_400
_FORM_BYTES = 1_000

# Scripts, styles, pictures and requests from the shop's own origin only, nothing inline.
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'",
    "cache-control": "private, no-store",
    # A shared list's URL gives access to it, so it must not leak to other sites.
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_TEXT = {"content-type": "text/plain; charset=utf-8"}
_FORMS = {"/sign-in", "/sign-out", "/mailbox/prices"}
_KINDS = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_STATIC = {
    f"/static/{file.name}": (_KINDS[file.suffix], file)
    for file in (Path(__file__).parent / "static").iterdir()
}

# The elements in every state, in a checkout: the page frames itself, and sets the elements' markup.
_STATES = Path(__file__).parents[1] / "packages" / "elements" / "states"
_STATIC |= {
    f"/states/{file.name.removesuffix('index.html')}": (_KINDS[file.suffix], file)
    for file in _STATES.glob("*.*")
}
_FRAMED = {
    "content-security-policy": _HEADERS["content-security-policy"]
    .replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    .replace("; require-trusted-types-for 'script'", "")
}

# Browsers request it on pages without an icon.
_STATIC["/favicon.ico"] = _STATIC["/static/icon.svg"]

_PICTURES = {
    catalogue.picture(product, variant): (product, variant)
    for product in catalogue.PRODUCTS
    for variant in product.variants
}


def customer(scope: Scope, key: str) -> str | None:
    """Returns the customer in the shop's session cookie, signed with ``key``; ``None`` without."""
    try:
        jar = SimpleCookie(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))
        claims = jwt.decode(jar[COOKIE].value, key, ["HS256"], options={"require": ["exp", "sub"]})
    except (KeyError, CookieError, jwt.InvalidTokenError):
        return None
    return claims["sub"] if claims["sub"] in pages.CUSTOMERS else None


class Shop:
    """The shop's application. ``wishlist`` handles all paths below ``pages.BASE``.

    ``mails``: those that the shoppers received; ``publish`` sends changed products to the service.
    """

    def __init__(
        self,
        key: str,
        wishlist: Application,
        mails: list[Mail],
        publish: Callable[[list[Product]], None],
    ) -> None:
        self._key = key
        self._wishlist = wishlist
        self._mails = mails
        self._publish = publish
        self._products = dict(catalogue.BY_PICTURE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(f"{pages.BASE}/"):
            await self._wishlist(scope, receive, send)
            return
        status, headers, body = await self._answer(scope, receive)
        lines = [(name.encode(), value.encode()) for name, value in (_HEADERS | headers).items()]
        lines.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": lines})
        await send(
            {"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body}
        )

    async def _answer(self, scope: Scope, receive: Receive) -> pages.Answer:
        path, who = scope["path"], customer(scope, self._key)
        if scope["method"] == "POST" and path in _FORMS:
            if dict(scope["headers"]).get(b"sec-fetch-site", b"same-origin") != b"same-origin":
                return 403, _TEXT, b"Only the shop's own pages may do this."
            form = parse_qs(await _form(receive))
            return await (self._lower if path == "/mailbox/prices" else self._session)(path, form)
        if path in _STATIC:
            kind, file = _STATIC[path]
            headers = {"content-type": f"{kind}; charset=utf-8", "cache-control": "no-cache"}
            return 200, headers | (_FRAMED if kind == "text/html" else {}), file.read_bytes()
        if path in _PICTURES:
            headers = {"content-type": "image/svg+xml", "cache-control": "max-age=3600"}
            return 200, headers, pages.picture_file(*_PICTURES[path])
        if path == "/mailbox/count":
            return 200, _TEXT, str(len(self._mails)).encode()
        if path.endswith("/html") and (mail := self._mail(path[:-5])):
            return 200, mailbox.HTML_PART, mailbox.html_part(mail)
        title, main = self._main(path, parse_qs(scope["query_string"].decode("latin-1")), who)
        text = pages.page(title or "Page not found", main, who, path)
        return 200 if title else 404, pages.HTML, text.encode()

    async def _session(self, path: str, form: dict[str, list[str]]) -> pages.Answer:
        """Signs in or out by setting an HttpOnly cookie, and redirects to the next page."""
        value, seconds, then = "", 0, "/"
        if path == "/sign-in":
            [customer] = form.get("customer", [""])[:1]
            if customer not in pages.CUSTOMERS:
                return 400, _TEXT, b"There is no such customer."
            claims = {"sub": customer, "exp": int(time.time()) + _SESSION_SECONDS}
            value, seconds = jwt.encode(claims, self._key, "HS256"), _SESSION_SECONDS
            then = "/wishlist"
        cookie = f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}"
        return 303, {"location": then, "set-cookie": cookie}, b""

    async def _lower(self, _: str, form: dict[str, list[str]]) -> pages.Answer:
        """Lowers a product's price once, in the shop and in the service."""
        [name] = form.get("product", [""])[:1]
        before = catalogue.BY_PICTURE.get(name)
        if before is None:
            return 400, _TEXT, b"There is no such product."
        product = catalogue.lowered(before)
        await asyncio.to_thread(self._publish, [product])
        self._products[name] = product
        return 303, {"location": "/mailbox"}, b""

    def _mail(self, path: str) -> Mail | None:
        """Returns the mail whose page has a path, such as /mailbox/1."""
        number = path.removeprefix("/mailbox/")
        at = int(number) if number.isdecimal() and len(number) < 7 else 0
        return self._mails[at - 1] if 0 < at <= len(self._mails) else None

    def _main(self, path: str, query: dict[str, list[str]], who: str | None) -> tuple[str, str]:
        """Returns title and content of the page at a path; the title is empty for an unknown path."""
        products = list(self._products.values())
        if path == "/":
            return "Things for a quiet home", pages.shop(products)
        if path == "/all":
            [count_text] = query.get("n", [""])[:1]
            count = int(count_text) if count_text.isdecimal() and len(count_text) < 4 else 48
            return "A long page", pages.shop(catalogue.many(count))
        if path == "/wishlist":
            return "Wishlist", pages.wishlist(who)
        if path == "/shared":
            return "Shared wishlist", pages.shared()
        if path == "/cart":
            return "Cart", pages.cart(products)
        if path == "/sign-in":
            return "Sign in", pages.sign_in()
        if path == "/mailbox":
            return "Mailbox", mailbox.index(self._mails, products)
        if mail := self._mail(path):
            return mail.subject, mailbox.mail(path, mail)
        product = self._products.get(path.removeprefix("/products/"))
        if product is None:
            return "", pages.not_found()
        [variant_text] = query.get("variant", [""])[:1]
        chosen = next(
            (v for v in product.variants if str(v.id) == variant_text), product.variants[0]
        )
        return product.name, pages.product(product, chosen)


async def _form(receive: Receive) -> str:
    """Returns the start of a form's body, which is enough for a button."""
    message = await receive()
    body: bytes = message.get("body", b"")
    return body[:_FORM_BYTES].decode("latin-1")
