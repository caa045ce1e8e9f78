"""`POST /profiles/identify`."""

from .conftest import data, nothing_changes, refused, save


def identify(http, email: object):
    return http.post("/profiles/identify", json={"email": email})


def test_identify_answers_with_the_sign_in_path(shop):
    """contract: identify-answer. `/account/login` by default, for any token."""
    for http in (
        shop.admin,
        shop.acting_as(shop.gid("1")),
        shop.customer("1").http,
        shop.session().http,
    ):
        assert data(identify(http, "ann@example.com")) == {"authFlow": "/account/login"}


def test_identify_fills_the_address_in_percent_encoded(make_shop):
    """contract: identify-answer. It may hold `{email}`, filled in percent-encoded."""
    shop = make_shop("--auth-flow", "/signin?who={email}&from=list")
    answer = data(identify(shop.admin, "a+b&c=d@example.com"))
    assert answer == {"authFlow": "/signin?who=a%2Bb%26c%3Dd%40example.com&from=list"}


def test_identify_changes_no_record(shop):
    """contract: identify-remembers. No record shows the address."""
    customer = shop.customer("1")
    save(customer.http, 1)
    with nothing_changes(customer.http):
        data(identify(customer.http, "ann@example.com"))
        data(identify(customer.http, "bob@example.com"))


def test_identify_with_an_invalid_address_is_refused(shop):
    """contract: identify-email, body-malformed, body-unknown-field. It is required, and stands
    alone."""
    bad = ["", " ", "ann", "@", "ann@", "@example.com", "a b@example.com", "ann@exa mple.com"]
    bad += ["a@b@example.com", "ann@example.com\n", "ann\r\n@example.com", "ann\u0000@example.com"]
    bad += ["ann@.com", "ann@example..com", "a" * 300 + "@example.com", "ann@" + "e" * 300 + ".com"]
    bad += ["a" * 65 + "@example.com", "a" * 64 + "@" + "e" * 190]
    bad += ["<ann@example.com>", "ann@example.com,bob@example.com", 5, True, None, [], {}]
    for email in bad:
        refused(identify(shop.admin, email), 400, "email")
    refused(shop.admin.post("/profiles/identify", json={}), 400, "email")
    body = {"email": "ann@example.com", "phone": "1"}
    refused(shop.admin.post("/profiles/identify", json=body), 400, "phone")


def test_identify_with_addresses_that_are_unusual_but_valid(shop):
    """contract: identify-email. Every valid e-mail address."""
    for email in (
        "a@example.com",
        "first.last+tag@sub.example.co.uk",
        "o'hara@example.com",
        "x_y-z@ex-ample.io",
        "a@b",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ@EXAMPLE.COM",
        "a" * 64 + "@" + "e" * 189,
    ):
        data(identify(shop.admin, email))


def test_identify_in_a_store_without_a_sign_in_path_is_not_found(make_shop):
    """contract: identify-answer. A store without a sign-in path is 404."""
    shop = make_shop("--auth-flow", "")
    refused(identify(shop.admin, "ann@example.com"), 404)
    refused(identify(shop.customer("1").http, "ann@example.com"), 404)
    refused(identify(shop.admin, "nonsense"), 400, "email")


def test_identify_for_an_unknown_session_is_not_found(shop):
    """contract: session-unknown. An unknown session GID in the `Profile` header is 404."""
    unknown = "gid://wishwell/Session/0190a8b0-0000-7000-8000-000000000000"
    refused(identify(shop.acting_as(unknown), "ann@example.com"), 404)
