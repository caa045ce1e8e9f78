"""Fuzzes the running service by its published description: every check, one token of each kind.

``WISHWELL_FUZZ_EXAMPLES`` and ``WISHWELL_FUZZ_SEED`` give longer and other runs. `make test` uses a
fixed seed, so that a failure is caused by a change.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOMY, Shop

HERE = Path(__file__).parent
EXAMPLES = os.environ.get("WISHWELL_FUZZ_EXAMPLES", "8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("caller", "ids"), [("admin", "integer"), ("customer", "text"), ("session", "integer")]
)
def test_running_service_responds_as_described(service, caller, ids, tmp_path):
    """Every status, header and body is described. Rule: openapi-complete."""
    shop = Shop(service, *ROOMY, "--limit", "items=1000000", "--product-ids", ids)
    member = {"customer": shop.customer, "session": shop.session}.get(caller)
    token = member().token if member else shop.admin_token
    seed = os.environ.get("WISHWELL_FUZZ_SEED", "1")
    command = [
        str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(HERE / "fuzz.toml"), "run",
        f"{service.url}/api/2025-04/.well-known/openapi",
        "--checks", "all", "--phases", "examples,coverage,fuzzing,stateful",
        "--max-examples", EXAMPLES, "--seed", seed, "--header", f"Authorization: Bearer {token}",
        "--continue-on-failure", "--generation-database", "none", "--no-color",
    ]  # fmt: skip
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "tests.http.fuzz_hooks",
        "WISHWELL_FUZZ_AS": caller,
        "WISHWELL_FUZZ_IDS": ids,
        "PYTHONPATH": str(HERE.parents[1]),
    }
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=3600
    )
    report = done.stdout + done.stderr
    print(f"seed {seed}\n{report}")
    assert done.returncode == 0, f"again with WISHWELL_FUZZ_SEED={seed}"
    assert re.search(r"[1-9]\d* (generated|test cases)", report)
    # The stateful phase followed the description's links, rather than only making single calls.
    assert re.search(r"API Links: +[1-9]\d* covered", report)
