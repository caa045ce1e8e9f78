"""`wishwell settings`, the sample file, and `wishwell deploy-files`."""

import json
import re
from dataclasses import fields

import pytest

from tests.conftest import SIGNING_KEY
from tests.servers import Service
from tools import sample_settings
from wishwell import config
from wishwell.access import auth

SEALING_KEY = "sealing-key-of-these-tests-0123456789"
PASSWORDS = ("pw-of-database", "pw-of-redis", "pw-of-options", "pw-of-mails")


@pytest.fixture(scope="module")
def idle():
    service = Service()
    service.cli("init")
    yield service
    service.close()


def settings(service: Service, **environment: str) -> dict[str, dict[str, str]]:
    """Returns the rows of `wishwell settings --json` by their names."""
    code, out, said = service.attempt("settings", "--json", **environment)
    assert code == 0, said
    return {row["name"]: row for row in json.loads(out)}


def test_settings_shows_every_setting_with_value_source_and_default(idle):
    """Each setting is shown, with its default, and with a value from the environment where that has
    one. Rule: command-settings."""
    rows = settings(
        idle,
        WISHWELL_WORKERS="3",
        WISHWELL_TRUSTED_PROXIES="10.0.0.0/8, 192.0.2.7",
        WISHWELL_HOST=" ",
    )
    assert rows.keys() == {f"WISHWELL_{entry.name.upper()}" for entry in fields(config.Settings)}
    name = "WISHWELL_WORKERS"
    assert rows[name] == {"name": name, "value": "3", "source": "environment", "default": "1"}
    assert rows["WISHWELL_TRUSTED_PROXIES"]["value"] == "10.0.0.0/8,192.0.2.7/32"
    assert rows["WISHWELL_HOST"]["source"] == "default"
    assert rows["WISHWELL_WEBHOOK_HTTP"]["value"] == "false"
    assert rows["WISHWELL_SESSION_DAYS"]["value"] == "90"
    assert "WISHWELL_WORKERS" in idle.cli("settings").stdout


def test_settings_shows_keys_by_their_ids_and_urls_without_passwords(idle):
    """Keys are shown by their ids and URLs without passwords, in options too; a file is named as the
    source. Rules: command-settings, secret-unseen."""
    (idle.folder / "keys").write_text(f"{SIGNING_KEY},{SEALING_KEY}\n")
    redis = f"rediss://limits:{PASSWORDS[1]}@h:6379/2?password={PASSWORDS[2]}&protocol=3"
    environment = {
        "WISHWELL_DATABASE_URL": f"postgresql://me:{PASSWORDS[0]}@a,b:5433/shop?sslmode=require",
        "WISHWELL_REDIS_URL": redis,
        "WISHWELL_SMTP_URL": f"smtps://me:{PASSWORDS[3]}@mail:465",
        "WISHWELL_SIGNING_KEYS_FILE": "keys",
        "WISHWELL_SEALING_KEYS": SEALING_KEY,
    }
    rows = settings(idle, **environment)
    assert rows["WISHWELL_DATABASE_URL"]["value"] == "postgresql://me@a,b:5433/shop?sslmode=require"
    assert rows["WISHWELL_REDIS_URL"]["value"] == "rediss://limits@h:6379/2?protocol=3"
    assert rows["WISHWELL_SMTP_URL"]["value"] == "smtps://me@mail:465"
    ids = [auth.key_id(key.encode()) for key in (SIGNING_KEY, SEALING_KEY)]
    assert rows["WISHWELL_SIGNING_KEYS"]["value"] == ",".join(ids)
    assert rows["WISHWELL_SIGNING_KEYS"]["source"] == "keys"
    assert re.fullmatch("[0-9a-f]{12}", rows["WISHWELL_SEALING_KEYS"]["value"])
    text = json.dumps(rows)
    assert not [secret for secret in (SIGNING_KEY, SEALING_KEY, *PASSWORDS) if secret in text]


def test_settings_shows_the_keys_of_an_embedded_database():
    """The keys of an embedded database are shown by the ids that the tokens name, with their files;
    without a database the command works too. Rule: command-settings."""
    service = Service()
    try:
        assert settings(service)["WISHWELL_SIGNING_KEYS"]["value"] == ""
        service.cli("init")
        row = settings(service)["WISHWELL_SIGNING_KEYS"]
        key = (service.folder / "wishwell.db.key").read_bytes().strip()
        assert (row["value"], row["source"]) == (auth.key_id(key), "wishwell.db.key")
        assert settings(service)["WISHWELL_SEALING_KEYS"]["source"] == "wishwell.db.sealing.key"
    finally:
        service.close()


def test_sample_settings_are_all_settings_with_their_defaults(idle):
    """The sample has each setting once, commented; uncommented, it is accepted and changes nothing.
    Rule: command-settings."""
    # Not by `cli`, whose output is searched for passwords: the sample has examples of URLs.
    sample = idle.run([str(idle.command), "settings", "--sample"]).stdout
    assert sample == sample_settings.text()
    assert not [line for line in sample.splitlines() if line and not line.startswith("#")]
    pairs = dict(re.findall(r"^#(WISHWELL_\w+)=(.*)$", sample, re.MULTILINE))
    assert pairs.keys() == {f"WISHWELL_{entry.name.upper()}" for entry in fields(config.Settings)}
    assert config.load(pairs) == config.Settings()


def test_deploy_files_writes_to_a_new_folder_only(idle):
    """`deploy-files` writes the files of `deploy/`, programs as programs, into a new or an empty
    folder, and refuses any other. Rule: command-settings."""
    (idle.folder / "empty").mkdir()
    for folder in ("new/deploy", "empty"):
        said = idle.cli("deploy-files", folder).stdout
        for name in ("systemd/wishwell.service", "kubernetes/deployment.yaml", "settings.env"):
            assert f"{folder}/{name}\n" in said
            assert (idle.folder / folder / name).stat().st_size
        assert (idle.folder / folder / "backup").stat().st_mode & 0o111
    code, _, said = idle.attempt("deploy-files", "empty")
    assert code == 1 and "empty exists" in said
