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


class _Recorder(Wishwell):
    """A client without connections and without a profile."""

    def __init__(self) -> None:
        self._attach(_Transport())  # type: ignore[arg-type]


def call_of(use: Callable[[Wishwell], Any]) -> Call[Any]:
    """Returns the first call that ``use`` makes, on a client without a profile."""
    try:
        use(_Recorder())
    except _Sent as sent:
        call: Call[Any] = sent.args[0]
        return call
    raise AssertionError("it sent nothing")
