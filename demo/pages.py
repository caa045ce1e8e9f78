"""The shop's pages, rendered on the server and complete without JavaScript."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from demo.catalogue import Product, Variant

BASE = "/apps/wishlist"
HTML = {"content-type": "text/html; charset=utf-8"}

Answer = tuple[int, dict[str, str], bytes]  # status, headers and body

CUSTOMERS = {"1001": "Mira", "1002": "Jonas"}

_CHOSEN = ' aria-current="true"'
_STATIC = Path(__file__).parent / "static"
_PICTURES = (_STATIC / "pictures.svg").read_text()
_STYLE = (_STATIC / "shop.css").read_text()
_ICON = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>'
_HEART = _ICON.format(
    "M12 20.6C5.6 15.9 2.8 12.6 2.8 9a4.9 4.9 0 0 1 9.2-2.3A4.9 4.9 0 0 1 21.2 9c0 3.6-2.8 6.9-9.2 11.6z"
)
_BAG = _ICON.format("M5 8.5h14l1 11.5H4zM8.5 11V7a3.5 3.5 0 0 1 7 0v4")
_LETTER = _ICON.format("M3 6h18v12.5H3zM3 6.5l9 7 9-7")
_PERSON = _ICON.format("M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0")
_DOOR = _ICON.format("M14 8V4.5H4.5v15H14V16M9.5 12h11M17 8.5l3.5 3.5-3.5 3.5")
_COUNT = '<wishlist-count class="badge"{}></wishlist-count>'


def page(title: str, main: str, customer: str | None, here: str = "") -> str:
    """Returns a whole page. ``customer``: who is signed in; ``here``: its path, for the menu."""
    count = _COUNT.format(f' signed-in="{customer}"' if customer else "")
    if customer:
        account = f"""<form method="post" action="/sign-out">
      <span class="hello">Hello, {escape(CUSTOMERS[customer])}</span>
      <button class="plain">{_DOOR} <span class="word">Sign out</span></button></form>"""
    else:
        account = _link("/sign-in", f'{_PERSON} <span class="word">Sign in</span>', here)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · Small Hours</title>
<link rel="icon" href="/static/icon.svg">
<link rel="stylesheet" href="/static/shop.css">
<script type="module" src="{BASE}/assets/wishwell.js"></script>
<script type="module" src="{BASE}/assets/analytics.js" to="datalayer"></script>
<script type="module" src="/static/shop.js"></script>
</head>
<body>
{_PICTURES}
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  <a class="brand" href="/">Small Hours</a>
  <nav aria-label="Shop">
    {_link("/wishlist", f'{_HEART} <span class="word">Wishlist</span> {count}', here)}
    {_link("/cart", f'{_BAG} <span class="word">Cart</span> <span class="badge" id="carted" hidden></span>', here)}
    {_link("/mailbox", f'{_LETTER} <span class="word">Mailbox</span>', here)}
    {account}
  </nav>
</header>
<div class="messages"><div id="notice" role="alert"></div><div id="done"></div></div>
<p id="said" class="unseen" role="status"></p>
<main id="main" tabindex="-1">
{main}
</main>
<footer class="bottom">Twelve things and no checkout: this shop shows
what Wishwell does for a real one.</footer>
<wishlist-toast page="/wishlist" sign-in="/sign-in"></wishlist-toast>
</body>
</html>
"""


def _link(path: str, label: str, here: str) -> str:
    current = ' aria-current="page"' if path == here else ""
    return f'<a href="{path}"{current}>{label}</a>'


def euros(amount: int) -> str:
    """Returns a price as the wishlist shows it, too."""
    return f"€{amount}.00"


def picture(product: Product, variant: Variant) -> str:
    return (
        f'<span class="picture {variant.tint}"><svg aria-hidden="true">'
        f'<use href="#{product.picture}"/></svg></span>'
    )


def picture_file(product: Product, variant: Variant) -> bytes:
    """Returns the picture as an SVG file, for the wishlist."""
    [drawing] = re.findall(
        rf'<symbol id="{product.picture}" [^>]*>(.*?)</symbol>', _PICTURES, re.DOTALL
    )
    [main] = re.findall(rf"\.{variant.tint} \{{ --main: (#\w+); \}}", _STYLE)
    [rules] = re.findall(r"^(\.a \{.*?)\n\n", _STYLE, re.DOTALL | re.MULTILINE)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="-14 -14 228 228">
<style>svg {{ --main: {main}; background: color-mix(in oklab, var(--main), #fff 78%) }}
@media (prefers-color-scheme: dark) {{ svg {{ background: color-mix(in oklab, var(--main), #171513 70%) }} }}
{rules}</style>{drawing}</svg>""".encode()


# ------------------------------------------------------------------------------------ the shop


def shop(products: list[Product]) -> str:
    """Returns the grid of products, each with a heart."""
    cards = "\n".join(_card(product) for product in products)
    return f"""<div class="hello-there"><h1>Things for a quiet home</h1>
<p>Made slowly, by people we know. Tap a heart to save your favourites. No account needed.</p></div>
<ul class="grid">
{cards}
</ul>"""


def _card(product: Product) -> str:
    name = escape(product.name)
    return f"""<li class="card">
  <a href="/products/{product.picture}">{picture(product, product.variants[0])}
    <span class="name">{name}</span> <span class="price">{euros(product.price)}</span></a>
  <wishlist-button product-id="{product.id}" match="product" label="Save {name}"></wishlist-button>
</li>"""


def product(product: Product, chosen: Variant) -> str:
    """Returns a product's page. Each variant has its own URL; scripts switch without loading it."""
    name = escape(product.name)
    choices = "\n".join(
        f'<li><a class="swatch {variant.tint}" href="?variant={variant.id}"'
        f"{_CHOSEN if variant == chosen else ''}>{variant.name}</a></li>"
        for variant in product.variants
    )
    return f"""<article class="product">
  {picture(product, chosen)}
  <div>
    <p class="back"><a href="/">All twelve things</a></p>
    <h1>{name}</h1>
    <p class="price">{euros(product.price)}</p>
    <p>{escape(product.text)}</p>
    <h2 id="colour">Colour: {chosen.name}</h2>
    <ul class="swatches">{choices}</ul>
    <div class="buy"><button class="button" id="buy" hidden>Add to cart</button>
    <wishlist-button class="wide" product-id="{product.id}" variant-id="{chosen.id}"
      match="product" choose-list><span>Save to wishlist</span></wishlist-button></div>
  </div>
</article>"""


# ------------------------------------------------------------------------- wishlist and cart


def wishlist(customer: str | None) -> str:
    """Returns the page of the customer's or visitor's own wishlist."""
    visitor = "" if customer else _VISITOR
    return (
        f"""<wishlist-page cart shared-page="/shared#{{token}}"></wishlist-page>{visitor}{_PAGES}"""
    )


def shared() -> str:
    """Returns the page of a shared list. The token is in the URL's fragment, never sent to the shop."""
    return f"""<wishlist-shared cart own-page="/wishlist"></wishlist-shared>{_PAGES}"""


_PAGES = f"""<noscript><p>Wishlists need JavaScript.</p></noscript>
<script type="module" src="{BASE}/assets/page.js"></script>"""
_VISITOR = """<p class="visitor">Saved on this device only.
<a href="/sign-in">Sign in</a> to keep your list.</p>"""
_CROSS = """<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>"""


def cart(products: Sequence[Product]) -> str:
    """Returns the empty cart page, which cart.js fills. A real shop has a cart already."""
    looks = "\n".join(
        f'<template data-product="{product.id}" data-variant="{variant.id if variant else ""}" '
        f'data-href="{address(product, variant)}" data-price="{product.price}">'
        f"{_look(product, variant)}</template>"
        for product in products
        for variant in (None, *product.variants)
    )
    return f"""<noscript><p>The cart needs JavaScript.</p></noscript>
<div id="cart" hidden><h1 id="heading" tabindex="-1">Cart</h1>
<ul id="items" class="rows"></ul>
<p id="total" class="total"></p>
<div id="nothing" class="empty" hidden><svg viewBox="0 0 200 200" aria-hidden="true"
  class="picture sky"><use href="#bowl"/></svg><h2>Your cart is empty</h2>
  <p>Add something from your wishlist or a product page.</p>
  <a class="button" href="/wishlist">View your wishlist</a></div></div>
<template id="row"><li class="row"><a class="what"></a> <span class="times"></span>
  <button class="remove" title="Remove">{_CROSS}</button></li></template>
{looks}
<script type="module" src="/static/cart.js"></script>"""


def _look(product: Product, variant: Variant | None) -> str:
    detail = f"{variant.name} · " if variant else ""
    return (
        f"{picture(product, variant or product.variants[0])}"
        f'<span class="name">{escape(product.name)}</span> '
        f'<span class="price">{detail}{euros(product.price)}</span>'
    )


def address(product: Product, variant: Variant | None = None) -> str:
    """Returns the path of a product's page."""
    return f"/products/{product.picture}{f'?variant={variant.id}' if variant else ''}"


# ---------------------------------------------------------------------------------- the account


def sign_in() -> str:
    """Returns the sign-in page: two customers without passwords. A real shop asks for one."""
    buttons = "\n".join(
        f'<button class="who" name="customer" value="{id}"><span aria-hidden="true">{name[0]}</span>'
        f"Continue as {name}</button>"
        for id, name in CUSTOMERS.items()
    )
    return f"""<div class="narrow"><h1>Sign in</h1>
<p>Choose one of our two customers. No password needed. Anything you’ve saved comes with you.</p>
<form method="post" action="/sign-in" class="customers">{buttons}</form></div>"""


def not_found() -> str:
    return """<div class="empty"><svg viewBox="0 0 200 200" aria-hidden="true"
  class="picture honey"><use href="#lamp"/></svg><h1>Page not found</h1>
  <p>We couldn’t find this page.</p>
  <a class="button" href="/">Go to the shop</a></div>"""
