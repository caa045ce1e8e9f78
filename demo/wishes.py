"""The pages of the wishlist and of the cart, which scripts fill from templates."""

from html import escape

from demo.catalogue import PRODUCTS, Product, Variant
from demo.pages import BASE, picture

# Shown until a script removes it, so it stays where scripts are off or can't be loaded.
_NEEDS = """<div class="needs narrow" id="needs"><h1>{title}</h1>
<p>{title}s need JavaScript. Turn it on for this shop and load the page again; if it is on, try again
in a minute. <a href="/">The shop itself</a> works without.</p></div>"""
GONE = '<span class="picture oat"></span><span class="name">No longer sold</span>'
_CROSS = """<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>"""
_VISITOR = """<p class="visitor">This wishlist is known in this browser only.
<a href="/sign-in">Sign in</a> to keep it.</p>"""


def wishlist(customer: str | None) -> str:
    """The frame of the wishlist page, which wishlist.js fills."""
    return f"""{_NEEDS.format(title="Wishlist")}
<div class="wishlist" id="wishlist" hidden>
  <nav class="side" aria-label="Lists"><ul id="lists"></ul>
    <button id="new-list" class="plain">New list</button></nav>
  <section aria-labelledby="heading">
    <div class="heading"><h1 id="heading" tabindex="-1">Everything</h1>
      <div id="tools" hidden><details><summary aria-label="Change this list">Change</summary>
        <div class="menu"><button id="rename" class="plain">Rename</button>
        <button id="delete" class="plain">Delete list</button></div></details></div></div>
    <wishlist-share reservations notes label="Share this list" hidden></wishlist-share>
    {"" if customer else _VISITOR}
    <p id="hint" class="hint" hidden>Drag things by their handle, or move them with the arrow keys.</p>
    <ul id="items" class="rows"></ul>
    <div id="nothing" class="empty" hidden><svg viewBox="0 0 200 200" aria-hidden="true"
      class="picture oat"><use href="#vase"/></svg><h2>Nothing saved yet</h2>
      <p>Press a product’s heart to save it here.</p>
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
  <label>Note <textarea name="note" maxlength="500" rows="4"></textarea></label>
  <p></p>
  <div class="choices"><button class="button" value="yes"></button>
    <button type="button" class="plain">Cancel</button></div>
</form></dialog>
<template id="list"><li><a><span class="name"></span> <span class="count"></span></a></li></template>
<template id="box"><li><label><input type="checkbox"> <span></span></label></li></template>
<template id="row"><li class="row">
  <button class="handle" title="Drag, or press the arrow keys"><svg viewBox="0 0 24 24"
    aria-hidden="true"><path d="M9 5h.01M15 5h.01M9 12h.01M15 12h.01M9 19h.01M15 19h.01"/></svg></button>
  <a class="what"></a><p class="note" hidden></p>
  <div class="acts"><select class="quantity"></select> <button class="cart plain">Move to cart</button>
  <details><summary>More</summary><div class="menu"><ul class="boxes"></ul>
    <button class="new plain">New list</button> <button class="write plain"></button>
    <button class="up plain">Move up</button> <button class="down plain">Move down</button></div></details></div>
  <button class="remove" title="Remove">{_CROSS}</button>
</li></template>
{_known()}
<script type="module" src="{BASE}/assets/share.js"></script>
<script type="module" src="/static/wishlist.js"></script>"""


def cart() -> str:
    """The frame of the cart, which cart.js fills. A real shop has a cart already."""
    return f"""{_NEEDS.format(title="Cart")}
<div id="cart" hidden><h1 id="heading" tabindex="-1">Cart</h1>
<ul id="items" class="rows"></ul>
<p id="total" class="total"></p>
<div id="nothing" class="empty" hidden><svg viewBox="0 0 200 200" aria-hidden="true"
  class="picture sky"><use href="#bowl"/></svg><h2>Your cart is empty</h2>
  <p>Move something here from your wishlist, or add it on the product’s page.</p>
  <a class="button" href="/wishlist">See your wishlist</a></div></div>
<template id="row"><li class="row"><a class="what"></a> <span class="times"></span>
  <button class="remove" title="Remove">{_CROSS}</button></li></template>
{_known()}
<script type="module" src="/static/cart.js"></script>"""


def _known() -> str:
    """How each product looks, for scripts to copy."""
    looks = [
        _look(product, variant) for product in PRODUCTS for variant in (None, *product.variants)
    ]
    return "\n".join([f'<template id="gone">{GONE}</template>', *looks])


def look(product: Product, variant: Variant | None) -> str:
    """A product in a row: its picture, name and price."""
    detail = f"{variant.name} · " if variant else ""
    return (
        f"{picture(product, variant or product.variants[0])}"
        f'<span class="name">{escape(product.name)}</span> '
        f'<span class="price">{detail}€{product.price}</span>'
    )


def address(product: Product, variant: Variant | None) -> str:
    """The product's page."""
    return f"/products/{product.picture}{f'?variant={variant.id}' if variant else ''}"


def _look(product: Product, variant: Variant | None) -> str:
    return (
        f'<template data-product="{product.id}" data-variant="{variant.id if variant else ""}" '
        f'data-href="{address(product, variant)}" data-price="{product.price}">'
        f"{look(product, variant)}</template>"
    )
