"""Makes the links of the READMEs in packed npm packages absolute, for the pages of a registry.

`python -m tools.npm_readmes build/wishwell-*.tgz` replaces each file.
"""

import gzip
import io
import json
import sys
import tarfile
from pathlib import Path

from tools.build_hooks import absolute

README, MANIFEST = "package/README.md", "package/package.json"


def replace(path: Path) -> None:
    """Replaces a package by one whose README's links are absolute. Its other files stay."""
    with tarfile.open(path) as archive:
        files = [(member, archive.extractfile(member)) for member in archive.getmembers()]
        content = {member.name: file.read() for member, file in files if file is not None}
    about = json.loads(content[MANIFEST])["repository"]
    repository = about["url"].removeprefix("git+").removesuffix(".git")
    text = absolute(content[README].decode(), repository, about["directory"])
    content[README] = text.encode()
    with (
        path.open("wb") as raw,
        gzip.GzipFile(path.stem, "wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for member, _ in files:
            member.size = len(content.get(member.name, b""))
            archive.addfile(member, io.BytesIO(content.get(member.name, b"")))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        replace(Path(name))
