"""Connections that break on a real network path: retries, calls that aren't retried, and errors."""

import pytest

from tests.client.conftest import SOON
from tests.client.test_operations import logged
from wishwell_client import ConnectionFailed

FAULTS = ("before", "reset", "after", "within")
UNKNOWN = (*FAULTS, "gateway")
"""Faults that leave it open whether the request was carried out."""


@pytest.fixture
def shaky(connect, roomy_shop, lossy):
    """A client of a new customer behind the lossy proxy."""
    return connect(lossy.url, roomy_shop.customer().token, **SOON)


@pytest.mark.parametrize("fault", UNKNOWN)
def test_idempotent_calls_are_retried_and_take_effect_once(shaky, lossy, fault):
    """Idempotent calls are retried with the same request id and take effect once.
    Rule: retry-harmless."""
    listed = shaky.lists.create("Gifts")

    def lost(call, *arguments, **named):
        lossy.expect(fault)
        result = call(*arguments, **named)
        assert len(lossy.seen) == 2
        assert lossy.seen[0].headers["x-request-id"] == lossy.seen[1].headers["x-request-id"]
        return result

    item = lost(shaky.items.create, 1, quantity=3, list_ids=[listed.id])
    assert lost(shaky.items.find, item.id) == item
    assert lost(shaky.items.update, item.id, quantity=4).quantity == 4
    assert [found.id for found in lost(shaky.lists.order, listed.id, [item.id]).items] == [item.id]
    assert lost(shaky.items.delete, item.id) is None
    assert lost(shaky.items.list).data == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_creation_is_not_retried(connect, roomy_shop, lossy, fault):
    """Creating a list or a session isn't retried; the error has the request id of the lost
    response."""
    customer = roomy_shop.customer()
    shaky = connect(lossy.url, customer.token, **SOON)
    lossy.expect(fault)
    with pytest.raises(ConnectionFailed) as failed:
        shaky.lists.create("Gifts")
    [seen] = lossy.seen
    assert seen.headers["x-request-id"] == failed.value.request_id
    assert failed.value.status is None
    done = fault in ("after", "within")
    if done:
        logged(roomy_shop.service, failed.value.request_id)
    steady = connect(roomy_shop.service.url, customer.token)
    assert [listed.name for listed in steady.lists.all()] == (["Gifts"] if done else [])
    admin = connect(lossy.url, roomy_shop.admin_token, **SOON)
    lossy.expect(fault)
    with pytest.raises(ConnectionFailed):
        admin.profiles.token()
    assert len(lossy.seen) == 1


@pytest.mark.slow
def test_timed_out_response_counts_as_lost(connect, roomy_shop, lossy):
    """A response that exceeds the timeout counts as lost; only idempotent calls are retried."""
    hasty = connect(lossy.url, roomy_shop.customer().token, timeout=3, **SOON)
    lossy.expect("silent")
    item = hasty.items.create(3)
    assert len(lossy.seen) == 2
    lossy.expect("silent")
    with pytest.raises(ConnectionFailed):
        hasty.lists.create("Gifts")
    assert len(lossy.seen) == 1
    assert [found.id for found in hasty.items.all()] == [item.id]
