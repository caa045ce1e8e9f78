"""Webhooks with the format listmonk, which sends mails to confirmed addresses."""

import pytest

from tests.contract.desk import DAY, on_desk, send
from tests.servers.tool import KEY, Tool, answer
from wishwell import stores
from wishwell.contacts import addresses, confirmations, tokens
from wishwell.contacts.addresses import ShopAddress
from wishwell.errors import Invalid
from wishwell.events.webhooks import WebhookPatch
from wishwell.profiles import records

from .test_formats import Shop

TEMPLATES = {"item.price_dropped": 3, "item.back_in_stock": 4}
ANN = "ann@shop.example"


async def open_shop(desk, tool, **templates):
    """Returns a shop with an https host, and a webhook with these templates."""
    patch = stores.StorePatch(hosts=(f"https://{desk.handle}.example",))
    desk.store = await desk.db.write(stores.update, desk.handle, patch, desk.clock.tick())
    hook = await desk.formatted(tool.url, "listmonk", KEY, templates=templates or TEMPLATES)
    return Shop(desk), hook


async def lower(shop, price):
    shop.desk.clock.milliseconds += DAY  # an item has one notice of a kind in 24 hours
    await shop.put(price)
    await shop.publish()


async def confirm(desk, profile, email=ANN):
    rows = [ShopAddress(profile, email, "de")]
    await desk.db.write(addresses.set_by_shop, desk.store, rows, desk.clock.tick())


def with_tool(test):
    @on_desk
    async def story(desk):
        async with Tool("listmonk").serve() as tool, desk.process(timeout_seconds=2) as sender:
            await test(desk, tool, sender)

    def run(bench):
        story(bench)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


@with_tool
async def test_notices_are_sent_to_confirmed_addresses_with_a_link(desk, tool, sender):
    """A price drop is sent to the confirmed address, with its template and a link by which the shopper
    unsubscribes; afterwards nothing is sent. Saves aren't sent. Rules: format-mail, mail-links."""
    shop, hook = await open_shop(desk, tool)
    await shop.put("79.90")
    await shop.save(shop.customer)
    await confirm(desk, shop.customer)
    await lower(shop, "59.90")
    await send(sender)
    assert tool.wrong == []
    [call] = tool.got
    url = call.body["data"]["unsubscribe_url"]
    assert call.body["subscriber_emails"] == [ANN] and call.body["template_id"] == 3
    assert call.body["data"].items() >= {
        *{"name": "Lamp", "price_text": "59.90", "language": "de"}.items()
    }
    assert call.body["headers"][0] == {"List-Unsubscribe": f"<{url}>"}
    assert url.startswith(f"{desk.store.hosts[0]}/apps/wishlist/mail/")
    token = url.rpartition("/")[2]
    assert await desk.db.read(tokens.find, desk.store, token, desk.clock.tick())
    await desk.db.write(confirmations.unsubscribe, desk.store, token, desk.clock.tick())
    await lower(shop, "39.90")
    await send(sender)
    assert len(tool.got) == 1
    assert {one.status for one in await desk.page(hook)} <= {"delivered", "skipped"}


@with_tool
async def test_nothing_is_sent_without_a_confirmed_address_or_a_template(desk, tool, sender):
    """A shopper without a confirmed address, one who turned notices off, and a type without a template
    get nothing, and the delivery says why. Rules: format-mail, mail-consent."""
    shop, hook = await open_shop(desk, tool, **{"item.back_in_stock": 4})
    await shop.put("79.90")
    await shop.save(shop.customer)
    await lower(shop, "59.90")
    await send(sender)
    await desk.change(hook, templates=TEMPLATES)
    await lower(shop, "49.90")
    await send(sender)
    await confirm(desk, shop.customer)
    await lower(shop, "39.90")
    await desk.db.write(records.set_notices, shop.customer, False, desk.clock.tick())
    await send(sender)
    answers = [one.answer for one in await desk.page(hook)][::-1]
    assert "no template for item.price_dropped" in answers[0]
    assert all("no confirmed address" in text for text in answers[1:])
    assert len(answers) == 3 and tool.got == []


@with_tool
async def test_address_is_in_no_delivery(desk, tool, sender):
    """The tool's answer is shown without the address and the key. Rules: format-mail, format-key."""
    shop, hook = await open_shop(desk, tool)
    await shop.put("79.90")
    await shop.save(shop.customer)
    await confirm(desk, shop.customer)
    await lower(shop, "59.90")
    tool.script = [answer(400, {"message": f"no subscriber {ANN.upper()} ({ANN}) for {KEY}"})]
    await send(sender)
    [delivery] = await desk.page(hook)
    assert delivery.status == "failed" and "no subscriber" in delivery.answer
    assert "ann@" not in delivery.answer.lower() and KEY not in delivery.answer


@with_tool
async def test_listmonk_needs_templates_and_others_take_none(desk, tool, sender):
    """Only a webhook with the format listmonk has templates, and needs them. Rule: format-mail."""
    with pytest.raises(Invalid, match="templates"):
        await desk.formatted(tool.url, "listmonk", KEY)
    with pytest.raises(Invalid, match="only for"):
        await desk.formatted(tool.url, "brevo", KEY, templates=TEMPLATES)
    hook = await desk.formatted(tool.url, "brevo", KEY)
    with pytest.raises(Invalid, match="only for"):
        await desk.change(hook, **WebhookPatch(templates=TEMPLATES)._asdict())
