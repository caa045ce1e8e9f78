"""A store with every kind of record, and every response about it."""

import re
from typing import Any

from tests.api.conftest import new_list, save
from tests.conftest import Shop


def filled(service):
    """Fills a store; returns the store, its people, and the tokens of shared lists."""
    options = ("--host", "https://shop.example", "--limit", "items=77", "--events", "on")
    shop = Shop(service, *options, usual=())  # the service may be an old release
    people = {}
    for number in range(3):
        who = people[f"customer {number}"] = shop.customer(f"c{number}")
        lists = [new_list(who.http, name)["id"] for name in ("Wishes", "Später 🎁")]
        saved = []
        for product in range(1, 8):
            more: dict[str, Any] = (
                {"variantId": product * 10} if product % 2 else {"note": "two\nlines"}
            )
            more |= {"tags": ["a", f"t{product}"], "listIds": lists[: product % 3]}
            saved.append(save(who.http, product, quantity=product, **more))
        on = [item["id"] for item in saved if lists[0] in item["listIds"]]
        who.http.put(f"/lists/{lists[0]}/items/order", json={"itemIds": on[::-2]})
        who.http.delete(f"/items/{saved[3]['id']}")
        who.http.patch(f"/items/{saved[4]['id']}", json={"quantity": 99, "note": "back\\slash"})
        who.http.post("/profiles/identify", json={"email": f"c{number}@example.com"})
    visitor, linked = shop.session(), shop.session()
    save(visitor.http, 5)
    save(linked.http, 6, tags=["mine"], listIds=[new_list(linked.http, "Mine")["id"]])
    people |= {"visitor": visitor, "linked": linked}
    tokens = share(people)
    shop.token(customer=people["customer 0"].gid, session=linked.gid)
    body = {"title": "Ünë", "price": {"amount": "1.50", "currency": "EUR"}}
    assert shop.admin.put("/products/5", json=body).status_code == 200
    return shop, people, tokens


def share(people):
    """Makes shares of every kind with reservations; returns their tokens, including an ended one."""
    found = []
    for name, terms in (
        ("customer 0", {"reservations": True, "notes": True}),
        ("customer 1", {"reservations": True, "expiresAt": "2999-01-01T00:00:00+01:00"}),
        ("customer 1", {"notes": True}),
        ("linked", {"reservations": True}),
    ):
        http = people[name].http
        at = http.get("/lists").json()["data"][-1]["id"]
        answer = http.post(f"/lists/{at}/shares", json=terms)
        assert answer.status_code == 201, answer.text
        found.append(answer.json()["data"])
    # The sign-in adds up both reservations, and merges the last share's item.
    for name, which in (
        *(("visitor", 0), ("linked", 1), ("visitor", 1), ("customer 0", 1)),
        ("visitor", 3),
    ):
        path = f"/shared/{found[which]['token']}"
        item = people[name].http.get(path).json()["data"]["items"][0]["id"]
        path += f"/items/{item}/reservation"
        answer = people[name].http.put(path, json={"quantity": 1})
        assert answer.status_code == 200, answer.text
    # Reservations outlive their share.
    gone = found[0]
    http = people["customer 0"].http
    http.delete(f"/lists/{gone['listId']}/shares/{gone['id']}")
    again = http.post(f"/lists/{gone['listId']}/shares", json={"reservations": True}).json()
    return [one["token"] for one in (gone, *found[1:], again["data"])]


def answers(service, token, people, tokens):
    """Returns every API response about the store's records, as bytes."""
    admin = service.client(token)
    paths = ["/items?limit=250", "/lists?limit=250", "/products", "/webhooks"]
    paths += ["/items?query=tag:a", "/items?query=product:5"]
    found: dict[Any, Any] = {path: admin.get(path) for path in paths}
    for name, who in people.items():
        http = service.client(who.token)
        for path in ("/items?limit=250", "/lists"):
            found[name, path] = http.get(path)
        for one in http.get("/lists").json().get("data", ()):
            for sort in ("customer", "recently_saved", "oldest_saved"):
                path = f"/lists/{one['id']}?sort={sort}"
                found[name, path] = http.get(path)
            path = f"/lists/{one['id']}/shares"
            found[name, path] = http.get(path)
        for link in tokens:
            found[name, link] = http.get(f"/shared/{link}")
    for link in tokens:
        found[link] = service.client().get(f"/shared/{link}")

    def comparable(answer):
        # Another release may say an error in other words, and each error has its own request id. Newer
        # releases return the `url` of a share, which is its last field.
        content = re.sub(rb',"url":"https://shop\.example/[^"]+"(?=\})', b"", answer.content)
        return answer.status_code, None if answer.is_error else content

    return {key: comparable(answer) for key, answer in found.items()}
