"""Personal data: the profile, its export and its erasure, by API and by command."""

import pytest

from tests.servers import WISHWELL, wait_until

from .conftest import data, done, envelope, new_list, refused, save, soon, walk

UNKNOWN = "gid://wishwell/Session/00000000-0000-4000-8000-000000000000"


def test_profile_shows_counts_and_the_email_only_to_an_admin(shop):
    """A profile shows its counts, and the whole e-mail address only to an admin; an unknown customer
    has zeros.
    Rule: profile-email."""
    ann, visitor = shop.customer(), shop.session()
    zeros = {"profile": ann.gid, "kind": "customer", "items": 0, "lists": 0, "notices": None}
    zeros |= {"noticesBy": "none", "notified": False}
    assert data(ann.http.get("/profile")) == zeros
    new_list(ann.http, "mine")
    save(ann.http, 1)
    save(ann.http, 2)
    data(visitor.http.post("/profiles/identify", json={"email": "Visitor@example.com"}))
    shown = data(ann.http.get("/profile"))
    assert shown.pop("createdAt").endswith("Z")
    assert shown == zeros | {"items": 2, "lists": 1}
    own = data(visitor.http.get("/profile"))
    assert (own["kind"], own["profile"], own["email"]) == ("session", visitor.gid, "V…@e….com")
    assert own["emailStatus"] == "unverified"
    assert data(shop.acting_as(visitor.gid).get("/profile"))["email"] == "Visitor@example.com"
    for path in ("/profile", "/profile/export"):
        assert "Profile" in envelope(shop.admin.get(path), 400)
        assert ann.http.head(path).status_code == 200
    envelope(shop.acting_as(UNKNOWN).get("/profile"), 404)


def test_profile_says_whether_earlier_prices_are_struck_through(make_shop):
    """With `--show-reductions on`, a profile has `showReductions`."""
    ann = make_shop("--show-reductions", "on").customer()
    save(ann.http, 1)
    assert data(ann.http.get("/profile"))["showReductions"] is True


def test_no_notices_are_made_for_a_customer_who_turned_them_off(make_shop):
    """No notices are made for a customer who turned them off. Rule: notice-drop."""
    shop = make_shop("--events", "on")
    silent, keen = shop.customer(), shop.customer()
    for member in (silent, keen):
        save(member.http, 1)
    assert data(silent.http.patch("/profile", json={}))["notices"] is None
    assert data(silent.http.patch("/profile", json={"notices": False}))["notices"] is False
    assert data(silent.http.get("/profile"))["notices"] is False
    for amount in ("10", "5"):
        body = {"price": {"amount": amount, "currency": "EUR"}}
        data(shop.admin.put("/products/1", json=body))

    def told():
        feed = shop.admin.get("/events?type=item.price_dropped").json()
        return [event["profile"] for event in feed["data"]]

    assert wait_until(lambda: told() == [keen.gid], seconds=30, every=0.3)


def test_personal_export_is_one_document_in_several_pages(make_shop):
    """An export spans several pages of data in order, without other people's reservations.
    Rule: profile-export."""
    shop = make_shop("--events", "on", "--limit", "profile_write=100000")
    ann, bob = shop.customer(), shop.customer()
    made = new_list(ann.http, "mine")
    for product in range(1, 6):
        save(ann.http, product, listIds=[made["id"]])
    for first in (6, 136):
        many = [{"productId": product} for product in range(first, first + 130)]
        data(ann.http.put("/items", json={"items": many}))
    saved = data(ann.http.get(f"/lists/{made['id']}"))["items"]
    order = [item["id"] for item in reversed(saved)]
    data(ann.http.put(f"/lists/{made['id']}/items/order", json={"itemIds": order}))
    share = data(ann.http.post(f"/lists/{made['id']}/shares", json={"reservations": True}), 201)
    given = f"/shared/{share['token']}/items/{order[0]}/reservation"
    data(bob.http.put(given, json={"quantity": 1}))
    answer = ann.http.get("/profile/export")
    assert answer.headers["Transfer-Encoding"] == "chunked"
    assert "Content-Length" not in answer.headers
    found = answer.json()["data"]
    pages = walk(ann.http, "/items", limit=250)
    assert [item["id"] for item in found["items"]] == [
        item["id"] for page in pages for item in page
    ]
    assert [entry["itemIds"] for entry in found["lists"]] == [order]
    assert found["shares"] == [share]
    assert [event["sequence"] for event in found["events"]] == [*range(1, len(found["events"]) + 1)]
    assert len(found["events"]) > 260
    assert bob.gid not in answer.text and "reserved" not in answer.text
    [held] = data(bob.http.get("/profile/export"))["reservations"]
    assert (held["productId"], held["quantity"], len(held)) == (saved[-1]["productId"], 1, 3)
    assert ann.gid not in bob.http.get("/profile/export").text


def test_profiles_are_found_by_email_address(make_shop):
    """Profiles are found by e-mail address in any case, in pages, within the store.
    Rule: profile-email."""
    shop, other = make_shop(), make_shop()
    gids = set()
    for number, email in enumerate(("Ann@Example.com", "ann@example.com", "ANN@EXAMPLE.COM")):
        member = shop.customer() if number else shop.session()
        data(member.http.post("/profiles/identify", json={"email": email}))
        gids.add(member.gid)
    data(other.customer().http.post("/profiles/identify", json={"email": "ann@example.com"}))
    data(shop.customer().http.post("/profiles/identify", json={"email": "bob@example.com"}))
    first = shop.admin.get("/profiles?email=aNN@example.com&limit=2").json()
    after = first["pageInfo"]["next"]
    rest = shop.admin.get(f"/profiles?email=aNN@example.com&limit=2&page={after}").json()
    assert {found["profile"] for found in first["data"] + rest["data"]} == gids
    assert len(first["data"]) == 2 and "next" not in rest["pageInfo"]
    data(shop.customer().http.post("/profiles/identify", json={"email": "émile@example.com"}))
    assert len(data(shop.admin.get("/profiles", params={"email": "ÉMILE@example.com"}))) == 1
    for query in ("", "?email=", "?email=ann", "?email=ann@example.com&email=b@example.com"):
        assert "email" in envelope(shop.admin.get(f"/profiles{query}"), 400)


def test_erased_customer_appears_in_no_response(make_shop):
    """After erasure no response contains the customer's data, and the customer can start again.
    Rules: erase-immediate, erase-completes, token-revoked."""
    shop = make_shop("--events", "on", "--limit", "admin_read=100000")
    ann, bob = shop.customer(), shop.customer()
    data(ann.http.post("/profiles/identify", json={"email": "ann-secret@example.com"}))
    made = new_list(ann.http, "secret name")
    item = save(ann.http, 1, note="secret note", listIds=[made["id"]])
    save(bob.http, 1)
    share = data(ann.http.post(f"/lists/{made['id']}/shares", json={"reservations": True}), 201)
    view = f"/shared/{share['token']}"
    data(bob.http.put(f"{view}/items/{item['id']}/reservation", json={"quantity": 1}))
    named = shop.acting_as(ann.gid)
    done(named.delete("/profile"))
    done(named.delete("/profile"))
    assert data(named.get("/profile"))["items"] == 0
    assert data(named.get("/items")) == [] and data(named.get("/lists")) == []
    envelope(named.get(f"/items/{item['id']}"), 404)
    envelope(bob.http.get(view), 404)
    for path in (f"/items/{item['id']}", f"/lists/{made['id']}", f"/lists/{made['id']}/shares"):
        envelope(shop.admin.get(path), 404)
    assert data(shop.admin.get("/profiles?email=ann-secret@example.com")) == []
    soon(lambda: ann.http.get("/items").status_code == 401)

    def anew() -> bool:
        answer = named.post("/items", json={"productId": 5})
        assert answer.status_code == 201 or "erased" in envelope(answer, 503)
        return answer.status_code == 201

    assert wait_until(anew, seconds=30, every=0.2)
    assert [entry["productId"] for entry in data(named.get("/items"))] == [5]
    paths = ("/items", "/lists", "/events", "/events?type=list.created")
    whole = "".join(shop.admin.get(path).text for path in paths)
    whole += shop.service.quick("export", "--store", shop.handle)
    for secret in ("secret n", "ann-secret", item["id"], made["id"], share["token"]):
        assert secret not in whole

    def told() -> list:
        feed = shop.admin.get("/events").json()["data"]
        return [event for event in feed if event["profile"] == ann.gid]

    soon(told)  # rule: feed-once
    assert told()[0]["type"] == "profile.erased" and told()[0]["data"] == {}
    data(shop.customer(ann.gid.rpartition("/")[2]).http.get("/items"))


def test_command_erases_customers_and_waits_for_completion(shop):
    """The command erases customers given singly or in a file; a file with a wrong line erases
    nobody.
    Rule: erase-completes."""
    people = [shop.customer() for _ in range(4)]
    for member in people:
        save(member.http, 1)
    run, store = shop.service.attempt, ("--store", shop.handle)
    ended = shop.service.run([str(WISHWELL), "profile", "erase", people[0].gid, *store])
    assert ended.stdout == "1 profile erased; 0 not found\n" and "waiting" in ended.stderr
    assert data(shop.acting_as(people[0].gid).get("/items")) == []
    file = shop.service.folder / "gids.txt"
    lines = [people[1].gid, "", people[2].gid, people[0].gid, people[1].gid]
    file.write_text("\n".join([*lines, "gid://other/Customer/1"]))
    code, _, err = run("profile", "erase", "--from", str(file), *store)
    assert code == 1 and "line 6" in err and len(err.splitlines()) == 1
    assert len(data(shop.acting_as(people[1].gid).get("/items"))) == 1
    file.write_text("\r\n".join(lines))
    code, out, _ = run("profile", "erase", "--from", str(file), *store)
    assert (code, out) == (0, "2 profiles erased; 1 not found\n")
    assert len(data(shop.acting_as(people[3].gid).get("/items"))) == 1
    file.write_text("\n")
    assert run("profile", "erase", UNKNOWN, *store)[:2] == (0, "0 profiles erased; 1 not found\n")
    for words in (("x/y",), ("--from", str(file)), ("--from", "missing.txt")):
        code, _, err = run("profile", "erase", *words, *store)
        assert code == 1 and len(err.splitlines()) == 1, err
    assert run("profile", "erase", *store)[0] == 2
    assert run("profile", "erase", people[3].gid, "--from", str(file), *store)[0] == 2


def test_commands_take_the_id_of_a_customer(shop):
    """`profile key`, `history` and `erase` take a customer's id in place of the GID. An id that a
    visitor may have, too, and an e-mail address are refused, with the GIDs to choose from.
    Rule: command-error."""
    store = ("--store", shop.handle)
    gid = shop.gid()
    id = gid.rpartition("/")[2]
    save(shop.acting_as(gid), 1)
    keys = [shop.service.quick("profile", "key", name, *store) for name in (id, gid)]
    assert keys[0] == keys[1]
    assert f"{gid}\n" in shop.service.quick("profile", "history", id, *store)
    uuid = "01964a1b-0739-7128-a24b-e40ad23f0824"
    for name, expected in {
        uuid: f"Name gid://wishwell/Session/{uuid} or gid://shopify/Customer/{uuid}.",
        "ann@shop.example": "or gid://shopify/Customer/<address> if",
    }.items():
        code, _, err = shop.service.attempt("profile", "erase", name, *store)
        assert code == 1 and expected in err, err
    assert shop.service.quick("profile", "erase", id, *store) == "1 profile erased; 0 not found\n"
    code, _, err = shop.service.attempt("token", "revoke", "7", *store)
    assert code == 1 and "gid://shopify/Customer/7" in err


def identify(http, email: object):
    return http.post("/profiles/identify", json={"email": email})


def test_identify_returns_the_sign_in_path(make_shop):
    """Returns the store's sign-in path for any token and any address, with `{email}`
    percent-encoded; 404 if the store has none.
    Rule: profile-email."""
    shop, filled = make_shop(), make_shop("--auth-flow", "/signin?who={email}&from=list")
    for http in (
        shop.admin,
        shop.acting_as(shop.gid("1")),
        shop.customer("1").http,
        shop.session().http,
    ):
        for email in ("o'hara@example.com", "a@b", "a" * 64 + "@" + "e" * 189):
            assert data(identify(http, email)) == {"authFlow": "/account/login"}
    answer = data(identify(filled.admin, "a+b&c=d@example.com"))
    assert answer == {"authFlow": "/signin?who=a%2Bb%26c%3Dd%40example.com&from=list"}
    without = make_shop("--auth-flow", "")
    refused(identify(without.admin, "ann@example.com"), 404)
    refused(identify(without.customer("1").http, "ann@example.com"), 404)
    refused(identify(without.admin, "nonsense"), 400, "email")


@pytest.mark.both_engines
def test_export_contains_titles_and_links_on_request(shop):
    """With `include=product`, the export's items have their products, also beyond a page.
    Rule: profile-export."""
    ann = shop.customer()
    body = {"title": "Blue shirt", "url": "https://shop.example/shirt"}
    data(shop.admin.put("/products/1", json=body))
    new_items = [{"productId": product} for product in range(1, 251)]
    data(ann.http.put("/items", json={"items": new_items}))
    save(ann.http, 251)
    plain = data(ann.http.get("/profile/export"))["items"]
    included = data(ann.http.get("/profile/export?include=product"))["items"]
    assert len(plain) == len(included) == 251
    assert not any("product" in item for item in plain)
    assert [item.pop("product") for item in included if "product" in item] == [body]
    assert included == plain
    refused(ann.http.get("/profile/export?include=items"), 400, "include")
