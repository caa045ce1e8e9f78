"""What a newcomer does first: start it, paste the lines, start it again; and install the wheel."""

import re
import signal
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import httpx2
import pytest

from tests.servers import Service
from tests.service.test_documents import answers

ROOT = Path(__file__).parents[2]


@pytest.fixture
def welcome(tmp_path):
    """Starts ``wishwell serve --welcome``; what it has said, and a way to start it again."""
    running = []

    def start():
        command = [str(Path(sys.executable).parent / "wishwell"), "serve", "--welcome"]
        environment = {"PATH": "/usr/bin:/bin", "WISHWELL_PORT": "0", "HOME": str(tmp_path)}
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        text = ""
        while not re.search(r"^  curl -s http.*/items -H.*\n", text, re.MULTILINE):
            line = process.stderr.readline()
            assert line, text
            text += line
        threading.Thread(target=process.stderr.read, daemon=True).start()
        return process, text

    yield start
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(15)


def pasted(text, more=""):
    """Runs the printed lines as a newcomer would, in one shell."""
    lines = text[text.index("  TOKEN=") :]
    done = subprocess.run(["bash", "-ec", lines + more], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_welcome_prints_lines_that_work_as_pasted(welcome):
    """contract: serve-start. The addresses, a fresh admin token, and three lines: a session token, a
    save, a read. After a second start the same token still reads the same item."""
    process, text = welcome()
    url = re.search(r"http://127\.0\.0\.1:\d+", text)[0]
    assert httpx2.get(f"{url}/livez").status_code == 200
    storefront = re.search(r"http://\S+/apps/wishlist/", text)[0]
    assert httpx2.get(f"{storefront}api/items").json()["data"] == []
    assert len(re.findall(r"wwadm_\w+", text)) >= 1
    assert len([line for line in text.splitlines() if "curl" in line]) == 3
    output = pasted(text, "\necho; echo $TOKEN")
    saved, read = answers(output.rpartition("}")[0] + "}")
    assert read["data"] == [saved["data"]]
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0
    url = re.search(r"http://127\.0\.0\.1:\d+", welcome()[1])[0]
    headers = {"Authorization": f"Bearer {output.split('}')[-1].strip()}"}
    assert httpx2.get(f"{url}/api/2025-04/items", headers=headers).json()["data"] == read["data"]


def test_busy_port_is_named_with_what_to_do(welcome, tmp_path):
    """A second service on the same port says so in one line, and ends."""
    _, text = welcome()
    port = re.search(r"http://127\.0\.0\.1:(\d+)", text)[1]
    other = Service({"WISHWELL_PORT": port})
    try:
        done = other.cli("serve", check=False)
    finally:
        other.kill()
    assert done.returncode == 1
    assert "WISHWELL_PORT" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_wheel_alone_serves(tmp_path):
    """Built, installed into an empty environment from the lock file, `wishwell serve` runs."""
    out = tmp_path / "dist"
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    [wheel] = out.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("wishes/items.sql", "http/openapi.yaml", "http/docs_page/index.html"):
        assert f"wishwell/{needed}" in names
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    pip = [venv / "bin" / "pip", "--quiet", "--disable-pip-version-check", "install"]
    lock = ROOT / "requirements" / "run.lock"
    subprocess.run([*pip, "--require-hashes", "-r", lock], check=True, capture_output=True)
    subprocess.run([*pip, "--no-deps", wheel], check=True, capture_output=True)
    client = [venv / "bin" / "python", "-c", "import wishwell.client"]
    without = subprocess.run(client, capture_output=True, text=True)
    assert without.returncode == 1
    assert "pip install 'wishwell[client]'" in without.stderr.splitlines()[-1]
    service = Service()
    service.command = venv / "bin" / "wishwell"
    try:
        service.start()
        assert httpx2.get(f"{service.url}/readyz").status_code == 200
        assert httpx2.get(f"{service.url}/docs").status_code == 200
        assert httpx2.get(f"{service.url}/api/2025-04/.well-known/openapi").status_code == 200
    finally:
        service.kill()


# Six processes that have loaded the program, and go on at the same moment.
_STARTS = """
import os, sys
from wishwell.access import auth
reader, writer = os.pipe()
for _ in range(6):
    if not os.fork():
        os.close(writer)
        os.read(reader, 1)
        os.write(1, auth.embedded_key(sys.argv[1]) + b"\\n")
        os._exit(0)
os.close(writer)
sys.exit(any(os.wait()[1] for _ in range(6)))
"""


def test_two_first_starts_at_once_share_one_key(tmp_path):
    """contract: signing-key-source. The key file is there whole or not at all: neither start takes
    the other's half."""
    for number in range(2):
        path = tmp_path / f"{number}.db"
        done = subprocess.run([sys.executable, "-c", _STARTS, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        keys = done.stdout.split()
        assert len(keys) == 6
        assert len(set(keys)) == 1, keys
        assert (tmp_path / f"{number}.db.key").stat().st_mode & 0o777 == 0o600
        assert sorted(p.name for p in tmp_path.glob(f"*{number}.db*")) == [f"{number}.db.key"]
