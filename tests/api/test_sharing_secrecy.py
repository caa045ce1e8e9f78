"""No answer to an owner differs by a reservation: two worlds, one with and one without, compared.

Both worlds are stores in which the same owner does the same, step by step. In one of them others
reserve in between. Ids, times and tokens are replaced by the order in which they turn up; all of
them have one length each, so sizes are compared too.
"""

import re
import time

from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from tests.api.conftest import new_list, save
from tests.conftest import ROOMY, Shop
from tests.servers import wait_until
from tests.strategies import at_length

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
        self.shop = Shop(service, "--events", "on", *ROOMY)
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

    def told(self):
        """The events of the owner up to a last one: of the session, and then of the customer."""
        last = save(self.owner.http, 999)["id"]

        def feed():
            found, resume = [], "0"
            while (page := self._feed(resume))["data"]:
                found, resume = found + page["data"], page["resume"]
            return found

        assert wait_until(lambda: last in str(feed()), seconds=5, every=0.1)
        ordered = sorted(feed(), key=lambda e: ("/Customer/" in e["profile"], e["sequence"]))
        return [self.plain(str(event)) for event in ordered]

    def _feed(self, resume):
        return self.shop.admin.get("/events", params={"from": resume, "limit": 250}).json()

    def does(self, step):
        _next_time()
        http, (kind, at, other) = self.owner.http, step
        id, made = self.items[at], self.lists[other % 3]["id"]
        match kind:
            case "quantity":
                return http.patch(f"/items/{id}", json={"quantity": 1 + other})
            case "delete":
                return http.delete(f"/items/{id}")
            case "delete_many":
                both = [id, self.items[other]]
                return http.request("DELETE", "/items", json={"itemIds": both})
            case "save":
                return http.post("/items", json={"productId": at + 1, "listIds": [made]})
            case "set_lists":
                return http.put(f"/items/{id}/lists", json={"listIds": [made] * (other < 4)})
            case "drop":
                return http.delete(f"/lists/{made}")
            case "order":
                return http.put(f"/lists/{made}/items/order", json={"itemIds": [id]})
            case "share":
                return self.share(other % 3)
            case "unshare":
                shares = http.get(f"/lists/{made}/shares").json().get("data", [])
                return http.delete(f"/lists/{made}/shares/{shares[0]['id'] if shares else 'x'}")
            case "link":
                token = self.shop.token(customer=self.gid, session=self.visitor.gid)
                self.owner = token
                return token.http.get("/lists")
        raise AssertionError(kind)

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


KINDS = (
    *("quantity", "delete", "delete_many", "save", "set_lists", "drop", "order"),
    *("share", "unshare", "link"),
)
owners = st.tuples(st.sampled_from(KINDS), st.integers(0, 5), st.integers(0, 5))
others = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 1), st.integers(0, 3)),
    max_size=4,
)
steps = st.lists(st.tuples(others, owners), min_size=3, max_size=8)


# An item of each list that is shared, by each of the others.
_GIVEN = [(0, 2, 0, 2), (1, 3, 1, 2), (2, 5, 0, 1), (0, 0, 1, 3)]
_EACH = [
    ([], ("quantity", 2, 0)),
    ([(1, 5, 0, 2)], ("set_lists", 2, 1)),
    ([], ("order", 5, 0)),
    ([(2, 2, 1, 1)], ("unshare", 0, 0)),
    ([(2, 5, 0, 0)], ("share", 0, 0)),
    ([], ("save", 2, 0)),
    ([(0, 3, 1, 1)], ("link", 0, 0)),
    ([(1, 0, 1, 0)], ("delete", 3, 0)),
    ([], ("delete_many", 5, 0)),
    ([(0, 2, 1, 2)], ("drop", 0, 1)),
]


@given(steps=steps)
@example(steps=_EACH)
@settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_answer_to_the_owner_differs_by_a_reservation(service, steps):
    """contract: reserve-secret. After each step of the owner: its answer, all that they and an
    admin for them can read, and what the store was told."""
    given_, none = World(service, True), World(service, False)
    worlds = (given_, none)
    for step in _GIVEN:
        given_.reserves(step)
    [shown] = [item["reserved"] for item in given_.anybody(0) if item["id"] == given_.items[2]]
    assert shown == 2
    for before, step in steps:
        for one in before:
            given_.reserves(one)
        answers = [world.seen(world.does(step)) for world in worlds]
        assert answers[0] == answers[1], step
        seen = [list(world.looks()) for world in worlds]
        assert len(seen[0]) == len(seen[1])
        for with_, without in zip(*seen, strict=True):
            assert with_[1] == without[1], (step, with_[0])
    assert given_.told() == none.told()


test_no_answer_differs_at_length = at_length(
    test_no_answer_to_the_owner_differs_by_a_reservation, 25, steps=steps
)
