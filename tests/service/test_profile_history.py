"""`wishwell profile history`: what is recorded about a profile, and what isn't."""

import json

import pytest

from demo.history import History
from tests.conftest import SEALING_KEY
from tests.servers import Service
from wishwell import ids

ANN = "gid://shopify/Customer/7"


@pytest.fixture
def service(new_service):
    """A service with a database and a journal that no other test uses."""
    journal = {"WISHWELL_JOURNAL": "journal.jsonl", "WISHWELL_SEALING_KEYS": SEALING_KEY}
    service = new_service(**journal).start()
    yield service
    service.close()


def history(service, gid):
    printed = service.quick("profile", "history", gid, "--store", "default", "--json")
    [found] = json.loads(printed)
    return found


def says(found, source):
    return [entry["says"] for entry in found["entries"] if entry["source"] == source]


@pytest.mark.either_engine
def test_history_tells_merged_purged_erased_and_unknown_profiles_apart(service):
    """The history of a customer names the merged session, what was saved and the erasure with who asked for
    it, and that of a session whether it was merged or is no longer stored. What isn't recorded is said.
    Rule: profile-history."""
    admin = service.client(service.create_token())
    issue = lambda **body: admin.post("/profiles/token", json=body).json()["data"]  # noqa: E731
    unknown = history(service, ANN)
    assert unknown["state"].startswith("Not stored, and not erased since ")
    assert (unknown["entries"], "events are off" in unknown["unrecorded"][0]) == ([], True)

    service.quick("store", "update", "default", "--events", "on")
    service.restart()
    session, idle = issue(), issue()
    visitor = service.client(session["token"])
    assert visitor.post("/items", json={"productId": 5}).status_code == 201
    assert admin.post(
        "/profiles/token", json={"customer": ANN, "session": session["profile"]}
    ).is_success
    merged, customer = history(service, session["profile"]), history(service, ANN)
    assert merged["state"] == f"Merged into {ANN}."
    assert customer["state"] == "Stored, with 1 item and 0 lists."
    [linked] = says(customer, "session")
    assert linked.startswith(f"{session['profile']}, created 2")
    assert linked.endswith("was merged into it")
    assert "Saves and removals before" in customer["unrecorded"][0]
    assert [each["time"] for each in customer["entries"]] == sorted(
        each["time"] for each in customer["entries"]
    )

    shown = admin.get("/profiles/history", params={"profile": ANN}).json()["data"]
    assert [each["says"] for each in shown["entries"] if each["source"] == "session"] == [linked]
    assert "no journal was read" in shown["unrecorded"][-1]
    assert admin.get("/profiles/history", params={"profile": "ann"}).status_code == 400

    service.settings["WISHWELL_EMPTY_SESSION_DAYS"] = "0"
    service.quick("purge")
    purged = history(service, idle["profile"])
    assert "it was purged, belongs to another store, or never existed" in purged["state"]
    assert purged["unrecorded"][1].startswith("Purged sessions: ")

    service.quick("store", "update", "default", "--platform", "shopify")
    shown = service.quick("profile", "history", ANN, "--store", "default")
    assert (
        ids.profile_key(json.loads(service.quick("store", "list", "--json"))[0]["id"], ANN) in shown
    )
    assert "Not recorded:\n- " in shown
    assert "Ask the shopper:\n- Were you signed in" in shown
    service.quick("profile", "erase", ANN, "--store", "default")
    erased = history(service, ANN)
    assert erased["state"].startswith("Not stored: it was erased at ")
    in_journal = says(erased, "journal")
    assert any(text.startswith("profile.erased by wishwell profile erase (") for text in in_journal)
    assert any("`store update --platform=shopify`" in text for text in in_journal)


UNKNOWN_SESSION = "gid://wishwell/Session/5fc5bee7-595a-42ba-b48c-001dcba2b7fe"


def test_ten_shoppers_who_miss_their_wishlist_get_an_answer_after_60_days():
    """In a default store, whose events are off, with 60 days of wishes, a profile's state and entries
    answer ten questions, four of them honestly: not recorded, probably the browser.
    Rule: profile-history."""
    service = Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"})
    service.quick("init")
    service.start()
    [store] = json.loads(service.quick("store", "list", "--json"))
    demo = [*History(store, ids.wall_clock()).lines()]
    (service.folder / "shop.jsonl").write_text("\n".join(demo))
    service.quick("import", "shop.jsonl", "--store", "default")
    saved = [each["profile"]["gid"] for each in map(json.loads, demo) if "profile" in each]
    elsewhere, emptied, by_token, by_command = [gid for gid in saved if "Customer" in gid][:4]
    merged, open_session = [gid for gid in saved if "Session" in gid][:2]
    signed_in, late, never = (f"gid://shopify/Customer/{n}" for n in range(90_001, 90_004))

    service.quick("backup", "shop.db")
    token = service.create_token()
    admin = service.client(token)
    admin.post("/profiles/token", json={"customer": signed_in, "session": merged})
    new = admin.post("/profiles/token", json={}).json()["data"]["profile"]
    shopper = service.client(token, emptied)
    for item in shopper.get("/items").json()["data"]:
        assert shopper.delete(f"/items/{item['id']}").is_success
    assert service.client(token, by_token).delete("/profile").is_success
    service.quick("profile", "erase", by_command, "--store", "default")
    assert service.client(token, late).post("/items", json={"productId": 5}).is_success

    answers = {
        "Other phone: nothing there": (elsewhere, "Stored, with "),
        "I never removed anything": (emptied, "Stored, with 0 items"),
        "I signed in, and the visit's wishes are gone": (signed_in, f"{merged}, created "),
        "The session in the request's log line": (merged, f"Merged into {signed_in}."),
        "The app's support erased me?": (by_token, "profile.erased by token "),
        "Account closed, and opened again": (by_command, "profile.erased by wishwell profile erase"),
        "Not signed in, and the hearts are empty today": (new, "probably the browser lost the cookie"),
        "The session of a log line of last year": (UNKNOWN_SESSION, "probably the browser"),
        "I am signed in, and it is empty": (never, "Probably the wishes are in a browser"),
    }  # fmt: skip
    for question, (gid, answer) in answers.items():
        shown = service.quick("profile", "history", gid, "--store", "default")
        assert answer in shown, question
        assert "Which items were saved and removed, and when: the store's events are off" in shown
    assert history(service, open_session)["state"].endswith("Purged 90 days after its last use.")

    service.stop()
    service.quick("restore", "database", "shop.db")
    lost = service.quick("profile", "history", late, "--store", "default")
    assert "Probably the wishes are in a browser" in lost
    assert "`wishwell restore database` by " in lost and "since that backup are lost" in lost
    service.close()
