"""docs/client.md, run as it stands there, one example after the other."""

import re
import subprocess
import sys
from pathlib import Path

from tests.servers import Service
from wishwell import client

TEXT = (Path(__file__).parents[2] / "docs" / "client.md").read_text()


def test_every_example_runs():
    examples = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert len(examples) == 6
    with Service() as service:
        for example in examples:
            assert "http://127.0.0.1:8000" in example
            program = example.replace("http://127.0.0.1:8000", service.url).replace(
                "wwadm_…", service.admin_token()
            )
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        assert "Traceback" not in service.output()


def test_every_name_is_mentioned():
    """What the package offers and every call of it."""
    for name in set(client.__all__) - {"UNSET", "Direction", "Sort"}:
        assert f"`{name}`" in TEXT or f"import {name}" in TEXT, name
    for noun in ("items", "lists", "products", "profiles"):
        [row] = re.findall(rf"^\| `{noun}` \| (.*) \|$", TEXT, re.MULTILINE)
        kind = getattr(client.sync, noun.title())
        assert set(re.findall(r"`(\w+)`", row)) == {n for n in vars(kind) if n[0] != "_"}
