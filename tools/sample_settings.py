"""Writes deploy/settings.env, a file with all settings commented, from docs/configuration.md.

``make format`` runs it; a test fails if the file is out of date.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "deploy" / "settings.env"
_PAGE = ROOT / "docs" / "configuration.md"
_WIDTH = 100
_HEAD = """\
# All settings of Wishwell with their defaults, for systemd's EnvironmentFile or Docker Compose's
# env_file. Uncomment the lines that you change. A setting marked as a secret may come from a file:
# add _FILE to its name. docs/configuration.md says more.
# Written by `make format` from docs/configuration.md.
"""


def text() -> str:
    """Returns the expected content of the file."""
    return _HEAD + "".join(_sections(_PAGE.read_text("utf-8")))


def _sections(page: str) -> Iterator[str]:
    for section in re.split("^## ", page, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| `(WISHWELL_\w+)`( \*secret\*)? \| (.+) \|$", section, re.MULTILINE)
        if rows:
            yield f"\n# ---- {section.partition(chr(10))[0]}\n"
        for name, secret, cells in rows:
            default, *meaning = _plain(cells).split(" | ")
            words = "; ".join(meaning) if len(meaning) == 2 else f"Requests a minute: {meaning[0]}"
            comment = f"{words}{' (a secret)' * bool(secret)}"
            yield "\n" + textwrap.indent(textwrap.fill(comment, _WIDTH - 2), "# ") + "\n"
            yield f"#{name}={'' if default == 'none' else default}\n"


def _plain(markdown: str) -> str:
    """Returns Markdown without its links and marks."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "").replace("*", "")


if __name__ == "__main__":
    SAMPLE.write_text(text(), "utf-8")
