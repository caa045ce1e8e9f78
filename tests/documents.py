"""The commands that documents show, and a folder in which nothing but the files of a clone is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

# What is in none of them is of another language than the shell.
_SHELL = ("", "sh", "bash")
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")


class Block(NamedTuple):
    """Commands to paste, below the last heading; ``reason`` says why no test runs them."""

    heading: str
    reason: str | None
    lines: list[str]


def blocks(document: str) -> list[Block]:
    """What is indented by four spaces behind an empty line, or between fences of no other language."""
    found: list[Block] = []
    heading, reason, fence, before = "", None, None, ""
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
                reason = None
            found[-1].lines.append(line[4:])
        elif line:
            reason = match[1] if (match := _NOT_RUN.fullmatch(line)) else None
            heading = line if line.startswith("#") else heading
        before = line
    return found


def commands(document: str, heading: str) -> list[str]:
    """The lines below a heading, of which its beginning is enough, but those that no test runs."""
    return [
        line
        for block in blocks(document)
        if block.heading.startswith(heading) and not block.reason
        for line in block.lines
    ]


def fenced(document: str, language: str) -> str:
    """The one block of that language."""
    [text] = re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL
    )
    return text


def fresh(folder: Path) -> Path:
    """A clone: what is committed here, or would be."""
    argv = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(argv, cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():  # not one whose deletion is not committed yet
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def bare(home: Path) -> dict[str, str]:
    """An environment as after signing in somewhere new: an empty home, and none of the tests' programs;
    where packages come from is the machine's."""
    home.mkdir(exist_ok=True)
    own = str(Path(sys.executable).parent)
    path = [part for part in os.environ["PATH"].split(":") if part != own]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WISHWELL_")}
    return kept | {"HOME": str(home), "PATH": ":".join(path)}
