"""The Python client before a service of a later version."""

import asyncio

import pytest

from tests.conftest import ROOMY, Shop
from tests.servers import wait_until
from tests.servers.later import CODE, EVENT_TYPE, later_version
from wishwell_client import AsyncWishwell, Event, Invalid, NotFound


def test_client_reads_a_later_version(connect, service):
    """Unknown fields are ignored; an unknown error code is a text on the exception of its status; an
    event of an unknown type is an ``Event`` with its data. Rule: openapi-open."""
    shop = Shop(service, *ROOMY, "--events", "on")
    member = shop.customer()
    with later_version(shop.service.url) as url:
        wishes = connect(url, member.token)
        item = wishes.items.create(7, quantity=2)
        birthday = wishes.lists.create("Birthday")
        placed = wishes.lists.replace_items(birthday.id, [item.id])
        assert [(one.product_id, one.quantity) for one in placed.items] == [(7, 2)]
        assert [one.id for one in wishes.items.all()] == [item.id]
        assert wishes.shares.create(birthday.id).token
        with pytest.raises(NotFound) as missing:
            wishes.items.find("unknown")
        assert (missing.value.status, missing.value.code) == (404, CODE)
        with pytest.raises(Invalid) as invalid:
            wishes.items.create(7, quantity=0)
        error = invalid.value
        assert (error.code, [(bad.field, bad.code) for bad in error.details]) == (
            CODE,
            [("quantity", CODE)],
        )
        admin = connect(url, shop.admin_token)
        assert wait_until(lambda: len(admin.events.list()) >= 3, seconds=10, every=0.1)
        events = [one for one in admin.events.list() if one.profile == member.gid]
        assert {(type(one), one.type) for one in events} == {(Event, EVENT_TYPE)}
        assert events[0].data.item and events[0].data.item.product_id == 7


@pytest.mark.slow
def test_asyncio_client_reads_a_later_version(roomy_shop):
    """The asyncio client does the same. Rule: openapi-open."""

    async def use(url: str) -> tuple[int, str | None]:
        async with AsyncWishwell(url, roomy_shop.customer().token) as wishes:
            item = await wishes.items.create(7, quantity=2)
            with pytest.raises(NotFound) as missing:
                await wishes.items.find("unknown")
            return item.quantity, missing.value.code

    with later_version(roomy_shop.service.url) as url:
        assert asyncio.run(use(url)) == (2, CODE)
