"""Products in events: with `include=product`, of webhooks and of the feed."""

import json

from tests.contract.desk import on_desk, send
from tests.contract.test_formats import Shop
from wishwell.products import shown


@on_desk
async def test_include_adds_products_to_webhooks_and_to_the_feed(desk):
    """With `include`, items in events have the product's data as it is when the event is sent.
    Rule: event-product."""
    shop = Shop(desk)
    await shop.put("79.90")
    async with desk.receiving() as (receiver, sender, plain):
        more = await desk.formatted(f"{receiver.url}/more", None, None, include=["product"])
        await shop.save(shop.customer)
        await shop.save(shop.customer, 102)
        await shop.publish()
        await send(sender)
        lamp = {
            "title": "Lamp",
            "url": "https://shop.example/lamp",
            "image": "https://shop.example/lamp.jpg",
            "price": {"amount": "79.90", "currency": "EUR"},
            "available": True,
            "availability": "in_stock",
        }
        sent = [message.event["data"]["item"].get("product") for message in receiver.got]
        assert sorted(one == lamp for one in sent) == [False, False, False, True]
        assert sum(one is None for one in sent) == 3
        assert (await desk.find(more)).include == ("product",)
        page = await desk.db.read(shown.feed, desk.store, None, 10, ())
        found = [json.loads(bytes(event.data))["item"].get("product") for event in page.events]
        assert found == [lamp, None]
        await desk.change(more, include=())
        assert (await desk.find(more)).include == (await desk.find(plain)).include == ()
