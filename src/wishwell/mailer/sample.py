"""Mails with sample products, by which a shop sees what its shoppers get."""

from email.message import EmailMessage

from wishwell import ids
from wishwell.contacts.queue import Kind
from wishwell.mailer import compose, contents
from wishwell.mailer.compose import Frame, Line
from wishwell.products.money import Money
from wishwell.stores import Store


# rule: mail-form
def compose_sample(
    store: Store, kind: Kind, language: str, base: str, now: int, email: str = "you@shop.example"
) -> EmailMessage:
    """Returns a mail of the store with sample products, whose links all lead to the wishlist.

    ``language``: '' for the store's. ``base``: the path of the storefront. ``now``: milliseconds.
    """
    chosen_language = compose.choose_language(language, store)
    frame = Frame(store, chosen_language, ids.uuid7_at(now), email, now)
    wishlist = contents.wishlist_url(store, base)
    if kind == "confirmation":
        return compose.compose_confirmation(frame, wishlist)
    currency = store.reporting.currency or "EUR"
    lines = [
        Line("cheaper", "A saved product", wishlist, "", Money("52.90", currency),
             Money("39.90", currency)),
        Line("back_in_stock", "Another saved product", wishlist, "", None,
             Money("18.00", currency)),
    ]  # fmt: skip
    return compose.compose_notices(frame, lines, 0, wishlist, wishlist)


def read_part(message: EmailMessage, kind: str) -> str:
    """Returns the ``plain`` or ``html`` part of a mail."""
    part = message.get_body((kind,))
    assert part is not None
    text: str = part.get_content()
    return text
