"""Names all bad fields of a refused body (rule: error-envelope). Only refused bodies cost this."""

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, get_args

import msgspec
from msgspec import Struct, inspect, structs

from wishwell import errors, events, products, profiles
from wishwell import field_types as types
from wishwell.errors import BadField, Invalid, RequestError
from wishwell.http import field_codes, list_bodies, request_types, store_bodies
from wishwell.http.context import Request
from wishwell.products.money import Money, check_currency
from wishwell.stores import look, reporting, rules
from wishwell.stores.look import Look
from wishwell.stores.placeholders import new_product_id
from wishwell.wishlists import fields, items, lists, shares

_URL_RULE = (
    f"must be an http or https URL of at most {products.MAX_URL} printable ASCII characters, "
    "without a user name or password"
)
_ITEM_IDS_RULES: dict[type[Struct], str] = {
    request_types.ItemOrderBody: f"must be an array of at most {request_types.MAX_ORDER} item ids",
    list_bodies.ListItemsBody: (
        f"must be an array of at most {list_bodies.MAX_LIST_ITEMS} item ids without duplicates"
    ),
    list_bodies.ListItemsRemovalBody: (
        f"must be an array of 1 to {list_bodies.MAX_LIST_ITEMS} item ids without duplicates"
    ),
}
"""The rules of `itemIds` where it isn't that of most bodies."""
_TIME_RULE = "must be a time with an offset, such as 2031-12-24T18:00:00Z"

_LOOK = Look.__struct_encode_fields__

# The rules of fields that their types don't express, shown whole when any part is violated.
RULES = {
    "tags": f"must be an array of at most {types.MAX_TAGS} tags",
    "tags[]": fields.TAG_RULE,
    "listIds": "must be an array of at most 250 list ids without duplicates",
    "listName": f"must be a string of 1 to {lists.MAX_NAME} characters, or null",
    "after": "must be the id of another item on the list, or null",
    "itemIds": f"must be an array of 1 to {items.MAX_BULK} item ids",
    "itemIds[]": "must be the id of an item",
    "listIds[]": "must be the id of a list",
    "name": f"must be a string of 1 to {lists.MAX_NAME} characters",
    "displayName": f"must be a string of at most {shares.MAX_DISPLAY_NAME} characters, or null",
    "attributionDays": f"must be an integer from 1 to {reporting.MAX_ATTRIBUTION_DAYS}",
    "texts": 'must be an object such as {"de": {"name": "text"}}',
    "email": "must be an e-mail address",
    "title": f"must be a string of 1 to {products.MAX_TITLE} characters, or null",
    "url": _URL_RULE,
    "image": _URL_RULE,
    "price": "must be an object with amount and currency, or null",
    "amount": (
        'must be a decimal string such as "19.90", with up to 12 digits before the point and up to '
        "4 after it"
    ),
    "currency": "must be three letters A-Z, such as EUR",
    "customer": "must be a string such as gid://shopify/Customer/7; leave it out for a visitor",
    "session": "must be a string such as gid://wishwell/Session/<uuid>; leave it out without one",
    "types": "must be an array of event types without duplicates",
    "types[]": f"must be one of {', '.join(events.TYPES)}",
    "language": "must be a language such as de or pt-BR",
    "key": "must be 8 to 500 printable ASCII characters without spaces",
    "include": "must be an array with product, or an empty one",
    "include[]": "must be product",
    "orderId": "must be 1 to 255 printable ASCII characters without space and /",
    "profile": "must be the GID of a customer or session",
    "unitPrice": "must be an object with amount and currency, or null",
}
_FIXED = frozenset({"id", "profile", "itemCount", "createdAt", "updatedAt", "token", "savedPrice"})
"""Fields of records that no operation sets."""

# rule: store-patch
_UPDATE, _WEBHOOK = "wishwell store update", "wishwell webhook update"
BY_COMMAND = {
    "handle": ("names the store in commands", f"{_UPDATE} --handle"),
    "platform": ("is part of its customers' ids", f"{_UPDATE} --platform"),
    "productIds": ("is the type of all product ids", f"{_UPDATE} --product-ids"),
    "authFlow": ("is where shoppers sign in", f"{_UPDATE} --auth-flow"),
    "hosts": ("decides which domains are the shop's", f"{_UPDATE} --host"),
    "naming": ("decides who is signed in", f"{_UPDATE} --jwt-issuer"),
    "jwtKeys": ("are the keys that sign customers in", f"{_UPDATE} --jwt-key-file"),
    "platformSecrets": ("are the platform's secrets", f"{_UPDATE} --platform-secret-file"),
    "cookieSecret": ("signs visitors' cookies", f"{_UPDATE} --new-cookie-secret"),
    "origins": ("decides who may call the API", f"{_UPDATE} --origin"),
    "limits": ("protects the service", f"{_UPDATE} --limit"),
    "pages": ("decides where shoppers are sent", f"{_UPDATE} --wishlist-page"),
    "priceDropPercent": ("decides about notices", f"{_UPDATE} --price-drop-percent"),
    "events": ("decides what is recorded", f"{_UPDATE} --events"),
    "eventsSince": ("follows from turning events on", f"{_UPDATE} --events"),
    "forgetCustomersAfter": ("erases customers", f"{_UPDATE} --forget-customers-after"),
    "forgetSince": ("follows from that setting", f"{_UPDATE} --forget-customers-after"),
    "mail": ("decides who sends mails to shoppers", f"{_UPDATE} --mail"),
    "webhooks": ("are addresses that events are sent to", f"{_WEBHOOK} --url"),
}
"""Settings of a store that a token can't change: why, and the command that can."""

_PATH = re.compile(r" - at `\$(?P<path>[^`]*)`\Z")


def name_all(request: Request, error: RequestError) -> None:
    """Adds all bad fields of a decoded body to its error, and puts the first into the message.

    If only the state of the records forbids the body, names the field in the error's message.
    """
    if request.decoding is None or type(error) is not Invalid:
        return
    raw, shape = request.decoding
    if not raw:
        return
    try:
        value = msgspec.json.decode(raw)
    except (ValueError, RecursionError) as decode_error:
        error.message = request_types.not_json(raw, decode_error).message
        return
    if not isinstance(value, dict):
        error.message = "body: must be a JSON object."
        return
    name_within(request, error, value, shape)


def name_within(
    request: Request, error: Invalid, value: Any, shape: type[Struct], prefix: str = ""
) -> None:
    """Adds the bad fields of a decoded value to its error, like ``name_all``. ``prefix``: the path
    of the value in the body, such as ``orders[1].``."""
    all_bad_fields = _Finder(request, shape).of_object(value, shape, prefix)
    error.details = bad_fields = [*itertools.islice(all_bad_fields, errors.MAX_BAD_FIELDS)]
    if bad_fields:
        error.message = f"{bad_fields[0].field}: {bad_fields[0].message}"
    else:
        field, _, rule = error.message.partition(": ")
        if re.split(r"[.\[]", field)[0] in value:
            error.details = [BadField(f"{prefix}{field}", rule, error.cause)]


class _Finder:
    """The rules of a store's fields, beyond their types."""

    def __init__(self, request: Request, shape: type[Struct]) -> None:
        store, clock = request.store, request.service.clock
        self._rules = RULES | dict.fromkeys(("productId", "variantId"), store.id_rule)
        self._checks: dict[str, Callable[[str, Any], object]] = {
            **dict.fromkeys(("productId", "variantId"), functools.partial(new_product_id, store)),
            **dict.fromkeys(("listIds", "itemIds", "types", "include"), fields.each_once),
            **dict.fromkeys(("title", "url", "image"), products.check_text),
            **dict.fromkeys(
                (*profiles.KINDS, "profile"), lambda name, gid: request.profile_of(gid, name)
            ),
            "tags": lambda _, tags: fields.check_tags(tags),
            **dict.fromkeys(("name", "listName"), lambda name, text: lists.check_name(text, name)),
            "displayName": lambda _, name: shares.check_display_name(name),
            **{
                name: functools.partial(_check_look, column)
                for column, name in zip(Look.__struct_fields__, _LOOK, strict=True)
            },
            "texts": lambda _, texts: look.check_texts(texts),
            "email": lambda _, email: profiles.check_email(email),
            "expiresAt": lambda _, text: _share(text).terms(request.now()),
            **dict.fromkeys(
                ("placedAt", "updatedAt"),
                lambda name, text: fields.time(name, msgspec.convert(text, datetime), clock()),
            ),
            "price": lambda name, price: check_currency(
                f"{name}.currency", msgspec.convert(price, Money)
            ),
        }
        if issubclass(shape, request_types.NewWebhookBody | request_types.WebhookPatchBody):
            self._checks["url"] = request.service.outbound.check

    def of_object(self, value: Any, shape: type[Struct], prefix: str) -> Iterator[BadField]:
        """Yields the bad fields of an object in its order, then the missing ones."""
        if not isinstance(value, dict):
            yield BadField(prefix.removesuffix("."), "must be an object.", "wrong_type")
            return
        fields_by_name = {field.encode_name: field for field in structs.fields(shape)}
        for name, part in value.items():
            if name in fields_by_name:
                yield from self._of_field(part, fields_by_name[name], prefix, shape)
            else:
                shown_name = name[:80] if name[:80].isprintable() else ascii(name[:80])
                if shape is store_bodies.StoreBody and name in BY_COMMAND:
                    reason, command = BY_COMMAND[name]
                    rule = f"can't be changed by a token, because it {reason}; use `{command}`."
                    yield BadField(name, rule.replace("it are", "these are"), "not_allowed")
                    continue
                is_fixed = name in _FIXED
                why = "can't be changed here" if is_fixed else "isn't a field of this body"
                hint = " PUT /items/{itemId}/lists sets the lists." if name == "listIds" else ""
                yield BadField(
                    f"{prefix}{shown_name}",
                    f"{why}; allowed: {', '.join(fields_by_name)}.{hint}",
                    "not_allowed" if is_fixed else "unknown",
                )
        for name, field in fields_by_name.items():
            if field.required and name not in value:
                yield BadField(f"{prefix}{name}", "is required.", "required")

    def _of_field(
        self, value: Any, field: structs.FieldInfo, prefix: str, shape: type[Struct]
    ) -> Iterator[BadField]:
        name, struct_type = field.encode_name, _struct_in(field.type)
        has_its_type = True
        try:
            msgspec.convert(value, field.type)
        except msgspec.ValidationError as error:
            match = _PATH.search(str(error))
            path = match["path"] if match else ""
            is_object = isinstance(value, dict) and "Expected `array" not in str(error)
            if not struct_type or not (is_object or path):
                rule = self._rule(field, path, str(error), shape)
                code = field_codes.of_type_error(str(error))
                yield BadField(f"{prefix}{name}{path}", rule, code)
                return
            has_its_type = False
        if struct_type and value is not None:
            is_array = isinstance(value, list)
            for index, element in enumerate(value if is_array else [value]):
                inner_prefix = f"{prefix}{name}[{index}]." if is_array else f"{prefix}{name}."
                yield from self.of_object(element, struct_type, inner_prefix)
        if has_its_type and name in self._checks and value is not None:
            try:
                self._checks[name](name, value)
            except Invalid as error:
                field_name, _, rule = error.message.partition(": ")
                yield BadField(f"{prefix}{field_name}", rule, error.cause)

    def _rule(self, field: structs.FieldInfo, path: str, error: str, shape: type[Struct]) -> str:
        name = field.encode_name
        if error.startswith("Expected `datetime` with a timezone"):
            return "lacks an offset, such as Z."
        for pattern, rule in types.PATTERN_RULES.items():
            if f"matching regex {pattern!r}" in error:
                return f"{rule}."
        if path and f"{name}[]" in RULES:
            return f"{RULES[f'{name}[]']}."
        rule = self._rules.get(name, "")
        if name == "itemIds":
            rule = _ITEM_IDS_RULES.get(shape, rule)
        return f"{rule or type_rule(field)}."


def type_rule(field: structs.FieldInfo) -> str:
    """Returns the rule that a field's type expresses; an empty text if it needs a sentence."""
    *kinds, last = _plain_types(inspect.type_info(field.type))
    nullable = isinstance(last, inspect.NoneType)
    or_null = ", or null" * nullable
    match kinds[0] if kinds else last:
        case inspect.BoolType():
            return "must be true, false or null" if nullable else "must be true or false"
        case inspect.LiteralType(values):
            *first_choices, last_choice = [*map(str, values), *["null"] * nullable]
            return f"must be {', '.join(first_choices)} or {last_choice}"
        case inspect.IntType(ge=int(minimum), le=int(maximum)):
            return f"must be an integer from {minimum} to {maximum}{or_null}"
        case inspect.StrType(max_length=int(maximum), pattern=pattern) if (
            pattern is None or pattern in types.PATTERN_RULES
        ):
            return f"must be a string of at most {maximum} characters{or_null}"
        case inspect.StrType(pattern=None):
            return f"must be a string{or_null}"
        case inspect.DateTimeType():
            return f"{_TIME_RULE}{or_null}"
        case inspect.StructType():
            return f"must be an object{or_null}"
        case inspect.ListType(inspect.StructType(), minimum, int(maximum)):
            count_text = f"{minimum} to {maximum}" if minimum else f"at most {maximum}"
            return f"must be an array of {count_text} {field.encode_name}{or_null}"
    return ""


def _plain_types(node: inspect.Type) -> Iterator[inspect.Type]:
    """Yields the plain types of a union, null last. Decoding must check all of a type's limits."""
    if isinstance(node, inspect.Metadata):
        unchecked = (node.extra_json_schema or {}).keys() - {"title", "description"}
        yield from [inspect.AnyType()] if unchecked else _plain_types(node.type)
    elif isinstance(node, inspect.UnionType):
        for member in sorted(node.types, key=lambda kind: isinstance(kind, inspect.NoneType)):
            yield from _plain_types(member)
    else:
        yield node


def _check_look(column: str, name: str, text: str) -> None:
    rules.check({column: text}, name)


def _share(text: str) -> request_types.NewShareBody:
    return msgspec.convert({"expiresAt": text}, request_types.NewShareBody)


def _struct_in(type_: Any) -> type[Struct] | None:
    """Returns the type of the object, or of the objects in the array, that a field holds."""
    if isinstance(type_, type) and issubclass(type_, Struct):
        return type_
    return next(filter(None, map(_struct_in, get_args(type_))), None)
