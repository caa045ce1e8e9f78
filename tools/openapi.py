"""Builds the API's description, http/openapi.json: paths from openapi.yaml, schemas from types.

``make format`` runs it; a test fails if the committed file is out of date.
"""

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml

from tools import error_codes, event_schemas, samples
from tools.schemas import Schemas, struct_of
from wishwell import __version__, errors, events, products, profiles, reports, stores
from wishwell.access import access_cache, auth
from wishwell.events import attempts, deliveries, webhooks
from wishwell.field_types import Id, published
from wishwell.http import request_types, responses, store_bodies
from wishwell.http.handlers import order_handlers, profile_handlers, store_handlers
from wishwell.http.handlers.report_handlers import EarnedReport, Report
from wishwell.http.responses import Data, DataPage
from wishwell.privacy import personal_export, platform_requests
from wishwell.products import money, notices, product_bodies, shown
from wishwell.profiles import pages, records
from wishwell.reports import purchases, wishers
from wishwell.stores import look, naming, reporting
from wishwell.wishlists import items, lists, orders, shares

SOURCE = Path(__file__).parents[1] / "src" / "wishwell" / "http" / "openapi.yaml"
BUILT = SOURCE.with_suffix(".json")


class ListWithItems(lists.List):
    """A list and all of its items."""


class ExportedList(lists.List, kw_only=True):
    """A list with its items in the customer's order."""

    item_ids: list[Id]


class ProfileExport(msgspec.Struct):
    """All data stored about a profile."""

    profile: records.ProfileView
    lists: list[ExportedList]
    items: list[items.Item]
    shares: list[shares.Share]
    reservations: list[personal_export.Reserved]
    purchases: list[orders.PurchaseView]
    events: list[events.Event]


def in_python(name: str, type_: Any, description: str = "") -> Any:
    """Returns a type whose class has another name in the Python client."""
    return Annotated[type_, published(description=description, **{"x-python": name})]


# The types of responses, by the names of their schemas.
SHOWN = {
    "Item": items.Item,
    "ItemProduct": Annotated[shown.ProductView, published(minProperties=1)],
    "Wishlist": in_python("List", lists.List),
    "WishlistWithItems": in_python("List", ListWithItems),
    "ExportedList": ExportedList,
    "Share": shares.Share,
    "SharedList": shares.SharedList,
    "SharedItem": shares.SharedItem,
    "Profile": records.ProfileView,
    "ProfileExport": ProfileExport,
    "ExportedReservation": personal_export.Reserved,
    "WishlistEvent": in_python("Event", events.Event),
    "Webhook": webhooks.Webhook,
    "Delivery": deliveries.Delivery,
    "PlatformRequest": platform_requests.PlatformRequest,
    "StoreSettings": stores.Store,
    "StoreNaming": naming.Naming,
    "StorePages": naming.Pages,
    "StoreReporting": reporting.Reporting,
    "StoreLook": look.Look,
    "AdminToken": auth.AdminTokenView,
    "Product": products.Product,
    "Variant": products.Variant,
    "Price": in_python("Money", money.Money),
    "ProductWishes": reports.ProductWishes,
    "WishSummary": reports.Summary,
    "WishHolders": reports.WishHolders,
    "WishDay": reports.Day,
    "Wisher": wishers.Wisher,
    "EventProduct": notices.NoticeProduct,
    "ShownCount": reports.ShownCount,
    "Purchased": items.Purchased,
    "AppliedOrder": orders.AppliedOrder,
    "Earned": purchases.Earned,
    "EarnedRow": purchases.EarnedRow,
    "Revenue": purchases.Revenue,
}
SHOWN |= {
    f"{name}Response": Data[struct_of(SHOWN[name])]  # type: ignore[misc]
    for name in (
        *("Item", "Wishlist", "WishlistWithItems", "Share", "SharedList", "SharedItem", "Profile"),
        *("ProfileExport", "Webhook", "Delivery", "StoreSettings", "Product"),
    )
}
SHOWN |= {
    f"{name}Page": DataPage[struct_of(SHOWN[name])]  # type: ignore[misc]
    for name in (
        *("Item", "Wishlist", "Share", "Profile", "Webhook", "Delivery", "PlatformRequest"),
        *("AdminToken", "Product", "Wisher"),
    )
}
SHOWN |= {
    "PageInfo": Annotated[responses.PageInfo, published(minProperties=1)],
    "ItemsResponse": Data[Annotated[list[items.Item], published(maxItems=items.MAX_BULK)]],
    "ProductReport": Report[
        Annotated[list[reports.ProductWishes], published(maxItems=pages.MAX_SIZE)]
    ],
    "SummaryReport": Report[reports.Summary],
    "DaysReport": Report[Annotated[list[reports.Day], published(maxItems=reports.MAX_DAYS)]],
    "OrdersResponse": Data[
        Annotated[list[orders.AppliedOrder], published(maxItems=orders.MAX_BULK)]
    ],
    "PurchasesReport": EarnedReport,
    "ShownWishes": Data[Annotated[list[reports.ShownCount], published(maxItems=items.MAX_BULK)]],
    "Feed": store_handlers.Feed,
    "SignIn": profile_handlers.SignIn,
    "IdentifyResult": Data[profile_handlers.SignIn],
    "ProfileToken": profile_handlers.ProfileToken,
    "TokenResult": Data[profile_handlers.ProfileToken],
    "ApiError": responses.Error,
    "ErrorDetail": responses.ErrorDetail,
    "BadField": errors.BadField,
}
SHOWN |= event_schemas.DATA
# The types of requests.
SENT = {
    "NewItem": request_types.NewItemBody,
    "NewItems": request_types.NewItemsBody,
    "ItemPatch": request_types.ItemPatchBody,
    "ItemLists": request_types.ItemListsBody,
    "ItemIds": request_types.ItemIdsBody,
    "NewList": request_types.NewListBody,
    "ListPatch": request_types.ListPatchBody,
    "ItemOrder": request_types.ItemOrderBody,
    "ItemPlace": request_types.PlaceBody,
    "NewShare": request_types.NewShareBody,
    "ShareTerms": request_types.ShareBody,
    "CopyTerms": request_types.CopyBody,
    "Reservation": request_types.ReservationBody,
    "ProfilePatch": request_types.ProfilePatchBody,
    "StorePatch": store_bodies.StoreBody,
    "StoreLookPatch": store_bodies.LookBody,
    "StoreReportingPatch": store_bodies.StoreReportingBody,
    "Identify": request_types.IdentifyBody,
    "TokenRequest": request_types.TokenBody,
    "NewWebhook": request_types.NewWebhookBody,
    "WebhookPatch": request_types.WebhookPatchBody,
    "Replay": request_types.ReplayBody,
    "NewProduct": product_bodies.ProductBody,
    "NamedProduct": in_python("NewProduct", product_bodies.NamedProductBody),
    "Products": product_bodies.ProductsBody,
    "Orders": order_handlers.OrdersBody,
    "NewOrder": order_handlers.OrderBody,
    "OrderLine": order_handlers.OrderLineBody,
    "NewVariant": in_python(
        "Variant", products.Variant, "A variant of the product. Each must occur at most once."
    ),
    "Price": in_python("Money", money.Money),
}
# Fields that a response of the type never has, or always.
NEVER = {
    "Wishlist": ["items"],
    "ExportedList": ["items", "profile"],
    "SummaryReport": ["pageInfo"],
    "DaysReport": ["pageInfo"],
    "ItemBackInStockData": ["previousPrice"],
}
ALWAYS = {"WishlistWithItems": ["items"], "ItemPriceDroppedData": ["previousPrice", "price"]}
# Enums with a schema.
ENUMS = {
    "AdminTokenScope": access_cache.AdminScope,
    "DeliveryStatus": attempts.Status,
    "PlatformRequestState": platform_requests.State,
    "PlatformTopic": platform_requests.Topic,
    "ProductIdType": stores.ProductIds,
    "ProfileKind": profiles.Kind,
    "OrderResult": orders.Result,
    "OrderStatus": order_handlers.Status,
    "PurchasedChoice": reporting.Purchased,
}


class Strict(yaml.CSafeLoader):  # type: ignore[misc]
    """A YAML loader that refuses duplicate keys, where PyYAML silently keeps the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {twice}", node.start_mark)
        return dict(super().construct_mapping(node, deep))


def text() -> str:
    """Returns the description as JSON."""
    document = yaml.load(SOURCE.read_text("utf-8"), Strict)  # noqa: S506
    document["info"]["x-wishwell-version"] = __version__
    schemas = Schemas(SHOWN, ENUMS, omits_null=True).by_name
    schemas |= Schemas(SENT, omits_null=False).by_name
    for name, fields in NEVER.items():
        for field in fields:
            del schemas[name]["properties"][field]
    for name, fields in ALWAYS.items():
        schemas[name]["required"] += fields
    event_schemas.add(schemas)
    settings = schemas["StoreSettings"]["properties"]
    schemas["StoreLimits"] = settings["limits"]
    settings["limits"] = {"$ref": "#/components/schemas/StoreLimits"}
    by_hand = document["components"]["schemas"]
    if twice := by_hand.keys() & schemas.keys():
        raise ValueError(f"schemas both in {SOURCE.name} and as types: {twice}")
    document["components"]["schemas"] = dict(sorted((by_hand | schemas).items()))
    error_codes.add(document)
    samples.add(document)
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    BUILT.write_text(text(), "utf-8")
