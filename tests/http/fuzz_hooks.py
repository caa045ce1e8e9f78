"""Hooks that schemathesis loads (see test_schemathesis.py) to make generated requests valid here.

The description says how a field looks, but not that an id must fit the store. Valid data that is
wrong only for this caller is adjusted; invalid data isn't changed.
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
    *("deleteProfileEmail", "listReservations"),
)
"""Operations in which an admin token must name the profile."""
CUSTOMER, ERASED = "gid://shopify/Customer/1", "gid://shopify/Customer/2"
"""The profile an admin token acts for, and one that is erased repeatedly, so that the first
survives."""


def whole(value):
    """Turns 1.0 into 1: an integer to JSON Schema, a fraction to the service.
    Rule: input-strict."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole(child) for key, child in value.items()}
    if isinstance(value, list):
        return [whole(child) for child in value]
    return value


def of_the_store(id):
    """Returns a product id of the store's type."""
    if isinstance(id, str) and not TEXT:
        return zlib.crc32(id.encode()) + 1
    return str(id) if isinstance(id, int) and TEXT else id


def ids_of_the_store(value):
    """Returns a body with all product ids of the store's type."""
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
        case.path_parameters["productId"] = str(of_the_store(case.path_parameters["productId"]))
    if isinstance(case.query, dict) and isinstance(case.query.get("query"), str):
        case.query["query"] = query_of_the_store(case.query["query"])
    operation = case.operation.definition.raw.get("operationId")
    if CALLER != "admin":
        # A profile token may not be sent with `Profile`.
        case.headers.pop("Profile", None)
    elif "Profile" in case.headers or operation in OF_ONE:  # may be empty, against the schema
        case.headers["Profile"] = ERASED if operation == "deleteProfile" else CUSTOMER
    if (
        operation == "createProfileToken"
        and isinstance(case.body, dict)
        and "customer" in case.body
    ):
        case.body["customer"] = CUSTOMER
    if isinstance(case.body, dict) and isinstance(case.body.get("expiresAt"), str):
        # An expiry must be in the future; 2996 is a leap year.
        case.body["expiresAt"] = "2996" + case.body["expiresAt"][4:]
