"""Every URL: the API under ``/api/2025-04``, and management paths without tokens or limits."""

from typing import Literal, NamedTuple

from wishwell.http import (
    handlers,
    management,
    product_handlers,
    profile_handlers,
    share_handlers,
    store_handlers,
    webhook_handlers,
)
from wishwell.http.handlers import Handler
from wishwell.limits import Kind

PREFIX = handlers.PREFIX
VERSIONS = ("2025-04",)


class Route(NamedTuple):
    """One path: its handlers by method. ``kind`` overrides the kind of limit of the method.

    ``caller``: a token is needed; or may be left out, though not be a bad one; or is ignored.

    ``on_storefront``: it is also at ``<base>/api`` (contract: storefront-paths), without the method
    ``off_storefront``. ``of_store``: it
    is about the store, not about a profile, and for admin tokens only (contract: token-admin-only).
    """

    path: str
    methods: dict[str, Handler]
    kind: Kind | None = None
    caller: Literal["needed", "welcome", "ignored"] = "needed"
    on_storefront: bool = True
    off_storefront: str = ""
    of_store: bool = False


def _of_store(path: str, **methods: Handler) -> Route:
    return Route(path, methods, on_storefront=False, of_store=True)


WEBHOOKS = (
    _of_store(
        "/webhooks", GET=webhook_handlers.list_webhooks, POST=webhook_handlers.create_webhook
    ),
    _of_store(
        "/webhooks/{webhookId}",
        GET=webhook_handlers.get_webhook,
        PATCH=webhook_handlers.update_webhook,
        DELETE=webhook_handlers.delete_webhook,
    ),
    _of_store("/webhooks/{webhookId}/secret", POST=webhook_handlers.renew_webhook_secret),
    _of_store("/webhooks/{webhookId}/test", POST=webhook_handlers.test_webhook),
    _of_store("/webhooks/{webhookId}/replays", POST=webhook_handlers.replay_webhook),
    _of_store("/webhooks/{webhookId}/deliveries", GET=webhook_handlers.list_deliveries),
    _of_store(
        "/webhooks/{webhookId}/deliveries/{deliveryId}/retry", POST=webhook_handlers.retry_delivery
    ),
)

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
    Route("/lists/{listId}/shares", {
        "GET": share_handlers.list_shares,
        "POST": share_handlers.create_share,
    }),
    Route("/lists/{listId}/shares/{shareId}", {
        "PATCH": share_handlers.update_share,
        "DELETE": share_handlers.delete_share,
    }),
    Route("/shared/{token}", {"GET": share_handlers.get_shared_list}, "shared", caller="welcome"),
    Route("/shared/{token}/copies", {"POST": share_handlers.copy_shared_list}),
    Route("/shared/{token}/items/{itemId}/reservation", {
        "PUT": share_handlers.reserve_shared_item,
        "DELETE": share_handlers.delete_reservation,
    }),
    Route("/profile", {
        "GET": profile_handlers.get_profile,
        "PATCH": profile_handlers.update_profile,
        "DELETE": profile_handlers.erase_profile,
    }, off_storefront="DELETE"),
    Route("/profile/export", {"GET": profile_handlers.export_profile}),
    Route("/profiles", {"GET": profile_handlers.list_profiles}, on_storefront=False,
          of_store=True),
    Route("/profiles/identify", {"POST": profile_handlers.identify_profile}, "token",
          on_storefront=False),
    Route("/profiles/token", {"POST": profile_handlers.create_profile_token}, "token",
          on_storefront=False),
    Route("/events", {"GET": store_handlers.list_events}, on_storefront=False, of_store=True),
    *WEBHOOKS,
    Route("/products", {
        "GET": product_handlers.list_products,
        "PUT": product_handlers.put_products,
    }, on_storefront=False, of_store=True),
    Route("/products/{productId}", {
        "GET": product_handlers.get_product,
        "PUT": product_handlers.put_product,
        "DELETE": product_handlers.delete_product,
    }, on_storefront=False, of_store=True),
    Route("/.well-known/openapi", {"GET": management.openapi}, caller="ignored",
          on_storefront=False),
)  # fmt: skip

MANAGEMENT = (
    Route("/", {"GET": management.top}),
    Route("/livez", {"GET": management.livez}),
    Route("/readyz", {"GET": management.readyz}),
    Route("/metrics", {"GET": management.metrics}),
    Route("/docs", {"GET": management.docs}),
    Route("/docs/{file}", {"GET": management.docs_file}),
)


class _Node:
    """A place in the tree of paths: what may follow there, and the route that ends there."""

    __slots__ = ("literal", "name", "parameter", "route")

    def __init__(self) -> None:
        self.literal: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.name = ""
        self.route: Route | None = None

    def add(self, part: str) -> "_Node":
        if not part.startswith("{"):
            return self.literal.setdefault(part, _Node())
        assert self.name in ("", part[1:-1]), "a parameter has the same name in all routes"
        self.name, self.parameter = part[1:-1], self.parameter or _Node()
        return self.parameter


def _tree() -> _Node:
    root = _Node()
    for prefix, routes in ((PREFIX, API), ("", MANAGEMENT)):
        for route in routes:
            node = root
            for part in (prefix + route.path).split("/"):
                node = node.add(part)
            node.route = route
    return root


_ROOT = _tree()


def find(path: str) -> tuple[Route | None, dict[str, str]]:
    """The route of a path, and its parameters by name. Literal parts precede parameters."""
    node, parameters = _ROOT, {}
    for part in path.split("/"):
        step = node.literal.get(part)
        if step is None:
            step = node.parameter
            if step is None or not part:
                return None, {}
            parameters[node.name] = part
        node = step
    return node.route, parameters if node.route else {}


def allowed(route: Route) -> tuple[str, ...]:
    """The methods of a route."""
    heads = ("HEAD",) if "GET" in route.methods else ()
    return (*route.methods, *heads)
