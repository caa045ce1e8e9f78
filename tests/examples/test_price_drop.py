"""examples/price-drop, run by its README: a lower price sends an e-mail."""

from __future__ import annotations

import contextlib
import email
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.conftest import missing, slow
from tests.examples.conftest import CLEAN, ROOT
from tests.servers import HERE, Service, free_port, wait_until
from tests.service.test_documents import commands, shell
from wishwell_client import EventProduct, Money, Wishwell

STARTED = "python receiver.py &"


def read(mail: Path) -> tuple[object, object, object]:
    """Returns an e-mail's recipient, subject and text."""
    if mail.suffix == ".json":
        kept = json.loads(mail.read_text())
        return kept["to"], kept["subject"], kept["text"]
    parsed = email.message_from_bytes(mail.read_bytes())
    return parsed["To"], parsed["Subject"], parsed.get_payload()


@pytest.fixture(params=["python", slow("node")])
def receiver(request) -> str:
    """The command that starts the receiver."""
    if request.param == "python":
        return "python receiver.py"
    if not (shutil.which("node") and shutil.which("npm")):
        missing("there is no node, or no npm")
    return "node receiver.js"


@pytest.mark.slow
def test_price_drop_sends_one_email_when_delivered_twice(receiver):
    """A price drop sends one e-mail although its event is delivered twice; unsigned messages are
    refused."""
    port = free_port()
    hook = f"http://{HERE}:{port}/"
    _, exported, *rest = commands("examples/price-drop/README.md", "# Price drop")
    assert rest == ["wishwell init", "wishwell serve"]
    settings = dict(word.split("=") for word in exported.removeprefix("export ").split())
    with Service(settings) as service:
        for file in (ROOT / "examples" / "price-drop").glob("*.*"):
            shutil.copy(file, service.folder)
        if receiver.startswith("node"):
            subprocess.run(CLEAN, cwd=service.folder, check=True, timeout=120)
        pid = service.folder / "receiver.pid"
        changes = {
            STARTED: f"{receiver} >receiver.log 2>&1 & echo $! >{pid.name}",
            "http://127.0.0.1:8000": service.url,
            "http://127.0.0.1:3000/": hook,
        }
        text = "\n".join(commands("examples/price-drop/README.md", "## The lamp becomes cheaper"))
        for old, new in changes.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        try:
            assert "20.00 EUR less" in shell(service, [text], PORT=str(port))
            assert httpx2.post(hook, json={"type": "item.price_dropped"}).status_code == 400
            [webhook] = json.loads(service.quick("webhook", "list", "--json"))

            def delivered() -> dict:
                [one] = json.loads(service.quick("webhook", "deliveries", webhook["id"], "--json"))
                return one

            first = delivered()
            service.quick("webhook", "retry", webhook["id"], first["id"])
            assert wait_until(lambda: delivered()["attempts"] > first["attempts"], seconds=30)
            with Wishwell(service.url, service.admin_token()) as admin:
                [event] = admin.events.list(types=["item.price_dropped"])
            told = event.data
            assert (told.previous_price, told.price) == (
                Money("79.90", "EUR"),
                Money("59.90", "EUR"),
            )
            assert told.product == EventProduct("Lamp", "https://shop.example/lamp")
        finally:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                os.kill(int(pid.read_text()), signal.SIGTERM)
        assert delivered()["status"] == "delivered"
        [mail] = (service.folder / "mails").iterdir()
        assert mail.stem == first["eventId"]
        assert read(mail) == (
            "ada@shop.example",
            "Lamp is 20.00 EUR less",
            "You wished for it: Lamp is 59.90 EUR now, it was 79.90.\n\nhttps://shop.example/lamp\n",
        )
        assert "Traceback" not in (service.folder / "receiver.log").read_text()
