"""deploy/: the manifests of Kubernetes match its schemas and this program; each alert has a runbook."""

import re
from dataclasses import fields
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from wishwell import config
from wishwell.http import routes

ROOT = Path(__file__).parents[2]
RUNBOOKS = "docs/runbooks.md"
RULES = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text())
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]
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
def test_manifest_matches_the_schema_of_kubernetes(name, version):
    """Every field is known and has the right type and place."""
    document = DOCUMENTS[name]
    named = kubernetes_validate.latest_version() if version == "latest" else version
    kubernetes_validate.validate(document, named, strict=True)


@pytest.mark.parametrize("name", PODS)
def test_pods_have_few_permissions(name):
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


def test_manifests_name_only_existing_settings_and_paths():
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


def test_selectors_match_labels_and_mounted_secrets_are_created():
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


def heads(document):
    """Returns a document's headings by anchor."""
    found = re.findall("^#+ (.+)$", (ROOT / document).read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-"): head for head in found}


def test_each_alert_has_an_entry_in_the_runbooks():
    """Each alert's `runbook_url` leads to its entry, and no entry is without an alert."""
    entries = {anchor for anchor, head in heads(RUNBOOKS).items() if head.startswith("Wishwell")}
    urls = [rule["annotations"]["runbook_url"] for rule in ALERTS]
    assert urls == [f"{RUNBOOKS}#{rule['alert'].lower()}" for rule in ALERTS]
    assert entries == {url.partition("#")[2] for url in urls}


def test_runbook_entries_say_what_to_do():
    """Each entry says what to do, and how to recognise the end."""
    text = (ROOT / RUNBOOKS).read_text()
    for entry in re.split("^## ", text, flags=re.MULTILINE)[1:]:
        there = "**Do" in entry and "**Over" in entry
        assert there or "see [Receiver down]" in entry, entry.partition("\n")[0]
