"""What schemathesis can't know of valid requests; loaded by it, see test_schemathesis.py.

A description can say what a field looks like, not that it must be of this store: valid data that is
none for this caller is brought back to what the caller may say. Invalid data is left as it is.
"""

import os

import schemathesis

CALLER = os.environ["WISHWELL_FUZZ_AS"]
CUSTOMER = "gid://shopify/Customer/1"


def whole(value):
    """1.0 is an integer to JSON Schema; here it is a fraction (contract: body-malformed)."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole(child) for key, child in value.items()}
    if isinstance(value, list):
        return [whole(child) for child in value]
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.body, dict | list):
        case.body = whole(case.body)
    operation = case.operation.definition.raw.get("operationId")
    if CALLER != "admin":
        # A profile token must not name a profile.
        case.headers.pop("Profile", None)
    elif case.headers.get("Profile") or operation in ("createItem", "createList"):
        case.headers["Profile"] = CUSTOMER
    if (
        operation == "createProfileToken"
        and isinstance(case.body, dict)
        and "customer" in case.body
    ):
        case.body["customer"] = CUSTOMER
