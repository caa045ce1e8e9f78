"""Reads the commands that documents show, and makes a folder with only the files of a clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

# Languages of a fence whose lines are shell commands; fences of other languages are ignored.
_SHELL = ("", "sh", "bash")
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")


class Block(NamedTuple):
    """A block of commands to paste and the heading above it; ``reason`` says why no test runs it."""

    heading: str
    reason: str | None
    lines: list[str]


def blocks(document: str) -> list[Block]:
    """Returns a document's command blocks: indented by four spaces after an empty line (in a list by
    more), or fenced as shell."""
    found: list[Block] = []
    heading, reason, fence, before, indent = "", None, None, "", 0
    for line in (ROOT / document).read_text().splitlines():
        if fence is not None:
            if line == "```":
                fence = None
            elif fence in _SHELL:
                found[-1].lines.append(line)
        elif line.startswith("```"):
            fence = line[3:]
            if fence in _SHELL:
                found.append(Block(heading, reason, []))
            reason = None
        elif line.startswith("    ") and (not before or before.startswith("    ")):
            if not before:
                found.append(Block(heading, reason, []))
                reason, indent = None, len(line) - len(line.lstrip())
            found[-1].lines.append(line[indent:])
        elif line:
            reason = match[1] if (match := _NOT_RUN.fullmatch(line)) else None
            heading = line if line.startswith("#") else heading
        before = line
    return found


def commands(document: str, heading: str) -> list[str]:
    """Returns the commands below headings that begin with ``heading``, without blocks marked "not
    run"."""
    return [
        line
        for block in blocks(document)
        if block.heading.startswith(heading) and not block.reason
        for line in block.lines
    ]


def fenced(document: str, language: str) -> str:
    """Returns the text of the document's only block in that language."""
    [text] = re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL
    )
    return text


def fresh(folder: Path) -> Path:
    """Copies every file that is committed or could be (not ignored) into ``folder``, like a clone."""
    argv = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(argv, cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():  # A deletion may be uncommitted.
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def bare(home: Path) -> dict[str, str]:
    """Returns an environment like that of a new user: an empty home, and a PATH without the tests'
    virtual environment. Keeps the machine's package index settings."""
    home.mkdir(exist_ok=True)
    own = str(Path(sys.executable).parent)
    path = [part for part in os.environ["PATH"].split(":") if part != own]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WISHWELL_")}
    return kept | {"HOME": str(home), "PATH": ":".join(path)}
