"""Bodies that aren't JSON, or not the expected JSON."""

import time

import msgspec
import pytest

from wishwell import json_keys
from wishwell.http.server.body_reader import MAX_BODY

from .conftest import data, envelope, nothing_changes, products, refused, wrong

JSON = {"Content-Type": "application/json"}
DEEP = 40_000

# Bodies that no operation accepts, by name.
NOT_JSON = {
    "empty": b"", "space": b" ", "null": b"null", "number": b"1", "string": b'"productId"', "array": b"[]",
    "array of objects": b'[{"productId":1}]', "half": b'{"productId":', "single quotes": b"{'productId':1}",
    "trailing comma": b'{"productId":1,}', "comment": b'{"productId":1 /* one */}', "form": b"productId=1",
    "trailing bytes": b'{"productId":1}x', "two objects": b'{"productId":1}{"productId":2}',
    "trailing nul": b'{"productId":1}\x00', "BOM": b'\xef\xbb\xbf{"productId":1}',
    "UTF-16 with BOM": '{"productId":1}'.encode("utf-16"), "no-break space": b'{"productId":\xc2\xa01}',
    "NaN": b'{"productId":NaN}', "-Infinity": b'{"productId":-Infinity}', "1e400": b'{"productId":1e400}',
    "01": b'{"productId":01}', "5,000 digits": b'{"productId":-' + b"9" * 5000 + b"}",
    "1.0": b'{"productId":1.0}', "1e0": b'{"productId":1e0}', "-0": b'{"productId":-0}',
    "invalid UTF-8 in a key": b'{"\xff":1,"productId":1}', "cut UTF-8": b'{"productId":1,"tags":["\xe2\x82"]}',
    "overlong": b'{"productId":1,"tags":["\xc0\xaf"]}', "surrogate": b'{"productId":1,"tags":["\xed\xa0\x80"]}',
    "lone surrogate": b'{"productId":1,"tags":["\\ud800"]}', "in a key": b'{"productId":1,"\\udc00":1}',
    "control in a string": b'{"productId":1,"tags":["a\nb"]}', "bad escape": b'{"productId":1,"tags":["\\x41"]}',
    "deep and open": b"[" * 200_000, "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
}  # fmt: skip

# Duplicate keys in every spelling. A parser that keeps the last one would let two readers of one
# body see two different requests.
TWICE = {
    "plain": b'{"productId":1,"productId":2}', "the same value": b'{"productId":1,"productId":1}',
    "escaped": b'{"productId":1,"product\\u0049d":2}', "escaped first": b'{"\\u0070roductId":1,"productId":2}',
    "between": b'{"productId":1,"quantity":1,"productId":2}', "another": b'{"productId":1,"quantity":1,"quantity":1}',
    "null": b'{"productId":1,"variantId":null,"variantId":2}', "arrays": b'{"productId":1,"tags":["a"],"tags":["b"]}',
    "nested": b'{"productId":1,"x":{"a":1,"a":2}}', "nested in an array": b'{"productId":1,"tags":[{"a":1,"a":1}]}',
    "empty key": b'{"productId":1,"":1,"":2}',
}  # fmt: skip


@pytest.fixture
def member(roomy_shop):
    return roomy_shop.customer("1")


@pytest.mark.parametrize("operation", ["POST /items", "DELETE /items", "POST /profiles/token"])
def test_bad_json_is_refused(member, roomy_shop, operation):
    """Invalid JSON is refused and changes nothing. More malformed bodies:
    tests/http/test_bodies.py.
    Rule: input-strict."""
    method, _, path = operation.partition(" ")
    http = roomy_shop.admin if path.startswith("/profiles") else member.http
    # POST /profiles/token accepts an empty body, and null for it.
    optional = {"empty", "space", "null"} if path == "/profiles/token" else set()
    statuses = {}
    with nothing_changes(member.http):
        for name in NOT_JSON.keys() - optional:
            body = NOT_JSON[name]
            if method == "DELETE":
                body = body.replace(b'"productId"', b'"itemIds"')
            answer = http.request(method, path, content=body, headers=JSON)
            envelope(answer, statuses.setdefault(name, answer.status_code))
    assert wrong(400, statuses) == {}


def test_duplicate_key_is_refused(member, roomy_shop):
    """A duplicate key is refused in any spelling and at any depth. Rule: input-strict."""
    gids = [roomy_shop.gid("1"), roomy_shop.gid("2")]
    twice = '{{"customer":"{}","cust\\u006fmer":"{}"}}'.format(*gids)
    with nothing_changes(member.http):
        for http, path, body in (
            (roomy_shop.admin, "/profiles/token", twice),
            (member.http, "/lists", '{"name":"a","name":"b"}'),
            *((member.http, "/items", body) for body in TWICE.values()),
        ):
            refused(http.post(path, content=body, headers=JSON), 400)
        for name in ("plain", "escaped"):
            answer = member.http.post("/items", content=TWICE[name], headers=JSON)
            refused(answer, 400, "productId")


def test_trailing_newline_in_a_text_is_refused(make_shop):
    """An id, tag or URL with a trailing newline is refused as with any other control character.
    Rules: store-product-ids, error-envelope."""
    shop = make_shop("--product-ids", "text", "--purchases", "on")
    http = shop.customer().http
    for body, field in (
        ({"productId": "a\n"}, "productId"),
        ({"productId": "a", "variantId": "b\n"}, "variantId"),
        ({"productId": "a", "tags": ["a\n"]}, "tags[0]"),
    ):
        refused(http.post("/items", json=body), 400, field)
    refused(shop.admin.put("/products/a", json={"url": "https://a.example/\n"}), 400, "url")
    refused(shop.admin.put("/orders", json={"orders": [{"orderId": "1\n"}]}), 400, "orderId")
    assert products(http) == []


def test_valid_json_in_unusual_spelling_is_accepted(member):
    """Valid JSON in unusual spelling is accepted."""
    for body in (
        b' \t\r\n{ "productId" :\n1 } \n',
        b'{"\\u0070roductId":2}',
        b'{"productId":3,"tags":["\\u0061"]}',
    ):
        data(member.http.post("/items", content=body, headers=JSON), 201)
    assert sorted(products(member.http)) == [1, 2, 3]


def test_repeated_key_among_thousands_is_found_in_linear_time():
    """To find that the last of 23,000 keys repeats another takes at most 50 times as long as to decode
    the body, which is as large as the limit allows. Rule: input-strict."""
    keys = [f'"k{number:05}":1' for number in range(23_000)]
    body = f"{{{','.join([*keys, keys[-1]])}}}".encode()
    assert 250_000 < len(body) < MAX_BODY

    def seconds(work) -> float:
        began = time.process_time()
        for _ in range(5):
            work(body)
        return time.process_time() - began

    assert json_keys.duplicate_key(body) == "k22999"
    assert seconds(json_keys.duplicate_key) < 50 * seconds(msgspec.json.decode)
