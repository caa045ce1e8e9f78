"""Records the calls that client methods would send."""

from collections.abc import Callable
from typing import Any

from wishwell_client import Wishwell
from wishwell_client.calls import Call


class _Sent(Exception):
    """Raised with the call instead of sending it."""


class _Transport:
    profile = None

    def result(self, call: Call[Any]) -> Any:
        raise _Sent(call)


def call_of(use: Callable[[Wishwell], Any]) -> Call[Any]:
    """Returns the first call that ``use`` makes, on a client without a profile."""
    client = Wishwell.__new__(Wishwell)
    client._attach(_Transport())  # type: ignore[arg-type]
    try:
        use(client)
    except _Sent as sent:
        call: Call[Any] = sent.args[0]
        return call
    raise AssertionError("it sent nothing")
