"""Store options that are refused because another store has them. Others: tests/api/test_cli.py."""

import pytest

from .way import direct

pytestmark = direct("no request is sent")


def test_host_of_another_store_is_named_in_one_line(api, new_front):
    """A host or platform shop of another store is refused in one line; a store may set its own
    again.
    Rule: storefront-hosts."""
    front = new_front("--platform-shop", "taken.example")
    front.shop.update("--host", front.origin, "--platform-shop", "taken.example")
    for option, value in (
        ("host", front.origin),
        ("host", "https" + front.origin[4:]),
        ("platform-shop", "taken.example"),
    ):
        code, out, err = api.attempt("store", "create", "greedy", f"--{option}", value)
        assert (code, out) == (1, "")
        assert err == f"wishwell: {option}: {value!r} belongs to another store.\n"
    assert " greedy " not in api.quick("store", "list")


@pytest.mark.parametrize("what", ["key", "key set", "issuer"])
def test_stores_share_a_jwt_key_only_with_different_audiences(api, what):
    """Stores may share a JWT key, key set or issuer only with different audiences.
    Rule: storefront-jwt."""
    (api.folder / "shared").write_text("a-key-that-two-shops-of-one-owner-sign-with")
    shared = {
        "key": ("--jwt-key-file", "shared"),
        "key set": ("--jwt-key-set", "https://id.example/keys"),
        "issuer": ("--jwt-issuer", "https://id.example"),
    }[what]
    first, second = (f"{what.replace(' ', '-')}-{one}" for one in "ab")
    refused = (
        f"wishwell: jwt-audience: store {first!r} has the same JWT {what}, so each of the two "
        "stores needs its own audience.\n"
    )
    api.quick("store", "create", first, *shared, "--jwt-audience", "a")
    for more in ((), ("--jwt-audience", "a")):
        assert api.attempt("store", "create", second, *shared, *more) == (1, "", refused)
    api.quick("store", "create", second, *shared, "--jwt-audience", "b")
    for audience in ("", "a"):
        code, _, err = api.attempt("store", "update", second, "--jwt-audience", audience)
        assert (code, err) == (1, refused)
    api.quick("store", "update", second, "--jwt-audience", "c")
