"""The operations on webhooks and their deliveries, for admin tokens."""

from wishwell.errors import Conflict
from wishwell.events import deliveries, webhooks
from wishwell.http import bodies, handlers, responses, wire
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.stores.sealing import Sealing
from wishwell.wishes import fields


async def list_webhooks(request: Request) -> Response:
    asked, binding = handlers.page_request(request, "webhooks")
    page = await request.service.db.read(webhooks.page, request.store, asked.cursor, asked.limit)
    return handlers.answer_page(request, page, binding)


async def create_webhook(request: Request) -> Response:
    service = request.service
    body = await bodies.decode(request, wire.NewWebhookBody)
    service.outbound.check("url", body.url)
    made = await service.db.write(
        webhooks.create,
        _sealing(request),
        request.store,
        body.url,
        fields.each_once("types", body.types),
        service.new_id(),
        service.now(),
    )
    return responses.created(made, f"{handlers.PREFIX}/webhooks/{made.id}")


async def get_webhook(request: Request) -> Response:
    found = await request.service.db.read(webhooks.find, request.store, _id(request))
    return responses.record(found)


async def update_webhook(request: Request) -> Response:
    service = request.service
    patch = (await bodies.decode(request, wire.WebhookPatchBody)).patch()
    if patch.url is not None:
        service.outbound.check("url", patch.url)
    changed = await service.db.write(
        webhooks.change, request.store, _id(request), patch, service.now()
    )
    return responses.record(changed)


async def delete_webhook(request: Request) -> Response:
    service = request.service
    await service.db.write(webhooks.delete, request.store, _id(request), service.now())
    return responses.no_content()


async def renew_webhook_secret(request: Request) -> Response:
    service, sealing = request.service, _sealing(request)
    shown = await service.db.write(
        webhooks.renew_secret, sealing, request.store, _id(request), service.clock()
    )
    return responses.record(shown)


async def test_webhook(request: Request) -> Response:
    service = request.service
    sent = await service.db.write(
        deliveries.test, request.store, _id(request), service.new_id(), service.now()
    )
    return responses.record(sent)


async def replay_webhook(request: Request) -> Response:
    service = request.service
    since = (await bodies.decode(request, wire.ReplayBody)).since
    milliseconds = round(since.timestamp() * 1000)
    replayed = await service.db.write(
        webhooks.replay, request.store, _id(request), milliseconds, service.now()
    )
    return responses.record(replayed)


async def list_deliveries(request: Request) -> Response:
    id = _id(request)
    asked, binding = handlers.page_request(request, f"deliveries|{id}")
    page = await request.service.db.read(
        deliveries.page, request.store, id, asked.cursor, asked.limit
    )
    return handlers.answer_page(request, page, binding)


async def retry_delivery(request: Request) -> Response:
    service, delivery = request.service, request.parameters["deliveryId"]
    again = await service.db.write(
        deliveries.retry, request.store, _id(request), delivery, service.now()
    )
    return responses.record(again)


# contract: webhook-needs-keys
def _sealing(request: Request) -> Sealing:
    if request.service.sealing is None:
        raise Conflict(
            "This service can't keep the secret of a webhook: its operator must set "
            "WISHWELL_SEALING_KEYS."
        )
    return request.service.sealing


def _id(request: Request) -> str:
    return request.parameters["webhookId"]
