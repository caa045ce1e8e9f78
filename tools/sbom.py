"""Writes the service's SBOM (CycloneDX), build/sbom.json. `make sbom` calls it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from wishwell import __version__

ROOT = Path(__file__).parents[1]


def made() -> dict[str, Any]:
    """Returns the SBOM: the locked dependencies, and the vendored libraries with their hashes."""
    argv = [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements"]
    argv += ["requirements/run.lock", "--pyproject", "pyproject.toml"]
    argv += ["--output-reproducible", "--of", "JSON"]
    done = subprocess.run(argv, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    document: dict[str, Any] = json.loads(done.stdout)
    root = document["metadata"]["component"]
    root["version"], root["purl"] = __version__, f"pkg:pypi/wishwell@{__version__}"
    vendored = json.loads((ROOT / "requirements" / "vendored.json").read_text("utf-8"))
    document["components"] += vendored
    parts = [component["bom-ref"] for component in document["components"]]
    document["dependencies"] = [
        {"ref": root["bom-ref"], "dependsOn": parts},
        *({"ref": part} for part in parts),
    ]
    return document


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "sbom.json").write_text(json.dumps(made(), indent=2) + "\n", "utf-8")
