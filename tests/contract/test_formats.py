"""Webhooks in the formats of marketing tools, sent to receivers that check the published schemas."""

import asyncio
import json
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.conftest import PLENTY, new_item
from tests.contract.desk import SEALING, on_desk, send
from tests.servers.tool import KEY, PROFILES, Tool, answer, klaviyo_profile
from wishwell import events, ids, products, profiles
from wishwell.db import run_statement
from wishwell.errors import Conflict, Invalid
from wishwell.events import deliveries, formats, webhooks
from wishwell.events.webhooks import NewWebhook
from wishwell.privacy import erasure
from wishwell.products import NewProduct, ProductData, notices
from wishwell.products.money import Money
from wishwell.wishlists import item_changes, linking, saving

# listmonk sends mails: tests/contract/test_listmonk.py
FORMATS = pytest.mark.parametrize("format", [name for name in formats.TOOLS if name != "listmonk"])
LIST = "019649e4-18b9-7651-8317-1ff4a6a3a450"
ADDED, REMOVED = "Product Added to Wishlist", "Product Removed from Wishlist"
DROPPED, BACK = "Wishlist Product Price Dropped", "Wishlist Product Back in Stock"


def on_each_format(test):
    """Runs a test with each format, on a desk, with a tool, a sending process and a webhook."""

    @FORMATS
    def run(bench, format):
        @on_desk
        async def story(desk):
            async with Tool(format).serve() as tool, desk.process(timeout_seconds=2) as sender:
                await test(desk, tool, sender, await desk.formatted(tool.url, format, KEY))

        story(bench)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


class Shop:
    """A desk's store with a lamp, the customer 7 and a visitor."""

    def __init__(self, desk):
        self.desk, self.store = desk, desk.store
        self.customer = profiles.of_customer(self.store, "gid://shopify/Customer/7")
        self.session = ids.random_uuid()

    async def put(self, price, available=True):
        facts = {"title": "Lamp", "url": "https://shop.example/lamp", "available": available}
        data = ProductData(
            price=Money(price, "EUR"), image="https://shop.example/lamp.jpg", **facts
        )
        given = [NewProduct("101", data)], [self.desk.bench.new_id()], self.desk.clock.tick()
        await self.desk.db.write(products.put, self.store, *given)

    async def save(self, profile, product=101):
        save = new_item(product, 5), self.desk.bench.new_id(), PLENTY, self.desk.clock.tick()
        return (await self.desk.db.write(saving.save, profile, *save))[0]

    async def visitor(self):
        make = self.store, "wishwell", self.session, self.desk.clock.tick()
        return await self.desk.db.write(profiles.create_session, *make)

    async def publish(self):
        async for _ in notices.process_batches(self.desk.db, self.desk.clock):
            pass
        await events.assign_positions(self.desk.db, self.desk.clock)


def name_of(call):
    """Returns the name of a request's event, or its path."""
    body = call.body or {}
    metric = body.get("data", {}).get("attributes", {}).get("metric")
    return (
        body.get("event")
        or body.get("event_name")
        or (metric["data"]["attributes"]["name"] if metric else call.path)
    )


def properties_of(body):
    return (
        body.get("properties")
        or body.get("event_properties")
        or (body["data"]["attributes"]["properties"])
    )


@on_each_format
async def test_events_arrive_in_the_tools_schema(desk, tool, sender, hook):
    """Saves, removals, price drops, restocks, a sign-in and an erasure arrive in the tool's schema,
    with the shop's customer id; other events are counted.
    Rules: format-events, format-erased."""
    shop = Shop(desk)
    await shop.put("79.90", available=False)
    visitor = await shop.visitor()
    await shop.save(visitor, 102)
    item = await shop.save(shop.customer)
    desk.clock.milliseconds += 70_000
    for price in ("79.90", "59.90"):
        await shop.put(price)
        await shop.publish()
    await desk.db.write(linking.link, visitor, shop.customer, PLENTY, desk.clock.tick())
    await desk.db.write(item_changes.delete, shop.customer, item.id, desk.clock.tick())
    await shop.publish()
    await send(sender)
    named = {name: name.lower().replace(" ", "_") for name in (ADDED, REMOVED, DROPPED, BACK)}
    if tool.format != "brevo":
        named = {name: name for name in named}
    got = {}
    for call in tool.got:
        got.setdefault(name_of(call), []).append(call)
    assert tool.wrong == []
    assert got.keys() == {*named.values()} | ({"/alias"} if tool.format == "segment" else set())
    [dropped] = got[named[DROPPED]]
    assert properties_of(dropped.body) == {
        "product_id": "101",
        "variant_id": "5",
        "name": "Lamp",
        "url": "https://shop.example/lamp",
        "image_url": "https://shop.example/lamp.jpg",
        "price": 59.9,
        "price_text": "59.90",
        "previous_price": 79.9,
        "previous_price_text": "79.90",
        "saved_price": 79.9,
        "currency": "EUR",
        "quantity": 1,
        "availability": "in_stock",
        "notices_consent": "not_asked",
    }
    assert "notices_consent" not in properties_of(got[named[ADDED]][0].body)
    people = [json.dumps(call.body) for call in got[named[ADDED]]]
    if tool.format == "segment":
        [alias] = got["/alias"]
        assert (alias.body["previousId"], alias.body["userId"]) == (shop.session, "7")
        assert sorted('"userId": "7"' in one for one in people) == [False, True]
        assert sum(f'"anonymousId": "{shop.session}"' in one for one in people) == 1
    else:  # the visitor's save was skipped, so the sign-in sends it
        mine = '"external_id": "7"' if tool.format == "klaviyo" else '"ext_id": "7"'
        assert [mine in one for one in people] == [True, True]
    if tool.format == "klaviyo":
        attributes = dropped.body["data"]["attributes"]
        assert (attributes["value"], attributes["value_currency"]) == (59.9, "EUR")
    skipped = (await desk.find(hook)).skipped
    assert skipped == {"segment": 1, "klaviyo": 2, "brevo": 2}[tool.format]
    assert sender.attempts["skipped"] == skipped
    await _erase(desk, tool, sender, hook, shop)


async def _erase(desk, tool, sender, hook, shop):
    """Checks the erasure of the customer 7."""
    tool.got.clear()
    await desk.db.long_write(erasure.erase, shop.customer, desk.clock.milliseconds)
    await events.assign_positions(desk.db, desk.clock)
    await send(sender)
    page = [one for one in await desk.page(hook) if one.type == "profile.erased"]
    of_customer = next(one for one in page if "anonymousId" not in (one.answer or ""))
    sent = [(call.method, call.path) for call in tool.got]
    if tool.format == "segment":
        assert sent == [] and of_customer.status == "by_hand"
        assert of_customer.answer == "To do by hand: delete the userId 7."
        assert sender.attempts["by_hand"] == len(page)
    else:
        deletion = {
            "klaviyo": [("GET", "/profiles"), ("POST", "/data-privacy-deletion-jobs")],
            "brevo": [("DELETE", "/contacts/7")],
        }
        assert sent == deletion[tool.format] and of_customer.status == "delivered"
    if tool.format == "klaviyo":
        job = tool.got[1].body["data"]["attributes"]["profile"]["data"]
        assert job["id"] == PROFILES["7"]
    assert tool.wrong == []


@on_each_format
async def test_erasure_of_a_person_unknown_to_the_tool_succeeds(desk, tool, sender, hook):
    """A customer whom the tool doesn't have needs no deletion. Rule: format-erased."""
    await desk.save()
    await desk.db.long_write(erasure.erase, desk.profile, desk.clock.milliseconds)
    await events.assign_positions(desk.db, desk.clock)
    await send(sender)
    expected = "by_hand" if tool.format == "segment" else "delivered"
    [shown_] = await desk.page(hook)
    assert shown_.status == expected
    assert (shown_.answer is None) == (expected == "delivered")
    assert tool.wrong == []


DATA = {"data": [klaviyo_profile("8", "A"), klaviyo_profile("7", "B"), klaviyo_profile("7", "C")]}


@pytest.mark.either_engine
@pytest.mark.parametrize(
    ("format", "first", "deleted", "status"),
    [
        ("klaviyo", answer(200, DATA), ["B", "C"], "delivered"),
        ("klaviyo", answer(200, {"data": [klaviyo_profile("8", "A")]}), [], "by_hand"),
        ("brevo", answer(404, {"code": "document_not_found"}), [], "delivered"),
        ("brevo", answer(404, {"code": "not_found"}), [], "by_hand"),
        ("brevo", answer(404, "<html>"), [], "by_hand"),
        ("brevo", answer(404), [], "by_hand"),
    ],
)
def test_erasure_deletes_only_profiles_with_the_customers_id(bench, format, first, deleted, status):
    """Each profile with the customer's id is deleted and no other; a 404 that isn't the tool's own
    is left to a person. Rule: format-erased."""

    @on_desk
    async def erase(desk):
        async with Tool(format).serve() as tool, desk.process() as sender:
            hook = await desk.formatted(tool.url, format, KEY)
            shop = Shop(desk)
            await shop.save(shop.customer)
            await desk.db.long_write(erasure.erase, shop.customer, desk.clock.milliseconds)
            await shop.publish()
            tool.script = [first]
            await send(sender)
            posts = [call.body["data"] for call in tool.got if call.method == "POST"]
            assert [one["attributes"]["profile"]["data"]["id"] for one in posts] == deleted
            [delivery] = await desk.page(hook)
            assert delivery.status == status
            assert ("To do by hand" in (delivery.answer or "")) == (status == "by_hand")

    erase(bench)


@on_desk
async def test_erasure_continues_after_a_bad_answer(desk):
    """A search whose answer isn't a list of profiles is retried, and no profile is deleted by it.
    Rule: format-erased."""
    async with Tool("klaviyo").serve() as tool, desk.process() as sender:
        hook = await desk.formatted(tool.url, "klaviyo", KEY)
        shop = Shop(desk)
        await shop.save(shop.customer)
        await desk.db.long_write(erasure.erase, shop.customer, desk.clock.milliseconds)
        await shop.publish()
        for bad in (answer(200, {"data": [{"name": "x"}]}), answer(200, "x"), answer(200)):
            tool.script = [bad]
            await send(sender)
            assert {call.method for call in tool.got} == {"GET"}
            assert [one.status for one in await desk.page(hook)] == ["pending"]
            desk.clock.milliseconds += 3_000_000
        await send(sender)
        assert [call.method for call in tool.got] == ["GET"] * 4 + ["POST"]
        assert [one.status for one in await desk.page(hook)] == ["delivered"]


@on_each_format
async def test_test_delivery_creates_no_person(desk, tool, sender, hook):
    """A test uses the key and names nobody; a refused key fails it, with the tool's answer.
    Rule: format-events."""
    for status in (200, 401):
        if status == 401:
            tool.script = [answer(401, {"message": "Invalid key"})]
        test = desk.store, hook.id, desk.bench.new_id(), desk.clock.tick()
        await desk.db.write(deliveries.queue_test, *test)
        await send(sender)
    failed, good = await desk.page(hook)
    assert (good.status, failed.status, failed.last_status) == ("delivered", "failed", 401)
    assert "Invalid key" in failed.answer
    assert tool.wrong == []
    assert "userId" not in json.dumps([call.body for call in tool.got])
    if tool.format != "segment":
        assert {call.method for call in tool.got} == {"GET"}
    assert (await desk.find(hook)).enabled


@on_each_format
async def test_refused_key_pauses_the_webhook(desk, tool, sender, hook):
    """A 401 or 403 turns the webhook off and is shown, without the key; with a new key it sends
    everything. Rules: format-answers, format-key."""
    echo = {
        "message": f"Bad key {KEY}",
        "part": f"...{KEY[3:14]}",
        "basic": formats.encode_basic(KEY),
    }
    for status in (401, 403):
        tool.script = [answer(status, echo)] * 3
        await desk.save(3)
        await send(sender)
        off = await desk.find(hook)
        assert not off.enabled
        assert (
            off.problem.startswith(f"The key was refused with {status}: ")
            and "Bad key" in off.problem
        )
        for text in (off.problem, *(one.answer for one in await desk.page(hook))):
            assert not any(KEY[at : at + 8] in (text or "") for at in range(len(KEY) - 7))
            assert formats.encode_basic(KEY)[:8] not in (text or "")
        assert {one.attempts for one in await desk.page(hook) if one.status == "pending"} == {0}
        sent = len(tool.got)
        await desk.save()
        await send(sender)
        assert len(tool.got) == sent
        tool.script = []
        on = await desk.change(hook, key=KEY, enabled=True)
        assert (on.problem, on.enabled) == (None, True)
        await send(sender)
        assert {one.status for one in await desk.page(hook)} == {"delivered"}
    assert tool.wrong == []


@on_desk
async def test_refused_key_is_shown_without_an_answer(desk):
    """`problem` of a key that is refused without a text ends after the status.
    Rule: format-answers."""
    async with Tool("brevo").serve() as tool, desk.process() as sender:
        hook = await desk.formatted(tool.url, "brevo", KEY)
        tool.script = [b"HTTP/1.1 401 x\r\nContent-Length: 0\r\n\r\n"]
        await desk.save()
        await send(sender)
        assert (await desk.find(hook)).problem == "The key was refused with 401."


@on_each_format
async def test_refused_event_is_not_retried(desk, tool, sender, hook):
    """An event that the tool refuses with 400 fails without a retry. The delivery shows the
    answer, cut and without the key. Rules: format-answers, format-key."""
    tool.script = [answer(400, {"detail": "unknown\nproperty", "key": KEY, "more": "x" * 1_000})]
    await desk.save()
    await send(sender)
    [shown_] = await desk.page(hook)
    assert (shown_.status, shown_.attempts, shown_.last_status) == ("failed", 1, 400)
    assert shown_.answer.startswith('{"detail": "unknown') and len(shown_.answer) == 500
    assert KEY not in shown_.answer
    desk.clock.milliseconds += 600_000
    await send(sender)
    assert len(tool.got) == 1 and (await desk.find(hook)).enabled


async def _hang(writer):
    await asyncio.sleep(5)


async def _drop(writer):
    pass


@pytest.mark.either_engine
@on_each_format
async def test_event_without_an_answer_is_sent_again(desk, tool, sender, hook):
    """An answer that is late, missing or 5xx is retried with the same id, so that the tool can
    recognise a duplicate. Rule: delivery-at-least-once."""
    [event] = await desk.save()
    tool.script = [_hang, _drop, answer(503)]
    for wait in (6, 400, 3_000, 0):
        await send(sender)
        desk.clock.milliseconds += wait * 1_000
    [shown_] = await desk.page(hook)
    assert (shown_.status, shown_.attempts, tool.wrong) == ("delivered", 4, [])
    assert len({json.dumps(call.body) for call in tool.got}) == 1
    if tool.format != "brevo":  # its API has no id of an event
        assert event in json.dumps(tool.got[0].body)


@on_each_format
async def test_webhook_waits_after_429_without_using_up_attempts(desk, tool, sender, hook):
    """After a 429 the webhook waits for the time that the tool names, and repeated ones don't use
    up the attempts. Rule: delivery-schedule."""
    header = "x-sib-ratelimit-reset: 7" if tool.format == "brevo" else "Retry-After: 7"
    await desk.save()
    for tried in range(1, 13):
        tool.script = [answer(429, {"detail": "Too many"}, header)]
        for wait in (6_000, 2_000):
            await send(sender)
            assert len(tool.got) == tried
            [shown_] = await desk.page(hook)
            at = ids.from_timestamp(shown_.next_attempt_at)
            assert 7_000 <= at - ids.from_timestamp(shown_.last_attempt_at) <= 7_700
            desk.clock.milliseconds += wait
    await send(sender)
    [shown_] = await desk.page(hook)
    assert (shown_.status, shown_.attempts, len(tool.got)) == ("delivered", 1, 13)


def event_of(type, customer, data):
    return events.Event(
        id="5d2c2f6e-4f0e-5f57-9f6f-4a0f3f3c1f0a",
        type=type,
        timestamp="2027-01-15T08:00:00.000Z",
        profile=f"gid://shop/Customer/{customer}",
        sequence=1,
        data=msgspec.Raw(msgspec.json.encode(data)),
    )


@pytest.mark.either_engine
@FORMATS
@pytest.mark.parametrize("kept", [True, False])
def test_purchase_has_its_price_and_quantity(format, kept):
    """A purchase is sent with its price and quantity, even if the item was removed before.
    Rule: format-events."""
    item = {"productId": 101, "quantity": 1, "listIds": [LIST], "product": {"title": "Lamp"}}
    data = {"productId": 101, "quantity": 2, "unitPrice": {"amount": "9.95", "currency": "EUR"}}
    data |= {"item": item} if kept else {}
    event = event_of("item.purchased", "ann%40shop.example", data)
    tool, request = Tool(format), formats.TOOLS[format].build_request(event)
    assert isinstance(request, formats.Request)
    name = {"segment": "track", "klaviyo": "EventCreateQueryV2", "brevo": "createEvent"}
    assert request.body is not None
    body = json.loads(request.body)
    tool.check(name[format], body)
    sent = properties_of(body)
    assert (sent["price"], sent["quantity"], sent["currency"]) == (9.95, 2, "EUR")
    assert (sent.get("name"), sent.get("wishlist_id")) == (("Lamp", LIST) if kept else (None, None))
    assert "ann@shop.example" in str(body)
    if format == "klaviyo":
        assert body["data"]["attributes"]["value"] == 19.9


@pytest.mark.either_engine
@FORMATS
@pytest.mark.parametrize(("notices", "consent"), [(True, "given"), (None, "not_asked")])
def test_notice_says_whether_the_shopper_consented(format, notices, consent):
    """A price drop has a property that shows whether the shopper agreed or never chose.
    Rules: format-events, notice-consent."""
    data = {"item": {"productId": 101, "quantity": 1}, "notices": notices, "product": {}}
    request = formats.TOOLS[format].build_request(event_of("item.price_dropped", "7", data))
    assert isinstance(request, formats.Request) and request.body is not None
    assert properties_of(json.loads(request.body))["notices_consent"] == consent


@pytest.mark.either_engine
@pytest.mark.parametrize("customer", [".", "..", "a\\..\\b", "...", ".b"])
def test_brevo_erasure_of_an_id_with_a_dot_segment_is_left_to_a_person(customer):
    """A path with a dot segment may lead elsewhere, and 404 would count as deleted, so no
    erasure is sent for such an id. Rule: format-erased."""
    request = formats.TOOLS["brevo"].build_request(
        event_of("profile.erased", quote(customer, safe=""), {})
    )
    if customer in ("...", ".b"):
        assert isinstance(request, formats.Request)
        assert request.path == f"/contacts/{quote(customer, safe='')}?identifierType=ext_id"
    else:
        assert request == (f"To do by hand: delete the contact with the EXT_ID {customer}.", True)


@on_desk
async def test_brevo_gets_few_concurrent_requests(desk):
    """Brevo allows 10 events a second, so a process sends it at most 4 concurrently.
    Rule: delivery-fair."""
    async with Tool("brevo").serve() as tool, desk.process() as sender:
        running, most = 0, 0

        async def slow(writer):
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.05)
            running -= 1
            writer.write(answer(204))

        await desk.formatted(tool.url, "brevo", KEY)
        await desk.save(20)
        tool.script = [slow] * 20
        await send(sender)
        assert (most, len(tool.got), tool.wrong) == (4, 20, [])


@on_desk
async def test_key_is_encrypted_and_stays_with_its_address(desk):
    """A key is stored encrypted and never shown; a new address needs it again.
    Rule: format-key."""
    url = "https://a.klaviyo.com/api"
    hook = await desk.formatted(url, "klaviyo", KEY)
    assert hook.secret is None and KEY not in str(hook)
    [(_, _, sealed, _)] = [
        row for row in await desk.db.read(run_statement, "webhooks") if str(row[1]) == hook.id
    ]
    assert KEY not in sealed
    stored = webhooks.decrypt(SEALING, desk.store.id, hook.id, sealed)
    assert stored.key == KEY
    with pytest.raises(Invalid, match="key: give the key again"):
        await desk.change(hook, url="https://elsewhere.example/api")
    assert (await desk.find(hook)).url == url
    moved = await desk.change(hook, url="https://a.klaviyo.com/api/", key=f"{KEY}2")
    assert moved.url.endswith("/api/") and moved.updated_at > hook.updated_at
    with pytest.raises(Conflict, match="has a format"):
        await desk.db.write(webhooks.renew_secret, desk.store, hook.id, SEALING, desk.clock())
    plain = await desk.hook(url)
    with pytest.raises(Invalid, match="key: is only for"):
        await desk.change(plain, key=KEY)
    for new in (NewWebhook(url, key=KEY), NewWebhook(url, format="brevo")):
        make = SEALING, desk.store, new, desk.bench.new_id(), desk.clock.tick()
        with pytest.raises(Invalid, match=r"^key: "):
            await desk.db.write(webhooks.create, *make)


@pytest.mark.slow
@given(
    st.text(max_size=300),
    st.sampled_from([KEY, formats.encode_basic(KEY)]),
    st.integers(0, 40),
    st.data(),
)
def test_no_answer_shows_a_part_of_the_key(text, secret, start, data):
    """A shown answer never has four successive characters of the key or its Base64, or eight in
    another case, whatever text surrounds them. Rule: format-key."""
    echo = secret[start : start + data.draw(st.integers(4, len(secret)))]
    echo = data.draw(st.sampled_from([echo, echo.upper(), echo.swapcase()]))
    shown_ = formats.redact_answer(f"{text}{echo}{text}".encode(), KEY)
    for known in (KEY, formats.encode_basic(KEY)):
        assert not any(known[at : at + 4] in shown_ for at in range(len(known) - 3))
        folded = known.lower()
        assert not any(folded[at : at + 8] in shown_.lower() for at in range(len(known) - 7))
    assert len(shown_) <= 500 and shown_.isprintable()


@pytest.mark.parametrize(
    ("echo", "left"),
    [
        ("Bad key xkeysib-5f0c9a1e77d2-Qw3rTy for events", "Bad key … for events"),
        ("Bad key XKEYSIB-5F0C9A1E77D2-QW3RTY!", "Bad key …!"),
        ('{"key":"xkeysib-5f0c…","end":"3rTy"}', '{"key":"……","end":"…"}'),
        ("***3rTy is unauthorised: 9a1e", "***… is unauthorised: …"),
        ("The key is not valid, 2026-11-27", "The key is not valid, 2026-11-27"),
        ('{"code":"unauthorized","message":"Key not found"}',) * 2,
    ],
)
def test_shown_answer_omits_an_echoed_key_and_keeps_other_words(echo, left):
    """An echoed key is removed, whole, truncated or in another case; the answer's other words
    remain. Rule: format-key."""
    assert formats.redact_answer(echo.encode(), "xkeysib-5f0c9a1e77d2-Qw3rTy") == left
