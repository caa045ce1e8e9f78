"""Every operation of the storefront for a visitor without a session."""

import pytest

from tests.http.test_authorisation import BODIES
from wishwell import ids
from wishwell.http import routes

from .conftest import nothing_done, sessions_in, set_cookies

ID = ids.random_uuid()
LIST, ITEM = f"/lists/{ID}", f"/items/{ID}"
EMPTY = 200, {"data": []}
SAVES = ("POST /items", "PUT /items", "POST /lists", "POST /shares")
"""Operations that start a session, besides those on a shared list."""


def unknown(noun: str, message: str = "") -> tuple[int, dict]:
    code = f"{noun}_not_found"
    return 404, {"code": code, "message": message or f"The {noun} doesn't exist."}


NOBODY = {"items": 0, "lists": 0, "notices": None, "noticesBy": "none"}
NO_PROFILE = unknown("profile", "This visitor has no profile yet.")
ANSWERS = {
    "GET /items": EMPTY,
    "DELETE /items": (204, None),
    **{f"{method} /items/{{itemId}}": unknown("item") for method in ("GET", "PATCH", "DELETE")},
    "PUT /items/{itemId}/lists": unknown("item"),
    "GET /lists": EMPTY,
    **{f"{method} /lists/{{listId}}": unknown("list") for method in ("GET", "PATCH", "DELETE")},
    "PUT /lists/{listId}/items": unknown("list"),
    "DELETE /lists/{listId}/items": unknown("list"),
    "PUT /lists/{listId}/items/order": unknown("list"),
    "PUT /lists/{listId}/items/{itemId}": unknown("list"),
    "DELETE /lists/{listId}/items/{itemId}": unknown("list"),
    "GET /lists/{listId}/shares": unknown("list"),
    "POST /lists/{listId}/shares": unknown("list"),
    "PATCH /lists/{listId}/shares/{shareId}": unknown("list"),
    "DELETE /lists/{listId}/shares/{shareId}": unknown("list"),
    "GET /shares": EMPTY,
    "GET /reservations": EMPTY,
    "PATCH /shares/{shareId}": unknown("share"),
    "DELETE /shares/{shareId}": unknown("share"),
    "DELETE /shared/{token}/items/{itemId}/reservation": unknown("reservation"),
    "GET /profile": (200, {"data": NOBODY}),
    "DELETE /profile/email": NO_PROFILE,
    "POST /profiles/identify": (200, {"data": {"authFlow": "/account/login"}}),
    "PATCH /profile": NO_PROFILE,
    "GET /profile/export": NO_PROFILE,
    "GET /wishes": (
        404,
        {
            "code": "wishes_not_published",
            "message": "This store doesn't publish the number of wishes for its products.",
        },
    ),
}
SHARED = {
    "GET /shared/{token}": 200,
    "POST /shared/{token}/copies": 201,
    "PUT /shared/{token}/items/{itemId}/reservation": 200,
}
OPERATIONS = [
    f"{method} {route.path}"
    for route in routes.API
    if route.on_storefront
    for method in route.methods
    if method != route.off_storefront
]


def request(browser, operation: str, token: str, item_id: str):
    method, _, path = operation.partition(" ")
    for name, text in {"token": token, "itemId": item_id, "listId": ID, "shareId": ID}.items():
        path = path.replace(f"{{{name}}}", text)
    query = {"DELETE /items": f"?itemIds={ID}", "GET /wishes": "?products=1"}.get(operation, "")
    return browser.request(method, path + query, json=BODIES.get(operation))


@pytest.fixture(scope="module")
def shared(front):
    """The token of a shared list, and the id of its item."""
    owner = front.anyone()
    item = owner.get("/items").json()["data"][0]
    share = owner.post("/shares", json={"reservations": True}).json()["data"]
    return share["token"], item["id"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_visitor_without_a_session_is_an_empty_profile(front, shared, operation):
    """Reads find nothing and changes have nothing to change; only a save, a new list and a change
    to a shared list start a session. Rule: storefront-visitor."""
    browser, before = front.browser(), sessions_in(front.api)
    if operation in ANSWERS:
        with nothing_done(front):
            answer = request(browser, operation, *shared)
        body = answer.json() if answer.content else None
        if answer.status_code >= 400:
            body = {name: body["error"][name] for name in ("code", "message")}
        assert (answer.status_code, body) == ANSWERS[operation]
        assert answer.headers["Wishwell-Shopper"] == "-" and not set_cookies(answer)
        return
    answer = request(browser, operation, *shared)
    assert answer.status_code == SHARED.get(operation, 200 if operation == "PUT /items" else 201)
    starts = operation in SAVES or (operation in SHARED and not operation.startswith("GET"))
    assert sessions_in(front.api) - before == len(set_cookies(answer)) == starts
