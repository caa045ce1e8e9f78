"""A request's traceparent (W3C Trace Context) in its log line, its events and their deliveries."""

import json
import secrets

import pytest

from tests.conftest import Shop
from tests.servers import wait_until
from tests.servers.receiver import Message

from .conftest import data, save
from .test_events import read
from .test_webhooks import OPEN, Beside

pytestmark = pytest.mark.xdist_group("webhooks")


@pytest.fixture(scope="module")
def traced(new_service):
    with new_service(**OPEN) as service:
        yield Shop(service, "--events", "on")


def trace() -> str:
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def test_traceparent_is_in_log_events_and_deliveries(traced):
    """Every kind of write records its events with the request's traceparent, which is also in its
    log line and in the header and body of the deliveries. Rule: trace-context."""
    with Beside() as receiver:
        data(traced.admin.post("/webhooks", json={"url": receiver.url}), 201)
        session, customer = traced.session(), traced.gid("7")
        http, sent = session.http, {}

        def send(method: str, path: str, client=http, status: int = 200, **body) -> dict:
            given = trace()
            answer = client.request(method, path, headers={"Traceparent": given}, **body)
            assert answer.status_code == status, answer.text
            sent[given] = answer.headers["X-Request-Id"]
            return answer.json().get("data", {}) if status != 204 else {}

        plain = save(http, 1)
        one = send("POST", "/items", status=201, json={"productId": 2})
        send("PATCH", f"/items/{one['id']}", json={"quantity": 2})
        send("PUT", "/items", json={"items": [{"productId": 3}, {"productId": 4}]})
        made = send("POST", "/lists", status=201, json={"name": "a"})
        send("PUT", f"/lists/{made['id']}/items/{one['id']}")
        send("DELETE", f"/items/{one['id']}", status=204)
        link = {"customer": customer, "session": session.gid}
        send("POST", "/profiles/token", traced.admin, status=201, json=link)
        # An erasure removes events, so the others have to arrive first.
        assert wait_until(lambda: sent.keys() <= {*map(traceparent, receiver.got)}, seconds=60)
        send("DELETE", "/profile", traced.acting_as(customer), status=204)
        assert wait_until(lambda: sent.keys() <= {*map(traceparent, receiver.got)}, seconds=60)

    for given, request_id in sent.items():
        [line] = [line for line in traced.service.log_lines() if request_id in line]
        assert json.loads(line)["traceparent"] == given
    by_trace: dict[str | None, set[str]] = {}
    for message in receiver.got:
        by_trace.setdefault(traceparent(message), set()).add(message.event["type"])
        assert message.event.get("traceparent") == traceparent(message)
    assert by_trace.pop(None) == {"item.created"}
    assert by_trace.keys() == sent.keys()
    [*_, linked, erased] = (by_trace[given] for given in sent)
    assert "profile.linked" in linked and erased == {"profile.erased"}
    assert plain["id"] in {m.event["data"].get("item", {}).get("id") for m in receiver.got}


def traceparent(message: Message) -> str | None:
    return message.headers.get("traceparent")


@pytest.mark.parametrize(
    "lines",
    [
        ["00-" + "0" * 32 + "-b7ad6b7169203331-01"],
        ["00-0af7651916cd43dd8448eb211c80319c-" + "0" * 16 + "-01"],
        ["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
        ["00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"],
        ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"],
        ["anything"],
        [""],
        ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"] * 2,
    ],
)
def test_bad_traceparent_is_ignored(traced, lines):
    """An invalid or repeated traceparent changes nothing: the request succeeds, and neither its log
    line nor its event has one. Rule: trace-context."""
    resume = read(traced)["resume"]
    headers = [
        *traced.customer("9").http.headers.items(),
        *(("traceparent", line) for line in lines),
    ]
    answer = traced.anonymous.post(
        "/items", headers=headers, json={"productId": secrets.randbelow(10**9) + 1}
    )
    item = data(answer, 201)
    assert wait_until(lambda: read(traced, **{"from": resume})["data"], seconds=30)
    [event] = read(traced, **{"from": resume})["data"]
    assert event["data"]["item"]["id"] == item["id"] and "traceparent" not in event
    id = answer.headers["X-Request-Id"]
    assert wait_until(lambda: any(id in line for line in traced.service.log_lines()), seconds=30)
    [line] = [line for line in traced.service.log_lines() if id in line]
    assert "traceparent" not in json.loads(line)
