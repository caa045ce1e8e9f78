"""What the benchmark stands on: the service's statements, with arguments of its own."""

import os

import httpx2
import pytest

from bench import beside, pgbench, seed
from bench.targets import ENGINES, OURS, Bare, Shop, write_owners

pytestmark = pytest.mark.slow
WORKS = ("page", "saved", "item", "list", "post", "patch", "lists", "delete")


@pytest.fixture
def filled(engine, request):
    """A shop with 20 profiles, and the profiles' owners."""
    if os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("the benchmark asks one PostgreSQL")
    server = request.getfixturevalue("postgres_server") if engine == "postgresql" else None
    shop = Shop(ENGINES[engine], server)
    rows, owners = seed.plan(shop.store, 20)
    shop.insert(rows)
    yield shop, owners
    shop.close()


def test_floor_does_each_of_its_works(filled):
    shop, (owner, *_) = filled
    floor = Bare("floor", shop)
    of = {"x-p": owner.profile, "x-i": owner.item, "x-l": owner.list, "x-q": "1", "x-n": "2"}
    with httpx2.Client(base_url=floor.url) as http:
        for work in WORKS:
            verb = "POST" if work in ("post", "patch", "lists") else "GET"
            answer = http.request(verb, "/items", headers=of | {"x-w": work})
            assert answer.status_code in (200, 204), work
    floor.stop()


def test_pgbench_takes_each_of_its_statements(filled, engine, postgres_server, tmp_path):
    if engine == "sqlite":
        pytest.skip("pgbench asks PostgreSQL")
    shop, owners = filled
    limit = pgbench.Limit(postgres_server, shop.database, write_owners(tmp_path / "owners", owners))
    for work in pgbench.SCRIPTS:
        assert limit.run(work, 1)["rate"] > 0, work


def test_two_programs_answer_each_load_in_turns(engine):
    """This one beside itself: how they compare is not the matter here."""
    if os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("the benchmark starts a PostgreSQL")
    with beside.programs([OURS, OURS], 8, ENGINES[engine], events=False) as sides:
        for work in beside.WORKS:
            for side in sides:
                assert min(side.turn(work)) > 0, work
