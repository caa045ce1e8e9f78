"""Every URL, on one screen.

Under the version prefix ``/api/2025-04``; outside of it what operators and readers need, with
neither tokens nor limits.
"""

from typing import NamedTuple

from wishwell.http import around, handlers
from wishwell.http.handlers import Handler
from wishwell.limits import Kind

PREFIX = handlers.PREFIX
VERSIONS = ("2025-04",)


class Route(NamedTuple):
    """One path: its handlers by method, and the kind of limit where the method does not tell."""

    path: str
    methods: dict[str, Handler]
    kind: Kind | None = None
    needs_token: bool = True


API = (
    Route("/items", {
        "GET": handlers.list_items,
        "POST": handlers.create_item,
        "DELETE": handlers.delete_items,
    }),
    Route("/items/{itemId}", {
        "GET": handlers.get_item,
        "PATCH": handlers.update_item,
        "DELETE": handlers.delete_item,
    }),
    Route("/items/{itemId}/lists", {"PUT": handlers.set_item_lists}),
    Route("/lists", {"GET": handlers.list_lists, "POST": handlers.create_list}),
    Route("/lists/{listId}", {
        "GET": handlers.get_list,
        "PATCH": handlers.update_list,
        "DELETE": handlers.delete_list,
    }),
    Route("/lists/{listId}/items/order", {"PUT": handlers.order_list_items}),
    Route("/profiles/identify", {"POST": handlers.identify_profile}, "token"),
    Route("/profiles/token", {"POST": handlers.create_profile_token}, "token"),
    Route("/.well-known/openapi", {"GET": around.openapi}, needs_token=False),
)  # fmt: skip

OUTSIDE = (
    Route("/", {"GET": around.top}),
    Route("/livez", {"GET": around.livez}),
    Route("/readyz", {"GET": around.readyz}),
    Route("/metrics", {"GET": around.metrics}),
    Route("/docs", {"GET": around.docs}),
    Route("/docs/{file}", {"GET": around.docs_file}),
)

_BY_SHAPE = {
    tuple(
        "{}" if part.startswith("{") else part for part in (prefix + route.path).split("/")
    ): route
    for prefix, routes in ((PREFIX, API), ("", OUTSIDE))
    for route in routes
}
# The parameter is the fifth part of an API path (/api/2025-04/items/{itemId}), the third of others.
_PARAMETER = {True: 4, False: 2}


def find(path: str) -> tuple[Route | None, str]:
    """The route of a path, and the id in it."""
    parts = tuple(path.split("/"))
    route = _BY_SHAPE.get(parts)
    if route is not None and "{" not in route.path:
        return route, ""
    at = _PARAMETER[parts[:3] == _PREFIX_PARTS]
    if len(parts) <= at or not parts[at]:
        return None, ""
    return _BY_SHAPE.get((*parts[:at], "{}", *parts[at + 1 :])), parts[at]


_PREFIX_PARTS = tuple(PREFIX.split("/"))
