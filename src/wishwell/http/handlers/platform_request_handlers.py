"""Handlers for the platform's webhooks, and for the privacy requests among them."""

import hashlib

import structlog

from wishwell.http import rate_limits, request_body, request_types, responding, responses
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.importers.shopify import platform_webhooks, signed_webhooks
from wishwell.privacy import platform_requests

log = structlog.get_logger("wishwell.platform")


# rule: platform-signed
async def take_platform_webhook(request: Request) -> object:
    service, headers = request.service, request.headers
    request.check_once(*signed_webhooks.HEADERS)
    raw = await request_body.read(request)
    request_body.check_encoding(request)
    request_types.check_type(request.header(b"content-type"))
    await service.access_cache.ensure_fresh()
    shop = headers.get(signed_webhooks.SHOP, b"").decode("latin-1")
    store = service.access_cache.store_of_platform_shop(shop)
    # Without sealing keys no store has secrets.
    opened_shop = service.shops.of(store) if store and service.sealing else None
    secrets = opened_shop.platform_secrets if opened_shop else ()
    body = signed_webhooks.verify(raw, headers, secrets)
    assert store is not None
    await rate_limits.count_webhook(request, store)
    request_types.check_keys(raw)
    id, now = service.new_id(), service.clock()
    if not isinstance(body, signed_webhooks.PrivacyBody):
        delivery = hashlib.sha256(headers[signed_webhooks.SIGNATURE]).hexdigest()
        result = await request.run(platform_webhooks.apply_body, store, delivery, body, id, now)
        return {"result": result}
    privacy_request = signed_webhooks.read_privacy_request(raw, body, headers, store)
    request_id = await request.run(
        platform_requests.record_request, store, privacy_request, id, now
    )
    if request_id == id:
        log.info("platform_request", store=store.handle, topic=privacy_request.topic, request=id)
    return {"id": request_id}


async def list_requests(request: Request) -> object:
    page_request = responding.parse_page_request(request, "requests")
    return await request.run(platform_requests.page, request.store, page_request)


async def get_request_export(request: Request) -> Response:
    id, now = request.parameters["requestId"], request.now()
    return responses.stored_document(
        await request.run(platform_requests.read_export, request.store, id, now)
    )


async def call_off_request(request: Request) -> None:
    id, now = request.parameters["requestId"], request.now()
    await request.run(platform_requests.cancel, request.store, id, now)
