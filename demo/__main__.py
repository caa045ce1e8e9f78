"""``python -m demo``: runs the shop, and the service as a child process on its own port."""

import contextlib
import io
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import uvicorn

from demo import catalogue, forward, mail_server, shop
from demo.catalogue import Product
from demo.history import History
from wishwell import cli, ids
from wishwell.errors import ServiceError
from wishwell.server import serve
from wishwell.telemetry import log

_START_SECONDS = 30

_WISHWELL = [sys.executable, "-m", "wishwell"]
_COLUMNS = ",".join(f"{name}={name}" for name in catalogue.COLUMNS)
_PRODUCTS = ["products", "-", "--format", "jsonl", "--store", "default", "--map", _COLUMNS]
_MAILS = ["--mail", "on", "--mail-from", "hello@small-hours.example", "--mail-delay", "0",
          "--mail-per-day", "24"]  # fmt: skip

_STORE = [
    "--shop-name",
    "Small Hours",
    "--accent",
    "#8f1230",
    "--shop-url",
    "/",
    "--purchases",
    "on",
]

_TRY = """
  The shop is open: {url}
  The merchant's page: {admin}
  Token to sign in there: {token}

  In the shop:

    Press some hearts, open the wishlist, reload: a visitor's list stays.
    Open the shop in a second tab: a press in one shows in both.
    Make a list, put things on it, drag them into an order, write a note.
    Add something to the cart; remove something, and undo it.
    Then press a heart on a product's page, and choose the list. Undo it. Look into the console: analytics get one event.
    Open {url}/apps/wishlist/: the service's own page, in the shop's look.
    Share the list, open its link in another browser, and reserve something.
    Sign in as Mira: the list is hers now. Sign out: it is gone. Sign in as Jonas: he has none of it.
    Get a mail: in the wishlist's menu ⋯, tick the box, type any address; read and lower a price at {url}/mailbox.
    Watch the network: no token ever reaches the browser.

  On the merchant's page:

    See two months of made-up wishes, orders and mails: what is wished for, what it earned.
    Lower a price in the mailbox, then find the mail in Mails. Your own wishes are counted within a minute or two.
    Open a product, and one of the shoppers who wish for it.

  Nothing is kept after Ctrl-C.
"""


@click.command("demo")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, help="Port; 0 takes a free one.")
def main(host: str, port: int) -> None:
    """Start a small shop to try wishlists in."""
    log.configure("warning")
    for number in (signal.SIGINT, signal.SIGTERM):
        # Raises SystemExit, so that the service is stopped whenever the signal arrives; uvicorn re-raises it.
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        listening = serve.listen(host, port, "--host and --port")
    except ServiceError as error:
        raise click.ClickException(str(error)) from error
    key = secrets.token_urlsafe(32)
    host, port = listening.getsockname()[:2]
    origin = f"http://{host}:{port}"
    with mail_server.running() as mails, _service(key, origin, mails.url) as service:
        click.echo(_TRY.format(url=origin, admin=f"{service.url}/admin/", token=service.token))
        _serve(shop.Shop(key, forward.to(service.url), mails.mails, service.publish), listening)


class _Service(NamedTuple):
    """A running service: its URL, an admin token, and a function that sends it changed products."""

    url: str
    token: str
    publish: Callable[[Iterable[Product]], None]


def _serve(application: shop.Shop, listening: socket.socket) -> None:
    configuration = uvicorn.Config(
        application, lifespan="off", log_config=None, access_log=False, proxy_headers=False
    )
    uvicorn.Server(configuration).run([listening])


@contextlib.contextmanager
def _service(key: str, origin: str, smtp_url: str) -> Iterator[_Service]:
    """Runs `wishwell serve` on a new database until the shop stops.

    The store identifies customers by the shop's cookie, a JWT signed with ``key``, has the products
    of the shop at ``origin`` and a history, and sends mails by the server at ``smtp_url``.
    """
    with tempfile.TemporaryDirectory(prefix="wishwell-demo-") as name:
        folder = Path(name)
        port = _free_port()
        os.environ |= {
            "WISHWELL_DATABASE_URL": f"sqlite:///{folder}/wishwell.db",
            "WISHWELL_HOST": "127.0.0.1",
            "WISHWELL_PORT": str(port),
            "WISHWELL_TRUSTED_PROXIES": "127.0.0.1",
            "WISHWELL_SMTP_URL": smtp_url,
            "WISHWELL_MAIL": "on",
        }
        _run("init")
        _run_apart(
            ["store", "update", "default", "--jwt-cookie", shop.COOKIE, "--jwt-key-file", "-",
             *_STORE, *_MAILS, "--service-url", origin],
            key,
        )  # fmt: skip

        def publish(products: Iterable[Product]) -> None:
            _run_apart(_PRODUCTS, catalogue.lines(origin, products))

        publish(catalogue.PRODUCTS)
        _write_history(folder)
        token = _run("token", "create", "--store", "default", "--label", "demo").strip()
        log_file = folder / "service.log"
        with log_file.open("wb") as output:
            service = subprocess.Popen([*_WISHWELL, "serve"], stdout=output, stderr=output)
        try:
            url = f"http://127.0.0.1:{port}"
            if not _answers(f"{url}/readyz", service):
                raise click.ClickException(f"The service ended: {log_file.read_text()}")
            yield _Service(url, token, publish)
        finally:
            service.terminate()
            service.wait()


def _write_history(folder: Path) -> None:
    """Fills the store with the wishes, orders and mails of two months."""
    [store] = json.loads(_run("store", "list", "--json"))
    history = History(store, ids.wall_clock())
    file = folder / "history.jsonl"
    file.write_text("\n".join(history.lines()))
    _run("import", str(file), "--store", "default")
    history.write(folder / "wishwell.db")


def _run(*words: str) -> str:
    """Returns the output of a command of `wishwell`. Raises ``ClickException``.

    Runs in this process, because most of a short command's time is that of loading the program.
    """
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = cli.main(list(words), "wishwell", standalone_mode=False)
    if code:
        raise click.ClickException(f"`wishwell {words[0]}` failed.")
    return output.getvalue()


def _run_apart(words: list[str], stdin: str) -> None:
    """Runs a command of `wishwell` in another process, without showing what it prints. Raises
    ``ClickException``."""
    done = subprocess.run([*_WISHWELL, *words], input=stdin, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(done.stderr.strip())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return True
        except OSError:
            time.sleep(0.05)
    return False


if __name__ == "__main__":
    main()
