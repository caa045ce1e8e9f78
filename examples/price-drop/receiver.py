"""Takes the events of a webhook, and makes a mail of each price that has dropped."""

import os
from decimal import Decimal
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standardwebhooks import Webhook, WebhookVerificationError

MAILS = Path("mails")
ADDRESSES = {"gid://shopify/Customer/7": "ada@shop.example"}  # ask your shop's customers instead


def compose(event: dict) -> EmailMessage | None:
    """The mail, or none: a visitor who has not signed in has no address."""
    address = ADDRESSES.get(event["profile"])
    if event["type"] != "item.price_dropped" or address is None:
        return None
    data = event["data"]
    product, before, now = data["product"], data["previousPrice"], data["price"]
    less = Decimal(before["amount"]) - Decimal(now["amount"])
    title = product.get("title", "What you wished for")  # a shop may have told its price alone
    mail = EmailMessage()
    mail["To"] = address
    mail["Subject"] = f"{title} is {less} {now['currency']} less"
    mail.set_content(
        f"You wished for it: {title} is {now['amount']} {now['currency']} now, "
        f"it was {before['amount']}.\n\n{product.get('url', '')}\n"
    )
    return mail


def take(event_id: str, event: dict) -> None:
    """Once for each id. A shop keeps it in its database, in one transaction with what it does."""
    mail, kept = compose(event), MAILS / f"{event_id}.eml"
    if mail is None or kept.exists():
        return
    part = kept.with_suffix(".part")
    part.write_bytes(bytes(mail))
    part.replace(kept)  # here it may go out: smtplib.SMTP("localhost").send_message(mail)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10
    webhook = Webhook(os.environ["WEBHOOK_SECRET"])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = self.webhook.verify(body, dict(self.headers))
        except (WebhookVerificationError, ValueError):
            self.send_error(400)
            return
        if event["type"] != "webhook.test":
            take(self.headers["webhook-id"], event)
        self.send_response(204)  # only now: what fails before this line comes again
        self.end_headers()


MAILS.mkdir(exist_ok=True)
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
