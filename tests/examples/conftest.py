"""The shops of examples/, each as its README says to run it, before one service."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage

from tests.browser.conftest import Shopper, chromium
from tests.conftest import missing
from tests.security.nginx import nginx_binary
from tests.servers import HERE, SECRETS, Program, Service, free_port

__all__ = ["chromium"]

ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.executable)
# Nothing is downloaded that the lock file does not name, or run that a package brings.
CLEAN = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


class Shop(Program):
    """One example in a folder of its own, with a store of its own."""

    def __init__(self, name: str, service: Service, folder: Path) -> None:
        super().__init__(name)
        self.service = service
        self.store = name
        self.port = free_port()
        self.url = f"http://{HERE}:{self.port}"
        self.files = folder / "examples" / name
        ignore = shutil.ignore_patterns("node_modules", ".next", ".react-router")
        shutil.copytree(ROOT / "examples" / name, self.files, ignore=ignore)
        service.quick("store", "create", name)

    def token(self, *options: str) -> str:
        store = ("--store", self.store, "--label", "shop")
        return self.service.quick(
            "token", "create", *store, "--for", "storefront", *options
        ).strip()

    @cached_property
    def environment(self) -> dict[str, str]:
        """What all examples read, and nothing else of the environment of the tests."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "PORT": str(self.port),
            "SHOP_ORIGIN": self.url,
            "SESSION_SECRET": secrets.token_hex(32),
            "WISHLIST_API": self.service.url,
            "WISHLIST_TOKEN": self.token("--names-customers"),
            "NEXT_TELEMETRY_DISABLED": "1",
        }

    def run(self, *argv: str | Path, **settings: str) -> None:
        """Starts it, and waits until the page is there."""
        env = self.environment | settings
        self.begin(list(argv), self.url, seconds=60, cwd=self.files, env=env)


def fastapi(shop: Shop) -> None:
    shop.run(PYTHON, "-m", "uvicorn", "shop:app", "--port", str(shop.port))


def django(shop: Shop) -> None:
    module = {"DJANGO_SETTINGS_MODULE": "settings", "PYTHONPATH": "."}
    env = shop.environment | module
    subprocess.run([PYTHON, "-m", "django", "migrate", "-v0"], cwd=shop.files, env=env, check=True)
    shop.run(PYTHON, "-m", "uvicorn", "asgi:application", "--port", str(shop.port), **module)


def express(shop: Shop) -> None:
    install(shop)
    shop.run("node", "shop.js")


def next_(shop: Shop) -> None:
    install(shop)
    npm(shop, "npm", "run", "build")
    shop.run("npm", "start", "--", "--hostname", HERE)


def hydrogen(shop: Shop) -> None:
    install(shop)
    shop.run("npm", "run", "dev", "--", "--host", HERE, "--port", str(shop.port), "--strictPort")


def nginx(shop: Shop) -> None:
    if nginx_binary() is None:
        missing("there is no nginx")
    key = shop.folder / "key.txt"
    key.write_text(secrets.token_hex(32))
    SECRETS.add(key.read_text())
    naming = ("--jwt-cookie", "shop_session", "--jwt-key-file", str(key))
    shop.service.quick("store", "update", shop.store, *naming)
    port = str(free_port())
    changes = {
        "listen 80": f"listen {HERE}:{shop.port}",
        "shop.example": HERE,
        "/srv/shop": str(shop.files / "shop"),
        "127.0.0.1:8000": shop.service.url.removeprefix("http://"),
        ":9000": f":{port}",
        "9000": port,
    }
    for file in (
        shop.files / "shop.conf",
        ROOT / "ops/nginx-storefront.conf",
        shop.files / "sign_in.py",
    ):
        text = file.read_text()
        for old, new in changes.items():
            text = text.replace(old, new)
        (shop.files / file.name).write_text(text)
    bearer = f'proxy_set_header Authorization "Bearer {shop.token()}";\n'
    (shop.files / "wishwell-authorization.conf").write_text(bearer)
    temporary = "\n".join(
        f"{name}_temp_path {shop.folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (shop.files / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {shop.folder}/pid; error_log stderr;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary} include shop.conf; types {{ text/html html; }} }}\n"
    )
    # One family of processes, so that one end is the end of both.
    both = f"{PYTHON} sign_in.py & exec {nginx_binary()} -p . -c {shop.files}/nginx.conf"
    shop.run("sh", "-c", both, JWT_KEY=key.read_text())


RECIPES: dict[str, Callable[[Shop], None]] = {
    "nginx": nginx,
    "fastapi": fastapi,
    "django": django,
    "express": express,
    "next": next_,
    "hydrogen": hydrogen,
}


def npm(shop: Shop, *argv: str, folder: Path | None = None) -> None:
    where, env = folder or shop.files, os.environ | shop.environment
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, cwd=where, env=env)
    assert done.returncode == 0, f"{' '.join(argv)}\n{(done.stdout + done.stderr)[-4000:]}"


def install(shop: Shop) -> None:
    """What its lock file names; and our own packages, built as `make packages` does."""
    if not (shutil.which("node") and shutil.which("npm")):
        missing("there is no node, or no npm")
    checkout = shop.files.parents[1]
    shutil.copy(ROOT / "LICENSE", checkout)
    needed = (shop.files / "package.json").read_text()
    for package in ("forward", "browser", "react"):
        folder = checkout / package
        if f"file:../../{package}" in needed and not folder.exists():
            ignore = shutil.ignore_patterns("node_modules", "dist", "test", "shop")
            shutil.copytree(ROOT / package, folder, ignore=ignore)
            npm(shop, *CLEAN, folder=folder)
            npm(shop, "npm", "run", "build", folder=folder)
    npm(shop, *CLEAN)


@pytest.fixture(scope="package")
def one_service() -> Iterator[Service]:
    with Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}) as service:
        yield service
        assert "Traceback" not in service.output(), service.output()[-4000:]


@pytest.fixture(scope="package")
def checkout(tmp_path_factory) -> Iterator[Path]:
    """A folder with what the examples need of the checkout, at the same places."""
    folder = tmp_path_factory.mktemp("examples")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="package")
def shop(request, one_service, checkout) -> Iterator[Shop]:
    with_it = Shop(request.param, one_service, checkout)
    try:
        RECIPES[request.param](with_it)
        yield with_it
        assert "Traceback" not in with_it.output(), with_it.output()[-4000:]
    finally:
        with_it.close()


class _Customer(Shopper):
    def _said(self, message: ConsoleMessage) -> None:
        if not message.location["url"].endswith("/favicon.ico"):  # no example has one
            super()._said(message)


@pytest.fixture
def new_customer(shop, chromium) -> Iterator[Callable[[], Shopper]]:
    """Make a browser of its own for the shop."""
    made: list[Shopper] = []

    def make(**options) -> Shopper:
        made.append(_Customer(shop.url, chromium.new_context(**options)))
        return made[-1]

    yield make
    for one in made:
        one.context.close()
    assert [wrong for one in made for wrong in one.wrong] == []
