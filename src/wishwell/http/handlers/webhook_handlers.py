"""Handlers for webhooks and their deliveries, for admin tokens."""

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from wishwell.errors import Conflict
from wishwell.events import attempts, deliveries, webhooks
from wishwell.http import queries, request_body, request_types, responding, responses
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.stores import Store
from wishwell.stores.sealing import Sealing

P = ParamSpec("P")
T = TypeVar("T")


async def list_webhooks(request: Request) -> object:
    page_request = responding.parse_page_request(request, "webhooks")
    return await request.run(webhooks.page, request.store, page_request)


async def create_webhook(request: Request) -> Response:
    body = await request_body.decode(request, request_types.NewWebhookBody)
    request.service.outbound.check("url", body.url)
    sealing, new_webhook = _sealing(request), body.new_webhook()
    id, now = request.service.new_id(), request.now()
    webhook = await request.run(webhooks.create, sealing, request.store, new_webhook, id, now)
    return responses.created(webhook, f"{responding.PREFIX}/webhooks/{webhook.id}")


async def get_webhook(request: Request) -> object:
    return await _on_webhook(request, webhooks.find)


async def update_webhook(request: Request) -> object:
    body = await request_body.decode(request, request_types.WebhookPatchBody, find=get_webhook)
    patch = body.patch()
    if patch.url is not None:
        request.service.outbound.check("url", patch.url)
    sealing = None if patch.key is None else _sealing(request)
    return await _on_webhook(request, webhooks.change, sealing, patch, request.now())


async def delete_webhook(request: Request) -> None:
    await _on_webhook(request, webhooks.delete, request.now())


async def renew_webhook_secret(request: Request) -> object:
    return await _on_webhook(
        request, webhooks.renew_secret, _sealing(request), request.service.clock()
    )


async def test_webhook(request: Request) -> object:
    return await _on_webhook(
        request, deliveries.queue_test, request.service.new_id(), request.now()
    )


async def replay_webhook(request: Request) -> object:
    since = (await request_body.decode(request, request_types.ReplayBody)).since
    return await _on_webhook(
        request, webhooks.replay, round(since.timestamp() * 1000), request.now()
    )


async def list_deliveries(request: Request) -> object:
    status = None
    if "status" in request.query:
        status = queries.choice(request.query, "status", attempts.STATUSES)
    page_request = responding.parse_page_request(
        request, f"deliveries|{request.parameters['webhookId']}", status or ""
    )
    return await _on_webhook(request, deliveries.page, page_request, status)


async def retry_delivery(request: Request) -> object:
    return await _on_webhook(
        request, deliveries.retry, request.parameters["deliveryId"], request.now()
    )


# rule: webhook-signed
def _sealing(request: Request) -> Sealing:
    if request.service.sealing is None:
        raise Conflict(
            "This service can't store webhook secrets: its operator has to set "
            "WISHWELL_SEALING_KEYS.",
            "sealing_keys_missing",
        )
    return request.service.sealing


def _on_webhook(
    request: Request,
    use_case: Callable[Concatenate[Any, Store, str, P], Awaitable[T]],
    *arguments: P.args,
    **options: P.kwargs,
) -> Awaitable[T]:
    """Runs a use-case on the webhook in the path."""
    id = request.parameters["webhookId"]
    return request.run(use_case, request.store, id, *arguments, **options)
