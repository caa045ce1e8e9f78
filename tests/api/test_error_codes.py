"""Codes, messages and details of errors. Every test's client checks that a code is documented
(tests/servers/documented.py)."""

import re
import uuid

import pytest

from tests.http.test_authorisation import expired
from tests.servers import wait_until
from wishwell.http import routes

from .conftest import data, in_one_window, item, new_list, refused, save, whole_list

JSON = {"Content-Type": "application/json"}
SOME = "0190a8b0-0000-7000-8000-000000000000"
LATE = "2020-01-01T00:00:00Z"


def error(answer) -> dict:
    refused(answer, answer.status_code)
    return answer.json()["error"]


def details(answer) -> list[str]:
    """Asserts that the message is that of the first bad field; returns the names of all."""
    found = error(answer)
    first = found["details"][0]
    assert found["message"] == f"{first['field']}: {first['message']}"
    return [each["field"] for each in found["details"]]


def raw(text: str, **headers: str):
    """Returns a request that sends this text as an item to save."""
    content = text.encode("utf-8", "surrogatepass")
    return "POST", "/items", {"content": content, "headers": JSON | headers}


def post(path: str, **body: object):
    return "POST", path, {"json": body}


TYPE, CODING = "Content-Type", "Content-Encoding"
# Wrong requests of a customer: method, path and options; status and message.
MESSAGES = {
    "charset": (raw("{}", **{TYPE: "application/json; charset=utf8"}), 415,
        "Content-Type: the charset must be utf-8 or left out; no other parameter is allowed."),
    "gzip": (raw("{}", **{CODING: "gzip"}), 415, "Content-Encoding: isn't supported; send the body uncompressed."),
    "comma": (raw('{"productId":1,}'), 400, "body: isn't valid JSON: trailing comma in object (byte 15)."),
    "quotes": (raw("{'productId':1}"), 400, "body: isn't valid JSON: object keys must be strings (byte 1)."),
    "NaN": (raw('{"productId":NaN}'), 400, "body: isn't valid JSON: invalid character (byte 13)."),
    "BOM": (raw('\ufeff{"productId":1}'), 400, "body: isn't valid JSON: it begins with a byte order mark."),
    "half": (raw('{"productId":1,"note":"\\ud83d\\ude00\\ud800"}'), 400,
        r"body: isn't valid JSON: \ud800 is half of a surrogate pair."),
    "path": (post(f"/lists/{SOME}/things"), 404,
        "No operation has this path. /api/2025-04/.well-known/openapi lists all paths."),
    "slash": (post("/items/"), 404,
        "No operation has this path. Paths end without a slash. /api/2025-04/.well-known/openapi lists all paths."),
    "unknown": (post("/items", productId=1, product_id=1), 400,
        "product_id: isn't a field of this body; allowed: productId, variantId, quantity, "),
    "set": (post("/items", id=SOME, productId=1), 400,
        "id: can't be changed here; allowed: productId, variantId, quantity, "),
    "delete": (("DELETE", "/items", {"content": b'{"itemIds":[]}', "headers": JSON}), 400,
        "itemIds: must be an array of 1 to 250 item ids."),
    "order": (("PUT", f"/lists/{SOME}/items/order", {"json": {"itemIds": 1}}), 400,
        "itemIds: must be an array of at most 5000 item ids."),
    "same": (("PUT", "/items", {"json": {"items": [{"productId": 1}, {"productId": 1}]}}), 400,
        "items[1]: has the same product and variant as items[0]."),
    "lists": (post("/items", productId=1, listIds=["zzz"]), 404, "listIds: 'zzz' isn't the id of a list of this profile."),
    "tags": (post("/items", productId=1, tags=["a", "Gift"]), 400,
        "tags[1]: must be 1 to 50 characters: a-z (lower case), 0-9, _ or -."),
    "email": (post("/profiles/identify", email=" a@b.c"), 400, "email: must not begin or end with a space."),
    "list name": (post("/items", productId=1, listName=" "), 400, "listName: must be 1 to 255 characters after trimming."),
    "list name's type": (post("/items", productId=1, listName=7), 400,
        "listName: must be a string of 1 to 255 characters, or null."),
    "duplicate": (post("/items", productId=1, listIds=["a", "b", "a"]), 400, "listIds[2]: is the same as listIds[0]."),
}  # fmt: skip
ADMIN_MESSAGES = {
    "no email": (("GET", "/profiles", {}), 400, "email: is required."),
    "customer": (post("/profiles/token", customer=7), 400,
        "customer: must be a string such as gid://shopify/Customer/7; leave it out for a visitor."),
    "variants": (("PUT", "/products/5", {"json": {"variants": [{"variantId": 1}, {"variantId": 1}]}}), 400,
        "variants[1].variantId: is the same as in variants[0]."),
    "products": (("PUT", "/products", {"json": {"products": [{"productId": 1}, {"productId": 1}]}}), 400,
        "products[1].productId: is the same as in products[0]."),
    "a product of several": (
        ("PUT", "/products", {"json": {"products": [{"productId": 1}, {"productId": "red"}]}}), 400,
        "products[1].productId: must be an integer"),
    "after": (("GET", "/reports/summary?from=2025-05-02&to=2025-05-01", {}), 400,
        "from: 2025-05-02 is after 2025-05-01, `to`."),
    "future": (("GET", "/reports/summary?from=9998-05-02", {}), 400, "today, the default of `to`."),
    "long": (("GET", "/reports/summary?from=2023-05-02&to=2025-05-01", {}), 400,
        "from: 2023-05-02 to 2025-05-01, `to`, is more than the 366 days that are allowed."),
    "cursor": (("GET", "/items?page=x", {}), 400, "page: isn't a cursor for this request"),
}  # fmt: skip


@pytest.mark.parametrize("name", [*MESSAGES, *ADMIN_MESSAGES])
def test_message_says_what_is_wrong_and_what_is_allowed(roomy_shop, name):
    """The message says what is wrong, where, and what is allowed. Rules: error-envelope,
    input-strict, report-period."""
    (method, path, options), status, message = (MESSAGES | ADMIN_MESSAGES)[name]
    http = roomy_shop.admin if name in ADMIN_MESSAGES else roomy_shop.customer().http
    assert message in refused(http.request(method, path, **options), status)


def test_message_has_the_index_of_a_bad_id_and_the_quantity_left(shop):
    """An id in an order and a reservation that can't be met are named with their figures; an expiry
    without an offset or in the past says which. Rules: list-order, reserve-quantity, share-ends."""
    http = shop.customer("1").http
    kept = new_list(http)["id"]
    saved = save(http, 1, quantity=3, listIds=[kept])["id"]
    answer = http.put(f"/lists/{kept}/items/order", json={"itemIds": [saved, "x"]})
    assert error(answer)["details"] == [
        {
            "field": "itemIds[1]",
            "message": "isn't the id of an item on this list.",
            "code": "invalid",
        }
    ]
    path, giver = f"/lists/{kept}/shares", shop.customer("2").http
    shared = data(http.post(path, json={"reservations": True, "notes": None}), 201)
    place = f"/shared/{shared['token']}/items/{saved}/reservation"
    data(shop.customer("3").http.put(place, json={"quantity": 2}))
    refused(giver.put(place, json={"quantity": 2}), 409, "only 1 is left to reserve")
    refused(http.post(path, json={"expiresAt": LATE[:-1]}), 400, "expiresAt: lacks an offset")
    refused(http.post(path, json={"expiresAt": LATE}), 400, "must be in the future; it is now 20")


# ------------------------------------------------------------------------------------- details


def test_every_bad_field_is_named_in_the_order_of_the_body(shop, http):
    """All bad fields are named, nested ones with their path, at most 50, and nothing is saved.
    Rule: error-envelope."""
    body = {"productId": "x", "colour": 1, "quantity": 0, "note": "\x07", "tags": ["A"]}
    assert details(http.post("/items", json=body)) == [
        "productId", "colour", "quantity", "note", "tags[0]",
    ]  # fmt: skip
    assert details(http.post("/items", json={"quantity": 0})) == ["quantity", "productId"]
    items = [{"productId": 1}, 5, {"productId": 2, "listIds": ["a", 1]}, {"productId": True}]
    assert details(http.put("/items", json={"items": items})) == [
        "items[1]", "items[2].listIds[1]", "items[3].productId",
    ]  # fmt: skip
    many = {"items": [{"productId": n, "quantity": 0} for n in range(1, 61)]}
    assert len(details(http.put("/items", json=many))) == 50
    assert details(http.put("/items", json={"items": [{}] * 251})) == ["items"]
    product = {"title": "\x07", "price": {"amount": 1, "of": 2}, "variants": [{"variantId": "x"}]}
    assert details(shop.admin.put("/products/5", json=product)) == [
        "title", "price.amount", "price.of", "price.currency", "variants[0].variantId",
    ]  # fmt: skip
    gids = {"customer": "gid://other/Customer/7", "session": f"gid://wishwell/Session/{SOME}x"}
    assert details(shop.admin.post("/profiles/token", json=gids)) == ["customer", "session"]
    for url in (1, "https://10.0.0.1/"):
        hook = {"url": url, "types": ["item.created", "x"]}
        assert details(shop.admin.post("/webhooks", json=hook)) == ["url", "types[1]"]
    terms = {"notes": 1, "expiresAt": LATE}
    path = f"/lists/{new_list(http)['id']}/shares"
    assert details(http.post(path, json=terms)) == ["notes", "expiresAt"]
    assert details(http.put("/items", json={"items": {}})) == ["items"]
    for text in (b"[]", b"{", b'{"productId":1e400}', b'{"productId":{}'):
        assert "details" not in error(http.post("/items", content=text, headers=JSON))
    assert data(http.get("/items")) == []


def test_null_is_left_out_when_something_is_created(shop, http):
    """null in an optional field of a new record is the same as leaving it out; in a change it has
    the meaning that the field gives it, or is refused. Rules: save-once, token-issued."""
    body = {"variantId": None, "quantity": None, "tags": None, "note": None, "listIds": None}
    body["listName"] = None
    saved = save(http, 1, quantity=2, tags=["a"])
    again = data(http.post("/items", json={"productId": 1} | body))
    assert (again["quantity"], again["tags"]) == (2, ["a"])
    empty = {"customer": None, "session": None}
    assert "/Session/" in data(shop.admin.post("/profiles/token", json=empty), 201)["profile"]
    refused_answer = http.patch(f"/items/{saved['id']}", json={"quantity": None, "tags": None})
    assert details(refused_answer) == ["quantity"]


def test_null_clears_an_array(make_shop):
    """null clears the arrays of a change, and is no ids of a removal: clients generated for Java send
    empty arrays of which they know no null. Rule: openapi-complete."""
    shop = make_shop("--events", "on")
    http = shop.customer("1").http
    saved = save(http, 1, tags=["a"])
    changed = data(http.patch(f"/items/{saved['id']}", json={"quantity": 2}))
    assert changed["tags"] == ["a"]
    assert data(http.patch(f"/items/{saved['id']}", json={"tags": None}))["tags"] == []
    new = {"url": "https://shop.example/", "types": ["item.created"], "include": ["product"]}
    hook = data(shop.admin.post("/webhooks", json=new), 201)
    path, nulls = f"/webhooks/{hook['id']}", {"types": None, "include": None}
    assert data(shop.admin.patch(path, json={"enabled": False}))["types"] == ["item.created"]
    cleared = data(shop.admin.patch(path, json=nulls))
    assert (cleared["types"], cleared.get("include", [])) == ([], [])
    items = f"/lists/{new_list(http)['id']}/items"
    assert codes(http.request("DELETE", items, json={"itemIds": None})) == {"itemIds": "required"}
    assert http.request("DELETE", items, json={"itemIds": None, "all": True}).status_code == 204


def test_fetched_record_may_be_sent_back_unchanged(shop, http):
    """A change may repeat the other fields of the record, but not change them.
    Rule: input-strict."""
    shared = new_list(http)
    saved = save(http, 1, note="a", listIds=[shared["id"]])
    for owner in (http, shop.admin):
        record = item(owner, saved["id"]) | {"note": "b", "updatedAt": LATE}
        assert data(owner.patch(f"/items/{saved['id']}", json=record))["note"] == "b"
        for changed in ({"listIds": []}, {"id": SOME}, {"createdAt": LATE, "listIds": []}):
            answer = owner.patch(f"/items/{saved['id']}", json=record | changed)
            assert details(answer) == [name for name in record if name in changed]
    whole = whole_list(http, shared["id"])
    assert data(http.patch(f"/lists/{shared['id']}", json=whole | {"name": "New"}))["name"] == "New"
    profile = data(http.get("/profile"))
    assert data(http.patch("/profile", json=profile | {"notices": False}))["notices"] is False
    refused(http.patch("/profile", json=profile | {"items": 7}), 400, "items: isn't a field")
    twice = f'{{"note":"a","note":"b","id":"{saved["id"]}"}}'
    answer = http.patch(f"/items/{saved['id']}", content=twice, headers=JSON)
    refused(answer, 400)


# ------------------------------------------------------------------------------------- codes


def test_codes_distinguish_errors_of_the_same_status(shop, http, make_shop):
    """Errors that share a status have different codes; wrong and unknown tokens, and records of
    others and unknown ones, share a code. Rules: error-envelope, token-required, token-scope."""
    member, other = shop.session(), shop.customer("2").http
    kept, saved, theirs = new_list(http), save(http, 1), save(other, 1)
    second = save(http, 2)["id"]
    shop.admin.post("/profiles/token", json={"customer": shop.gid("1"), "session": member.gid})
    small = make_shop("--limit", "items=1")
    full = small.customer().http
    save(full, 1)
    answers = {
        ("400", "invalid_request"): http.post("/items", json={"productId": 0}),
        ("400", "profile_required"): shop.admin.post("/items", json={"productId": 1}),
        ("400", "item_limit_reached"): full.post("/items", json={"productId": 2}),
        ("400", "invalid_cursor"): http.get("/items?page=x"),
        ("401", "token_missing"): shop.anonymous.get("/items"),
        ("401", "token_invalid"): shop.client("wwadm_x").get("/items"),
        ("401", "token_expired"): shop.client(expired(shop.customer("1"))).get("/items"),
        ("401", "session_closed"): member.http.get("/items"),
        ("403", "admin_token_required"): http.get("/products"),
        ("403", "profile_header_not_allowed"): http.get("/items", headers={"Profile": "x"}),
        ("404", "path_not_found"): http.get("/nothing"),
        ("404", "item_not_found"): http.get(f"/items/{theirs['id']}"),
        ("404", "list_not_found"): http.put(f"/items/{saved['id']}/lists", json={"listIds": ["x"]}),
        ("404", "item_not_on_list"): http.delete(f"/lists/{kept['id']}/items/{saved['id']}"),
        ("404", "session_not_found"): shop.acting_as(f"gid://wishwell/Session/{SOME}").get(
            "/items"
        ),
        ("404", "shared_list_not_found"): http.get("/shared/x"),
        ("404", "wishes_not_published"): http.get("/wishes?products=1"),
        ("405", "method_not_allowed"): http.put("/lists"),
        ("409", "item_exists"): http.patch(f"/items/{second}", json={"productId": 1}),
        ("409", "events_off"): make_shop("--events", "off").admin.post(
            "/webhooks", json={"url": "https://example.com/"}
        ),
        ("415", "unsupported_encoding"): http.post(
            "/items", content=b"{}", headers=JSON | {CODING: "gzip"}
        ),
    }
    assert {key: (str(a.status_code), error(a)["code"]) for key, a in answers.items()} == {
        key: key for key in answers
    }


# ------------------------------------------------------------------------------- decisions


def test_request_id_is_returned_exactly_as_sent(shop):
    """A UUID in either case is kept as it is. Rule: error-envelope."""
    sent = str(uuid.uuid4()).upper()
    for path in ("/items", "/nothing"):
        answer = shop.admin.get(path, headers={"X-Request-Id": sent})
        assert answer.headers["X-Request-Id"] == sent


def test_session_uuid_may_be_in_upper_case(shop):
    """The UUID of a session GID is read in either case. Rule: profile-gid."""
    member = shop.session()
    prefix, uuid_ = member.gid.rsplit("/", 1)
    saved = save(member.http, 1)
    assert data(shop.acting_as(f"{prefix}/{uuid_.upper()}").get("/items")) == [saved]
    linked = {"customer": shop.gid("1"), "session": f"{prefix}/{uuid_.upper()}"}
    data(shop.admin.post("/profiles/token", json=linked), 201)
    assert data(shop.customer("1").http.get("/items"))[0]["id"] == saved["id"]


def test_linked_session_moves_its_items_once_and_is_not_accepted_as_the_customer(shop):
    """A linked session can be linked again, also to another customer, and moves nothing. A session
    isn't accepted as the customer. Rule: link-atomic."""
    member = shop.session()
    saved = save(member.http, 1)
    body = {"session": member.gid, "customer": shop.gid("1")}
    for customer in (shop.gid("1"), shop.gid("1"), shop.gid("2")):
        data(shop.admin.post("/profiles/token", json=body | {"customer": customer}), 201)
    assert [item["id"] for item in data(shop.customer("1").http.get("/items"))] == [saved["id"]]
    assert data(shop.customer("2").http.get("/items")) == []
    answer = shop.admin.post("/profiles/token", json=body | {"customer": member.gid})
    refused(answer, 400, "customer: must be gid://")


@pytest.mark.slow
@in_one_window
def test_expired_or_revoked_token_does_not_count_for_its_address(new_service):
    """Expired and revoked tokens are 401 however many there are; a valid token with two `Profile`
    headers counts for its caller. Rules: limit-address, limit-window."""
    with new_service(WISHWELL_LIMIT_ADDRESS="3") as service:
        from tests.conftest import Shop

        shop = Shop(service)
        member = shop.customer("1")
        old, twice = shop.client(expired(member)), [("Profile", shop.gid("1"))] * 2
        for _ in range(5):
            assert error(old.get("/items"))["code"] == "token_expired"
            refused(shop.admin.get("/items", headers=twice), 400, "Profile: must be sent only once")
        service.quick("token", "revoke", "--store", shop.handle, member.gid)
        assert wait_until(lambda: member.http.get("/items").status_code == 401, seconds=30, every=1)
        for _ in range(5):
            assert error(member.http.get("/items"))["code"] == "token_revoked"
        guesses = [shop.client("guess").get("/items") for _ in range(4)]
        assert [answer.status_code for answer in guesses] == [401, 401, 401, 429]
        assert error(guesses[3])["code"] == "rate_limited_without_token"
        refused(guesses[3], 429, "The access token is not valid. Too many requests")


def test_empty_search_finds_everything_and_others_are_refused(http):
    """An empty query counts as omitted; other parameters stay strict. Rules: search-terms, input-strict."""
    saved = save(http, 1)
    assert data(http.get("/items?query=")) == data(http.get("/items?query=+")) == [saved]
    assert data(http.get("/items?query=list:zzz")) == []
    refused(http.get("/items?_=1"), 400, "_: isn't a query parameter")


def test_precondition_of_a_change_is_refused(http):
    """A change with a precondition is refused with a code and changes nothing; a read ignores it.
    Rule: input-strict."""
    id = save(http, 1)["id"]
    time = "Sat, 29 Oct 1994 19:43:31 GMT"
    for name, value in (("If-Match", "*"), ("If-None-Match", "*"), ("If-Unmodified-Since", time)):
        for method, path in (
            ("PATCH", f"/items/{id}"),
            ("DELETE", f"/items/{id}"),
            ("POST", "/items"),
        ):
            answer = http.request(method, path, headers={name: value}, json={"quantity": 2})
            found = error(answer)
            assert (answer.status_code, found["code"]) == (400, "precondition_unsupported")
            assert found["message"].startswith(f"{name}: ")
        answer = http.get(f"/items/{id}", headers={name: value})
        assert data(answer)["quantity"] == 1


def codes(answer) -> dict[str, str]:
    """Asserts a complete error; returns the codes of its details by field."""
    details(answer)
    return {each["field"]: each["code"] for each in answer.json()["error"]["details"]}


def test_a_missing_body_is_named(http):
    """The message says that there is no body, not that an empty text isn't JSON. Rule:
    error-envelope."""
    list_id = new_list(http)["id"]
    for method, path in (("POST", "/items"), ("DELETE", f"/lists/{list_id}/items")):
        found = error(http.request(method, path))
        assert (found["code"], "details" in found) == ("invalid_request", False)
        assert found["message"] == "body: is required; send a JSON object."


def test_bad_fields_have_codes(http):
    """Each bad field of a body has the code of its cause. Rule: error-envelope."""
    body = {
        "note": "x" * 70_000,
        "quantity": 0,
        "variantId": "x",
        "colour": 1,
        "id": SOME,
        "tags": 1,
    }
    expected = {"note": "too_long", "quantity": "too_small", "variantId": "invalid"}
    expected |= {"colour": "unknown", "id": "not_allowed", "tags": "wrong_type"}
    assert codes(http.post("/items", json=body)) == expected | {"productId": "required"}
    found = codes(http.post("/items", json={"productId": 1, "quantity": 10**9}))
    assert found == {"quantity": "too_large"}
    list_id = new_list(http)["id"]
    answer = http.request("DELETE", f"/lists/{list_id}/items", json={"itemIds": []})
    assert codes(answer) == {"itemIds": "too_short"}


def test_all_bad_parameters_are_named(http, shop):
    """All bad query parameters have details, and so has a bad header. Rule: error-envelope."""
    query = "limit=0&colour=1&include=x&page=a&page=b&size=2"
    assert codes(http.get(f"/items?{query}")) == {
        "colour": "unknown",
        "limit": "invalid",
        "include": "invalid",
        "page": "repeated",
        "size": "unknown",
    }
    assert codes(http.get("/items?sort=x&limit=0")) == {"sort": "invalid", "limit": "invalid"}
    assert codes(http.delete("/items")) == {"itemIds": "required"}
    assert codes(http.get("/items?page=x")) == {"page": "invalid"}
    answer = http.post("/items", json={"productId": 1}, headers={"If-Match": "*"})
    assert codes(answer) == {"If-Match": "not_allowed"}
    assert codes(shop.admin.get("/store", headers={"Profile": shop.gid("1")})) == {
        "Profile": "not_allowed"
    }
    assert codes(shop.admin.post("/items", json={"productId": 1})) == {"Profile": "required"}
    assert codes(shop.admin.get("/items", headers={"Profile": "x"})) == {"Profile": "invalid"}


BAD_PARAMETERS = {
    "/items": "sort=x&query=nothing&limit=x&include=x",
    "/lists": "query=nothing&limit=x",
    "/shares": "of=x&limit=x",
    f"/lists/{SOME}": "sort=x&include=x&limit=x",
    f"/lists/{SOME}/shares": "limit=x",
    "/reservations": "include=x",
    "/profile/export": "include=x",
    "/profiles": "email=x&limit=x",
    "/profiles/history": "profile=x",
    "/events": "from=x&limit=x&type=x&include=x&profile=x",
    "/events?from=latest": "limit=x&type=x&include=x&profile=x",
    f"/webhooks/{SOME}/deliveries": "status=x&limit=x",
    "/mails/preview": "kind=x&language=x",
    "/products": "query=nothing&limit=x",
    "/reports/products": "from=x&to=x&sort=x&by=x&title=&only=x&limit=x&format=x",
    "/reports/summary": "from=x&to=x&format=x",
    "/reports/days": "from=x&to=x&product=null&format=x",
    "/reports/purchases": "from=x&to=x&by=x&limit=x&format=x",
    "/reports/wishers": "product=null&variant=null&limit=x&format=x",
    "/reports/shoppers": "sort=x",
    "/wishes": "products=,",
}
OF_THE_STORE = {"profiles", "events", "webhooks", "mails", "products", "reports"}


def test_every_bad_parameter_is_named_by_each_operation(http, shop):
    """A bad value of every query parameter of every operation has details. Rule: error-envelope."""
    named = {route.path for route in routes.API if any(route.query.values())}
    of_pages = {"/webhooks", "/mails", "/tokens", "/requests"}  # `page` and `limit` alone
    paths = {path.replace(SOME, "{}").partition("?")[0] for path in BAD_PARAMETERS} | of_pages
    assert {re.sub(r"{\w+}", "{}", path) for path in named} - paths == {"/items/{}", "/shared/{}"}
    for path, query in BAD_PARAMETERS.items():
        path, _, more = path.partition("?")
        client = shop.admin if path.split("/")[1] in OF_THE_STORE else http
        answer = client.get(f"{path}?{query}&size=1&page=a&{more}")
        expected = [pair.partition("=")[0] for pair in query.split("&")]
        found = codes(answer)
        assert {*expected, "size"} <= found.keys() <= {*expected, "size", "page"}, path
        assert found.pop("size") == "unknown"
        assert {found[name] for name in expected} == {"invalid"}, path


def test_unknown_parameters_of_any_name_are_named(http):
    """Names of other systems' parameters are named, too, up to 50. Rule: error-envelope."""
    names = ["per_page", "page[size]", "sort-by", "filter:tag", "$top", "a.b", "ü", "x1"]
    found = codes(http.get("/items", params=dict.fromkeys(names, "1")))
    assert found == dict.fromkeys(names, "unknown")
    assert len(codes(http.get("/items", params={f"a{n}": "1" for n in range(80)}))) == 50


def test_a_required_parameter_is_named_with_bad_ones(shop):
    """A missing parameter is named together with bad values. Rule: error-envelope."""
    found = codes(shop.admin.get("/profiles?limit=0"))
    assert found == {"email": "required", "limit": "invalid"}
    found = codes(shop.admin.get("/reports/purchases?from=x&by=day&limit=5"))
    assert found == {"from": "invalid", "limit": "not_allowed"}


def test_a_cursor_is_judged_once_the_other_parameters_are_right(http):
    """A cursor of another sort isn't called bad next to a bad sort. Rule: error-envelope."""
    save(http, 1)
    save(http, 2)
    cursor = http.get("/items?sort=oldest&limit=1").json()["pageInfo"]["next"]
    assert codes(http.get(f"/items?sort=old&page={cursor}")) == {"sort": "invalid"}
    assert codes(http.get(f"/items?sort=newest&page={cursor}")) == {"page": "invalid"}


def test_all_bad_headers_are_named_with_bad_parameters(shop):
    """Headers and parameters are named together. Rule: error-envelope."""
    twice = [("Origin", "https://a.example"), ("Origin", "https://b.example")]
    answer = shop.admin.get("/items?sort=x&limit=0", headers=[*twice, ("Profile", "x")])
    assert codes(answer) == {
        "Origin": "repeated",
        "Profile": "invalid",
        "limit": "invalid",
        "sort": "invalid",
    }
    headers = {"If-Match": "*", "If-Unmodified-Since": LATE, "Profile": shop.gid("1")}
    assert codes(shop.admin.put("/products?limit=0", json={}, headers=headers)) == {
        "Profile": "not_allowed",
        "If-Match": "not_allowed",
        "If-Unmodified-Since": "not_allowed",
        "limit": "unknown",
    }


def test_a_field_sent_twice_is_called_repeated(http):
    """An id that is in an array twice, or a key, has the code of it. Rule: error-envelope."""
    answer = http.put("/items", json={"items": [{"productId": 1, "listIds": [SOME, SOME]}]})
    assert codes(answer) == {"items[0].listIds[1]": "repeated"}
    content = '{"productId": 1, "productId": 1}'
    assert codes(http.post("/items", content=content, headers=JSON)) == {"productId": "repeated"}
