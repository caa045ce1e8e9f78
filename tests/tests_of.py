"""Prints the test files of a module or folder, from tests_of.toml: `make test-of FILE=...`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "wishwell"
TABLE: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())


def name_of(path: Path) -> str:
    """Returns a path's name as in the table: without suffix, or with / at the end of a folder's."""
    relative = path.relative_to(SOURCE if path.is_relative_to(SOURCE) else ROOT)
    return f"{relative}/" if path.is_dir() else str(relative.with_suffix(""))


def line_of(path: Path) -> str | None:
    """Returns the name of the table's line for a path: its own, or that of the nearest folder."""
    folders = (name_of(folder) for folder in path.parents if folder.is_relative_to(ROOT))
    return next((name for name in (name_of(path), *folders) if name in TABLE), None)


def tests_of(path: Path) -> list[str]:
    """Returns the tests of a file or folder, relative to the checkout, in the table's order."""
    line = line_of(path)
    patterns = [] if line is None else TABLE[line]
    files = [file for pattern in patterns for file in sorted((ROOT / "tests").glob(pattern))]
    return [*dict.fromkeys(str(file.relative_to(ROOT)) for file in files)]


def main() -> int:
    """Runs the command. Returns 0, or 2 if the file doesn't exist or has no tests."""
    path = Path(sys.argv[1]).resolve() if len(sys.argv) == 2 else None
    if path is None or not path.exists() or not path.is_relative_to(ROOT):
        print(
            "Name a file or folder: make test-of FILE=src/wishwell/importers/cells.py",
            file=sys.stderr,
        )
        return 2
    if not (files := tests_of(path)):
        print(f"{sys.argv[1]}: has no line in tests/tests_of.toml", file=sys.stderr)
        return 2
    print(*files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
