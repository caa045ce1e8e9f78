"""Version and commit of the running program: commands, log, metrics and doctor name the same."""

import json
import re
import subprocess
from pathlib import Path

import httpx2

from wishwell import __version__

ROOT = Path(__file__).parents[2]


def test_version_and_commit_are_shown_by_commands_log_metric_and_doctor(service):
    """Commands, the first log line, the metric and the doctor name version and commit. `wishwell
    version` works with invalid settings too."""
    argv = ["git", "rev-parse", "--short=12", "HEAD"]
    head = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    said = service.quick("version")
    assert said == service.quick("--version") == service.quick("-V")
    commit = re.fullmatch(rf"wishwell {__version__} \(commit ({head}(?:-dirty)?), .+\)\n", said)[1]
    assert service.attempt("version", WISHWELL_PORT="none")[0] == 0
    assert service.quick("store", "-h") == service.quick("store", "--help")
    line = json.loads(service.log_lines()[0])
    assert (line["event"], line["version"], line["commit"]) == ("starting", __version__, commit)
    metrics = httpx2.get(f"{service.url}/metrics").text
    pattern = (
        rf'^wishwell_build_info\{{commit="{commit}",python="[\d.]+",version="{__version__}"\}} 1'
    )
    assert re.search(pattern, metrics, re.MULTILINE)
    assert said.removeprefix("wishwell ").strip() in service.attempt("doctor")[1]
