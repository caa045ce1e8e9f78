"""Handlers for the shop's orders, which are matched with wishes, and the types of their bodies."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

from wishwell import field_types as types
from wishwell.http import request_body, responses
from wishwell.http.context import Request
from wishwell.http.request_types import Body, stored_variant
from wishwell.http.responses import Data, Response
from wishwell.products.money import Money
from wishwell.stores import Store
from wishwell.stores.placeholders import new_product_id
from wishwell.wishlists import fields, orders
from wishwell.wishlists.orders import Line, Order

OrderId = Annotated[
    str,
    Meta(
        title="OrderId",
        description="The shop's id of an order: 1 to 255 printable ASCII characters without space "
        "and `/`. Of a GID, send the last part.",
        pattern=r"^[!-.0-~]{1,255}\Z",
    ),
]
Status = Literal["paid", "cancelled"]


class OrderLineBody(Body):
    """A line of an order."""

    product_id: types.ProductId
    quantity: types.Quantity
    variant_id: types.ProductId | None = None
    """null means no variant."""
    unit_price: Annotated[Money | None, types.published("PriceOrNull")] = None
    """What the customer paid per unit, after discounts, including tax."""

    def line(self, store: Store) -> Line:
        variant = stored_variant(store, self.variant_id)
        price = self.unit_price or Money("", "")
        product = new_product_id(store, "productId", self.product_id)
        return Line(product, variant, self.quantity, price.amount, price.currency)


class OrderBody(Body):
    """A version of an order."""

    order_id: OrderId
    profile: types.ProfileGid
    """The customer who placed the order, or the visitor's session."""
    placed_at: Annotated[datetime, Meta(tz=True)]
    """When the customer placed it: an RFC 3339 time with an offset."""
    updated_at: Annotated[datetime, Meta(tz=True)]
    """When the shop last changed it. A later time replaces the order."""
    status: Annotated[Status, types.published("OrderStatus")]
    lines: Annotated[list[OrderLineBody], Meta(max_length=orders.MAX_LINES)]
    """What the customer keeps: after a partial refund, fewer units or lines."""

    def order(self, request: Request) -> Order:
        store, now = request.store, request.service.clock()
        lines = fields.each("lines", self.lines, lambda line: line.line(store))
        return Order(
            self.order_id,
            request.profile_of(self.profile, "profile"),
            fields.time("placedAt", self.placed_at, now),
            fields.time("updatedAt", self.updated_at, now),
            lines if self.status == "paid" else (),
        )


class OrdersBody(Body):
    """Orders to match with wishes (``PUT /orders``)."""

    orders: Annotated[list[OrderBody], Meta(min_length=1, max_length=orders.MAX_BULK)]


# rule: order-versions
async def put_orders(request: Request) -> Response:
    orders.check_accepted(request.store)
    body = await request_body.decode(request, OrdersBody)
    new_orders = fields.each("orders", body.orders, lambda order: order.order(request))
    outcomes = [
        await request.run(orders.apply, request.store, order, request.now()) for order in new_orders
    ]
    return responses.json(200, Data(outcomes))


async def delete_order(request: Request) -> None:
    id = request.parameters["orderId"]
    await request.run(orders.forget, request.store, id, request.now())
