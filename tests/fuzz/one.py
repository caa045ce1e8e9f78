"""Runs a target under atheris: `python -m tests.fuzz.one TARGET [libFuzzer arguments]`."""

from __future__ import annotations

import os
import sys

import atheris

with atheris.instrument_imports(include=["wishwell", "jwt"]):
    from tests.fuzz import targets


def main() -> None:
    name = sys.argv.pop(1)
    # The program that libFuzzer starts for each step of a merge.
    sys.argv[0] = os.environ.get("FUZZ_PROGRAM", sys.argv[0])
    if name in ("query", "token"):
        targets.service()  # before libFuzzer's timeouts apply
    atheris.Setup(sys.argv, targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
