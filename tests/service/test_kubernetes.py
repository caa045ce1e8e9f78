"""The manifests of deploy/kubernetes match Kubernetes' schemas and this program."""

import os
import re
import subprocess
from dataclasses import fields
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from wishwell import config
from wishwell.access import addresses
from wishwell.http import routes

ROOT = Path(__file__).parents[2]
DOCUMENTS = {
    f"{path.stem} {document['kind']}": document
    for path in sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
}
PODS = {
    name: one["spec"]["template"]
    for name, one in DOCUMENTS.items()
    if "template" in one.get("spec", {})
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("version", ["1.32", "latest"])
def test_manifest_is_right_by_the_schema(name, version):
    """Every field is known and has the right type and place."""
    document = DOCUMENTS[name]
    named = kubernetes_validate.latest_version() if version == "latest" else version
    kubernetes_validate.validate(document, named, strict=True)


@pytest.mark.parametrize("name", PODS)
def test_pod_may_do_little(name):
    """Pods run as the image's user, not root, with a read-only file system except /tmp and the
    journal's volume, no capabilities and no cluster token."""
    spec = PODS[name]["spec"]
    assert not spec["automountServiceAccountToken"]
    user = re.search(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())[1]
    assert (
        spec["securityContext"]["runAsUser"] == int(user)
        and spec["securityContext"]["runAsNonRoot"]
    )
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    [container] = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"].keys() == {"requests", "limits"}
    writable = [m["mountPath"] for m in container["volumeMounts"] if not m.get("readOnly")]
    assert writable == ["/tmp", "/journal"]
    journal = {one["name"]: one.get("value") for one in container["env"]}["WISHWELL_JOURNAL"]
    assert journal == "/journal/$(POD).jsonl"
    claimed = spec["volumes"][-1]["persistentVolumeClaim"]["claimName"]
    assert claimed == DOCUMENTS["configuration PersistentVolumeClaim"]["metadata"]["name"]


def test_settings_and_paths_are_those_of_the_program():
    """Each variable is a valid setting, secrets are files, and probes use existing paths."""
    settings = DOCUMENTS["configuration ConfigMap"]["data"]
    known = {f"WISHWELL_{field.name.upper()}": field for field in fields(config.Settings)}
    for name, value in settings.items():
        field = known[name.removesuffix("_FILE")]
        secret = field.metadata["secret"] and name != "WISHWELL_REDIS_URL"
        assert secret == name.endswith("_FILE")
        if not secret:
            field.metadata["parse"](value)
    [container] = DOCUMENTS["deployment Deployment"]["spec"]["template"]["spec"]["containers"]
    paths = {route.path for route in routes.MANAGEMENT}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["path"] in paths
    assert str(container["ports"][0]["containerPort"]) == settings["WISHWELL_PORT"]
    grace = DOCUMENTS["deployment Deployment"]["spec"]["template"]["spec"][
        "terminationGracePeriodSeconds"
    ]
    sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert grace > sleep + config.Settings().shutdown_timeout + 10


def test_labels_and_names_fit_together():
    """Selectors match the pods' labels, and mounted secrets are created by the documented command."""
    labels = PODS["deployment Deployment"]["metadata"]["labels"]
    assert DOCUMENTS["deployment Service"]["spec"]["selector"].items() <= labels.items()
    for name in ("deployment Deployment", "deployment PodDisruptionBudget"):
        assert DOCUMENTS[name]["spec"]["selector"]["matchLabels"].items() <= labels.items()
    [chosen] = DOCUMENTS["network NetworkPolicy"]["spec"]["podSelector"]["matchExpressions"]
    assert {pod["metadata"]["labels"]["app"] for pod in PODS.values()} == set(chosen["values"])
    text = (ROOT / "deploy" / "kubernetes" / "configuration.yaml").read_text()
    made = re.findall(r"--from-file=(\w+)", text)
    settings = DOCUMENTS["configuration ConfigMap"]["data"]
    assert {Path(v).name for k, v in settings.items() if k.endswith("_FILE")} == set(made)


def test_compose_trusts_the_web_server_in_front():
    """compose.yaml has only valid settings, and trusts proxies on Docker's networks, so that visitors
    have rate limits. Rule: limit-address."""
    document = yaml.safe_load((ROOT / "compose.yaml").read_text())
    given = document["services"]["wishwell"]["environment"]
    plain = {name: value for name, value in given.items() if not name.endswith("_FILE")}
    trusted = config.load(plain).trusted_proxies
    assert all(addresses.is_within(peer, trusted) for peer in ("172.18.0.1", "192.168.16.1"))
    assert not addresses.is_within("203.0.113.5", trusted)


def test_compose_secrets_are_readable_by_their_containers_alone(tmp_path):
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
