"""What schemathesis can't know of valid requests; loaded by it, see test_schemathesis.py.

A description can say what a field looks like, not that it must be of this store: valid data that is
none for this caller is brought back to what the caller may say. Invalid data is left as it is.
"""

import os
import re
import zlib

import schemathesis

CALLER = os.environ["WISHWELL_FUZZ_AS"]
TEXT = os.environ["WISHWELL_FUZZ_IDS"] == "text"
OF_ONE = (
    *("createItem", "saveItems", "createList"),
    *("copySharedList", "reserveSharedItem", "deleteReservation"),
    *("getProfile", "updateProfile", "exportProfile", "deleteProfile"),
)
"""The operations in which an admin token must say for whom."""
CUSTOMER, ERASED = "gid://shopify/Customer/1", "gid://shopify/Customer/2"
"""Whom an admin token acts for; and who is erased, again and again, so that the other is there."""


def whole(value):
    """1.0 is an integer to JSON Schema; here it is a fraction (contract: body-malformed)."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole(child) for key, child in value.items()}
    if isinstance(value, list):
        return [whole(child) for child in value]
    return value


def of_the_store(id):
    """A product id of the kind that the store has."""
    if isinstance(id, str) and not TEXT:
        return zlib.crc32(id.encode()) + 1
    return str(id) if isinstance(id, int) and TEXT else id


def ids_of_the_store(value):
    """A body with every product id of that kind."""
    if isinstance(value, dict):
        return {
            key: of_the_store(child)
            if key in ("productId", "variantId")
            else ids_of_the_store(child)
            for key, child in value.items()
        }
    return [ids_of_the_store(child) for child in value] if isinstance(value, list) else value


def query_of_the_store(query):
    def term(found):
        field, ids = found.groups()
        return field + ",".join(str(of_the_store(id)) for id in ids.split(","))

    return re.sub(r"((?<![^ ])(?:product|variant):)([^ ]+)", term, query)


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.body, dict | list):
        case.body = ids_of_the_store(whole(case.body))
    if "productId" in (case.path_parameters or {}):
        case.path_parameters["productId"] = of_the_store(case.path_parameters["productId"])
    if isinstance(case.query, dict) and isinstance(case.query.get("query"), str):
        case.query["query"] = query_of_the_store(case.query["query"])
    operation = case.operation.definition.raw.get("operationId")
    if CALLER != "admin":
        # A profile token must not name a profile.
        case.headers.pop("Profile", None)
    elif case.headers.get("Profile") or operation in OF_ONE:
        case.headers["Profile"] = ERASED if operation == "deleteProfile" else CUSTOMER
    if (
        operation == "createProfileToken"
        and isinstance(case.body, dict)
        and "customer" in case.body
    ):
        case.body["customer"] = CUSTOMER
    if isinstance(case.body, dict) and isinstance(case.body.get("expiresAt"), str):
        # It must be in the future; 2996 is a leap year.
        case.body["expiresAt"] = "2996" + case.body["expiresAt"][4:]
