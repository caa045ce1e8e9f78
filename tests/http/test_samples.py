"""The code samples of the API description, each run unchanged against the program."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOMY, missing, slow
from tests.platform import NEW, Platform
from tests.servers import Service
from tools import samples
from wishwell.http import management

pytestmark = pytest.mark.xdist_group("samples")

ELEMENTS = Path(__file__).parents[2] / "packages" / "elements" / "node_modules"
SAMPLES = {
    f"{operation['operationId']} {sample['lang']}": (path, sample["source"], operation)
    for path, item in json.loads(management.description())["paths"].items()
    for method, operation in item.items()
    if method != "parameters"
    for sample in operation["x-codeSamples"]
}
NODE = shutil.which("node") or ""
RUN_BY = {
    "Shell": ["sh", "-c"],
    "TypeScript": [NODE, "--input-type=module", "-e"],
    "Python": [sys.executable, "-c"],
}
OPTIONS = (*ROOMY, "--events", "on", "--show-wishes", "on", "--auth-flow", "/sign-in")
OPTIONS += ("--purchases", "on")
# The ids in the description's examples; SECOND is for operations that name two items.
CUSTOMER, SHARE = "7096539482", "0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90"
FIRST, SECOND = "01964a1b-0739-7128-a24b-e40ad23f0824", "01964a1b-f199-7181-a54c-66175d9dc9f8"
LIST, TOKEN = "019649e4-18b9-7651-8317-1ff4a6a3a450", "wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW"


class Exported(Platform):
    """A shop with a completed data request."""

    exported: str


@pytest.fixture(scope="module")
def platform():
    with Service() as service:
        made = Exported(service, NEW, options=OPTIONS, domain="wishes.myshopify.com")
        made.exported = made.asks("customers/data_request", 1)
        made.reaches(made.exported, "exported")
        yield made
        assert "Traceback" not in service.output()


def create(http, path: str, **body) -> dict:
    answer = http.post(path, json=body)
    assert answer.status_code in (200, 201, 202), answer.text
    return answer.json()["data"]


def records(platform: Exported, path: str) -> dict[str, str]:
    """Returns newly made records' ids for the ids of the examples."""
    shop, customer = platform.shop, secrets.token_hex(5)
    owner = shop.acting_as(shop.gid("owner" if path.startswith("/shared") else customer))
    wishes = create(owner, "/lists", name=secrets.token_hex(5))
    first, second = (
        create(owner, "/items", productId=secrets.randbelow(10**9), listIds=[wishes["id"]])["id"]
        for _ in range(2)
    )
    of = "/shares" if path.startswith("/shares") else f"/lists/{wishes['id']}/shares"
    share = create(owner, of, reservations=True)
    if "reservation" in path:
        url = f"/shared/{share['token']}/items/{first}/reservation"
        shop.acting_as(shop.gid(customer)).put(url, json={"quantity": 1})
    shop.admin.put("/products/632910392", json={"title": "T-shirt"})
    if "{webhookId}" in path:
        first = create(shop.admin, "/webhooks", url="https://shop.example/wishes")["id"]
        second = create(shop.admin, f"/webhooks/{first}/test")["id"]
    if "{orderId}" in path:
        now = "2025-04-18T17:00:00Z"
        order = {"orderId": "1001", "profile": shop.gid(), "placedAt": now, "updatedAt": now}
        order |= {"status": "paid", "lines": []}
        shop.admin.put("/orders", json={"orders": [order]}).raise_for_status()
    if "{tokenId}" in path:
        shop.another_admin_token()
        first = shop.admin.get("/tokens").json()["data"][0]["id"]
    if "{requestId}" in path:
        second = platform.exported if "export" in path else platform.asks("shop/redact")
    ids = {CUSTOMER: customer, FIRST: first, SECOND: second, LIST: wishes["id"]}
    return ids | {SHARE: share["id"], TOKEN: share["token"]}


@pytest.mark.parametrize(
    "name",
    [name if name.endswith("Shell") else slow(name) for name in SAMPLES],
)
def test_sample_succeeds_with_existing_records(platform, name):
    """Each sample succeeds with the ids of existing records, and with a customer's token if any
    token will do; only a 2xx is a success. Rule: openapi-complete."""
    try_sample(platform, name, samples.ADDRESS, platform.shop.service.url)


def try_sample(platform, name: str, address: str, here: str) -> None:
    """Runs a sample with another address and the ids of existing records. Asserts its success."""
    path, source, operation = SAMPLES[name]
    shop = platform.shop
    ids = records(platform, path)
    for example, id in ids.items():
        source = source.replace(example, id)
    source = source.replace(address, here)
    command = RUN_BY[name.partition(" ")[2]]
    if not command[0]:
        missing("there is no node on PATH")
    of_admin = operation.get("x-admin-token", False)
    token = shop.admin_token if of_admin else shop.customer(ids[CUSTOMER]).token
    assert of_admin or "Profile" not in source.replace("createProfileToken", "")
    env = {"PATH": os.environ["PATH"], "TOKEN": token}
    done = subprocess.run([*command, source], env=env, capture_output=True, text=True, timeout=60)
    for hook in shop.admin.get("/webhooks").json()["data"]:
        shop.admin.delete(f"/webhooks/{hook['id']}")
    assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


def test_operations_have_samples():
    """All operations have curl and TypeScript samples, a dozen have Python.
    Rule: openapi-complete."""
    by_language = {lang: [name for name in SAMPLES if name.endswith(lang)] for lang in RUN_BY}
    assert len(by_language["Shell"]) == len(by_language["TypeScript"]) > 50
    assert len(by_language["Python"]) >= 12


def test_sample_fails_when_its_request_is_refused(platform):
    """Samples fail after a refused request in each language, so the tests above would notice."""
    for lang, command in RUN_BY.items():
        _, source, _ = SAMPLES[f"listItems {lang}"]
        source = source.replace(samples.ADDRESS, platform.shop.service.url)
        env = {"PATH": os.environ["PATH"], "TOKEN": "wwadm_nobody"}
        assert subprocess.run([*command, source], env=env, capture_output=True).returncode != 0


@pytest.mark.slow
def test_typescript_samples_are_valid_strict_typescript(tmp_path):
    """Each sample is valid strict TypeScript; `npm ci` in packages/elements/ installs the compiler."""
    if not (ELEMENTS / "typescript").exists():
        pytest.skip("there is no packages/elements/node_modules")
    files = []
    for name, (_, source, _) in SAMPLES.items():
        if name.endswith("TypeScript"):
            files.append(tmp_path / f"{name.split()[0]}.ts")
            files[-1].write_text(source)
    compiler = [NODE, str(ELEMENTS / "typescript" / "bin" / "tsc"), "--noEmit", "--strict"]
    compiler += ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    compiler += ["--moduleDetection", "force", "--types", "node"]
    compiler += ["--typeRoots", str(ELEMENTS / "@types")]
    done = subprocess.run([*compiler, *map(str, files)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
