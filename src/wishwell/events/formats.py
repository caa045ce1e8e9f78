"""Formats of webhooks for marketing tools: from an event to the request that a tool's API takes.

Each format is a pure function. ``docs/marketing.md`` names the versions of the APIs;
``tests/vendors`` has their published schemas, which tests check the bodies against.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from wishwell import currencies, ids
from wishwell.events import Event
from wishwell.outbound.answer import Unanswered

KLAVIYO_REVISION = "2026-07-15"

_NAMES = {
    "item.created": "Product Added to Wishlist",
    "item.deleted": "Product Removed from Wishlist",
    "item.price_dropped": "Wishlist Product Price Dropped",
    "item.back_in_stock": "Wishlist Product Back in Stock",
    "item.purchased": "Wishlist Product Purchased",
}
"""Names of events, in the style of Segment's e-commerce specification."""

_CONSENT = {True: "given", None: "not_asked"}
"""Values of ``notices_consent`` by ``notices``, which only price drops and restocks have."""

_LINKED, _ERASED = "profile.linked", "profile.erased"
_MAX_ANSWER = 500
_KEY_RUN, _FOLDED_RUN = 4, 8
"""Successive characters of a key that are removed from answers: the same ones, and in any case.
Shorter runs, or any case for these, would remove ordinary words."""


class Request(NamedTuple):
    """A request. ``path`` follows the webhook's URL.

    ``absent``: the ``code`` in the body of a 404 by which the tool says that there is nothing to
    delete; another 404, for example of a wrong URL, is left to a person. ``follow`` makes the next
    request from the body of the answer, or None, and raises ``Unanswered`` for a body of another
    form.
    """

    method: str
    path: str
    body: bytes | None = None
    absent: "Absent | None" = None
    follow: Callable[[bytes], "Request | Unsent | None"] | None = None


class Absent(NamedTuple):
    """A tool's code for a missing record, and what a person has to do after another 404."""

    code: str
    by_hand: str

    def confirms(self, answer: bytes) -> bool:
        """Returns whether the body of a 404 is the tool's own."""
        try:
            return msgspec.json.decode(answer, type=_Coded).code == self.code
        except msgspec.DecodeError:
            return False


class _Coded(msgspec.Struct):
    code: str


class Unsent(NamedTuple):
    """The reason why no request is sent for an event. ``by_hand``: a person has to do it."""

    reason: str
    by_hand: bool = False


class Tool(NamedTuple):
    """A format.

    ``request``: makes the request for an event that the format takes. ``test``: makes the request
    that tests the URL and the key, and creates no person. ``max_concurrent``: the maximum of
    requests that a process sends concurrently.
    """

    request: Callable[[Event], Request | Unsent]
    test: Callable[[str], Request]
    headers: Callable[[str], Mapping[str, str]]
    visitors: bool
    types: frozenset[str]
    max_concurrent: int


# rule: format-events
def takes(format: str | None, type_: str, gid: str) -> bool:
    """Returns whether a webhook of this format, or none, has a request for such an event."""
    if format is None:
        return True
    tool = TOOLS[format]
    return type_ in tool.types and (tool.visitors or not ids.is_session(gid))


def headers(format: str, key: str) -> dict[str, str]:
    """Returns the headers of all requests, which authenticate them."""
    return {"Accept": "application/json", **TOOLS[format].headers(key)}


# rule: format-key
def shown_answer(answer: bytes, key: str) -> str:
    """Returns the beginning of an answer as one line, without parts of the key.

    Removes each run of the key's characters, together with the word that it is in.
    """
    text = answer.decode("utf-8", "replace").replace("\\/", "/").replace("\0", " ")
    secrets = (key, basic(key))
    exact = {run for secret in secrets for run in _runs(secret, _KEY_RUN)}
    folded = {run.lower() for secret in secrets for run in _runs(secret, _FOLDED_RUN)}
    left = list(text)
    for size, known, found in (
        (_KEY_RUN, exact, _runs(text, _KEY_RUN)),
        (_FOLDED_RUN, folded, (run.lower() for run in _runs(text, _FOLDED_RUN))),
    ):
        for start, run in enumerate(found):
            if run in known:
                left[start : start + size] = "\0" * size
    text = re.sub(r"[\0\w+/=-]+", lambda word: "…" if "\0" in word[0] else word[0], "".join(left))
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:_MAX_ANSWER]


def _runs(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(len(text) - size + 1))


# ------------------------------------------------------------------------ request bodies


def _person(event: Event) -> str | None:
    """Returns the shop's id of the customer, or None for a visitor."""
    customer = ids.customer_of(event.profile)
    return customer and customer[1]


def _properties(event: Event) -> dict[str, Any]:
    """Returns the properties of an item's event, named as in Segment's specification."""
    data = msgspec.json.decode(event.data)
    item = data.get("item", {})  # a purchase of an item that was removed before has none
    product = item.get("product", {}) | data.get("product", {})
    price = data.get("unitPrice") or data.get("price") or product.get("price") or {}
    variant = data.get("variantId") or item.get("variantId")
    before, saved = data.get("previousPrice"), item.get("savedPrice", {})
    if saved.get("currency") != price.get("currency"):
        saved = {}
    properties = {
        "wishlist_id": next(iter(item.get("listIds", ())), None),
        "product_id": str(data.get("productId") or item["productId"]),
        "variant_id": None if variant is None else str(variant),
        "variant": product.get("variantTitle"),
        "name": product.get("title"),
        "url": product.get("url"),
        "image_url": product.get("image"),
        "price": _number(price),
        "price_text": _text(price),
        "previous_price": before and _number(before),
        "previous_price_text": before and _text(before),
        "saved_price": _number(saved),
        "currency": price.get("currency"),
        "quantity": data.get("quantity") or item.get("quantity"),
        "availability": product.get("availability"),
        "notices_consent": _CONSENT.get(data.get("notices", False)),
    }
    return {name: value for name, value in properties.items() if value is not None}


def _number(price: Mapping[str, str]) -> float | None:
    return float(price["amount"]) if price else None


def _text(price: Mapping[str, str]) -> str | None:
    return currencies.format_amount(price["amount"], price["currency"]) if price else None


def basic(key: str) -> str:
    """Returns the credentials of HTTP's Basic authentication, with an empty password."""
    return base64.b64encode(f"{key}:".encode()).decode()


# ------------------------------------------------------------------------------- Segment


def _segment(event: Event) -> Request | Unsent:
    customer = _person(event)
    if event.type == _ERASED:  # rule: format-erased
        kind, id = ("anonymousId", _visitor(event)) if customer is None else ("userId", customer)
        return Unsent(f"To do by hand: delete the {kind} {id}.", by_hand=True)
    data = msgspec.json.decode(event.data)
    sent = {"messageId": event.id, "timestamp": event.timestamp}
    if event.type == _LINKED:
        before = data["session"].rpartition("/")[2]
        return _of_segment("alias", {**sent, "previousId": before, "userId": customer})
    if data.get("linked"):
        return Unsent("A sign-in moved the item, which was sent when the visitor saved it.")
    who = {"anonymousId": _visitor(event)} if customer is None else {"userId": customer}
    named = {"event": _NAMES[event.type], "properties": _properties(event)}
    return _of_segment("track", {**sent, **who, **named})


def _of_segment(call: str, body: Mapping[str, Any]) -> Request:
    return Request("POST", f"/{call}", msgspec.json.encode({"type": call, **body}))


def _visitor(event: Event) -> str:
    return event.profile.rpartition("/")[2]


def _test_segment(id: str) -> Request:
    anonymous = {"anonymousId": "wishwell-test", "messageId": id}
    return _of_segment("track", {**anonymous, "event": "Wishlist Webhook Tested"})


# ------------------------------------------------------------------------------- Klaviyo


def _klaviyo(event: Event) -> Request | Unsent:
    customer = _person(event)
    assert customer is not None
    if event.type == _ERASED:  # rule: format-erased
        return _klaviyo_profile(customer)._replace(follow=partial(_klaviyo_deletion, customer))
    properties = _properties(event)
    attributes: dict[str, Any] = {
        "properties": properties,
        "time": event.timestamp,
        "unique_id": event.id,
        "metric": _of_klaviyo("metric", {"name": _NAMES[event.type]}),
        "profile": _of_klaviyo("profile", {"external_id": customer}),
    }
    if "price" in properties:
        value = Decimal(str(properties["price"])) * properties["quantity"]
        attributes |= {"value": float(value), "value_currency": properties["currency"]}
    return Request("POST", "/events", msgspec.json.encode(_of_klaviyo("event", attributes)))


def _of_klaviyo(type_: str, attributes: Mapping[str, Any], **more: str) -> dict[str, Any]:
    return {"data": {"type": type_, **more, "attributes": attributes}}


def _klaviyo_profile(customer: str) -> Request:
    """Returns the search for a customer's profile, because a deletion needs Klaviyo's own id."""
    escaped = customer.replace("\\", "\\\\").replace('"', '\\"')
    wanted = quote(f'equals(external_id,"{escaped}")', safe="")
    return Request("GET", f"/profiles?filter={wanted}&fields%5Bprofile%5D=external_id")


class _Attributes(msgspec.Struct):
    external_id: str | None = None


class _Profile(msgspec.Struct):
    id: str
    attributes: _Attributes


class _Profiles(msgspec.Struct):
    data: list[_Profile]


def _klaviyo_deletion(customer: str, answer: bytes) -> Request | Unsent | None:
    """Returns the deletion of each profile in the answer to the search for a customer."""
    try:
        profiles = msgspec.json.decode(answer, type=_Profiles).data
    except msgspec.DecodeError:
        raise Unanswered("the answer isn't a list of profiles") from None
    own = [one.id for one in profiles if one.attributes.external_id == customer]
    if profiles and not own:
        reason = f"To do by hand: delete the profile with the external_id {customer}; the search"
        return Unsent(f"{reason} returned others.", by_hand=True)
    return _klaviyo_deletions(own)


def _klaviyo_deletions(profile_ids: Sequence[str]) -> Request | None:
    if not profile_ids:
        return None
    profile = _of_klaviyo("profile", {}, id=profile_ids[0])
    job = msgspec.json.encode(_of_klaviyo("data-privacy-deletion-job", {"profile": profile}))
    follow = lambda _: _klaviyo_deletions(profile_ids[1:])  # noqa: E731
    return Request("POST", "/data-privacy-deletion-jobs", job, follow=follow)


# --------------------------------------------------------------------------------- Brevo


def _brevo(event: Event) -> Request | Unsent:
    customer = _person(event)
    assert customer is not None
    if event.type == _ERASED:  # rule: format-erased
        by_hand = f"To do by hand: delete the contact with the EXT_ID {customer}."
        if {".", ".."} & {*customer.split("\\")}:  # proxies resolve such segments; ids have no /
            return Unsent(by_hand, by_hand=True)
        path = f"/contacts/{quote(customer, safe='')}?identifierType=ext_id"
        return Request("DELETE", path, absent=Absent("document_not_found", by_hand))
    body = {
        "event_name": _NAMES[event.type].lower().replace(" ", "_"),
        "event_date": event.timestamp,
        "identifiers": {"ext_id": customer},
        "event_properties": _properties(event),
    }
    return Request("POST", "/events", msgspec.json.encode(body))


_ITEMS = frozenset(_NAMES)
_JSON = {"Content-Type": "application/json"}
TOOLS: Mapping[str, Tool] = {
    "segment": Tool(
        _segment,
        _test_segment,
        lambda key: {"Authorization": f"Basic {basic(key)}", **_JSON},
        visitors=True,
        types=_ITEMS | {_LINKED, _ERASED},
        max_concurrent=64,
    ),
    "klaviyo": Tool(
        _klaviyo,
        lambda _: _klaviyo_profile("wishwell-test"),
        lambda key: {
            "Authorization": f"Klaviyo-API-Key {key}",
            "Content-Type": "application/vnd.api+json",
            "revision": KLAVIYO_REVISION,
        },
        visitors=False,
        types=_ITEMS | {_ERASED},
        max_concurrent=64,
    ),
    "brevo": Tool(
        _brevo,
        lambda _: Request("GET", "/account"),
        lambda key: {"api-key": key, **_JSON},
        visitors=False,
        types=_ITEMS | {_ERASED},
        max_concurrent=4,  # its events API allows 10 requests a second
    ),
}
