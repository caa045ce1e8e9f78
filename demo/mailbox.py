"""A mailbox for the demo's shoppers: a small SMTP server on loopback, and the pages of its mails."""

import asyncio
import email
import email.policy
import threading
from email.message import EmailMessage
from html import escape

from demo.pages import HTML, Answer

_MAX_MAILS = 100
_MAX_BYTES = 1_000_000

# The mail's own styles are inline. Its links open in the same tab.
_OF_MAIL = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
}


class Mailbox:
    """Receives mails on a free port, in a thread of its own, until the program ends."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, EmailMessage]] = []
        self.port = 0
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True).start()
        ready.wait()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def answer(self, path: str) -> Answer | None:
        """Returns a mail as the page at ``/mailbox/<number>``, or ``None``."""
        number = path.removeprefix("/mailbox/")
        if not number.isdecimal() or not 0 < int(number) <= len(self.mails):
            return None
        part = self.mails[int(number) - 1][1].get_body(("html",))
        text = part.get_content() if part is not None else "This mail has no HTML part."
        return 200, HTML | _OF_MAIL, text.encode()

    def page(self) -> str:
        """Returns the content of the page that lists the mails, the newest first."""
        rows = "\n".join(
            f'<li><a href="/mailbox/{number}"><strong>{escape(message["Subject"])}</strong> '
            f"<span>{escape(recipient)}</span></a></li>"
            for number, (recipient, message) in reversed([*enumerate(self.mails, 1)])
        )
        return f"""<div class="narrow"><h1>Mailbox</h1>
<p>What this shop’s shoppers get by mail: tick “Notify me” on <a href="/wishlist">the wishlist</a> and type
any address, confirm it here, then lower the prices.</p>
<form method="post" action="/lower-prices"><button class="button">Lower all prices by a fifth</button></form>
<ul class="mails">{rows or "<li>No mails yet. Reload this page.</li>"}</ul></div>"""

    async def _serve(self, ready: threading.Event) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=_MAX_BYTES)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Speaks as much SMTP as the service does."""
        recipient = ""
        writer.write(b"220 mailbox\r\n")
        while line := (await reader.readline()).decode("latin-1").strip():
            command = line[:4].upper()
            if command == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]
            if command == "DATA":
                writer.write(b"354 go on\r\n")
                content = await reader.readuntil(b"\r\n.\r\n")
                raw = content.removesuffix(b".\r\n").replace(b"\r\n..", b"\r\n.")
                message = email.message_from_bytes(raw, policy=email.policy.default)
                if isinstance(message, EmailMessage) and len(self.mails) < _MAX_MAILS:
                    self.mails.append((recipient, message))
            writer.write(b"221 bye\r\n" if command == "QUIT" else b"250 OK\r\n")
            await writer.drain()
            if command == "QUIT":
                break
        writer.close()
