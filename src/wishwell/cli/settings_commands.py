"""`wishwell settings` and `wishwell deploy-files`."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import click
import msgspec

from wishwell import config
from wishwell.access import auth, key_files
from wishwell.cli import terminal
from wishwell.cli.common_options import JSON
from wishwell.config import Settings
from wishwell.errors import Invalid
from wishwell.stores import sealing

_PACKAGE = Path(__file__).parents[1]


class _Row(msgspec.Struct, rename="camel"):
    """A setting as the command shows it."""

    name: str
    value: str
    source: str
    default: str


# rule: command-settings
@click.command("settings")
@click.option("--sample", is_flag=True, help="Print a file with all settings, commented out.")
@JSON
@click.pass_obj
def settings_command(settings: Settings, sample: bool, as_json: bool) -> None:
    """Show every setting with its value, source and default.

    Keys are shown by their ids, other secrets as "set", and URLs without passwords.
    """
    if sample:
        text = (_deploy_folder() / "settings.env").read_text("utf-8")
        return terminal.say(text.rstrip("\n"))
    rows = [_to_row(declared, settings, os.environ) for declared in fields(Settings)]
    return terminal.show(rows, as_json)


def _to_row(declared: Field[Any], settings: Settings, environment: Mapping[str, str]) -> _Row:
    name = config.PREFIX + declared.name.upper()
    value, source = getattr(settings, declared.name), "default"
    if environment.get(name, "").strip():
        source = "environment"
    elif file := environment.get(f"{name}_FILE", "").strip():
        source = file
    if declared.name in _KEY_IDS:
        value, source = _key_ids(declared.name, settings, source)
    elif declared.metadata["secret"] and value is not None:
        value = _without_password(value) if declared.name.endswith("_url") else "set"
    return _Row(name, _format(value), source, _format(declared.default))


_KEY_IDS = {
    "signing_keys": (auth.key_id, ""),
    "sealing_keys": (sealing.key_id, ".sealing"),
}
"""How the id of a key is derived, and the suffix of an embedded database's key file."""


def _key_ids(name: str, settings: Settings, source: str) -> tuple[list[str], str]:
    """Returns the ids of the keys in use, and their source."""
    derive_id, suffix = _KEY_IDS[name]
    keys = [key.encode() for key in getattr(settings, name)]
    if not keys and settings.engine == "sqlite":
        path = config.sqlite_path(settings.database_url) + suffix
        if os.access(f"{path}.key", os.F_OK):
            keys, source = [key_files.embedded_key(path)], f"{path}.key"
    return [derive_id(key) for key in keys], source


def _format(value: Any) -> str:
    """Returns a setting's value as it is written in the environment."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.15g}"
        case list() | tuple():
            return ",".join(map(str, value))
    return str(value)


# rule: secret-unseen
def _without_password(url: str) -> str:
    """Returns a URL without the passwords in its authority and its options."""
    if url.startswith("sqlite:"):
        return url
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    options = [option for option in parse_qsl(parts.query, True) if "pass" not in option[0].lower()]
    netloc = user.partition(":")[0] + at + hosts
    return f"{parts.scheme}://{netloc}{parts.path}{'?' * bool(options)}{urlencode(options)}"


# rule: command-settings
@click.command("deploy-files")
@click.argument("folder", metavar="FOLDER")
def deploy_files_command(folder: str) -> None:
    """Write the files of `deploy/` to a new or empty folder.

    They are examples: units of systemd, manifests of Kubernetes, web servers, a backup job, alerts,
    a dashboard, and a file with all settings.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Invalid(f"{folder} exists and isn't an empty folder. Name another one.")
    shutil.copytree(_deploy_folder(), target, dirs_exist_ok=True)
    for path in sorted(target.rglob("*")):
        if path.is_file():
            terminal.say(str(path))


def _deploy_folder() -> Path:
    """Returns the folder of an installed wheel, or of the checkout."""
    installed = _PACKAGE / "deploy"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "deploy"
