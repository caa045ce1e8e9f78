"""Reads what a mail is about, directly before it is sent."""

import contextlib
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from wishwell.contacts import queue, suppressions, tokens
from wishwell.contacts.queue import BegunMail, ClaimedMail
from wishwell.db import Reader, Writer
from wishwell.mailer import compose
from wishwell.mailer.compose import Line
from wishwell.products import shown
from wishwell.products.money import Money
from wishwell.products.shown import ProductView
from wishwell.stores import Store
from wishwell.wishlists import items
from wishwell.wishlists.items import Item

_decode_product = msgspec.json.Decoder(ProductView).decode


class Content(NamedTuple):
    """What is sent: a mail that is ``sending``, the token of its link, and its lines."""

    begun: BegunMail
    token: str
    lines: list[Line]


# rules: mail-states, mail-consent
async def begin(
    tx: Writer,
    store: Store,
    mail: ClaimedMail,
    base: str,
    now: str,
    recipient: str | None = None,
) -> Content | None:
    """Marks a claimed mail as ``sending`` and reads its content. Returns None for a mail that isn't
    sent now, such as one whose items were all bought or removed, which is cancelled, or one whose
    owner's address isn't the ``recipient`` any longer.

    ``base``: the path of the storefront.
    """
    begun = await queue.begin(tx, store, mail, now, recipient)
    if begun is None:
        return None
    lines = await _read_lines(tx, store, begun, wishlist_url(store, base))
    if mail.kind == "notices" and not lines:
        await queue.cancel(tx, mail)
        return None
    if lines:
        products = " ".join(dict.fromkeys(line.product_id for line in lines[: compose.MAX_LINES]))
        await tx.run("mail_name_products", profile=mail.profile_id, id=mail.id, products=products)
    address = suppressions.address_hash(store.id, begun.contact.email or "")
    purpose: tokens.Purpose = "confirm" if mail.kind == "confirmation" else "unsubscribe"
    token = await tokens.create(tx, store, mail.profile_id, purpose, address, now)
    return Content(begun, token, lines)


def wishlist_url(store: Store, base: str) -> str:
    """Returns the address of the shopper's wishlist in the shop: the service's own URL has only the
    pages of mails."""
    page = store.pages.wishlist_page
    if page and not page.startswith("/") and compose.is_own(store, page):
        return page
    path = page if page.startswith("/") else f"{base}/"
    return (store.page_origin or store.mail_origin) + path


async def _read_lines(tx: Reader, store: Store, begun: BegunMail, fallback: str) -> list[Line]:
    """Returns a line for each item that is still wanted and whose notice still holds."""
    item_ids = list(dict.fromkeys(item_id for _, item_id in begun.notices))
    if not item_ids:
        return []
    rows = await tx.all("mail_items", profile=begun.mail.profile_id, ids=item_ids)
    by_id = {item.id: item for item in map(items.from_row, rows)}
    await shown.include(tx, store, list(by_id.values()))
    kinds = {item_id: kind for kind, item_id in begun.notices}  # the last notice of an item
    lines = [
        _make_line(store, kinds[item_id], by_id[item_id], fallback)
        for item_id in item_ids
        if item_id in by_id
    ]
    return [line for line in lines if line is not None]


# rule: mail-consent
def _make_line(store: Store, kind: queue.NoticeKind, item: Item, fallback: str) -> Line | None:
    product = ProductView()
    if item.product is not UNSET:
        with contextlib.suppress(msgspec.DecodeError):
            product = _decode_product(msgspec.json.encode(item.product))
    price = _to_money(product.price)
    saved_price = _to_money(None if item.saved_price is UNSET else item.saved_price)
    if product.deleted or product.availability == "out_of_stock" or not product.title:
        return None
    if kind == "d" and (price is None or compose.is_dearer(saved_price, price)):
        return None
    image = product.image or ""
    return Line(
        "cheaper" if kind == "d" else "back_in_stock",
        f"{product.title} – {product.variant_title}" if product.variant_title else product.title,
        _find_url(store, product, item) or fallback,
        image if compose.is_picture(store, image) else "",
        saved_price,
        price,
        str(item.product_id),
    )


def _to_money(value: object) -> Money | None:
    if value is None:
        return None
    try:
        if isinstance(value, msgspec.Raw):
            return msgspec.json.decode(value, type=Money)
        return msgspec.convert(value, Money)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


# rule: mail-links
def _find_url(store: Store, product: ProductView, item: Item) -> str:
    """Returns the address of a product's page on a host of the store, or ''."""
    url = product.url or store.pages.product_url.replace(
        "{productId}", str(item.product_id)
    ).replace("{variantId}", str(item.variant_id or ""))
    return url if url and compose.is_own(store, url) else ""


def frame(store: Store, content: Content, now: int) -> compose.Frame:
    """Returns what all mails of the store have. ``now``: milliseconds since 1970."""
    contact = content.begun.contact
    language = compose.choose_language(contact.language, store)
    email = contact.email or ""
    return compose.Frame(store, language, content.begun.mail.id, email, now)
