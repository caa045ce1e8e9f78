"""An API call as a value: the request, whether it is idempotent, and the response's decoder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

__all__ = ["UNSET", "Call", "UnsetType"]

PREFIX = "/api/2025-04"

T = TypeVar("T")


# rule: retry-harmless
@dataclass(frozen=True)
class Call(Generic[T]):
    """An API call.

    ``repeatable``: idempotent, so a retry is safe even if the outcome of an attempt is unknown.
    """

    method: str
    path: str
    read: Callable[[bytes], T]
    params: Mapping[str, str | int] = field(default_factory=dict)
    body: bytes | None = None
    repeatable: bool = True

    @property
    def gone_is_done(self) -> bool:
        """Whether a retry's 404 means success: an earlier attempt may have deleted the record."""
        return self.method == "DELETE" and self.body is None


def path(*parts: int | str) -> str:
    """Returns a path with these segments. Ids can be any text, but can't change the path.

    Some servers and proxies decode a path before they split it. So slashes, which no valid id has,
    are escaped twice, and the service responds with 404.
    """
    escaped = (quote(str(part).replace("/", "%2F"), safe="").replace(".", "%2E") for part in parts)
    return "/" + "/".join(escaped)


def given(**fields: Any) -> dict[str, Any]:
    """Returns the fields that aren't None."""
    return {name: value for name, value in fields.items() if value is not None}


def body(**fields: Any) -> bytes:
    """Returns a JSON object of the fields that aren't None or UNSET."""
    return changes(**given(**fields))


def changes(**fields: Any) -> bytes:
    """Returns a JSON object of the fields that aren't UNSET. None becomes null (clears a field)."""
    return msgspec.json.encode({k: v for k, v in fields.items() if v is not UNSET})


def joined(values: str | Sequence[int | str]) -> str:
    """Returns the values separated by commas. A string is one already."""
    return values if isinstance(values, str) else ",".join(map(str, values))


def several(values: Any) -> Any:
    """Returns a list of the values, or UNSET for None, because null doesn't clear a list.

    Raises ``TypeError`` for a string, which Python would treat as a sequence of characters.
    """
    if isinstance(values, str):
        raise TypeError("must be a sequence of strings, not a single string")
    return UNSET if values is None or values is UNSET else list(values)
