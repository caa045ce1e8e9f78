"""Bodies that the description's schemas forbid are refused, and the message names the field."""

import re
from typing import Any

import pytest

from tests.api.conftest import envelope, new_list, nothing_changes

from .test_openapi import OPERATIONS, errors_of, follow

pytestmark = pytest.mark.either_engine

SOME = "0190a8b0-0000-7000-8000-000000000000"
# The platform's webhook is left out because its signature is checked first:
# tests/api/test_requests.py.
BODIES = {
    name: content["application/json"]
    for name, (_, _, operation) in OPERATIONS.items()
    if (content := operation.get("requestBody", {}).get("content"))
    and name != "takePlatformWebhook"
}
ODD: list[Any] = [
    *(None, True, -1, 0, 1.5, 2**53, "", "x", "a\0", "é" * 2_050, [], [1], ["x", "x"], {}),
]


def spoilt(schema: dict, value: dict, place: str = ""):
    """Yields the value with one thing wrong, each with its path."""
    schema = follow(schema)
    schema = follow(schema.get("oneOf", [schema])[0])  # an object, or null
    yield f"{place}colour", value | {"colour": 1}
    for name in schema.get("required", ()):
        yield f"{place}{name}", {key: given for key, given in value.items() if key != name}
    for name, inner in schema["properties"].items():
        for odd in ODD:
            yield f"{place}{name}", value | {name: odd}
        given = value.get(name)
        if isinstance(given, dict):
            for at, changed in spoilt(inner, given, f"{place}{name}."):
                yield at, value | {name: changed}
        elif isinstance(given, list) and given and isinstance(given[0], dict):
            for at, changed in spoilt(follow(inner)["items"], given[0], f"{place}{name}[0]."):
                yield at, value | {name: [changed]}


@pytest.mark.parametrize("name", BODIES)
def test_body_that_the_schema_refuses_is_400(roomy_shop, name):
    """Each such body is 400 with a message that begins with the field's path, and nothing changes.
    Rules: input-strict, error-envelope, openapi-complete."""
    member = roomy_shop.customer("1").http
    method, path, operation = OPERATIONS[name]
    path = path.replace("{listId}", new_list(member)["id"]).replace("{productId}", "7")
    by_admin = operation.get("security") == [{"bearer": ["admin"]}]
    example = next(iter(BODIES[name]["examples"].values()))["value"]
    wrong = []
    with nothing_changes(roomy_shop.admin):
        for place, body in spoilt(BODIES[name]["schema"], example):
            if errors_of(BODIES[name]["schema"], body):
                http = roomy_shop.admin if by_admin else member
                answer = http.request(method, re.sub(r"{\w+}", SOME, path), json=body)
                if not envelope(answer, 400).startswith(place):
                    wrong.append((place, str(body)[:100], answer.text))
    assert wrong == []
