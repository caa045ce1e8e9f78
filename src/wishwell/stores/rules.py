"""Validation of a store's text fields: for each a pattern, and the error message if it differs."""

import re
from collections.abc import Mapping

from wishwell.errors import Invalid

MAX_MONTHS = 120

_RESERVED_HEADERS = (
    "authorization|connection|content-|cookie|expect|forwarded|host|origin|profile|sec-|set-cookie"
    "|transfer-encoding|wishwell-|x-forwarded-|x-request-id"
)
"""Prefixes of header names that HTTP or the service uses, so a JWT can't be in them."""

_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]{0,100}"
_TEXT = "[ -~]{0,1000}", "must be at most 1,000 printable ASCII characters"
# Browsers are redirected there, so it can't name another host (//host): no open redirect.
_PATH = r"/(?![/\\])[!-\[\]-~]{0,999}"
_PAGE = rf"((https://[a-z0-9.-]{{1,253}}(:[0-9]{{1,5}})?)?{_PATH})?"
_PAGE_RULE = (
    "must be empty, a path that begins with one /, or an https URL with a path, of at most 1,000 "
    "characters"
)

ORIGIN = r"https?://([a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?"
_HTTPS = rf"https://[a-z0-9.-]{{1,253}}(:[0-9]{{1,5}})?({_PATH})?"
LANGUAGE = "[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}"

# rules: store-settings, storefront-naming
_RULES = {
    "handle": (
        "[a-z0-9][a-z0-9-]{0,62}",
        "must be 1 to 63 characters (a-z, 0-9 or -) and must not begin with -",
    ),
    "platform": ("[a-z0-9-]{1,40}", "must be 1 to 40 characters: a-z, 0-9 or -"),
    "product_ids": ("integer|text", "must be integer or text"),
    "notices": ("opt-out|opt-in", "must be opt-out or opt-in"),
    "auth_flow": (f"({_PATH})?", "must be empty, or a path without spaces that begins with one /"),
    "origin": (
        r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?",
        "must be of the form https://shop.example, in lower case, without a user name or a path",
    ),
    "host": (ORIGIN, "must be an origin of the form https://shop.example"),
    "price_drop_percent": ("[1-9]|[1-8][0-9]|90", "must be a whole number from 1 to 90"),
    "forget_customers_after": (
        "None|[1-9][0-9]?|1[01][0-9]|120",
        f"must be a whole number of months, from 1 to {MAX_MONTHS}; 0 turns it off",
    ),
    "jwt_cookie": (
        rf"(?!(?i:wishwell|__host-wishwell)\Z){_NAME}",
        "must be a cookie name of at most 100 characters, and not the name of the visitor's cookie",
    ),
    "jwt_header": (
        f"(?!(?i:{_RESERVED_HEADERS})){_NAME}",
        "must be a header name of at most 100 characters, and not a header that HTTP "
        "or Wishwell already uses",
    ),
    "jwt_issuer": _TEXT,
    "jwt_audience": _TEXT,
    "jwt_claim": _TEXT,
    "jwt_email_claim": _TEXT,
    "jwt_verified_claim": _TEXT,
    "jwt_locale_claim": _TEXT,
    "platform_shop": _TEXT,
    "service_url": (
        rf"({ORIGIN})?",
        "must be empty or an origin of the form https://wishes.example",
    ),
    "product_url": (
        rf"(?=https:.*\{{productId\}}){_PAGE}|",
        "must be an https URL that contains {productId}",
    ),
    "shop_name": (
        "[^\x00-\x1f\x7f-\x9f]{0,100}",
        "must be at most 100 characters, without control characters",
    ),
    "logo_url": (f"({_HTTPS}|{_PATH})?", _PAGE_RULE),
    "accent": ("(#[0-9A-Fa-f]{6})?", "must be empty or a colour such as #0a7d5a"),
    "shop_url": (f"({_HTTPS}|{_PATH})?", _PAGE_RULE),
    "cart_url": (
        rf"(?=.*\{{(variantId|productId)\}})({_HTTPS}|{_PATH})|",
        f"{_PAGE_RULE}; it must contain {{variantId}} or {{productId}}",
    ),
    "language": (f"({LANGUAGE})?", "must be empty or a language such as de or pt-BR"),
    "wishlist_page": (_PAGE, _PAGE_RULE),
    "shared_page": (
        rf"(?=[^#]*\Z|.*\{{token\}}){_PAGE}",
        f"{_PAGE_RULE}; it must contain {{token}}, or no #, because the token is then "
        "appended after a #",
    ),
}


def check(fields: Mapping[str, object], label: str = "") -> None:
    """Raises ``Invalid`` for the first field that doesn't match its pattern.

    ``label``: the field's name in the message; by default the option's name.
    """
    for name, (pattern, sentence) in _RULES.items():
        if name in fields and not re.fullmatch(pattern, str(fields[name])):
            shown_text = str(fields[name])[:80]
            raise Invalid(f"{label or name.replace('_', '-')}: {shown_text!r} {sentence}.")
