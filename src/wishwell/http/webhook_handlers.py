"""The operations on webhooks and their deliveries, for admin tokens."""

from wishwell import ids
from wishwell.errors import Conflict, NotFound
from wishwell.events import deliveries, webhooks
from wishwell.events.webhooks import WebhookPatch
from wishwell.http import bodies, handlers, responses, wire
from wishwell.http.context import Request, Services
from wishwell.http.responses import Response
from wishwell.profiles import pages
from wishwell.stores.sealing import Sealing
from wishwell.wishes import fields


async def list_webhooks(service: Services, request: Request) -> Response:
    binding = f"{request.store.id}|webhooks"
    cursor, limit = _page_request(service, request, binding)
    found = await service.db.read(webhooks.page, request.store, cursor, limit)
    return handlers.page(service, found, binding)


async def create_webhook(service: Services, request: Request) -> Response:
    wire.parameters(request.query_string, frozenset())
    body = await bodies.decode(service, request, wire.NewWebhookBody)
    service.outbound.check("url", body.url)
    made = await service.db.write(
        webhooks.create,
        _sealing(service),
        request.store,
        body.url,
        fields.each_once("types", body.types),
        service.new_id(),
        service.now(),
    )
    return responses.created(made, f"{handlers.PREFIX}/webhooks/{made.id}")


async def get_webhook(service: Services, request: Request) -> Response:
    return responses.record(await service.db.read(webhooks.find, request.store, _id(request)))


async def update_webhook(service: Services, request: Request) -> Response:
    id = _id(request)
    body = await bodies.decode(service, request, wire.WebhookPatchBody)
    patch = WebhookPatch(
        body.url if isinstance(body.url, str) else None,
        fields.each_once("types", body.types) if isinstance(body.types, list) else None,
        body.enabled if isinstance(body.enabled, bool) else None,
    )
    if patch.url is not None:
        service.outbound.check("url", patch.url)
    changed = await service.db.write(webhooks.change, request.store, id, patch, service.now())
    return responses.record(changed)


async def delete_webhook(service: Services, request: Request) -> Response:
    await service.db.write(webhooks.delete, request.store, _id(request), service.now())
    return responses.no_content()


async def renew_webhook_secret(service: Services, request: Request) -> Response:
    id, sealing = _id(request), _sealing(service)
    shown = await service.db.write(
        webhooks.renew_secret, sealing, request.store, id, service.clock()
    )
    return responses.record(shown)


async def test_webhook(service: Services, request: Request) -> Response:
    id, new = _id(request), service.new_id()
    sent = await service.db.write(deliveries.test, request.store, id, new, service.now())
    return responses.record(sent)


async def replay_webhook(service: Services, request: Request) -> Response:
    id = _id(request)
    body = await bodies.decode(service, request, wire.ReplayBody)
    since = round(body.since.timestamp() * 1000)
    return responses.record(
        await service.db.write(webhooks.replay, request.store, id, since, service.now())
    )


async def list_deliveries(service: Services, request: Request) -> Response:
    id = _webhook_id(request)
    binding = f"{request.store.id}|{id}|deliveries"
    cursor, limit = _page_request(service, request, binding)
    found = await service.db.read(deliveries.page, request.store, id, cursor, limit)
    return handlers.page(service, found, binding)


async def retry_delivery(service: Services, request: Request) -> Response:
    id, delivery = _id(request), request.parameters["deliveryId"]
    if not ids.is_uuid(delivery):
        raise NotFound("There is no such delivery.")
    again = await service.db.write(deliveries.retry, request.store, id, delivery, service.now())
    return responses.record(again)


# contract: webhook-needs-keys
def _sealing(service: Services) -> Sealing:
    if service.sealing is None:
        raise Conflict(
            "This service can't keep the secret of a webhook: its operator must set "
            "WISHWELL_SEALING_KEYS."
        )
    return service.sealing


def _id(request: Request) -> str:
    """The webhook of a request without query parameters."""
    wire.parameters(request.query_string, frozenset())
    return _webhook_id(request)


# contract: record-id
def _webhook_id(request: Request) -> str:
    id = request.parameters["webhookId"]
    if not ids.is_uuid(id):
        raise NotFound("There is no such webhook.")
    return id


def _page_request(
    service: Services, request: Request, binding: str
) -> tuple[pages.Cursor | None, int]:
    given = wire.parameters(request.query_string, handlers.PAGE)
    return handlers.cursor(service, given, binding), wire.limit(given.get("limit"))
