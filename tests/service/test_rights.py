"""A PostgreSQL role that lacks rights, and deletions that fail in the background."""

import re

import pytest

from tests.conftest import SEALING_KEY, Shop
from tests.servers import ServerFailed, wait_until
from wishwell.db.postgres.cluster import DISTRIBUTION

from .test_bad_rows import events
from .test_doctor import doctor_lines
from .test_metrics import value

ROLE = "served"
RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE")


@pytest.fixture
def owner(new_service, engine, postgres_server):
    """A function that runs SQL as the owner of the database of ``service``, and the service, which uses
    another role with the four rights on all tables."""
    if engine == "sqlite":
        pytest.skip("SQLite has no roles")
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    database = service.settings["WISHWELL_DATABASE_URL"].rpartition("/")[2]
    run = lambda statement: postgres_server.sql(statement, database)  # noqa: E731
    if not run(f"SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}'"):
        run(f"CREATE ROLE {ROLE} LOGIN")
    run(f"GRANT {', '.join(RIGHTS)} ON ALL TABLES IN SCHEMA public TO {ROLE}")
    url = service.settings["WISHWELL_DATABASE_URL"]
    service.settings["WISHWELL_DATABASE_URL"] = re.sub("//.*@", f"//{ROLE}@", url)
    return run, service


def test_start_and_doctor_name_the_missing_rights(owner):
    """A role without one of the rights on one of the tables isn't served: start and doctor name table
    and right, for each table of the schema. Rule: database-rights."""
    run, service = owner
    run(f"REVOKE DELETE ON items FROM {ROLE}; REVOKE SELECT, UPDATE ON clocks FROM {ROLE}")
    with pytest.raises(ServerFailed) as refused:
        service.start()
    says = f"The database role {ROLE} lacks SELECT, UPDATE on clocks; DELETE on items. As the tables' owner"
    assert says in str(refused.value)
    [line] = [one for one in doctor_lines(service).values() if one["what"] == "migrations"]
    assert (line["state"], says in line["says"]) == ("bad", True)
    run(
        f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {ROLE}; GRANT SELECT ON migrations TO {ROLE}"
    )
    named = re.findall(
        rf"{', '.join(RIGHTS)} on (\w+)", doctor_lines(service)["migrations"]["says"]
    )
    assert named == sorted(DISTRIBUTION.keys() - {"migrations"})


@pytest.mark.slow
def test_failing_deletion_is_reported_until_it_succeeds(owner):
    """If the role loses a right while the service runs, an erasure hides the data, and its failing
    removal is logged and shown by metric and readiness, until it succeeds.
    Rules: erase-completes, health-checks."""
    run, service = owner
    shop = Shop(service.start())
    customer = shop.customer()
    assert customer.http.post("/items", json={"productId": 5}).status_code == 201

    def ready():
        return service.client().get(f"{service.url}/readyz").json()

    def failing():
        return value(service, "wishwell_background_failing", task="erasing")

    assert (ready(), failing()) == ({"status": "ok"}, 0)
    run(f"REVOKE DELETE ON items FROM {ROLE}")
    assert shop.acting_as(customer.gid).delete("/profile").status_code == 204
    assert wait_until(lambda: "failing" in ready(), seconds=30, every=0.1)
    assert ready() == {"status": "ok", "failing": "erasing"}
    assert wait_until(lambda: failing() == 1, seconds=30, every=0.1)
    # The log is written by a thread of its own.
    assert wait_until(lambda: events(service, "erasing_put_off"), seconds=30, every=0.1)
    assert "permission denied for table items" in events(service, "profile_not_erased")[0]["reason"]
    [line] = events(service, "erasing_put_off")
    assert line["reason"] == "1 can't be removed yet; the log says why."
    run(f"GRANT DELETE ON items TO {ROLE}")
    assert wait_until(lambda: "failing" not in ready(), seconds=30, every=0.1)
    assert run("SELECT count(*) FROM items").strip() == "0"
    assert wait_until(lambda: failing() == 0, seconds=30, every=0.1)
