"""Handlers for items."""

import contextlib
from collections.abc import Sequence

from wishwell import profiles
from wishwell.errors import Invalid, Unavailable
from wishwell.http import queries, request_body, request_types, responding, responses
from wishwell.http.context import Request
from wishwell.products import shown, sorting
from wishwell.profiles import Profile, WholeStore
from wishwell.wishlists import fields, item_changes, items, saving
from wishwell.wishlists.items import NewItem

_SORTS = ("newest", "custom", "oldest", "price", "title")
"""Sort orders of items. Only lists have a custom one, so without a list it is the first."""


# rule: item-sort
async def list_items(request: Request) -> object:
    sort, included = queries.choice(request.query, "sort", _SORTS), queries.include(request.query)
    page_request = responding.parse_page_request(
        request, "items", "" if sort in _SORTS[:2] else sort
    )
    if sort == "price" or sort == "title" or page_request.search.has_product_fields:
        if not isinstance(request.scope, Profile):  # rule: lookup-cost
            raise Invalid(
                "Profile: is required with an admin token to sort by price or title, and to search "
                "by title or availability. GET /products also searches by title.",
                "profile_required",
                cause="required",
            )
        page = await responding.read_page(
            request, sorting.page, page_request, sort, included=included
        )
    else:
        read = shown.page if included else items.page
        page = await responding.read_page(request, read, page_request)
    return responding.complete(page, request)


async def create_item(request: Request) -> object:
    profile = responding.new_owner(request)
    with_product = queries.include(request.query)
    new = (await request_body.decode(request, request_types.NewItemBody)).new_item(request.store)
    await responding.create_profile(request)
    id, limits, now = request.service.new_id(), request.size_limits, request.now()
    list_ids = _new_list_ids(request, [new])
    item, created, product = await request.run(
        saving.save, profile, new, id, limits, now, list_ids, with_product=with_product
    )
    if product is not None:
        shown.set_product(item, *product)
    elif with_product:
        with contextlib.suppress(Unavailable):  # the item is saved
            await request.service.db.read(shown.include, request.store, [item])
    responding.complete(item, request)
    # rule: save-once
    return responses.created(item, f"{responding.PREFIX}/items/{item.id}") if created else item


async def save_items(request: Request) -> object:
    profile = responding.new_owner(request)
    new_items = (await request_body.decode(request, request_types.NewItemsBody)).new_items(
        request.store
    )
    await responding.create_profile(request)
    # rule: bulk-atomic
    new_ids = [request.service.new_id() for _ in new_items][::-1]
    limits, now = request.size_limits, request.now()
    list_ids = _new_list_ids(request, new_items)
    saved = await request.run(saving.save_many, profile, new_items, new_ids, limits, now, list_ids)
    items.show(saved, text_ids=request.store.has_text_ids)
    return saved


def _new_list_ids(request: Request, new_items: Sequence[NewItem]) -> list[str]:
    """Returns an id for each list that the items name."""
    return [request.service.new_id() for item in new_items if item.list_name is not None]


async def delete_items(request: Request) -> None:
    service, scope, ids_in_query = request.service, request.scope, "itemIds" in request.query
    if isinstance(scope, Profile) and scope.is_nobody:  # rule: storefront-visitor
        return
    raw = await request_body.read(request)
    if (raw not in request_body.MISSING) == ids_in_query:  # rule: bulk-atomic
        raise Invalid(
            "itemIds: is required, either in the body or as ?itemIds=a,b, but not in both.",
            cause="repeated" if ids_in_query else "required",
        )
    if ids_in_query:
        item_ids = queries.several(request.query, "itemIds")
    else:
        item_ids = request_body.decoded(request, raw, request_types.ItemIdsBody).item_ids
    if isinstance(scope, WholeStore):
        sessions = await service.db.read(profiles.sessions_owning, scope, item_ids)
        await service.access_cache.touch_now(sessions)
    await request.run(item_changes.delete_many, scope, item_ids, request.now())


async def get_item(request: Request) -> object:
    find = shown.including(items.find) if queries.include(request.query) else items.find
    return await responding.run_as_owner(request, find)


async def update_item(request: Request) -> object:
    body = await request_body.decode(request, request_types.ItemPatchBody, find=get_item)
    patch = body.patch(request.store)
    return await responding.run_as_owner(request, saving.change, patch, request.now())


async def delete_item(request: Request) -> None:
    await responding.run_as_owner(request, item_changes.delete, request.now())


async def set_item_lists(request: Request) -> object:
    body = await request_body.decode(request, request_types.ItemListsBody)
    list_ids = fields.each_once("listIds", body.list_ids)
    return await responding.run_as_owner(
        request, item_changes.set_lists, list_ids, request.size_limits, request.now()
    )
