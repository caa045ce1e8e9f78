"""A release's files, and the pages that registries show for them."""

import json
import os
import re
import subprocess
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import yaml

from tests import documents
from tools import build_hooks, npm_readmes
from wishwell import __version__

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("WISHWELL_TEST_RELEASE", ""))
VENDORED = json.loads((ROOT / "requirements" / "vendored.json").read_text())
REPOSITORY = "https://github.com/wishwell/wishwell"
RAW = REPOSITORY.replace("github.com", "raw.githubusercontent.com")


def assert_links_resolve(text, least=20):
    """Asserts that each link is absolute, and that those to the release's files exist here."""
    targets = re.findall(r"\]\(([^)#][^)]*)\)", text) + re.findall(r'<img src="([^"]+)"', text)
    assert len(targets) > least
    for target in targets:
        assert re.match("https?://", target), target
        path = re.sub(f"^({REPOSITORY}/blob|{RAW})/v{__version__}/", "", target.partition("#")[0])
        assert path.startswith("http") or (ROOT / path).exists(), target


def test_readme_on_a_package_index_has_working_links():
    """The long description's links and pictures are absolute and exist."""
    text = build_hooks.absolute((ROOT / "README.md").read_text(), REPOSITORY)
    assert_links_resolve(text)
    assert 'src="/apps/wishlist/' in text, "samples stay"


@pytest.mark.parametrize("folder", ["proxy", "react"])
def test_readme_of_an_npm_package_has_working_links(folder, tmp_path):
    """A packed package's README has absolute links to existing files; its other files stay."""
    path, source = tmp_path / "package.tgz", ROOT / "packages" / folder
    with tarfile.open(path, "w:gz") as archive:
        for name in ("package.json", "README.md", "tsconfig.json"):
            archive.add(source / name, f"package/{name}")
    npm_readmes.replace(path)
    with tarfile.open(path) as archive:
        packed = {one.name: archive.extractfile(one).read().decode() for one in archive}
    assert_links_resolve(packed["package/README.md"], 3)
    for name in ("package.json", "tsconfig.json"):
        assert packed[f"package/{name}"] == (source / name).read_text()


def test_repository_url_is_the_same_everywhere():
    """Each place names the placeholder of the repository that `pyproject.toml` names, so that one
    replacement changes all."""
    assert f'Repository = "{REPOSITORY}"' in (ROOT / "pyproject.toml").read_text()
    places = [*ROOT.glob("packages/*/package.json"), ROOT / "clients" / "python" / "pyproject.toml"]
    for path in (
        *places,
        ROOT / "src/wishwell/errors.py",
        ROOT / ".github/ISSUE_TEMPLATE/config.yml",
    ):
        found = {*re.findall(r"https://github\.com/[\w-]+/[\w-]+", path.read_text())}
        assert found == {REPOSITORY}, path


def test_readme_begins_with_the_demo_and_how_to_start_and_test():
    """The README's first commands clone the repository and open the demo, above the pictures; the next
    start the service and run its tests. Shell functions, which readers would have to understand first,
    are in no sample."""
    clone, demo, start = (block.lines for block in documents.blocks("README.md")[:3])
    assert clone == [f"git clone {REPOSITORY}.git && cd wishwell"]
    assert demo == ["make demo"]
    run, test = start
    assert re.match("make run +# start the service", run)
    assert re.match("make test +# run and pass the tests", test)
    text = (ROOT / "README.md").read_text()
    assert (
        text.index("make demo")
        < text.index("<img")
        < text.index("make run")
        < text.index("<wishlist-button")
    )
    lines = [line for block in documents.blocks("README.md") for line in block.lines]
    assert not [line for line in lines if re.search(r"\w+ ?\(\) ?\{|^function ", line)]


def test_notices_name_every_vendored_library():
    """THIRD_PARTY.md, the SBOM's list and the files beside the works agree."""
    notice = (ROOT / "THIRD_PARTY.md").read_text()
    rows = re.findall(r"^\| \[(\S+)\]\(.+?\) \| .+? \| \[(.+?)\]\((.+?)\) \|", notice, re.MULTILINE)
    assert {(name.lower(), licence) for name, licence, _ in rows} == {
        (one["name"], one["licenses"][0]["license"]["id"]) for one in VENDORED
    }
    folder = ROOT / "src" / "wishwell"
    readmes = " ".join(path.read_text() for path in sorted(folder.rglob("README.txt"))).lower()
    assert all(f"{one['name']} {one['version']}" in readmes for one in VENDORED)
    licences = set(folder.rglob("*LICENSE*"))
    assert licences == {ROOT / path for _, _, path in rows}


@pytest.mark.skipif(not BUILD.name, reason="`make release-check` builds a release")
def test_release_has_commit_notices_and_links():
    """The wheel, which is built from the source distribution, names its commit, and has the notices
    and absolute links; npm packages have their licence at the root."""
    [wheel] = BUILD.glob("dist/wishwell-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert re.fullmatch("[0-9a-f]{12}(-dirty)?", archive.read("wishwell/commit.txt").decode())
        [path] = [name for name in names if name.endswith(".dist-info/METADATA")]
        about = message_from_string(archive.read(path).decode())
    assert about["License-Expression"] == "Apache-2.0 AND BSD-3-Clause AND MIT"
    assert {"LICENSE", "THIRD_PARTY.md"} < {*about.get_all("License-File")}
    assert (about["Author"], about["Version"]) == ("Wishwell contributors", __version__)
    assert_links_resolve(about.get_payload())
    [sdist] = BUILD.glob("dist/wishwell-*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CHANGELOG.md", "Makefile", "src/wishwell/commit.txt"} < inside
    packages = sorted(BUILD.glob("dist/*.tgz"))
    assert len(packages) == 3
    for package in packages:
        with tarfile.open(package) as archive:
            assert {"package/LICENSE", "package/README.md"} < {*archive.getnames()}, package
            assert_links_resolve(archive.extractfile("package/README.md").read().decode(), -1)


@pytest.mark.skipif(not BUILD.name, reason="`make release-check` builds a release")
def test_sbom_lists_the_runtime_dependencies():
    """The SBOM has the root's version, the dependencies and the vendored libraries, and no build
    tool."""
    document = json.loads((BUILD / "sbom.json").read_text())
    assert document["metadata"]["component"]["version"] == __version__
    names = {component["name"] for component in document["components"]}
    assert {"uvicorn", *(one["name"] for one in VENDORED)} < names
    locked = (ROOT / "requirements" / "build.lock").read_text()
    assert not names & {*re.findall(r"^([\w.-]+)==", locked, re.MULTILINE)}


@pytest.mark.parametrize(
    ("version", "tags"), [("1.4.2", ["1.4.2", "1.4", "1"]), ("1.5.0rc1", ["1.5.0rc1"])]
)
def test_image_has_both_architectures_and_all_tags(tmp_path, version, tags):
    """The release's image is for amd64 and arm64, and a final release's is tagged with its full,
    minor and major version."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    built = [one["architecture"] for one in jobs["image"]["strategy"]["matrix"]["include"]]
    assert built == ["amd64", "arm64"]
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\ncat > /dev/null\necho "$@"\n')
    docker.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REF_NAME": f"v{version}"}
    environment |= {"GITHUB_REPOSITORY": "Wishwell/wishwell", "GITHUB_ACTOR": "a", "TOKEN": "t"}
    [step] = jobs["image-tags"]["steps"]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step["run"]],
        env=environment,
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    words = done.stdout.splitlines()[-1].split()
    image = "ghcr.io/wishwell/wishwell:"
    assert [word for word in words if word.startswith(image)] == [
        *(image + tag for tag in tags),
        *(f"{image}{version}-{architecture}" for architecture in built),
    ]
    assert words.count("--tag") == len(tags)
