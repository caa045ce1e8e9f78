"""The metrics by store: the busiest by name, and never many names."""

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Shop
from tests.servers import wait_until
from wishwell.http.store_metrics import OTHERS, BusiestStores

pytestmark = pytest.mark.either_engine


def by_store(service):
    """How many requests of each store are counted."""
    text = httpx2.get(f"{service.url}/metrics").text
    found = {}
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            if one.name == "wishwell_store_requests_total":
                key = one.labels["store"], one.labels["outcome"]
                found[key] = one.value
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_busiest_stores_are_named_and_the_rest_is_one(new_service, workers):
    """contract: metrics-stores. Of 24 stores that each ask something, and of all workers."""
    service = new_service(WISHWELL_WORKERS=str(workers)).start()
    shops = [Shop(service) for _ in range(24)]
    for number, shop in enumerate(shops):
        for _ in range(2 * (1 + number // 4)):
            assert shop.admin.get("/items").status_code == 200
        assert shop.admin.get("/items?limit=0").status_code == 400
    total = sum(2 * (1 + number // 4) for number in range(24))

    def counted(outcome):
        return sum(value for (_, kind), value in by_store(service).items() if kind == outcome)

    for outcome, number in (("answered", total), ("refused", 24)):
        assert wait_until(lambda o=outcome, n=number: counted(o) == n, seconds=5, every=0.1)
    names = {name for name, _ in by_store(service)}
    assert OTHERS in names
    assert len(names - {OTHERS}) <= 20 * workers
    assert names - {OTHERS} <= {shop.handle for shop in shops}
    service.stop()


def named(stores):
    """What a flush would count by name."""
    return set(stores._named)


def test_names_follow_the_last_minute_and_are_bounded():
    """contract: metrics-stores. A store that becomes busy is named a minute later; after 100 names
    there are no new ones, and the old ones may come back."""
    stores = BusiestStores()

    def minute(*busy):
        for second in range(60):
            if second == 30:
                for handle in busy:
                    stores.count(handle, 200, 0.01)
                    stores.count(handle, 200, 0.01)
            stores.flush()

    def group(number):
        return {f"test-busiest-{number}-{one}" for one in range(20)}

    for number in range(5):
        minute(*group(number))
        assert named(stores) == group(number)
    minute(*group(5))
    assert not named(stores)
    minute(*group(0))
    assert named(stores) == group(0)
