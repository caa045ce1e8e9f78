"""The client's operations against the running service."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from urllib.parse import parse_qs

import pytest

from tests.client.conftest import SOON
from tests.client.lossy import Lossy
from tests.servers import wait_until
from wishwell_client import (
    AsyncWishwell,
    Conflict,
    Invalid,
    NewOrder,
    NotFound,
    OrderLine,
    OrdersRefused,
)


def test_update_distinguishes_unset_from_none(wishes):
    """An omitted argument changes nothing, and None clears the variant or the note.
    Rule: save-once."""
    item = wishes.items.create(7, variant_id=3, quantity=2, tags=["gift"], note="blue! 💙")
    assert wishes.items.update(item.id) == item
    assert item.note == "blue! 💙" and wishes.items.update(item.id, note=None).note is None
    changed = wishes.items.update(item.id, quantity=5)
    assert (changed.variant_id, changed.quantity, changed.tags) == (3, 5, ("gift",))
    changed = wishes.items.update(item.id, variant_id=None)
    assert (changed.variant_id, changed.quantity, changed.tags) == (None, 5, ("gift",))
    changed = wishes.items.update(item.id, product_id=8, variant_id=4, tags=[])
    assert (changed.product_id, changed.variant_id, changed.tags) == (8, 4, ())
    listed = wishes.lists.create("Garden")
    assert wishes.lists.update(listed.id) == listed
    assert wishes.lists.update(listed.id, name="House").name == "House"


def logged(service, request_id):
    """Asserts that the request appears in the service's log."""
    seen = wait_until(lambda: any(request_id in line for line in service.log_lines()), seconds=30)
    assert seen, request_id


def test_errors_carry_status_message_and_request_id(wishes, service):
    """Errors have status, code, message and request id, here for a conflict, and the bad fields.
    Rules: save-once, error-envelope."""
    item = wishes.items.create(1)
    wishes.items.create(2)
    with pytest.raises(Conflict) as conflict:
        wishes.items.update(item.id, product_id=2)
    error = conflict.value
    assert (error.status, error.code, error.details) == (409, "item_exists", ())
    assert error.message
    assert error.retry_after is None
    assert error.request_id in str(error)
    logged(service, error.request_id)
    with pytest.raises(Invalid) as invalid:
        wishes.items.list(limit=251)
    assert "limit" in invalid.value.message
    with pytest.raises(Invalid) as invalid:
        wishes.items.create(0, quantity=0)
    fields = [bad.field for bad in invalid.value.details]
    assert (invalid.value.code, fields) == ("invalid_request", ["productId", "quantity"])


def test_threads_that_share_a_client_get_their_own_responses(wishes):
    """Each thread that shares a client gets its own responses."""
    with ThreadPoolExecutor(8) as threads:
        saved = list(threads.map(wishes.items.create, range(1, 61)))
    assert [item.product_id for item in saved] == list(range(1, 61))
    assert {item.id for item in wishes.items.all(limit=7)} == {item.id for item in saved}


def test_asyncio_client_works_like_the_blocking_one(lossy, roomy_shop):
    """The asyncio client: concurrent tasks, a page walk, a lost and retried request, and a refused
    one."""

    async def story():
        gid, token = roomy_shop.gid(), roomy_shop.admin_token
        async with (
            AsyncWishwell(lossy.url, token, **SOON) as admin,
            AsyncWishwell(lossy.url, token, profile=gid, **SOON) as ann,
        ):
            lossy.expect("after")
            saved = await asyncio.gather(*(ann.items.create(n) for n in range(1, 21)))
            assert [item.product_id for item in saved] == list(range(1, 21))
            found = [item async for item in ann.items.all(limit=7)]
            assert sorted(item.product_id for item in found) == list(range(1, 21))
            assert await admin.acting_as(gid).items.find(saved[0].id) == saved[0]
            with pytest.raises(NotFound):
                await admin.items.find("x")

    asyncio.run(story())


def test_odd_id_is_encoded_in_the_path(wishes):
    """An odd id is encoded, so it is a missing record rather than another path."""
    for id in ("", ".", "..", "a/b", "../lists", "?x=1", "#", "%", "é", "x" * 99):
        for refused in (wishes.items.find, wishes.lists.delete):
            with pytest.raises(NotFound):
                refused(id)


def test_path_of_the_base_url_is_prefixed(connect, shop):
    """A base URL with a path is prefixed to every request."""
    with Lossy(shop.service.url) as proxy:
        below = connect(f"{proxy.url}/wishes/", shop.admin_token)
        with pytest.raises(NotFound):
            below.items.list(query="product:1 tag:a")
        [seen] = proxy.seen
    method, target, _ = seen.line.split(" ")
    path, _, query = target.partition("?")
    assert (method, path) == ("GET", "/wishes/api/2025-04/items")
    assert parse_qs(query) == {"query": ["product:1 tag:a"]}


@pytest.mark.parametrize(
    ("url", "token", "more"),
    [
        *((f"http://{end}", "t", {}) for end in ("a?x=1", "a#x", "a:99999", "[::1", "me:secret@a")),
        *((url, "t", {}) for url in ("ftp://a", "a.example")),
        *(("http://a", token, {}) for token in ("", "secret\r\nX: y", "Bearer t")),
        *(("http://a", "t", {"timeout": seconds}) for seconds in (0, -1, float("nan"))),
        *(("http://a", "t", {name: -1}) for name in ("retries", "longest_wait")),
        ("http://a", "t", {"profile": "gid://é"}),
    ],
)
def test_invalid_argument_is_refused_before_any_request(connect, url, token, more):
    """Invalid arguments are refused before any request, without printing the token."""
    with pytest.raises(ValueError, match="must be") as refused:
        connect(url, token, **more)
    assert "secret" not in str(refused.value)


def test_refused_orders_raise_with_all_outcomes_unless_told_not_to(connect, make_shop):
    """`put_many` applies the good orders, then raises for refused ones; with `raise_refused=False`
    it returns all outcomes. Rule: order-versions."""
    shop = make_shop("--purchases", "on")
    now = datetime.now(UTC)
    good = NewOrder(
        "1", shop.gid(), placed_at=now, updated_at=now, status="paid", lines=(OrderLine(7, 1),)
    )
    bad = NewOrder(
        "2", "gid://other/Customer/7", placed_at=now, updated_at=now, status="paid", lines=()
    )
    admin = connect(shop.service.url, shop.admin_token)
    with pytest.raises(OrdersRefused) as refused:
        admin.orders.put_many([good, bad])
    error = refused.value
    assert [outcome.result for outcome in error.outcomes] == ["applied", "refused"]
    assert (error.status, error.code) == (200, "invalid_request")
    assert [detail.field for detail in error.details] == ["orders[1].profile"]
    assert error.message.startswith("1 of 2 orders were refused; orders[1].profile: ")
    outcomes = admin.orders.put_many([good, bad], raise_refused=False)
    assert [(outcome.order_id, outcome.result) for outcome in outcomes] == [
        ("1", "unchanged"), ("2", "refused")
    ]  # fmt: skip
    with pytest.raises(Invalid) as invalid:
        admin.orders.put_many([bad], raise_refused=False)
    assert invalid.value.status == 400


def test_string_is_refused_where_several_ids_are_expected(wishes):
    """A string is refused where several are expected, because its characters would be taken."""
    with pytest.raises(TypeError):
        wishes.items.delete_many("abc")
    with pytest.raises(TypeError):
        wishes.items.create(1, tags="gift")
