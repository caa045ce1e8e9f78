"""The shop's pages: HTML from functions, complete before any script runs."""

import re
from html import escape
from pathlib import Path

from demo.catalogue import Product, Variant

BASE = "/apps/wishlist"
SHARED = re.compile(r"/shared/([A-Za-z0-9_-]{1,64})")  # the links of <wishlist-share>
HTML = {"content-type": "text/html; charset=utf-8"}

Answer = tuple[int, dict[str, str], bytes]  # status, headers and body

CUSTOMERS = {"1001": "Mira", "1002": "Jonas"}

_CHOSEN = ' aria-current="true"'
_PICTURES = (Path(__file__).parent / "static" / "pictures.svg").read_text()
_ICON = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/></svg>'
_HEART = _ICON.format(
    "M12 20.6C5.6 15.9 2.8 12.6 2.8 9a4.9 4.9 0 0 1 9.2-2.3A4.9 4.9 0 0 1 21.2 9c0 3.6-2.8 6.9-9.2 11.6z"
)
_BAG = _ICON.format("M5 8.5h14l1 11.5H4zM8.5 11V7a3.5 3.5 0 0 1 7 0v4")
_COUNT = '<span class="badge" id="{}" hidden></span>'


def page(title: str, main: str, customer: str | None, here: str = "", head: str = "") -> str:
    """A whole page. ``customer`` is signed in; ``here`` is its path, for the menu and for the way back
    from the sign-in to a shared list; ``head`` has more for its head."""
    if customer:
        account = f"""<form method="post" action="/sign-out">
      <span class="hello">Hello, {escape(CUSTOMERS[customer])}</span>
      <button class="plain">Sign out</button></form>"""
    else:
        account = _link(sign_in_address(here), "Sign in", here)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · Small Hours</title>
{head}<link rel="icon" href="/static/icon.svg">
<link rel="stylesheet" href="/static/shop.css">
<script type="module" src="{BASE}/assets/wishwell.js"></script>
<script type="module" src="/static/shop.js"></script>
</head>
<body>
{_PICTURES}
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
  <a class="brand" href="/">Small Hours</a>
  <nav aria-label="Shop">
    {_link("/wishlist", f'{_HEART} <span class="word">Wishlist</span> {_COUNT.format("saved")}', here)}
    {_link("/cart", f'{_BAG} <span class="word">Cart</span> {_COUNT.format("carted")}', here)}
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
</body>
</html>
"""


def _link(path: str, label: str, here: str) -> str:
    current = ' aria-current="page"' if path == here else ""
    return f'<a href="{path}"{current}>{label}</a>'


def picture(product: Product, variant: Variant) -> str:
    return (
        f'<span class="picture {variant.tint}"><svg aria-hidden="true">'
        f'<use href="#{product.picture}"/></svg></span>'
    )


# ------------------------------------------------------------------------------------ the shop


def shop(products: list[Product]) -> str:
    """The grid: each product with its heart."""
    cards = "\n".join(_card(product) for product in products)
    return f"""<div class="hello-there"><h1>Things for a quiet home</h1>
<p>Made slowly, by people we know. Keep what you like with a heart: no account needed.</p></div>
<ul class="grid">
{cards}
</ul>"""


def _card(product: Product) -> str:
    name = escape(product.name)
    return f"""<li class="card">
  <a href="/products/{product.picture}">{picture(product, product.variants[0])}
    <span class="name">{name}</span> <span class="price">€{product.price}</span></a>
  <wishlist-button product-id="{product.id}" match="product" label="Save {name}"></wishlist-button>
</li>"""


def product(product: Product, chosen: Variant) -> str:
    """A product in one of its variants. Each has its own address; with script there is no new page."""
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
    <p class="price">€{product.price}</p>
    <p>{escape(product.text)}</p>
    <h2 id="colour">Colour: {chosen.name}</h2>
    <ul class="swatches">{choices}</ul>
    <div class="buy"><button class="button" id="buy" hidden>Add to cart</button>
    <wishlist-button class="wide" product-id="{product.id}" variant-id="{chosen.id}"
      match="product"><span>Save to wishlist</span></wishlist-button></div>
  </div>
</article>"""


# ---------------------------------------------------------------------------------- the account


def sign_in_address(here: str) -> str:
    """The sign-in page; from a shared list with the way back to it."""
    return f"/sign-in?back={here}" if SHARED.fullmatch(here) else "/sign-in"


def sign_in(back: str) -> str:
    """Offers two customers without a password. A real shop asks for one."""
    buttons = "\n".join(
        f'<button class="who" name="customer" value="{id}"><span aria-hidden="true">{name[0]}</span>'
        f"Continue as {name}</button>"
        for id, name in CUSTOMERS.items()
    )
    return f"""<div class="narrow"><h1>Sign in</h1>
<p>Choose one of our two customers; they need no password. What you have saved comes with you.</p>
<form method="post" action="/sign-in" class="customers">
<input type="hidden" name="back" value="{escape(back)}">{buttons}</form></div>"""


def not_found() -> str:
    return """<div class="narrow"><h1>Page not found</h1>
<p>There is nothing at this address. <a href="/">Go to the shop</a>.</p></div>"""
