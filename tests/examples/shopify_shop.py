"""A shop that does what Shopify does for examples/shopify: it renders the blocks of the theme app
extension into pages, and its app proxy signs who the customer is."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from typing import Any

from tests.app_proxy import AppProxy
from tests.documents import ROOT

EXTENSION = ROOT / "examples" / "shopify" / "extensions" / "wishlist"
TOOLS = ROOT / "build" / "tools"
DOMAIN = "my-shop.myshopify.com"

SHIRT: dict[str, Any] = {"id": 632910392, "title": 'Shirt "A" & <B>', "selected_variant": None}
MUG: dict[str, Any] = {"id": 101, "has_only_default_variant": True, "variants": [{"id": 201}]}
SIZES = (808950810, 808950811)
FORM = """<form action="/cart/add"><select name="id" aria-label="Size">
  <option value="{}">S</option><option value="{}">M</option></select></form>""".format(*SIZES)
PAGE = """<!doctype html><html lang="{language}"><title>Shop</title><link rel="icon" href="data:,">
<header class="shopify-section">{count}</header><main class="shopify-section">{main}</main>
<script>window.Shopify = {{ routes: {{ root: "/" }} }}</script>{embed}</html>"""
ROUTES = {"root_url": "/", "storefront_login_url": "/customer_authentication/login"}


def block(name: str, **settings: Any) -> tuple[str, dict[str, Any]]:
    """Returns a block's Liquid without its schema, and its settings, by default those of the schema."""
    source = (EXTENSION / "blocks" / f"{name}.liquid").read_text()
    liquid, schema = re.split(r"{% (?:end)?schema %}", source)[:2]
    known = json.loads(schema)["settings"]
    return liquid, {one["id"]: one["default"] for one in known if "default" in one} | settings


@functools.cache
def page(path: str, customer: str, language: str) -> str:
    """Renders a page of the shop, with the language's texts and Shopify's objects."""
    product = SHIRT if path == "/products/shirt" else None
    blocks = [block("count"), block("wishlist")]
    chosen: dict[str, list] = {"/products/shirt": [None], "/collections/all": [SHIRT, MUG]}
    blocks += [block("heart", product=one) for one in chosen.get(path, [])]
    blocks += [block("page")] if path == "/pages/wishlist" else []
    [texts] = (one for one in EXTENSION.glob(f"locales/{language}*") if "schema" not in one.name)
    objects = {"routes": ROUTES, "product": product, "closest": {"product": product}}
    objects["customer"] = {"id": customer} if customer else None
    given = {"sources": blocks, "texts": json.loads(texts.read_text()), "objects": objects}
    argv = ["node", str(ROOT / "tests/examples/render.mjs")]
    done = subprocess.run(argv, input=json.dumps(given), cwd=TOOLS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, embed, *main = json.loads(done.stdout)
    text = "\n".join([*main, FORM * bool(product)])
    return PAGE.format(language=language, count=count, embed=embed, main=text)


class ShopifyShop(AppProxy):
    """The shop's domain."""

    language = "en"

    def answer(self, path: str) -> tuple[int, dict[str, str], str]:
        if path.startswith("/cdn/"):
            script = (EXTENSION / "assets" / path.removeprefix("/cdn/")).read_text()
            return 200, {"Content-Type": "text/javascript"}, script
        html = page(path, self.customer, self.language)
        return 200, {"Content-Type": "text/html; charset=utf-8"}, html
