"""Handlers for the shop's orders, which are matched with wishes, and the types of their bodies."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import field_types as types
from wishwell.errors import MAX_BAD_FIELDS, BadField, Invalid
from wishwell.http import bad_fields, request_body, request_types, responses
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


Result = Literal[orders.Result, "refused"]
RefusalCode = Literal["invalid_request", "placeholder_id"]


class OrderOutcome(msgspec.Struct, rename="camel"):
    """What happened to an order."""

    order_id: str | UnsetType
    """Omitted if the order was refused without a readable id."""
    result: Result
    """`unchanged`: a version with the same or a later `updatedAt` is known. `refused`: the order
    breaks a rule, and nothing was done; see `code` and `details`."""
    matched: types.Count
    """The number of its lines that match a wish."""
    code: RefusalCode | UnsetType = UNSET
    """Why the order was refused; otherwise omitted."""
    details: Annotated[list[BadField], types.published(maxItems=MAX_BAD_FIELDS)] | UnsetType = UNSET
    """All bad fields of a refused order, with their path in the body; otherwise omitted."""


# rule: order-versions
async def put_orders(request: Request) -> Response:
    orders.check_accepted(request.store)
    raw = await request_body.read(request)
    try:
        body = request_body.decoded(request, raw, OrdersBody)
        readable: list[Order | OrderOutcome]
        readable = [*fields.each("orders", body.orders, lambda order: order.order(request))]
    except Invalid as error:
        readable = _read_each(request, raw, error)
    outcomes = [
        order if isinstance(order, OrderOutcome) else await _apply(request, order)
        for order in readable
    ]
    return responses.json(200, Data(outcomes))


def _read_each(request: Request, raw: bytes, error: Invalid) -> list[Order | OrderOutcome]:
    """Reads the orders of a refused body one by one. Returns an outcome in place of each bad one.

    Raises ``error``, the body's, if no order is readable.
    """
    try:
        request_types.check_keys(raw)
        body = msgspec.json.decode(raw, type=dict[str, list[Any]])
    except (Invalid, ValueError, RecursionError):
        raise error from None
    values = body.pop("orders", [])
    if body or not 1 < len(values) <= orders.MAX_BULK:  # a single order is the bad one
        raise error
    read = [_read(request, index, value) for index, value in enumerate(values)]
    if not any(isinstance(order, Order) for order in read):
        raise error
    return read


def _read(request: Request, index: int, value: Any) -> Order | OrderOutcome:
    try:
        try:
            return msgspec.convert(value, OrderBody).order(request)
        except msgspec.ValidationError as error:
            raise Invalid("body: must be a JSON object.") from error
    except Invalid as error:
        bad_fields.name_within(request, error, value, OrderBody, f"orders[{index}].")
        id = value.get("orderId") if isinstance(value, dict) else None
        order_id = id if isinstance(id, str) else UNSET
        is_placeholder = str(error.code) == "placeholder_id"
        code: RefusalCode = "placeholder_id" if is_placeholder else "invalid_request"
        return OrderOutcome(order_id, "refused", 0, code, [*error.details])


async def _apply(request: Request, order: Order) -> OrderOutcome:
    applied = await request.run(orders.apply, request.store, order, request.now())
    return OrderOutcome(applied.order_id, applied.result, applied.matched)


async def delete_order(request: Request) -> None:
    id = request.parameters["orderId"]
    await request.run(orders.forget, request.store, id, request.now())
