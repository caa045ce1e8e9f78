"""A body that breaks off while it comes: whoever works on its request answers that.

The request is counted for its caller by then, so its answer has to show the caller's limit.
"""

from typing import Any

from wishwell.errors import ServiceError

_KEY = "wishwell.broken"
_API = b"/api/"


def told(cycle: Any, error: ServiceError) -> bool:
    """Tells the application, if it works on ``cycle``, a request to the API; else False.

    The connection ends with its answer. A request that is whole already is answered as it is: what
    is broken came behind it.
    """
    if cycle is None or cycle.response_started or cycle.disconnected:
        return False
    if not cycle.scope["raw_path"].startswith(_API):
        return False
    cycle.keep_alive = False
    if cycle.more_body:
        cycle.scope[_KEY] = error
        cycle.message_event.set()
    return True


def check(scope: dict[str, Any]) -> None:
    """Raises what the server has told of the request with this ASGI scope."""
    if _KEY in scope:
        raise scope[_KEY]
