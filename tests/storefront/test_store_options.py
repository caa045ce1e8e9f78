"""What a store can't be made with: one line names the option, and nothing is made."""

import pytest

from .conftest import JWT_KEY
from .way import direct

pytestmark = direct("no request is sent")

BAD = {
    "host without a scheme": ("host", "--host", "shop.example"),
    "host with a path": ("host", "--host", "https://shop.example/x"),
    "host with a user": ("host", "--host", "https://a@shop"),
    "host of two schemes": ("host", "--host", "https://a.example", "--host", "http://a.example"),
    "too many hosts": ("host", *(w for n in range(51) for w in ("--host", f"https://{n}.example"))),
    "cookie that is no name": ("jwt-cookie", "--jwt-cookie", "a b"),
    "visitor's cookie": ("jwt-cookie", "--jwt-cookie", "__host-wishwell"),
    "header that is no name": ("jwt-header", "--jwt-header", "X:"),
    "header of tokens": ("jwt-header", "--jwt-header", "Authorization"),
    "header of proxies": ("jwt-header", "--jwt-header", "Wishwell-Customer"),
    "issuer of two lines": ("jwt-issuer", "--jwt-issuer", "a\nb"),
    "key that is not there": ("jwt-key-file", "--jwt-key-file", "/no/such/file"),
    "product page without an id": ("product-url", "--product-url", "https://a.example/p"),
    "product page without https": ("product-url", "--product-url", "http://a.example/{productId}"),
    "page of no scheme": ("wishlist-page", "--wishlist-page", "javascript:alert(1)"),
    "page on another host": ("wishlist-page", "--wishlist-page", "//evil.example/"),
    "page with a backslash": ("wishlist-page", "--wishlist-page", "/\\evil.example/"),
    "page of two lines": ("shared-page", "--shared-page", "/a\nb"),
    "page with a fragment": ("shared-page", "--shared-page", "/a#b"),
    "page that is too long": ("shared-page", "--shared-page", "/" + "a" * 1_000),
    "no time zone": ("time-zone", "--time-zone", "Mars/Base"),
    "time zone that is a file": ("time-zone", "--time-zone", "../../etc/passwd"),
    "short key": ("jwt-key", "--jwt-key-file", "short"),
    "five keys": ("jwt-key", *("--jwt-key-file", "key") * 5),
    "short secret": ("platform-secret", "--platform-secret-file", "short"),
    "three secrets": ("platform-secret", *("--platform-secret-file", "key") * 3),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_option_is_named_in_one_line(api, name):
    """contract: storefront-naming, storefront-hosts, storefront-secrets, store-pages, store-time-zone. No secret
    is shown."""
    (api.folder / "key").write_text(JWT_KEY)
    (api.folder / "short").write_text("too-short")
    option, *words = BAD[name]
    handle = f"bad-{sorted(BAD).index(name)}"
    code, out, err = api.attempt("store", "create", handle, *words)
    assert (code, out) == (1, "")
    [line] = err.splitlines()
    assert f"{option}: " in line
    assert JWT_KEY not in line and "too-short" not in line
    assert f" {handle} " not in api.quick("store", "list")


def test_host_of_another_store_is_named_in_one_line(api, new_front):
    """contract: storefront-hosts. A platform's shop too; the store may have its own again."""
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
def test_jwt_is_of_one_store(api, what):
    """contract: storefront-jwt-apart. Unless each has an audience, another one."""
    (api.folder / "shared").write_text("a-key-that-two-shops-of-one-owner-sign-with")
    shared = {
        "key": ("--jwt-key-file", "shared"),
        "key set": ("--jwt-key-set", "https://id.example/keys"),
        "issuer": ("--jwt-issuer", "https://id.example"),
    }[what]
    first, second = (f"{what.replace(' ', '-')}-{one}" for one in "ab")
    refused = (
        f"wishwell: jwt-audience: store {first!r} has the same JWT {what}, so each of the two "
        "needs an audience of its own.\n"
    )
    api.quick("store", "create", first, *shared, "--jwt-audience", "a")
    for more in ((), ("--jwt-audience", "a")):
        assert api.attempt("store", "create", second, *shared, *more) == (1, "", refused)
    api.quick("store", "create", second, *shared, "--jwt-audience", "b")
    for audience in ("", "a"):
        code, _, err = api.attempt("store", "update", second, "--jwt-audience", audience)
        assert (code, err) == (1, refused)
    api.quick("store", "update", second, "--jwt-audience", "c")
