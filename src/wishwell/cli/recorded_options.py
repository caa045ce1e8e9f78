"""The options of a command as its line in the journal has them, and a line as text to paste.

Commands of ``store``, ``webhook`` and ``token`` can be repeated from their line. Secrets, GIDs,
addresses and the contents of files are withheld.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator

import click
from click.core import ParameterSource

from wishwell import files, ids
from wishwell.db.journal import Act

_GROUPS = ("store", "webhook", "token")
"""Groups of commands whose options are recorded."""

_WITHOUT_EFFECT = ("as_json",)
"""Parameters that only change the output."""

_REPEATED_BY_REPLAY = {
    "store delete",
    "webhook delete",
    "token revoke",
    "profile erase",
    "store mail suppress",
    "store mail unsuppress",
}
"""Commands whose acts a replay repeats or lists."""

_ONCE = {
    *("init", "migrate", "purge", "clock", "restore replay", "restore database"),
    *("webhook test", "webhook retry", "webhook replay", "store mail pause", "store mail resume"),
}
"""Commands that have no meaning for a restored database, or would send something twice."""

_PRIVATE = re.compile(r"gid://|\S@\S")
_ADDRESS_OF_SERVER = re.compile("https?://", re.IGNORECASE)
_MAX_FILE_BYTES = 1 << 24


# rule: journal-options
def describe(context: click.Context, command: str) -> tuple[list[str], dict[str, str]]:
    """Returns the options of the running command, and those whose values are withheld, each with
    the SHA-256 of its file, or '' for a secret and what isn't a file."""
    if command.partition(" ")[0] not in _GROUPS:
        return [], {}
    options: list[str] = []
    withheld: dict[str, str] = {}
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in _WITHOUT_EFFECT:
            continue
        value = context.params[name]
        for each in value if isinstance(value, tuple) else (value,):
            label = parameter.opts[0] if isinstance(parameter, click.Option) else ""
            if isinstance(each, bool):
                options.append(label if each else parameter.secondary_opts[0])
                continue
            reason = _withhold(parameter, str(each))
            if reason is not None:
                placeholder, withheld[label or placeholder] = reason
            text = str(each) if reason is None else placeholder
            options.append(f"{label}={text}" if label else text)
    return options, withheld


def _withhold(parameter: click.Parameter, text: str) -> tuple[str, str] | None:
    """Returns the placeholder of a value that must not be recorded and the hash of its file, or
    ``None`` if the value may be recorded."""
    if not text:  # resets a setting
        return None
    if "FILE" in (parameter.metavar or "") and not _ADDRESS_OF_SERVER.match(text):
        # A secret may be short enough to be guessed from its hash.
        is_secret = parameter.name not in ("path", "texts", "jwt_key_set")
        return "FILE", "" if is_secret else _hash_file(text)
    if parameter.name == "identifier" and not ids.is_uuid(text.lower()):
        return "GID" if text.startswith("gid://") else "TOKEN", ""
    if parameter.name == "url" and "?" in text:  # may contain a key
        return "URL", ""
    if _PRIVATE.search(text):
        return "GID" if "gid://" in text else "ADDRESS", ""
    return None


def _hash_file(path: str) -> str:
    """Returns the SHA-256 of a file, or '' for standard input and a file that can't be read."""
    try:
        with files.open_regular(path) as file:
            content = file.read(_MAX_FILE_BYTES + 1)
    except (OSError, ValueError):
        return ""
    return "" if len(content) > _MAX_FILE_BYTES else hashlib.sha256(content).hexdigest()


# rule: journal-options
def shell_lines(acts: list[Act]) -> Iterator[str]:
    """Yields the commands among acts as lines of a shell; those that need a secret, a file or an
    answer are comments."""
    for act in acts:
        if act.action != "command" or act.command in _REPEATED_BY_REPLAY | _ONCE:
            continue
        line = shlex.join(["wishwell", *act.command.split(), *act.options])
        if act.store and not act.options:
            line += f" … (store {act.store})"
        asks = "--mail=on" in act.options and "--yes" not in act.options
        if act.options and not act.withheld and not asks:
            yield line
            continue
        hashes = [
            f"{option}: SHA-256 {file_hash}"
            for option, file_hash in act.withheld.items()
            if file_hash
        ]
        comment = f"# by hand ({act.time}): {'; '.join([line, *hashes])}"
        yield " ".join(comment.split())  # a line feed would end the comment
