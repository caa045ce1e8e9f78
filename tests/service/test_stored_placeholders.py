"""Customers and products that an older version stored under placeholders."""

import json

import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY, Shop
from tests.servers import wait_until


@pytest.mark.slow
def test_stored_placeholders_stay_reachable_and_get_no_notices(new_service):
    """An export of an older version is imported unchanged. Its placeholders are counted, listed by the
    doctor, readable and erasable; only real customers get notices. Rule: placeholder-ids."""
    keys = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}
    old, new = new_service(**keys), new_service(**keys)
    old.start()
    shop = Shop(old, "--product-ids", "text", "--events", "on")
    for customer in ("somebody", "nobody", "7"):
        http = shop.customer(customer).http
        for product in ("a", "lost"):
            assert http.post("/items", json={"productId": product}).status_code == 201
    price = {"price": {"amount": "10", "currency": "EUR"}}
    assert shop.admin.put("/products/a", json=price).status_code == 200
    old.stop()
    file = new.folder / "store.jsonl"
    text = old.quick("export", "--store", shop.handle)
    text = text.replace("/Customer/somebody", "/Customer/undefined").replace('"lost"', '"null"')
    text = text.replace("/Customer/nobody", "/Customer/(null)")
    file.write_text(text)
    new.quick("init")
    code, out, _ = new.attempt("import", str(file), "--store", shop.handle)
    assert (code, "2 customers with a placeholder as id" in out) == (0, True)
    taken = new.quick("export", "--store", shop.handle)  # by key, and so in another order
    assert sorted(taken.splitlines()[1:]) == sorted(text.splitlines()[1:])
    lines = {one["what"]: one for one in json.loads(new.attempt("doctor", "--json")[1])}
    gid = f"gid://{shop.platform}/Customer/undefined"
    assert lines["placeholders"]["state"] == "note"
    erase = f"wishwell profile erase '{gid}' --store {shop.handle}"
    assert "3 ids are placeholders: " in lines["placeholders"]["says"]
    for command in (erase, erase.replace("undefined", "(null)")):
        assert f"{command}; " in lines["placeholders"]["says"]
    assert "query=product:null" in lines["placeholders"]["says"]
    new.start()
    admin = new.client(new.admin_token(shop.handle))
    acting = new.client(new.admin_token(shop.handle), gid)
    saved = acting.get("/items").json()["data"]
    assert [item["productId"] for item in saved] == ["null", "a"]
    cheaper = {"price": {"amount": "5", "currency": "EUR"}}
    assert admin.put("/products/a", json=cheaper).status_code == 200

    def noticed():
        feed = admin.get("/events?type=item.price_dropped").json()["data"]
        return [event["profile"] for event in feed]

    assert wait_until(lambda: noticed() == [gid.replace("undefined", "7")], seconds=30)
    assert acting.delete(f"/items/{saved[0]['id']}").status_code == 204
    new.quick("profile", "erase", gid, "--store", shop.handle)
    assert acting.get("/items").json()["data"] == []
