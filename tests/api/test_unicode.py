"""Any text in any script, on both engines alike: kept to the code point, or refused by the rule."""

import json
import random

from tests.api.conftest import new_list

STRINGS = 1_000
PIECES = [
    *(
        "a",
        "Z",
        "0",
        " ",
        "\t",
        "\n",
        "\x7f",
        "\x85",
        "\u00a0",
        "\u00e9",
        "e\u0301",
        "\u200b",
        "\u2028",
    ),
    *(
        "\u202e",
        "\u2066",
        "\ufeff",
        "\ufffd",
        "\uffff",
        "\U0001f381",
        "\U0001f468\u200d\U0001f469",
        "\U0010ffff",
    ),
    *(
        "\u0645\u0631\u062d",
        "\u4e2d\u6587",
        "\u0e01\u0e34",
        "%",
        "_",
        "'",
        '"',
        "\\",
        "--",
        "$1",
        "\u0344" * 40,
    ),
]


def kept(name):
    """The name as it must come back, or None where the rule refuses it (contract: list-name)."""
    name = name.strip()
    control = any(ord(c) < 32 or 127 <= ord(c) <= 159 for c in name)
    return name if 1 <= len(name) <= 255 and not control else None


def test_random_names_come_back_as_they_were_or_are_refused(roomy_shop):
    """contract: text-kept, engines-alike. The same thousand on each engine; lengths count in code
    points, nothing is normalised."""
    http = roomy_shop.customer("1").http
    path = f"/lists/{new_list(http)['id']}"
    source, taken = random.Random(5), 0
    for number in range(STRINGS):
        name = "".join(source.choices(PIECES, k=source.choice((1, 3, 10, 60, 250))))
        body = json.dumps({"name": name}, ensure_ascii=number % 2 == 0).encode()
        answer = http.patch(path, content=body, headers={"Content-Type": "application/json"})
        if kept(name) is None:
            assert answer.status_code == 400, (name, answer.text)
            continue
        taken += 1
        assert answer.status_code == 200, (name, answer.text)
        assert answer.json()["data"]["name"] == kept(name)
        assert http.get(path).json()["data"]["name"] == kept(name)
    assert STRINGS * 0.1 < taken < STRINGS * 0.9
