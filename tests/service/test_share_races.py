"""Races of shares and copies, against the running program, on both engines."""

import asyncio

import pytest

from tests.conftest import Shop
from tests.service.test_races import GENEROUS, bearer, race, token_of

LIMITS = [*GENEROUS, "--limit", "items=12", "--limit", "lists=20"]


@pytest.fixture(scope="module")
def racing(service):
    return Shop(service, *LIMITS)


@pytest.fixture(params=[3, pytest.param(25, marks=pytest.mark.slow)])
def rounds(request) -> int:
    return request.param


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


def test_shares_at_once_never_pass_the_most(racing, rounds):
    """contract: share-most. Thirty at once: twenty are made."""

    async def round_(http, number):
        mine = await token_of(http, racing, customer=racing.gid())
        made = await asked(http, mine["token"], "POST", "/lists", {"name": "x"})
        path = f"/lists/{made['id']}/shares"
        answers = await asyncio.gather(
            *(http.post(path, json={}, headers=bearer(mine["token"])) for _ in range(30))
        )
        assert sorted(answer.status_code for answer in answers) == [201] * 20 + [400] * 10
        assert len(await asked(http, mine["token"], "GET", path)) == 20

    race(racing, (rounds, round_))


def test_share_of_a_list_that_is_deleted_at_the_same_moment(racing, rounds):
    """contract: share-list-deleted. Its token leads nowhere, whichever came first."""

    async def round_(http, number):
        mine = await token_of(http, racing, customer=racing.gid())
        token = mine["token"]
        made = [await asked(http, token, "POST", "/lists", {"name": "x"}) for _ in range(8)]
        shares = [
            asked(http, token, "POST", f"/lists/{one['id']}/shares", {}, (201, 404)) for one in made
        ]
        ends = [asked(http, token, "DELETE", f"/lists/{one['id']}") for one in made]
        done = await asyncio.gather(*shares, *ends)
        for share in done[:8]:
            if share is not None:
                await asked(http, None, "GET", f"/shared/{share['token']}", status=(404,))

    race(racing, (rounds, round_))


def test_copies_at_once_double_nothing_and_pass_no_bound(racing, rounds):
    """contract: copy-once, copy-limits. Of two lists, 16 at once: what fits, whole or not at all."""

    async def round_(http, number):
        owner = await token_of(http, racing, customer=racing.gid())
        tokens = [
            (await shared_list(http, owner["token"], products))[1]
            for products in (range(1, 9), range(5, 13))
        ]
        mine = (await token_of(http, racing))["token"]
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

    race(racing, (rounds, round_))


def test_copies_and_views_while_the_owner_signs_in(racing, rounds):
    """contract: share-link, copy-list. A list that moves is always there; one that joins is whole or
    gone."""

    async def round_(http, number):
        visitor, gid = await token_of(http, racing), racing.gid()
        customer = await token_of(http, racing, customer=gid)
        await shared_list(http, customer["token"], [50], "Joins")
        _, moves = await shared_list(http, visitor["token"], [1, 2], "Moves")
        _, joins = await shared_list(http, visitor["token"], [1, 3], "Joins")
        others = [(await token_of(http, racing))["token"] for _ in range(6)]

        async def look(token, statuses):
            for _ in range(4):
                found = await asked(http, None, "GET", f"/shared/{token}", status=statuses)
                assert found is None or len(found["items"]) == 2

        async def copy(mine, token, statuses):
            made = await asked(http, mine, "POST", f"/shared/{token}/copies", {}, statuses)
            assert made is None or made["itemCount"] == 2

        body = {"customer": gid, "session": visitor["profile"]}
        await asyncio.gather(
            asked(http, racing.admin_token, "POST", "/profiles/token", body),
            *(look(moves, (200,)) for _ in range(2)),
            *(look(joins, (200, 404)) for _ in range(2)),
            *(copy(mine, moves, (201,)) for mine in others[:3]),
            *(copy(mine, joins, (201, 404)) for mine in others[3:]),
        )
        await look(moves, (200,))
        await asked(http, None, "GET", f"/shared/{joins}", status=(404,))

    race(racing, (rounds, round_))


def test_two_who_copy_each_others_lists(racing, rounds):
    """contract: copy-list. Both locked, in one order: neither waits for ever."""

    async def round_(http, number):
        owners = [(await token_of(http, racing))["token"] for _ in range(2)]
        tokens = [(await shared_list(http, mine, [n]))[1] for n, mine in enumerate(owners, 1)]
        copies = [
            asked(http, owners[n % 2], "POST", f"/shared/{tokens[1 - n % 2]}/copies", {})
            for n in range(12)
        ]
        assert [one["itemCount"] for one in await asyncio.gather(*copies)] == [1] * 12

    race(racing, (rounds, round_))
