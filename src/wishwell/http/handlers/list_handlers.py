"""Handlers for lists and the items on them."""

from collections.abc import Mapping

from wishwell.http import queries, request_body, request_types, responding, responses
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import shown, sorting
from wishwell.wishlists import lists


async def list_lists(request: Request) -> object:
    return await request.run(lists.page, request.scope, responding.asked_page(request, "lists"))


async def create_list(request: Request) -> Response:
    profile = responding.new_owner(request)
    new = (await request_body.decode(request, request_types.NewListBody)).new_list()
    await responding.create_profile(request)
    id, limits, now = request.service.new_id(), request.size_limits, request.now()
    made = await request.run(lists.create, profile, new, id, limits, now)
    return responses.created(made, f"{responding.PREFIX}/lists/{made.id}")


_SORTS: Mapping[str, lists.Sort] = {
    **dict(zip(lists.SORTS, lists.SORTS, strict=True)),
    "newest": "recently_saved",
    "oldest": "oldest_saved",
    "custom": "customer",
}
"""A list's sort orders, also by the names that ``GET /items`` has for them."""


# rule: list-sort
async def get_list(request: Request) -> object:
    sort = queries.choice(request.query, "sort", (*_SORTS, "price", "title"))
    included = queries.include(request.query)
    if sort == "price" or sort == "title":
        return await responding.owned(request, sorting.find, sort, included=included)
    find = shown.including(lists.find) if included else lists.find
    return await responding.owned(request, find, _SORTS[sort])


async def update_list(request: Request) -> object:
    body = await request_body.decode(request, request_types.ListPatchBody, find=get_list)
    return await responding.owned(request, lists.change, body.patch(), request.now())


async def delete_list(request: Request) -> None:
    await responding.owned(request, lists.delete, request.now())


async def order_list_items(request: Request) -> object:
    chosen = (await request_body.decode(request, request_types.ItemOrderBody)).item_ids
    return await responding.owned(request, lists.order, chosen, request.now())


async def put_list_item(request: Request) -> object:
    after = (await request_body.decode(request, request_types.PlaceBody, optional=True)).after
    item_id, limits = request.parameters["itemId"], request.size_limits
    return await responding.owned(request, lists.put_item, item_id, after, limits, request.now())


async def remove_list_item(request: Request) -> None:
    item_id, limits = request.parameters["itemId"], request.size_limits
    await responding.owned(request, lists.remove_item, item_id, limits, request.now())
