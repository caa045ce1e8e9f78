"""The build hook: generates the blocking client, ``_sync/``, from the asyncio client, ``_async/``.

``python hatch_build.py`` does it without a build, as ``make format`` does.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path(__file__).parent / "src" / "wishwell_client"
RULES = [
    (r'\A""".*?"""', '"""Generated from the asyncio client by ``hatch_build.py``."""'),
    (r"\b_async\b", "_sync"),
    (r"\basync |\bawait ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\basyncio\b", "time"),
    (r"for record in (.+):\n +yield record\n", r"yield from \1\n"),
    (r"\btasks of one event loop\b", "threads"),
]


def blocking(source: str) -> str:
    """Returns the blocking counterpart of a module of the asyncio client."""
    for pattern, new in RULES:
        source = re.sub(pattern, new, source)
    return source


def generate() -> None:
    """Writes the blocking client."""
    target = PACKAGE / "_sync"
    target.mkdir(exist_ok=True)
    for path in (PACKAGE / "_async").glob("*.py"):
        (target / path.name).write_text(blocking(path.read_text("utf-8")), "utf-8")


class BlockingClient(BuildHookInterface[Any]):
    """Generates the blocking client before each build, editable ones included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        generate()


if __name__ == "__main__":
    generate()
