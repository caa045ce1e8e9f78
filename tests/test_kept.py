"""A command in a fork of a kept interpreter is a command: exit code, output, input, environment, end."""

import subprocess
import time

import pytest

from tests.servers import KEPT, Service


@pytest.fixture
def service():
    service = Service()
    yield service
    service.close()


@pytest.mark.parametrize(
    "args", [["--version"], ["store", "list", "--json"], ["no-such"], ["store", "create", ""]]
)
def test_fork_does_what_the_program_does(service, args):
    """Exit code, standard output and standard error are those of the installed program."""
    service.cli("migrate")
    real = subprocess.run(
        [service.command, *args],
        capture_output=True,
        text=True,
        cwd=service.folder,
        env=service.environment,
        timeout=30,
    )
    forked = service.cli(*args, check=False)
    assert (forked.returncode, forked.stdout) == (real.returncode, real.stdout)
    assert forked.stderr == real.stderr


def test_fork_sees_its_own_environment_and_folder(service):
    """Nothing of the one before is left, and nothing of the tests' own environment."""
    other = Service({"WISHWELL_PORT": "nonsense"})
    assert "WISHWELL_PORT" in other.cli("store", "list", check=False).stderr
    assert service.cli("migrate").returncode == 0
    assert (service.folder / "wishwell.db").exists()
    assert not (other.folder / "wishwell.db").exists()
    other.close()


def test_fork_that_takes_too_long_is_ended(service):
    """As `subprocess.run` does: and the interpreter is good for more."""
    began = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        KEPT.apart(["serve"], service.environment, service.folder, 1.5, "")
    assert time.monotonic() - began < 10
    assert service.cli("--version").stdout
