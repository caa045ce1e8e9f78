"""Moving a store to another deployment loses nothing and signs nobody out."""

import json
import re
import subprocess

import pytest

from tests.api.conftest import stores
from tests.conftest import SEALING_KEY, SIGNING_KEY, slow
from tests.servers import Service, wait_until
from wishwell import ids

from .filled import answers, filled

KEYS = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}


@pytest.fixture(scope="module", params=["sqlite to postgresql", slow("postgresql to sqlite")])
def ways(request, postgres_server):
    """A factory for services of the source engine and the target engine."""
    made = []

    def make(engine):
        url = postgres_server.create_database() if engine == "postgresql" else "sqlite:///w.db"
        service = Service(KEYS | {"WISHWELL_DATABASE_URL": url})
        made.append(service)
        service.quick("init")
        return service

    one, other = request.param.split(" to ")
    yield lambda: (make(one), make(other))
    for service in made:
        service.close()


def test_moved_store_gives_the_same_responses(ways):
    """After the move every response is equal byte for byte; tokens, revocations, cookie secrets and
    webhooks work.
    Rules: import-exact, export-whole, import-store, import-checked."""
    old, new = ways()
    old.start()
    shop, people, tokens = filled(old)
    gone, revoked = shop.customer("never-saved"), shop.another_admin_token()
    old.quick("token", "revoke", "--store", shop.handle, gone.gid)
    old.quick("token", "revoke", people["customer 2"].token)
    old.quick("token", "revoke", revoked)
    # A type that never occurs here, because a failing delivery would change the webhook.
    hook = {"url": "https://a.example/", "types": ["item.back_in_stock"]}
    assert wait_until(
        lambda: shop.admin.post("/webhooks", json=hook).status_code == 201, seconds=30
    )
    for who in (gone, people["customer 2"]):
        assert wait_until(lambda http=who.http: http.get("/items").status_code == 401, seconds=30)
    before = answers(old, shop.admin_token, people, tokens)
    reserved = [a for a in before.values() if a[0] == 200 and re.search(rb'"yours":[12]', a[1])]
    assert len(reserved) == 4
    record = stores(old)[shop.handle]
    old.stop()
    written = old.quick("export", "--store", shop.handle)
    file = new.folder / "store.jsonl"
    file.write_text(written)
    assert '"mergedId"' in written, "the item that the sign-in merged"
    assert SIGNING_KEY not in written and shop.admin_token not in written
    said = new.quick("import", str(file), "--store", "default")
    assert "6 profiles" in said and "7 lists" in said, said
    assert new.quick("export", "--store", "default").splitlines()[1:] == written.splitlines()[1:]
    new.start()
    assert answers(new, shop.admin_token, people, tokens) == before
    assert new.client(revoked).get("/items").status_code == 401
    assert new.client(gone.token).get("/items").status_code == 401
    # The sequence continues, and the e-mail address is kept.
    new.client(people["customer 1"].token).post("/items", json={"productId": 1000})
    [moved] = json.loads(new.quick("store", "list", "--json"))
    since = moved.pop("eventsSince")
    assert since > record.pop("eventsSince")
    assert moved | {"handle": shop.handle} == record
    new.stop()


def test_import_names_the_missing_sealing_keys(ways):
    """An import names the missing sealing keys, because undecryptable secrets would stop the next
    start.
    Rule: import-store."""
    old, new = ways()
    old.quick("store", "create", "outlet")
    file = new.folder / "outlet.jsonl"
    file.write_text(old.quick("export", "--store", "outlet"))
    key = "WISHWELL_SEALING_KEYS"
    code, _, said = new.attempt("import", str(file), "--store", "outlet", **{key: "x" * 40})
    assert code == 1 and key in said
    assert "outlet" not in new.quick("store", "list")
    both = {key: f"{'x' * 40},{SEALING_KEY}"}
    assert new.attempt("import", str(file), "--store", "outlet", **both)[0] == 0
    new.settings |= both
    new.start().stop()


def normalised(lines):
    """Returns the lines normalised and sorted."""
    return sorted(json.dumps(json.loads(line), sort_keys=True) for line in lines)


PROFILES = 2_000


def many_profiles(first):
    """Returns the lines of a store after the first: profiles with a list and five items."""
    now, found = "2026-01-01T00:00:00.000Z", [first]
    times = {"createdAt": now, "updatedAt": now}
    new_id = ids.UUID7(lambda: ids.from_timestamp(now))
    for number in range(PROFILES):
        gid, on = f"gid://shopify/Customer/{number}", new_id()
        found.append(json.dumps({"profile": {"gid": gid, "createdAt": now, "touchedAt": now}}))
        found.append(json.dumps({"list": {"id": on, "name": "Wishes", **times}}))
        for product in range(1, 6):
            item = {"id": new_id(), "productId": product, "listIds": [on], **times}
            found.append(json.dumps({"item": item}))
    end = {"profiles": PROFILES, "lists": PROFILES, "items": 5 * PROFILES}
    return [*found, json.dumps({"end": end})]


def profiles_in(service, handle="default"):
    code, out, _ = service.attempt("export", "--store", handle)
    return out.count('"profile"') if code == 0 else 0


def kill_when(service, when, *command):
    """Runs a command and kills it when a condition holds."""
    running = subprocess.Popen(
        [service.command, *command],
        cwd=service.folder,
        env=service.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(lambda: when() or running.poll() is not None, seconds=60, every=0.02)
    running.kill()
    assert running.wait() != 0, "it was done before it was killed"


@pytest.mark.slow
def test_import_resumes_after_a_kill(ways, tmp_path):
    """A killed import resumes when run again; each record exists once.
    Rule: import-twice."""
    old, new = ways()
    lines = many_profiles(old.quick("export", "--store", "default").splitlines()[0])
    file = tmp_path / "store.jsonl"
    file.write_text("\n".join(lines) + "\n")
    command = ["import", str(file), "--store", "default"]
    kill_when(new, lambda: profiles_in(new) > 0, *command)
    some = profiles_in(new)
    assert f"{some:,} profiles already existed" in new.quick(*command)
    whole = new.quick("export", "--store", "default").splitlines()
    assert normalised(whole[1:]) == normalised(lines[1:])
    assert "0 profiles, 0 lists, 0 items" in new.quick(*command)
    assert new.quick("export", "--store", "default").splitlines()[1:] == whole[1:]


@pytest.mark.slow
def test_deletion_resumes_after_a_kill(ways, tmp_path):
    """A killed deletion resumes; the handle stays taken until everything is removed.
    Rule: store-delete."""
    old, new = ways()
    file = tmp_path / "store.jsonl"
    head = old.quick("export", "--store", "default").splitlines()[0]
    file.write_text("\n".join(many_profiles(head)))
    new.quick("store", "create", "doomed")
    new.quick("import", str(file), "--store", "doomed")
    new.start()
    admin = new.client(new.create_token("doomed"))
    assert admin.get("/items").status_code == 200
    id = stores(new)["doomed"]["id"]
    left = lambda: len(new.rows(f"SELECT 1 FROM profiles WHERE store_id = '{id}'"))  # noqa: E731
    kill_when(new, lambda: left() < PROFILES, "store", "delete", "doomed", "--yes")
    assert 0 < left() < PROFILES
    assert admin.get("/items").status_code == 401
    for command, says in (
        (("store", "create", "doomed"), "already used"),
        (("store", "update", "doomed"), "store delete doomed"),
        (("token", "create", "--label", "x", "--store", "doomed"), "store delete doomed"),
    ):
        code, _, said = new.attempt(*command)
        assert code == 1 and says in said
    new.cli("store", "delete", "doomed", "--yes")
    assert left() == 0
    new.quick("store", "create", "doomed")
    new.stop()
