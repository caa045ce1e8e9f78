"""A mail server on loopback that accepts every mail and keeps it, so that the shop can show it."""

import email
import email.policy
import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import NamedTuple

_MAX_BYTES = 1_000_000
_MAX_LINE_BYTES = 1_000


class Mail(NamedTuple):
    """A received mail. ``recipient``: the address in the envelope."""

    recipient: str
    message: EmailMessage

    @property
    def subject(self) -> str:
        return str(self.message["Subject"] or "No subject")

    def part(self, kind: str) -> str:
        """Returns the text of the part ``plain`` or ``html``; '' without one."""
        body = self.message.get_body((kind,))
        return str(body.get_content()) if body else ""


class MailServer(socketserver.ThreadingTCPServer):
    """Receives mails by SMTP (RFC 5321), without TLS and authentication: never for another host."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.mails: list[Mail] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def add(self, recipients: list[str], content: bytes) -> None:
        """Stores a mail for each recipient."""
        message = email.message_from_bytes(content, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        self.mails += [Mail(recipient, message) for recipient in recipients]


@contextmanager
def running() -> Iterator[MailServer]:
    """Runs a mail server in a thread of its own."""
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class _Session(socketserver.StreamRequestHandler):
    """A connection of the service."""

    server: MailServer
    timeout = 300

    def handle(self) -> None:
        recipients: list[str] = []
        self._answer("220 mailbox.example ESMTP")
        while line := self.rfile.readline(_MAX_LINE_BYTES).decode("utf-8", "replace").strip():
            match line.upper().split(maxsplit=1)[0]:
                case "EHLO":
                    self._answer("250-mailbox.example", "250-8BITMIME", "250 SMTPUTF8")
                case "HELO" | "NOOP":
                    self._answer("250 OK")
                case "MAIL" | "RSET":
                    recipients = []
                    self._answer("250 OK")
                case "RCPT":
                    recipients += re.findall("<([^<>]+)>", line)[:1]
                    self._answer("250 OK")
                case "DATA" if recipients:
                    self._answer("354 End with a dot on a line of its own")
                    content = self._read_content()
                    if content is None:
                        return
                    self.server.add(recipients, content)
                    recipients = []
                    self._answer("250 OK")
                case "QUIT":
                    self._answer("221 Bye")
                    return
                case _:
                    self._answer("503 Not now, or not at all")

    def _read_content(self) -> bytes | None:
        """Returns a mail; ``None`` if the connection ends first, or the mail is too large."""
        content = b""
        while len(content) < _MAX_BYTES and (line := self.rfile.readline(_MAX_BYTES)):
            if line == b".\r\n":
                return content
            content += line.removeprefix(b".")  # dots are doubled at the beginning of a line
        return None

    def _answer(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())
