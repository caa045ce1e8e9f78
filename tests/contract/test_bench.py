"""What the benchmark stands on: the service's statements, with arguments of its own."""

import asyncio
import json
import os

import httpx2
import pytest

from bench import beside, pgbench, quick, seed
from bench.targets import start, stop, write_owners
from tests.conftest import SIGNING_KEY
from tests.servers import Service

pytestmark = pytest.mark.slow
WORKS = ("page", "saved", "item", "list", "post", "patch", "lists", "delete")


@pytest.fixture
def filled(engine, request):
    """A database with 20 profiles: its URL, and the profiles' owners."""
    if os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("the benchmark asks one PostgreSQL")
    url = "sqlite:///wishwell.db"
    if engine == "postgresql":
        url = request.getfixturevalue("postgres_server").create_database()
    service = Service({"WISHWELL_DATABASE_URL": url, "WISHWELL_SIGNING_KEYS": SIGNING_KEY})
    service.cli("migrate")
    [store] = json.loads(service.quick("store", "create", "bench", "--json"))
    rows, owners = seed.plan(store["id"], 20)
    if engine == "postgresql":
        asyncio.run(seed.postgres(url, rows))
    else:
        url = url.replace("///", f"///{service.folder}/")
        seed.sqlite(url, rows)
    yield url, owners
    service.close()


def test_floor_does_each_of_its_works(filled, engine, tmp_path):
    url, (owner, *_) = filled
    floor = start(f"floor {engine}", "floor", tmp_path, tmp_path, {"FLOOR_DATABASE": url})
    of = {"x-p": owner.profile, "x-i": owner.item, "x-l": owner.list, "x-q": "1", "x-n": "2"}
    with httpx2.Client(base_url=floor.url) as http:
        for work in WORKS:
            verb = "POST" if work in ("post", "patch", "lists") else "GET"
            answer = http.request(verb, "/items", headers=of | {"x-w": work})
            assert answer.status_code in (200, 204), work
    stop(floor)


def test_pgbench_takes_each_of_its_statements(filled, engine, postgres_server, tmp_path):
    if engine == "sqlite":
        pytest.skip("pgbench asks PostgreSQL")
    url, owners = filled
    limit = pgbench.Limit(postgres_server, url, write_owners(tmp_path / "owners", owners))
    for work in pgbench.SCRIPTS:
        assert limit.run(work, 1)["rate"] > 0, work


def test_two_programs_answer_each_load_in_turns(engine, monkeypatch, tmp_path):
    """This one beside itself: how they compare is not the matter here."""
    if os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("the benchmark starts a PostgreSQL")
    monkeypatch.chdir(tmp_path)
    here = beside.Source(beside.HERE)
    with beside.programs([here, here], 8, [engine], events=False) as running:
        for work in quick.WORKS:
            found = quick.shares(running[engine, 0], running[engine, 1], work, 0)
            assert min(found) > 0, work
