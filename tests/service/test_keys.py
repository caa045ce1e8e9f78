"""The key files of an embedded database: when they are made, and that no backup loses one."""

import re
import shutil
from urllib.parse import quote

import pytest

from tests.conftest import slow
from tests.servers import SECRETS, ServerFailed, Service
from tests.service.test_runbooks import job

NAMES = ("wishwell.db.key", "wishwell.db.sealing.key")


@pytest.fixture
def service():
    """A service on its own file with one profile."""
    with Service({"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}).start() as service:
        service.client(service.admin_token()).post("/profiles/token")
        SECRETS.update((service.folder / name).read_text() for name in NAMES)
        yield service


def backed_up_keys(service, folder="keys"):
    return {path.name: path.read_bytes() for path in (service.folder / folder).iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("name", [NAMES[0], NAMES[1]])
def test_start_creates_no_key_when_the_database_needs_a_lost_one(service, name):
    """No start or command replaces a lost key that the database needs, nor its backups. Once the key is
    restored, the service works. Rules: signing-keys, sealing-keys."""
    client = service.client(service.admin_token())
    token = client.post("/profiles/token").json()["data"]["token"]
    service.stop()
    assert job(service).returncode == 0
    before = backed_up_keys(service)
    (service.folder / name).unlink()
    for _ in range(2):
        with pytest.raises(
            ServerFailed, match=f"{re.escape(name)} is missing. Put it back from the backup"
        ):
            service.start()
    service.cli("migrate", check=False)
    assert not (service.folder / name).exists()
    failed = job(service, BACKUPS="others")  # both may run in the second that names a backup
    assert (failed.returncode, f"{name} is missing" in failed.stderr) == (1, True)
    assert "No backup was made: the keys of others/" in failed.stderr
    assert not [*(service.folder / "others").glob("*.db")]
    assert backed_up_keys(service) == before
    [back] = [file for file in before if file.endswith(name.removeprefix("wishwell"))]
    shutil.copy(service.folder / "keys" / back, service.folder / name)
    service.start()
    assert service.client(token).get("/items").status_code == 200


@pytest.mark.slow
def test_backup_refuses_a_key_that_does_not_decrypt_the_secrets(service):
    """With a wrong key, `backup` names the copy `.incomplete` and adds no key to the good ones.
    Rule: backup-complete."""
    assert job(service).returncode == 0
    before = backed_up_keys(service)
    key = service.folder / "wishwell.db.sealing.key"
    good = key.read_text()
    key.write_text("another-sealing-key-of-40-characters-now")
    for words in ((), ("--keys", "keys")):
        done = service.cli("backup", f"copy-{len(words)}.db", *words, check=False)
        assert done.returncode == 1
        assert re.search(
            "incomplete. The secrets of store [0-9a-f-]+ are encrypted with", done.stderr
        )
        assert [path.name for path in service.folder.glob("copy*")] == [
            f"copy-{len(words)}.db.incomplete"
        ]
        (service.folder / f"copy-{len(words)}.db.incomplete").unlink()
    assert backed_up_keys(service) == before
    key.write_text(good)


@pytest.mark.slow
def test_backup_refuses_a_signing_key_that_the_service_does_not_use(service):
    """`backup` and `doctor` refuse a signing key other than that of the last start, from a file or a setting.
    A database without the record, from before an upgrade, is backed up. Rules: backup-complete, signing-keys."""
    key, keys = service.folder / "wishwell.db.key", service.folder / "keys"
    good = key.read_text()
    for text, setting, is_wrong in (
        ("k" * 40, "", True),
        (good, "s" * 40, True),
        ("k" * 40, f"{'s' * 40},{good}", False),
        (good, "", False),
    ):
        key.write_text(text)
        service.settings["WISHWELL_SIGNING_KEYS"] = setting
        done = service.cli("backup", "a.db", "--keys", "keys", check=False)
        assert done.returncode == is_wrong
        for said in (done.stderr, service.cli("doctor", check=False).stdout):
            assert ("last started with the signing key" in said) == is_wrong
        assert keys.exists() != is_wrong
        shutil.rmtree(keys, ignore_errors=True)
        (service.folder / f"a.db{'.incomplete' * is_wrong}").unlink()
    service.stop()
    service.rows("DROP TABLE signing_key")
    service.rows("DELETE FROM migrations WHERE version >= 11")
    service.cli("backup", "a.db", "--keys", "keys")


@pytest.mark.slow
def test_start_that_replaces_the_signing_key_warns(service):
    """A start with a new signing key and without the old one logs a warning, once; `doctor` and `backup` repeat it
    for a day, unless the old key is accepted again. Rule: signing-keys."""
    key, keys = service.folder / "wishwell.db.key", iter("abcdefgh")
    good = key.read_text()

    def warned():
        backup = service.run(
            [service.command, "backup", f"{next(keys)}.db", "--keys", "keys"]
        ).stderr
        said = [" was replaced, so " in text for text in (service.cli("doctor").stdout, backup)]
        assert said[0] == said[1]
        return said[0], sum("signing_key_replaced" in line for line in service.log_lines())

    for text, expected in ((good, (False, 0)), ("k" * 40, (True, 1)), ("k" * 40, (True, 1))):
        service.stop()
        key.write_text(text)
        service.start()
        assert warned() == expected
    service.rows(
        "UPDATE signing_key SET key_id = '2020-01-01T00:00:00.000Z' WHERE name = 'replaced_at'"
    )
    assert warned() == (False, 1)
    service.stop()
    service.settings["WISHWELL_SIGNING_KEYS"] = f"{'s' * 40},{'k' * 40}"  # rotated as documented
    service.start()
    assert warned() == (False, 1)


def test_backup_of_the_keys_continues_when_a_secret_is_damaged(service):
    """A damaged secret, which no key decrypts, doesn't prevent the backup of the keys.
    Rule: backup-complete."""
    service.rows("UPDATE store_secrets SET sealed = substr(sealed, 1, 20)")
    assert job(service).returncode == 0
    assert len(backed_up_keys(service)) == 2


def test_backup_of_keys_replaces_no_key_and_needs_a_separate_folder(service):
    """`backup --keys` replaces no other key, and refuses folders next to the database or its copy.
    Rule: backup-complete."""
    (service.folder / "data").mkdir()
    service.cli("backup", "data/a.db", "--keys", "keys")
    before = backed_up_keys(service)
    assert sorted(before) == ["a.db.key", "a.db.sealing.key"]
    assert all((service.folder / "keys" / name).stat().st_mode & 0o777 == 0o600 for name in before)
    (service.folder / "wishwell.db.key").write_text("k" * 40)
    service.restart()
    (service.folder / "data" / "a.db").unlink()
    for words, why in (
        (("data/a.db", "--keys", "keys"), "a.db.key exists already and is another key"),
        (("b.db", "--keys", "."), "must be a folder apart"),
        (("data/c.db", "--keys", "data/../data"), "must be a folder apart"),
        (("data/d.db", "--keys", "none/keys"), "No such file or directory"),
    ):
        done = service.cli("backup", *words, check=False)
        assert (done.returncode, why in done.stderr) == (1, True), done.stderr
    assert backed_up_keys(service) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["folder/my wishes", *map(slow, ("100% of ünsere.sqlite", "a?b#c.db"))]
)
def test_backup_job_copies_the_keys_of_a_database_with_any_name(name):
    """The backup job copies the keys of a database with any name.
    Rule: backup-complete."""
    service = Service()
    (service.folder / "folder").mkdir()
    urls = [f"sqlite:///{quote(name)}", f"sqlite:///{quote(str(service.folder / name))}"]
    for number, url in enumerate(urls):
        service.settings["WISHWELL_DATABASE_URL"] = url
        service.cli("init")
        places = {"BACKUPS": f"my backups {number}", "KEYS": f"my keys {number}"}
        assert job(service, **places).returncode == 0
        [copy] = (service.folder / places["BACKUPS"]).iterdir()
        for ending in (".key", ".sealing.key"):
            original = (service.folder / f"{name}{ending}").read_bytes()
            assert backed_up_keys(service, places["KEYS"])[copy.name + ending] == original


def test_keys_that_settings_name_are_checked_and_not_copied():
    """Keys from settings must decrypt the copy's secrets; they aren't copied, and the operator is told to
    store them. Rule: backup-complete."""
    key = "a-sealing-key-in-the-settings-40-characters"
    service = Service({"WISHWELL_SEALING_KEYS": key, "WISHWELL_SIGNING_KEYS": key})
    service.cli("init")
    assert not list(service.folder.glob("*.key"))
    said = service.run([service.command, "backup", "a.db", "--keys", "keys"])
    assert "WISHWELL_SEALING_KEYS are not copied" in said.stderr
    assert backed_up_keys(service) == {}
    service.settings["WISHWELL_SEALING_KEYS"] = "k" * 40
    assert (
        "which isn't in WISHWELL_SEALING_KEYS" in service.cli("backup", "b.db", check=False).stderr
    )
