"""The shops of examples/, run as their READMEs say, with one service."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage

from tests.browser.conftest import Shopper, chromium
from tests.conftest import missing
from tests.documents import ROOT, bare, commands, fresh
from tests.security.nginx import nginx_binary
from tests.servers import HERE, Program, Service, free_port

__all__ = ["ROOT", "chromium"]

PYTHON = Path(sys.executable)
# Installs only what the lock file names, and runs no package scripts.
CLEAN = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


class Shop(Program):
    """An example in a copy of the checkout, with a store for it, run by its README's lines."""

    def __init__(self, name: str, service: Service, clone: Path) -> None:
        super().__init__(name)
        self.service = service
        self.name = name
        self.port = free_port()
        self.store = f"{name}-{self.port}"  # several tests may run this example
        self.url = f"http://{HERE}:{self.port}"
        self.files = clone / "examples" / name
        service.quick("store", "create", self.store)

    def environment(self, programs: Path) -> dict[str, str]:
        """Returns an environment with an empty home and the settings of examples/README.md."""
        clean = bare(self.folder / "home")
        return clean | {
            "PATH": f"{programs}:{clean['PATH']}",
            "WISHWELL_DATABASE_URL": f"sqlite:///{self.service.folder}/wishwell.db",
            "PORT": str(self.port),
            "NEXT_TELEMETRY_DISABLED": "1",
        }

    def run(self, programs: Path, before: str) -> None:
        """Runs the README's lines, the last of which serves, and waits for the page."""
        *lines, last = commands(f"examples/{self.name}/README.md", "# ")
        text = "\n".join([before, *lines, RECIPES.get(self.name, _plain)(self, last)])
        for old, new in {
            "--store default": f"--store {self.store}",
            "store update default": f"store update {self.store}",
            "http://127.0.0.1:8000": self.service.url,
            "http://localhost:3000": self.url,
            "--port 3000": f"--port {self.port}",
        }.items():
            text = text.replace(old, new)
        script = ["bash", "-euo", "pipefail", "-c", text]
        self.begin(script, self.url, seconds=480, cwd=self.files, env=self.environment(programs))


def _plain(_: Shop, last: str) -> str:
    """Replaces the shell by the server, so that stopping it stops everything."""
    return f"exec {last}"


def hydrogen(shop: Shop, last: str) -> str:
    return f"exec {last} -- --host {HERE} --port {shop.port} --strictPort"


def next_(_: Shop, last: str) -> str:
    return f"exec {last} -- --hostname {HERE}"


def nginx(shop: Shop, last: str) -> str:
    if nginx_binary() is None:
        missing("there is no nginx")
    port = str(free_port())
    changes = {
        "listen 80": f"listen {HERE}:{shop.port}",
        "shop.example": HERE,
        "/srv/shop": str(shop.files / "shop"),
        "127.0.0.1:8000": shop.service.url.removeprefix("http://"),
        ":9000": f":{port}",
        "9000": port,
    }
    there = shop.files.parents[1] / "deploy/nginx-storefront.conf"
    for file in (shop.files / "shop.conf", there, shop.files / "sign_in.py"):
        text = file.read_text()
        for old, new in changes.items():
            text = text.replace(old, new)
        (shop.files / file.name).write_text(text)
    temporary = "\n".join(
        f"{name}_temp_path {shop.folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (shop.files / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {shop.folder}/pid; error_log stderr;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary} include shop.conf; types {{ text/html html; }} }}\n"
    )
    return f"{last} & exec {nginx_binary()} -p . -c {shop.files}/nginx.conf"


# Examples that need more than their README: a listen address, or another web server than the
# system's.
RECIPES: dict[str, Callable[[Shop, str], str]] = {
    "nginx": nginx,
    "next": next_,
    "hydrogen": hydrogen,
}
SHOPS = ("nginx", "fastapi", "django", "express", "next", "hydrogen")


@pytest.fixture(scope="package")
def one_service() -> Iterator[Service]:
    with Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}) as service:
        yield service
        assert "Traceback" not in service.output(), service.output()[-4000:]


@pytest.fixture(scope="package")
def clone(tmp_path_factory) -> Iterator[Path]:
    """A copy of the checkout's committed files."""
    folder = tmp_path_factory.mktemp("examples") / "wishwell"
    yield fresh(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="package")
def installed(clone) -> Path:
    """The programs that `make run` installs there."""
    environment = bare(clone.parent / "home")
    subprocess.run(["make", ".venv/.run"], cwd=clone, env=environment, check=True, timeout=300)
    return clone / ".venv" / "bin"


@pytest.fixture
def shop(request, one_service, clone) -> Iterator[Shop]:
    """A running example. Quick ones use the tests' environment, which has the README's packages."""
    name, slow = request.param, request.node.get_closest_marker("slow")
    with_it = Shop(name, one_service, clone)
    try:
        if slow:
            with_it.run(request.getfixturevalue("installed"), "")
        else:
            with_it.run(PYTHON.parent, "pip() { :; }")
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
    """A factory for browsers of the shop with separate cookies."""
    made: list[Shopper] = []

    def make(**options) -> Shopper:
        made.append(_Customer(shop.url, chromium.new_context(**options)))
        return made[-1]

    yield make
    for one in made:
        one.context.close()
    assert [wrong for one in made for wrong in one.wrong] == []
