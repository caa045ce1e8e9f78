"""The look of the pages that the service hosts for a shop."""

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec

from wishwell.errors import Invalid
from wishwell.field_types import published
from wishwell.stores import rules

MAX_TEXTS_BYTES = 32_768
MAX_TEXT = 1_000
MAX_LANGUAGES = 20
MAIL_TEXTS = frozenset({"mailSubject", "mailOpening", "mailClosing"})
"""Texts that replace those of mails."""

MAX_MAIL_TEXT = 200
_SITE = re.compile(r"://|www\.|[\w-]\.[a-z]{2,}\b", re.IGNORECASE)
_LANGUAGE = re.compile(rules.LANGUAGE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_TEXT = re.compile(r"[^\x00-\x09\x0b-\x1f\x7f-\x9f]*")

Texts = Annotated[
    dict[str, dict[str, str]],
    published(
        "StoreTexts",
        "Texts that replace those of the pages, by language and name.",
        properties={},
        patternProperties={
            f"^{rules.LANGUAGE}$": {
                "type": "object",
                "properties": {},
                "patternProperties": {
                    f"^{_NAME.pattern}$": {"type": "string", "maxLength": MAX_TEXT}
                },
                "additionalProperties": False,
            }
        },
        **{"x-python": "dict[str, dict[str, str]]"},
    ),
]


# rules: store-settings, page-look
class Look(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The look of the hosted pages. Settings that are not set are omitted."""

    shop_name: str = ""
    logo_url: str = ""
    accent: str = ""
    """The colour of buttons, such as `#0a7d5a`."""
    shop_url: str = ""
    """Where the header leads."""
    cart_url: str = ""
    """Adds a product to the cart; has `{variantId}` or `{productId}`, and possibly `{quantity}`."""
    language: str = ""
    """The pages' language; by default the browser decides."""
    texts: Texts = {}


def check(look: Look) -> None:
    """Raises ``Invalid`` for an invalid field."""
    rules.check(msgspec.structs.asdict(look))
    check_texts(look.texts)


# rule: page-look
def check_texts(texts: Mapping[str, Mapping[str, str]]) -> None:
    """Raises ``Invalid`` for too many texts, or a malformed language, name or text."""
    if len(msgspec.json.encode(texts)) > MAX_TEXTS_BYTES or len(texts) > MAX_LANGUAGES:
        raise Invalid(
            f"texts: must have at most {MAX_LANGUAGES} languages and {MAX_TEXTS_BYTES // 1024} KiB."
        )
    for language, texts_by_name in texts.items():
        if not _LANGUAGE.fullmatch(language):
            raise Invalid(f"texts: {language[:40]!r} isn't a language such as de or pt-BR.")
        for name, text in texts_by_name.items():
            if not _NAME.fullmatch(name):
                raise Invalid(f"texts: {name[:80]!r} isn't the name of a text.")
            if name in MAIL_TEXTS:
                _check_mail_text(f"texts: {language}.{name}", text)
            if len(text) > MAX_TEXT or not _TEXT.fullmatch(text):
                raise Invalid(
                    f"texts: {language}.{name} must be at most {MAX_TEXT:,} characters, without "
                    "control characters other than newlines."
                )


# rule: mail-form
def _check_mail_text(field: str, text: str) -> None:
    """Raises ``Invalid`` for a text of mails that is too long or has the address of a site, which
    whoever has an admin token could send to all shoppers."""
    if len(text) > MAX_MAIL_TEXT or _SITE.search(text):
        raise Invalid(
            f"{field} must be at most {MAX_MAIL_TEXT} characters, without addresses of sites."
        )


def mail_texts(texts: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, str], str]:
    """Returns the texts of mails by language and name."""
    return {
        (language, name): text
        for language, texts_by_name in texts.items()
        for name, text in texts_by_name.items()
        if name in MAIL_TEXTS
    }


# rule: page-look
def text_on_accent(accent: str) -> str:
    """Returns black or white, whichever has more contrast on a colour: at least 4.5:1 (WCAG)."""
    channels = [int(accent[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(map(float.__mul__, (0.2126, 0.7152, 0.0722), linear))
    return "#000" if (luminance + 0.05) ** 2 > 0.0525 else "#fff"
