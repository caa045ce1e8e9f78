"""Runs the programs of docs/client.md, docs/events.md and the client's README unchanged."""

import re
from pathlib import Path

from msgspec.structs import replace

from tests.servers import Service, wait_until
from wishwell_client import Wishwell

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TEXT = (DOCS / "client.md").read_text() + (ROOT / "clients/python/README.md").read_text()


def programs(text):
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_every_example_of_the_guide_runs():
    """Every Python example of docs/client.md runs."""
    examples = programs(TEXT)
    assert len(examples) == 8
    with Service() as service:
        service.cli("store", "update", "default", "--purchases", "on")
        service.restart()
        for example in examples:
            assert "http://127.0.0.1:8000" in example
            program = example.replace("http://127.0.0.1:8000", service.url).replace(
                "wwadm_…", service.admin_token()
            )
            exec(program, {"__name__": "__main__"})
        assert "Traceback" not in service.output()


def test_copy_made_by_the_events_page_equals_the_store():
    """The copy equals the store after changes, a sign-in, a deletion, and a feed that returned 410."""
    [text] = programs((DOCS / "events.md").read_text())
    program, _, _ = text.partition("\nwith Wishwell(")
    copy: dict = {}
    exec(program, copy)
    with Service() as service:
        service.cli("store", "update", "default", "--events", "on")
        service.restart()
        with Wishwell(service.url, service.admin_token()) as admin:
            ann = admin.acting_as("gid://shopify/Customer/1")
            first = ann.items.create(1)
            wishes, resume = copy["bring_up_to_date"](admin, {}, None)
            visit = admin.profiles.token()
            visitor = admin.acting_as(visit.profile)
            visitor.items.create(1, quantity=9)
            visitor.items.create(2)
            wishes, resume = copy["bring_up_to_date"](admin, wishes, resume)
            admin.profiles.token(customer="gid://shopify/Customer/1", session=visit.profile)
            ann.items.delete(first.id)
            ann.items.create(3, tags=["gift"])
            for begun in (resume, "999"):
                assert wait_until(
                    lambda: any(
                        event.data.item and event.data.item.product_id == 3
                        for event in admin.events.list(from_=resume).data
                    ),
                    seconds=30,
                )
                wishes, _ = copy["bring_up_to_date"](admin, wishes, begun)
                assert {gid: mine for gid, mine in wishes.items() if mine} == {
                    "gid://shopify/Customer/1": {
                        item.id: replace(item, profile=None) for item in ann.items.all()
                    }
                }
