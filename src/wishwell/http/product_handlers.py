"""The operations on products: what a shop says of what it sells."""

from wishwell import products
from wishwell.http import bodies, handlers, responses, wire
from wishwell.http.context import Request, Services
from wishwell.http.responses import Response
from wishwell.products import product_bodies
from wishwell.profiles import WholeStore
from wishwell.stores import Store


async def list_products(service: Services, request: Request) -> Response:
    scope = WholeStore(request.store)
    asked, binding = handlers.page_request(service, request, "products", handlers.PAGE)
    found = await service.db.read(products.page, scope, asked)
    return handlers.page(service, found, binding)


async def put_products(service: Services, request: Request) -> Response:
    store = request.store
    wire.parameters(request.query_string, frozenset())
    given = (await bodies.decode(service, request, product_bodies.ProductsBody)).named(store)
    new_ids = [service.new_id() for _ in given]
    await service.db.write(products.put, store, given, new_ids, service.now())
    return responses.no_content()


async def get_product(service: Services, request: Request) -> Response:
    store, id = _one(request)
    return responses.record(await service.db.read(products.find, store, id))


async def put_product(service: Services, request: Request) -> Response:
    store, id = _one(request)
    given = (await bodies.decode(service, request, product_bodies.ProductBody)).product(id, store)
    made = await service.db.write(products.put_one, store, given, service.new_id(), service.now())
    return responses.record(made)


async def delete_product(service: Services, request: Request) -> Response:
    store, id = _one(request)
    await service.db.write(products.delete, store, id)
    return responses.no_content()


def _one(request: Request) -> tuple[Store, str]:
    """The store, and the product that the path names. Raises ``Invalid``."""
    store = request.store
    wire.parameters(request.query_string, frozenset())
    return store, product_bodies.product_id(request.parameters["productId"], store)
