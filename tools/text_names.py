"""Writes src/wishwell/admin/text-names.js, the names of the texts that a store can replace.

``make format`` runs it; a test fails if the file is out of date.
"""

import re
from pathlib import Path

from wishwell.stores import look

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "src" / "wishwell" / "admin" / "text-names.js"
_TEXTS = ROOT / "packages" / "elements" / "src" / "texts" / "en.ts"
_HEAD = """\
// The names of the texts of pages, elements and mails. Written by `make format`.
export const TEXT_NAMES = '"""


def text() -> str:
    """Returns the expected content of the file."""
    names = re.findall(r"^  (\w+):", _TEXTS.read_text("utf-8"), re.MULTILINE)
    return f"{_HEAD}{' '.join(sorted({*names, *look.MAIL_TEXTS}))}'.split(' ');\n"


if __name__ == "__main__":
    SCRIPT.write_text(text(), "utf-8")
