"""Generates the blocking client, src/wishwell/client/sync*.py, from the asyncio client.

``make format`` runs it; a test fails if a committed file is out of date.
"""

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "src" / "wishwell" / "client"
SOURCES = sorted(CLIENT.glob("asynchronous*.py"))

HEADER = '"""The blocking client. Written by ``make format`` from {}."""'
RULES = [
    (r"\bclient\.asynchronous", "client.sync"),
    (r"\basync |\bawait ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\basyncio\b", "time"),
    (r"for record in (.+):\n +yield record\n", r"yield from \1\n"),
    (r"\btasks of one event loop\b", "threads"),
]


def target(source: Path) -> Path:
    """Returns the path of the file generated from a source."""
    return source.with_name(source.name.replace("asynchronous", "sync"))


def formatted(text: str, path: Path) -> str:
    """Returns source text formatted by ruff, without unused imports."""
    for command in (["check", "--select", "F401,I", "--fix-only", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def made(source: Path) -> str:
    """Returns the blocking client's source."""
    text = re.sub(r'\A""".*?"""', HEADER.format(source.name), source.read_text())
    for pattern, new in RULES:
        text = re.sub(pattern, new, text)
    return formatted(text, target(source))


if __name__ == "__main__":
    for source in SOURCES:
        target(source).write_text(made(source))
