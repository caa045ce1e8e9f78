"""`wishwell store apply`: creates and changes stores to match a YAML file (declarative)."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
import yaml

from wishwell import stores
from wishwell.cli import mail_switch, terminal
from wishwell.cli.common_options import in_database, new_id, now, read_file
from wishwell.cli.store_commands import make_patches, put_store
from wishwell.config import Settings
from wishwell.db import Database, Reader, Writer
from wishwell.errors import Invalid
from wishwell.server import opening
from wishwell.stores import Store, StorePatch, store_secrets
from wishwell.stores.store_secrets import SecretsPatch
from wishwell.transfer.file_records import explain_error


class _StoreEntry(StorePatch, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A store in the file. Fields that are left out stay unchanged."""

    handle: str
    jwt_key_files: tuple[str, ...] | None = None
    platform_secret_files: tuple[str, ...] | None = None


class _StoresFile(msgspec.Struct, forbid_unknown_fields=True):
    stores: list[Any]


class _Change(NamedTuple):
    """A store's entry in the file, with the store before and after the change."""

    handle: str
    patch: StorePatch
    secrets_patch: SecretsPatch
    before: Store | None
    after: Store
    secret_changes: tuple[str, ...]

    @property
    def has_effect(self) -> bool:
        return self.before != self.after or bool(self.secret_changes)

    # rule: mail-on
    @property
    def turns_mail_on(self) -> bool:
        return self.after.mail.mail_on and not (self.before and self.before.mail.mail_on)


# rule: store-settings
@click.command("apply")
@click.argument("path", metavar="FILE")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@in_database
async def store_apply(db: Database, settings: Settings, /, path: str, yes: bool) -> None:
    """Create and change stores to match a YAML file.

    Shows the changes and asks first. Stores and settings that aren't in the file stay unchanged.
    Either all changes are made or none.
    """
    entries = _read_entries(path)
    changes = [
        change
        for change in await db.read(_plan_changes, settings, path, entries)
        if change.has_effect
    ]
    for change in changes:
        terminal.say(_describe_change(change))
    if unchanged := len(entries) - len(changes):
        terminal.say(f"= {unchanged:,} unchanged")
    for change in changes:
        if change.turns_mail_on:
            await mail_switch.confirm(db, settings, change.handle, change.patch, is_confirmed=yes)
    if changes and not yes:
        terminal.say("Apply these changes? Type yes to continue:", err=True)
        if terminal.first_line() != "yes":
            raise Invalid("Not confirmed. Nothing was changed.")
    if changes:
        await db.long_write(_apply_changes, settings, changes)
    terminal.say(f"{len(changes):,} changed" if changes else "nothing to do")


# The pure Python loader, because deep nesting would overflow the stack of libyaml's.
class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses duplicate keys, of which YAML would use the last. No key is a boolean."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (AttributeError, LookupError, ValueError) as error:  # from int(), date() and so on
            message = f"a value can't be read ({error})"
            raise yaml.constructor.ConstructorError(None, None, message, node.start_mark) from error

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:bool":  # `on` is a key of `mail`
                key.tag = "tag:yaml.org,2002:str"
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if repeated := {str(key) for key in keys if keys.count(key) > 1}:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {min(repeated)!r} is repeated", node.start_mark
            )
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def _read_entries(path: str) -> list[_StoreEntry]:
    label = ""
    try:
        document, entries = _load_yaml(path), []
        for number, raw_entry in enumerate(msgspec.convert(document, _StoresFile).stores):
            handle = raw_entry.get("handle") if isinstance(raw_entry, dict) else None
            label = f"{handle if isinstance(handle, str) else f'stores[{number}]'}: "
            entries.append(msgspec.convert(raw_entry, _StoreEntry))
    except msgspec.ValidationError as error:
        raise Invalid(f"{path}: {label}{explain_error(str(error))}.") from error
    handles = [entry.handle for entry in entries]
    if repeated := {handle for handle in handles if handles.count(handle) > 1}:
        raise Invalid(f"{path}: the store {min(repeated)!r} is repeated.")
    return entries


def _load_yaml(path: str) -> Any:
    content = read_file("FILE", path)
    try:
        return yaml.load(content, Loader=_Loader)  # noqa: S506
    except RecursionError as error:
        raise Invalid(f"{path}: is nested too deeply.") from error
    except yaml.YAMLError as error:
        raise Invalid(f"{path}: {error}.") from error


async def _plan_changes(
    tx: Reader, settings: Settings, path: str, entries: Sequence[_StoreEntry]
) -> list[_Change]:
    stores_by_handle = {store.handle: store for store in await stores.listed(tx)}
    updated_at, changes = now(), []
    for entry in entries:
        before = stores_by_handle.get(entry.handle)
        if before is not None:
            await stores.check_not_deleted(tx, before)
        try:
            patch, secrets_patch = _make_patches(settings, Path(path).parent, entry)
            after = stores.apply_patch(
                before or stores.blank(new_id(), entry.handle, updated_at), patch, updated_at
            )
        except Invalid as error:
            raise Invalid(f"{path}: {entry.handle}: {error.message}") from error
        secret_changes = await _describe_secret_changes(tx, settings, before, secrets_patch)
        changes.append(_Change(entry.handle, patch, secrets_patch, before, after, secret_changes))
    return changes


async def _describe_secret_changes(
    tx: Reader, settings: Settings, before: Store | None, secrets_patch: SecretsPatch
) -> tuple[str, ...]:
    """Returns descriptions of the changes to a store's secrets."""
    sealing, stored_secrets = opening.sealing(settings), None
    if not secrets_patch.changes_nothing and before is not None and sealing is not None:
        row = await tx.one("store_secrets", store=before.id)
        stored_secrets = None if row is None else store_secrets.opened(sealing, before.id, row[0])
    return store_secrets.changed_by(secrets_patch, stored_secrets)


async def _apply_changes(tx: Writer, settings: Settings, changes: Sequence[_Change]) -> None:
    changed_stores = [
        await put_store(
            tx, settings, change.handle, change.patch, change.secrets_patch, new=not change.before
        )
        for change in changes
    ]
    await store_secrets.check_apart(tx, opening.sealing(settings), *changed_stores)


def _make_patches(
    settings: Settings, folder: Path, entry: _StoreEntry
) -> tuple[StorePatch, SecretsPatch]:
    fields = {
        name: value
        for name in entry.__struct_fields__
        if name != "handle" and (value := getattr(entry, name)) is not None
    }
    for group, struct in stores.GROUPS.items():
        fields_by_key = dict(
            zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
        )
        settings_by_key = fields.get(group, {})
        if unknown := settings_by_key.keys() - fields_by_key.keys():
            raise Invalid(
                f"{group}: {min(unknown)[:40]!r} isn't one of {', '.join(fields_by_key)}."
            )
        fields[group] = {fields_by_key[key]: value for key, value in settings_by_key.items()}
    return make_patches(settings, folder, fields, ("jwtKeyFiles", "platformSecretFiles"))


def _describe_change(change: _Change) -> str:
    """Returns a line with the fields that change. It contains no secrets."""
    before = {} if change.before is None else msgspec.to_builtins(change.before)
    blank = msgspec.to_builtins(stores.blank("", "", ""))
    parts = []
    for name, value in msgspec.to_builtins(change.after).items():
        old = before.get(name) if before else blank[name]
        if name in ("id", "handle", "createdAt") or old == value:
            continue
        previous = f"{msgspec.json.encode(old).decode()} → " if before else ""
        parts.append(f"{name} {previous}{msgspec.json.encode(value).decode()}")
    parts += change.secret_changes
    return f"{'~' if before else '+'} {change.handle}{': ' if parts else ''}{'; '.join(parts)}"
