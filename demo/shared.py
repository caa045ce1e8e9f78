"""The page of a shared list, for everybody who has its link.

It is complete without script, except for the reservations. They are shown on request only: the owner
may look too and, signed out, can't be told from others.
"""

import json
from html import escape
from typing import Any

from demo.catalogue import PRODUCTS
from demo.forward import Application, Scope, read
from demo.pages import BASE, HTML, SHARED, Answer, page, sign_in_address
from demo.wishes import GONE, address, look

# Whoever knows the address sees the list, so no search engine may keep it.
_HEADERS = HTML | {"x-robots-tag": "noindex"}
_NOINDEX = '<meta name="robots" content="noindex">\n'
_PRODUCTS = {product.id: product for product in PRODUCTS}


async def answer(scope: Scope, wishlist: Application, customer: str | None) -> Answer:
    """The page, read from the service without a cookie: everybody sees the same list."""
    here = scope["path"]
    link = SHARED.fullmatch(here)
    status, body = 404, b""
    if link:
        status, body = await read(wishlist, scope, f"{BASE}/api/shared/{link[1]}")
    if status == 200:
        shared = json.loads(body)["data"]
        origin = f"{scope['scheme']}://{dict(scope['headers'])[b'host'].decode('latin-1')}"
        head = _NOINDEX + _preview(shared, origin, here)
        text = page(shared["name"], _list(shared, here, customer), customer, here, head)
    elif status == 404:
        text = page("No longer shared", _ENDED, customer, head=_NOINDEX)
    else:
        status, text = 503, page("List not available", _AWAY, customer, head=_NOINDEX)
    return status, _HEADERS, text.encode()


def _preview(shared: dict[str, Any], origin: str, here: str) -> str:
    """Open Graph tags, from which a messenger makes its preview of the link."""
    wishes = f"{len(shared['items'])} wishes" if len(shared["items"]) != 1 else "One wish"
    properties = {
        "og:type": "website",
        "og:site_name": "Small Hours",
        "og:title": shared["name"],
        "og:description": f"{wishes}, from Small Hours.",
        "og:url": origin + here,
        "og:image": f"{origin}/static/shared.png",
        "og:image:width": "1200",
        "og:image:height": "630",
    }
    lines = [
        f'<meta property="{name}" content="{escape(value)}">' for name, value in properties.items()
    ]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">\n'])


def _list(shared: dict[str, Any], here: str, customer: str | None) -> str:
    rows = "\n".join(_row(item) for item in shared["items"])
    give = _GIVE.format(sign_in="" if customer else _SIGN_IN.format(address=sign_in_address(here)))
    return f"""<div class="shared">
<div class="heading"><h1 id="heading" tabindex="-1">{escape(shared["name"])}</h1>
  <button id="copy" class="plain" hidden>Copy to my wishlist</button></div>
{give if shared["reservations"] and rows else _LEAD}
<ul id="items" class="rows">
{rows}
</ul>{"" if rows else "<p class=hint>This list is empty.</p>"}</div>
<template id="gift"><span class="state"></span><select class="quantity"></select>
  <button class="reserve button"></button><button class="release plain">Cancel reservation</button></template>
<script type="module" src="/static/shared.js"></script>"""


def _row(item: dict[str, Any]) -> str:
    product = _PRODUCTS.get(item["productId"])
    variants = product.variants if product else ()
    variant = next((v for v in variants if v.id == item.get("variantId")), None)
    what = (
        f'<a class="what" href="{address(product, variant)}">{look(product, variant)}</a>'
        if product
        else f'<span class="what">{GONE}</span>'
    )
    note = f'<p class="note">{escape(item["note"])}</p>' if "note" in item else ""
    many = f"{item['quantity']} wished for" if item["quantity"] > 1 else ""
    return (
        f'<li class="row" data-id="{escape(item["id"])}">{what}{note}'
        f'<div class="acts"><span class="state">{many}</span></div></li>'
    )


_LEAD = """<p class="hint">Somebody has shared this list with you.</p>"""
_GIVE = """<div class="give"><p>Somebody has shared this list with you. Reserve what you would like to
  give, so that nobody else buys it too. The list’s owner never sees this.</p>
  <p id="dont"><strong>Is this your own list? Then don’t look: the gifts should be a surprise.</strong></p>
  <button id="reveal" class="button" hidden>Show what is reserved</button>
  <noscript>Reserving needs JavaScript.</noscript>{sign_in}</div>"""
_SIGN_IN = """<p id="alone" hidden>Your reservations are known in this browser only.
  <a href="{address}">Sign in</a> to keep them in your account.</p>"""
_ENDED = """<div class="narrow empty"><svg viewBox="0 0 200 200" aria-hidden="true" class="picture honey">
<use href="#candle"/></svg><h1>This list is no longer shared</h1>
<p>The link has expired, its owner has stopped sharing the list, or part of the link is missing.
Ask the owner for a new one.</p><a class="button" href="/">Look around the shop</a></div>"""
_AWAY = """<div class="narrow empty"><h1>The list can’t be shown just now</h1>
<p>Please try again in a minute.</p></div>"""
