"""The pages below the base: content, security headers, and the shop's own pages instead."""

from html.parser import HTMLParser

import pytest

from wishwell.http import assets

from .conftest import BASE, nothing_done, set_cookies
from .way import direct

POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; style-src 'self'; img-src 'self' https:"
)
PRODUCT = "https://shop.example/p/{productId}?v={variantId}"


class Tags(HTMLParser):
    """Parses a page's elements with their attributes, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    def attributes(self, tag: str) -> dict:
        [found] = [attributes for name, attributes in self.found if name == tag]
        return found


@pytest.fixture(scope="module")
def plain(new_front):
    """A store without any page settings."""
    return new_front()


@pytest.mark.parametrize(
    ("path", "element", "title"),
    [
        ("/", "wishlist-page", {"en": "Wishlist", "de": "Merkzettel"}),
        ("/shared", "wishlist-shared", {"en": "Shared wishlist", "de": "Geteilter Merkzettel"}),
    ],
)
@pytest.mark.parametrize(
    ("accepted", "lang"),
    [(None, "en"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("da, en;q=0.5, de;q=0.4", "en")],
)
def test_page_has_its_element_assets_and_language(plain, path, element, title, accepted, lang):
    """A page has its element, existing scripts and styles, the language, and a link to the shop;
    HEAD works. Without events it doesn't offer notices.
    Rule: storefront-pages."""
    browser = plain.browser()
    headers = {} if accepted is None else {"Accept-Language": accepted}
    answer = browser.at(path, headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Vary"] == "Accept-Language"
    page = Tags(answer.text)
    assert page.attributes("html") == {"lang": lang}
    silent = {"notices": "off"} if element == "wishlist-page" else {}
    if element == "wishlist-page" and plain.by_token:
        silent |= {"sign-in": "/account/login"}
    assert page.attributes(element) == {"lang": lang} | silent
    assert title[lang] in page.texts
    assert page.attributes("a") == {"href": "/"}
    assert plain.host in page.texts
    assert page.attributes("noscript") == {}
    style, *modules = [found["href"] for name, found in page.found if name == "link"]
    assert modules == ["assets/wishwell.js"]
    for place in (style, page.attributes("script")["src"]):
        assert browser.at(f"/{place}").status_code == 200
    head = browser.at(path, "HEAD", headers=headers)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == answer.headers["Content-Length"]
    assert browser.at(path, "POST").status_code == 405


def test_page_is_the_same_for_everybody_and_creates_nothing(front):
    """A page is the same for everybody, ignores cookies, and creates nothing.
    Rule: storefront-pages."""
    everybody = [front.browser(), front.anyone(1), front.signed_in(), front.browser("nonsense")]
    with nothing_done(front):
        for path in ("/", "/shared"):
            answers = [browser.at(path) for browser in everybody]
            assert len({answer.content for answer in answers}) == 1
            for answer in answers:
                assert set_cookies(answer) == []
                assert answer.headers["Content-Security-Policy"] == POLICY
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert answer.headers["Cache-Control"] == "no-cache"


@direct("a forwarder has only what is below the base, and a web server answers it itself")
def test_base_path_redirects_to_the_page(plain):
    """The bare base redirects to the page. Rule: storefront-pages."""
    answer = plain.browser().at("")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{BASE}/")


def test_page_settings_become_escaped_attributes(new_front):
    """Page settings become escaped attributes.
    Rules: storefront-pages, store-settings."""
    hostile = "https://shop.example/{productId}\"><script>alert(1)</script><a/b='&quot;&#34;"
    token = "/s?t={token}&\"'><img/src=x/onerror=alert(1)>"
    front = new_front(
        "--product-url", hostile, "--shared-page", token, "--events", "on", "--auth-flow", "/login"
    )
    own, shared = (Tags(front.browser().at(path).text) for path in ("/", "/shared"))
    assert own.attributes("wishlist-page") == {
        "lang": "en",
        "product-url": hostile,
        "shared-page": token,
        "sign-in": "/login",
    }
    assert shared.attributes("wishlist-shared") == {"lang": "en", "product-url": hostile}
    for page in (own, shared):
        assert list(page.attributes("script")) == ["type", "src"]
        assert page.attributes("a") == {"href": "/"}
        assert "img" not in {tag for tag, _ in page.found}


def test_page_links_to_the_sign_in_page_only_when_one_is_known(new_front):
    """The page leads visitors to the sign-in page if the store has set its path, or can name
    customers by a JWT, a platform's query or a proxy; the default path alone may lead nowhere.
    Rule: storefront-pages."""
    front = new_front()
    for name in ("page-key", "page-secret"):
        (front.api.folder / name).write_text(name * 5)
    # Stores with the same key need different audiences.
    by_jwt = ("--jwt-key-file", "page-key", "--jwt-cookie", "a", "--jwt-audience")
    key_set = ("--jwt-key-set", "https://shop.example/keys", "--jwt-cookie", "a")
    shop = f"{front.shop.handle}.test"
    platform = ("--platform-secret-file", "page-secret", "--platform-shop", shop)
    for options, path in (
        ((), "/account/login" if front.by_token else None),
        (("--auth-flow", "/login"), "/login"),
        (("--auth-flow", ""), None),
        (("--auth-flow", "/login?as={email}", *by_jwt, "one"), None),
        ((*by_jwt, "two"), "/account/login"),
        (key_set, "/account/login"),
        (platform, "/account/login"),
    ):
        page = Tags(new_front(*options).browser().at("/").text)
        assert page.attributes("wishlist-page").get("sign-in") == path, options


def test_pages_of_the_shop_replace_the_built_in_ones(new_front):
    """A shop's own pages replace the built-in ones by redirects, except a shared page whose URL
    contains the token.
    Rule: storefront-pages."""
    front = new_front("--wishlist-page", "/pages/wishes", "--shared-page", "https://a.example/s")
    browser = front.browser()
    for path, place in (("/", "/pages/wishes"), ("/shared", "https://a.example/s")):
        answer = browser.at(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, place)
        assert answer.headers["Cache-Control"] == "no-cache"
    front = new_front("--wishlist-page", f"{BASE}/", "--shared-page", "/s")
    own = Tags(front.browser().at("/").text).attributes("wishlist-page")
    assert own["shared-page"] == "/s#{token}"
    front = new_front("--shared-page", "/s/{token}")
    assert front.browser().at("/shared").status_code == 200


def test_content_negotiation_prefers_the_highest_quality():
    """Content negotiation prefers the highest quality, then the service's order.
    Rule: storefront-pages."""
    for accepted, best in (
        ("gzip, deflate, br", "br"),
        ("gzip;q=1.0, br;q=0.5", "gzip"),
        ("br ; q=0 , *", "gzip"),
        ("*;q=0", None),
        ("identity, gzip;q=0.5", "identity"),
        ("BR;Q=1", "br"),
        ("br;q=x, gzip;q=2, x;q=,;,", None),
        (None, None),
    ):
        assert assets.preferred(accepted, ["br", "gzip", "identity"]) == best, accepted
