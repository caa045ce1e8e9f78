"""Upgrade from the first frozen schema, and back: `make test-upgrade`."""

import datetime
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY
from tests.servers import Service, postgres_binaries, wait_until
from tests.service.test_documents import commands, shell
from wishwell.db import migrate

from .filled import answers, filled

OLD = os.environ.get("WISHWELL_TEST_UPGRADE_FROM", "")
"""The command `wishwell` of the previous release."""
ADDED_SINCE = os.environ.get("WISHWELL_TEST_ADDED_SINCE", "")
"""The command of an older program, since which migrations have only added."""

NEWER = [entry.name for entry in migrate.available("sqlite") if entry.version > 1]
PLAN, MIGRATE, EMPTY = commands("docs/operations.md", "## Upgrade")
MOVED = range(201, 209)
UNUSED_ID = "01900000-0000-7000-8000-000000000000"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not OLD, reason="make test-upgrade makes the program of before"),
]


@pytest.fixture
def both(engine, request, tmp_path):
    """The previous program and this one, with the same settings."""
    url = f"sqlite:///{tmp_path}/wishwell.db"
    if engine == "postgresql":
        url = request.getfixturevalue("postgres_server").create_database()
    settings = {
        "WISHWELL_DATABASE_URL": url,
        "WISHWELL_SIGNING_KEYS": SIGNING_KEY,
        "WISHWELL_SEALING_KEYS": SEALING_KEY,
    }
    old, new = Service(settings), Service(settings)
    old.command = Path(OLD)
    yield old, new
    old.close()
    new.close()


def test_older_program_starts_again_on_a_schema_that_has_only_grown(both):
    """After `migrate`, an older program that restarts serves, writes and runs commands next to the new
    one, and both show the same. Rule: migrate-once."""
    old, new = both
    old.command = Path(ADDED_SINCE)
    old.cli("init")
    old.start()
    shop, people, links = filled(old)
    held = answers(old, shop.admin_token, people, links)
    assert "applied" in shell(new, [MIGRATE])
    old.restart()
    assert answers(old, shop.admin_token, people, links) == held
    new.start()
    here, there = (service.client(people["customer 0"].token) for service in both)
    for product, http in enumerate((here, there), 101):
        assert http.post("/items", json={"productId": product}).status_code == 201
    old.quick("store", "create", "another")
    new.quick("store", "update", "another", "--shop-name", "B")
    old.quick("store", "delete", "another", "--yes")
    shown = [answers(service, shop.admin_token, people, links) for service in both]
    assert shown[0] == shown[1] != held


def move_in_turns(old, new) -> None:
    """Moves items of a list, by the new program or by the old one, which can only set the whole
    order. Both show the order of a plain list."""
    made = old.get("/lists").json()["data"][0]["id"]
    for product in MOVED:
        saved = old.post("/items", json={"productId": product, "listIds": [made]})
        assert saved.status_code == 201
    path, order = f"/lists/{made}/items", ordered(old, made)
    for number in range(24):
        item, at = order.pop(5 * number % len(order)), number % 4
        after = order[at - 1] if at else None
        order.insert(at, item)
        if number % 5 in (0, 1):
            moved = (old, new)[number % 5].put(f"{path}/order", json={"itemIds": order})
        else:
            moved = new.put(f"{path}/{item}", json={"after": after})
        assert moved.status_code == 200
        assert ordered(old, made) == ordered(new, made) == order


def ordered(http, made) -> list[str]:
    shown = http.get(f"/lists/{made}?sort=customer").json()["data"]["items"]
    return [item["id"] for item in shown]


def products(http) -> set[int]:
    return {item["productId"] for item in http.get("/items").json()["data"]}


def backup(service: Service, url: str) -> None:
    of_file, of_server = commands("docs/operations.md", "## Backup")
    if url.startswith("sqlite"):
        line = of_file.replace("wishwell ", f"{sys.executable} -m wishwell ")
        shell(service, [line])
    else:
        shell(service, [of_server], PATH=_postgres_path())


def restore(service: Service, url: str) -> None:
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        shutil.copy(service.folder / "backup.db", path)
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    else:
        # Releases before `wishwell restore database` are restored by hand.
        fill = 'pg_restore --no-owner --dbname="$WISHWELL_DATABASE_URL" backup.dump'
        shell(service, [EMPTY, fill], PATH=_postgres_path())


def _postgres_path() -> str:
    return f"{postgres_binaries()}:{os.environ['PATH']}"


def earns(new, shop, who) -> None:
    """An order matches a wish that the old program saved, and reports have the numbers of before."""
    new.quick("store", "update", shop.handle, "--purchases", "on")
    admin, now = new.client(shop.admin_token), datetime.datetime.now(datetime.UTC).isoformat()
    order = {
        "orderId": "1",
        "profile": who.gid,
        "placedAt": now,
        "updatedAt": now,
        "status": "paid",
    }
    order["lines"] = [
        {"productId": 2, "quantity": 2, "unitPrice": {"amount": "1.50", "currency": "EUR"}}
    ]
    assert wait_until(lambda: admin.put("/orders", json={"orders": [order]}).is_success, seconds=30)
    earned = {"orders": 1, "units": 2, "revenue": [{"amount": "3.00", "currency": "EUR"}]}
    [wishes] = new.rows("SELECT count(*) FROM items")[0]
    counted = lambda: admin.get("/reports/summary").json()["data"]  # noqa: E731
    assert wait_until(lambda: counted()["wishes"] == wishes, seconds=100)
    assert counted()["purchases"] == earned


LEFT_BEHIND = (
    "INSERT INTO products (store_id, product_id, id, position, created_at, updated_at, document, "
    f"variants, known) VALUES ('{UNUSED_ID}', '5', '{UNUSED_ID}', '{UNUSED_ID}', '', '', '', '', '')"
)


def test_filled_database_can_be_upgraded_and_restored(both):
    """As in docs/operations.md, old processes keep serving, a new start of the old program is
    refused, a restored backup leads back, and another upgrade works. A row without a store, which
    the old program could leave, is removed.
    Rules: migrate-once, backup-complete, store-delete, list-order."""
    old, new = both
    url = old.settings["WISHWELL_DATABASE_URL"]
    old.cli("migrate")
    old.start()
    shop, people, links = filled(old)
    hook = ("--store", shop.handle, "https://a.example/", "--type", "item.back_in_stock")
    old.quick("webhook", "create", *hook)
    old.rows(LEFT_BEHIND)
    held = answers(old, shop.admin_token, people, links)
    here, visitor = people["customer 0"].http, people["visitor"]
    had = products(here)
    backup(old, url)

    # Step 3: the plan, then the migration; old processes keep serving.
    assert shell(new, [PLAN]).split() == NEWER
    assert NEWER[-1] in shell(new, [MIGRATE])
    assert old.rows(f"SELECT 1 FROM products WHERE store_id = '{UNUSED_ID}'") == []
    assert answers(old, shop.admin_token, people, links) == held
    assert here.post("/items", json={"productId": 101}).status_code == 201

    # Step 4: both versions together, then only the new one.
    new.start()
    there = new.client(people["customer 0"].token)
    assert there.post("/items", json={"productId": 102}).status_code == 201
    assert here.post("/items", json={"productId": 103}).status_code == 201
    for service in both:
        assert service.client(shop.admin_token).put("/products/6", json={}).status_code == 200
    move_in_turns(here, there)
    body = {"customer": people["customer 0"].gid, "session": visitor.gid}
    saved = products(visitor.http)
    assert new.client(shop.admin_token).post("/profiles/token", json=body).status_code == 201
    assert products(there) == products(here) == had | saved | {101, 102, 103, *MOVED}
    old.stop()
    assert products(there) == had | saved | {101, 102, 103, *MOVED}

    # A new start of the old program is refused in one line.
    for command in ("serve", "migrate"):
        done = old.cli(command, check=False)
        assert done.returncode == 1
        assert "newer than this program" in done.stderr
        assert done.stderr.count("\n") == 1
    new.stop()

    # Downgrade: restore the backup and start the old program.
    restore(old, url)
    old.settings["WISHWELL_PORT"] = "0"
    old.start()
    assert answers(old, shop.admin_token, people, links) == held
    again = old.client(people["customer 0"].token)
    assert again.post("/items", json={"productId": 104}).status_code == 201
    held = answers(old, shop.admin_token, people, links)

    # Another upgrade later.
    old.stop()
    assert NEWER[-1] in shell(new, [MIGRATE])
    new.settings["WISHWELL_PORT"] = "0"
    new.start()
    assert answers(new, shop.admin_token, people, links) == held
    earns(new, shop, people["customer 0"])
    new.stop()
    if url.startswith("sqlite"):
        assert old.rows("PRAGMA integrity_check") == [("ok",)]
        assert old.rows("PRAGMA foreign_key_check") == []
