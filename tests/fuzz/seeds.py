"""Seed inputs and dictionary words of each target."""

from __future__ import annotations

import json

from tests.fuzz import targets

_SESSION = b"gid://wishwell/Session/0b8f0c5e-3d5c-4a86-9c2f-1d3f6c8e5a10"
_CLAIMS = {
    "sub": "gid://shopify/Customer/1",
    "aud": targets.STORE_ID,
    "jti": targets.STORE_ID,
    "iat": targets.NOW // 1000,
    "exp": targets.NOW // 1000 + 60,
}

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
    "address": [b" 203.0.113.7, 10.0.0.2", b" ::ffff:203.0.113.7", b" 2001:db8::1,fd00::1", b" items/x"],
}  # fmt: skip

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
    "address": ["10.0.0.1", "::ffff:", "fd00::", ",", "application/json", "charset=utf-8", "items"],
}  # fmt: skip
