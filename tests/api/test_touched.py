"""A change by an admin token restarts a session's time to its purge."""

from tests.conftest import Shop

from .conftest import new_list, save

OLD = "2026-01-01T00:00:00.000Z"


class Visit:
    """A session with two items, the first of which is on a list."""

    def __init__(self, shop: Shop) -> None:
        _, self.gid, http = shop.session()
        self.admin, self.acting = shop.admin, shop.acting_as(self.gid)
        self.made = new_list(http)["id"]
        self.item = save(http, 1, listIds=[self.made])["id"]
        save(http, 2)


# With `Profile` and without.
WAYS = {
    "changes an item": lambda v: v.admin.patch(f"/items/{v.item}", json={"quantity": 2}),
    "deletes several": lambda v: v.admin.delete(f"/items?itemIds={v.item}"),
    "renames a list": lambda v: v.admin.patch(f"/lists/{v.made}", json={"name": "x"}),
    "orders": lambda v: v.admin.put(f"/lists/{v.made}/items/order", json={"itemIds": [v.item]}),
    "saves for it": lambda v: v.acting.post("/items", json={"productId": 3}),
    "identifies it": lambda v: v.acting.post("/profiles/identify", json={"email": "a@b.example"}),
}


def test_change_by_an_admin_token_updates_touched_at_of_the_session_only(service, shop):
    """An admin token's change of a session's records updates only that session's `touched_at`.
    Rule: session-purged."""
    visits = {way: Visit(shop) for way in (*WAYS, "nothing")}
    service.rows(f"UPDATE profiles SET touched_at = '{OLD}' WHERE store_id = '{shop.id}'")
    for way, ask in WAYS.items():
        assert ask(visits[way]).is_success, way
    held = service.rows(f"SELECT gid FROM profiles WHERE touched_at = '{OLD}'")
    assert held == [(visits["nothing"].gid,)]
