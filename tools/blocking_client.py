"""Writes src/wishwell/client/sync.py, the client that blocks, from the one for asyncio.

``make format`` runs it; a test fails while the committed file is not what it makes.
"""

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "src" / "wishwell" / "client"
SOURCE = CLIENT / "asynchronous.py"
TARGET = CLIENT / "sync.py"

HEADER = '"""The client that blocks. ``make format`` writes it: change ``asynchronous.py``."""'
RULES = [
    (r'\A""".*?"""', HEADER),
    (r"\basync |\bawait ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\basyncio\b", "time"),
    (r"for record in (.+):\n +yield record\n", r"yield from \1\n"),
    (r"\btasks of one event loop\b", "threads"),
]


def made() -> str:
    """The blocking client's source."""
    text = SOURCE.read_text()
    for pattern, new in RULES:
        text = re.sub(pattern, new, text)
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    TARGET.write_text(made())
