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

_EVENT_NAMES = {
    "item.created": "Product Added to Wishlist",
    "item.deleted": "Product Removed from Wishlist",
    "item.price_dropped": "Wishlist Product Price Dropped",
    "item.back_in_stock": "Wishlist Product Back in Stock",
    "item.purchased": "Wishlist Product Purchased",
}
"""Names of events, in the style of Segment's e-commerce specification."""

_CONSENT_BY_NOTICES = {True: "given", None: "not_asked"}
"""Values of ``notices_consent`` by ``notices``, which only price drops and restocks have."""

_LINKED, _ERASED = "profile.linked", "profile.erased"
_MAX_ANSWER_CHARACTERS = 500
_EXACT_RUN_LENGTH, _FOLDED_RUN_LENGTH = 4, 8
"""Successive characters of a key that are removed from answers: the same ones, and in any case.
Shorter runs, or any case for these, would remove ordinary words."""


class Request(NamedTuple):
    """A request. ``path`` follows the webhook's URL.

    ``absent``: the ``code`` in the body of a 404 by which the tool says that there is nothing to
    delete; another 404, for example of a wrong URL, is left to a person. ``follow`` makes the next
    request from the body of the answer, or None, and raises ``Unanswered`` for a body of another
    form. ``recipient``: the address in the body, which no delivery shows.
    """

    method: str
    path: str
    body: bytes | None = None
    absent: "Absent | None" = None
    follow: Callable[[bytes], "Request | Unsent | None"] | None = None
    recipient: str = ""


class Absent(NamedTuple):
    """A tool's code for a missing record, and what a person has to do after another 404."""

    code: str
    by_hand: str

    def confirms(self, answer: bytes) -> bool:
        """Returns whether the body of a 404 is the tool's own."""
        try:
            return msgspec.json.decode(answer, type=_CodedAnswer).code == self.code
        except msgspec.DecodeError:
            return False


class _CodedAnswer(msgspec.Struct):
    code: str


class Unsent(NamedTuple):
    """The reason why no request is sent for an event. ``by_hand``: a person has to do it."""

    reason: str
    by_hand: bool = False


class Recipient(NamedTuple):
    """The owner of a confirmed address who wants notices. ``language``: '' if unknown."""

    email: str
    language: str
    unsubscribe_url: str


class Tool(NamedTuple):
    """A format.

    ``build_request``: makes the request for an event that the format takes. ``build_test``: makes
    the request that tests the URL and the key, and creates no person. ``max_concurrent``: the
    maximum of requests that a process sends concurrently. ``is_mail``: whether a request needs a
    template and a recipient, which ``add_recipient`` adds directly before it is sent.
    """

    build_request: Callable[[Event], Request | Unsent]
    build_test: Callable[[str], Request]
    build_headers: Callable[[str], Mapping[str, str]]
    accepts_visitors: bool
    types: frozenset[str]
    max_concurrent: int
    is_mail: bool = False


# rule: format-events
def accepts(format: str | None, type_: str, gid: str) -> bool:
    """Returns whether a webhook of this format, or none, has a request for such an event."""
    if format is None:
        return True
    tool = TOOLS[format]
    return type_ in tool.types and (tool.accepts_visitors or not ids.is_session(gid))


def build_headers(format: str, key: str) -> dict[str, str]:
    """Returns the headers of all requests, which authenticate them."""
    return {"Accept": "application/json", **TOOLS[format].build_headers(key)}


# rule: format-key
def redact_answer(answer: bytes, key: str) -> str:
    """Returns the beginning of an answer as one line, without parts of the key.

    Removes each run of the key's characters, together with the word that it is in.
    """
    text = answer.decode("utf-8", "replace").replace("\\/", "/").replace("\0", " ")
    secrets = (key, encode_basic(key))
    characters = list(text)
    for length, fold in ((_EXACT_RUN_LENGTH, str), (_FOLDED_RUN_LENGTH, str.lower)):
        secret_runs = {fold(run) for secret in secrets for run in _list_runs(secret, length)}
        for start, run in enumerate(_list_runs(text, length)):
            if fold(run) in secret_runs:
                characters[start : start + length] = "\0" * length
    text = "".join(characters)
    text = re.sub(r"[\0\w+/=-]+", lambda word: "…" if "\0" in word[0] else word[0], text)
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else " " for c in line)[:_MAX_ANSWER_CHARACTERS]


def _list_runs(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(len(text) - size + 1))


# ------------------------------------------------------------------------ request bodies


def _find_customer_id(event: Event) -> str | None:
    """Returns the shop's id of the customer, or None for a visitor."""
    customer = ids.customer_of(event.profile)
    return customer and customer[1]


def _build_properties(event: Event) -> dict[str, Any]:
    """Returns the properties of an item's event, named as in Segment's specification."""
    data = msgspec.json.decode(event.data)
    item = data.get("item", {})  # a purchase of an item that was removed before has none
    product = item.get("product", {}) | data.get("product", {})
    price = data.get("unitPrice") or data.get("price") or product.get("price") or {}
    variant = data.get("variantId") or item.get("variantId")
    previous_price, saved_price = data.get("previousPrice"), item.get("savedPrice", {})
    if saved_price.get("currency") != price.get("currency"):
        saved_price = {}
    properties = {
        "wishlist_id": next(iter(item.get("listIds", ())), None),
        "product_id": str(data.get("productId") or item["productId"]),
        "variant_id": None if variant is None else str(variant),
        "variant": product.get("variantTitle"),
        "name": product.get("title"),
        "url": product.get("url"),
        "image_url": product.get("image"),
        "price": _convert_price(price),
        "price_text": _format_price(price),
        "previous_price": previous_price and _convert_price(previous_price),
        "previous_price_text": previous_price and _format_price(previous_price),
        "saved_price": _convert_price(saved_price),
        "currency": price.get("currency"),
        "quantity": data.get("quantity") or item.get("quantity"),
        "availability": product.get("availability"),
        "notices_consent": _CONSENT_BY_NOTICES.get(data.get("notices", False)),
    }
    return {name: value for name, value in properties.items() if value is not None}


def _convert_price(price: Mapping[str, str]) -> float | None:
    return float(price["amount"]) if price else None


def _format_price(price: Mapping[str, str]) -> str | None:
    return currencies.format_amount(price["amount"], price["currency"]) if price else None


def encode_basic(key: str) -> str:
    """Returns the credentials of HTTP's Basic authentication, with an empty password."""
    return base64.b64encode(f"{key}:".encode()).decode()


# ------------------------------------------------------------------------------- Segment


def _build_segment_request(event: Event) -> Request | Unsent:
    customer = _find_customer_id(event)
    person = {"anonymousId": _find_visitor_id(event)} if customer is None else {"userId": customer}
    if event.type == _ERASED:  # rule: format-erased
        [(id_name, id)] = person.items()
        return Unsent(f"To do by hand: delete the {id_name} {id}.", by_hand=True)
    data = msgspec.json.decode(event.data)
    common = {"messageId": event.id, "timestamp": event.timestamp}
    if event.type == _LINKED:
        visitor_id = data["session"].rpartition("/")[2]
        return _build_segment_call(
            "alias", {**common, "previousId": visitor_id, "userId": customer}
        )
    if data.get("linked"):
        return Unsent("A sign-in moved the item, which was sent when the visitor saved it.")
    event_fields = {"event": _EVENT_NAMES[event.type], "properties": _build_properties(event)}
    return _build_segment_call("track", {**common, **person, **event_fields})


def _build_segment_call(call: str, fields: Mapping[str, Any]) -> Request:
    return Request("POST", f"/{call}", msgspec.json.encode({"type": call, **fields}))


def _find_visitor_id(event: Event) -> str:
    return event.profile.rpartition("/")[2]


def _build_segment_test(id: str) -> Request:
    common = {"anonymousId": "wishwell-test", "messageId": id}
    return _build_segment_call("track", {**common, "event": "Wishlist Webhook Tested"})


# ------------------------------------------------------------------------------- Klaviyo


def _build_klaviyo_request(event: Event) -> Request | Unsent:
    customer = _find_customer_id(event)
    assert customer is not None
    if event.type == _ERASED:  # rule: format-erased
        return _build_klaviyo_search(customer)._replace(
            follow=partial(_build_klaviyo_deletion, customer)
        )
    properties = _build_properties(event)
    attributes: dict[str, Any] = {
        "properties": properties,
        "time": event.timestamp,
        "unique_id": event.id,
        "metric": _build_klaviyo_resource("metric", {"name": _EVENT_NAMES[event.type]}),
        "profile": _build_klaviyo_resource("profile", {"external_id": customer}),
    }
    if "price" in properties:
        total = Decimal(str(properties["price"])) * properties["quantity"]
        attributes |= {"value": float(total), "value_currency": properties["currency"]}
    return Request(
        "POST", "/events", msgspec.json.encode(_build_klaviyo_resource("event", attributes))
    )


def _build_klaviyo_resource(
    type_: str, attributes: Mapping[str, Any], **fields: str
) -> dict[str, Any]:
    return {"data": {"type": type_, **fields, "attributes": attributes}}


def _build_klaviyo_search(customer: str) -> Request:
    """Returns the search for a customer's profile, because a deletion needs Klaviyo's own id."""
    escaped = customer.replace("\\", "\\\\").replace('"', '\\"')
    condition = quote(f'equals(external_id,"{escaped}")', safe="")
    return Request("GET", f"/profiles?filter={condition}&fields%5Bprofile%5D=external_id")


class _ProfileAttributes(msgspec.Struct):
    external_id: str | None = None


class _Profile(msgspec.Struct):
    id: str
    attributes: _ProfileAttributes


class _Profiles(msgspec.Struct):
    data: list[_Profile]


def _build_klaviyo_deletion(customer: str, answer: bytes) -> Request | Unsent | None:
    """Returns the deletion of each profile in the answer to the search for a customer."""
    try:
        profiles = msgspec.json.decode(answer, type=_Profiles).data
    except msgspec.DecodeError:
        raise Unanswered("the answer isn't a list of profiles") from None
    profile_ids = [profile.id for profile in profiles if profile.attributes.external_id == customer]
    if profiles and not profile_ids:
        reason = f"To do by hand: delete the profile with the external_id {customer}; the search"
        return Unsent(f"{reason} returned others.", by_hand=True)
    return _build_next_klaviyo_deletion(profile_ids)


def _build_next_klaviyo_deletion(profile_ids: Sequence[str]) -> Request | None:
    if not profile_ids:
        return None
    profile = _build_klaviyo_resource("profile", {}, id=profile_ids[0])
    job = msgspec.json.encode(
        _build_klaviyo_resource("data-privacy-deletion-job", {"profile": profile})
    )
    follow = lambda _: _build_next_klaviyo_deletion(profile_ids[1:])  # noqa: E731
    return Request("POST", "/data-privacy-deletion-jobs", job, follow=follow)


# --------------------------------------------------------------------------------- Brevo


def _build_brevo_request(event: Event) -> Request | Unsent:
    customer = _find_customer_id(event)
    assert customer is not None
    if event.type == _ERASED:  # rule: format-erased
        by_hand = f"To do by hand: delete the contact with the EXT_ID {customer}."
        if {".", ".."} & {*customer.split("\\")}:  # proxies resolve such segments; ids have no /
            return Unsent(by_hand, by_hand=True)
        path = f"/contacts/{quote(customer, safe='')}?identifierType=ext_id"
        return Request("DELETE", path, absent=Absent("document_not_found", by_hand))
    body = {
        "event_name": _EVENT_NAMES[event.type].lower().replace(" ", "_"),
        "event_date": event.timestamp,
        "identifiers": {"ext_id": customer},
        "event_properties": _build_properties(event),
    }
    return Request("POST", "/events", msgspec.json.encode(body))


# ------------------------------------------------------------------------------ listmonk


def _build_listmonk_request(event: Event) -> Request | Unsent:
    return Request("POST", "/tx", msgspec.json.encode({"data": _build_properties(event)}))


# rule: format-mail
def add_recipient(request: Request, template: int, recipient: Recipient) -> Request:
    """Returns a request with the id of its template, its recipient and the link to unsubscribe."""
    email, language, url = recipient
    body = msgspec.json.decode(request.body or b"{}")
    mail = {
        "subscriber_mode": "external",
        "subscriber_emails": [email],
        "template_id": template,
        "headers": [
            {"List-Unsubscribe": f"<{url}>"},
            {"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
        ],
        "data": {**body["data"], "language": language, "unsubscribe_url": url},
    }
    return request._replace(body=msgspec.json.encode(mail), recipient=email)


NOTICES = frozenset(("item.price_dropped", "item.back_in_stock"))
_ITEM_EVENTS = frozenset(_EVENT_NAMES)
_JSON_HEADERS = {"Content-Type": "application/json"}
TOOLS: Mapping[str, Tool] = {
    "segment": Tool(
        _build_segment_request,
        _build_segment_test,
        lambda key: {"Authorization": f"Basic {encode_basic(key)}", **_JSON_HEADERS},
        accepts_visitors=True,
        types=_ITEM_EVENTS | {_LINKED, _ERASED},
        max_concurrent=64,
    ),
    "klaviyo": Tool(
        _build_klaviyo_request,
        lambda _: _build_klaviyo_search("wishwell-test"),
        lambda key: {
            "Authorization": f"Klaviyo-API-Key {key}",
            "Content-Type": "application/vnd.api+json",
            "revision": KLAVIYO_REVISION,
        },
        accepts_visitors=False,
        types=_ITEM_EVENTS | {_ERASED},
        max_concurrent=64,
    ),
    "brevo": Tool(
        _build_brevo_request,
        lambda _: Request("GET", "/account"),
        lambda key: {"api-key": key, **_JSON_HEADERS},
        accepts_visitors=False,
        types=_ITEM_EVENTS | {_ERASED},
        max_concurrent=4,  # its events API allows 10 requests a second
    ),
    "listmonk": Tool(
        _build_listmonk_request,
        lambda _: Request("GET", "/health"),
        lambda key: {"Authorization": f"token {key}", **_JSON_HEADERS},
        accepts_visitors=True,
        types=NOTICES,
        max_concurrent=8,
        is_mail=True,
    ),
}
