"""Sending by SMTP: real servers, and servers that misbehave."""

import asyncio
import contextlib
import functools
import socket
import threading
from email.message import EmailMessage

import pytest
from cryptography import x509

from tests.servers.called import Authority
from tests.servers.mail_server import MailServer
from wishwell import config
from wishwell.mailer import smtp
from wishwell.mailer.smtp import Connections
from wishwell.outbound import Outbound

FAST = {"command_seconds": 0.4, "mail_seconds": 1.5}


async def message():
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "shop@sender.example", "ann@shop.example", "Hello"
    mail.set_content(".\n..\nHello\n")
    return mail


def send(url, *, recipient="ann@shop.example", owner="", count=1, tls=None, private=True):
    """Sends the same mail ``count`` times over one set of connections. Returns the outcomes."""

    async def main():
        outbound = Outbound(http=True, private=private)
        connections = Connections(outbound.find_addresses, tls, **FAST)
        try:
            return [
                await connections.send(
                    smtp.parse(url, owner), "shop@sender.example", recipient, message
                )
                for _ in range(count)
            ]
        finally:
            await connections.close()
            await outbound.close()

    return asyncio.run(main())


@pytest.fixture
def server():
    made = MailServer()
    yield made
    made.close()


@contextlib.contextmanager
def misbehaving(behave):
    """Runs ``behave(connection)`` for each connection to a port; yields the URL."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError):
                    behave(connection)

    threading.Thread(target=serve, daemon=True).start()
    yield f"smtp://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()


def talk(connection, last, answer=None):
    """Speaks SMTP until the command ``last``, or "dot", which it answers, or closes on."""
    lines = connection.makefile("rb")
    connection.sendall(b"220 here\r\n")
    in_message = False
    while line := lines.readline():
        command = "dot" if in_message and line == b".\r\n" else line[:4].decode().upper().strip()
        if in_message and command != "dot":
            continue
        if command == last:
            if answer:
                connection.sendall(answer + b"\r\n")
                continue
            return
        in_message = command == "DATA"
        connection.sendall(b"354 go on\r\n" if in_message else b"250 OK\r\n")


def test_mails_share_a_connection_and_arrive_unchanged(server):
    """Mails are sent over one connection; lines that begin with a dot arrive. Rule: mail-server."""
    assert {delivery.outcome for delivery in send(server.url, count=3)} == {"sent"}
    assert [one.text.split() for one in server.received] == [[".", "..", "Hello"]] * 3


@pytest.mark.parametrize(
    ("command", "answer", "outcome"),
    [
        ("MAIL", "550 no sender <shop@sender.example>", "refused"),
        ("RCPT", "550 no such user", "recipient_refused"),
        ("RCPT", "450 try later", "temporary"),
        ("DATA", "554 spam", "refused"),
        ("DATA", "550 5.1.1 unknown", "recipient_refused"),
        ("DATA", "451 later", "temporary"),
    ],
)
def test_refusals_are_told_apart(server, command, answer, outcome):
    """Only a refused recipient counts against an address; the next mail is sent as if nothing had
    happened. No address is in the description. Rules: mail-bounces, mail-states."""
    server.answers[command] = answer
    [delivery] = send(server.url)
    assert delivery.outcome == outcome
    assert delivery.problem.startswith(answer[:3]) and "@" not in delivery.problem
    server.answers.clear()
    assert send(server.url)[0].outcome == "sent"


@pytest.mark.parametrize(
    ("last", "outcome"),
    [("EHLO", "temporary"), ("MAIL", "temporary"), ("RCPT", "temporary"), ("dot", "unknown")],
)
def test_lost_connection_is_unknown_only_after_the_message(last, outcome):
    """A connection that ends before the message was begun is retried; afterwards the mail may have
    been sent. Rule: mail-states."""
    with misbehaving(functools.partial(talk, last=last)) as url:
        assert send(url)[0].outcome == outcome


@pytest.mark.parametrize("kind", ["silent", "slow", "closing", "chatter"])
def test_server_that_hangs_is_left_in_time(kind):
    """A server that is silent, answers byte by byte, closes or talks nonsense costs a limited time,
    and the mail is sent later. Rules: mail-states, mail-server."""

    def behave(connection):
        if kind == "closing":
            return
        for byte in b"220 here, and so on" * 20 if kind == "slow" else b"" * 0:
            connection.sendall(bytes([byte]))
            threading.Event().wait(0.1)
        if kind == "chatter":
            connection.sendall(b"hello\r\n\r\n\x00" * 50)
        connection.recv(1)
        threading.Event().wait(1)

    with misbehaving(behave) as url:
        assert send(url)[0].outcome == "temporary"


def test_nothing_is_sent_where_the_address_is_refused():
    """A closed port, and a store's own server with a private address, get no mail.
    Rules: mail-server, outbound-address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert send(f"smtp://127.0.0.1:{port}")[0].outcome == "temporary"
    server = MailServer()
    assert send(server.url, owner="store", private=False)[0].outcome == "temporary"
    assert server.received == []
    assert send(server.url, owner="store")[0].outcome == "sent"
    server.close()


def test_recipient_in_another_script_needs_the_extension(server):
    """An international address is sent with SMTPUTF8. Rule: mail-server."""
    assert send(server.url, recipient="jörg@bücher.example")[0].outcome == "sent"
    assert server.received[0].recipient == "jörg@bücher.example"
    with misbehaving(functools.partial(talk, last="RSET")) as url:
        [delivery] = send(url, recipient="jörg@bücher.example")
        assert delivery.outcome == "recipient_refused"


def test_starttls_and_credentials(certificate):
    """Credentials are sent only over TLS; a server without STARTTLS, with a wrong certificate or
    other credentials gets no mail. Rule: mail-server."""
    tls, trusted = certificate
    server = MailServer(tls, {"shop@x": "p%ss"})
    url = f"smtp://shop%40x:p%25ss@localhost.test:{server.port}"

    def parse(url, **changes):
        return smtp.parse(url)._replace(host="localhost", tls="starttls", **changes)

    async def main():
        outbound = Outbound(http=True, private=True)
        outcomes = []
        for context, target in (
            (trusted, parse(url)),
            (None, parse(url)),
            (trusted, parse(url, password="wrong")),
            (trusted, parse(url, port=plain.port)),
        ):
            connections = Connections(outbound.find_addresses, context, **FAST)
            delivery = await connections.send(
                target, "shop@sender.example", "ann@shop.example", message
            )
            outcomes.append(delivery.outcome)
            assert "p%ss" not in delivery.problem and "wrong" not in delivery.problem
            await connections.close()
        await outbound.close()
        return outcomes

    plain = MailServer()
    assert asyncio.run(main()) == ["sent", "temporary", "credentials", "temporary"]
    assert len(server.received) == 1 and plain.received == []
    assert "p%ss" not in repr(smtp.parse(url))
    server.close()
    plain.close()


@pytest.mark.parametrize(
    ("url", "tls", "port"),
    [
        ("smtps://u:p@mail.example", "tls", 465),
        ("smtp://mail.example", "starttls", 587),
        ("smtp://localhost:25", "none", 25),
        ("smtp://[::1]:25", "none", 25),
        ("smtp://mail.example:25?tls=off", "none", 25),
    ],
)
def test_url_decides_about_tls(url, tls, port):
    """TLS is required unless the server is on this machine or the URL says so. Rule: mail-server."""
    server = smtp.parse(config.check_smtp_url(url))
    assert (server.tls, server.port) == (tls, port)


@pytest.mark.parametrize(
    "url",
    [
        "http://mail.example",
        "smtp://",
        "smtp://mail.example/x",
        "smtp://m?tls=no",
        "mail",
        "smtp://m:x",
    ],
)
def test_unusable_url_is_refused(url):
    """A URL that names no server is refused. Rule: mail-server."""
    with pytest.raises(ValueError, match=r"smtp|tls|valid"):
        config.check_smtp_url(url)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A server's TLS context with a certificate for localhost, and a client's that trusts it."""
    authority = Authority()
    server = authority.server(tmp_path_factory.mktemp("tls"), x509.DNSName("localhost"))
    return server, authority.trusted()
