"""Types of fields that several nouns share, with the limits and descriptions of the API.

``make format`` generates the schemas of the API's description from these types and from the structs
that use them (``tools/schemas.py``). A type with a ``title`` gets a schema under that name.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

MAX_NUMBER = 2**53 - 1
"""Maximum integer product id: the largest that JavaScript represents exactly."""

MAX_QUANTITY = 1_000_000
MAX_TAGS = 20
MAX_NOTE = 500
TEXT_ID = "[A-Za-z0-9][A-Za-z0-9._:~=-]{0,99}"

_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_PLATFORM = "^gid://[a-z0-9-]{1,40}"
_ESCAPES = "[3-6][0-9A-Fa-f]|7[0-9A-Ea-e]|2[1-9A-CEa-ce]"
_CHARACTER = f"[!-$&-.0-~]|%(?:{_ESCAPES}|2[Dd])"
_ONLY_CHARACTER = f"[!-$&-,.0-~]|%(?:{_ESCAPES})"
# Without an assertion against "-" alone, because not all regex engines have them.
_CUSTOMER = f"Customer/(?:{_ONLY_CHARACTER}|(?:{_CHARACTER}){{2,255}})"
_SESSION = f"Session/{_UUID}"
# Patterns avoid \s and \d, because regex engines differ in their meaning.
_SPACES = r"\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_VISIBLE_CHARACTER = rf"[^\u0000-\u0020\u007f-\u00a0{_SPACES}]"
_WHITE_SPACE = rf"[\u0009-\u000d\u001c-\u0020\u0085\u00a0{_SPACES}]*"
_TRIMMED = rf"{_VISIBLE_CHARACTER}(?:[^\u0000-\u001f\u007f-\u009f]{{0,253}}{_VISIBLE_CHARACTER})?"
# rule: input-inert
_NO_CONTROLS = r"^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*\Z"
# Neither side of the @ may have white space, control characters or "(),:;<>@[\].
_EMAIL_CHARACTER = _VISIBLE_CHARACTER.removesuffix("]") + r'"(),:;<>@\[\\\]'
_EMAIL = rf"{_EMAIL_CHARACTER}]{{1,64}}@{_EMAIL_CHARACTER}.]+(?:\.{_EMAIL_CHARACTER}.]+)*"

PATTERN_RULES = {
    _NO_CONTROLS: "must not contain control characters other than newlines; send \\n, not \\r\\n"
}
"""Error messages for texts that don't match a type's pattern."""


def published(title: str = "", description: str = "", **limits: Any) -> Meta:
    """Returns metadata for the API's description only: decoding doesn't check these limits.

    Either a use case checks them, or they describe responses. Patterns here end in `$`, as in JSON
    Schema. A pattern that decoding checks ends in `\\Z`, because Python's `$` also matches before a
    trailing newline.
    """
    return Meta(
        title=title or None, description=description or None, extra_json_schema=limits or None
    )


# Without a format, because a generated client would make an object that it could not send back.
Id = Annotated[str, published("Id", "An opaque id.", minLength=1, maxLength=255)]
Traceparent = Annotated[
    str,
    published(
        "Traceparent",
        "The `traceparent` of the request that caused the event (W3C Trace Context); omitted if it "
        "had none, and for events that the service records by itself, such as notices.",
        pattern="^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
    ),
]
RequestId = Annotated[
    str,
    published(
        "RequestId",
        "The id of the request, the same as `X-Request-Id`.",
        pattern=f"^({_UUID}|[0-9a-f]{{32}})$",
    ),
]
Time = Annotated[
    str,
    published(
        "Timestamp",
        "RFC 3339, in UTC, with milliseconds.",
        format="date-time",
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
    ),
]
ProfileGid = Annotated[
    str,
    published(
        "ProfileGid",
        "The GID of a customer or session.",
        pattern=f"{_PLATFORM}/(?:{_CUSTOMER}|{_SESSION})$",
    ),
]
CustomerGid = Annotated[str, published(pattern=f"{_PLATFORM}/{_CUSTOMER}$")]
SessionGid = Annotated[str, published(pattern=f"{_PLATFORM}/{_SESSION}$")]
EmailAddress = Annotated[
    str,
    published(
        "EmailAddress",
        "An e-mail address, unquoted: up to 64 characters before the @, a domain name or host name "
        "after it, no spaces and no control characters.",
        minLength=3,
        maxLength=254,
        pattern=f"^{_EMAIL}$",
    ),
]
ProductId = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_NUMBER)] | Annotated[str, Meta(pattern=rf"^{TEXT_ID}\Z")],
    Meta(
        title="ProductId",
        description="The store's id of a product or variant: an integer, or in a store with text "
        "ids a string of 1 to 100 characters `A-Z a-z 0-9 . _ : ~ = -` that begins with a letter "
        "or digit.",
        examples=[632910392, "prod_01"],
    ),
]

Unique = published(uniqueItems=True)
Count = Annotated[int, published(minimum=0)]
DayDate = Annotated[
    str, published("Day", "A day, such as 2025-04-18.", pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
]
Quantity = Annotated[int, Meta(title="Quantity", ge=1, le=MAX_QUANTITY)]
Tag = Annotated[str, Meta(title="Tag", pattern=r"^[a-z0-9_-]{1,50}\Z")]
Tags = Annotated[list[Tag], Meta(title="Tags", max_length=MAX_TAGS), Unique]
Note = Annotated[
    str,
    Meta(
        title="Note",
        description="A text by the profile's owner. Newlines are allowed, other control characters "
        "aren't.",
        max_length=MAX_NOTE,
        pattern=_NO_CONTROLS,
    ),
]
ItemProduct = Annotated[msgspec.Raw, published("ItemProduct")]
"""A product as JSON (``products/shown.py``)."""
ListName = Annotated[
    str,
    published(
        "ListName",
        "1 to 255 characters, without control characters, trimmed.",
        minLength=1,
        maxLength=255,
        pattern=f"^{_TRIMMED}$",
    ),
]
# No maxLength, as white space around the name does not count.
NewListName = Annotated[
    str,
    published(
        "ListNameInput",
        "1 to 255 characters after trimming, without control characters. White space around it is "
        "removed.",
        pattern=f"^{_WHITE_SPACE}{_TRIMMED}{_WHITE_SPACE}$",
    ),
]
