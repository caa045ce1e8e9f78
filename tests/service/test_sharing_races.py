"""Race conditions of shares, copies and reservations against the running program on both engines.

Each test is a row of the rule's table. A round has a new owner with an item on a shared list, and
others. rule: request-linearizable.
"""

import asyncio

import pytest

from tests.conftest import ROOMY, Shop

from .conftest import Racer, client_of, race, racer, soon, statuses_of

GIVERS = 48


@pytest.fixture(scope="module")
def tokens(racing):
    return [racing.session().token for _ in range(GIVERS)]


@pytest.fixture
def givers(http, tokens):
    """Many visitors."""
    return [Racer(http, token) for token in tokens]


async def new_share(owner, list_id, **terms):
    return await owner.do("POST", f"/lists/{list_id}/shares", terms)


async def shared_list(owner, *products, name="Birthday", **fields):
    """Shares a new list with these products."""
    made = (await owner.do("POST", "/lists", {"name": name}))["id"]
    for product in products:
        await owner.save(product, listIds=[made], **fields)
    return await new_share(owner, made, reservations=True)


async def shown(share, who):
    """Returns a shared list's items by product, as seen by ``who``."""
    found = await who.do("GET", f"/shared/{share['token']}")
    return {item["productId"]: item for item in found["items"]}


class Party:
    """An owner with an item on a shared list."""

    def __init__(self, owner, share, item):
        self.owner, self.share, self.item = owner, share, item
        self.list = share["listId"]
        self.at = f"/shared/{share['token']}/items/{item}/reservation"

    async def reserve(self, who, quantity=1, after=0.0):
        return (await who.ask("PUT", self.at, {"quantity": quantity}, after)).status_code

    async def shown(self, who=None, share=None):
        """Returns the item as seen by ``who``."""
        found = await shown(share or self.share, who or Racer(self.owner.http))
        return next(item for item in found.values() if item["id"] == self.item)

    async def give_back_all(self, givers, statuses):
        """Asserts that exactly those with a 200 have a reservation to end."""
        for who, status in zip(givers, statuses, strict=True):
            given = await who.ask("DELETE", self.at)
            assert given.status_code == (204 if status == 200 else 404)


async def party(http, shop, quantity=10, product=1, **named):
    """Makes a party whose owner is a new session or the named customer."""
    owner = await racer(http, shop, **named)
    share = await shared_list(owner, product, quantity=quantity)
    [item] = (await owner.do("GET", f"/lists/{share['listId']}"))["items"]
    return Party(owner, share, item["id"])


@race
async def test_48_concurrent_reservations_never_exceed_the_quantity_and_are_all_stored(
    http, number, racing, givers
):
    """Of 48 concurrent reservations of 1 or 2 out of 10, the acknowledged ones are stored and never
    exceed 10.
    Rule: reserve-quantity."""
    there = await party(http, racing)
    wanted = [1 + (at + number) % 2 for at in range(GIVERS)]
    reserving = [there.reserve(who, n) for who, n in zip(givers, wanted, strict=True)]
    statuses = await asyncio.gather(*reserving)
    kept = [n * (status == 200) for n, status in zip(wanted, statuses, strict=True)]
    assert set(statuses) == {200, 409}
    assert sum(kept) in (9, 10)  # 1 may remain, too few for those who want 2
    assert (await there.shown())["reserved"] == sum(kept)
    assert [(await there.shown(who))["yours"] for who in givers] == kept


BESIDE = {
    "the item is deleted": ("DELETE", "/items/{item}", None, False),
    "it is deleted with others": ("DELETE", "/items?itemIds={item}", None, False),
    "it leaves its last shared list": ("PUT", "/items/{item}/lists", {"listIds": []}, False),
    "its list is deleted": ("DELETE", "/lists/{list}", None, False),
    "its list is deleted, and it is on another": ("DELETE", "/lists/{list}", None, True),
    "the share is revoked": ("DELETE", "/lists/{list}/shares/{share}", None, True),
    "the quantity is lowered": ("PATCH", "/items/{item}", {"quantity": 2}, True),
}
"""The owner's concurrent change, and whether acknowledged reservations remain after it."""


@pytest.mark.parametrize("case", BESIDE)
@race
async def test_reservations_can_be_ended_after_concurrent_changes_of_the_owner(
    http, racing, givers, case
):
    """Remaining reservations can be ended, even through an ended share; removed ones don't return
    when the item is saved and shared again.
    Rules: reserve-ends, reserve-quantity."""
    method, path, body, kept = BESIDE[case]
    there, few = await party(http, racing, quantity=12), givers[:12]
    owner, on = there.owner, there.list
    other = (await owner.do("POST", "/lists", {"name": "Other"}))["id"]
    if "another" in case:
        await owner.do("PUT", f"/items/{there.item}/lists", {"listIds": [on, other]})
        on = (await new_share(owner, other, reservations=True))["listId"]
    path = path.format(item=there.item, list=there.list, share=there.share["id"])
    reserving = [there.reserve(who) for who in few]
    *statuses, _ = await asyncio.gather(*reserving, owner.do(method, path, body, soon()))
    assert set(statuses) <= {200, 404, 409}
    if not kept:
        statuses, on = [404] * 12, other
        await owner.save(1, listIds=[other])
    share = await new_share(owner, on, reservations=True)
    nobody = Racer(http)
    assert (await shown(share, nobody))[1]["reserved"] == statuses.count(200)
    await there.give_back_all(few, statuses)
    assert (await shown(share, nobody))[1]["reserved"] == 0


@race
async def test_joined_list_ends_its_share_and_keeps_its_reservations(http, racing, givers):
    """The joining list's share ends but its reservations remain, and their holders can end them by
    the item's earlier id.
    Rules: reserve-quantity, reserve-ends."""
    gid, few = racing.gid(), givers[:10]
    theirs, there = await party(http, racing, customer=gid), await party(http, racing)
    signs_in = racer(http, racing, soon(), customer=gid, session=there.owner.gid)
    *statuses, _ = await asyncio.gather(*(there.reserve(who) for who in few), signs_in)
    assert set(statuses) <= {200, 404}
    assert (await theirs.shown())["reserved"] == statuses.count(200)
    await there.give_back_all(few, statuses)
    assert (await theirs.shown())["reserved"] == 0


@race
async def test_holder_who_signs_in_keeps_their_reservations(http, racing):
    """A visitor's reservations on two lists, with six concurrent sign-ins, are added to the
    customer's.
    Rule: reserve-ends."""
    parties = [await party(http, racing, product=product) for product in (1, 2)]
    visitor, gid = await racer(http, racing), racing.gid()
    customer = await racer(http, racing, customer=gid)
    assert await parties[0].reserve(customer, 2) == 200
    named = {"customer": gid, "session": visitor.gid}
    statuses, *_ = await asyncio.gather(
        asyncio.gather(*(one.reserve(visitor, 1, soon()) for one in parties * 4)),
        *(racer(http, racing, soon(), **named) for _ in range(6)),
    )
    assert set(statuses) <= {200, 401}
    for at, one in enumerate(parties):
        item = await one.shown(customer)
        assert item["yours"] == item["reserved"] == 2 * (at == 0) + (200 in statuses[at::2])


@race
async def test_holder_who_becomes_the_owner_keeps_no_reservation(http, number, racing):
    """A holder who becomes the owner, by either sign-in, keeps no reservation.
    Rule: reserve-ends."""
    gid = racing.gid()
    owner = {"customer": gid} if number % 2 else {}
    there = await party(http, racing, **owner)
    holder = await racer(http, racing, **({} if owner else {"customer": gid}))
    session = (holder if owner else there.owner).gid
    *statuses, _ = await asyncio.gather(
        *(there.reserve(holder, 1, soon()) for _ in range(8)),
        racer(http, racing, soon(), customer=gid, session=session),
    )
    assert set(statuses) <= {200, 401, 403}
    assert (await there.shown())["reserved"] == 0


@pytest.mark.slow
def test_purge_removes_no_session_that_reserves_concurrently(new_service):
    """A concurrent reservation is refused, or it and its session remain after the purge.
    Rule: session-purged."""
    terms = {"WISHWELL_EMPTY_SESSION_DAYS": "0", "WISHWELL_PURGE_INTERVAL": "86400"}
    service = new_service(**terms).start()
    shop = Shop(service, *ROOMY)

    async def rounds():
        async with client_of(service) as http:
            for _ in range(3):
                there = await party(http, shop, quantity=100, customer=shop.gid())
                visitors = [await racer(http, shop) for _ in range(24)]
                *statuses, _ = await asyncio.gather(
                    *(there.reserve(who, 1, soon() * 10) for who in visitors),
                    asyncio.to_thread(service.quick, "purge"),
                )
                assert set(statuses) <= {200, 401}
                assert (await there.shown())["reserved"] == statuses.count(200)
                service.quick("purge")
                answers = [await who.ask("GET", "/items") for who in visitors]
                assert statuses_of(answers) == statuses
                assert (await there.shown())["reserved"] == statuses.count(200)

    asyncio.run(rounds())
    service.close()


@pytest.fixture(scope="module")
def narrow(service):
    """A store with small limits per profile."""
    return Shop(service, *ROOMY, "--limit", "items=12", "--limit", "lists=20")


@race
async def test_profiles_that_copy_each_others_lists_never_deadlock(http, narrow):
    """Two profiles that copy each other's lists lock both in the same order, which prevents a
    deadlock.
    Rule: copy-list."""
    one, other = [await racer(http, narrow) for _ in range(2)]
    of_one, of_other = await shared_list(one, 1), await shared_list(other, 2)
    pairs = [(one, of_other), (other, of_one)] * 6
    copies = [who.do("POST", f"/shared/{share['token']}/copies", {}) for who, share in pairs]
    assert [made["itemCount"] for made in await asyncio.gather(*copies)] == [1] * 12
