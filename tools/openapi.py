"""Builds the API's description, http/openapi.json: paths from openapi.yaml, schemas from types.

``make format`` runs it; a test fails if the committed file is out of date.
"""

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml

from tools import error_codes, event_schemas, operations, portable, samples
from tools.schemas import Schemas, struct_named, struct_of
from wishwell import __version__, events, products, profiles, reports, stores
from wishwell.access import access_cache, auth
from wishwell.contacts import mail_reports, queue, retention
from wishwell.events import attempts
from wishwell.field_types import Id, published
from wishwell.http import list_bodies, request_types, responses, store_bodies
from wishwell.http.handlers import mail_handlers, order_handlers, profile_handlers
from wishwell.http.handlers.report_handlers import EarnedReport, Report
from wishwell.http.responses import Data, DataPage, ListData
from wishwell.privacy import history, personal_export, platform_requests
from wishwell.products import money, notices, product_bodies, shown
from wishwell.profiles import pages, records
from wishwell.reports import shoppers, store_status
from wishwell.stores import look, mailing, naming, reporting
from wishwell.wishlists import items, lists, orders, reservations, shares

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
    reservations: list[personal_export.ExportedReservation]
    purchases: list[orders.PurchaseView]
    mails: list[queue.MailView]
    events: list[events.Event]


def in_python(name: str, type_: Any, description: str = "") -> Any:
    """Returns a type whose class has another name in the Python client."""
    return Annotated[type_, published(description=description, **{"x-python": name})]


# Types of responses with another name than their schemas. Other types are found by their names.
SHOWN = {
    "ItemProduct": Annotated[shown.ProductView, published(minProperties=1)],
    "Wishlist": in_python("List", lists.List),
    "WishlistWithItems": in_python("List", ListWithItems),
    "WishlistWithItemsResponse": ListData[ListWithItems],
    "ExportedList": ExportedList,
    "Profile": records.ProfileView,
    "ProfileExport": ProfileExport,
    "ExportedReservation": personal_export.ExportedReservation,
    "WishlistEvent": in_python("Event", events.Event),
    "StoreSettings": stores.StoreView,
    "StoreStatus": store_status.StoreStatus,
    "StoreNaming": naming.Naming,
    "StorePages": naming.Pages,
    "StoreReporting": reporting.Reporting,
    "StoreLook": look.Look,
    "StoreMail": mailing.MailStatus,
    "AdminToken": auth.AdminTokenView,
    "Price": in_python("Money", money.Money),
    "Mail": queue.MailView,
    "MailDaysResponse": Data[
        Annotated[list[mail_reports.MailDay], published(maxItems=retention.MAIL_DAYS)]
    ],
    "StoredEmails": mail_handlers.StoredEmails,
    "StoredSuppressions": mail_handlers.StoredSuppressions,
    "WishSummary": reports.Summary,
    "WishDay": reports.Day,
    "EventProduct": notices.NoticeProduct,
    "PageInfo": Annotated[responses.PageInfo, published(minProperties=1)],
    "ItemsResponse": Data[Annotated[list[items.Item], published(maxItems=items.MAX_BULK)]],
    "ReservationsResponse": Data[list[reservations.HeldReservation]],
    "ProductReport": Report[
        Annotated[list[reports.ProductWishes], published(maxItems=pages.MAX_SIZE)]
    ],
    "SummaryReport": Report[reports.Summary],
    "DaysReport": Report[Annotated[list[reports.Day], published(maxItems=reports.MAX_DAYS)]],
    "OrdersResponse": Data[
        Annotated[list[order_handlers.OrderOutcome], published(maxItems=orders.MAX_BULK)]
    ],
    "PurchasesReport": EarnedReport,
    "ShoppersResponse": Data[
        Annotated[list[shoppers.Shopper], published(maxItems=shoppers.MAX_SHOPPERS)]
    ],
    "ShownWishes": Data[Annotated[list[reports.ShownCount], published(maxItems=items.MAX_BULK)]],
    "IdentifyResult": Data[profile_handlers.SignIn],
    "TokenResult": Data[profile_handlers.ProfileToken],
    "ApiError": responses.Error,
} | event_schemas.DATA
# Bodies whose schemas aren't called like the type without "Body".
SENT = {
    "ItemPlace": list_bodies.PlaceBody,
    "ShareTerms": request_types.ShareBody,
    "CopyTerms": request_types.CopyBody,
    "StorePatch": store_bodies.StoreBody,
    "StoreLookPatch": store_bodies.LookBody,
    "StoreReportingPatch": store_bodies.StoreReportingBody,
    "TokenRequest": request_types.TokenBody,
    "ProductInput": in_python("NewProduct", product_bodies.ProductBody),
    "NamedProduct": in_python("NewProduct", product_bodies.NamedProductBody),
    "OrderInput": in_python("NewOrder", order_handlers.OrderBody),
    "VariantInput": in_python(
        "Variant", products.Variant, "A variant of the product. Each must occur at most once."
    ),
    "Price": in_python("Money", money.Money),
}
ENVELOPES: dict[str, Any] = {"Response": Data, "Page": DataPage}
"""Types of responses with a record or a page, by the suffix of their schemas."""
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
    "EmailStatus": records.Status,
    "HistorySource": history.Source,
    "MailKind": queue.Kind,
    "MailState": queue.State,
    "NoticesBy": records.NoticesBy,
    "SuppressionReason": mail_handlers.Reason,
    "PlatformRequestState": platform_requests.State,
    "PlatformTopic": platform_requests.Topic,
    "ProductIdType": stores.ProductIds,
    "ProfileKind": profiles.Kind,
    "OrderRefusalCode": order_handlers.RefusalCode,
    "OrderResult": order_handlers.Result,
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


def shown_type(name: str) -> Any:
    """Returns the type of a response, or of a record in one, by the name of its schema."""
    if name in SHOWN:
        return SHOWN[name]
    for suffix, envelope in ENVELOPES.items():
        if name.endswith(suffix):
            return envelope[struct_of(shown_type(name.removesuffix(suffix)))]
    return struct_named(name)


def sent_type(name: str) -> Any:
    """Returns the type of a body by the name of its schema."""
    own = f"New{name.removesuffix('Input')}Body" if name.endswith("Input") else f"{name}Body"
    return SENT.get(name) or struct_named(own)


def text() -> str:
    """Returns the description as JSON."""
    document = yaml.load(SOURCE.read_text("utf-8"), Strict)  # noqa: S506
    document["info"]["x-wishwell-version"] = __version__
    operations.complete(document)
    by_hand = document["components"]["schemas"]
    names = operations.schema_names(document, "responses") - by_hand.keys()
    types = {name: shown_type(name) for name in names}
    schemas = Schemas(SHOWN | types, ENUMS, omits_null=True).by_name
    names = operations.schema_names(document, "requestBody") - by_hand.keys()
    types = {name: sent_type(name) for name in names}
    schemas |= Schemas(SENT | types, omits_null=False).by_name
    for name, fields in NEVER.items():
        for field in fields:
            del schemas[name]["properties"][field]
    for name, fields in ALWAYS.items():
        schemas[name]["required"] += fields
    event_schemas.add(schemas)
    settings = schemas["StoreSettings"]["properties"]
    schemas["StoreLimits"] = settings["limits"]
    settings["limits"] = {"$ref": "#/components/schemas/StoreLimits"}
    if twice := by_hand.keys() & schemas.keys():
        raise ValueError(f"schemas both in {SOURCE.name} and as types: {twice}")
    document["components"]["schemas"] = dict(sorted((by_hand | schemas).items()))
    portable.complete(document)
    error_codes.add(document)
    samples.add(document)
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    BUILT.write_text(text(), "utf-8")
