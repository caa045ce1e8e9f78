"""The operations on products and events, which are about a whole store."""

from wishwell import events, products
from wishwell.http import bodies, handlers, responses, wire
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import product_bodies
from wishwell.profiles import WholeStore


async def list_products(request: Request) -> Response:
    asked, binding = handlers.page_request(request, "products")
    page = await request.run(products.page, WholeStore(request.store), asked)
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
