"""Lists the error codes of each operation in the API's description, as ``x-error-codes``.

Most follow from the operation's statuses and parameters; ``errors`` in openapi.yaml adds the
others. The tests' clients fail on a code that isn't listed (tests/servers/documented.py).
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
STATUSES = {code: status for status, codes in CODES.items() for code in codes}

EVERYWHERE = {"invalid_request", "path_not_found", "unavailable"}
EVERYWHERE |= {code for status in ("405", "408", "413", "415") for code in CODES[status]}
EVERYWHERE |= {code for status in ("429", "431", "500") for code in CODES[status]}
WITH_TOKEN = {*CODES["401"], "token_kind_not_allowed", "profile_header_not_allowed"}
WITH_TOKEN -= {"signature_invalid", "sign_in_required"}
OF_PARAMETERS = {f"{noun}Id": f"{noun}_not_found" for noun in ("item", "list", "share", "webhook")}
OF_PARAMETERS |= {f"{noun}Id": f"{noun}_not_found" for noun in ("delivery", "request")}
OF_PARAMETERS |= {"orderId": "order_not_found"}
OF_PARAMETERS |= {"page": "invalid_cursor", "Profile": "session_not_found"}
OF_PARAMETERS |= {"token": "shared_list_not_found", "tokenId": "token_not_found"}


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
    if "x-admin-token" in operation:
        found.add("admin_token_required")
    if method != "get":
        found |= {"outcome_unknown", "precondition_unsupported"}
        found |= {"profile_being_erased"} if "Profile" in given else set()
    if method not in ("get", "delete") and "Profile" in given:
        found.add("placeholder_id")
    found |= set(operation.pop("errors", ()))
    return {
        status: [code for code in CODES[status] if code in found]
        for status in operation["responses"]
        if status in CODES
    }


def _resolved(document: Node, node: Node) -> Node:
    name = node.get("$ref", "").rpartition("/")[2]
    return document["components"]["parameters"][name] if name else node
