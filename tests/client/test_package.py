"""The distribution `wishwell-client`, installed alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import Service

CLIENT = Path(__file__).parents[2] / "clients" / "python"

# A new visitor saves an item and lists it, once with each half.
PROGRAM = """
import asyncio
import sys

from wishwell_client import AsyncWishwell, Wishwell

url, token = sys.argv[1:]
with Wishwell(url, token) as shop:
    visitor = shop.acting_as(shop.profiles.token().profile)
    visitor.items.create(7)
    print([item.product_id for item in visitor.items.all()])


async def main():
    async with AsyncWishwell(url, token) as shop:
        visitor = shop.acting_as((await shop.profiles.token()).profile)
        await visitor.items.create(8)
        print([item.product_id async for item in visitor.items.all()])


asyncio.run(main())
"""


@pytest.mark.slow
def test_installed_wheel_saves_and_lists_without_the_service(tmp_path):
    """The wheel, built from the source distribution for any platform and installed into an empty
    environment, works in both halves and brings nothing of the service."""

    def run(*words):
        done = subprocess.run([*words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, CLIENT)
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    run(sys.executable, "-m", "venv", "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", wheel)
    run(python, "-m", "pip", "check")
    installed = run(python, "-m", "pip", "--disable-pip-version-check", "list").split()
    assert "wishwell-client" in installed
    assert not {"wishwell", "asyncpg", "uvicorn", "uvloop"} & {*installed}
    with Service() as service:
        assert run(python, "-c", PROGRAM, service.url, service.admin_token()) == "[7]\n[8]\n"
