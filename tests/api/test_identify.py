"""`POST /profiles/identify`."""

from .conftest import data, refused


def identify(http, email: object):
    return http.post("/profiles/identify", json={"email": email})


def test_identify_answers_with_the_sign_in_path(make_shop):
    """Returns the store's sign-in path for any token and any address, with `{email}`
    percent-encoded; 404 if the store has none.
    Rules: identify-reveals-nothing, profile-email."""
    shop, filled = make_shop(), make_shop("--auth-flow", "/signin?who={email}&from=list")
    for http in (
        shop.admin,
        shop.acting_as(shop.gid("1")),
        shop.customer("1").http,
        shop.session().http,
    ):
        for email in ("o'hara@example.com", "a@b", "a" * 64 + "@" + "e" * 189):
            assert data(identify(http, email)) == {"authFlow": "/account/login"}
    answer = data(identify(filled.admin, "a+b&c=d@example.com"))
    assert answer == {"authFlow": "/signin?who=a%2Bb%26c%3Dd%40example.com&from=list"}
    without = make_shop("--auth-flow", "")
    refused(identify(without.admin, "ann@example.com"), 404)
    refused(identify(without.customer("1").http, "ann@example.com"), 404)
    refused(identify(without.admin, "nonsense"), 400, "email")
