"""Options of a PostgreSQL URL that Wishwell handles itself rather than the driver."""

import pytest

from wishwell.db.postgres.url import Address, parse

ONE = (Address(None, None),)


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("postgresql://u:p@h/d", ONE),
        ("postgresql:///d", ONE),
        ("postgresql:///d?host=h", ONE),
        ("postgresql://u:p@h1,h2:5433/d", (Address("h1", None), Address("h2", 5433))),
        ("postgres://[::1]:1,[fe80::2],h:2", (Address("::1", 1), Address("fe80::2", None), Address("h", 2))),
        ("postgresql://%2Frun%2Fa,b/d", (Address("/run/a", None), Address("b", None))),
    ],
)  # fmt: skip
def test_url_is_parsed_into_hosts(url, addresses):
    """Several hosts are parsed from the URL. A single one is left to the driver, whether it is before
    the path or among the options.
    Rule: database-failover."""
    target = parse(url)
    assert target.addresses == addresses
    assert target.url == url
    assert target.options == ({"target_session_attrs": "read-write"} if len(addresses) > 1 else {})


def test_hosts_among_the_options_are_refused():
    """Hosts in the query are refused: the driver would connect to an old primary."""
    with pytest.raises(ValueError, match="before the path"):
        parse("postgresql:///d?host=a,b")


def test_options_of_a_url_are_parsed():
    """`load_balance_hosts` is removed from the URL; the driver would send it to the server, which
    rejects it.
    Rule: database-failover."""
    target = parse("postgresql://a,b/d?sslmode=require&load_balance_hosts=random")
    assert target.url == "postgresql://a,b/d?sslmode=require"
    assert target.random_order
    assert set(target.addresses) == {Address("a", None), Address("b", None)}
    assert parse("postgresql://a,b/d?load_balance_hosts=disable").url == "postgresql://a,b/d"
    assert not parse("postgresql://a/d?load_balance_hosts=random").random_order
    assert parse("postgresql://a,b/d?target_session_attrs=any").options == {}
