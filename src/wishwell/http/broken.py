"""A body that breaks off while it arrives. The application answers it, and not the server.

The request has been counted for its caller by then, so the answer must show the caller's limit.
"""

from typing import Any

from wishwell.errors import ServiceError

_KEY = "wishwell.broken"


def told(cycle: Any, error: ServiceError, paths: tuple[bytes, ...]) -> bool:
    """Passes the error to the application if it works on ``cycle``, a request below one of the
    ``paths``; else False.

    The connection is closed after the answer. A request that has arrived in full is answered
    normally, because what broke came after it.
    """
    if cycle is None or cycle.response_started or cycle.disconnected:
        return False
    if not cycle.scope["raw_path"].startswith(paths):
        return False
    cycle.keep_alive = False
    if cycle.more_body:
        cycle.scope[_KEY] = error
        cycle.message_event.set()
    return True


def check(scope: dict[str, Any]) -> None:
    """Raises the error that ``told`` has left in this ASGI scope."""
    if _KEY in scope:
        raise scope[_KEY]
