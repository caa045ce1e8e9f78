"""Hypothesis strategies for field values and for sequences of a shopper's actions."""

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import EXAMPLES
from wishwell.field_types import MAX_QUANTITY

# Only a few products and variants, so that a sequence saves the same one more than once.
products = st.integers(1, 6)
variants = st.one_of(st.none(), st.integers(1, 2))
quantities = st.integers(1, MAX_QUANTITY)
tags = st.lists(
    st.sampled_from(["a", "b", "c", "d", "gift", "x_1", "y-2"]), max_size=4, unique=True
)
notes = st.sampled_from(["", "for Anna", "two\nlines", "é" * 500])
names = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=40
).filter(lambda text: text.strip() != "")

# List names that a merge treats as equal, and some that it doesn't.
alike = st.sampled_from(["Birthday", " birthday", "BIRTHDAY ", "Straße", "STRASSE", "Garden", "x"])

# File names: any bytes except a slash and a NUL, and characters with a meaning in a URL.
file_names = st.one_of(
    st.binary(min_size=1, max_size=12).map(
        lambda name: name.replace(b"/", b"#").replace(b"\0", b"?")
    ),
    st.sampled_from(
        [b":memory:", b"x" * 247, b"?mode=ro", b"x.db?mode=memory", b"'\"", b"%2541# \\&"]
    ),
).filter(lambda name: name not in (b".", b".."))

# Indexes into the items or lists that exist when a step runs; 6 is beyond the end.
at = st.sampled_from([0, 1, 0, 2, 1, 0, 6])

# Lists to put an item on, including all six that a sequence creates first.
several = st.lists(st.integers(0, 6), max_size=6) | st.permutations(range(6))

_new = (
    *(products, variants, st.none() | quantities, st.none() | tags),
    *(st.lists(at, max_size=2) | several, st.none() | notes, st.none() | alike),
)
steps = st.one_of(
    st.tuples(st.just("save"), *_new),
    st.tuples(
        st.just("save_many"),
        st.lists(st.tuples(*_new), min_size=1, max_size=4, unique_by=lambda new: new[:2]),
    ),
    st.tuples(st.just("put_item"), at, at, st.sampled_from(["keep", None]) | at),
    st.tuples(st.just("put_item"), st.just(0), at, at),
    st.tuples(st.just("remove_item"), at, at),
    st.tuples(
        st.just("change"),
        at,
        st.none() | products,
        st.sampled_from(["keep", "clear", 1, 2]),
        st.none() | quantities,
        st.none() | tags,
        st.none() | notes,
    ),
    st.tuples(st.just("delete"), at),
    st.tuples(st.just("delete_many"), st.lists(at, min_size=1, max_size=4)),
    st.tuples(st.just("set_lists"), at, st.lists(at, max_size=3) | several),
    st.tuples(st.just("new_list"), names),
    st.tuples(st.just("rename"), at, st.none() | names),
    st.tuples(st.just("drop_list"), at),
    st.tuples(st.just("order"), at, st.lists(at, max_size=4, unique=True) | st.lists(at)),
    st.tuples(st.just("replace_items"), at, st.lists(at, max_size=4, unique=True) | st.lists(at)),
    st.tuples(st.just("replace_items"), st.just(0), st.permutations([0, 1, 2])),
    st.tuples(st.just("remove_items"), at, st.none() | st.lists(at, min_size=1, max_size=4)),
    st.tuples(st.just("order"), st.just(0), st.permutations([0, 1, 2])),
    st.tuples(st.just("order"), st.just(0), st.permutations([0, 1, 2]).map(lambda ids: ids[:1])),
)
# Every sequence first puts items on a list, so that orders and list changes have something to act
# on.
_something = [
    *(("new_list", name) for name in ("first", "second", "third", "4", "5", "6")),
    *(("save", product, None, None, None, [0], None, None) for product in (1, 2, 3)),
]
sequences = st.lists(steps, min_size=6, max_size=25).map(lambda more: [*_something, *more])


def examples(count: int):
    """Returns settings for a property: ``count`` examples, in `make test-examples` several times as many."""
    return settings(max_examples=count * EXAMPLES)


def at_length(test, count: int, **given_):
    """Returns the same property with more examples, marked slow."""
    inner = test.hypothesis.inner_test

    @functools.wraps(inner, updated=())  # don't copy the marks of the quick variant
    def once(*args, **named):
        inner(*args, **named)

    return pytest.mark.slow(examples(count)(given(**given_)(once)))
