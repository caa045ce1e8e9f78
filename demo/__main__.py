"""``python -m demo``: the API as a child process, and the shop with its proxy on one port."""

import functools
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import uvicorn

from demo import forward, shop
from wishwell import log, serve
from wishwell.errors import ServiceError
from wishwell.proxy import Proxy, Settings

_START_SECONDS = 30

_TRY = """
  The shop is open: {url}

    Press some hearts, open the wishlist, reload: a visitor's list stays.
    Open the shop in a second tab: both agree at once.
    Make a list, put things on it, drag them into your order.
    Sign in as Mira: the list comes along. Sign out: it is gone. Sign in as Jonas: it is not his.
    Watch the network: no token ever reaches the browser.

  Nothing is kept after Ctrl-C.
"""


@click.command("demo")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, help="Port; 0 takes a free one.")
@click.option(
    "--proxy",
    help="URL of a separate proxy, to use instead of one inside the shop. Both need the same key: "
    "DEMO_KEY here, WISHWELL_PROXY_JWT_KEY there. Set WISHWELL_PROXY_JWT_COOKIE=shop_session.",
)
def main(host: str, port: int, proxy: str | None) -> None:
    """A small shop, to try wishlists in."""
    log.configure("warning")
    for number in (signal.SIGINT, signal.SIGTERM):
        # An exception, so that the API is ended whenever it comes; uvicorn passes it on.
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        listening = serve.listen(host, port, "--host and --port")
    except ServiceError as error:
        raise click.ClickException(str(error)) from error
    key = os.environ.get("DEMO_KEY") or secrets.token_urlsafe(32)
    if proxy:
        _serve(shop.Shop(key, forward.to(proxy)), listening)
        return
    with _api() as (url, token):
        settings = Settings(api=url, token=token, secret=(secrets.token_urlsafe(32),))
        mounted = Proxy(settings, functools.partial(shop.customer, key=key))
        _serve(shop.Shop(key, mounted), listening)


def _serve(application: shop.Shop, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    click.echo(_TRY.format(url=f"http://{host}:{port}"))
    configuration = uvicorn.Config(
        application, lifespan="on", log_config=None, access_log=False, proxy_headers=False
    )
    uvicorn.Server(configuration).run([listening])


@contextmanager
def _api() -> Iterator[tuple[str, str]]:
    """`wishwell serve` on a fresh database: its address and an admin token. It ends with the shop."""
    wishwell = [sys.executable, "-m", "wishwell"]
    with tempfile.TemporaryDirectory(prefix="wishwell-demo-") as name:
        folder = Path(name)
        port = _free_port()
        settings = {"WISHWELL_DATABASE_URL": f"sqlite:///{folder}/wishwell.db"}
        settings |= {"WISHWELL_PORT": str(port), "WISHWELL_HOST": "127.0.0.1"}
        environment = os.environ | settings
        with (folder / "api.log").open("wb") as output:
            api = subprocess.Popen(
                [*wishwell, "serve"], env=environment, stdout=output, stderr=output
            )
        try:
            url = f"http://127.0.0.1:{port}"
            if not _answers(f"{url}/readyz", api):
                raise click.ClickException(f"The API ended: {(folder / 'api.log').read_text()}")
            create = [*wishwell, "token", "create", "--store", "default", "--label", "demo"]
            token = subprocess.run(
                create, env=environment, check=True, capture_output=True, text=True
            )
            yield url, token.stdout.strip()
        finally:
            api.terminate()
            api.wait()


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
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    return False


if __name__ == "__main__":
    main()
