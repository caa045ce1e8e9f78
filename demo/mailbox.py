"""The pages of the mailbox: the mails of the shop's shoppers, and prices to lower."""

from collections.abc import Iterable, Sequence
from html import escape

from demo import catalogue, pages
from demo.catalogue import Product
from demo.mail_server import Mail

HTML_PART = {
    "content-type": "text/html; charset=utf-8",
    # A mail's own styles, but no script; its links open in a new tab, as mail programs do it.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "img-src 'self' https:; base-uri 'none'; frame-ancestors 'self'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox",
}

_SHOWN = ("From", "Reply-To", "To", "Date")
_STEPS = """<ol class="steps">
<li>Press a heart in <a href="/">the shop</a>.</li>
<li>On <a href="/wishlist">your wishlist</a>, open the menu ⋯, tick “Notify me of price drops and restocks”, and type any address.</li>
<li>Come back, read the mail, and press its button.</li>
<li>Lower the product’s price below. The next mail comes within seconds.</li>
</ol>"""


def index(mails: Sequence[Mail], products: Iterable[Product]) -> str:
    """Returns the list of mails, the newest first, or the steps to the first one; and the products,
    each with a button that lowers its price."""
    rows = "\n".join(
        f'<li><a class="letter" href="/mailbox/{number}"><span class="name">{escape(mail.subject)}</span>'
        f"<span>To {escape(mail.recipient)}</span></a></li>"
        for number, mail in reversed([*enumerate(mails, 1)])
    )
    prices = "\n".join(f"<li>{_price(product)}</li>" for product in products)
    return f"""<div class="hello-there"><h1>Mailbox</h1>
<p>Mails to this shop’s shoppers arrive here, whatever their address. None leaves this computer.</p></div>
<div id="mails" data-count="{len(mails)}">{f'<ul class="letters">{rows}</ul>' if mails else _STEPS}</div>
<section class="prices"><h2>Lower a price</h2>
<p>As the shop’s owner would. Whoever saved the product and confirmed an address gets a mail, one a day
about each product.</p>
<form method="post" action="/mailbox/prices"><ul>
{prices}
</ul></form></section>
<script type="module" src="/static/mailbox.js"></script>"""


def _price(product: Product) -> str:
    before, name = catalogue.BY_PICTURE[product.picture].price, escape(product.name)
    if product.price < before:
        return f"{name}: {pages.euros(product.price)}, was {pages.euros(before)}"
    lowered = catalogue.lowered(product).price
    return f"""<button class="plain" name="product" value="{product.picture}">
<span>{name}:</span> <span>{pages.euros(before)} → {pages.euros(lowered)}</span></button>"""


def mail(path: str, mail: Mail) -> str:
    """Returns the page of a mail at a path: as a mail program shows it, its text part, and its headers."""
    message = mail.message
    facts = "\n".join(
        f"<dt>{name}</dt><dd>{escape(str(message[name]))}</dd>" for name in _SHOWN if message[name]
    )
    headers = "\n".join(f"{name}: {value}" for name, value in message.items())
    return f"""<article class="mail">
<p class="back"><a href="/mailbox">All mails</a></p>
<h1>{escape(mail.subject)}</h1>
<dl>{facts}</dl>
<iframe title="The mail" src="{path}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<details><summary>Text part</summary><pre>{escape(mail.part("plain"))}</pre></details>
<details><summary>Headers</summary><pre>{escape(headers)}</pre></details>
</article>"""


def html_part(mail: Mail) -> bytes:
    """Returns a mail's HTML part, whose links open in a new tab."""
    html = mail.part("html") or f"<pre>{escape(mail.part('plain'))}</pre>"
    return html.replace("<head>", '<head><base target="_blank">', 1).encode()
