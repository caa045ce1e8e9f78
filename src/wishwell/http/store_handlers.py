"""The operations on a store, its admin tokens, products and events: about a whole store."""

from wishwell import events, products
from wishwell.access import admin_tokens
from wishwell.http import bodies, handlers, responses, wire
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import product_bodies
from wishwell.profiles import WholeStore
from wishwell.stores import shown


async def get_store(request: Request) -> Response:
    return responses.record(shown.in_force(request.store, request.service.settings))


async def list_tokens(request: Request) -> Response:
    asked, binding = handlers.page_request(request, "tokens")
    page = await request.run(admin_tokens.page, request.store, _asking(request), asked)
    return handlers.answer_page(request, page, binding)


async def revoke_token(request: Request) -> Response:
    asking, id, now = _asking(request), request.parameters["tokenId"], request.now()
    await request.run(admin_tokens.revoke, request.store, asking, id, now)
    return responses.no_content()


def _asking(request: Request) -> str:
    assert request.caller is not None
    return request.caller.token_id


async def list_products(request: Request) -> Response:
    asked, binding = handlers.page_request(request, "products")
    # contract: search-title. A search for a rare title looks at all products.
    run = request.service.db.long_read if "query" in request.query else request.run
    page = await run(products.page, WholeStore(request.store), asked)
    return handlers.answer_page(request, page, binding)


async def put_products(request: Request) -> Response:
    store, service = request.store, request.service
    given = (await bodies.decode(request, product_bodies.ProductsBody)).named(store)
    new_ids = [service.new_id() for _ in given]
    await request.run(products.put, store, given, new_ids, request.now())
    return responses.no_content()


async def get_product(request: Request) -> Response:
    found = await request.run(products.find, request.store, _id(request))
    return responses.record(found)


async def put_product(request: Request) -> Response:
    id, store, new_id = _id(request), request.store, request.service.new_id()
    given = (await bodies.decode(request, product_bodies.ProductBody)).product(id, store)
    made = await request.run(products.put_one, store, given, new_id, request.now())
    return responses.record(made)


async def delete_product(request: Request) -> Response:
    await request.run(products.delete, request.store, _id(request))
    return responses.no_content()


def _id(request: Request) -> str:
    return product_bodies.product_id(request.parameters["productId"], request.store)


# contract: feed-answer
async def list_events(request: Request) -> Response:
    given = request.query
    limit, types = wire.limit(given.get("limit")), wire.event_types(given.get("type"))
    after = wire.resume(given.get("from"))
    page = await request.run(events.feed, request.store, after, limit, types)
    return responses.feed(page.events, str(page.until))
