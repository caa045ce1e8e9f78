"""Marketing tools from outside: the commands of docs/marketing.md, the API and the command."""

import json
import time

import pytest

from tests.documents import commands
from tests.servers import wait_until
from tests.servers.tool import KEY, Tool

from .conftest import data, refused, save
from .test_webhooks import Beside, open_service, telling_shop, wait_for_events, webhook_shop

__all__ = ["open_service", "telling_shop", "webhook_shop"]
pytestmark = pytest.mark.xdist_group("webhooks")
LAMP = {"title": "Lamp", "url": "https://shop.example/lamp"}
VENDORS = {
    "segment": "https://api.segment.io/v1",
    "klaviyo": "https://a.klaviyo.com/api",
    "brevo": "https://api.brevo.com/v3",
}


@pytest.mark.parametrize("name", ["Segment", "Klaviyo", "Brevo"])
def test_documented_commands_send_a_price_drop_to_the_tool(webhook_shop, name):
    """The commands of docs/marketing.md make a webhook, and the next price drop arrives in the
    tool's schema. Rules: format-events, format-key."""
    format = name.lower()
    lines = commands("docs/marketing.md", f"## {name}")
    with Beside(Tool(format)) as tool:
        (webhook_shop.service.folder / f"{format}.key").write_text(f"{KEY}\n")
        shown = []
        for line in lines:
            program, *words = line.replace(VENDORS[format], tool.url).split()
            assert program == "wishwell"
            words = [
                str(webhook_shop.service.folder / w) if w.endswith(".key") else w for w in words
            ]
            shown.append(
                webhook_shop.service.quick(*words, "--store", webhook_shop.handle, "--json")
            )
        [hook] = json.loads(shown[-1])
        assert (hook["format"], hook["enabled"], "secret" in hook) == (format, True, False)
        wait_for_events(webhook_shop)
        _put(webhook_shop, "79.90")
        save(webhook_shop.customer().http, 1)
        time.sleep(0.1)
        _put(webhook_shop, "59.90")
        wanted = "price_dropped" if format == "brevo" else "Price Dropped"
        dropped = lambda: any(wanted in json.dumps(call.body) for call in list(tool.got))  # noqa: E731
        assert wait_until(dropped, seconds=60)
        assert tool.wrong == []
        metrics = webhook_shop.admin.get(f"{webhook_shop.service.url}/metrics").text
    assert KEY not in "".join(shown) + webhook_shop.service.output() + metrics


def _put(shop, price):
    body = LAMP | {"price": {"amount": price, "currency": "EUR"}}
    assert shop.admin.put("/products/1", json=body).status_code in (200, 201)


def test_format_key_is_accepted_and_never_shown(webhook_shop):
    """The API takes a format with its key, refuses one without the other and a URL with a query,
    and shows the key in no answer. Rules: format-key, format-events, error-envelope."""
    new = {"url": VENDORS["klaviyo"], "format": "klaviyo", "key": KEY, "include": ["product"]}
    made = webhook_shop.admin.post("/webhooks", json=new)
    hook = data(made, 201)
    assert (hook["format"], hook["include"]) == ("klaviyo", ["product"])
    path = f"/webhooks/{hook['id']}"
    answers = [made, webhook_shop.admin.get(path), webhook_shop.admin.get("/webhooks")]
    whole = data(answers[1])
    assert data(webhook_shop.admin.patch(path, json=whole)) == whole
    moved = {"url": "https://elsewhere.example/api"}
    refused(webhook_shop.admin.patch(path, json=moved), 400, "key")
    for end in ("?site=1", "?", "#x"):
        at = {"url": VENDORS["klaviyo"] + end, "key": KEY}
        for answer in (
            webhook_shop.admin.post("/webhooks", json=new | at),
            webhook_shop.admin.patch(path, json=at),
        ):
            assert end == "#x" or "paths are appended" in refused(answer, 400, "url")
            refused(answer, 400, "url")
    answers.append(webhook_shop.admin.patch(path, json=moved | {"key": f"{KEY}2", "include": []}))
    assert data(answers[-1])["url"] == moved["url"]
    refused(webhook_shop.admin.post(f"{path}/secret"), 409)
    for wrong, field in (
        ({"key": None}, "key"),
        ({"format": None}, "key"),
        ({"format": "mailchimp"}, "format"),
        ({"key": "short"}, "key"),
        ({"key": "with space"}, "key"),
        ({"key": f"{KEY}\n"}, "key"),
        ({"include": ["price"]}, "include[0]"),
        ({"include": ["product", "product"]}, "include"),
    ):
        answers.append(webhook_shop.admin.post("/webhooks", json=new | wrong))
        refused(answers[-1], 400, field)
    assert KEY not in "".join(answer.text for answer in answers)
    page = data(webhook_shop.admin.get("/webhooks"))
    assert [one["id"] for one in page] == [hook["id"]]


def test_command_reads_the_key_from_a_file(webhook_shop, tmp_path):
    """`--key-file` reads a key, or refuses the file's content without printing it.
    Rules: format-key, command-error."""
    where = ("--store", webhook_shop.handle, "--json")
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "bad").write_text("a key with spaces")
    make = "webhook", "create", VENDORS["brevo"], "--format", "brevo"
    for words in ((*make, "--key-file", str(tmp_path / "bad")), make):
        code, _, err = webhook_shop.service.attempt(*words, *where)
        assert code == 1 and "key" in err and "with spaces" not in err.replace("without spaces", "")
    [hook] = json.loads(
        webhook_shop.service.quick(*make, "--key-file", str(tmp_path / "key"), *where)
    )
    queried = f"{VENDORS['brevo']}?x=1"
    for words in (
        ("webhook", "create", queried, "--format", "brevo"),
        ("webhook", "update", hook["id"], "--url", queried),
    ):
        code, _, err = webhook_shop.service.attempt(
            *words, "--key-file", str(tmp_path / "key"), *where
        )
        assert code == 1 and "url: must have no query" in err
    update = "webhook", "update", hook["id"], "--include"
    for include, shown in (("product", ["product"]), ("nothing", [])):
        [after] = json.loads(webhook_shop.service.quick(*update, include, *where))
        assert after.get("include", []) == shown
