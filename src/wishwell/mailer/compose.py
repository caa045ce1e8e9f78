"""Composes mails. No I/O except for the templates, which are read once."""

import contextlib
import email.policy
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path
from typing import Literal, NamedTuple

import jinja2
import msgspec

from wishwell import currencies
from wishwell.products.money import Money, amount, decrease
from wishwell.stores import Store
from wishwell.stores import look as looks
from wishwell.stores.naming import authority, normalised_origin

_FOLDER = Path(__file__).parent
TEXTS: Mapping[str, Mapping[str, str]] = msgspec.json.decode((_FOLDER / "texts.json").read_bytes())
"""The texts of mails by language and name."""

MAX_LINES = 12
_MAX_SUBJECT_CHARACTERS = 150
_MAX_TITLE_CHARACTERS = 100
_DEFAULT_ACCENT = "#1a1a1a"
_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_FOLDER / "templates"),
    autoescape=jinja2.select_autoescape(("html",), default=False),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")

_SITE_PART = re.compile(
    r"(?::(?=//)|(?<=www)\.|[.\u3002\uff0e\uff61](?=[^\W\d_]{2}))", re.IGNORECASE
)
"""The characters that let mail programs take a text for the address of a site."""

Section = Literal["cheaper", "back_in_stock"]
SECTIONS: tuple[Section, ...] = ("cheaper", "back_in_stock")


class Line(NamedTuple):
    """A product in a mail. ``image``: a URL that ``is_picture`` allows, or ''. ``product_id``: as
    stored."""

    section: Section
    title: str
    url: str
    image: str = ""
    saved_price: Money | None = None
    price: Money | None = None
    product_id: str = ""


class Frame(NamedTuple):
    """What all mails of a store have. ``mail_id``: the id of the mail. ``now``: milliseconds."""

    store: Store
    language: str
    mail_id: str
    recipient: str
    now: int


# rule: mail-form
def choose_language(shopper: str, store: Store) -> str:
    """Returns the language of a mail: the shopper's, else the store's, else English."""
    for language in (shopper, store.look.language):
        base = re.split("[-_]", language)[0].lower()
        if base in TEXTS:
            return base
    return "en"


# rules: mail-confirm, mail-form
def compose_confirmation(frame: Frame, confirm_url: str) -> EmailMessage:
    """Returns the mail that asks the owner of an address to confirm it. It contains nothing that
    somebody typed."""
    texts = _Texts(frame)
    context = {"heading": texts["confirm_heading"], "confirm_url": confirm_url}
    return _build(frame, texts, "confirmation", texts["confirm_subject"], context)


# rules: mail-form, mail-collected
def compose_notices(
    frame: Frame,
    lines: Sequence[Line],
    more: int,
    wishlist_url: str,
    unsubscribe_url: str,
) -> EmailMessage:
    """Returns a mail with notices, at most ``MAX_LINES``. ``more``: the number of further ones."""
    texts = _Texts(frame, count=len(lines) + more)
    more += max(0, len(lines) - MAX_LINES)
    sections = [
        (texts[section], [_show_line(frame, texts, line) for line in lines[:MAX_LINES]
                          if line.section == section])
        for section in SECTIONS
    ]  # fmt: skip
    first = next((line for section in sections for line in section[1]), None)
    context = {
        "heading": texts["notices_heading"],
        "preview": ": ".join(filter(None, (first["title"], first["price"]))) if first else "",
        "opening": texts.replaced("mailOpening", "notices_opening"),
        "closing": texts.replaced("mailClosing", ""),
        "sections": [section for section in sections if section[1]],
        "more": texts["more"].format(count=more) if more else "",
        "wishlist_url": wishlist_url,
        "unsubscribe_url": unsubscribe_url,
    }
    subject = texts.replaced("mailSubject", "notices_subject")
    message = _build(frame, texts, "notices", subject, context)
    message["List-Unsubscribe"] = f"<{unsubscribe_url}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return message


class _Texts:
    """The texts of a mail in its language. Texts of the store are never compiled as templates."""

    def __init__(self, frame: Frame, count: int = 0) -> None:
        self._texts = TEXTS[frame.language]
        self._own = _own_texts(frame.store, frame.language)
        self._values = {"shop": shop_name(frame.store), "count": f"{count}"}

    def __getitem__(self, name: str) -> str:
        return self._texts[name].replace("{shop}", self._values["shop"])

    def replaced(self, own_name: str, name: str) -> str:
        """Returns the store's own text, or else ours."""
        text = self._own.get(own_name) or (self._texts[name] if name else "")
        return re.sub(r"\{(shop|count)\}", lambda match: self._values[match[1]], text)


def _own_texts(store: Store, language: str) -> Mapping[str, str]:
    texts = {key.lower().partition("-")[0]: own for key, own in store.look.texts.items()}
    return texts.get(language, {})


def shop_name(store: Store) -> str:
    """Returns the name of the shop, or its first host."""
    name = store.look.shop_name or store.mail_origin.partition("://")[2].removeprefix("www.")
    return _CONTROLS.sub(" ", name).strip()


# rule: mail-links
def find_logo(store: Store) -> str:
    """Returns the URL of the shop's logo, or ''."""
    logo = store.look.logo_url
    logo = store.mail_origin + logo if logo.startswith("/") else logo
    return logo if is_picture(store, logo) else ""


# rule: mail-links
def is_picture(store: Store, url: str) -> bool:
    """Returns whether mails may load a picture: from the store's own hosts or its host for
    pictures, by https, or by http where the links of mails are (a trial on this computer)."""
    host = store.mail.mail_picture_host
    if host and url.startswith(f"https://{host}/"):
        return True
    return url.startswith(("https://", f"{store.mail_origin}/")) and is_own(store, url)


# rule: mail-links
def is_own(store: Store, url: str) -> bool:
    """Returns whether a URL leads to one of the store's own hosts."""
    with contextlib.suppress(ValueError):
        origin = normalised_origin("/".join(url.split("/")[:3]))
        own = (*store.hosts, store.naming.service_url, store.page_origin)
        return authority(origin) in {authority(host) for host in own if host}
    return False


def _build(
    frame: Frame, texts: _Texts, template: str, subject: str, context: Mapping[str, object]
) -> EmailMessage:
    store, look = frame.store, frame.store.look
    accent = look.accent or _DEFAULT_ACCENT
    shared = {
        "preview": "",
        "texts": texts,
        "lang": frame.language,
        "shop": shop_name(store),
        "logo": find_logo(store),
        "accent": accent,
        "own_accent": bool(look.accent),
        "on_accent": looks.text_on_accent(accent),
    }
    message = EmailMessage(policy=email.policy.SMTP)
    sender = store.mail.mail_from
    name = shop_name(store)
    message["From"] = Address(name, *_split(sender))
    message["To"] = Address("", *_split(frame.recipient))
    if store.mail.mail_reply_to:
        message["Reply-To"] = store.mail.mail_reply_to
    message["Subject"] = _CONTROLS.sub(" ", subject).strip()[:_MAX_SUBJECT_CHARACTERS]
    message["Date"] = datetime.fromtimestamp(frame.now / 1000, UTC)
    message["Message-ID"] = f"<{frame.mail_id}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    values = {**shared, **context}
    message.set_content(_templates.get_template(f"{template}.txt").render(values))
    message.add_alternative(
        _templates.get_template(f"{template}.html").render(values), subtype="html"
    )
    message["Content-Language"] = frame.language  # last: set_content removes such headers
    return message


def _split(address: str) -> tuple[str, str]:
    local, _, domain = address.rpartition("@")
    return local, domain


# ----------------------------------------------------------------------------------- prices


def _show_line(frame: Frame, texts: _Texts, line: Line) -> dict[str, str]:
    saved, price = line.saved_price, line.price
    title = _CONTROLS.sub(" ", line.title).strip()
    if len(title) > _MAX_TITLE_CHARACTERS:
        title = f"{title[: _MAX_TITLE_CHARACTERS - 1].rstrip()}…"
    shown = {
        "title": title,
        "plain_title": _SITE_PART.sub(r"\g<0> ", title),
        "url": line.url,
        "image": line.image,
        "price": "",
        "old": "",
        "percent": "",
    }
    if price is None:
        return shown
    now = format_price(price, frame.language)
    percent = decrease(saved, price)
    if saved is None or not percent:
        shown["price"] = texts["now"].replace("{price}", now)
    elif frame.store.mail.show_reductions:
        shown |= {"price": now, "old": format_price(saved, frame.language)}
        shown["percent"] = f"\N{MINUS SIGN}{int(percent)} %"
    else:
        sentence = texts["saved_now"].replace("{saved}", format_price(saved, frame.language))
        shown["price"] = sentence.replace("{price}", now)
    return shown


_SYMBOLS = {
    "EUR": "€",
    "USD": "$",
    "GBP": "£",
    "JPY": "¥",
    "PLN": "zł",
    "INR": "₹",
    "KRW": "₩",
    "ILS": "₪",
    "VND": "₫",
    "UAH": "₴",
    "TRY": "₺",
    "CZK": "Kč",
}
"""Symbols that readers of any language take for this currency."""

_NBSP = "\N{NO-BREAK SPACE}"
_SEPARATORS = {
    "en": (",", "."),
    "fr": ("\N{NARROW NO-BREAK SPACE}", ","),
    "pl": (_NBSP, ","),
}
_PREFIXED = {"en": "", "nl": _NBSP}
"""Languages that write the currency first, and what separates it from the number."""


def format_price(price: Money, language: str) -> str:
    """Returns a price as readers of the language write it, such as ``52,90 €``."""
    text = currencies.format_amount(price.amount, price.currency)
    whole, _, decimals = text.partition(".")
    thousands, point = _SEPARATORS.get(language, (".", ","))
    number = f"{int(Decimal(whole)):,}".replace(",", thousands)
    number += point + decimals if decimals else ""
    symbol = _SYMBOLS.get(price.currency, price.currency)
    if language in _PREFIXED:
        return f"{symbol}{_PREFIXED[language] or (_NBSP if symbol.isalpha() else '')}{number}"
    return f"{number}{_NBSP}{symbol}"


def is_dearer(saved: Money | None, price: Money | None) -> bool:
    """Returns whether a price isn't below the one at which an item was saved."""
    if saved is None or price is None or saved.currency != price.currency:
        return False
    return amount(price) >= amount(saved)
