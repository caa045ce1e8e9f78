"""The commands and routes by which a shop controls its mails to shoppers."""

import json

from .conftest import stores


def shown(service, shop) -> dict:
    [status] = json.loads(service.quick("store", "mail", "show", shop.handle, "--json"))
    return status


def test_shop_controls_its_mails(service, shop):
    """A shop states addresses by a file, pauses and resumes its mails, suppresses addresses by a file and
    by its relay's reports, and allows them again.
    Rules: mail-addresses, mail-paused, mail-suppressed."""
    for customer in ("1", "2"):
        shop.customer(customer).http.post("/items", json={"productId": 1}).raise_for_status()
    emails = service.folder / f"{shop.handle}.csv"
    store, text = ("--store", shop.handle), "customer,email,language\n1,ann@a.example,de_DE\n"
    emails.write_text(text + "2,ben@a.example,d!e\n")
    code, _, error = service.attempt("profile", "emails", str(emails), *store)
    assert code == 1 and "line 3: language: " in error
    emails.write_text(text + "2,ben@a.example,\n9,nobody@a.example,\n")
    assert "2 stored; 1 of" in service.quick("profile", "emails", str(emails), *store)
    mail = "store", "mail"
    assert (shown(service, shop)["on"], shown(service, shop)["pausedAt"]) == (False, "")
    service.quick(*mail, "pause", shop.handle, "--cancel")
    paused_at = shown(service, shop)["pausedAt"]
    assert paused_at and shop.admin.get("/store").json()["data"]["mail"] == {"pausedAt": paused_at}
    assert stores(service)[shop.handle]["mail"] == {"pausedAt": paused_at}
    service.quick(*mail, "resume", shop.handle)
    assert not shown(service, shop)["pausedAt"]
    assert shop.admin.get("/store").json()["data"]["mail"] == {}

    def status(customer: str) -> str:
        profile = shop.acting_as(shop.gid(customer)).get("/profile").json()["data"]
        return profile["emailStatus"]

    suppressed = service.folder / f"{shop.handle}.txt"
    suppressed.write_text("ANN@a.example\n")
    service.quick(*mail, "suppress", shop.handle, str(suppressed))
    body = {"suppressions": [{"email": "ben@a.example", "reason": "complained"}]}
    answer = shop.admin.put("/mails/suppressions", json=body)
    assert answer.json()["data"] == {"stored": 1}
    assert (status("1"), status("2")) == ("suppressed", "suppressed")
    service.quick(*mail, "unsuppress", shop.handle, "ann@a.example")
    assert (status("1"), status("2")) == ("confirmed", "suppressed")
    assert shop.admin.get("/mails").json()["data"] == []
