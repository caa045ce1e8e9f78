"""Runs the commands in documents, unchanged."""

import contextlib
import json
import os
import re
import secrets
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import jwt
import pytest

from tests.documents import ROOT, commands
from tests.servers import SECRETS, Service, postgres_binaries, wait_until


def shell(service, lines, **more):
    environment = service.environment | {"PATH": f"{service.command.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        cwd=service.folder,
        env=environment | more,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answers(output):
    """Parses concatenated JSON values."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(output.rstrip()):
        value, at = decoder.raw_decode(output, at)
        found.append(value)
    return found


SMALL = [
    ("docs/operations.md", "## Migrations", ""),
    ("docs/operations.md", "## Health", "ok"),
    ("docs/operations.md", "## Metrics", "wishwell_requests_total{"),
    ("docs/operations.md", "## Events and purge", "0 sessions"),
    ("docs/storefront.md", "## Ten minutes", '"productId":632910392'),
    ("docs/storefront.md", "## The wishlist page", "default"),
    ("docs/sign-in.md", "## The shop's JWT", ""),
    ("docs/sign-in.md", "## The platform's app proxy", ""),
    ("docs/sign-in.md", "## A proxy that knows the shop's session", "wwadm_"),
    ("docs/storefront.md", "## A store and its shop", "https://shop.example"),
    ("docs/data.md", "# A store as a file", "0 profiles"),
    ("docs/forgetting.md", "# When somebody", "1 not found"),
    ("docs/runbooks.md", "## My wishlist", "Not recorded:"),
]


@pytest.mark.slow
def test_documented_commands_of_each_section_run():
    """The commands of each section work one after the other, with the files and variables that the
    pages mention."""
    with Service().start() as service:
        for name in ("key.txt", "secret.txt"):
            (service.folder / name).write_text(secrets.token_hex(32))
        known = {"API": f"{service.url}/api/2025-04", "ADMIN": service.admin_token()}
        for page, heading, said in SMALL:
            text = "\n".join(commands(page, heading))
            output = shell(service, [text.replace("http://127.0.0.1:8000", service.url)], **known)
            SECRETS.update(re.findall(r"wwadm_\w+", output))
            assert said in output, (page, heading, output)


@pytest.mark.slow
def test_service_starts_as_described():
    """The commands of the first section create a database, and the service runs on it."""
    lines = commands("docs/operations.md", "## Install")
    *lines, serve = lines[lines.index("umask 077") :]
    assert serve == "wishwell serve"
    with contextlib.closing(Service()) as service:
        token = shell(service, lines).split()[-1]
        SECRETS.add(token)
        assert service.start().client(token).get("/items").status_code == 200


@pytest.mark.slow
def test_postgresql_is_set_up_as_described(postgres_server):
    """The page's SQL and commands set up a role and a database, and the service runs."""
    name = f"shop_{secrets.token_hex(4)}"
    admin = postgres_server.create_database()
    path = {"PATH": f"{postgres_binaries()}:{os.environ['PATH']}"}
    page = (ROOT / "docs/operations.md").read_text().partition("## PostgreSQL")[2]
    role, grants, bounds, *_ = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)

    def sql(text, database=admin):
        text = re.sub(r"\bserved\b", f"{name}_served", re.sub(r"\bwishwell\b", name, text))
        argv = ["psql", "-v", "ON_ERROR_STOP=1", database]
        subprocess.run(argv, input=text, env=os.environ | path, text=True, check=True)

    with Service() as service:
        sql(role)
        *lines, serve = commands("docs/operations.md", "## PostgreSQL")
        at = urlsplit(admin).netloc.rpartition("@")[2]
        url = f"postgresql://{name}:secret@{at}/{name}"
        names = ("WISHWELL_SIGNING_KEYS_FILE", "WISHWELL_SEALING_KEYS_FILE")
        text = re.sub(r"postgresql://\S+", url, "\n".join(lines))
        *_, token, signing, sealing = shell(service, [text, f"printenv {' '.join(names)}"]).split()
        SECRETS.update((token, Path(signing).read_text(), Path(sealing).read_text()))
        sql(bounds)
        sql(f"CREATE ROLE served; {grants}", f"{admin.rpartition('/')[0]}/{name}")
        assert serve == "wishwell serve"
        keys = dict(zip(names, (signing, sealing), strict=True))
        service.settings |= keys | {"WISHWELL_DATABASE_URL": url}
        assert service.start().client(token).get("/items").status_code == 200


@pytest.mark.slow
def test_store_moves_to_postgresql_as_described(postgres_server):
    """The commands of docs/data.md move a store, and its token stays valid. Rule: import-exact."""
    file = Service().start()
    token = file.admin_token()
    who = "gid://shopify/Customer/1"
    item = file.client(token, who).post("/items", json={"productId": 5}).json()["data"]
    file.stop()
    lines = commands("docs/data.md", "## Moving a store")
    assert lines.pop() == "wishwell serve"
    database = postgres_server.create_database()
    lines = [re.sub(r"postgresql://\S+", database, line) for line in lines]
    assert "1 profile, 0 lists, 1 item" in shell(file, lines)
    keys = {
        "WISHWELL_SIGNING_KEYS": (file.folder / "wishwell.db.key").read_text(),
        "WISHWELL_SEALING_KEYS": (file.folder / "wishwell.db.sealing.key").read_text(),
    }
    with Service(keys | {"WISHWELL_DATABASE_URL": database}).start() as server:
        assert server.client(token, who).get("/items").json()["data"] == [item]
    file.close()


@pytest.mark.slow
def test_leaked_tokens_are_revoked_as_described():
    """The steps of SECURITY.md revoke leaked tokens. Rule: token-revoked."""
    with Service().start() as service:
        service.quick("store", "create", "leaky")
        old = service.create_token("leaky", "shop server")
        [record] = json.loads(service.quick("token", "list", "--store", "leaky", "--json"))
        lines = "\n".join(commands("SECURITY.md", "## An admin token has leaked"))
        lines = re.sub(r"\bID$", record["id"], lines.replace("HANDLE", "leaky"), flags=re.MULTILINE)
        admin = service.client(re.search(r"wwadm_\w+", shell(service, [lines]))[0])
        issued = admin.post("/profiles/token", json={"customer": "gid://shopify/Customer/7"})
        token = issued.json()["data"]["token"]
        one, everything = commands("SECURITY.md", "## A profile token has leaked")
        shell(service, [one], TOKEN=token)
        shell(service, [everything.replace("HANDLE", "leaky")])
        clients = [service.client(leaked) for leaked in (old, token)]
        refused = lambda: [http.get("/items").status_code for http in clients] == [401, 401]  # noqa: E731
        assert wait_until(refused, seconds=30, every=0.1)
        assert admin.get("/items").status_code == 200


@pytest.mark.slow
def test_leaked_secrets_of_a_store_are_replaced_as_described():
    """The commands of SECURITY.md replace a store's secrets; cookies and JWTs of the old ones
    become invalid.
    Rule: storefront-secrets."""
    old, new = (f"the-{age}-key-of-the-shop-of-40-characters" for age in ("old", "new"))
    with Service().start() as service:
        (service.folder / "old.key").write_text(old)
        (service.folder / "new.key").write_text(new)
        shell(service, ["wishwell store update default --jwt-cookie shop --jwt-key-file old.key"])
        url = f"{service.url}/apps/wishlist/api/items"
        same = {"Sec-Fetch-Site": "same-origin"}
        saved = httpx2.post(url, json={"productId": 5}, headers=same)
        cookies = {
            f"shop={jwt.encode({'sub': '7', 'exp': time.time() + 600}, old, 'HS256')}",
            saved.headers["set-cookie"].partition(";")[0],
        }

        def shoppers():
            answers = [httpx2.get(url, headers={"Cookie": cookie}) for cookie in cookies]
            return {answer.headers["wishwell-shopper"] for answer in answers}

        assert wait_until(lambda: "-" not in shoppers(), seconds=30, every=0.1)
        lines = commands("SECURITY.md", "## A store's secrets have leaked")
        shell(service, [line.replace("HANDLE", "default") for line in lines])
        assert wait_until(lambda: shoppers() == {"-"}, seconds=30, every=0.1)
