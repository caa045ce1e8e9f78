"""Prints the docstrings of the tests that `make test` always runs, as JSON. Runs no test."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Collector:
    """A plugin that records the docstrings of the selected tests by node id.

    Omits tests with a condition to be skipped, so that the result is the same on every machine.
    """

    def __init__(self) -> None:
        self.docstrings: dict[str, str] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            if isinstance(item, pytest.Function) and not item.get_closest_marker("skipif"):
                self.docstrings[item.nodeid] = inspect.getdoc(item.function) or ""


def selection() -> list[str]:
    """Returns the arguments by which the Makefile selects the tests of `make test`."""
    makefile = (ROOT / "Makefile").read_text()
    [options] = re.findall(
        r"^test: .*\n\t@\$\(BIN\)/pytest -n \$\(JOBS\) (.+)$", makefile, re.MULTILINE
    )
    return shlex.split(options)


def main() -> int:
    collector = Collector()
    with contextlib.redirect_stdout(sys.stderr):
        code = pytest.main(["--collect-only", "-qq", *selection()], plugins=[collector])
    print(json.dumps(collector.docstrings))
    return code


if __name__ == "__main__":
    sys.exit(main())
