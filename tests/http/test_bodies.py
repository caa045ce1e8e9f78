"""Bodies and queries that the description forbids are refused, and the message names the field.

Every limit of a field or parameter is tested here, at the first value past it.
"""

import re
from typing import Any

import pytest

from tests.api.conftest import data, envelope, new_list, nothing_changes, refused, save
from tests.conftest import ROOMY

from .description import OPERATIONS, errors_of, follow, parameters_of

SOME = "0190a8b0-0000-7000-8000-000000000000"
# The platform's webhook is left out because its signature is checked first:
# tests/api/test_requests.py.
BODIES = {
    name: content["application/json"]
    for name, (_, _, operation) in OPERATIONS.items()
    if (content := operation.get("requestBody", {}).get("content"))
    and name != "receivePlatformWebhook"
}
ODD: list[Any] = [
    *(None, True, -1, 0, 1.5, 2**53, "", "x", "a\0", "é" * 2_050, [], [1], ["x", "x"], {}),
    *(
        "a b",
        "a\rb",
        "a\x85b",
        "-1",
        "1.",
        ".5",
        "1e3",
        "1.00000",
        "eur",
        "//x",
        "javascript:alert(1)",
    ),
    *(["A"], ["é"], ["a.b"]),
]


def past_limits(schema: dict):
    """Yields the first values past a schema's limits."""
    schema = follow(schema)
    for inner in schema.get("oneOf", ()):
        yield from past_limits(inner)
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if "items" in schema:
        yield from ([value] for value in past_limits(schema["items"]))
        key, *_ = follow(schema["items"]).get("required", [""])
        many = [{key: n} if key else f"x{n}" for n in range(1, schema.get("maxItems", 0) + 2)]
        yield many
        yield [*many[:2], many[0]]


def spoilt(schema: dict, value: dict, place: str = ""):
    """Yields the value with one thing wrong, each with its path."""
    schema = follow(schema)
    schema = follow(schema.get("oneOf", [schema])[0])  # an object, or null
    yield f"{place}colour", value | {"colour": 1}
    for name in schema.get("required", ()):
        yield f"{place}{name}", {key: given for key, given in value.items() if key != name}
    for name, inner in schema["properties"].items():
        for odd in (*ODD, *past_limits(inner)):
            yield f"{place}{name}", value | {name: odd}
        given = value.get(name)
        if isinstance(given, dict):
            for at, changed in spoilt(inner, given, f"{place}{name}."):
                yield at, value | {name: changed}
        elif isinstance(given, list) and given and isinstance(given[0], dict):
            for at, changed in spoilt(follow(inner)["items"], given[0], f"{place}{name}[0]."):
                yield at, value | {name: [changed]}


@pytest.mark.parametrize("name", BODIES)
def test_body_that_the_schema_refuses_is_400(make_shop, name):
    """Each such body is 400 with a message that begins with the field's path, and nothing changes.
    Rules: input-strict, error-envelope, openapi-complete."""
    shop = make_shop(*ROOMY, "--purchases", "on")
    member = shop.customer("1").http
    method, path, operation = OPERATIONS[name]
    path = path.replace("{listId}", new_list(member)["id"]).replace("{productId}", "7")
    by_admin = operation.get("x-admin-token", False)
    example = next(iter(BODIES[name]["examples"].values()))["value"]
    wrong = []
    with nothing_changes(shop.admin):
        for place, body in spoilt(BODIES[name]["schema"], example):
            if errors_of(BODIES[name]["schema"], body):
                http = shop.admin if by_admin else member
                answer = http.request(method, re.sub(r"{\w+}", SOME, path), json=body)
                if not envelope(answer, 400).startswith(place):
                    wrong.append((place, str(body)[:100], answer.text))
    assert wrong == []


QUERIES = {
    name: entries
    for name in OPERATIONS
    if (entries := [entry for entry in parameters_of(name) if entry["in"] == "query"])
}
NUMBERS = ("0", "251", "-1", "-0", "+5", "5.0", "1e3", "0x5", "5_0", "1,0", "9" * 5000, "\u0665")
TEXTS = ("", " ", "null", "[5]", " 5", "5 ", "\0", "5\0", "\r\n", "a,", "a,,b", "é", "A" * 5000)


def is_allowed(schema: dict, text: str) -> bool:
    if follow(schema).get("type") == "integer":
        return text in map(str, range(1, 251))
    is_list = schema.get("type") == "array"
    return not errors_of(schema, text.split(",") if is_list else text)


@pytest.mark.parametrize("name", QUERIES)
def test_query_that_the_description_refuses_is_400(make_shop, name):
    """A parameter that is unknown, duplicate or past a limit is 400 and named, and nothing changes.
    Rules: input-strict, list-sort."""
    shop = make_shop(*ROOMY, "--events", "on", "--show-wishes", "on")
    member = shop.customer("1").http
    item, made = save(member, 1)["id"], new_list(member)["id"]
    token = data(member.post(f"/lists/{made}/shares", json={}), 201)["token"]
    method, path, operation = OPERATIONS[name]
    path = path.format_map({"itemId": item, "listId": made, "token": token, "webhookId": SOME})
    by_admin = operation.get("x-admin-token", False)
    http = shop.admin if by_admin else member
    required = [entry["name"] for entry in QUERIES[name] if entry.get("required")]
    needed = {key: "a@shop.example" if key == "email" else "1" for key in required}
    with nothing_changes(member):
        for unknown in ("foo", "Limit", "limit[]", "", "order"):
            refused(http.request(method, path, params=needed | {unknown: "1"}), 400, unknown)
        for entry in QUERIES[name]:
            key = entry["name"]
            given = "&".join(f"{one}={value}" for one, value in needed.items() if one != key)
            is_list = entry["schema"].get("type") == "array"  # may be repeated
            for query in (f"{key}=5&{key}=5", f"{key}=%ff")[is_list:]:
                refused(http.request(method, f"{path}?{given}&{query}"), 400, key)
            for text in (*NUMBERS, *TEXTS):
                if not is_allowed(entry["schema"], text):
                    answer = http.request(method, path, params=needed | {key: text})
                    assert refused(answer, 400).startswith(key), (key, text[:20])
