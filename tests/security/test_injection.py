"""Text with a meaning to a database, file system, template or network is treated as text."""

from __future__ import annotations

import re
import socket

from tests.api.conftest import data, envelope, item, new_list, save

SQL = [
    "'", '"', "\\'", "`", ";", "--", "/*", "%", "_", "$1", "?1", ":name", "{0}", "%s", "$$", "' OR '1'='1",
    "1; DROP TABLE items; --", "' UNION SELECT token_hash FROM admin_tokens --", "1) OR (1=1",
    "'||(SELECT version())||'", "'; SELECT pg_sleep(5); --", "%27%20OR%201=1", "\uff07 OR 1=1",
    "x'; ATTACH '/tmp/x' AS y; --", "E'\\047'", "{{7*7}}", "$(id)", "../../../etc/passwd", "<script>alert(1)</script>",
]  # fmt: skip
CUSTOMER = "gid://shopify/Customer/"
CUSTOMER_ID = re.compile("(?!-$|.*\\{\\{)[!-$&-.0-~]{1,255}")


def in_a_path(text: str) -> str:
    for sign in "?/\0":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def test_sql_in_every_other_string_is_refused_or_finds_nothing(roomy_shop):
    """SQL in any string is refused or matches nothing, and NUL is refused, on both engines.
    Rule: input-inert."""
    member = roomy_shop.customer("1")
    http, admin = member.http, roomy_shop.admin
    mine = save(http, 1)
    save(roomy_shop.customer("2").http, 2)
    new_list(http)
    got: dict[str, int] = {}
    for text in (*SQL, "a\0"):
        calls = {
            "item": http.get(f"/items/{in_a_path(text)}"),
            "tag": http.post("/items", json={"productId": 5, "tags": [text]}),
            "list ids": http.post("/items", json={"productId": 5, "listIds": [text]}),
            "product": http.post("/items", json={"productId": text}),
            "field": http.post("/items", json={"productId": 5, text: 1}),
            "set lists": http.put(f"/items/{mine['id']}/lists", json={"listIds": [text]}),
            "page": http.get("/items", params={"page": text}),
            "query": http.get("/items", params={"query": text}),
            "query product": http.get("/items", params={"query": f"product:{text}"}),
            "parameter": http.get("/items", params={text: "1"}),
            "customer": admin.post("/profiles/token", json={"customer": text}),
            "customer id": admin.post("/profiles/token", json={"customer": f"{CUSTOMER}{text}"}),
            "profile": admin.get("/items", headers={"Profile": text.replace("\0", "%00").encode()}),
        }
        got |= {f"{place} {text!r}": answer.status_code for place, answer in calls.items()}
        tagged = http.get("/items", params={"query": f"tag:{text}"})
        if tagged.status_code == 200:
            assert all(text in entry["tags"] for entry in tagged.json()["data"]), text
        deleted = http.request("DELETE", "/items", json={"itemIds": [text]})
        assert deleted.status_code == 204, text
        for answer in calls.values():
            if answer.status_code >= 400:  # a token in an answer may contain any letters by chance
                envelope(answer, answer.status_code)
                assert "sql" not in answer.text.lower() and "syntax" not in answer.text.lower()
    odd = {place: status for place, status in got.items() if status not in (400, 404)}
    # `_` and `--` are valid tags, and most of these are valid customer ids or placeholders.
    fine = {f"tag {text!r}" for text in ("_", "--")}
    fine |= {f"customer id {text!r}" for text in SQL if CUSTOMER_ID.fullmatch(text)}
    assert odd.keys() == fine and set(odd.values()) <= {200, 201}
    assert item(http, mine["id"]) == mine
    assert len(data(admin.get("/items"))) == 3


def test_no_input_makes_the_service_connect_anywhere(roomy_shop):
    """A URL in any string or header makes the service connect nowhere. Rule: input-inert."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    http, admin = roomy_shop.customer("1").http, roomy_shop.admin
    for start in ("http://", "//", "gopher://"):
        url = f"{start}127.0.0.1:{port}/x"
        new_list(http, url)
        http.post("/items", json={"productId": 1, "tags": [url], "listIds": [url]})
        http.get("/items", params={"query": f"tag:{url}", "page": url})
        admin.post("/profiles/token", json={"customer": url, "session": url})
        admin.post("/profiles/identify", json={"email": f"a@127.0.0.1:{port}"})
        admin.post("/profiles/identify", json={"email": "a@127.0.0.1"})
        names = ("Origin", "Referer", "Host", "X-Forwarded-Host", "X-Original-URL", "Forwarded")
        http.get("/items", headers=dict.fromkeys(names, url))
        http.get("/items", headers={"Profile": url})
    # An earlier connection would precede the test's own in the listener's queue.
    with listener, socket.create_connection(("127.0.0.1", port)) as mine:
        connection, source = listener.accept()
        connection.close()
        assert source == mine.getsockname()
