"""Races, against the running program, on both engines: many at once, three times; slowly, fifty.

Each round has profiles of its own, so that rounds don't help each other; the store's limits are out
of the way.
"""

import asyncio
import inspect
import secrets
from typing import Any

import httpx2
import pytest

from tests.conftest import Shop

GENEROUS = [
    word
    for kind in ("profile_read", "profile_write", "profile_token", "admin_read", "admin_write", "admin_token")
    for word in ("--limit", f"{kind}=1000000")
]  # fmt: skip


@pytest.fixture(scope="module")
def racing(service):
    return Shop(service, *GENEROUS)


@pytest.fixture(params=[3, pytest.param(50, marks=pytest.mark.slow)])
def rounds(request) -> int:
    return request.param


FEW = pytest.mark.parametrize("rounds", [2, pytest.param(12, marks=pytest.mark.slow)])


def run(service, rounds, round_):
    """Runs the rounds, each given an asynchronous client of the API and its number."""

    async def main():
        limits = httpx2.Limits(max_connections=64, max_keepalive_connections=64)
        base = service.url + "/api/2025-04"
        async with httpx2.AsyncClient(base_url=base, limits=limits, timeout=30) as http:
            for number in range(rounds):
                await round_(http=http, number=number)

    asyncio.run(main())


def race(round_):
    """Makes a test of a round, which is run as often as the fixture ``rounds`` says."""
    takes = inspect.signature(round_).parameters
    fixtures = dict.fromkeys(["service", "rounds", *takes])
    del fixtures["http"]
    fixtures.pop("number", None)

    def test(**given):
        async def once(**of_round):
            await round_(**{name: (given | of_round)[name] for name in takes})

        run(given["service"], given["rounds"], once)

    made: Any = test
    made.__name__, made.__doc__ = round_.__name__, round_.__doc__
    kind = inspect.Parameter.KEYWORD_ONLY
    made.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in fixtures])
    return made


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


async def token_of(http, shop, **body):
    answer = await http.post("/profiles/token", json=body, headers=bearer(shop.admin_token))
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


async def everything(http, token):
    """All items of a profile, walked."""
    found, page = [], None
    while True:
        parameters = {"limit": 250} | ({"page": page} if page else {})
        body = (await http.get("/items", params=parameters, headers=bearer(token))).json()
        found += body["data"]
        page = body.get("pageInfo", {}).get("next")
        if page is None:
            return found


@race
async def test_equal_saves_at_once_make_one_item(http, racing):
    """contract: save-once. 48 at once: one 201, the rest 200, all with the same id; one item."""
    mine = await token_of(http, racing, customer=racing.gid())
    answers = await asyncio.gather(
        *(
            http.post("/items", json={"productId": 7}, headers=bearer(mine["token"]))
            for _ in range(48)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 47 + [201]
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1
    assert len(await everything(http, mine["token"])) == 1


@race
async def test_links_of_one_session_while_it_still_saves_lose_nothing(http, racing):
    """contract: link-races. Six links at once beside saves: what was answered 2xx is the
    customer's, once, afterwards."""
    visitor = await token_of(http, racing)
    gid = racing.gid()
    body = {"customer": gid, "session": visitor["profile"]}

    async def save(product):
        answer = await http.post(
            "/items", json={"productId": product}, headers=bearer(visitor["token"])
        )
        return product, answer.status_code

    async def link(after):
        await asyncio.sleep(after)
        answer = await http.post("/profiles/token", json=body, headers=bearer(racing.admin_token))
        assert answer.status_code == 201, answer.text

    links = [link(secrets.randbelow(8) / 1000) for _ in range(6)]
    saved, *_ = await asyncio.gather(
        asyncio.gather(*(save(product) for product in range(1, 13))), *links
    )
    assert {status for _, status in saved} <= {201, 401}
    customer = await token_of(http, racing, customer=gid)
    there = [item["productId"] for item in await everything(http, customer["token"])]
    assert sorted(there) == sorted(product for product, status in saved if status == 201)


@race
async def test_one_session_linked_to_two_customers_goes_to_one(http, racing):
    """contract: link-races. Both succeed; the records are one customer's alone."""
    visitor = await token_of(http, racing)
    for product in (1, 2, 3):
        await http.post("/items", json={"productId": product}, headers=bearer(visitor["token"]))
    gids = [racing.gid(), racing.gid()]
    tokens = await asyncio.gather(
        *(
            token_of(http, racing, customer=gids[at % 2], session=visitor["profile"])
            for at in range(10)
        )
    )
    counts = [len(await everything(http, token["token"])) for token in tokens[:2]]
    assert sorted(counts) == [0, 3]


@race
async def test_two_sessions_linked_into_one_customer_at_once_merge_both(http, racing):
    """contract: link-races. Equal and different items of two visitors, at once: the union, the
    larger quantity."""
    gid = racing.gid()
    visitors = [await token_of(http, racing) for _ in range(2)]
    for at, visitor in enumerate(visitors):
        for product in (1, 2 + at):
            body = {"productId": product, "quantity": 1 + at, "tags": [f"t{at}"]}
            await http.post("/items", json=body, headers=bearer(visitor["token"]))
        await http.post("/lists", json={"name": "Same"}, headers=bearer(visitor["token"]))
    tokens = await asyncio.gather(
        *(token_of(http, racing, customer=gid, session=v["profile"]) for v in visitors)
    )
    found = {item["productId"]: item for item in await everything(http, tokens[0]["token"])}
    assert sorted(found) == [1, 2, 3]
    assert found[1]["quantity"] == 2
    assert sorted(found[1]["tags"]) == ["t0", "t1"]
    lists = (await http.get("/lists", headers=bearer(tokens[0]["token"]))).json()["data"]
    assert [record["name"] for record in lists] == ["Same"]


@FEW
@race
async def test_saves_at_the_limit_never_pass_it(http, service):
    """contract: limit-exact. 30 different saves at once into a profile that holds 10: exactly 10,
    the rest 400."""
    shop = Shop(service, *GENEROUS, "--limit", "items=10")
    mine = await token_of(http, shop, customer=shop.gid())
    answers = await asyncio.gather(
        *(
            http.post("/items", json={"productId": n + 1}, headers=bearer(mine["token"]))
            for n in range(30)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [201] * 10 + [400] * 20
    assert len(await everything(http, mine["token"])) == 10


@FEW
@pytest.mark.parametrize("bound", ["list_items", "entries"])
@race
async def test_items_put_on_a_list_at_the_bound_never_pass_it(http, service, bound):
    """contract: limit-exact, list-item-limit. 30 at once, by saves and by set-lists, where 10 may
    be: exactly 10, the rest 400."""
    shop = Shop(service, *GENEROUS, "--limit", f"{bound}=10")
    mine = await token_of(http, shop, customer=shop.gid())
    own = bearer(mine["token"])
    made = (await http.post("/lists", json={"name": "x"}, headers=own)).json()["data"]["id"]
    there = [
        (await http.post("/items", json={"productId": n + 1}, headers=own)).json()["data"]["id"]
        for n in range(15)
    ]
    on = {"listIds": [made]}
    answers = await asyncio.gather(
        *(http.put(f"/items/{id}/lists", json=on, headers=own) for id in there),
        *(http.post("/items", json={"productId": n + 101} | on, headers=own) for n in range(15)),
    )
    refused = [answer for answer in answers if answer.status_code == 400]
    assert len(refused) == 20
    assert all(answer.is_success for answer in answers if answer not in refused)
    listed = (await http.get(f"/lists/{made}", headers=own)).json()["data"]
    assert listed["itemCount"] == 10
