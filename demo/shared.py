"""The page of a shared list, for whoever has its link.

It is whole without script, but for what is reserved: that is shown on request only, as the owner may
look too, and signed out the owner is anybody.
"""

import json
from html import escape
from typing import Any

from demo.catalogue import PRODUCTS
from demo.forward import Application, Scope, read
from demo.pages import BASE, SHARED, page, sign_in_address
from demo.wishes import address, look

# Its address is all that one needs to see it, so nothing else may keep or list it.
_HEADERS = {"content-type": "text/html; charset=utf-8", "x-robots-tag": "noindex"}
_NOINDEX = '<meta name="robots" content="noindex">\n'
_PRODUCTS = {product.id: product for product in PRODUCTS}


async def answer(
    scope: Scope, wishlist: Application, customer: str | None
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body. The service is asked for nobody: so nothing depends on who looks."""
    here = scope["path"]
    found = SHARED.fullmatch(here)
    status, body = 404, b""
    if found:
        status, body = await read(wishlist, scope, f"{BASE}/api/shared/{found[1]}")
    if status == 200:
        shared = json.loads(body)["data"]
        origin = f"{scope['scheme']}://{dict(scope['headers'])[b'host'].decode('latin-1')}"
        head = _NOINDEX + _preview(shared, origin, here)
        text = page(shared["name"], _list(shared, here, customer), customer, here, head)
    elif status == 404:
        text = page("No longer shared", _ENDED, customer, head=_NOINDEX)
    else:
        status, text = 503, page("Not just now", _AWAY, customer, head=_NOINDEX)
    return status, _HEADERS, text.encode()


def _preview(shared: dict[str, Any], origin: str, here: str) -> str:
    """What a messenger shows of the link that is sent: Open Graph."""
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
    return f"""<div class="shared" id="shared">
<div class="heading"><h1 id="heading" tabindex="-1">{escape(shared["name"])}</h1>
  <button id="copy" class="plain" hidden>Copy to my wishlist</button></div>
{give if shared["reservations"] and rows else _LEAD}
<ul id="items" class="rows">
{rows}
</ul>{"" if rows else "<p class=hint>Nothing is on it yet.</p>"}</div>
<template id="gift"><span class="state"></span><select class="quantity"></select>
  <button class="reserve button"></button><button class="release plain">Give it up</button></template>
<script type="module" src="/static/shared.js"></script>"""


def _row(item: dict[str, Any]) -> str:
    product = _PRODUCTS.get(item["productId"])
    variants = product.variants if product else ()
    variant = next((one for one in variants if one.id == item.get("variantId")), None)
    what = (
        f'<a class="what" href="{address(product, variant)}">{look(product, variant)}</a>'
        if product
        else '<span class="what"><span class="picture oat"></span>'
        '<span class="name">No longer sold</span></span>'
    )
    note = f'<p class="note">{escape(item["note"])}</p>' if "note" in item else ""
    many = f"{item['quantity']} wished for" if item["quantity"] > 1 else ""
    return (
        f'<li class="row" data-id="{escape(item["id"])}">{what}{note}'
        f'<div class="acts"><span class="state">{many}</span></div></li>'
    )


_LEAD = """<p class="hint">Somebody has shared this list with you.</p>"""
_GIVE = """<div class="give" id="give"><p>Somebody has shared this list with you. Reserve what you would like to
  give, so that nobody else buys it too. Whose list it is never sees it.</p>
  <p id="dont"><strong>Is this your own list? Then don’t look: it is to be a surprise.</strong></p>
  <button id="reveal" class="button" hidden>Show what is reserved</button>
  <noscript>Reserving needs JavaScript.</noscript>{sign_in}</div>"""
_SIGN_IN = """<p id="alone" hidden>Only this browser knows what you have reserved.
  <a href="{address}">Sign in</a> to keep it in your account.</p>"""
_ENDED = """<div class="narrow empty"><svg viewBox="0 0 200 200" aria-hidden="true" class="picture honey">
<use href="#candle"/></svg><h1>This list is no longer shared</h1>
<p>Its link has expired, or whoever shared the list has ended that; or a letter of the link got lost on its way.
Ask them for a new one.</p><a class="button" href="/">Look around the shop</a></div>"""
_AWAY = """<div class="narrow empty"><h1>Not just now</h1>
<p>The list can’t be shown at the moment. Please try again in a minute.</p></div>"""
