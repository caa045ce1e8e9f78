"""The commands and routes by which a shop controls its mails to shoppers."""

import json

import pytest

from tests.conftest import ROOMY, SHARED, Shop
from tests.servers import wait_until
from tests.servers.mail_server import MailServer

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


@pytest.fixture
def mail_server():
    server = MailServer()
    yield server
    server.close()


def answered(service, *command: str, answer: str):
    """Runs a command as a process, with an answer to its question."""
    return service.run([str(service.command), *command], input=f"{answer}\n")


def give_server(service, shop, server) -> None:
    """Gives a store an SMTP server of its own."""
    file = service.folder / f"{shop.handle}.smtp"
    file.write_text(f"{server.url}\n")
    service.quick("store", "mail", "set", shop.handle, "--smtp-file", str(file))


READY = ("--mail-from", "shop@sender.example", "--service-url", "https://wishes.example")


def test_store_has_an_smtp_server_of_its_own(service, make_shop, mail_server):
    """`--smtp-file` stores the URL of a file encrypted and it is used; an empty file removes it, and a bad
    URL changes nothing. Rules: mail-server, mail-on."""
    shop = make_shop(*READY)
    mail = ("store", "mail")
    code, _, error = service.attempt(*mail, "test", shop.handle, "ann@shop.example")
    assert code == 1 and "has no server of its own" in error
    give_server(service, shop, mail_server)
    assert shown(service, shop)["ownServer"] is True
    [[sealed]] = service.rows(f"SELECT sealed FROM store_mails WHERE store_id = '{shop.id}'")
    assert sealed and "127.0.0.1" not in sealed
    test = (*mail, "test", shop.handle, "ann@shop.example", "--language", "de")
    code, _, error = service.attempt(*test)
    assert code == 1 and mail_server.received == [], "a store's server needs a public address"
    assert service.attempt(*test, WISHWELL_WEBHOOK_PRIVATE="true")[0] == 0
    [mail_received] = mail_server.wait_for(1)
    assert mail_received.recipient == "ann@shop.example"
    file = service.folder / "bad.smtp"
    file.write_text("smtp://mail.example?tls=no")
    code, _, error = service.attempt(*mail, "set", shop.handle, "--smtp-file", str(file))
    assert code == 1 and "smtp-file: " in error and shown(service, shop)["ownServer"] is True
    file.write_text("")
    service.quick(*mail, "set", shop.handle, "--smtp-file", str(file))
    assert shown(service, shop)["ownServer"] is False


def test_mail_on_asks_first_in_an_opt_out_store(service, make_shop, mail_server):
    """`store update --mail on` needs a server, says how many shoppers may be written to, and asks in an
    opt-out store, because these never chose. Rules: mail-on, mail-consent."""
    shop = make_shop(*READY, "--notices", "opt-out")
    shop.customer("1").http.post("/items", json={"productId": 1}).raise_for_status()
    body = {"profiles": [{"profile": shop.gid("1"), "email": "ann@a.example"}]}
    shop.admin.put("/profiles/email", json=body).raise_for_status()
    update = ("store", "update", shop.handle, "--mail", "on")
    code, _, error = service.attempt(*update)
    assert code == 1 and "needs an SMTP server" in error
    give_server(service, shop, mail_server)
    refused = answered(service, *update, answer="no")
    assert refused.returncode == 1 and "1 shopper may be written to" in refused.stderr
    assert "customers who never chose" in refused.stderr and not shown(service, shop)["on"]
    assert service.cli(*update, input="yes\n").returncode == 0
    assert shown(service, shop)["on"] and stores(service)[shop.handle]["eventsSince"]
    opt_in = make_shop(*READY, "--notices", "opt-in")
    give_server(service, opt_in, mail_server)
    asked = answered(service, "store", "update", opt_in.handle, "--mail", "on", answer="")
    assert "never chose" not in asked.stderr and shown(service, opt_in)["on"]
    assert service.attempt("store", "update", opt_in.handle, "--events", "off")[0] == 1


def test_apply_turns_mails_on_by_the_same_checks(service, make_shop, mail_server):
    """`store apply` needs a server, says how many may be written to, and asks in an opt-out store unless
    `--yes` is given. Rules: mail-on, store-settings."""
    shop = make_shop("--notices", "opt-out", "--service-url", "https://wishes.example")
    file = service.folder / f"{shop.handle}.yaml"
    mail = "{on: true, sender: shop@sender.example}"
    file.write_text(f"stores: [{{handle: {shop.handle}, mail: {mail}}}]")
    apply = ("store", "apply", str(file))
    code, _, error = service.attempt(*apply, "--yes")
    assert code == 1 and "needs an SMTP server" in error and not shown(service, shop)["on"]
    give_server(service, shop, mail_server)
    refused = answered(service, *apply, answer="no")
    assert refused.returncode == 1 and "customers who never chose" in refused.stderr
    assert "0 shoppers may be written to" in refused.stderr and not shown(service, shop)["on"]
    service.cli(*apply, input="yes\nyes\n")
    assert shown(service, shop)["on"]
    assert "nothing to do" in service.quick(*apply)


@pytest.mark.slow
def test_resume_after_a_restore_cancels_the_mails_of_the_backup(new_service):
    """After `restore replay`, mails are paused, and `resume` cancels those that waited in the backup; a
    later pause keeps its mails. Rules: mail-paused, journal-replay."""
    service = new_service(**SHARED, WISHWELL_SMTP_URL="smtp://127.0.0.1:9").start()
    journal = service.folder / "journal.jsonl"
    journal.write_text("")
    options = ("--mail", "on", "--mail-delay", "60", "--notices", "opt-out", "--yes")
    shop, prices = Shop(service, *ROOMY, *READY, *options), {1: 1_000, 2: 1_000}

    def waits(product: int) -> bool:
        """Lowers a price, because events begin some seconds after they were turned on."""
        prices[product] = prices[product] * 9 // 10
        body = {"title": "Lamp", "price": {"amount": f"{prices[product]}", "currency": "EUR"}}
        assert shop.admin.put(f"/products/{product}", json=body).status_code in (200, 201)
        return shown(service, shop)["mails"].get("waiting", 0) == 1

    assert not waits(1) and not waits(2)
    for product in prices:
        shop.customer("1").http.post("/items", json={"productId": product}).raise_for_status()
    body = {"profiles": [{"profile": shop.gid("1"), "email": "ann@a.example"}]}
    shop.admin.put("/profiles/email", json=body).raise_for_status()
    assert wait_until(lambda: waits(1), seconds=30, every=1)
    service.quick("restore", "replay", str(journal))
    status = shown(service, shop)
    assert status["pausedAt"] and "backup was restored" in status["problem"]
    resume = ("store", "mail", "resume", shop.handle)
    assert "1 mail of the backup cancelled" in service.quick(*resume)
    status = shown(service, shop)
    assert (status["mails"], status["problem"]) == ({"cancelled": 1}, "")
    assert wait_until(lambda: waits(2), seconds=30, every=1)
    service.quick("store", "mail", "pause", shop.handle)
    assert service.quick(*resume).strip() == "resumed"
    assert shown(service, shop)["mails"]["waiting"] == 1
