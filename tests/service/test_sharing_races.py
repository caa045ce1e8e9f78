"""Races of shares, copies and reservations, against the running program, on both engines.

contract: reserve-at-once. Each row of its table. A round begins anew, with an owner, an item on a shared
list, and others.
"""

import asyncio
import secrets

import pytest

from tests.conftest import Shop
from tests.service.test_races import GENEROUS, bearer, race, run, token_of

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


@race
async def test_48_at_once_never_pass_the_quantity_and_none_is_lost(http, number, racing, givers):
    """contract: reserve-quantity. Of 10, each wants 1, or 2: what was answered 200 is there."""
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


BESIDE = {
    "the item is deleted": ("DELETE", "/items/{item}", None, False),
    "it is deleted with others": ("DELETE", "/items?itemIds={item}", None, False),
    "it leaves its last shared list": ("PUT", "/items/{item}/lists", {"listIds": []}, False),
    "its list is deleted": ("DELETE", "/lists/{list}", None, False),
    "its list is deleted, and it is on another": ("DELETE", "/lists/{list}", None, True),
    "the share is revoked": ("DELETE", "/lists/{list}/shares/{share}", None, True),
    "the quantity is lowered": ("PATCH", "/items/{item}", {"quantity": 2}, True),
}
"""What the owner does, and whether what was answered 200 is there afterwards."""


@pytest.mark.parametrize("case", BESIDE)
@race
async def test_owner_changes_an_item_while_others_reserve_it(http, racing, givers, case):
    """contract: reserve-ends, reserve-kept, reserve-delete. What is kept may be given back, also by a
    link that has ended; what is gone does not come back when the item is saved and shared again."""
    method, path, body, kept = BESIDE[case]
    party = await Party(http, racing).begin(quantity=12)
    on, other = party.list, await party.new_list("Other")
    if "another" in case:
        on = other
        await party.own("PUT", f"/items/{party.item}/lists", {"listIds": [party.list, other]})
        await party.new_share(other)
    named = {"item": party.item, "list": party.list, "share": party.share["id"]}
    changed = method, path.format(**named), body
    statuses = await party.reserve_beside(givers[:12], *changed)
    assert set(statuses) <= {200, 404, 409}
    if not kept:
        statuses, on = [404] * 12, other
        await party.own("POST", "/items", {"productId": 1, "listIds": [other]})
    share = await party.new_share(on)
    assert (await party.shown(share=share))[1]["reserved"] == statuses.count(200)
    await party.give_back_all(givers[:12], statuses)
    assert (await party.shown(share=share))[1]["reserved"] == 0


@pytest.mark.parametrize("same", [False, True])
@race
async def test_owner_who_signs_in_keeps_what_is_reserved(http, racing, givers, same):
    """contract: reserve-sign-in. The list moves to the customer; ``same``: who has the product too,
    with a reservation by the same visitor, and both add up."""
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


@race
async def test_owner_whose_list_joins_another_ends_the_share_and_keeps_what_is_reserved(
    http, racing, givers
):
    """contract: reserve-kept, reserve-sign-in, reserve-delete. The link ends with the share; its
    holders may give back, by the id that the item had."""
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


@race
async def test_holder_who_signs_in_keeps_what_they_reserved(http, racing):
    """contract: reserve-sign-in. A visitor who reserves on two lists while they sign in, from six
    places: what was answered 200 is the customer's, added to what they have."""
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


@race
async def test_holder_who_becomes_the_owner_has_nothing_reserved(http, number, racing):
    """contract: reserve-sign-in. Somebody looks at their own list as a visitor, reserves, and signs
    in: none of it is left. So, too, when the owner was the visitor."""
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

        run(service, 3, round_)


@pytest.fixture(scope="module")
def narrow(service):
    """A store in which a profile may hold little."""
    return Shop(service, *GENEROUS, "--limit", "items=12", "--limit", "lists=20")


async def asked(http, token, method, path, body=None, status=(200, 201, 204)):
    """The record of an answer of one of these statuses; None where it has none."""
    answer = await http.request(method, path, json=body, headers=bearer(token) if token else {})
    assert answer.status_code in status, f"{method} {path}: {answer.text}"
    return answer.json().get("data") if answer.content else None


async def shared_list(http, token, products, name="Birthday"):
    """The id of a new list with these products, and the token of a share of it."""
    made = await asked(http, token, "POST", "/lists", {"name": name})
    for product in products:
        body = {"productId": product, "listIds": [made["id"]]}
        await asked(http, token, "POST", "/items", body)
    share = await asked(http, token, "POST", f"/lists/{made['id']}/shares", {})
    return made["id"], share["token"]


@race
async def test_shares_at_once_never_pass_the_most(http, narrow):
    """contract: share-most. Thirty at once: twenty are made."""
    mine = await token_of(http, narrow, customer=narrow.gid())
    made = await asked(http, mine["token"], "POST", "/lists", {"name": "x"})
    path = f"/lists/{made['id']}/shares"
    answers = await asyncio.gather(
        *(http.post(path, json={}, headers=bearer(mine["token"])) for _ in range(30))
    )
    assert sorted(answer.status_code for answer in answers) == [201] * 20 + [400] * 10
    assert len(await asked(http, mine["token"], "GET", path)) == 20


@race
async def test_copies_at_once_double_nothing_and_pass_no_bound(http, narrow):
    """contract: copy-once, copy-limits. Of two lists, 16 at once: what fits, whole or not at all."""
    owner = await token_of(http, narrow, customer=narrow.gid())
    tokens = [
        (await shared_list(http, owner["token"], products))[1]
        for products in (range(1, 9), range(5, 13))
    ]
    mine = (await token_of(http, narrow))["token"]
    await asyncio.gather(
        *(asked(http, mine, "POST", "/items", {"productId": n}) for n in (99, 98, 1))
    )
    copies = [
        asked(http, mine, "POST", f"/shared/{tokens[n % 2]}/copies", {}, (201, 400))
        for n in range(16)
    ]
    made = [one for one in await asyncio.gather(*copies) if one]
    found = await asked(http, mine, "GET", "/items?limit=250")
    assert len({item["productId"] for item in found}) == len(found) <= 12
    assert [one["itemCount"] for one in made] == [8] * len(made)
    assert len(made) >= 8
    assert len(await asked(http, mine, "GET", "/lists")) == len(made)
    for one in made:
        whole = await asked(http, mine, "GET", f"/lists/{one['id']}?sort=customer")
        products = [item["productId"] for item in whole["items"]]
        assert products in ([*range(8, 0, -1)], [*range(12, 4, -1)])


@race
async def test_copies_and_views_while_the_owner_signs_in(http, narrow):
    """contract: share-link, copy-list. A list that moves is always there; one that joins is whole or
    gone."""
    visitor, gid = await token_of(http, narrow), narrow.gid()
    customer = await token_of(http, narrow, customer=gid)
    await shared_list(http, customer["token"], [50], "Joins")
    _, moves = await shared_list(http, visitor["token"], [1, 2], "Moves")
    _, joins = await shared_list(http, visitor["token"], [1, 3], "Joins")
    others = [(await token_of(http, narrow))["token"] for _ in range(6)]

    async def look(token, statuses):
        for _ in range(4):
            found = await asked(http, None, "GET", f"/shared/{token}", status=statuses)
            assert found is None or len(found["items"]) == 2

    async def copy(mine, token, statuses):
        made = await asked(http, mine, "POST", f"/shared/{token}/copies", {}, statuses)
        assert made is None or made["itemCount"] == 2

    body = {"customer": gid, "session": visitor["profile"]}
    await asyncio.gather(
        asked(http, narrow.admin_token, "POST", "/profiles/token", body),
        *(look(moves, (200,)) for _ in range(2)),
        *(look(joins, (200, 404)) for _ in range(2)),
        *(copy(mine, moves, (201,)) for mine in others[:3]),
        *(copy(mine, joins, (201, 404)) for mine in others[3:]),
    )
    await look(moves, (200,))
    await asked(http, None, "GET", f"/shared/{joins}", status=(404,))


@race
async def test_two_who_copy_each_others_lists(http, narrow):
    """contract: copy-list. Both locked, in one order: neither waits for ever."""
    owners = [(await token_of(http, narrow))["token"] for _ in range(2)]
    tokens = [(await shared_list(http, mine, [n]))[1] for n, mine in enumerate(owners, 1)]
    copies = [
        asked(http, owners[n % 2], "POST", f"/shared/{tokens[1 - n % 2]}/copies", {})
        for n in range(12)
    ]
    assert [one["itemCount"] for one in await asyncio.gather(*copies)] == [1] * 12
