"""Handlers for lists and the items on them."""

from collections.abc import Mapping

from wishwell.errors import Invalid
from wishwell.http import (
    list_bodies,
    queries,
    request_body,
    request_types,
    responding,
    responses,
)
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.products import shown, sorting
from wishwell.profiles import Profile
from wishwell.profiles.pages import PageRequest
from wishwell.wishlists import list_pages, lists


async def list_lists(request: Request) -> object:
    page_request = responding.parse_page_request(request, "lists")
    if page_request.search.fields and not isinstance(request.scope, Profile):  # rule: lookup-cost
        raise Invalid(
            "Profile: is required with an admin token to search by name.",
            "profile_required",
            cause="required",
        )
    return await responding.read_page(request, lists.page, page_request)


async def create_list(request: Request) -> Response:
    profile = responding.new_owner(request)
    fields = (await request_body.decode(request, request_types.NewListBody)).new_list()
    await responding.create_profile(request)
    id, limits, now = request.service.new_id(), request.size_limits, request.now()
    created = await request.run(lists.create, profile, fields, id, limits, now)
    return responses.created(created, f"{responding.PREFIX}/lists/{created.id}")


_SORTS: Mapping[str, lists.Sort] = {
    **dict(zip(lists.SORTS, lists.SORTS, strict=True)),
    "newest": "recently_saved",
    "oldest": "oldest_saved",
    "custom": "customer",
}
"""A list's sort orders, also by the names that ``GET /items`` has for them."""


# rules: list-sort, list-pages
async def get_list(request: Request) -> object:
    sort = queries.choice(request.query, "sort", (*_SORTS, "price", "title"))
    with_products = queries.include(request.query)
    is_paged = not request.query.keys().isdisjoint({"limit", "page"})
    by_product = sort == "price" or sort == "title"
    page_request = PageRequest(None, sorting.ALL_ITEMS)
    if is_paged:
        noun = f"list|{request.parameters['listId']}"
        page_request = responding.parse_page_request(request, noun, _SORTS.get(sort, sort))
    elif not by_product:
        find = shown.including(lists.find) if with_products else lists.find
        return await responding.run_as_owner(request, find, _SORTS[sort])
    if by_product:
        return await responding.run_as_owner(
            request, sorting.find, sort, page_request, included=with_products
        )
    find_page = shown.including(list_pages.find) if with_products else list_pages.find
    return await responding.run_as_owner(request, find_page, _SORTS[sort], page_request)


async def update_list(request: Request) -> object:
    body = await request_body.decode(request, request_types.ListPatchBody, find=get_list)
    return await responding.run_as_owner(request, lists.change, body.patch(), request.now())


async def delete_list(request: Request) -> None:
    await responding.run_as_owner(request, lists.delete, request.now())


async def order_list_items(request: Request) -> object:
    item_ids = (await request_body.decode(request, request_types.ItemOrderBody)).item_ids
    return await responding.run_as_owner(request, lists.order, item_ids, request.now())


# rule: bulk-atomic
async def replace_list_items(request: Request) -> object:
    item_ids = (await request_body.decode(request, list_bodies.ListItemsBody)).item_ids
    limits, now = request.size_limits, request.now()
    return await responding.run_as_owner(request, lists.replace_items, item_ids, limits, now)


# rule: bulk-atomic
async def remove_list_items(request: Request) -> None:
    body = await request_body.decode(request, list_bodies.ListItemsRemovalBody)
    await responding.run_as_owner(request, lists.remove_items, body.removed_ids(), request.now())


async def put_list_item(request: Request) -> object:
    body = await request_body.decode(request, list_bodies.PlaceBody, optional=True)
    after, is_last = body.new_place(), body.position == "last"
    item_id, limits = request.parameters["itemId"], request.size_limits
    return await responding.run_as_owner(
        request, lists.put_item, item_id, after, limits, request.now(), is_last=is_last
    )


async def remove_list_item(request: Request) -> None:
    item_id, limits = request.parameters["itemId"], request.size_limits
    await responding.run_as_owner(request, lists.remove_item, item_id, limits, request.now())
