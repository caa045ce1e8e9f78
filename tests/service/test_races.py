"""Race conditions against the running program on both engines: one round each, 25 in the slow
tests.

Each round has new profiles, so that rounds don't affect each other; rate limits are out of the way.
"""

import asyncio

import pytest

from tests.conftest import ROOMY, Shop
from tests.replay import Replay

from .conftest import Racer, race, racer, soon, statuses_of


@race
async def test_session_linked_to_two_customers_concurrently_goes_to_one(http, racing):
    """Concurrent links of a session to two customers succeed, and one customer gets everything.
    Rule: link-atomic."""
    visitor = await racer(http, racing)
    for product in (1, 2, 3):
        await visitor.save(product)
    gids = [racing.gid(), racing.gid()] * 5
    links = [racer(http, racing, customer=gid, session=visitor.gid) for gid in gids]
    one, other, *_ = await asyncio.gather(*links)
    assert sorted([await one.products(), await other.products()]) == [[], [1, 2, 3]]


@race
async def test_two_sessions_linked_to_one_customer_concurrently_both_merge(http, racing):
    """Two sessions linked to one customer concurrently both merge: the union of items, the larger
    quantities.
    Rule: link-atomic."""
    gid, visitors = racing.gid(), [await racer(http, racing) for _ in range(2)]
    for at, visitor in enumerate(visitors):
        for product in (1, 2 + at):
            await visitor.save(product, quantity=1 + at, tags=[f"t{at}"])
        await visitor.do("POST", "/lists", {"name": "Same"})
    links = [racer(http, racing, customer=gid, session=visitor.gid) for visitor in visitors]
    customer, _ = await asyncio.gather(*links)
    assert await customer.products() == [1, 2, 3]
    [merged] = await customer.do("GET", "/items?query=product:1")
    assert (merged["quantity"], sorted(merged["tags"])) == (2, ["t0", "t1"])
    assert [made["name"] for made in await customer.do("GET", "/lists")] == ["Same"]


@race
async def test_concurrent_saves_never_exceed_the_item_limit(http, service):
    """Exactly 10 of 30 concurrent saves succeed with a limit of 10 items. Rule: profile-limits."""
    shop = Shop(service, *ROOMY, "--limit", "items=10")
    mine = await racer(http, shop, customer=shop.gid())
    saves = [mine.ask("POST", "/items", {"productId": n + 1}) for n in range(30)]
    answers = await asyncio.gather(*saves)
    assert sorted(statuses_of(answers)) == [201] * 10 + [400] * 20
    assert len(await mine.products()) == 10


@pytest.mark.parametrize("bound", ["list_items", "entries"])
@race
async def test_concurrent_changes_never_exceed_the_limit_of_a_list(http, service, bound):
    """Concurrent saves and set-lists put exactly 10 items on a list with a limit of 10.
    Rule: profile-limits."""
    shop = Shop(service, *ROOMY, "--limit", f"{bound}=10")
    mine = await racer(http, shop, customer=shop.gid())
    made = (await mine.do("POST", "/lists", {"name": "x"}))["id"]
    there = [(await mine.save(n + 1))["id"] for n in range(15)]
    on = {"listIds": [made]}
    answers = await asyncio.gather(
        *(mine.ask("PUT", f"/items/{id}/lists", on) for id in there),
        *(mine.ask("POST", "/items", {"productId": n + 101} | on) for n in range(15)),
    )
    assert statuses_of(answers).count(400) == 20
    assert sum(answer.is_success for answer in answers) == 10
    assert (await mine.do("GET", f"/lists/{made}"))["itemCount"] == 10


@race
async def test_concurrent_saves_to_a_new_list_create_one_list(http, racing):
    """Concurrent saves of different products and the same one, each naming a list that doesn't
    exist yet, make one list with all products. Rules: item-lists, save-once."""
    mine = await racer(http, racing, customer=racing.gid())
    names = ["Favourites", "favourites", " FAVOURITES "]
    saves = (mine.save(n % 8 + 1, listName=names[n % 3]) for n in range(24))
    await asyncio.gather(*saves)
    [made] = await mine.do("GET", "/lists")
    assert (made["itemCount"], await mine.products()) == (8, [*range(1, 9)])
    assert made["name"].lower() == "favourites"


@race
async def test_concurrent_moves_saves_deletes_and_a_link_keep_one_order(http, service):
    """Concurrent moves to the same places, saves, deletes, orders and a link of a list of the same
    name all succeed, and a consumer of the events has the order that the service shows.
    Rules: list-order, event-changed, link-atomic."""
    shop = Shop(service, *ROOMY, "--events", "on")
    mine = await racer(http, shop, customer=shop.gid())
    visitor = await racer(http, shop)
    on = {}
    for who, products in ((mine, range(1, 13)), (visitor, (10, 12, 13, 14, 15))):
        on[who] = (await who.do("POST", "/lists", {"name": "Same"}))["id"]
        saved = [await who.save(product, listIds=[on[who]]) for product in products]
        ids = [item["id"] for item in saved]
        await who.do("PUT", f"/lists/{on[who]}/items/order", {"itemIds": ids})
    made = on[mine]
    path = f"/lists/{made}/items"
    ids = [item["id"] for item in (await mine.do("GET", f"/lists/{made}?sort=customer"))["items"]]
    moves = [
        mine.ask("PUT", f"{path}/{id}", {"after": after}, soon())
        for id in ids[:8]
        for after in (ids[8], ids[9], ids[11], None)
    ]
    answers = await asyncio.gather(
        *moves,
        *(mine.ask("DELETE", f"/items/{id}", after=soon()) for id in ids[10:11]),
        *(mine.ask("POST", "/items", {"productId": 20 + n, "listIds": [made]}) for n in range(4)),
        mine.ask("PUT", f"{path}/order", {"itemIds": ids[6:9]}, soon()),
        racer(http, shop, soon(), customer=mine.gid, session=visitor.gid),
    )
    assert all(answer.is_success for answer in answers[:-1])
    shown = (await mine.do("GET", f"/lists/{made}?sort=customer"))["items"]
    replay, admin = Replay(), Racer(http, shop.admin_token)
    async with asyncio.timeout(20):
        while not replay.lists or replay.shown_list(made)["items"] != shown:
            events = await admin.do("GET", "/events?limit=250")
            replay = Replay()
            for event in (event for event in events if event["profile"] == mine.gid):
                replay.hear(event)
            await asyncio.sleep(0.1)
    assert len(shown) == len({item["id"] for item in shown}) == 18
    assert sum("moved" in event["data"] for event in events) >= 8
