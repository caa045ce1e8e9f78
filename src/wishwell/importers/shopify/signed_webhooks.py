"""Verifies and decodes Shopify's webhooks. No I/O."""

import base64
import contextlib
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import profiles
from wishwell.errors import Invalid, Unauthenticated
from wishwell.importers.shopify.platform_webhooks import (
    CustomerBody,
    DeletedProduct,
    OrderBody,
    ProductBody,
)
from wishwell.privacy.platform_requests import TOPICS, PlatformWebhook, Topic
from wishwell.shoppers import customers
from wishwell.shoppers.customers import InvalidEvidence
from wishwell.stores import Store

SIGNATURE, SHOP = b"x-shopify-hmac-sha256", b"x-shopify-shop-domain"
TOPIC, ID = b"x-shopify-topic", b"x-shopify-webhook-id"
HEADERS = (SIGNATURE, SHOP, TOPIC, ID)

_ID = re.compile(r"[!-~]{1,100}")


class _Customer(msgspec.Struct):
    id: int | str | None = None


class PrivacyBody(msgspec.Struct):
    """The fields that are read from a privacy webhook's body. Other fields are ignored."""

    shop_domain: str
    customer: _Customer | UnsetType = UNSET
    orders_to_redact: list[Any] | UnsetType = UNSET
    data_request: dict[str, Any] | UnsetType = UNSET

    # rule: platform-signed
    def find_topic(self) -> Topic | None:
        """Returns the topic that fits the fields present, or ``None``."""
        parts = (self.customer, self.orders_to_redact, self.data_request)
        topics_by_presence: dict[tuple[bool, ...], Topic] = {
            (True, False, True): "customers/data_request",
            (True, True, False): "customers/redact",
            (False, False, False): "shop/redact",
        }
        return topics_by_presence.get(tuple(part is not UNSET for part in parts))


_BODIES: dict[str, type[Any]] = {
    **dict.fromkeys(TOPICS, PrivacyBody),
    **dict.fromkeys(("products/create", "products/update"), ProductBody),
    "products/delete": DeletedProduct,
    **dict.fromkeys(("orders/paid", "orders/updated", "orders/cancelled"), OrderBody),
    **dict.fromkeys(("customers/create", "customers/update"), CustomerBody),
}
"""The type of the body, by topic. Its required fields prove the topic."""


# rule: platform-signed
def verify(raw: bytes, headers: Mapping[bytes, bytes], secrets: Sequence[str]) -> Any:
    """Returns the body if its signature fits one of the secrets, and it proves the headers.

    The headers aren't signed: the body proves the topic and, in a privacy request, the shop. Raises
    ``Unauthenticated``, with the same message for every cause.
    """
    signature = headers.get(SIGNATURE, b"")
    topic = headers.get(TOPIC, b"").decode("latin-1")
    if any(
        hmac.compare_digest(base64.b64encode(hmac.digest(key.encode(), raw, "sha256")), signature)
        for key in secrets
    ):
        with contextlib.suppress(msgspec.DecodeError, ValueError, RecursionError, KeyError):
            body = msgspec.json.decode(raw, type=_BODIES[topic])
            if not isinstance(body, PrivacyBody):
                return body
            if (body.shop_domain.encode(), body.find_topic()) == (headers.get(SHOP), topic):
                return body
    raise Unauthenticated(
        "X-Shopify-Hmac-Sha256: must be the signature of this body, made with a platform secret of "
        "the store whose platform shop is X-Shopify-Shop-Domain. X-Shopify-Topic must be the one "
        f"of {', '.join(_BODIES)} whose fields the body contains, and a shop_domain in the body "
        "must be the same domain.",
        "signature_invalid",
    )


def read_privacy_request(
    raw: bytes, body: PrivacyBody, headers: Mapping[bytes, bytes], store: Store
) -> PlatformWebhook:
    """Returns the privacy request in a proven body. Raises ``Invalid``."""
    id = headers.get(ID, b"").decode("latin-1")
    if not _ID.fullmatch(id):
        raise Invalid("X-Shopify-Webhook-Id: must be 1 to 100 printable ASCII characters.")
    topic = body.find_topic()
    assert topic is not None
    return PlatformWebhook(topic, id, hashlib.sha256(raw).hexdigest(), _read_customer(body, store))


def _read_customer(body: PrivacyBody, store: Store) -> profiles.Profile | None:
    id = body.customer.id if isinstance(body.customer, _Customer) else None
    try:
        return profiles.of_customer(store, customers.gid(store.platform, str(id or "")))
    except InvalidEvidence:
        return None
