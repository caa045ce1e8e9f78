"""compose.yaml: its settings, and the commands at its head."""

import os
import re
import subprocess
from pathlib import Path

import yaml

from wishwell import config
from wishwell.access import addresses

ROOT = Path(__file__).parents[2]


def test_compose_trusts_the_web_server_in_front():
    """compose.yaml has only valid settings, and trusts proxies on Docker's networks, so that visitors
    have rate limits. Rule: limit-address."""
    document = yaml.safe_load((ROOT / "compose.yaml").read_text())
    given = document["services"]["wishwell"]["environment"]
    plain = {name: value for name, value in given.items() if not name.endswith("_FILE")}
    trusted = config.load(plain).trusted_proxies
    assert all(addresses.is_within(peer, trusted) for peer in ("172.18.0.1", "192.168.16.1"))
    assert not addresses.is_within("203.0.113.5", trusted)


def test_compose_secrets_are_readable_only_by_their_containers(tmp_path):
    """The commands at the head of compose.yaml make one file for each secret, with mode 400 and its
    container's user as owner, which the doctor accepts."""
    text = (ROOT / "compose.yaml").read_text()
    made = re.findall(r"^#   (?!docker)(?:sudo )?(.+)$", text, re.MULTILINE)
    if os.geteuid() != 0:
        made = [line for line in made if not line.startswith("chown ")]
    subprocess.run(["bash", "-euc", "\n".join(made)], cwd=tmp_path, check=True)
    there = {path.name: path.stat() for path in (tmp_path / "secrets").iterdir()}
    assert there.keys() == yaml.safe_load(text)["secrets"].keys()
    assert {stat.st_mode & 0o777 for stat in there.values()} == {0o400}
    if os.geteuid() == 0:
        user = re.search(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())[1]
        owners = {stat.st_uid for name, stat in there.items() if name != "database_password"}
        assert owners == {int(user)}
