"""Sending by SMTP: real servers, and servers that misbehave."""

import asyncio
import base64
import contextlib
import functools
import socket
import threading
import time
from email.message import EmailMessage

import pytest
from cryptography import x509

from tests.servers.called import Authority
from tests.servers.mail_server import MailServer
from wishwell import config
from wishwell.errors import Invalid
from wishwell.mailer import smtp
from wishwell.mailer.smtp import Connections
from wishwell.outbound import Outbound
from wishwell.profiles import check_email

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


COMMANDS = ("greeting", "EHLO", "MAIL", "RCPT", "DATA", "dot")
"""Where a server can misbehave; ``dot`` is the end of the message."""


def talk(connection, last, answer=None, *, hangs=False, seconds=0.0):
    """Speaks SMTP until the command ``last``, which it answers with ``answer``; without one it
    closes the connection or, with ``hangs``, says nothing. ``seconds``: between two bytes."""
    lines, in_message = connection.makefile("rb"), False

    def say(text):
        for byte in text + b"\r\n":
            connection.sendall(bytes([byte]))
            time.sleep(seconds)

    def respond(command):
        if command != last:
            say(ANSWERS.get(command, b"250 OK"))
        elif answer:
            say(answer)
        elif hangs:
            time.sleep(1)
            return False
        return command != last or answer is not None

    if not respond("greeting"):
        return
    while line := lines.readline():
        command = "dot" if in_message and line == b".\r\n" else line[:4].decode().upper().strip()
        if in_message and command != "dot":
            continue
        if not respond(command):
            return
        in_message = command == "DATA" and (last != "DATA" or answer is None)


ANSWERS = {"greeting": b"220 here", "DATA": b"354 go on"}


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


@pytest.mark.parametrize("hangs", [True, False])
@pytest.mark.parametrize("last", COMMANDS)
def test_silence_is_unknown_only_after_the_message(last, hangs):
    """A server that hangs or closes before the message is transmitted gets it later; afterwards the
    mail may have been sent. A hanging one costs a limited time. Rule: mail-states."""
    with misbehaving(functools.partial(talk, last=last, hangs=hangs)) as url:
        assert send(url)[0].outcome == ("unknown" if last == "dot" else "temporary")


@pytest.mark.parametrize("last", COMMANDS)
@pytest.mark.parametrize("code", ["421", "451", "550"])
def test_refusal_of_each_command_has_an_outcome(last, code):
    """Temporary refusals are retried; permanent ones count against the recipient only at RCPT, and
    pause the mails elsewhere. None is unknown, not even the message's. Rules: mail-states,
    mail-bounces, mail-paused."""
    answer = f"{code} no <ann@shop.example>".encode()
    with misbehaving(functools.partial(talk, last=last, answer=answer)) as url:
        [delivery] = send(url)
    permanent = "recipient_refused" if last == "RCPT" else "refused"
    assert delivery.outcome == (permanent if code == "550" else "temporary")
    assert "@" not in delivery.problem


def test_server_that_answers_byte_by_byte_gets_the_mail_or_is_left_in_time():
    """A slow server gets the mail; one that is slower than the timeouts is left.
    Rule: mail-states."""
    for seconds, outcomes in ((0.002, {"sent"}), (0.1, {"temporary"})):
        began = time.monotonic()
        with misbehaving(functools.partial(talk, last="", seconds=seconds)) as url:
            assert {delivery.outcome for delivery in send(url)} == outcomes
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "chatter",
    [b"hello\r\n\r\n\x00" * 50, b"250-" + b"x" * 100_000, b"220 a\r\n220 b\r\n250 c\r\n" * 9],
)
def test_server_that_talks_nonsense_gets_no_mail(chatter):
    """Nonsense, an endless line and answers without questions end an attempt.
    Rules: mail-states, mail-server."""

    def behave(connection):
        connection.sendall(chatter)
        connection.recv(1)
        time.sleep(1)

    with misbehaving(behave) as url:
        assert send(url)[0].outcome in ("temporary", "refused")


@pytest.mark.parametrize("after", [b"250 OK\r\n", b"", b"\x16\x03\x01garbage", None])
def test_server_that_only_claims_starttls_gets_no_mail(after):
    """A server that offers STARTTLS and then speaks plain text, sends garbage, hangs or closes gets
    neither credentials nor a mail. Rule: mail-server."""
    heard = []

    def behave(connection):
        connection.sendall(b"220 here\r\n")
        while received := connection.recv(4096):
            heard.append(received)
            if received.startswith(b"STARTTLS"):
                connection.sendall(b"220 go ahead\r\n" if after != b"" else b"220 go")
                if after is None:
                    return
                connection.sendall(after)
            else:
                connection.sendall(b"250-here\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n")

    async def main(url):
        outbound = Outbound(http=True, private=True)
        connections = Connections(outbound.find_addresses, None, **FAST)
        server = smtp.parse(url)._replace(user="shop", password="p-secret", tls="starttls")
        delivery = await connections.send(
            server, "shop@sender.example", "ann@shop.example", message
        )
        await connections.close()
        await outbound.close()
        return delivery

    with misbehaving(behave) as url:
        delivery = asyncio.run(main(url))
    assert delivery.outcome == "temporary" and "p-secret" not in delivery.problem
    sent = b"".join(heard)
    assert b"STARTTLS" in sent
    assert not [word for word in (b"AUTH", b"MAIL", base64.b64encode(b"p-secret")) if word in sent]


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


@pytest.mark.parametrize(
    "recipient",
    [
        "o'hara@shop.example",
        "a%40b%s%n{0}$HOME`id`@shop.example",
        "!#$&*+-/=?^_{|}~.x@shop.example",
        "x" * 64 + "@" + ".".join(["y" * 62] * 3)[: 254 - 65],
        "jörg@bücher.example",
        "\u7528\u6237@\u4f8b\u5b50.example",
    ],
)
def test_unusual_recipient_arrives_as_it_is(server, recipient):
    """Quotes, percent signs, 254 characters and other scripts arrive as they were typed, in the
    envelope and in the header. Rule: mail-server."""
    assert check_email(recipient) == recipient
    assert send(server.url, recipient=recipient)[0].outcome == "sent"
    assert server.received[0].recipient == recipient


@pytest.mark.parametrize(
    "recipient",
    [
        "ann@shop.example>\r\nRCPT TO:<all@evil.example",
        "ann@shop.example\nDATA",
        "a\r\n.\r\nMAIL FROM:<x@evil.example>@shop.example",
        "ann@shop.example> NOTIFY=SUCCESS",
    ],
)
def test_invalid_recipient_gets_no_mail(server, recipient):
    """A stored address with commands, which no request can store, gets no mail.
    Rules: mail-server, mail-form."""
    with pytest.raises(Invalid):
        check_email(recipient)
    assert send(server.url, recipient=recipient)[0].outcome == "recipient_refused"
    assert server.received == []
    assert send(server.url)[0].outcome == "sent"


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
