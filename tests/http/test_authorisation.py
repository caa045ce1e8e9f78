"""The authorisation table: every operation with every kind of credential on every owner's records.

Operations come from the routes, and their success statuses from the description; ``expected``
states the status of each cell.
"""

import itertools
import time
import uuid
from typing import Any

import jwt
import pytest

from tests.conftest import ROOMY, SIGNING_KEY, Shop
from tests.platform import NEW, WEBHOOKS, Platform
from tests.servers import wait_until
from wishwell.http import routes

from .description import OPERATIONS as DESCRIBED

ORDER = {
    "orderId": "1",
    "profile": "gid://shopify/Customer/1",
    "placedAt": "2025-01-01T00:00:00Z",
    "updatedAt": "2025-01-01T00:00:00Z",
    "status": "paid",
    "lines": [],
}
BODIES: dict[str, Any] = {
    f"{method.upper()} {path}": next(iter(content["examples"].values()))["value"]
    for method, path, operation in DESCRIBED.values()
    if "requestBody" in operation
    for content in operation["requestBody"]["content"].values()
}
"""The bodies of operations: the first example of each, unless its records don't exist."""
BODIES |= {
    "DELETE /items": None,
    "PUT /items/{itemId}/lists": {"listIds": []},
    "PUT /lists/{listId}/items": {"itemIds": []},
    "PUT /lists/{listId}/items/order": {"itemIds": []},
    "PUT /lists/{listId}/items/{itemId}": {},
}
QUERIES = {
    "GET /profiles": "?email=ann@example.com",
    "GET /profiles/history": "?profile=gid://shopify/Customer/1",
    "GET /reports/wishers": "?product=1",
    "GET /wishes": "?products=1",
}
DESCRIPTION, PLATFORM = "GET /.well-known/openapi", f"POST {WEBHOOKS}"
TOKEN, EVENTS = "POST /profiles/token", "GET /events"
CREATING = ("POST /items", "PUT /items", "POST /lists")
COPY = "POST /shared/{token}/copies"
VIEW = "GET /shared/{token}"
RESERVE = "PUT /shared/{token}/items/{itemId}/reservation"
GIVE_BACK = "DELETE /shared/{token}/items/{itemId}/reservation"
# Open to anybody with the link, but an owner can't reserve on their own list.
SHARED = (VIEW, COPY, RESERVE, GIVE_BACK)
ERASE = "DELETE /profile"
REPORTS = (
    *("GET /reports/products", "GET /reports/summary", "GET /reports/days"),
    "GET /reports/purchases",
)
WHOLE = ("GET /shares", "POST /shares", "PATCH /shares/{shareId}", "DELETE /shares/{shareId}")
EMAIL = "DELETE /profile/email"
OF_ONE = (
    *("GET /profile", "PATCH /profile", "GET /profile/export", "GET /reservations"),
    *(EMAIL, ERASE, *WHOLE),
)


def done(operation: dict[str, Any]) -> int:
    """Returns an operation's success status; the higher one if there are two."""
    return max(int(status) for status in operation["responses"] if status < "300")


DONE = {
    f"{method.upper()} {path}": done(operation) for method, path, operation in DESCRIBED.values()
}
OF_STORE = {
    name
    for name in DONE
    if name.partition(" ")[2].startswith(
        (
            "/products",
            "/webhooks",
            "/requests",
            "/store",
            "/tokens",
            "/reports",
            "/orders",
            "/mails",
        )
    )
}
OF_STORE |= {"GET /profiles", "GET /profiles/history", "PUT /profiles/email"}
ON_A_RECORD = [name for name in DONE if "{" in name and name not in {*OF_STORE, *SHARED}]

OWN = {"session": "session", "customer": "customer", "other's": "other"}
OWN |= {"admin + Profile": "customer"}
"""The owner whose records a credential acts on."""

NOBODY = ("none", "junk", "expired", "another store's", "revoked admin", "revoked", "closed")
# rule: storefront-hosts
FORBIDDEN = ("session + Profile", "customer + Profile", "storefront", "reports")


def expected_of_store(operation: str, credential: str) -> int:
    """Returns the expected status of an operation on the store itself."""
    if credential == "another store's":
        named = "{" in operation and operation != "PUT /products/{productId}"
        return 404 if named else DONE[operation]
    if credential in NOBODY:
        return 401
    if credential.startswith("admin"):
        return 400 if "+" in credential else DONE[operation]
    return DONE[operation] if credential == "reports" and operation in REPORTS else 403


def expected_shared(operation: str, credential: str, owner: str) -> int:
    """Returns the expected status of an operation on a shared list."""
    if credential in ("admin", "another store's") and operation != VIEW:
        return 400
    if credential == "another store's":
        return 404
    if credential in NOBODY:
        return 401 if operation != VIEW or credential != "none" else 200
    if credential in FORBIDDEN:
        return 403
    if owner == OWN.get(credential):
        return {RESERVE: 403, GIVE_BACK: 404}.get(operation, DONE[operation])
    return DONE[operation]


def expected(operation: str, credential: str, owner: str) -> int:
    """Returns the expected status for a credential on a record of ``owner``."""
    if operation in (DESCRIPTION, PLATFORM):
        return 200  # rules: openapi-complete, platform-signed
    if operation in SHARED:
        return expected_shared(operation, credential, owner)
    if operation in OF_STORE:
        return expected_of_store(operation, credential)
    if credential == "another store's":
        # A valid token of a store that doesn't have the record.
        if operation == TOKEN:
            return 201
        if operation in (*CREATING, *OF_ONE):
            return 400
        nowhere = (*ON_A_RECORD, "GET /products/{productId}", "DELETE /products/{productId}")
        return 404 if operation in nowhere else DONE[operation]
    if credential in NOBODY:
        return 401
    if credential in FORBIDDEN:
        return 403
    if credential == "admin":
        return 400 if operation in (*CREATING, *OF_ONE) else DONE[operation]
    if operation in (TOKEN, EVENTS, ERASE):
        # The token is the profile's; events are the whole store's.
        named = {TOKEN: 201, EVENTS: 400, ERASE: 204}
        return named[operation] if credential == "admin + Profile" else 403
    if operation in ON_A_RECORD and owner != OWN.get(credential):
        return 404
    return DONE[operation]


OPERATIONS = [f"{method} {route.path}" for route in routes.API for method in route.methods]
CREDENTIALS = [
    *NOBODY, *FORBIDDEN, "session", "customer", "other's", "admin", "admin + Profile",
]  # fmt: skip
OWNERS = ["session", "customer", "other"]
OPTIONS = ("--events", "on", "--show-wishes", "on", "--purchases", "on")


class Fixtures:
    """A store with three owners, who each have an item on a list, and credentials of every kind."""

    def __init__(self, make_shop, platform):
        self.platform, self.shop = platform, platform.shop
        self.exported = platform.asks("customers/data_request", "mine")
        platform.reaches(self.exported, "exported")
        self.elsewhere = make_shop(*ROOMY, *OPTIONS)
        self.owners = {
            "session": self.shop.session(),
            "customer": self.shop.customer("mine"),
            "other": self.shop.customer("other"),
        }
        # Records that no request has changed yet. A refused request leaves them for the next one.
        self.marks, self.unchanged, self.shares = {}, {}, {}
        self.hook = self.token_id = None
        self.product = 10_000
        stranger = self.elsewhere.customer("mine")
        self.foreign_mark = self.fill(stranger, 900)[2]
        self.tokens = self._credentials(stranger)
        self.clients = {name: self.shop.client(token) for name, token in self.tokens.items()}

    def fill(self, owner, product):
        item = owner.http.post("/items", json={"productId": product}).json()["data"]
        name = f"mark-{uuid.uuid4().hex}"
        made = owner.http.post("/lists", json={"name": name}).json()["data"]
        owner.http.put(f"/items/{item['id']}/lists", json={"listIds": [made["id"]]})
        return item["id"], made["id"], name

    def _credentials(self, stranger):
        shop = self.shop
        customer = self.owners["customer"]
        revoked_admin = shop.another_admin_token()
        shop.service.quick("token", "revoke", revoked_admin)
        revoked = shop.customer("revoked")
        shop.service.quick("token", "revoke", "--store", shop.handle, revoked.gid)
        proxys = ("token", "create", "--store", shop.handle, "--label", "x", "--for", "storefront")
        closed = shop.session()
        shop.token(customer=shop.gid("sink"), session=closed.gid)

        def both_refused() -> bool:
            tokens = revoked.token, revoked_admin
            return {shop.client(token).get("/items").status_code for token in tokens} == {401}

        assert wait_until(both_refused, seconds=30, every=0.1)
        return {
            "none": None,
            "junk": "junk",
            "expired": expired(customer),
            "another store's": self.elsewhere.admin_token,
            "revoked admin": revoked_admin,
            "revoked": revoked.token,
            "closed": closed.token,
            "session": self.owners["session"].token,
            "customer": customer.token,
            "other's": self.owners["other"].token,
            "storefront": shop.service.quick(*proxys).strip(),
            "admin": shop.admin_token,
            "admin + Profile": shop.admin_token,
            "session + Profile": self.owners["session"].token,
            "customer + Profile": customer.token,
            "reports": shop.another_admin_token("reports", "--for", "reports"),
        }

    def _record(self, owner):
        """Returns an unchanged item, its list, and the list's name as a marker."""
        if owner not in self.unchanged:
            self.product += 1  # reservations outlive lists in a wishlist that was shared
            filled = self.fill(self.owners[owner], self.product)
            self.unchanged[owner] = filled
        return self.unchanged[owner]

    def _body(self, operation):
        body = BODIES.get(operation)
        if operation == "POST /items":
            self.product += 1
            return body | {"productId": self.product}
        return body

    def ask(self, operation, credential, owner):
        """Sends the operation on an unchanged record of ``owner``; returns the response."""
        method, _, path = operation.partition(" ")
        item, made, name = self._record(owner)
        path = path.replace("{itemId}", item).replace("{listId}", made)
        if "{productId}" in path:
            self.product += 1
            path = path.replace("{productId}", str(self.product))
            assert self.shop.admin.put(path, json={"title": name}).status_code == 200
        if "{shareId}" in path or "{token}" in path:
            key = made, operation in WHOLE
            if key not in self.shares:
                body, at = {"reservations": True}, "" if key[1] else f"/lists/{made}"
                answer = self.owners[owner].http.post(f"{at}/shares", json=body)
                self.shares[key] = answer.json()["data"]
            shared = self.shares[key]
            path = path.replace("{shareId}", shared["id"]).replace("{token}", shared["token"])
        if operation == "DELETE /items":
            path += f"?itemIds={item}"
        if operation == PLATFORM:  # any sender: the platform's signature counts
            http, body = self.clients[credential], self.platform.body("shop/redact")
            return self.platform.send("shop/redact", body, http=http)
        if "{requestId}" in path:
            id = self.exported if method == "GET" else self.platform.asks("shop/redact")
            path = path.replace("{requestId}", id)
        path = self._with_token(self._with_order(path))
        hook, delivery = self._hook() if "{webhookId}" in path else ("", "")
        path = path.replace("{webhookId}", hook).replace("{deliveryId}", delivery)
        headers = {}
        if credential.endswith("+ Profile"):
            headers["Profile"] = self.owners["customer"].gid
        if headers and operation == ERASE:
            headers["Profile"] = self.shop.gid()
        path += QUERIES.get(operation, "")
        http = self.clients[credential]
        if operation == GIVE_BACK:
            http.put(path, headers=headers, json=BODIES[RESERVE])
        answer = http.request(method, path, headers=headers, json=self._body(operation))
        self.marks.setdefault(owner, set()).add(name)
        if method != "GET" and answer.is_success:
            self.unchanged.pop(owner)
            self.token_id = None
            if "/webhooks" in operation:
                self._delete_webhooks()
        return answer

    def _delete_webhooks(self):
        self.hook = None
        for admin in (self.shop.admin, self.elsewhere.admin):
            for made in admin.get("/webhooks").json()["data"]:
                admin.delete(f"/webhooks/{made['id']}")

    def _with_order(self, path):
        if "{orderId}" in path:
            order = ORDER | {"orderId": "2"}
            self.shop.admin.put("/orders", json={"orders": [order]}).raise_for_status()
        return path.replace("{orderId}", "2")

    def _with_token(self, path):
        if "{tokenId}" in path:
            if self.token_id is None:
                self.shop.another_admin_token()
                self.token_id = self.shop.admin.get("/tokens").json()["data"][0]["id"]
            return path.replace("{tokenId}", self.token_id)
        return path

    def _hook(self):
        """Returns the ids of a webhook and of a delivery."""
        if self.hook is None:
            admin = self.shop.admin
            hook = admin.post("/webhooks", json=BODIES["POST /webhooks"]).json()["data"]["id"]
            self.hook = hook, admin.post(f"/webhooks/{hook}/test").json()["data"]["id"]
        return self.hook


def expired(member):
    """Returns a token like the member's that was issued over a day ago."""
    claims = jwt.decode(member.token, options={"verify_signature": False})
    head = jwt.get_unverified_header(member.token)
    made = int(time.time()) - 90_000
    claims |= {"iat": made, "exp": made + 86_400}
    return jwt.encode(claims, SIGNING_KEY, "HS256", {name: head[name] for name in ("typ", "kid")})


@pytest.fixture(scope="module")
def world(service):
    platform = Platform(service, NEW, options=(*ROOMY, *OPTIONS))
    return Fixtures(lambda *options: Shop(service, *options), platform)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operation_returns_the_status_of_the_table(world, operation):
    """Each status is the table's, and no response contains a list name of another owner.
    Rules: token-required, token-scope, profile-header, share-token, reserve-quantity."""
    owners = OWNERS if operation in (*ON_A_RECORD, *SHARED) else ["customer"]
    for credential, owner in itertools.product(CREDENTIALS, owners):
        answer = world.ask(operation, credential, owner)
        wanted, said = expected(operation, credential, owner), f"{answer.status_code} {answer.text}"
        assert answer.status_code == wanted, f"{credential}, of {owner}: {said}"
        own = OWN.get(credential)
        if credential != "admin" and not (operation in SHARED and answer.status_code < 300):
            for other, marks in world.marks.items():
                assert other == own or not any(mark in answer.text for mark in marks)
        assert (world.foreign_mark in answer.text) == (
            credential == "another store's" and operation in ("GET /lists", EVENTS)
        )


def test_refused_write_changes_nothing(world):
    """A refused write changes nothing, and its message doesn't reveal whether the record exists.
    Rule: token-scope."""
    for credential in CREDENTIALS:
        for operation in ("PATCH /items/{itemId}", "DELETE /items/{itemId}"):
            if expected(operation, credential, "other") < 300:
                continue
            item, _, _ = world.fill(world.owners["other"], 400)
            before = world.owners["other"].http.get(f"/items/{item}").json()
            method, path = operation.replace("{itemId}", item).split(" ")
            headers = {"Profile": world.owners["customer"].gid} if "+" in credential else {}
            asked = {"headers": headers, "json": BODIES.get(operation)}
            answer = world.clients[credential].request(method, path, **asked)
            # Nobody else may learn whether a record exists.
            unknown = world.clients[credential].request(method, f"/items/{uuid.uuid4()}", **asked)
            words = [each.json()["error"]["message"] for each in (answer, unknown)]
            assert words[0] == words[1]
            assert world.owners["other"].http.get(f"/items/{item}").json() == before
