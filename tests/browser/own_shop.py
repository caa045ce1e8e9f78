"""A shop whose pages are the tests' and whose storefront is a real service on the same origin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request

from tests.conftest import ROOMY, SIGNING_KEY, Shop
from tests.servers import Service, free_port
from tests.storefront.conftest import BY_JWT, JWT_KEY, shop_jwt

from .conftest import BASE

PAGE = (
    '<!doctype html><html lang="{lang}" dir="{dir}"><title>Shop</title>'
    '<meta name="viewport" content="width=device-width"><body>{head}<main><h1>Shop</h1>{body}'
    "</main></body></html>"
)
SCRIPT = '<script type="module" src="/apps/wishlist/assets/{}.js"></script>'


class OwnShop:
    """The shop. A test sets the page that it shows at any path."""

    def __init__(self, service: Service, chromium: Browser) -> None:
        port = free_port()
        service.settings["WISHWELL_PORT"] = str(port)
        service.quick("init")
        (service.folder / "jwt-key").write_text(JWT_KEY)
        self.service, self.chromium = service, chromium
        self.url = f"http://localhost:{port}"
        # Started last: for up to a second, a running service would serve this host as its default
        # store's, and forget the visitors of that second.
        self.shop = Shop(service, *ROOMY, *BY_JWT, "--host", self.url)
        service.start()

    def visitor(self, **options: Any) -> Visitor:
        return Visitor(self, self.chromium.new_context(reduced_motion="reduce", **options))


class Visitor:
    """A browser with its own cookies, which records its requests to the API."""

    def __init__(self, own: OwnShop, context: BrowserContext) -> None:
        self.own, self.context = own, context
        self.asked: list[str] = []
        self.wrong: list[str] = []
        context.set_default_timeout(10_000)
        context.on("request", self._note)
        context.on("weberror", lambda error: self.wrong.append(str(error.error)))

    def _note(self, request: Request) -> None:
        if f"{BASE}/api/" in request.url:
            path = request.url.partition("/api/")[2]
            self.asked.append(f"{request.method} {path.partition('?')[0]}")

    def open(
        self,
        body: str,
        *,
        lang: str = "en",
        dir: str = "ltr",
        scripts: tuple[str, ...] = ("wishwell",),
        page: Page | None = None,
        path: str = "/",
        head: str = "",
    ) -> Page:
        page = page or self.context.new_page()
        head += "".join(SCRIPT.format(name) for name in scripts)
        html = PAGE.format(lang=lang, dir=dir, body=body, head=head)
        page.unroute_all()
        page.route(
            re.compile(re.escape(f"{self.own.url}{path}") + "(#.*)?$"),
            lambda route: route.fulfill(body=html, content_type="text/html"),
        )
        page.goto(f"{self.own.url}{path}")
        return page

    def sign_in(self, customer: str | None) -> None:
        """Sets the shop's own cookie; ``None`` signs out."""
        self.context.clear_cookies(name="shop_jwt")
        if customer:
            cookie = {"name": "shop_jwt", "value": shop_jwt(customer), "url": self.own.url}
            self.context.add_cookies([cookie])

    def close(self) -> None:
        self.context.close()
        wrong = self.wrong
        assert not wrong, wrong


@pytest.fixture(scope="module")
def own_shop(chromium) -> Iterator[OwnShop]:
    settings = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    with Service(settings | {"WISHWELL_SIGNING_KEYS": SIGNING_KEY}) as service:
        yield OwnShop(service, chromium)


@pytest.fixture
def new_visitor(own_shop) -> Iterator:
    made: list[Visitor] = []

    def make(**options: Any) -> Visitor:
        made.append(own_shop.visitor(**options))
        return made[-1]

    yield make
    for visitor in made:
        visitor.close()


@pytest.fixture
def visitor(new_visitor) -> Visitor:
    return new_visitor()
