"""Races of reservations, against the running program: each row of the table in the contract.

contract: reserve-at-once. A round begins anew, with an owner, an item on a shared list, and others.
"""

import asyncio
import secrets

import pytest

from tests.conftest import Shop
from tests.service.test_races import GENEROUS, bearer, race, token_of

GIVERS = 48


@pytest.fixture(scope="module")
def racing(service):
    return Shop(service, *GENEROUS)


@pytest.fixture(scope="module")
def givers(racing):
    """The tokens of many visitors."""
    return [racing.session().token for _ in range(GIVERS)]


@pytest.fixture(params=[2, pytest.param(25, marks=pytest.mark.slow)])
def rounds(request) -> int:
    return request.param


def soon():
    """Within the time that the others take."""
    return secrets.randbelow(12) / 1000


class Party:
    """An owner with an item on a shared list; ``http`` is the API."""

    def __init__(self, http, shop):
        self.http, self.shop = http, shop
        self.token = self.gid = self.list = self.item = ""
        self.share: dict = {}

    async def begin(self, quantity=10, product=1, **named):
        """The owner is a new session, or the customer that is named."""
        mine = await token_of(self.http, self.shop, **named)
        self.token, self.gid = mine["token"], mine["profile"]
        self.list = await self.new_list("List")
        body = {"productId": product, "quantity": quantity, "listIds": [self.list]}
        self.item = (await self.own("POST", "/items", body)).json()["data"]["id"]
        self.share = await self.new_share(self.list)
        return self

    async def own(self, method, path, body=None):
        answer = await self.http.request(method, path, json=body, headers=bearer(self.token))
        assert answer.is_success, answer.text
        return answer

    async def new_list(self, name):
        return (await self.own("POST", "/lists", {"name": name})).json()["data"]["id"]

    async def new_share(self, list_id):
        body = {"reservations": True}
        made = await self.own("POST", f"/lists/{list_id}/shares", body)
        return made.json()["data"]

    async def reserve(self, token, quantity=1, after=0.0):
        """Someone reserves; the status."""
        await asyncio.sleep(after)
        path = f"/shared/{self.share['token']}/items/{self.item}/reservation"
        answer = await self.http.put(path, json={"quantity": quantity}, headers=bearer(token))
        return answer.status_code

    async def give_back(self, token):
        path = f"/shared/{self.share['token']}/items/{self.item}/reservation"
        return (await self.http.delete(path, headers=bearer(token))).status_code

    async def shown(self, token=None, share=None):
        """The items of the shared list by product, as somebody sees them."""
        headers = bearer(token) if token else {}
        share = share or self.share
        answer = await self.http.get(f"/shared/{share['token']}", headers=headers)
        assert answer.status_code == 200, answer.text
        return {item["productId"]: item for item in answer.json()["data"]["items"]}

    async def reserve_beside(self, givers, method, path, body=None):
        """All reserve while the owner asks for something else; the statuses."""

        async def ask():
            await asyncio.sleep(soon())
            await self.own(method, path, body)

        reserving = asyncio.gather(*(self.reserve(token) for token in givers))
        return (await asyncio.gather(reserving, ask()))[0]

    async def give_back_all(self, givers, statuses):
        """Who got 200 may give it back, and nobody else."""
        for token, status in zip(givers, statuses, strict=True):
            assert await self.give_back(token) == (204 if status == 200 else 404)

    async def link(self, session, customer):
        await asyncio.sleep(soon())
        return await token_of(self.http, self.shop, customer=customer, session=session)


def test_48_at_once_never_pass_the_quantity_and_none_is_lost(racing, givers, rounds):
    """contract: reserve-quantity. Of 10, each wants 1, or 2: what was answered 200 is there."""

    async def round_(http, number):
        party = await Party(http, racing).begin()
        wanted = [1 + (at + number) % 2 for at in range(GIVERS)]
        statuses = await asyncio.gather(
            *(party.reserve(token, n) for token, n in zip(givers, wanted, strict=True))
        )
        kept = [n * (status == 200) for n, status in zip(wanted, statuses, strict=True)]
        assert set(statuses) == {200, 409}
        assert sum(kept) in (9, 10)  # who wants 2 may find 1 left
        assert (await party.shown())[1]["reserved"] == sum(kept)
        assert [(await party.shown(token))[1]["yours"] for token in givers] == kept

    race(racing, (rounds, round_))


def test_one_that_reserves_many_times_at_once_has_one_reservation(racing, givers, rounds):
    """contract: reserve-put, reserve-delete. Puts and deletes of one visitor: the last counts."""

    async def round_(http, number):
        party = await Party(http, racing).begin()
        statuses = await asyncio.gather(
            *(party.reserve(givers[0], 1 + at % 10) for at in range(16)),
            *(party.give_back(givers[0]) for _ in range(8)),
        )
        assert set(statuses) <= {200, 204, 404}
        shown = (await party.shown(givers[0]))[1]
        assert shown["reserved"] == shown["yours"] <= 10
        assert await party.give_back(givers[0]) == (204 if shown["yours"] else 404)

    race(racing, (rounds, round_))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/items/{item}", None),
        ("DELETE", "/items?itemIds={item}", None),
        ("PUT", "/items/{item}/lists", {"listIds": []}),
        ("DELETE", "/lists/{list}", None),
    ],
)
def test_item_that_goes_takes_its_reservations_along(racing, givers, rounds, method, path, body):
    """contract: reserve-ends. Deleted, alone or with others, taken off its last shared list, or left
    without it: saved and shared again, nothing of it is reserved."""

    async def round_(http, number):
        party = await Party(http, racing).begin()
        gone = path.format(item=party.item, list=party.list)
        statuses = await party.reserve_beside(givers[:12], method, gone, body)
        assert set(statuses) <= {200, 404, 409}
        assert {await party.give_back(token) for token in givers[:12]} == {404}
        other = await party.new_list("Other")
        await party.own("POST", "/items", {"productId": 1, "listIds": [other]})
        share = await party.new_share(other)
        assert (await party.shown(share=share))[1]["reserved"] == 0

    race(racing, (rounds, round_))


def test_share_that_is_revoked_keeps_what_it_took(racing, givers, rounds):
    """contract: reserve-ends, reserve-delete. Who got 200 is counted in the next share, and may give
    it back through the link that has ended."""

    async def round_(http, number):
        party = await Party(http, racing).begin()
        path = f"/lists/{party.list}/shares/{party.share['id']}"
        statuses = await party.reserve_beside(givers[:10], "DELETE", path)
        assert set(statuses) <= {200, 404}
        share = await party.new_share(party.list)
        assert (await party.shown(share=share))[1]["reserved"] == statuses.count(200)
        await party.give_back_all(givers[:10], statuses)
        assert (await party.shown(share=share))[1]["reserved"] == 0

    race(racing, (rounds, round_))


def test_quantity_that_is_lowered_drops_none(racing, givers, rounds):
    """contract: reserve-kept. What was answered 200 is there; then no more, until enough are gone."""

    async def round_(http, number):
        party = await Party(http, racing).begin(quantity=12)
        lower = "PATCH", f"/items/{party.item}", {"quantity": 2}
        statuses = await party.reserve_beside(givers[:12], *lower)
        assert set(statuses) <= {200, 409}
        kept = [token for token, status in zip(givers, statuses, strict=False) if status == 200]
        assert (await party.shown())[1]["reserved"] == len(kept)
        if len(kept) >= 2:
            assert await party.reserve(givers[-1]) == 409
            assert await party.reserve(kept[0]) == 200  # as it has already
            for token in kept[1:]:
                assert await party.give_back(token) == 204
            assert await party.reserve(givers[-1]) == 200

    race(racing, (rounds, round_))


@pytest.mark.parametrize("same", [False, True])
def test_owner_who_signs_in_keeps_what_is_reserved(racing, givers, rounds, same):
    """contract: reserve-sign-in. The list moves to the customer; ``same``: who has the product too,
    with a reservation by the same visitor, and both add up."""

    async def round_(http, number):
        gid = racing.gid()
        theirs = Party(http, racing)
        if same:
            await theirs.begin(customer=gid, quantity=3)
            await theirs.own("PATCH", f"/lists/{theirs.list}", {"name": "Another"})
            assert await theirs.reserve(givers[0], 3) == 200
        party = await Party(http, racing).begin()
        statuses, mine = await asyncio.gather(
            asyncio.gather(*(party.reserve(token) for token in givers[:10])),
            party.link(party.gid, gid),
        )
        assert set(statuses) <= ({200, 404} if same else {200})  # a merged item has the other's id
        shown = (await party.shown(givers[0]))[1]
        assert shown["yours"] == 3 * same + (statuses[0] == 200)
        assert shown["reserved"] == 3 * same + statuses.count(200)
        party.token = mine["token"]
        whole = (await party.own("GET", f"/lists/{party.list}")).json()["data"]["items"]
        assert [item["quantity"] for item in whole] == [10]

    race(racing, (rounds, round_))


def test_owner_whose_list_joins_another_ends_the_share_and_keeps_what_is_reserved(
    racing, givers, rounds
):
    """contract: reserve-kept, reserve-sign-in, reserve-delete. The link ends with the share; its
    holders may give back, by the id that the item had."""

    async def round_(http, number):
        gid = racing.gid()
        theirs = await Party(http, racing).begin(customer=gid)
        party = await Party(http, racing).begin()
        statuses, _ = await asyncio.gather(
            asyncio.gather(*(party.reserve(token) for token in givers[:10])),
            party.link(party.gid, gid),
        )
        assert set(statuses) <= {200, 404}
        assert (await theirs.shown())[1]["reserved"] == statuses.count(200)
        await party.give_back_all(givers[:10], statuses)
        assert (await theirs.shown())[1]["reserved"] == 0

    race(racing, (rounds, round_))


def test_holder_who_signs_in_keeps_what_they_reserved(racing, rounds):
    """contract: reserve-sign-in. A visitor who reserves on two lists while they sign in, from six
    places: what was answered 200 is the customer's, added to what they have."""

    async def round_(http, number):
        parties = [await Party(http, racing).begin(product=product) for product in (1, 2)]
        visitor = await token_of(http, racing)
        gid = racing.gid()
        customer = (await token_of(http, racing, customer=gid))["token"]
        assert await parties[0].reserve(customer, 2) == 200
        statuses, *_ = await asyncio.gather(
            asyncio.gather(*(p.reserve(visitor["token"], 1, soon()) for p in parties * 4)),
            *(parties[0].link(visitor["profile"], gid) for _ in range(6)),
        )
        assert set(statuses) <= {200, 401}
        for at, party in enumerate(parties):
            shown = (await party.shown(customer))[at + 1]
            assert shown["yours"] == shown["reserved"] == 2 * (at == 0) + (200 in statuses[at::2])

    race(racing, (rounds, round_))


def test_holder_who_becomes_the_owner_has_nothing_reserved(racing, rounds):
    """contract: reserve-sign-in. Somebody looks at their own list as a visitor, reserves, and signs
    in: none of it is left. So, too, when the owner was the visitor."""

    async def round_(http, number):
        gid = racing.gid()
        owner = {"customer": gid} if number % 2 else {}
        party = await Party(http, racing).begin(**owner)
        other = await token_of(http, racing, **({} if owner else {"customer": gid}))
        session = other["profile"] if owner else party.gid
        statuses, _ = await asyncio.gather(
            asyncio.gather(*(party.reserve(other["token"], 1, soon()) for _ in range(8))),
            party.link(session, gid),
        )
        assert set(statuses) <= {200, 401, 403}
        assert (await party.shown())[1]["reserved"] == 0

    race(racing, (rounds, round_))


def test_purge_takes_no_session_that_reserves(new_service):
    """contract: reserve-purge. Visitors without records reserve while a purge runs that is due for
    them: either it is refused, or reservation and session are there."""
    terms = {"WISHWELL_EMPTY_SESSION_DAYS": "0", "WISHWELL_PURGE_INTERVAL": "86400"}
    with new_service(**terms).start() as service:
        shop = Shop(service, *GENEROUS)

        async def round_(http, number):
            party = await Party(http, shop).begin(quantity=100, customer=shop.gid())
            visitors = [(await token_of(http, shop))["token"] for _ in range(24)]
            statuses, _ = await asyncio.gather(
                asyncio.gather(*(party.reserve(token, 1, soon() * 10) for token in visitors)),
                asyncio.to_thread(service.quick, "purge"),
            )
            assert set(statuses) <= {200, 401}
            assert (await party.shown())[1]["reserved"] == statuses.count(200)
            service.quick("purge")
            for token, status in zip(visitors, statuses, strict=True):
                answer = await http.get("/items", headers=bearer(token))
                assert answer.status_code == status
            assert (await party.shown())[1]["reserved"] == statuses.count(200)

        race(shop, (3, round_))
