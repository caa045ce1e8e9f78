"""Customer ids of all sign-in systems, through API, commands, export and import, and the log."""

import json
import re
from importlib import resources

import pytest

from wishwell import ids

from .conftest import data, item, new_list, refused, save, soon

IDS = {
    "auth0|64f0": "auth0%7C64f0",
    "VXNlcjoxMA==": "VXNlcjoxMA%3D%3D",
    "f:realm:7": "f%3Arealm%3A7",
    "ada+x@shop.example": "ada%2Bx%40shop.example",
    "50%off": "50%25%6fff",
    "--": "%2d%2D",
    "~" * 255: "%7E" * 255,
}
"""Ids, and as they may be written in a GID."""

BAD = (
    *("", "-", "%2D", "a b", "a%20b", "a/b", "a%2Fb", "50%off", "%", "a%7", "a%zz", "a%00", "a%7F"),
    *("a%C3%A9", "~" * 256, "%7E" * 256, "a\tb"),
)
"""Ids that no GID may contain."""


@pytest.mark.parametrize("id", IDS)
def test_customer_is_the_same_in_each_spelling_of_the_id(make_shop, id):
    """A customer is the same in each spelling of their GID, in `Profile` and bodies; answers have
    the one in which only `%` is escaped. Rules: customer-id, profile-gid."""
    shop = make_shop("--events", "on")
    gid = ids.customer_gid("shopify", id)
    assert ids.customer_of(gid) == ("shopify", id)
    ways = {f"gid://shopify/Customer/{IDS[id]}", gid}
    visitor = shop.session()
    save(visitor.http, 2)
    body = {"customer": gid, "session": visitor.gid}
    data(shop.admin.post("/profiles/token", json=body), 201)
    for product, way in enumerate(sorted(ways), 3):
        token = data(shop.admin.post("/profiles/token", json={"customer": way}), 201)
        saved = save(shop.client(token["token"]), product)
        assert item(shop.acting_as(way), saved["id"]) == saved
        assert item(shop.admin, saved["id"])["profile"] == gid
        assert data(shop.acting_as(way).get("/profile"))["profile"] == gid
    assert len(data(shop.acting_as(min(ways)).get("/items"))) == 1 + len(ways)
    soon(lambda: {event["profile"] for event in data_of_feed(shop)} >= {gid})


def test_published_patterns_describe_customer_ids_exactly():
    """The API's description allows the ids that the service accepts, and no others. Rule: customer-id."""
    text = (resources.files("wishwell.http") / "openapi.json").read_text()
    patterns = set(re.findall('"pattern": ("[^"]*Customer/.*"),?\n', text))
    assert len(patterns) == 2
    for pattern in map(json.loads, patterns):
        for id in (*IDS, *IDS.values(), "a", "%41", *BAD, "%2d"):
            gid = f"gid://shopify/Customer/{id}"
            assert bool(re.search(pattern, gid)) == (ids.customer_of(gid) is not None), id


def test_published_patterns_allow_session_uuids_in_either_case():
    """The API's description allows the session GIDs that the service reads. Rule: profile-gid."""
    text = (resources.files("wishwell.http") / "openapi.json").read_text()
    patterns = set(re.findall('"pattern": ("[^"]*Session/.*"),?\n', text))
    assert len(patterns) == 2
    for uuid in ("45902b6b-0b88-4dd0-90df-8a7f56e55cda", "45902B6B-0B88-4DD0-90DF-8A7F56E55CDA"):
        for pattern in map(json.loads, patterns):
            assert re.search(pattern, f"gid://wishwell/Session/{uuid}")


def data_of_feed(shop):
    return shop.admin.get("/events").json()["data"]


@pytest.mark.parametrize("id", BAD)
def test_bad_customer_id_is_refused(shop, id):
    """A `%` that begins no escape, `-` alone, a space, `/`, other characters and more than 255 are
    refused everywhere. Rule: customer-id."""
    gid = f"gid://shopify/Customer/{id}"
    if "\t" not in gid:
        refused(shop.admin.get("/items", headers={"Profile": gid}), 400, "profile", "255")
    refused(shop.admin.post("/profiles/token", json={"customer": gid}), 400, "customer")
    body = {"customer": gid, "session": shop.session().gid}
    refused(shop.admin.post("/profiles/token", json=body), 400, "customer")
    code, _, said = shop.service.attempt("profile", "erase", gid, "--store", shop.handle)
    assert code == 1 and "255" in said


@pytest.mark.slow
def test_customer_ids_survive_export_and_import(make_shop):
    """An export writes ids so that an import reads the same ones; commands take them, too.
    Rules: customer-id, export-whole."""
    shop, other = make_shop(), make_shop("--platform", "shopify")
    for id in IDS:
        http = shop.acting_as(f"gid://shopify/Customer/{IDS[id]}")
        save(http, 1, listIds=[new_list(http, "Gifts")["id"]])
    file = shop.service.folder / "store.jsonl"
    file.write_text(shop.service.quick("export", "--store", shop.handle))
    wishes = shop.service.folder / "wishes.csv"
    wishes.write_text("who,what\n" + "".join(f"{id},9\n" for id in IDS))
    words = ("--store", other.handle, "--map", "customer=who,product=what", "--emails-are-ids")
    shop.service.quick("import", str(wishes), *words)
    listed = {entry["profile"] for entry in data(other.admin.get("/items"))}
    assert listed == {ids.customer_gid("shopify", id) for id in IDS}
    for id in IDS:
        gid = f"gid://shopify/Customer/{IDS[id]}"
        token = data(shop.admin.post("/profiles/token", json={"customer": gid}), 201)["token"]
        assert len(data(shop.client(token).get("/items"))) == 1
        shop.service.cli("token", "revoke", gid, "--store", shop.handle)
        soon(lambda: shop.client(token).get("/items").status_code == 401)
        said = shop.service.quick("profile", "erase", gid, "--store", shop.handle)
        assert said == "1 profile erased; 0 not found\n"
    assert data(shop.admin.get("/items")) == []
    exported = [json.loads(line) for line in file.read_text().splitlines()]
    gids = {line["profile"]["gid"] for line in exported if "profile" in line}
    assert gids == listed


def test_log_has_no_email_address(shop):
    """Log lines show an id with `@` as the profile's key. Rules: customer-id, log-private."""
    for id in ("ada@shop.example", "ada%40shop.example", "auth0|64f0"):
        shop.acting_as(f"gid://shopify/Customer/{id}").get("/items")
    key = ids.profile_key(shop.id, "gid://shopify/Customer/ada@shop.example")
    soon(lambda: len(re.findall(f'"profile":"{key}"', shop.service.output())) == 2)
    soon(lambda: '"profile":"gid://shopify/Customer/auth0|64f0"' in shop.service.output())
    assert "ada@" not in shop.service.output() and "ada%40" not in shop.service.output()
