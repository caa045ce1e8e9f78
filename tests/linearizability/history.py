"""What several clients asked at once, when, and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request. ``scope`` is the GID of the profile that it acts on, None for a whole store.

    ``by_token``: with the profile's own token, not with an admin token and a header.
    """

    kind: str
    scope: str | None
    by_token: bool = False
    target: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A status, and what was in ``data``; of pages the edge on each side that has more."""

    status: int
    data: Any = None
    older: bool = False
    newer: bool = False


@dataclass(frozen=True)
class Operation:
    """A call, with its times in nanoseconds: before its first byte was sent, after the last had come."""

    number: int
    client: int
    call: Call
    invoked: int
    returned: int
    answer: Answer


def records(data: Any) -> list[dict[str, Any]]:
    """Every item and list in an answer, the items of lists among them."""
    found = []
    for record in data if isinstance(data, list) else [data] if isinstance(data, dict) else []:
        if "id" in record:
            found += [record, *record.get("items", [])]
    return found
