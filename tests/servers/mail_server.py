"""A real SMTP server on loopback, which keeps the messages that it receives."""

import asyncio
import email
import email.policy
import socket
import ssl
import threading
import time
from email.message import EmailMessage
from typing import NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


class Received(NamedTuple):
    """A message that was received, and whom it was for."""

    recipient: str
    message: EmailMessage

    @property
    def text(self) -> str:
        part = self.message.get_body(("plain",))
        assert part is not None
        return str(part.get_content())

    @property
    def html(self) -> str:
        part = self.message.get_body(("html",))
        assert part is not None
        return str(part.get_content())


class MailServer:
    """``answers``: the answer to a command in place of 250, by its name or by the recipient. ``tls``:
    STARTTLS with this context, which the server then requires. ``users``: passwords by name.
    ``seconds``: how long the server takes to accept a message that it has received."""

    def __init__(
        self, tls: ssl.SSLContext | None = None, users: dict[str, str] | None = None
    ) -> None:
        self.received: list[Received] = []
        self.answers: dict[str, str] = {}
        self.seconds = 0.0
        self._changed = threading.Condition()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._users = users or {}
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            tls_context=tls,
            require_starttls=tls is not None,
            auth_required=bool(users),
            auth_require_tls=tls is not None,
            authenticator=self._authenticate if users else None,
            enable_SMTPUTF8=True,
        )
        self._controller.start()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._controller.stop()

    def wait_for(self, count: int = 1, seconds: float = 15) -> list[Received]:
        """Returns the received messages once there are that many."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while len(self.received) < count:
                assert self._changed.wait(max(0.0, deadline - time.monotonic())), (
                    f"{len(self.received)} of {count} mails came"
                )
            return list(self.received)

    async def handle_MAIL(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.answers.get("MAIL"):
            return answer
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.answers.get(address) or self.answers.get("RCPT"):
            return answer
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope
    ) -> str:
        if answer := self.answers.get("DATA"):
            return answer
        content = envelope.content
        raw = content if isinstance(content, bytes) else str(content).encode()
        message = email.message_from_bytes(raw, policy=email.policy.strict)
        assert isinstance(message, EmailMessage)
        with self._changed:
            self.received.append(Received(envelope.rcpt_tos[0], message))
            self._changed.notify_all()
        await asyncio.sleep(self.seconds)
        return "250 OK"

    def _authenticate(
        self, _: SMTP, __: Session, ___: Envelope, ____: str, given: object
    ) -> AuthResult:
        if not isinstance(given, LoginPassword):
            return AuthResult(success=False, handled=False)
        if answer := self.answers.get("AUTH"):
            return AuthResult(success=False, handled=False, message=answer)
        user, password = given.login.decode(), given.password.decode()
        return AuthResult(success=self._users.get(user) == password, handled=False)
