"""What the description's schemas allow and what the service takes are the same, both ways.

The texts hold, nearly hold, or break one rule of many; each is asked of both.
"""

from collections.abc import Callable
from functools import partial

import jsonschema_rs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wishwell import lists, profiles, search
from wishwell.errors import Invalid
from wishwell.naming import Naming
from wishwell.stores import Store

from .test_openapi import DOCUMENT, follow

ID = "019649e4-18b9-7651-8317-1ff4a6a3a450"
# White space, as Python, browsers and Unicode count it; what looks like none; what is special.
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
    """Each text as it is, or with something put in between, or with a letter gone."""

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
_allows_email = allows(DOCUMENT["components"]["schemas"]["Identify"]["properties"]["email"])


@settings(max_examples=150, deadline=None)
@given(changed(_emails, _some) | st.text(_some, max_size=12))
@example("a\ufeffb@example.com")
@example("a@b")
@example("a@b.")
@example(f"{'a' * 64}@{'b' * 189}")
@example(f"{'a' * 64}@{'b' * 190}")
def test_email_is_taken_just_where_the_description_allows_it(text):
    assert _allows_email(text) == takes(profiles.check_email, text)


STORES = [
    Store("", "", "", kind, "", (), Naming(), (), {}, 5, None, "") for kind in ("integer", "text")
]
_numbers = st.integers(0, 99) | st.integers(2**53 - 1100, 2**53 + 2) | st.integers(0, 2**60)
_values = st.one_of(
    _numbers.map(str),
    st.sampled_from(
        [
            "01",
            "-1",
            "1.0",
            "",
            "UHJvZDox=",
            "a:b~",
            "_a",
            "a" * 100,
            "a" * 101,
            "gift",
            "a_b-9",
            "A",
            "a" * 50,
            "a" * 51,
        ]
    ),
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
_allows_query = allows(DOCUMENT["components"]["parameters"]["Query"]["schema"])


@settings(max_examples=150, deadline=None)
@given(changed(_queries, st.sampled_from(" ,:\t\n\xa0\x0001a-") | _some))
@example(" " * 300 + "tag:a" + " " * 300)
@example("product:" + ",".join(["1"] * 250))
@example("product:" + ",".join(["1"] * 251))
@example("tag:a tag:" + ",".join(["b"] * 251))
@example(" ".join(["tag:" + ",".join(["b"] * 250)] * 8))
@example(" ".join(["tag:a"] * 9))
def test_query_is_taken_just_where_the_description_allows_it(text):
    """As one of the two kinds of stores takes it."""
    taken = [takes(partial(search.parse, store=store), text) for store in STORES]
    assert _allows_query(text) == any(taken)


_allows_name = allows(DOCUMENT["components"]["schemas"]["NewListName"])


@settings(max_examples=150, deadline=None)
@given(st.text(_some, max_size=8) | changed(st.integers(253, 257).map(lambda n: "a" * n), _some))
@example(" " * 300 + "a" + "\x85" * 300)
def test_name_of_a_list_is_taken_just_where_the_description_allows_it(text):
    assert _allows_name(text) == takes(lists.check_name, text)
