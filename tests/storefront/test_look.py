"""The look of the hosted pages: the shop's name, logo, colour, links, language and texts."""

import base64
import hashlib
import json
import re

import pytest

from tests.api.conftest import soon
from wishwell.errors import Invalid
from wishwell.stores import look, rules

from .test_pages import POLICY, Tags

LOOK = (
    *("--shop-name", "Linen & Co <b>", "--logo-url", "https://cdn.example/logo.svg?a=1&b=\"'>"),
    *("--accent", "#0a7d5A", "--shop-url", "https://shop.example/?from=wishlist"),
    *("--cart-url", "https://shop.example/cart/add?id={variantId}&n={quantity}"),
)


def test_page_has_the_shops_logo_colour_and_links(new_front):
    """The header has the shop's logo and leads back; the colour is allowed by its hash alone; the
    element can add to the cart and lead to sign in. Rules: page-look, storefront-pages."""
    front = new_front(*LOOK, "--auth-flow", "/login")
    for path, element in (("/", "wishlist-page"), ("/shared", "wishlist-shared")):
        answer = front.browser().at(path)
        page = Tags(answer.text)
        assert page.attributes("img") == {"src": LOOK[3], "alt": "Linen & Co <b>"}
        assert page.attributes("a") == {"href": "https://shop.example/?from=wishlist"}
        given = page.attributes(element)
        assert given["cart-url"] == LOOK[9] and given["shop-url"] == LOOK[7]
        assert ("sign-in" in given) == (path == "/")
        [style] = re.findall("<style>(.*?)</style>", answer.text)
        assert style == ":root{--wishlist-accent:#0a7d5A;--wishlist-on-accent:#fff}"
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = POLICY.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")
        assert answer.headers["Content-Security-Policy"] == policy
        assert any(text.endswith(" – Linen & Co <b>") for text in page.texts)
        assert "b" not in {tag for tag, _ in page.found}


def test_language_is_that_of_the_setting_else_the_browsers(new_front):
    """The setting beats the browser; a language of the shop's texts counts too, also one written from
    right to left. Rule: page-look."""
    texts = {"ar": {"page.title": "</script><script>alert(1)//"}}
    front = new_front()
    file = front.api.folder / f"texts-{front.shop.handle}.json"
    file.write_text(json.dumps(texts))

    def html(accepted):
        answer = front.browser().at("/", headers={"Accept-Language": accepted})
        return Tags(answer.text), answer.text

    for accepted, lang in (("fr", "fr"), ("pl;q=0.9, nl", "nl"), ("ar", "en"), ("xx", "en")):
        assert html(accepted)[0].attributes("html") == {"lang": lang}
    front.shop.update("--texts", str(file))
    soon(lambda: html("ar")[0].attributes("html") == {"lang": "ar", "dir": "rtl"})
    page, text = html("ar")
    [held] = re.findall('<script type="application/json" data-wishlist-texts>(.*?)</script>', text)
    assert json.loads(held) == texts
    assert [tag for tag, _ in page.found].count("script") == 2
    front.shop.update("--language", "pt-BR", "--texts", "")
    # Without texts in the store's language, the browser's is next.
    soon(lambda: "data-wishlist-texts" not in html("de")[1])
    assert html("de")[0].attributes("html") == {"lang": "de"}
    assert html("pt-BR")[0].attributes("html") == {"lang": "en"}
    front.shop.update("--language", "de-AT")
    soon(lambda: html("fr")[0].attributes("html") == {"lang": "de-AT"})
    file.write_text(json.dumps({"pt": {"title": "Favoritos"}, "pt-PT": {}}))
    front.shop.update("--language", "pt-BR", "--texts", str(file))
    soon(lambda: html("fr")[0].attributes("html") == {"lang": "pt-BR"})
    # A language with a region is the browser's too, before the same language without one.
    file.write_text(json.dumps({name: {"title": name} for name in ("pt", "pt-BR", "de-CH")}))
    front.shop.update("--language", "", "--texts", str(file))
    soon(lambda: html("de-CH")[0].attributes("html") == {"lang": "de-CH"})
    own = (("pt-BR, pt;q=0.9", "pt-BR"), ("fr;q=0.9, pt-br", "pt-BR"), ("pt-PT", "pt"))
    for accepted, lang in own:
        assert html(accepted)[0].attributes("html") == {"lang": lang}
    assert html("de")[0].attributes("html") == {"lang": "de"}


def test_window_title_is_the_shops_title_text(new_front):
    """The text `title` of the shop is the title of the window too, in the page's language, without
    HTML. Rule: page-look."""
    front = new_front("--shop-name", "Linen")
    file = front.api.folder / f"title-{front.shop.handle}.json"
    texts = {"sv": {"title": "Önske<lista"}, "de": {"title": "Wunschzettel"}, "ar": {"all": "x"}}
    file.write_text(json.dumps(texts))

    def title(path, accepted):
        text = front.browser().at(path, headers={"Accept-Language": accepted}).text
        return re.findall("<title>(.*?)</title>", text)[0]

    front.shop.update("--texts", str(file))
    soon(lambda: title("/", "sv") == "Önske&lt;lista – Linen")
    assert title("/shared", "sv") == "Önske&lt;lista – Linen"
    assert title("/", "de-AT") == "Wunschzettel – Linen"
    file.write_text(json.dumps(texts | {"pt-br": {"title": "Favoritos"}}))
    front.shop.update("--texts", str(file), "--language", "pt-BR")
    soon(lambda: title("/", "sv") == "Favoritos – Linen")
    front.shop.update("--language", "")
    soon(lambda: title("/", "sv") == "Önske&lt;lista – Linen")
    for accepted in ("en", "ar"):
        assert title("/", accepted) == "Wishlist – Linen"
        assert title("/shared", accepted) == "Shared wishlist – Linen"


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("logo_url", "http://shop.example/logo.png"),
        ("logo_url", "//evil.example/logo.png"),
        ("logo_url", "javascript:alert(1)"),
        ("logo_url", "data:image/svg+xml,x"),
        ("logo_url", "https://user@shop.example/"),
        ("shop_url", "javascript:alert(1)"),
        ("shop_url", "//evil.example/"),
        ("shop_url", "/\\evil.example"),
        ("shop_url", "https://shop.example/a b"),
        ("cart_url", "https://shop.example/cart"),
        ("cart_url", "javascript:{variantId}"),
        ("cart_url", "https://{variantId}.example/"),
        ("accent", "red"),
        ("accent", "#fff"),
        ("accent", "#0a7d5a}body{display:none"),
        ("accent", "#0a7d5a\n"),
        ("language", "de_AT"),
        ("language", 'de" onload="x'),
        ("shop_name", "a\nb"),
        ("shop_name", "x" * 101),
    ],
)
def test_look_setting_that_could_inject_code_is_refused(field, bad):
    """Only https URLs and paths, plain colours, languages and names are accepted.
    Rules: page-look, store-settings."""
    with pytest.raises(Invalid, match=field.replace("_", "-")):
        rules.check({field: bad})


@pytest.mark.parametrize(
    "texts",
    [
        {"not a language": {}},
        {"de": {"not a name": "x"}},
        {"de": {"title": "x" * 1_001}},
        {"de": {"title": "\x00"}},
        {f"a{chr(97 + n)}": {} for n in range(21)},
        {"de": {f"t{n}": "x" * 1_000 for n in range(33)}},
    ],
)
def test_too_many_or_malformed_texts_are_refused(texts):
    """Too many or malformed texts are refused. Rule: page-look."""
    with pytest.raises(Invalid, match="texts: "):
        look.check_texts(texts)


def test_text_on_any_accent_is_readable():
    """Black or white has a contrast of at least 4.5:1 on every accent. Rule: page-look."""

    def luminance(colour):
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    steps = range(0, 256, 15)
    for accent in (f"#{r:02x}{g:02x}{b:02x}" for r in steps for g in steps for b in steps):
        on = {"#000": 0.0, "#fff": 1.0}[look.text_on_accent(accent)]
        low, high = sorted((on, luminance(accent)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, accent
