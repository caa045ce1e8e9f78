"""Verifies and decodes Shopify's privacy webhooks. No I/O."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import profiles
from wishwell.errors import Invalid, Unauthenticated
from wishwell.http import request_types
from wishwell.privacy.platform_requests import TOPICS, PlatformWebhook, Topic
from wishwell.shoppers import customers
from wishwell.shoppers.customers import InvalidEvidence
from wishwell.stores import Store
from wishwell.wishlists import fields

SIGNATURE, SHOP = b"x-shopify-hmac-sha256", b"x-shopify-shop-domain"
TOPIC, ID = b"x-shopify-topic", b"x-shopify-webhook-id"
HEADERS = (SIGNATURE, SHOP, TOPIC, ID)

_ID = re.compile(r"[!-~]{1,100}")


class _Customer(msgspec.Struct):
    id: int | str | None = None


class WebhookBody(msgspec.Struct):
    """The fields that are read from a webhook's body. Other fields are ignored."""

    shop_domain: str
    customer: _Customer | UnsetType = UNSET
    orders_to_redact: list[Any] | UnsetType = UNSET
    data_request: dict[str, Any] | UnsetType = UNSET

    # rule: privacy-request-signed
    def asks_for(self) -> Topic | None:
        """Returns the topic that fits the fields present, or ``None``.

        The ``X-Shopify-Topic`` header isn't signed, so the body has to prove the topic.
        """
        parts = (self.customer, self.orders_to_redact, self.data_request)
        shapes: dict[tuple[bool, ...], Topic] = {
            (True, False, True): "customers/data_request",
            (True, True, False): "customers/redact",
            (False, False, False): "shop/redact",
        }
        return shapes.get(tuple(part is not UNSET for part in parts))


_decoder = msgspec.json.Decoder(WebhookBody)


def read(raw: bytes) -> WebhookBody | None:
    """Decodes a body. Returns ``None`` if it isn't one that the platform sends."""
    try:
        return _decoder.decode(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


# rule: privacy-request-signed
def prove(
    raw: bytes, body: WebhookBody | None, headers: Mapping[bytes, bytes], secrets: Sequence[str]
) -> WebhookBody:
    """Returns the body if its signature fits one of the secrets and the headers agree with it.

    Raises ``Unauthenticated``, with the same message for every cause.
    """
    given = headers.get(SIGNATURE, b"")
    if (
        any(
            hmac.compare_digest(base64.b64encode(hmac.digest(key.encode(), raw, "sha256")), given)
            for key in secrets
        )
        and body is not None
        and headers.get(SHOP) == body.shop_domain.encode()
        and headers.get(TOPIC) == (body.asks_for() or "").encode()
    ):
        return body
    raise Unauthenticated(
        "X-Shopify-Hmac-Sha256: must be the signature of this body, made with a "
        "platform secret of the store that has its shop_domain. X-Shopify-Shop-Domain "
        "must be the same domain, and X-Shopify-Topic must be the one of "
        f"{', '.join(TOPICS)} whose fields the body contains.",
        "signature_invalid",
    )


def delivery(
    raw: bytes, body: WebhookBody, headers: Mapping[bytes, bytes], store: Store
) -> PlatformWebhook:
    """Returns the privacy request in an authenticated body. Raises ``Invalid``."""
    id = headers.get(ID, b"").decode("latin-1")
    if not _ID.fullmatch(id):
        raise Invalid("X-Shopify-Webhook-Id: must be 1 to 100 printable ASCII characters.")
    try:
        twice = fields.duplicate_key(raw)
    except (ValueError, RecursionError) as error:  # in a field that the decoder skips
        raise request_types.not_json(raw, error) from error
    if twice is not None:
        raise Invalid(f"{twice}: is repeated in the body.")
    topic = body.asks_for()
    assert topic is not None
    return PlatformWebhook(topic, id, hashlib.sha256(raw).hexdigest(), _customer(body, store))


def _customer(body: WebhookBody, store: Store) -> profiles.Profile | None:
    id = body.customer.id if isinstance(body.customer, _Customer) else None
    try:
        return profiles.of_customer(store, customers.gid(store.platform, str(id or "")))
    except InvalidEvidence:
        return None
