"""A call of the API as a value: what to send, whether twice does harm, how to read the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Self, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from wishwell.client.records import Page

__all__ = ["UNSET", "Call", "Direction", "Include", "Sort", "UnsetType"]

PREFIX = "/api/2025-04"

Sort = Literal["recently_saved", "oldest_saved", "customer"]
Include = Literal["product"]
Direction = Literal["next", "previous"]
T = TypeVar("T")

_SEQUENCES = ("tags", "listIds", "itemIds", "types")


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

    def asking(self, **params: str | int | None) -> Self:
        """The call with these parameters too, as far as they are given."""
        return replace(self, params={**self.params, **given(**params)})


def path(*parts: str) -> str:
    """A path with ids in it. An id may be any text, and must not lead to another path.

    Some servers and proxies decode escapes before they split a path. So slashes are escaped twice;
    no id has one, and the service answers 404.
    """
    escaped = (quote(part.replace("/", "%2F"), safe="").replace(".", "%2E") for part in parts)
    return "/" + "/".join(escaped)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def body(**fields: Any) -> bytes:
    """A JSON object of the fields that are set. None clears a field, but not a sequence."""
    return msgspec.json.encode(
        {
            name: strings(value) if name in _SEQUENCES else value
            for name, value in fields.items()
            if value is not UNSET and (value is not None or name not in _SEQUENCES)
        }
    )


def strings(several: Any) -> list[str]:
    """A sequence of strings. Raises ``TypeError`` for one string, whose characters are strings."""
    if isinstance(several, str):
        raise TypeError("must be a sequence of strings, not a single string")
    return list(several)


def check_walk(call: Call[Page[T]], direction: Direction) -> None:
    """Raises ``ValueError`` for a walk to "previous" that does not begin at a page."""
    if direction not in ("next", "previous"):
        raise ValueError("direction must be 'next' or 'previous'")
    if direction == "previous" and "page" not in call.params:
        raise ValueError("direction 'previous' needs page: the cursor to start from")
