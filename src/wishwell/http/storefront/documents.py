"""HTML pages of the storefront: the shopper's own wishlist, and a shared list."""

import base64
import functools
import hashlib
from html import escape

import msgspec

from wishwell import stores
from wishwell.http import assets
from wishwell.http.responses import Headers, Response
from wishwell.http.storefront import visitors
from wishwell.shoppers.shop import StorefrontRequest
from wishwell.stores import look as looks
from wishwell.stores.look import Look

_PAGE = (assets.FOLDER / "page.html").read_text("utf-8")
_TEXTS = {
    "en": ("Wishlist", "Shared wishlist", "This page needs JavaScript."),
    "de": ("Merkzettel", "Geteilter Merkzettel", "Für diese Seite wird JavaScript benötigt."),
    "fr": ("Liste d’envies", "Liste d’envies partagée", "Cette page nécessite JavaScript."),
    "es": ("Lista de deseos", "Lista de deseos compartida", "Esta página necesita JavaScript."),
    "it": ("Lista desideri", "Lista desideri condivisa", "Questa pagina richiede JavaScript."),
    "nl": ("Verlanglijst", "Gedeelde verlanglijst", "Deze pagina heeft JavaScript nodig."),
    "pl": ("Lista życzeń", "Udostępniona lista życzeń", "Ta strona wymaga JavaScriptu."),
}
_RIGHT_TO_LEFT = {"ar", "fa", "he", "ur"}
_HEADERS = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"vary", b"Accept-Language"),
]


# rule: storefront-pages
def answer(path: str, base: str, visit: StorefrontRequest, languages: str | None) -> Response:
    """Returns the page at a path below the base, or a redirect to the shop's own page.

    ``languages`` is the ``Accept-Language`` header.
    """
    if not path:
        return assets.redirect(f"{base}/")
    store, is_shared = visit.store, path == "/shared"
    pages = store.pages
    own_page = pages.shared_page if is_shared else pages.wishlist_page
    # On a redirect the browser keeps the fragment, and with it the token after the #.
    if own_page and "{token}" not in own_page and own_page != base + path:
        return assets.redirect(own_page)
    look = store.look
    lang = _language(look, languages)
    title, shared_title, noscript = _TEXTS.get(lang.partition("-")[0], _TEXTS["en"])
    attributes = {"lang": lang, "product-url": pages.product_url, "cart-url": look.cart_url}
    attributes["shop-url"] = look.shop_url
    if not is_shared:
        attributes |= _wishlist_attributes(visit)
    name = _title(look, lang) or (shared_title if is_shared else title)
    style = _style(look)
    service = visitors.service_of(visit) if store.naming.platform_shop else ""
    page = _PAGE.format(
        lang=lang,
        direction=' dir="rtl"' if lang.partition("-")[0] in _RIGHT_TO_LEFT else "",
        title=escape(f"{name} – {look.shop_name}" if look.shop_name else name),
        head=f"<style>{style}</style>\n{_texts(look)}" if style else _texts(look),
        header=_header(visit),
        element="wishlist-shared" if is_shared else "wishlist-page",
        attributes="".join(
            f' {name}="{escape(text)}"' for name, text in attributes.items() if text
        ),
        noscript=noscript,
    )
    return Response(200, page.encode(), [*_HEADERS, *_security(style, service)])


def _wishlist_attributes(visit: StorefrontRequest) -> dict[str, str]:
    """Returns the attributes that only the element of the shopper's own wishlist has."""
    store, shared_page = visit.store, visit.store.pages.shared_page
    attributes = {}
    if store.events_since is None:  # price drop notices need events
        attributes["notices"] = "off"
    if _leads_to_sign_in(visit):
        attributes["sign-in"] = store.auth_flow
    if shared_page:
        has_token = "{token}" in shared_page
        attributes["shared-page"] = shared_page if has_token else f"{shared_page}#{{token}}"
    return attributes


# rule: storefront-pages
def _leads_to_sign_in(visit: StorefrontRequest) -> bool:
    """Returns whether a visitor can sign in: the default path alone may lead nowhere."""
    has_sign_in = visit.shop.names_customers or visit.caller is not None
    path = visit.store.auth_flow
    return "{" not in path and (has_sign_in or path != stores.DEFAULT_AUTH_FLOW)


# rule: page-look
def _language(look: Look, accepted: str | None) -> str:
    """Returns the store's language or that of the browser, if any texts are in it, or English."""
    own_languages = [language for language, texts in look.texts.items() if texts]
    preferred = look.language.lower()
    if {preferred, preferred.partition("-")[0]} & {*_TEXTS, *map(str.lower, own_languages)}:
        return look.language
    return assets.preferred(accepted, [*_TEXTS, *own_languages]) or "en"


def _title(look: Look, lang: str) -> str:
    """Returns the text that replaces the page's heading, found as the page's script does, or ''."""
    base = lang.partition("-")[0]
    lookup_order = [lang.lower(), base] if base in _TEXTS else [lang.lower(), base, "en"]
    texts_by_language = {language.lower(): texts for language, texts in look.texts.items()}
    titles = (texts_by_language.get(language_key, {}).get("title") for language_key in lookup_order)
    return next(filter(None, titles), "").partition("|")[0]


# rule: page-look
def _style(look: Look) -> str:
    """Returns the colours as CSS, which has only characters that a checked colour has."""
    if not look.accent:
        return ""
    text_colour = looks.text_on_accent(look.accent)
    return f":root{{--wishlist-accent:{look.accent};--wishlist-on-accent:{text_colour}}}"


@functools.lru_cache(256)
def _security(style: str, service_url: str) -> Headers:
    """Returns headers that allow the page's style sheet, this style, by its hash, and requests to
    the service's own address."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    allowed = f" 'sha256-{digest}'" if style else ""
    policy = f"style-src 'self'{allowed}; img-src 'self' https:"
    return assets.security_headers(policy.encode(), service_url)


# rule: page-look
def _texts(look: Look) -> str:
    """Returns an element with the shop's texts. Escapes what could end it."""
    if not look.texts:
        return ""
    text = msgspec.json.encode(look.texts).decode()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" data-wishlist-texts>{text}</script>\n'


def _header(visit: StorefrontRequest) -> str:
    """Returns the shop's logo or name, which leads back to the shop."""
    look = visit.store.look
    # A store without hosts may have no shop to link back to.
    if not visit.store.hosts and not look.shop_url:
        return ""
    # A platform's proxy sends the service's own host, which no shopper knows.
    hosts = [host.partition("://")[2] or host for host in visit.store.hosts]
    host = visit.host if visit.host in hosts or not hosts else hosts[0]
    name = escape(look.shop_name or host.removeprefix("www."))
    content = f'<img src="{escape(look.logo_url)}" alt="{name}">' if look.logo_url else name
    return f'<header><a href="{escape(look.shop_url or "/")}">{content}</a></header>'
