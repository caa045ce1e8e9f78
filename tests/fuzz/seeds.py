"""Seed inputs and dictionary words of each target."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fuzz import targets

_SESSION = b"gid://wishwell/Session/0b8f0c5e-3d5c-4a86-9c2f-1d3f6c8e5a10"
_CLAIMS = {
    "sub": "gid://shopify/Customer/1",
    "aud": targets.STORE_ID,
    "jti": targets.STORE_ID,
    "iat": targets.NOW // 1000,
    "exp": targets.NOW // 1000 + 60,
}

_PLATFORMS = {
    path.name: path.read_bytes()[:4_096]
    for path in (Path(__file__).parent.parent / "files").iterdir()
}


_SAMPLES = Path(__file__).parent / "samples"


def _files(*ends: str) -> list[bytes]:
    return [text for name, text in sorted(_PLATFORMS.items()) if name.endswith(ends)]


SEEDS: dict[str, list[bytes]] = {
    "cursor": [bytes(range(40)), b"AAGh-y_6cXAAhLwc15OeuxkAAAAAAAAAAAAAAAAA", b"=", b"\xff" * 24],
    "gid": [b"gid://shopify/Customer/1", _SESSION, b"gid://other/Customer/1", b"gid://"],
    "query": [
        b"product:1,2 variant:7 tag:gift list:0b8f0c5e-3d5c-4a86-9c2f-1d3f6c8e5a10",
        b"product:1' OR 1=1 --",
        b"tag:a,b tag:c",
    ],
    "token": [
        b"\1" + json.dumps(_CLAIMS).encode(),
        b"\2" + json.dumps({"alg": "HS256", "typ": "wishwell+jwt", "kid": "x"}).encode(),
        b"\3\0\7abc",
        b"wwadm_" + b"0" * 49,
        b"a.b.c",
    ],
    "body": [
        b'{"productId":1,"variantId":null,"quantity":2,"tags":["a"],"listIds":["x"]}',
        b'{"itemIds":["a","b"]}',
        b'{"name":"Gifts \\u00e9"}',
        b'{"email":"a@b.example"}',
        b'{"customer":"gid://shopify/Customer/1","session":"x"}',
        b'{"name":"a","name":"b"}',
    ],
    "parameters": [b"limit=50&page=a%2Fb&query=product%3A1", b"sort=customer", b"itemIds=a,b&&", b"%ff=+"],
    "feed": _files(".csv", ".tsv", ".xml", ".jsonl"),
    "feed_csv": _files(".csv"),
    "feed_json": [*_files(".jsonl"), b'{"id": "a", "price": {"amount": "5", "currency": "EUR"}}'],
    "feed_xml": _files(".xml"),
    "wishes": [
        b"c,p,s\n1,2,2025-04-18T18:13:27Z\n'7,3,1745000000\n,4,0000-00-00 00:00:00\n",
        b'c\tp\ts\nauth0|64f0\t"2"\t2025-04-18 18:13:27 UTC\n',
    ],
    **{
        name: [path.read_bytes() for path in sorted(_SAMPLES.glob(f"{name}*"))]
        for name in ("journal", "export_file", "platform_webhook")
    },
    "address": [b" 203.0.113.7, 10.0.0.2", b" ::ffff:203.0.113.7", b" 2001:db8::1,fd00::1", b" items/x"],
}  # fmt: skip

_FEED_WORDS = [
    *("id", "item_group_id", "title", "price", "sale_price", "sale_price_effective_date"),
    *("availability", "EUR", "1.299,00", "\\x22", "&amp;", "<item>", "<g:id>", "</item>"),
    *("<!DOCTYPE", "gid://shopify/ProductVariant/1", "__parentId", "Handle", "Regular price"),
]

WORDS: dict[str, list[str]] = {
    "cursor": ["AAGh", "=", "-", "_", "mine|items|"],
    "gid": ["gid://", "shopify", "wishwell", "/Customer/", "/Session/"],
    "query": ["product:", "variant:", "tag:", "list:", ",", " ", "9007199254740991"],
    "token": [*_CLAIMS, "alg", "typ", "kid", "none", "HS256", "wishwell+jwt", "crit", "b64", "wwadm_"],
    "body": [
        *("productId", "variantId", "quantity", "tags", "listIds", "itemIds", "name", "email"),
        *("customer", "session", "null", "true", "\\u0000", "\\ud800", "1e400", "NaN"),
    ],
    "parameters": ["limit=", "page=", "query=", "sort=", "itemIds=", "%00", "%ff", "&", "customer"],
    **dict.fromkeys(("feed", "feed_csv", "feed_json", "feed_xml"), _FEED_WORDS),
    "wishes": ["'7", "1745000000", "UTC", "NULL", "\\x22", "\\x09", "0000-00-00"],
    "journal": [
        *("profile.erased", "profile.revoked", "order.forgotten", "command", "sessions", "created"),
        *("until", "jti", "storeId", "2025-04-18T18:13:27.000Z", "9999"),
    ],
    "export_file": [
        *("wishwell", "store", "profile", "revocation", "list", "item", "share", "reservation"),
        *("end", "listIds", "order", "shared", "savedPrice", "2025-04-18T18:13:27.000Z", "9999"),
    ],
    "platform_webhook": [
        *("variants", "line_items", "refunds", "refund_line_items", "current_quantity", "1e9"),
        *("variant_gids", "image_id", "cancelled_at", "taxes_included", "discount_allocations"),
    ],
    "address": ["10.0.0.1", "::ffff:", "fd00::", ",", "application/json", "charset=utf-8", "items"],
}  # fmt: skip
