"""The calls that methods of the client would send."""

from collections.abc import Callable
from typing import Any

from wishwell.client import Wishwell
from wishwell.client.calls import Call


class _Sent(Exception):
    """Instead of an answer."""


class _Line:
    profile = None

    def result(self, call: Call[Any]) -> Any:
        raise _Sent(call)


def call_of(use: Callable[[Wishwell], Any]) -> Call[Any]:
    """The call that ``use`` begins with, on a client without a profile."""
    client = Wishwell.__new__(Wishwell)
    client._attach(_Line())  # type: ignore[arg-type]
    try:
        use(client)
    except _Sent as sent:
        call: Call[Any] = sent.args[0]
        return call
    raise AssertionError("it sent nothing")
