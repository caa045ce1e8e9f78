"""`wishwell profile history`: what is recorded about a profile, and what isn't."""

import json

import pytest

from tests.conftest import SEALING_KEY
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
    assert unknown["state"].startswith("Not stored: nothing was ever saved")
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
    assert customer["state"] == "Stored, with 1 items and 0 lists."
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
    assert purged["state"].startswith("Not stored: it was purged or erased")
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
    assert erased["state"].startswith("Not stored")
    in_journal = says(erased, "journal")
    assert any(text.startswith("profile.erased by wishwell profile erase (") for text in in_journal)
    assert any("`store update --platform=shopify`" in text for text in in_journal)
