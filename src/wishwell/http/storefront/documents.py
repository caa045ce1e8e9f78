"""HTML pages of the storefront: the shopper's own wishlist, and a shared list."""

from html import escape

from wishwell.http import assets
from wishwell.http.responses import Response
from wishwell.shoppers.shop import StorefrontRequest

_PAGE = (assets.FOLDER / "page.html").read_text("utf-8")
_WAY_BACK = '<header><a href="/">{}</a></header>'
_TEXTS = {
    "en": ("Wishlist", "Shared wishlist", "This page needs JavaScript."),
    "de": ("Merkzettel", "Geteilter Merkzettel", "Für diese Seite wird JavaScript benötigt."),
}
# rule: storefront-pages
_HEADERS = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"vary", b"Accept-Language"),
    *assets.security_headers(b"style-src 'self'; img-src 'self' https:"),
]


# rule: storefront-pages
def answer(path: str, base: str, visit: StorefrontRequest, languages: str | None) -> Response:
    """Returns the page at a path below the base, or a redirect to the shop's own page.

    ``languages`` is the ``Accept-Language`` header.
    """
    if not path:
        return assets.redirect(f"{base}/")
    store, shared = visit.store, path == "/shared"
    pages = store.pages
    own = pages.shared_page if shared else pages.wishlist_page
    # On a redirect the browser keeps the fragment, and with it the token after the #.
    if own and "{token}" not in own and own != base + path:
        return assets.redirect(own)
    lang = assets.preferred(languages, [*_TEXTS]) or "en"
    title, of_shared, noscript = _TEXTS[lang]
    attributes = {"lang": lang, "product-url": pages.product_url}
    if not shared and store.events_since is None:  # price drop notices need events
        attributes["notices"] = "off"
    if not shared and (link := pages.shared_page):
        attributes["shared-page"] = link if "{token}" in link else f"{link}#{{token}}"
    page = _PAGE.format(
        lang=lang,
        title=of_shared if shared else title,
        # A store without hosts may have no shop to link back to.
        header=_WAY_BACK.format(escape(visit.host.removeprefix("www."))) if store.hosts else "",
        element="wishlist-shared" if shared else "wishlist-page",
        attributes="".join(
            f' {name}="{escape(text)}"' for name, text in attributes.items() if text
        ),
        noscript=noscript,
    )
    return Response(200, page.encode(), [*_HEADERS])
