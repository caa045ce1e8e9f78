"""Addresses of shares, and all shares of a profile in one list."""

import pytest

from .conftest import data, done, new_list, refused, soon, walk


@pytest.mark.both_engines
def test_all_shares_of_a_profile_are_listed_changed_and_deleted(shop, http):
    """`of=all` lists shares of lists and of the wishlist, in pages; `/shares/{id}` finds each.
    Rule: share-all."""
    one, two = (new_list(http)["id"] for _ in range(2))
    paths = (f"/lists/{one}/shares", "/shares", f"/lists/{two}/shares")
    made = [data(http.post(path), 201) for path in paths]
    assert [share.get("listId") for share in made] == [one, None, two]
    assert data(http.get("/shares?of=all")) == made[::-1]
    assert [share for page in walk(http, "/shares", limit=2, of="all") for share in page] == made[
        ::-1
    ]
    assert data(http.get("/shares")) == data(http.get("/shares?of=wishlist")) == [made[1]]
    assert data(shop.acting_as(shop.gid("1")).get("/shares?of=all")) == made[::-1]
    cursor = http.get("/shares?of=all&limit=1").json()["pageInfo"]["next"]
    refused(http.get("/shares", params={"page": cursor}), 400)
    refused(http.get("/shares?of=lists"), 400, "of")
    refused(shop.admin.get("/shares?of=all"), 400, "Profile")
    other = shop.customer("2").http
    assert data(other.get("/shares?of=all")) == []
    for share in made:
        refused(other.patch(f"/shares/{share['id']}", json={"notes": True}), 404)
        refused(other.delete(f"/shares/{share['id']}"), 404)
        changed = data(http.patch(f"/shares/{share['id']}", json={"notes": True}))
        assert changed == share | {"notes": True}
    refused(http.patch(f"/lists/{one}/shares/{made[1]['id']}", json={"notes": True}), 404)
    for share in made:
        done(http.delete(f"/shares/{share['id']}"))
        refused(http.get(f"/shared/{share['token']}"), 404)
    assert data(http.get("/shares?of=all")) == []


@pytest.mark.slow
def test_shares_have_the_address_of_the_page_that_shows_them(shop, http):
    """`url` leads to the shop's page for shared lists or the storefront's, on the https host, else
    at the service's address; without both there is none. Rule: share-url."""
    on = new_list(http)["id"]
    path = f"/lists/{on}/shares"
    share = data(http.post(path), 201)
    assert "url" not in share
    token = share["token"]

    def url():
        [listed], [of_all] = data(http.get(path)), data(http.get("/shares?of=all"))
        patched = data(http.patch(f"{path}/{share['id']}", json={}))
        urls = {each.get("url") for each in (listed, of_all, patched)}
        return urls.pop() if len(urls) == 1 else None  # else a change hasn't reached all requests

    host = f"http://{shop.handle}.example"
    shop.update("--host", host)
    soon(lambda: url() == f"{host}/apps/wishlist/shared#{token}")
    shop.update("--host", host, "--host", f"https://www.{shop.handle}.example")
    ending = f"https://www.{shop.handle}.example/apps/wishlist/shared#{token}"
    soon(lambda: url() == ending)
    whole = data(http.post("/shares"), 201)
    assert whole["url"].endswith(f"/apps/wishlist/shared#{whole['token']}")
    done(http.delete(f"/shares/{whole['id']}"))
    for page, ending in (
        ("/pages/gifts", f"https://www.{shop.handle}.example/pages/gifts#{token}"),
        ("/gifts/{token}", f"https://www.{shop.handle}.example/gifts/{token}"),
        ("https://shop.example/g?t={token}", f"https://shop.example/g?t={token}"),
    ):
        shop.update("--shared-page", page)
        soon(lambda ending=ending: url() == ending)


def test_address_is_at_the_platforms_domain_and_never_at_the_services(make_shop):
    """Without a host, `url` is at the platform's domain, whose app proxy has the page. The service's
    own address has no pages of shops, so there is no link to it. Rule: share-url."""
    shop = make_shop("--service-url", "https://wishes.example")
    http = shop.customer("1").http
    share = data(http.post("/shares"), 201)
    assert "url" not in share
    domain = f"{shop.handle}.myplatform.example"
    shop.update("--platform-shop", domain)
    url = f"https://{domain}/apps/wishlist/shared#{share['token']}"
    soon(lambda: data(http.get("/shares"))[0].get("url") == url)
    soon(lambda: data(http.get("/profile/export"))["shares"][0].get("url") == url)


def test_address_of_a_page_elsewhere_needs_no_host(make_shop):
    """A shop's own page by its whole address is `url`, whatever hosts there are. Rule: share-url."""
    shop = make_shop("--shared-page", "https://shop.example/g?t={token}")
    share = data(shop.customer("1").http.post("/shares"), 201)
    assert share["url"] == f"https://shop.example/g?t={share['token']}"
