"""A caller of a kind that nobody thought of has no data: the application, but for who asks."""

import asyncio
from typing import Any

import httpx2
import pytest

from tests.http.test_authorisation import BODIES
from wishwell import config, profiles, stores
from wishwell.access.auth import Caller
from wishwell.db import migrate
from wishwell.http import routes
from wishwell.http.pipeline import Pipeline
from wishwell.profiles import WholeStore, pages, search
from wishwell.run import app
from wishwell.wishes import items, lists
from wishwell.wishes.items import NewItem

MARK = "mark-e1c1b1a7"
GUARDED = [route for route in routes.API if route.caller == "needed"]


class Unthought:
    """Takes every token, as one of a new kind."""

    def __init__(self, store, profile):
        self.known = Caller("unthought", store, "a token", profile)  # type: ignore[arg-type]

    async def caller(self, token):
        return self.known


async def _filled(service):
    """A store, a customer of it, and the ids of an item and a list of theirs."""
    now = service.now()
    await service.db.write(stores.ensure_default, service.new_id(), now)
    store = await service.db.read(stores.by_handle, "default")
    profile, most = (
        profiles.of_customer(store, "gid://shopify/Customer/1"),
        stores.Bounds(*[99] * 4),
    )
    made = await service.db.write(lists.create, profile, MARK, service.new_id(), most, now)
    new = NewItem("77", note=MARK, list_ids=(made.id,))
    item, _ = await service.db.write(items.save, profile, new, service.new_id(), most, now)
    return store, profile, {"{itemId}": item.id, "{listId}": made.id}


async def _records(service, store):
    asked = pages.PageRequest(None, 99, search.Search(()))
    whole = WholeStore(store)
    return [await service.db.read(noun.page, whole, asked) for noun in (items, lists)]


async def _ask_everything(settings, with_profile, headers):
    async with app.opened(settings) as service:
        store, profile, known = await _filled(service)
        service.authenticator = Unthought(store, profile if with_profile else None)  # type: ignore[assignment]
        before, answers = await _records(service, store), {}
        application: Any = Pipeline(service)
        transport = httpx2.ASGITransport(application)
        async with httpx2.AsyncClient(transport=transport, base_url="http://there") as http:
            for route in GUARDED:
                path = route.path
                for name, id in known.items():
                    path = path.replace(name, id)
                for method in route.methods:
                    operation = f"{method} {route.path}"
                    answers[operation] = await http.request(
                        method, routes.PREFIX + path, headers=headers, json=BODIES.get(operation)
                    )
        assert await _records(service, store) == before
        return answers


@pytest.mark.parametrize("header", [{}, {"Profile": "gid://shopify/Customer/1"}], ids=["", "named"])
@pytest.mark.parametrize("with_profile", [False, True])
def test_caller_of_an_unknown_kind_is_refused_everywhere(
    tmp_path, monkeypatch, with_profile, header
):
    """contract: token-scope. 403, nothing of a record in the answer, and no record changed."""
    monkeypatch.setattr("wishwell.log._requests_shown", False)  # as at the level `warning`
    path = str(tmp_path / "wishwell.db")
    migrate.migrate_sqlite(path)
    settings = config.load({"WISHWELL_DATABASE_URL": f"sqlite:///{path}"})
    headers = {"Authorization": "Bearer anything", **header}
    answers = asyncio.run(_ask_everything(settings, with_profile, headers))
    assert len(answers) >= 15
    assert {answer.status_code for answer in answers.values()} == {403}, answers
    assert not any(MARK in answer.text for answer in answers.values())
