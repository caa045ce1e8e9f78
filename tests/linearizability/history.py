"""The records of a history: calls, their times, and the responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """A request. ``scope`` is the GID of the profile that it acts on, or `None` for a whole
    store. ``by_token``: sent with the profile's own token rather than an admin token and a header."""

    kind: str
    scope: str | None
    by_token: bool = False
    target: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A status and the response's ``data``; for pages also whether older and newer ones exist."""

    status: int
    data: Any = None
    older: bool = False
    newer: bool = False


@dataclass(frozen=True)
class Operation:
    """A call with its times in nanoseconds: before its first byte was sent, and after the last was
    received."""

    number: int
    client: int
    call: Call
    invoked: int
    returned: int
    answer: Answer


def records(data: Any) -> list[dict[str, Any]]:
    """Returns every item and list in a response, including the items of lists."""
    found = []
    for record in data if isinstance(data, list) else [data] if isinstance(data, dict) else []:
        if "id" in record:
            found += [record, *record.get("items", [])]
    return found
