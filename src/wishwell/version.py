"""The version and the commit of the running program."""

import functools
import os
import platform
import subprocess
from pathlib import Path

from wishwell import __version__

_PACKAGE = Path(__file__).parent
_GIT_SECONDS = 5.0


@functools.cache
def commit() -> str:
    """Returns the abbreviated hash of the commit that the program was built from, or ``unknown``.

    A wheel contains it (``tools/build_hooks.py``). In a checkout, git names it at the first call,
    with ``-dirty`` if files were changed.
    """
    commit_file = _PACKAGE / "commit.txt"
    if commit_file.exists():
        return commit_file.read_text("ascii").strip()
    checkout = _PACKAGE.parents[1]
    if not (checkout / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--exclude=*"]
    # A git hook's variables name the repository that it runs for.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = subprocess.run(  # noqa: S603
            [*command, "--abbrev=12"],
            capture_output=True,
            check=True,
            text=True,
            env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return process.stdout.strip()


def full() -> str:
    """Returns version, commit and interpreter, for people."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{__version__} (commit {commit()}, {python})"
