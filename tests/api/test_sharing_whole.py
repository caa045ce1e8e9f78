"""Shares of the whole wishlist: what others see, and when a share ends."""

import pytest

from .conftest import data, done, new_list, refused, save
from .test_sharing_links import time_from_now


def share(http, **body):
    return data(http.post("/shares", json=body), 201)


def products(shop, token):
    return [item["productId"] for item in data(shop.anonymous.get(f"/shared/{token}"))["items"]]


def test_share_of_the_whole_wishlist_shows_later_saves(shop):
    """A share of the whole wishlist shows all items, newest first, also those saved later, and no
    lists, tags or saved prices. Rules: share-whole, shared-hides-owner."""
    owner = shop.customer()
    price = {"amount": "5", "currency": "EUR"}
    data(shop.admin.put("/products/71", json={"price": price}))
    on = new_list(owner.http, "Secret")["id"]
    save(owner.http, 71, note="in blue", tags=["hidden"], listIds=[on])
    made = share(owner.http, displayName="  Ada ", notes=True)
    assert made["displayName"] == "Ada" and "listId" not in made
    answer = shop.anonymous.get(f"/shared/{made['token']}")
    found = data(answer)
    assert set(found) == {"items", "updatedAt", "reservations", "displayName"}
    assert found["items"][0] | {"id": 0} == {
        "id": 0, "productId": 71, "quantity": 1, "note": "in blue",
    }  # fmt: skip
    hidden = ("gid:", "Secret", "hidden", "savedPrice", on, made["id"], owner.gid[-12:])
    assert not [text for text in hidden if text in answer.text]
    save(owner.http, 72)
    assert products(shop, made["token"]) == [72, 71]
    assert data(shop.anonymous.get(f"/shared/{made['token']}"))["updatedAt"] > found["updatedAt"]
    done(owner.http.delete(f"/lists/{on}"))
    assert products(shop, made["token"]) == [72, 71]
    assert data(owner.http.get("/shares")) == [made]
    done(owner.http.delete(f"/shares/{made['id']}"))
    refused(shop.anonymous.get(f"/shared/{made['token']}"), 404)


def test_shares_of_lists_and_of_the_wishlist_are_separate(shop):
    """A list's path finds only its own shares, `/shares/{id}` those of lists, too, and another profile none. Rule: share-whole."""
    http, other = shop.customer("1").http, shop.customer("2").http
    on = new_list(http)["id"]
    of_list, whole = data(http.post(f"/lists/{on}/shares"), 201), share(http)
    assert (data(http.get("/shares")), data(http.get(f"/lists/{on}/shares"))) == (
        [whole],
        [of_list],
    )
    assert data(other.get("/shares")) == []
    for client, path, made in (
        (http, f"/lists/{on}/shares", whole),
        (other, "/shares", whole),
        (other, "/shares", of_list),
    ):
        refused(client.patch(f"{path}/{made['id']}", json={"notes": True}), 404)
        refused(client.delete(f"{path}/{made['id']}"), 404)
    assert "listId" in of_list


@pytest.mark.parametrize("path", ["/shares", "/lists/{}/shares"])
def test_share_may_be_sent_back_whole_with_other_settings(shop, path):
    """A PATCH accepts the fetched record, with other settings; a different token is refused.
    Rule: input-strict."""
    http = shop.customer().http
    path = path.format(new_list(http)["id"])
    made = data(
        http.post(path, json={"displayName": "Ada", "expiresAt": time_from_now(days=1)}), 201
    )
    at = f"{path}/{made['id']}"
    assert data(http.patch(at, json=made)) == made
    changed = data(http.patch(at, json=made | {"notes": True, "displayName": None}))
    assert changed["notes"] and "displayName" not in changed
    assert refused(http.patch(at, json=made | {"token": "wwshr_x"}), 400).startswith("token: can't")
    for name in ("x" * 101, "a\nb", 7):
        assert "displayName: " in refused(http.patch(at, json={"displayName": name}), 400)
    assert data(http.get(path)) == [changed]


def test_whole_wishlist_has_at_most_20_shares(shop):
    """A whole wishlist has at most 20 shares, not counting its lists' shares. Rule: profile-limits."""
    http = shop.customer().http
    for _ in range(20):
        share(http)
    assert "A wishlist can have at most 20" in refused(http.post("/shares"), 400)
    data(http.post(f"/lists/{new_list(http)['id']}/shares"), 201)


def test_items_of_a_shared_wishlist_can_be_reserved(shop):
    """Guests reserve items of a shared wishlist; the reservation is the owner's secret, outlives the
    share, and ends with the item. Rules: share-whole, reserve-secret, reserve-ends."""
    owner, guest = shop.customer("1").http, shop.customer("2").http
    item = save(owner, 1, quantity=2)["id"]
    made, silent = share(owner, reservations=True), share(owner)
    at = f"/shared/{made['token']}/items/{item}/reservation"
    assert data(guest.put(at, json={"quantity": 2}))["yours"] == 2
    refused(guest.put(at, json={"quantity": 3}), 409)
    refused(guest.put(at.replace(made["token"], silent["token"]), json={"quantity": 1}), 403)
    refused(owner.put(at, json={"quantity": 1}), 403)
    unknown = at.replace(item, "01900000-0000-7000-8000-000000000000")
    refused(guest.put(unknown, json={"quantity": 1}), 404)
    seen = f"/shared/{made['token']}"
    assert "reserved" not in owner.get(seen).text
    assert data(shop.anonymous.get(seen))["items"][0]["reserved"] == 2
    on = new_list(owner)["id"]
    for listed in ([on], []):
        data(owner.put(f"/items/{item}/lists", json={"listIds": listed}))
    done(owner.delete(f"/shares/{made['id']}"))
    again = share(owner, reservations=True)["token"]
    assert data(guest.get(f"/shared/{again}"))["items"][0]["yours"] == 2
    done(owner.delete(f"/items/{item}"))
    refused(guest.delete(at), 404)


def test_copy_of_a_shared_wishlist_gets_the_requested_or_owners_name(shop):
    """A copy gets the request's name, or the owner's display name. Rule: copy-list."""
    owner, reader = shop.customer("1").http, shop.customer("2").http
    for product in (1, 2):
        save(owner, product)
    at = f"/shared/{share(owner, displayName='Ada')['token']}/copies"
    assert data(reader.post(at), 201)["name"] == "Ada"
    copy = data(reader.post(at, json={"name": "Hers"}), 201)
    listed = data(reader.get(f"/lists/{copy['id']}?sort=custom"))
    assert (listed["name"], [item["productId"] for item in listed["items"]]) == ("Hers", [2, 1])


@pytest.mark.parametrize("has_items", [False, True])
def test_sign_in_ends_a_shared_wishlist_that_would_show_the_customers_items(shop, has_items):
    """A visitor's share moves to a customer without items, whose wishlist is then the same; else it
    ends, because the customer's items are private. Rules: share-whole, share-ends."""
    visitor, customer = shop.session(), shop.customer()
    save(visitor.http, 1)
    if has_items:
        save(customer.http, 2)
    token = share(visitor.http)["token"]
    shop.token(customer=customer.gid, session=visitor.gid)
    if has_items:
        refused(shop.anonymous.get(f"/shared/{token}"), 404)
        assert data(customer.http.get("/shares")) == []
    else:
        assert products(shop, token) == [1]


def test_shared_wishlist_survives_an_export(service, shop, tmp_path):
    """An export has the share and its name; an import restores it if it was deleted.
    Rules: export-whole, import-twice."""
    owner, guest = shop.customer("81").http, shop.customer("82").http
    item = save(owner, 1)["id"]
    made = share(owner, reservations=True, displayName="Ada")
    at = f"/shared/{made['token']}/items/{item}/reservation"
    data(guest.put(at, json={"quantity": 1}))
    file = tmp_path / "store.jsonl"
    file.write_text(service.quick("export", "--store", shop.handle))
    done(owner.delete(f"/shares/{made['id']}"))
    service.quick("import", str(file), "--store", shop.handle)
    found = data(shop.anonymous.get(f"/shared/{made['token']}"))
    assert (found["displayName"], found["items"][0]["reserved"]) == ("Ada", 1)
