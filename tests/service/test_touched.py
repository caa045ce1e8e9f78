"""What an admin token changes of a session keeps it from the purge, from that very moment."""

import pytest

from tests.api.conftest import new_list, save
from tests.conftest import SIGNING_KEY, Shop
from tests.servers import Service
from torture.harness import step, with_clock

DAY = 86_400


class Visit:
    """A session with two items, of which one is on a list."""

    def __init__(self, shop: Shop) -> None:
        _, gid, http = shop.session()
        self.admin, self.acting = shop.admin, shop.acting_as(gid)
        self.made = new_list(http)["id"]
        self.item = save(http, 1, listIds=[self.made])["id"]
        self.other = save(http, 2)["id"]


# In the whole store, and with `Profile`.
WAYS = {
    "changes an item": lambda v: v.admin.patch(f"/items/{v.item}", json={"quantity": 2}),
    "deletes several": lambda v: v.admin.delete(f"/items?itemIds={v.item}"),
    "renames a list": lambda v: v.admin.patch(f"/lists/{v.made}", json={"name": "x"}),
    "orders": lambda v: v.admin.put(f"/lists/{v.made}/items/order", json={"itemIds": [v.item]}),
    "saves for it": lambda v: v.acting.post("/items", json={"productId": 3}),
    "identifies it": lambda v: v.acting.post("/profiles/identify", json={"email": "a@b.example"}),
}


@pytest.mark.either_engine
def test_session_that_an_admin_token_has_changed_stays(new_service):
    """contract: session-touched, session-purged, command-purge. One that nothing has touched for 90
    days goes, and no other; whatever is killed between the change and the purge."""
    service: Service = new_service(WISHWELL_SIGNING_KEYS=SIGNING_KEY)
    clock = with_clock(service, 0)
    with service.start():
        shop = Shop(service)
        visits = {way: Visit(shop) for way in WAYS}
        untouched = Visit(shop)
        step(clock, 91 * DAY - 60)
        for way, visit in visits.items():
            assert WAYS[way](visit).is_success, way
        service.kill()
        step(clock, 91 * DAY + 60)
        assert "1 sessions, 0 customers would go" in service.quick("purge", "--dry-run")
        service.cli("purge")
        service.restart()
        assert untouched.acting.get("/items").status_code == 404
        gone = [way for way in WAYS if visits[way].acting.get("/items").status_code != 200]
        assert not gone
        [last, *_] = visits["saves for it"].acting.get("/items").json()["data"]
        assert last["productId"] == 3
