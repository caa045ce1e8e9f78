"""Lists the error codes of each operation in the API's description, as ``x-error-codes``.

Most follow from the operation's statuses and parameters; ``OWN`` adds the others. The tests'
clients fail on a code that isn't listed (tests/servers/documented.py).
"""

from typing import Any, get_args

from wishwell import errors

Node = Any  # a part of the description

CODES: dict[str, tuple[str, ...]] = {
    "400": get_args(errors.InvalidCode),
    "401": get_args(errors.UnauthenticatedCode),
    "403": get_args(errors.ForbiddenCode),
    "404": get_args(errors.NotFoundCode),
    "405": ("method_not_allowed",),
    "408": ("request_timeout",),
    "409": get_args(errors.ConflictCode),
    "410": ("events_removed",),
    "413": ("body_too_large",),
    "415": get_args(errors.UnsupportedCode),
    "429": get_args(errors.TooManyCode),
    "431": ("headers_too_large",),
    "500": ("internal_error",),
    "503": get_args(errors.UnavailableCode),
}
"""All codes, by status."""

EVERYWHERE = {"invalid_request", "path_not_found", "unavailable"}
EVERYWHERE |= {code for status in ("405", "408", "410", "413", "415") for code in CODES[status]}
EVERYWHERE |= {code for status in ("429", "431", "500") for code in CODES[status]}
WITH_TOKEN = {*CODES["401"], "token_kind_not_allowed", "profile_header_not_allowed"}
WITH_TOKEN -= {"signature_invalid", "sign_in_required"}
OF_PARAMETERS = {f"{noun}Id": f"{noun}_not_found" for noun in ("item", "list", "share", "webhook")}
OF_PARAMETERS |= {f"{noun}Id": f"{noun}_not_found" for noun in ("delivery", "request")}
OF_PARAMETERS |= {"orderId": "order_not_found"}
OF_PARAMETERS |= {"page": "invalid_cursor", "Profile": "session_not_found"}
OF_PARAMETERS |= {"token": "shared_list_not_found", "tokenId": "token_not_found"}

_ON_LISTS = "list_not_found list_item_limit_reached list_entry_limit_reached"
_ONE = "profile_required"
OWN = {
    "createItem": f"{_ONE} item_limit_reached {_ON_LISTS}",
    "saveItems": f"{_ONE} item_limit_reached {_ON_LISTS}",
    "updateItem": "item_exists",
    "setItemLists": _ON_LISTS,
    "createList": f"{_ONE} list_limit_reached",
    "putListItem": _ON_LISTS,
    "removeListItem": "item_not_on_list",
    "createShare": "share_limit_reached",
    "listWishlistShares": _ONE,
    "createWishlistShare": f"{_ONE} share_limit_reached",
    "updateWishlistShare": _ONE,
    "deleteWishlistShare": _ONE,
    "copySharedList": f"{_ONE} item_limit_reached list_limit_reached list_item_limit_reached "
    "list_entry_limit_reached",
    "reserveSharedItem": f"{_ONE} own_list reservations_off item_not_on_list too_few_left "
    "reservation_limit_reached",
    "deleteReservation": f"{_ONE} reservation_not_found",
    "updateStore": "store_in_use",
    "getProfile": _ONE,
    "updateProfile": _ONE,
    "exportProfile": _ONE,
    "deleteProfile": f"{_ONE} journal_unavailable",
    "createProfileToken": "placeholder_id",
    "identifyProfile": "sign_in_path_missing placeholder_id",
    "createWebhook": "webhook_limit_reached events_off sealing_keys_missing",
    "updateWebhook": "sealing_keys_missing",
    "renewWebhookSecret": "sealing_keys_missing webhook_unsigned",
    "deleteWebhook": "journal_unavailable",
    "testWebhook": "webhook_off",
    "retryDelivery": "webhook_off",
    "getProduct": "product_not_found",
    "deleteProduct": "product_not_found",
    "putProduct": "placeholder_id",
    "putProducts": "placeholder_id",
    "putOrders": "purchases_off placeholder_id",
    "deleteOrder": "purchases_off journal_unavailable",
    "deleteToken": "own_token journal_unavailable",
    "getWishCounts": "wishes_not_published",
    "cancelRequest": "request_not_pending journal_unavailable",
    "getRequestExport": "export_not_found",
    "receivePlatformWebhook": "signature_invalid",
}


def add(document: Node) -> None:
    """Adds ``x-error-codes`` to each operation: its codes, by status."""
    for item in document["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                named = [*item.get("parameters", ()), *operation.get("parameters", ())]
                given = {_resolved(document, one)["name"] for one in named}
                operation["x-error-codes"] = _codes(document, method, operation, given)


def _codes(document: Node, method: str, operation: Node, given: set[str]) -> dict[str, list[str]]:
    found = EVERYWHERE | {OF_PARAMETERS[name] for name in given & OF_PARAMETERS.keys()}
    security = operation.get("security", document["security"])
    if security:
        found |= WITH_TOKEN - ({"token_missing"} if {} in security else set())
    if any("adminBearer" in one for one in security):
        found.add("admin_token_required")
    if method != "get":
        found |= {"outcome_unknown"} | ({"profile_being_erased"} if "Profile" in given else set())
    if method not in ("get", "delete") and "Profile" in given:
        found.add("placeholder_id")
    own = set(OWN.get(operation["operationId"], "").split())
    codes = {
        status: [code for code in CODES[status] if code in found | own]
        for status in operation["responses"]
        if status in CODES
    }
    if missing := own - {code for several in codes.values() for code in several}:
        raise ValueError(f"{operation['operationId']} lacks the statuses of {missing}")
    return codes


def _resolved(document: Node, node: Node) -> Node:
    name = node.get("$ref", "").rpartition("/")[2]
    return document["components"]["parameters"][name] if name else node
