"""All routes: the API under ``/api/2025-04``; management paths without tokens or rate limits."""

import functools
import operator
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from wishwell.errors import MethodNotAllowed, NotFound
from wishwell.http import admin, management, responding
from wishwell.http.handlers import (
    item_handlers,
    list_handlers,
    mail_handlers,
    order_handlers,
    platform_request_handlers,
    profile_handlers,
    report_handlers,
    share_handlers,
    store_handlers,
    webhook_handlers,
)
from wishwell.http.responding import Handler
from wishwell.ratelimits import Kind

PREFIX = responding.PREFIX


class Route(NamedTuple):
    """A path with its handlers by method, and the query parameters that each method accepts.

    ``kind``: the kind of rate limit; by default it follows from the method.

    ``caller``: whether a token is "needed"; "welcome" (optional, but a bad token is refused); or
    "ignored".

    ``on_storefront``: also served at ``<base>/api`` (rule: storefront-paths), except for the
    method in ``off_storefront``. ``of_store``: acts on the whole store, not on a profile, and needs
    an admin token (rule: profile-header).
    """

    path: str
    methods: Mapping[str, Handler]
    query: Mapping[str, frozenset[str]] = {}
    kind: Kind | None = None
    caller: Literal["needed", "welcome", "ignored"] = "needed"
    on_storefront: bool = True
    off_storefront: str = ""
    of_store: bool = False
    of_shop: bool = False
    """Whether it shows the same to every shopper, whose records it doesn't read."""
    verified_by_body: bool = False
    """Whether the body proves its sender, so that the request is counted only once it is read."""
    for_reports: bool = False
    """Whether reports-only tokens may use it."""
    compressed: bool = False
    """Whether large answers to GET are compressed. Never for an answer with a token, key or address
    of a share, which compression could reveal (BREACH)."""


def _route(path: str, *query: str, **methods: Handler) -> Route:
    """Returns a route. ``query``: query parameters of GET."""
    return Route(path, methods, {"GET": frozenset(query)})


def _compressed(path: str, *query: str, **methods: Handler) -> Route:
    return _route(path, *query, **methods)._replace(compressed=True)


def _of_store(path: str, *query: str, **methods: Handler) -> Route:
    return _route(path, *query, **methods)._replace(on_storefront=False, of_store=True)


def _report(path: str, *query: str, **methods: Handler) -> Route:
    return _of_store(path, *query, **methods)._replace(for_reports=True)


API = (
    _compressed("/items", GET=item_handlers.list_items, POST=item_handlers.create_item,
                PUT=item_handlers.save_items, DELETE=item_handlers.delete_items)._replace(query={
        "GET": frozenset({"page", "limit", "query", "sort", "include"}),
        "POST": frozenset({"include"}), "DELETE": frozenset({"itemIds"}),
    }),
    _route("/items/{itemId}", "include", GET=item_handlers.get_item,
           PATCH=item_handlers.update_item, DELETE=item_handlers.delete_item),
    _route("/items/{itemId}/lists", PUT=item_handlers.set_item_lists),
    _compressed("/lists", "page", "limit", "query", GET=list_handlers.list_lists,
                POST=list_handlers.create_list),
    _compressed("/lists/{listId}", "sort", "include", "page", "limit", GET=list_handlers.get_list,
                PATCH=list_handlers.update_list, DELETE=list_handlers.delete_list),
    _route("/lists/{listId}/items", PUT=list_handlers.replace_list_items,
           DELETE=list_handlers.remove_list_items),
    _route("/lists/{listId}/items/order", PUT=list_handlers.order_list_items),
    _route("/lists/{listId}/items/{itemId}", PUT=list_handlers.put_list_item,
           DELETE=list_handlers.remove_list_item),
    _route("/lists/{listId}/shares", "page", "limit", GET=share_handlers.list_shares,
           POST=share_handlers.create_share),
    _route("/lists/{listId}/shares/{shareId}", PATCH=share_handlers.update_share,
           DELETE=share_handlers.delete_share),
    _route("/shares", "page", "limit", "of", GET=share_handlers.list_shares,
           POST=share_handlers.create_share),
    _route("/shares/{shareId}", PATCH=share_handlers.update_share,
           DELETE=share_handlers.delete_share),
    _compressed("/reservations", "include", GET=share_handlers.list_reservations),
    _compressed("/shared/{token}", "include",
                GET=share_handlers.get_shared_list)._replace(kind="shared", caller="welcome"),
    _route("/shared/{token}/copies", POST=share_handlers.copy_shared_list),
    _route("/shared/{token}/items/{itemId}/reservation", PUT=share_handlers.reserve_shared_item,
           DELETE=share_handlers.delete_reservation),
    _route("/profile", GET=profile_handlers.get_profile, PATCH=profile_handlers.update_profile,
           DELETE=profile_handlers.erase_profile)._replace(off_storefront="DELETE"),
    _route("/profile/email", DELETE=profile_handlers.delete_email),
    _route("/profile/export", "include", GET=profile_handlers.export_profile),
    _of_store("/profiles", "page", "limit", "email", GET=profile_handlers.list_profiles),
    _of_store("/profiles/history", "profile", GET=profile_handlers.get_profile_history),
    Route("/profiles/identify", {"POST": profile_handlers.identify_profile}, kind="token"),
    Route("/profiles/token", {"POST": profile_handlers.create_profile_token}, kind="token",
          on_storefront=False),
    _of_store("/events", "from", "limit", "type", "include", "profile",
              GET=store_handlers.list_events)._replace(compressed=True),
    _of_store("/webhooks", "page", "limit", GET=webhook_handlers.list_webhooks,
              POST=webhook_handlers.create_webhook),
    _of_store("/webhooks/{webhookId}", GET=webhook_handlers.get_webhook,
              PATCH=webhook_handlers.update_webhook, DELETE=webhook_handlers.delete_webhook),
    _of_store("/webhooks/{webhookId}/secret", POST=webhook_handlers.renew_webhook_secret),
    _of_store("/webhooks/{webhookId}/test", POST=webhook_handlers.test_webhook),
    _of_store("/webhooks/{webhookId}/replays", POST=webhook_handlers.replay_webhook),
    _of_store("/webhooks/{webhookId}/deliveries", "page", "limit", "status",
              GET=webhook_handlers.list_deliveries),
    _of_store("/webhooks/{webhookId}/deliveries/{deliveryId}/retry",
              POST=webhook_handlers.retry_delivery),
    _of_store("/mails", "page", "limit", GET=mail_handlers.list_mails),
    _of_store("/mails/days", GET=mail_handlers.list_days),
    _of_store("/mails/preview", "kind", "language", GET=mail_handlers.get_preview),
    _of_store("/mails/suppressions", PUT=mail_handlers.put_suppressions),
    _of_store("/profiles/email", PUT=mail_handlers.put_profile_emails),
    _of_store("/store", GET=store_handlers.get_store, PATCH=store_handlers.update_store),
    _of_store("/store/status", GET=store_handlers.get_store_status),
    _of_store("/tokens", "page", "limit", GET=store_handlers.list_tokens),
    _of_store("/tokens/{tokenId}", DELETE=store_handlers.revoke_token),
    _of_store("/products", "page", "limit", "query", GET=store_handlers.list_products,
              PUT=store_handlers.put_products)._replace(compressed=True),
    _of_store("/products/{productId}", GET=store_handlers.get_product,
              PUT=store_handlers.put_product, DELETE=store_handlers.delete_product),
    _of_store("/orders", PUT=order_handlers.put_orders),
    _of_store("/orders/{orderId}", DELETE=order_handlers.delete_order),
    _of_store("/requests", "page", "limit", GET=platform_request_handlers.list_requests),
    _of_store("/requests/{requestId}", DELETE=platform_request_handlers.call_off_request),
    _of_store("/requests/{requestId}/export", GET=platform_request_handlers.get_request_export),
    _report("/reports/products", "from", "to", "sort", "by", "title", "only", "page", "limit",
            "format", GET=report_handlers.product_report),
    _report("/reports/summary", "from", "to", "format", GET=report_handlers.summary_report),
    _report("/reports/days", "from", "to", "product", "format", GET=report_handlers.days_report),
    _report("/reports/purchases", "from", "to", "by", "page", "limit", "format",
            GET=report_handlers.purchases_report),
    _of_store("/reports/wishers", "product", "variant", "page", "limit", "format",
              GET=report_handlers.wishers_report),
    _of_store("/reports/shoppers", "sort", GET=report_handlers.shoppers_report),
    _compressed("/wishes", "products",
                GET=report_handlers.list_wish_counts)._replace(of_shop=True),
    Route("/platforms/shopify/webhooks", {"POST": platform_request_handlers.take_platform_webhook},
          caller="ignored", on_storefront=False,
          verified_by_body=True),
    Route("/.well-known/openapi", {"GET": management.openapi}, caller="ignored",
          on_storefront=False),
)  # fmt: skip

MANAGEMENT = (
    Route("/", {"GET": management.top}),
    Route("/livez", {"GET": management.livez}),
    Route("/readyz", {"GET": management.readyz}),
    Route("/metrics", {"GET": management.metrics}),
    Route("/docs", {"GET": management.docs}),
    Route("/docs/{file}", {"GET": management.docs}),
    Route("/admin", {"GET": admin.bare}),
    Route("/admin/", {"GET": admin.file}),
    Route("/admin/{file}", {"GET": admin.file}),
)


_ROUTE, _ANY_SEGMENT = "/", "/*"
"""Keys of the routing tree that can't be a path segment."""


def _tree() -> dict[str, Any]:
    """Returns the routing tree: a nested dict by path segment.

    ``_ROUTE`` leads to the route and its parameters' names, ``_ANY_SEGMENT`` to any segment.
    """
    root: dict[str, Any] = {}
    for prefix, routes in ((PREFIX, API), ("", MANAGEMENT)):
        for route in routes:
            node, names = root, []
            for segment in (prefix + route.path).split("/"):
                if segment.startswith("{"):
                    names.append(segment[1:-1])
                node = node.setdefault(_ANY_SEGMENT if segment.startswith("{") else segment, {})
            node[_ROUTE] = route, names
    return root


_ROOT = _tree()
_API = f"{PREFIX}/"
_API_ROOT = functools.reduce(operator.getitem, PREFIX.split("/"), _ROOT)


def find(path: str) -> tuple[Route | None, dict[str, str]]:
    """Returns the route of a path, or ``None``, and its parameters by name.

    Literal segments take precedence over parameters.
    """
    node, values = _ROOT, []
    if path.startswith(_API):  # most do
        node, path = _API_ROOT, path[len(_API) :]
    for segment in path.split("/"):
        child = node.get(segment)
        if child is None:
            child = node.get(_ANY_SEGMENT)
            if child is None or not segment:
                return None, {}
            values.append(segment)
        node = child
    if _ROUTE not in node:
        return None, {}
    route, names = node[_ROUTE]
    return route, dict(zip(names, values, strict=True))


def allowed(route: Route) -> tuple[str, ...]:
    """Returns the methods of a route, ``HEAD`` included."""
    heads = ("HEAD",) if "GET" in route.methods else ()
    return (*route.methods, *heads)


# rules: request-smuggling, error-envelope
def handler(route: Route, method: str) -> Handler:
    """Returns the handler of a method. Raises ``MethodNotAllowed``."""
    handler = route.methods.get("GET" if method == "HEAD" else method)
    if handler is None:
        methods = allowed(route)
        raise MethodNotAllowed(f"This path allows only {', '.join(methods)}.", methods)
    return handler


def query_names(route: Route, method: str) -> frozenset[str]:
    """Returns the query parameters that a method of a route accepts."""
    return route.query.get("GET" if method == "HEAD" else method, frozenset())


# rule: error-envelope
def unknown(path: str) -> NotFound:
    """Returns the error for a path that has no route."""
    slash = " Paths end without a slash." if path.endswith("/") else ""
    return NotFound(
        f"No operation has this path.{slash} {PREFIX}/.well-known/openapi lists all paths.",
        "path_not_found",
    )
