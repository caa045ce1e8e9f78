"""What tests are made of: hypothesis strategies for fields, and for what a shopper does."""

import functools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wishwell.wishes import items

# Few products and variants, so that a sequence meets the same one again.
products = st.integers(1, 6)
variants = st.one_of(st.none(), st.integers(1, 2))
quantities = st.integers(1, items.MAX_QUANTITY)
tags = st.lists(
    st.sampled_from(["a", "b", "c", "d", "gift", "x_1", "y-2"]), max_size=4, unique=True
)
notes = st.sampled_from(["", "for Anna", "two\nlines", "é" * 500])
names = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=40
).filter(lambda text: text.strip() != "")

# Names that a link compares as the same, and some that it doesn't.
alike = st.sampled_from(["Birthday", " birthday", "BIRTHDAY ", "Straße", "STRASSE", "Garden", "x"])

# What a file may be called: any bytes but a slash and a NUL, and what means something in an address.
file_names = st.one_of(
    st.binary(min_size=1, max_size=12).map(
        lambda name: name.replace(b"/", b"#").replace(b"\0", b"?")
    ),
    st.sampled_from(
        [b":memory:", b"x" * 247, b"?mode=ro", b"x.db?mode=memory", b"'\"", b"%2541# \\&"]
    ),
).filter(lambda name: name not in (b".", b".."))

# A position among the items or lists that are there when it is applied; the last stands for one
# that is not there.
at = st.sampled_from([0, 1, 0, 2, 1, 0, 6])

# Lists for one item, all of the six that a sequence begins with among them.
several = st.lists(st.integers(0, 6), max_size=6) | st.permutations(range(6))

_new = (
    *(products, variants, st.none() | quantities, st.none() | tags),
    *(st.lists(at, max_size=2) | several, st.none() | notes),
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
    st.tuples(st.just("order"), st.just(0), st.permutations([0, 1, 2])),
    st.tuples(st.just("order"), st.just(0), st.permutations([0, 1, 2]).map(lambda ids: ids[:1])),
)
# Begins with something on a list, so that orders and list changes have something to act on.
_something = [
    *(("new_list", name) for name in ("first", "second", "third", "4", "5", "6")),
    *(("save", product, None, None, None, [0], None) for product in (1, 2, 3)),
]
sequences = st.lists(steps, min_size=6, max_size=25).map(lambda more: [*_something, *more])


def examples(count: int):
    """The settings of a property on the shared database: so many examples, each of any duration."""
    checks = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=count, deadline=None, suppress_health_check=checks)


def at_length(test, count: int, **given_):
    """The same property with more examples, in `make test-slow` only."""
    inner = test.hypothesis.inner_test

    @functools.wraps(inner, updated=())  # without what it is marked with
    def once(*args, **named):
        inner(*args, **named)

    return pytest.mark.slow(examples(count)(given(**given_)(once)))
