"""Placeholders: what a program or template leaves in place of a missing id."""

import re

from wishwell import ids
from wishwell.errors import Invalid
from wishwell.stores import Store

PRODUCT_WORDS = frozenset(
    {"undefined", "null", "nil", "none", "nan", "[object object]", "(null)", "<nil>"}
)
CUSTOMER_WORDS = PRODUCT_WORDS | {"false", "true", "0", "guest", "anonymous"}
_TEMPLATE = re.compile(r"\{\{|\}\}|[%$]\{")


# rule: placeholder-ids
def is_customer(id: str) -> bool:
    """Returns whether a customer id is a placeholder, such as ``undefined`` or
    ``{{ customer.id }}``."""
    return id.lower() in CUSTOMER_WORDS or _TEMPLATE.search(id) is not None


def is_product(id: str) -> bool:
    """Returns whether the id of a product or variant is a placeholder, such as ``undefined``."""
    return id.lower() in PRODUCT_WORDS or _TEMPLATE.search(id) is not None


def names_nobody(gid: str) -> bool:
    """Returns whether a GID's customer id is a placeholder."""
    customer = ids.customer_of(gid)
    return customer is not None and is_customer(customer[1])


# rule: placeholder-ids
def new_product_id(store: Store, field: str, id: int | str) -> str:
    """Returns the id of a product or variant to store. Raises ``Invalid`` for a placeholder, and as
    ``Store.product_id`` does. What older versions stored can still be read and deleted."""
    if isinstance(id, str) and is_product(id):
        raise Invalid(f"{field}: {id} is a placeholder and names no product.", "placeholder_id")
    return store.product_id(field, id)
