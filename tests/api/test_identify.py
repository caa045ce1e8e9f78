"""`POST /profiles/identify`."""

from .conftest import data, refused


def identify(http, email: object):
    return http.post("/profiles/identify", json={"email": email})


def test_identify_answers_with_the_sign_in_path(make_shop):
    """contract: identify-answer, identify-email. `/account/login` by default, for any token and any
    address; `{email}` is filled in percent-encoded; without a path it is 404."""
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


def test_identify_with_an_invalid_address_is_refused(shop):
    """contract: identify-email. Which texts are addresses: tests/http/test_patterns.py."""
    for email in ("ann", "a b@example.com", "a" * 65 + "@example.com", "a" * 64 + "@" + "e" * 190):
        refused(identify(shop.admin, email), 400, "email")
