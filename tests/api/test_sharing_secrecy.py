"""No answer to an owner differs by a reservation: two worlds, one with and one without, compared.

Both worlds are stores in which the same owner does the same, step by step. In one of them others
reserve in between. Ids, times and tokens are replaced by the order in which they turn up; all of
them have one length each, so sizes are compared too.
"""

import re
import time

from tests.api.conftest import new_list, save
from tests.conftest import ROOMY, Shop

_ITS_OWN = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"  # an id
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    r"|wwshr_\w+"
)
_PER_REQUEST = {"x-request-id", "x-ratelimit-reset", "x-ratelimit-remaining", "date"}


def _next_time():
    """Wait for the next millisecond, so that no two records have one time in one world only."""
    time.sleep(0.002)


class World:
    """A store, an owner with two shared lists and one that is not, and three who look at them."""

    def __init__(self, service, gives):
        self.shop = Shop(service, *ROOMY)
        self.gives = gives
        self.names = {}
        self.visitor = self.shop.session()
        self.owner = self.visitor
        self.gid = self.shop.gid("owner")
        self.others = [self.shop.session(), self.shop.customer("b"), self.shop.customer("c")]
        self.lists = []
        for name in ("One", "Two", "Three"):
            self.lists.append(new_list(self.owner.http, name))
            _next_time()
        self.tokens = [self.share(number).json()["data"]["token"] for number in (0, 1)]
        self.items = []
        for n in range(1, 7):
            made = save(self.owner.http, n, quantity=3, listIds=[self.lists[n % 3]["id"]])
            self.items.append(made["id"])
            _next_time()

    def share(self, at):
        _next_time()
        body = {"reservations": True, "notes": True}
        return self.owner.http.post(f"/lists/{self.lists[at]['id']}/shares", json=body)

    def plain(self, text):
        """The text with everything that is this world's own named by its first appearance."""
        return _ITS_OWN.sub(lambda m: self.names.setdefault(m[0], f"<{len(self.names)}>"), text)

    def seen(self, answer):
        """All of an answer but for what belongs to the request, and times within it."""
        headers = {
            name: value for name, value in answer.headers.items() if name not in _PER_REQUEST
        }
        body = answer.text
        if answer.status_code >= 400:
            body = re.sub(r'"requestId":"[^"]*"', "", body)
        return answer.status_code, self.plain(str(headers)), self.plain(body), len(answer.content)

    def looks(self):
        """Everything that the owner, and an admin acting for them, can read."""
        acting = self.shop.acting_as(self.owner.gid)
        paths = ["/items?limit=250", "/lists?limit=250"]
        paths += [f"/items/{id}" for id in self.items]
        paths += [f"/lists/{made['id']}?sort=customer" for made in self.lists]
        paths += [f"/lists/{made['id']}/shares" for made in self.lists]
        paths += [f"/shared/{token}" for token in self.tokens]
        for http in (self.owner.http, acting):
            for path in paths:
                yield f"GET {path}", self.seen(http.get(path))
            for token in self.tokens:
                path = f"/shared/{token}/items/{self.items[0]}/reservation"
                yield "PUT", self.seen(http.put(path, json={"quantity": 1}))
                yield "DELETE", self.seen(http.delete(path))

    def asks(self, method, path, body=None):
        _next_time()
        return self.owner.http.request(method, path, json=body)

    def ends_share(self, at):
        path = f"/lists/{self.lists[at]['id']}/shares"
        [shared] = self.owner.http.get(path).json()["data"]
        return self.asks("DELETE", f"{path}/{shared['id']}")

    def sets_lists(self, at, on):
        return self.asks("PUT", f"/items/{self.items[at]}/lists", {"listIds": on})

    def signs_in(self):
        self.owner = self.shop.token(customer=self.gid, session=self.visitor.gid)
        return self.owner.http.get("/lists")

    def list(self, at):
        return self.lists[at]["id"]

    def reserves(self, step):
        """Only in the world with reservations: one of the others reserves, or ends it."""
        who, at, token, quantity = step
        if self.gives:
            path = f"/shared/{self.tokens[token]}/items/{self.items[at]}/reservation"
            http = self.others[who].http
            answer = http.put(path, json={"quantity": quantity}) if quantity else http.delete(path)
            assert answer.status_code in (200, 204, 404, 409), answer.text

    def anybody(self, at):
        """A shared list's items, as anybody sees them."""
        return self.shop.anonymous.get(f"/shared/{self.tokens[at]}").json()["data"]["items"]


# An item of each list that is shared, by each of the others.
GIVEN = [(0, 2, 0, 2), (1, 3, 1, 2), (2, 5, 0, 1), (0, 0, 1, 3)]
# Who reserves what before it, over which share and how many; and what the owner does.
STEPS = [
    ([], lambda w: w.asks("PATCH", f"/items/{w.items[2]}", {"quantity": 1})),
    ([(1, 5, 0, 2)], lambda w: w.sets_lists(2, [w.list(1)])),
    ([], lambda w: w.asks("PUT", f"/lists/{w.list(0)}/items/order", {"itemIds": [w.items[5]]})),
    ([(2, 2, 1, 1)], lambda w: w.ends_share(0)),
    ([(2, 5, 0, 0)], lambda w: w.share(0)),
    ([], lambda w: w.asks("POST", "/items", {"productId": 3, "listIds": [w.list(0)]})),
    ([(0, 3, 1, 1)], lambda w: w.signs_in()),
    ([(1, 0, 1, 0)], lambda w: w.asks("DELETE", f"/items/{w.items[3]}")),
    ([], lambda w: w.asks("DELETE", "/items", {"itemIds": [w.items[5], w.items[0]]})),
    ([(0, 2, 1, 2)], lambda w: w.asks("DELETE", f"/lists/{w.list(1)}")),
]  # fmt: skip


def test_no_answer_to_the_owner_differs_by_a_reservation(service):
    """contract: reserve-secret. After each step of the owner: its answer, and all that they and an
    admin for them can read. In any sequence, and for events: tests/contract/test_sharing.py."""
    given, none = World(service, True), World(service, False)
    for one in GIVEN:
        given.reserves(one)
    [shown] = [item["reserved"] for item in given.anybody(0) if item["id"] == given.items[2]]
    assert shown == 2
    for number, (before, step) in enumerate(STEPS):
        for one in before:
            given.reserves(one)
        assert given.seen(step(given)) == none.seen(step(none)), number
        for with_, without in zip(given.looks(), none.looks(), strict=True):
            assert with_[1] == without[1], (number, with_[0])
