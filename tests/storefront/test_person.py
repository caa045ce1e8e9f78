"""The shopper's own profile and its export on the storefront."""

from tests.servers import wait_until

from .conftest import envelope, nothing_done


def test_shopper_sees_their_own_profile(front):
    """A shopper reads their profile and export and can't delete it; an anonymous caller gets zeros
    and 404.
    Rules: storefront-paths, storefront-visitor."""
    nobody = front.browser()
    with nothing_done(front):
        assert nobody.get("/profile").json()["data"] == {"items": 0, "lists": 0, "notices": True}
        envelope(nobody.get("/profile/export"), 404)
        envelope(nobody.patch("/profile", json={"notices": False}), 404)
        answer = nobody.delete("/profile")
        envelope(answer, 405)
        assert "DELETE" not in answer.headers["Allow"]
    visitor = front.anyone(1, 2)
    envelope(visitor.delete("/profile"), 405)
    assert visitor.get("/profile").json()["data"]["items"] == 2
    answer = visitor.patch("/profile", json={"notices": False})
    assert answer.json()["data"]["notices"] is False
    document = visitor.get("/profile/export")
    assert len(document.json()["data"]["items"]) == 2
    assert "email" not in visitor.get("/profile").json()["data"]


def test_erased_visitors_cookie_is_nobodys(front):
    """An erased visitor's cookie is invalid. Rules: erase-immediate, storefront-cookie."""
    visitor = front.anyone(1)
    gid = visitor.get("/profile").json()["data"]["profile"]
    assert front.shop.acting_as(gid).delete("/profile").status_code == 204
    assert visitor.get("/items").json()["data"] == []
    assert visitor.get("/items").headers["Wishwell-Shopper"] == "-"
    # Waits for the erasure, because it would change the database during the next test.
    waiting = "SELECT 1 FROM erasures WHERE done_at IS NULL"
    assert wait_until(lambda: not front.api.rows(waiting), seconds=30)
