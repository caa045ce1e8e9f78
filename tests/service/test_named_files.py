"""Files that settings and commands name: only regular ones are read, also by a link."""

import os

import pytest

from tests.conftest import SEALING_KEY, SIGNING_KEY, slow
from tests.servers import Service

pytestmark = pytest.mark.either_engine
SAYS = "a folder, a pipe or a device, not a file"
COMMANDS = (
    "store apply odd.csv",
    "store update default --jwt-key-file odd.csv",
    "store update default --jwt-key-set odd.csv",
    "store update default --platform-secret-file odd.csv",
    "profile erase --from odd.csv --store default",
    "import odd.csv --map customer=c,product=p --store default",
    "products odd.csv --store default",
    "restore replay odd.csv",
)


@pytest.fixture(scope="module", params=["pipe", slow("folder"), slow("device")])
def service(request):
    """A service that isn't started, with something in its folder that isn't a file."""
    service = Service({"WISHWELL_SEALING_KEYS": SEALING_KEY})
    service.cli("init")
    odd = service.folder / "odd.csv"
    make = {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda _: odd.symlink_to("/dev/zero")}
    make[request.param](odd)
    yield service
    service.close()


@pytest.mark.parametrize("command", COMMANDS)
def test_command_refuses_a_pipe_a_folder_and_a_device(service, command):
    """A command that reads a file refuses a pipe, which would block, a folder and a device.
    Rule: command-error."""
    done = service.cli(*command.split(), check=False)
    assert (done.returncode, SAYS in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WISHWELL_SIGNING_KEYS_FILE", "odd.csv"),
        ("WISHWELL_REDIS_URL", "rediss://localhost/?ssl_ca_certs=odd.csv"),
        ("WISHWELL_DATABASE_URL", "postgresql://localhost/x?sslrootcert=odd.csv"),
    ],
)
def test_setting_refuses_a_pipe_a_folder_and_a_device(service, name, value):
    """A setting that names a file refuses a pipe, a folder and a device. Rule: setting-invalid."""
    before = dict(service.settings)
    service.settings[name] = value
    done = service.cli("serve", check=False)
    service.settings = before
    assert done.returncode == 1
    assert f"{name} " in done.stderr
    assert SAYS in done.stderr


def test_key_file_may_be_a_link_but_no_pipe(service):
    """A key file may be a link. A pipe in its place stops the start, and a pipe in place of its
    copy stops the backup. Rules: signing-keys, backup-complete."""
    key, copy = service.folder / "wishwell.db.key", service.folder / "keys" / "a.db.key"
    copy.parent.mkdir(exist_ok=True)
    service.settings.pop("WISHWELL_SIGNING_KEYS", None)
    for path, words in ((key, ("serve",)), (copy, ("backup", "a.db", "--keys", "keys"))):
        path.unlink(missing_ok=True)
        os.mkfifo(path, 0o600)
        done = service.cli(*words, check=False)
        assert (done.returncode, SAYS in done.stderr) == (1, True), done.stderr
        path.unlink()
        (service.folder / "secret").touch(0o600)
        (service.folder / "secret").write_text(SIGNING_KEY)
        key.unlink(missing_ok=True)
        key.symlink_to("secret")
    service.cli("backup", "b.db", "--keys", "keys")
    assert (copy.parent / "b.db.key").read_text() == SIGNING_KEY
