"""The description's schemas and the service accept exactly the same texts.

Generated texts satisfy, nearly satisfy, or violate one of the rules; each is given to both.
"""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import examples
from wishwell import events, profiles
from wishwell.errors import Invalid
from wishwell.http import queries, request_types
from wishwell.outbound import Outbound
from wishwell.products import product_bodies
from wishwell.profiles import search
from wishwell.stores import Store
from wishwell.stores.naming import Naming
from wishwell.wishlists import lists

from .description import DOCUMENT, follow

ID = "019649e4-18b9-7651-8317-1ff4a6a3a450"
# White space as Python, browsers or Unicode define it, invisible characters, and characters with a
# special meaning.
ODD = (
    "\t\n\r\x00\x1c\x1f \x7f\x85\x9f\xa0\xad\u061c\u1680\u180e\u200a\u200b\u2028\u202f\u3000\ufeff"
)
SIGNS = "\"(),:;<>@[]\\.'+-_%`"
_some = st.one_of(
    st.sampled_from("aZ0äß愛😀" + SIGNS),
    st.sampled_from(ODD),
    st.characters(exclude_categories=["Cs"]),
)


def allows(schema: dict) -> Callable[[str], bool]:
    root = follow(schema) | {"components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(root).is_valid


def takes(check: Callable[[str], object], text: str) -> bool:
    try:
        check(text)
    except Invalid:
        return False
    return True


def changed(texts: st.SearchStrategy[str], odd: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Returns each text unchanged, with an insertion, or with a letter removed."""

    def change(text: str, at: int, more: str, gone: int) -> str:
        at %= len(text) + 1
        return text[:at] + more + text[at + gone :]

    places, gone = st.integers(0, 10_000), st.integers(0, 1)
    return st.one_of(texts, st.builds(change, texts, places, odd | st.just(""), gone))


_locals = st.text(_some, max_size=8) | st.integers(62, 66).map(lambda size: "a" * size)
_labels = st.text("a0-äß_", min_size=1, max_size=4) | st.integers(185, 190).map(lambda n: "b" * n)
_emails = st.builds(
    lambda local, labels: f"{local}@{'.'.join(labels)}",
    _locals,
    st.lists(_labels, min_size=1, max_size=3),
)
STORES = [
    Store("", "", "", kind, "", (), Naming(), (), {}, 5, None, "") for kind in ("integer", "text")
]
_numbers = st.integers(0, 99) | st.integers(2**53 - 1100, 2**53 + 2) | st.integers(0, 2**60)
_values = st.one_of(
    _numbers.map(str),
    st.sampled_from(["01", "-1", "1.0", "", "UHJvZDox=", "a:b~", "_a", "gift", "a_b-9", "A"]),
    st.sampled_from([50, 51, 100, 101]).map(lambda n: "a" * n),
    st.sampled_from([ID, ID.upper(), ID[:-1], ID.replace("-", "")]),
)
_fields = st.sampled_from(["product", "variant", "tag", "list", "product", "colour", "Tag", ""])
_fitting = st.one_of(
    st.tuples(st.sampled_from(["product", "variant"]), st.lists(_numbers.map(str), min_size=1)),
    st.tuples(st.just("tag"), st.lists(st.sampled_from(["gift", "a" * 50, "-"]), min_size=1)),
    st.tuples(st.just("list"), st.lists(st.just(ID), min_size=1, max_size=3)),
)
_terms = st.one_of(_fitting, _fitting, st.tuples(_fields, st.lists(_values, max_size=4))).map(
    lambda term: f"{term[0]}:{','.join(term[1])}"
)
_queries = st.builds(
    lambda terms, space: space.join(terms),
    st.lists(_terms, max_size=10),
    st.sampled_from([" ", " ", "  ", ""]),
)


_urls = st.builds(
    lambda scheme, user, host, port, rest: f"{scheme}{user}{host}{port}{rest}",
    st.sampled_from(
        ["https://", "https://", "https://", "HTTPS://", "http://", "ftp://", "//", ""]
    ),
    st.sampled_from(["", "", "", "", "a@", "a:b@"]),
    st.sampled_from(
        [
            *("shop.example", "Shop.example", "a", "a.b-c_d", "_a.example", "1.example", "", "-a"),
            "a..b",
            *("a.", "ä.example", "a" * 63, "a" * 64, ".".join(["a" * 49] * 5), "b." * 126 + "b"),
            *("b." * 126 + "bb", "8.8.8.8", "10.0.0.1", "1.2", "0x7f", "localhost", "a.localhost"),
            *("[2606:4700::1111]", "[::1]", "[:]", "[fe80::1%25eth0]", "~a", "a%20b", "[", "a]"),
        ]
    ),
    st.sampled_from(["", "", "", ":443", ":8443", ":80", ":0443", ":0", ":65536", ":", ":x"]),
    st.sampled_from(
        ["", "/", "/a?b=c", "?a", "?u=https://a@b", "/@", "/~;,[]^|", "/#", "/a\\b", "#a", "/a b"]
    )
    | st.integers(2_000, 2_100).map(lambda n: "/" + "a" * n),
)
_outbound = Outbound(http=False, private=False)


def _is_an_address(url: str) -> bool:
    """Returns whether a URL's host is an IP address or resembles one, so a pattern can't decide it."""
    try:
        host = urlsplit(url).hostname or ""
        last = host.rpartition(".")[2]
        return ":" in host or last == "localhost" or last.isdigit() or last.startswith("0x")
    except ValueError:
        return "[" in url


def _search(text: str) -> None:
    """Parses a query as either type of store does."""
    if not takes(partial(search.parse, store=STORES[0]), text):
        search.parse(text, store=STORES[1])


def _put(field: str, text: str) -> None:
    raw = msgspec.json.encode({field: text})
    body = request_types.body(raw, "application/json", product_bodies.ProductBody)
    body.product("1", STORES[0])


def _save_note(text: str) -> None:
    raw = msgspec.json.encode({"productId": 1, "note": text})
    request_types.body(raw, "application/json", request_types.NewItemBody).new_item(STORES[0])


_schemas, _parameters = (DOCUMENT["components"][kind] for kind in ("schemas", "parameters"))
_product = _schemas["ProductInput"]["properties"]
_names, _notes = (
    st.text(_some, max_size=8)
    | changed(st.integers(limit - 2, limit + 2).map(lambda n: "a" * n), _some)
    for limit in (255, 500)
)


def _every(schema: dict) -> Callable[[str], bool]:
    """Returns whether a text is a valid array, as values separated by commas."""
    valid = jsonschema_rs.Draft202012Validator(schema | {"components": DOCUMENT["components"]})
    return lambda text: valid.is_valid(text.split(","))


_types = st.lists(st.sampled_from([*events.TYPES, "", "item.*", "x"]), max_size=4).map(",".join)
_ids = st.lists(st.sampled_from([ID, "a", ""]), max_size=4).map(",".join)

# The schema, the function that accepts the text, generated texts, and texts that are always tried.
FIELDS: dict[str, tuple[dict, Callable[[str], object], st.SearchStrategy[str], list[str]]] = {
    "e-mail": (
        _schemas["Identify"]["properties"]["email"],
        profiles.check_email,
        changed(_emails, _some) | st.text(_some, max_size=12),
        ["a\ufeffb@example.com", "a@b", "a@b."]
        + [f"{'a' * 64}@{'b' * length}" for length in (189, 190)],
    ),
    "query": (
        _parameters["Query"]["schema"],
        _search,
        changed(_queries, st.sampled_from(" ,:\t\n\xa0\x0001a-") | _some),
        [
            " " * 300 + "tag:a" + " " * 300,
            *("product:" + ",".join(["1"] * count) for count in (250, 251)),
            "tag:a tag:" + ",".join(["b"] * 251),
            " ".join(["tag:" + ",".join(["b"] * 250)] * 8),
            " ".join(["tag:a"] * 9),
        ],
    ),
    "name of a list": (
        _schemas["ListNameInput"], lists.check_name, _names, [" " * 300 + "a" + "\x85" * 300]
    ),
    "url of a webhook": (
        _schemas["WebhookUrlInput"], partial(_outbound.check, "url"), changed(_urls, _some),
        ["https://shop.example/a?u=https://a@b", "", "https://shop.example\n"],
    ),
    "url of a product": (
        _product["url"], partial(_put, "url"), changed(_urls, _some), ["https://shop.example\n"]
    ),
    "title of a product": (_product["title"], partial(_put, "title"), _names, ["愛" * 255, " "]),
    "note": (
        _schemas["NoteOrNull"], _save_note, _notes,
        ["😀" * 500, "\n" * 500, " "],
    ),
    "types of events": (
        _parameters["Type"]["schema"], queries.event_types, changed(_types, _some),
        [",".join(events.TYPES)],
    ),
    "item ids": (
        _parameters["ItemIds"]["schema"], lambda text: queries.several({"ids": text}, "ids"),
        changed(_ids, _some),
        [",".join(["a"] * count) for count in (250, 251)],
    ),
}  # fmt: skip


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", FIELDS)
def test_service_accepts_exactly_the_text_that_the_description_allows(name):
    """Service and description accept the same text, except for webhook URLs with an IP address,
    which a pattern can't judge."""
    schema, check, texts, always = FIELDS[name]
    allowed = _every(schema) if schema.get("type") == "array" else allows(schema)

    def agree(text: str) -> None:
        taken = takes(check, text)
        if taken or name != "url of a webhook" or not _is_an_address(text):
            assert allowed(text) == taken, text

    for text in always:
        agree(text)
    examples(70)(given(texts)(agree))()
