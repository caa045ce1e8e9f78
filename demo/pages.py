"""The shop's pages: plain HTML from plain functions, whole before any script runs."""

from html import escape
from pathlib import Path

from demo.catalogue import Product, Variant

BASE = "/apps/wishlist"
CUSTOMERS = {"1001": "Mira", "1002": "Jonas"}

_CHOSEN = ' aria-current="true"'
_PICTURES = (Path(__file__).parent / "static" / "pictures.svg").read_text()
_HEART = (
    '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 20.6C5.6 15.9 2.8 '
    "12.6 2.8 9a4.9 4.9 0 0 1 9.2-2.3A4.9 4.9 0 0 1 21.2 9c0 3.6-2.8 6.9-9.2 "
    '11.6z"/></svg>'
)


def page(title: str, main: str, customer: str | None, here: str = "") -> str:
    """A whole page. ``customer``: who is signed in; ``here``: the path, for the menu."""
    if customer:
        account = f"""<form method="post" action="/sign-out">
      <span class="hello">Hello, {escape(CUSTOMERS[customer])}</span>
      <button class="plain">Sign out</button></form>"""
    else:
        account = _link("/sign-in", "Sign in", here)
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
<script type="module" src="/static/wishlist.js"></script>
</head>
<body>
{_PICTURES}
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
  <a class="brand" href="/">Small Hours</a>
  <nav aria-label="Shop">
    {_link("/wishlist", f"{_HEART} Wishlist", here)}
    {account}
  </nav>
</header>
<div id="notice" role="alert"></div>
<p id="said" class="unseen" role="status"></p>
<main id="main" tabindex="-1">
{main}
</main>
<footer class="bottom">Twelve things and no checkout: this shop is here to show
what Wishwell does for a real one.</footer>
</body>
</html>
"""


def _link(path: str, label: str, here: str) -> str:
    current = ' aria-current="page"' if path == here else ""
    return f'<a href="{path}"{current}>{label}</a>'


def _picture(product: Product, variant: Variant) -> str:
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
  <a href="/products/{product.picture}">{_picture(product, product.variants[0])}
    <span class="name">{name}</span> <span class="price">€{product.price}</span></a>
  <wishlist-button product-id="{product.id}" match="product" label="Save {name}"></wishlist-button>
</li>"""


def product(product: Product, chosen: Variant) -> str:
    """A product in one of its variants, each at an address of its own; with script, without a new page."""
    name = escape(product.name)
    choices = "\n".join(
        f'<li><a class="swatch {variant.tint}" href="?variant={variant.id}"'
        f"{_CHOSEN if variant == chosen else ''}>{variant.name}</a></li>"
        for variant in product.variants
    )
    return f"""<article class="product">
  {_picture(product, chosen)}
  <div>
    <p class="back"><a href="/">All twelve things</a></p>
    <h1>{name}</h1>
    <p class="price">€{product.price}</p>
    <p>{escape(product.text)}</p>
    <h2 id="colour">Colour: {chosen.name}</h2>
    <ul class="swatches">{choices}</ul>
    <wishlist-button class="wide" product-id="{product.id}" variant-id="{chosen.id}"
      match="product" label="Save to wishlist"><span class="when-not">Save to wishlist</span
      ><span class="when-saved">Saved to wishlist</span></wishlist-button>
  </div>
</article>"""


# --------------------------------------------------------------------------------- the wishlist


def wishlist(products: list[Product], customer: str | None) -> str:
    """The frame of the wishlist page, which wishlist.js fills from these templates."""
    hint = "" if customer else _VISITOR
    known = "\n".join(
        _known(product, variant) for product in products for variant in (None, *product.variants)
    )
    return f"""<div class="wishlist" id="wishlist">
  <nav class="side" aria-label="Lists"><ul id="lists"></ul>
    <button id="new-list" class="plain">New list</button></nav>
  <section aria-labelledby="heading">
    <div class="heading"><h1 id="heading" tabindex="-1">Everything</h1>
      <div id="tools" hidden><button id="rename" class="plain">Rename</button>
      <button id="delete" class="plain">Delete list</button></div></div>
    {hint}
    <p id="hint" class="hint" hidden>Drag things by their handle, or move them with the arrow keys.</p>
    <ul id="items" class="rows"></ul>
    <div id="nothing" class="empty" hidden><svg viewBox="0 0 200 200" aria-hidden="true"
      class="picture oat"><use href="#vase"/></svg><h2>Nothing saved yet</h2>
      <p>Press the heart of a product, and you find it here.</p>
      <a class="button" href="/">Look around</a></div>
    <div id="nothing-here" class="empty" hidden><svg viewBox="0 0 200 200" aria-hidden="true"
      class="picture sage"><use href="#notebook"/></svg><h2>An empty list</h2>
      <p>Open your saved products and put some of them on this list.</p>
      <a class="button" href="#">See everything</a></div>
  </section>
</div>
<dialog id="ask" aria-labelledby="ask-title"><form method="dialog">
  <h2 id="ask-title"></h2>
  <label>Name <input name="name" maxlength="255" required autocomplete="off"></label>
  <p></p>
  <div class="choices"><button class="button" value="yes"></button>
    <button type="button" class="plain">Cancel</button></div>
</form></dialog>
<template id="list"><li><a><span class="name"></span> <span class="count"></span></a></li></template>
<template id="box"><li><label><input type="checkbox"> <span></span></label></li></template>
<template id="row"><li class="row">
  <button class="handle" title="Drag, or press the arrow keys"><svg viewBox="0 0 24 24"
    aria-hidden="true"><path d="M9 5h.01M15 5h.01M9 12h.01M15 12h.01M9 19h.01M15 19h.01"/></svg></button>
  <a class="what"></a>
  <details><summary>Lists</summary><div class="menu"><ul class="boxes"></ul>
    <button class="new plain">New list</button>
    <button class="up plain">Move up</button> <button class="down plain">Move down</button></div></details>
  <button class="remove" title="Remove"><svg viewBox="0 0 24 24" aria-hidden="true"><path
    d="M6 6l12 12M18 6L6 18"/></svg></button>
</li></template>
<template id="gone"><span class="picture oat"></span><span class="name">No longer sold</span>
</template>
{known}"""


_VISITOR = """<p class="visitor">You are not signed in. Only this browser knows this wishlist.
<a href="/sign-in">Sign in</a> to keep it in your account.</p>"""


def _known(product: Product, variant: Variant | None) -> str:
    """How a saved product looks, for wishlist.js to copy."""
    at = f"?variant={variant.id}" if variant else ""
    detail = f"{variant.name} · " if variant else ""
    return (
        f'<template data-product="{product.id}" data-variant="{variant.id if variant else ""}" '
        f'data-href="/products/{product.picture}{at}">'
        f"{_picture(product, variant or product.variants[0])}"
        f'<span class="name">{escape(product.name)}</span> '
        f'<span class="price">{detail}€{product.price}</span></template>'
    )


# ---------------------------------------------------------------------------------- the account


def sign_in() -> str:
    """Offers two customers without a password. A real shop asks for one."""
    buttons = "\n".join(
        f'<button class="who" name="customer" value="{id}"><span aria-hidden="true">{name[0]}</span>'
        f"Continue as {name}</button>"
        for id, name in CUSTOMERS.items()
    )
    return f"""<div class="narrow"><h1>Sign in</h1>
<p>Choose one of our two customers; they need no password. What you have saved comes with you.</p>
<form method="post" action="/sign-in" class="customers">{buttons}</form></div>"""


def not_found() -> str:
    return """<div class="narrow"><h1>Page not found</h1>
<p>There is nothing at this address. <a href="/">Go to the shop</a>.</p></div>"""
