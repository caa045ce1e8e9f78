"""The pages that links in mails lead to: to confirm an address, and to unsubscribe.

They need no script, cookie or ``Origin``: the token in the path allows one change (rule:
mail-links).
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

import msgspec

from wishwell.contacts import confirmations, tokens
from wishwell.db import Reader
from wishwell.errors import Invalid, NotFound
from wishwell.http import assets, rate_limits, request_body
from wishwell.http.context import Request
from wishwell.http.responses import Headers, Response
from wishwell.http.server import body_reader
from wishwell.http.storefront import identity
from wishwell.mailer import compose, contents
from wishwell.stores import Store
from wishwell.stores import look as looks
from wishwell.stores.naming import authority

TEXTS: Mapping[str, Mapping[str, str]] = msgspec.json.decode(
    Path(__file__).with_name("mail_texts.json").read_bytes()
)
"""The texts by language and name. ``{shop}`` is the shop's name."""

_MAX_BODY_BYTES = 1_024
_STYLE = (
    ":root{color-scheme:light dark;--page:#f3f4f5;--card:#fff;--ink:#1a1a1a;--on-ink:#fff}"
    "@media(prefers-color-scheme:dark){"
    ":root{--page:#16181b;--card:#22252a;--ink:#f2f2f2;--on-ink:#16181b}}"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:0;padding:2rem 1rem;background:var(--page);"
    "color:var(--ink);overflow-wrap:anywhere}"
    "main{max-width:27rem;margin:0 auto;padding:2.25rem 2.5rem;background:var(--card);"
    "border-radius:.75rem;box-sizing:border-box}"
    "header{margin-bottom:1.75rem;font-size:1.06rem;font-weight:600}"
    "img{display:block;height:2.25rem;max-width:100%;object-fit:contain;object-position:left}"
    "h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;text-wrap:balance}"
    "p{margin:0;text-wrap:pretty}form,p+a{margin-top:1.75rem}form{display:grid;gap:.75rem}"
    "button,p+a{font:inherit;padding:.75rem 1.25rem;border-radius:.5rem;cursor:pointer;"
    "border:1px solid #8888;background:none;color:inherit}"
    "p+a{display:inline-block;text-decoration:none;font-weight:600}"
    "button.main{background:var(--accent,var(--ink));color:var(--on-accent,var(--on-ink));"
    "font-weight:600}"
    "@media(max-width:30rem){body{padding:0;background:var(--card)}"
    "main{padding:1.5rem 1.25rem}}"
)
_PAGE = """<!doctype html>
<html lang="{lang}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{heading}</title>
<style>{style}</style>
</head>
<body>
<main>
{header}
<h1>{heading}</h1>
<p>{text}</p>
{next}
</main>
</body>
</html>
"""


# rules: mail-links, mail-confirm, mail-unsubscribe
async def answer(request: Request, token: str) -> Response:
    """Returns the page of a token, or makes its change and returns the page that says so. A token
    that is unknown, or of another store, gets the same pages and changes nothing."""
    purpose = tokens.purpose_of(token)
    if purpose is None:
        raise NotFound("There is nothing at this path.", "path_not_found")
    await request.service.access_cache.ensure_fresh()
    stores = await _find_stores(request)
    await _count(request)
    state, action = f"{purpose}_page", ""
    if not request.reads:
        action = await _read_action(request, purpose)
        state = f"{action}_done"
    service, now = request.service, request.now()

    async def find_store(tx: Reader) -> Store | None:
        for store in stores:
            if await tokens.find(tx, store, token, now) is not None:
                return store
        return None

    store = await service.db.read(find_store)
    if store is not None and action:
        await service.db.write(_CHANGES[action], store, token, now)
    if store is None and len(stores) == 1:
        [store] = stores
    base = service.settings.storefront_base
    return _page(store, base, state, request.header(b"accept-language"))


async def _find_stores(request: Request) -> list[Store]:
    """Returns the stores whose links lead to the request's host: that of a shop, or the service's
    own address, which several stores may share. A proxy's token names its store.

    Raises ``NotFound``, and the errors of a token.
    """
    cache, caller = request.service.access_cache, await identity.find_proxy(request)
    if caller is not None:
        return [caller.store]
    hosts = identity.hosts_of(request, forwards=identity.forwards(request))
    for host in reversed(hosts):
        if store := cache.store_of_host(host):
            return [store]
        served = [
            store
            for store in cache.all_stores()
            if store.naming.service_url and authority(store.naming.service_url) == host
        ]
        if served:
            return served
    raise NotFound(f"No store has the host {hosts[-1][:100]}.", "store_not_found")


# rule: limit-address
async def _count(request: Request) -> None:
    address = identity.address(request, None)
    if address is not None:
        limit = request.service.settings.limit_visitor_read
        await rate_limits.count_address(request, f"mail:{address}", limit, "links of mails")


async def _read_action(request: Request, purpose: tokens.Purpose) -> str:
    """Returns what the form asks for. Raises ``TooLarge`` and ``Invalid``."""
    request.incoming.limit = _MAX_BODY_BYTES
    declared = request.headers.get(b"content-length", b"0")
    if len(declared) > 5 or int(declared) > _MAX_BODY_BYTES:
        raise body_reader.too_large(_MAX_BODY_BYTES)
    form = parse_qs((await request_body.read(request)).decode("latin-1"))
    if purpose == "unsubscribe":
        # A mail program's one-click form (RFC 8058) or the page's button: both say the same.
        return "unsubscribe"
    action = form.get("action", [""])[0]
    if action not in ("confirm", "disown"):
        raise Invalid("action: must be confirm or disown.")
    return action


_CHANGES = {
    "confirm": confirmations.confirm,
    "disown": confirmations.disown,
    "unsubscribe": confirmations.unsubscribe,
}


def _page(store: Store | None, base: str, state: str, languages: str | None) -> Response:
    """Returns a page. ``store``: None if a token of several stores' address is unknown."""
    look = looks.Look() if store is None else store.look
    own = look.language.partition("-")[0].lower()
    language = own if own in TEXTS else assets.preferred(languages, [*TEXTS]) or "en"
    texts = TEXTS[language]
    name = "" if store is None else compose.shop_name(store)
    style = _STYLE
    if look.accent:
        on_accent = looks.text_on_accent(look.accent)
        style += f":root{{--accent:{look.accent};--on-accent:{on_accent}}}"
    page = _PAGE.format(
        lang=language,
        style=style,
        header=f"<header>{_header(store, name)}</header>" if store and name else "",
        heading=escape(texts[f"{state}_heading"]),
        text=escape(texts[f"{state}_text"].format(shop=name or texts["the_shop"])),
        next=_form(texts, state) if state.endswith("_page") else _link(texts, store, base),
    )
    return Response(200, page.encode(), _headers(style))


def _header(store: Store, name: str) -> str:
    logo = compose.find_logo(store)
    return f'<img src="{escape(logo)}" alt="{escape(name)}">' if logo else escape(name)


def _link(texts: Mapping[str, str], store: Store | None, base: str) -> str:
    if store is None or not store.active:
        return ""
    return f'<a href="{escape(contents.wishlist_url(store, base))}">{escape(texts["wishlist"])}</a>'


def _form(texts: Mapping[str, str], state: str) -> str:
    if state == "confirm_page":
        confirm, disown = escape(texts["confirm"]), escape(texts["disown"])
        buttons = (
            f'<button class="main" name="action" value="confirm">{confirm}</button>'
            f'<button name="action" value="disown">{disown}</button>'
        )
    else:
        buttons = f'<button class="main">{escape(texts["unsubscribe"])}</button>'
    return f'<form method="post">{buttons}</form>'


def _headers(style: str) -> Headers:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        f"img-src 'self' https:; style-src 'sha256-{digest}'"
    )
    return [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-robots-tag", b"noindex"),
    ]
