"""A call of the API as a value: what to send, whether twice does harm, how to read the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

__all__ = ["UNSET", "Call", "UnsetType"]

PREFIX = "/api/2025-04"

T = TypeVar("T")


# contract: retry-harmless
@dataclass(frozen=True)
class Call(Generic[T]):
    """One call.

    ``repeatable``: it is idempotent, so it may be sent again if it is not known whether it was
    done.
    """

    method: str
    path: str
    read: Callable[[bytes], T]
    params: Mapping[str, str | int] = field(default_factory=dict)
    body: bytes | None = None
    repeatable: bool = True

    @property
    def gone_is_done(self) -> bool:
        """Whether a 404 means that it was done, if it was sent again without knowing that."""
        return self.method == "DELETE" and self.body is None


def path(*parts: int | str) -> str:
    """A path with ids in it. An id may be any text, and must not lead to another path.

    Some servers and proxies decode escapes before they split a path. So slashes are escaped twice;
    no id has one, and the service answers 404.
    """
    escaped = (quote(str(part).replace("/", "%2F"), safe="").replace(".", "%2E") for part in parts)
    return "/" + "/".join(escaped)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def body(**fields: Any) -> bytes:
    """A JSON object of the fields that are given."""
    return changes(**given(**fields))


def changes(**fields: Any) -> bytes:
    """A JSON object of the fields that are set; None clears one."""
    return msgspec.json.encode({k: v for k, v in fields.items() if v is not UNSET})


def several(values: Any) -> Any:
    """A list of the values; None is UNSET, as it clears no list.

    Raises ``TypeError`` for a string, which would be a sequence of its characters.
    """
    if isinstance(values, str):
        raise TypeError("must be a sequence of strings, not a single string")
    return UNSET if values is None or values is UNSET else list(values)
