"""The journal: which acts and commands have a line, and what happens while it can't be written."""

import fcntl
import hashlib
import json
import os
import resource
import subprocess
import sys

import click
import msgspec
import pytest

from tests.conftest import SEALING_KEY
from tests.platform import NEW, Platform
from tests.servers import wait_until
from wishwell import ids
from wishwell.cli import main
from wishwell.db.journal import Act, Journal, actor
from wishwell.errors import Unrecorded
from wishwell.privacy import journal_replay

from .test_metrics import wait_for_value

TIME = "2026-11-01T00:00:00.000Z"
GID = "gid://shopify/Customer/7"
READS = {
    "serve", "store list", "token list", "webhook list", "webhook deliveries", "profile requests", "profile history",
    "report products", "report summary", "report days", "report wishers", "report purchases", "export", "doctor", "backup",
    "version", "settings", "deploy-files", "openapi", "profile key", "store mail show", "store mail preview", "store mail test",
}  # fmt: skip
UNRUN = {
    "serve",
    "doctor",
    "settings",
    "deploy-files",
    "openapi",
    "backup",
    "report wishers",
    "store mail test",
}  # tested elsewhere


def lines(service, action=None):
    file = service.folder / "wishwell.db.journal.jsonl"
    text = file.read_text() if file.exists() else ""
    found = [json.loads(line) for line in text.splitlines()]
    return [line for line in found if action in (None, line["action"])]


def command_names(group, prefix=""):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from command_names(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}"


@pytest.fixture
def service(new_service):
    """A service with a database and a journal that no other test uses."""
    journal = {
        "WISHWELL_JOURNAL": "wishwell.db.journal.jsonl",
        "WISHWELL_SEALING_KEYS": SEALING_KEY,
    }
    service = new_service(**journal).start()
    yield service
    service.close()


@pytest.mark.either_engine
def test_each_command_that_writes_leaves_a_line_with_its_system_user(service):
    """Each command of the program is tested here and writes a line with the system user, or only reads.
    Rule: journal-first."""
    write = lambda name, text: (service.folder / name).write_text(text)  # noqa: E731
    write("stores.yaml", "stores: [{handle: default, priceDropPercent: 9}]")
    write("products.csv", "id,title\n1,Mug\n")
    done = {}

    def run(name, *words):
        before = len(lines(service))
        code, out, err = service.attempt(*name.split(), *words)
        assert code == 0, (name, out, err)
        done[name] = [line for line in lines(service)[before:] if line["action"] == "command"]
        return out

    run("init")
    run("migrate")
    run("store create", "another")
    run("store update", "default", "--events", "on")
    run("store apply", "stores.yaml", "--yes")
    write("smtp", "smtp://127.0.0.1:1")
    write("emails.csv", "customer,email\n7,ann@shop.example\n")
    write("bounced", "ann@shop.example\n")
    run("store mail set", "default", "--smtp-file", "smtp")
    run("store mail pause", "default", "--cancel")
    run("store mail resume", "default")
    run("store mail suppress", "default", "bounced")
    run("store mail unsuppress", "default", "ann@shop.example")
    run("profile emails", "emails.csv", "--store", "default")
    admin = service.client(run("token create", "--store", "default", "--label", "x").strip(), GID)
    assert admin.post("/items", json={"productId": 5}).status_code == 201
    write("store.jsonl", service.quick("export", "--store", "default"))
    run("import", "store.jsonl", "--store", "another")
    run("products", "products.csv", "--map", "product=id,title=title", "--store", "default")
    [hook] = json.loads(run("webhook create", "https://a.example/", "--json"))
    hook = hook["id"]
    run("webhook update", hook, "--off")
    run("webhook update", hook, "--on")
    run("webhook secret", hook)
    [sent] = json.loads(run("webhook test", hook, "--json"))
    run("webhook retry", hook, sent["id"])
    run("webhook replay", hook, "--since", "2026-01-01T00:00:00Z")
    for name in sorted(READS - UNRUN):
        run(name, *(["default"] if name.startswith("store mail") else []),
            *(["--store", "default"] if name.startswith(("export", "profile")) else []),
            *([GID] if name in ("profile history", "profile key") else []),
                         *([hook] if name == "webhook deliveries" else []))  # fmt: skip
    run("webhook delete", hook)
    run("clock", "confirm", "--yes")
    run("profile erase", GID, "--store", "default")
    run("token revoke", json.loads(service.quick("token", "list", "--json"))[0]["id"])
    run("restore replay", "wishwell.db.journal.jsonl")
    admin = service.client(service.create_token())
    assert admin.post("/profiles/token").status_code == 201
    service.settings["WISHWELL_EMPTY_SESSION_DAYS"] = "0"
    run("purge")
    argv = [
        str(service.command),
        "store",
        "delete",
        "another",
        "--yes",
    ]  # waits 5 s before it deletes
    deleting = subprocess.Popen(argv, cwd=service.folder, env=service.environment)
    assert wait_until(lambda: lines(service, "store.deleted"), seconds=30)
    deleting.kill()
    deleting.wait()
    done["store delete"] = lines(service, "command")[-1:]
    elsewhere = {"restore database"}  # tests/service/test_runbooks.py
    assert done.keys() | READS | elsewhere == {*command_names(main)}
    for name, found in done.items():
        names = [line["command"] for line in found]
        assert names == ([] if name in READS else [name]), name
        assert all(line["by"].startswith(f"wishwell {name} (") for line in found)
    assert {line["store"] for line in done["store update"]} == {"default"}
    assert GID not in (service.folder / "wishwell.db.journal.jsonl").read_text()
    assert (service.folder / "wishwell.db.journal.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.either_engine
def test_line_of_a_command_has_its_options_and_withholds_secrets_and_people(service):
    """A command's line can be repeated from its options; secrets, GIDs and addresses are named without
    their value, and a file has its hash, unless it is a secret. Rule: journal-options."""
    texts = b'{"de": {"heading": "Meine Wunschliste"}}'
    (service.folder / "texts.json").write_bytes(texts)
    (service.folder / "secret").write_text("shpss_0123456789abcdef0123456789abcdef")
    service.cli("init")
    service.quick("store", "update", "default", "--events", "on", "--host", "https://a.example",
                  "--host", "https://b.example", "--shop-name", "Ann's shop", "--json")  # fmt: skip
    service.quick("store", "update", "default", "--texts", "texts.json",
                  "--platform-secret-file", "secret", "--mail-from", "shop@sender.example",
                  "--auth-flow", "")  # fmt: skip
    service.quick("webhook", "create", "https://c.example/?key=hidden", "--type", "item.created")
    token = service.create_token(label="a b")
    service.attempt("token", "revoke", GID)
    service.quick("token", "revoke", token)
    named, hidden, hook, created, *revoked = (
        (line["command"], line.get("options"), line.get("withheld"))
        for line in lines(service, "command")[-6:]
    )
    assert named == (
        "store update",
        ["default", "--host=https://a.example", "--host=https://b.example",
         "--shop-name=Ann's shop", "--events=on"],
        None,
    )  # fmt: skip
    assert hidden == (
        "store update",
        ["default", "--platform-secret-file=FILE", "--auth-flow=", "--texts=FILE",
         "--mail-from=ADDRESS"],
        {"--platform-secret-file": "", "--texts": hashlib.sha256(texts).hexdigest(),
         "--mail-from": ""},
    )  # fmt: skip
    assert hook == ("webhook create", ["URL", "--type=item.created"], {"URL": ""})
    assert created == ("token create", ["--store=default", "--label=a b"], None)
    assert revoked[-1] == ("token revoke", ["TOKEN"], {"TOKEN": ""})
    text = (service.folder / "wishwell.db.journal.jsonl").read_text()
    hidden_texts = ("shpss_", "sender.example", "hidden", token, GID)
    assert not [one for one in hidden_texts if one in text]


@pytest.mark.either_engine
def test_act_by_api_or_platform_leaves_a_line_with_its_token_and_no_gid(service):
    """An action by the API or the platform writes a line with the token and the profile's derived key, but no
    GID and no address. An erasure's line also has the sessions that were linked to the customer. Rule: journal-first."""
    platform = Platform(service, NEW, options=("--events", "on"))
    shop, other = platform.shop, platform.shop.another_admin_token()
    ann, bob = (shop.gid(str(number)) for number in (1, 2))
    for gid in (ann, bob):
        assert shop.acting_as(gid).post("/items", json={"productId": 5}).status_code == 201
    visitor = shop.session()
    link = {"customer": ann, "session": visitor.gid}
    assert shop.admin.post("/profiles/token", json=link).status_code == 201
    tokens = {one["label"]: one["id"] for one in shop.admin.get("/tokens").json()["data"]}
    hook = json.loads(service.quick("webhook", "create", "https://a.example/", "--store", shop.handle, "--json"))[0]["id"]  # fmt: skip
    called_off = platform.asks("shop/redact")
    for path in (f"/tokens/{tokens['another']}", f"/webhooks/{hook}", f"/requests/{called_off}"):
        assert shop.admin.delete(path).status_code == 204
    assert shop.acting_as(bob).patch("/profile", json={"notices": False}).status_code == 200
    bounced = {"suppressions": [{"email": "bob@secret.example", "reason": "bounced"}]}
    assert shop.admin.put("/mails/suppressions", json=bounced).status_code == 200
    assert shop.acting_as(ann).delete("/profile").status_code == 204
    platform.asks("customers/redact", "2")
    assert wait_until(lambda: len(lines(service, "profile.erased")) == 2, seconds=30)
    found = [line for line in lines(service) if line["action"] != "command"]
    me, of_ann, of_bob = (
        f"token {tokens['test']}",
        *(ids.profile_key(shop.id, one) for one in (ann, bob)),
    )
    assert [
        (line["action"], line["by"], line.get("profile", line.get("id"))) for line in found
    ] == [
        ("token.revoked", me, tokens["another"]),
        ("webhook.deleted", me, hook),
        ("request.called_off", me, called_off),
        ("notices.withdrawn", me, of_bob),
        ("address.suppressed", me, None),
        ("profile.revoked", me, of_ann),
        ("profile.erased", me, of_ann),
        ("profile.revoked", "platform", of_bob),
        ("profile.erased", "platform", of_bob),
    ]
    assert {line["storeId"] for line in found} == {shop.id}
    [sessions] = [line["sessions"] for line in found if "sessions" in line]
    assert [*sessions] == [ids.profile_key(shop.id, visitor.gid)]
    assert ids.TIME_PATTERN.fullmatch(*sessions.values())
    text = (service.folder / "wishwell.db.journal.jsonl").read_text()
    secrets = (ann, bob, other, shop.admin_token, "bob@secret.example")
    assert not [one for one in secrets if one in text]


@pytest.mark.slow
@pytest.mark.either_engine
def test_replay_of_another_deployments_journal_is_noticed(service):
    """Replay names stores that the database lacks, because it may be the wrong one.
    Rule: journal-replay."""
    act = Act(action="profile.erased", store="elsewhere", store_id=ids.NO_UUID, created=TIME)
    Journal(str(service.folder / "other.jsonl")).append(
        [
            msgspec.structs.replace(act, profile=ids.random_uuid(), store=store)
            for store in ("elsewhere", "elsewhere", "")
        ],
        "me",
    )
    argv = [str(service.command), "restore", "replay", "other.jsonl"]
    done = subprocess.run(
        argv, cwd=service.folder, env=service.environment, capture_output=True, text=True
    )
    assert (done.returncode, "3 unknown here" in done.stdout) == (0, True)
    assert "here: 2 of elsewhere, 1 of a store without a name. " in done.stderr


@pytest.mark.either_engine
def test_act_is_refused_when_the_journal_is_on_a_full_disk(new_service):
    """With a full disk under the journal, the API and commands refuse the action and change nothing;
    everything else works. Rule: journal-first."""
    full = new_service(WISHWELL_JOURNAL="good.jsonl", WISHWELL_SEALING_KEYS=SEALING_KEY)
    full.cli("init")
    full.restart(settings={"WISHWELL_JOURNAL": "/dev/full"})
    token, other = (
        full.attempt("token", "create", "--store", "default", "--label", label,
                     WISHWELL_JOURNAL="good.jsonl")[1].strip() for label in ("one", "other")
    )  # fmt: skip
    admin, another = full.client(token, GID), full.client(other)
    assert admin.post("/items", json={"productId": 5}).status_code == 201
    [id] = [
        one["id"]
        for one in full.client(token).get("/tokens").json()["data"]
        if one["label"] == "other"
    ]
    turned_off = admin.patch("/profile", json={"notices": False})
    revoked = full.client(token).delete(f"/tokens/{id}")
    for refused in (admin.delete("/profile"), revoked, turned_off):
        assert refused.status_code == 503
        says = "The service can't record this in its journal. Nothing was done."
        assert refused.json()["error"]["message"] == says
        assert refused.headers["retry-after"]
    for words in (("profile", "erase", GID, "--store", "default"), ("token", "revoke", id),
                  ("token", "create", "--store", "default", "--label", "more")):  # fmt: skip
        code, out, err = full.attempt(*words)
        assert (code, out) == (1, "")
        assert "The journal /dev/full can't be written, so nothing was done. " in err
        assert "No space left" in err
    wait_for_value(full, "wishwell_unrecorded_acts_total", lambda number: number == 3)
    assert len(admin.get("/items").json()["data"]) == 1
    assert admin.get("/profile").json()["data"]["notices"] is None
    assert another.get("/items").status_code == 200
    assert len(json.loads(full.quick("token", "list", "--json"))) == 2
    full.close()


def test_journal_line_without_disk_space_is_removed_and_a_partial_one_is_ended(tmp_path):
    """A line for which the disk has no space is removed, and one that a crash cut off is ended.
    Rule: journal-first."""
    path = tmp_path / "journal"
    journal = Journal(str(path))
    for _ in range(2):
        journal.append([Act(action="first")], actor.get())
    before = path.read_bytes()
    lines = [json.loads(line) | {"time": ""} for line in before.splitlines()]  # no line is empty
    assert lines == 2 * [{"time": "", "action": "first", "by": "wishwell"}]
    assert path.stat().st_mode & 0o777 == 0o600
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        with pytest.raises(Unrecorded):
            journal.append([Act(action="second")], "me")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    path.write_bytes(before + b'{"time":"20')
    journal.append([Act(action="third")], "me")
    *_, torn, third = path.read_bytes().splitlines()
    assert (torn, json.loads(third)["action"]) == (b'{"time":"20', "third")


def test_journal_line_is_on_disk_before_the_act_is_done(tmp_path, monkeypatch):
    """The whole file has reached the disk before an act is done, and the folder of a new one.
    Rule: journal-first."""
    synced, sync = {}, os.fsync

    def fsync(file):
        sync(file)
        synced[os.readlink(f"/proc/self/fd/{file}")] = os.fstat(file).st_size

    monkeypatch.setattr(os, "fsync", fsync)
    path = tmp_path / "journal"
    for _ in range(2):
        Journal(str(path)).append([Act(action="x")], "me")
        assert synced[str(path)] == path.stat().st_size
    assert str(tmp_path) in synced


def test_journal_of_two_processes_has_whole_lines_and_survives_a_rename(tmp_path):
    """Two processes write whole lines, each into the file that has the journal's name at that moment.
    Rule: journal-first."""
    path, number = tmp_path / "journal", 200
    code = f"""
from wishwell.db.journal import Act, Journal
for number in range({number}):
    Journal({str(path)!r}).append([Act(action="x" * 5_000)], "me")
"""
    writers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert wait_until(path.exists, seconds=30)
    path.rename(tmp_path / "rotated")
    assert [writer.wait(60) for writer in writers] == [0, 0]
    acts, *wrong = journal_replay.read_journals([str(path), str(tmp_path / "rotated")])
    assert (len(acts), wrong) == (2 * number, [[], []])


def test_act_is_refused_when_another_process_holds_the_journal(tmp_path):
    """An action is refused, after a limited wait, while another process hangs in the journal.
    Rule: journal-first."""
    with (tmp_path / "journal").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(Unrecorded):
            Journal(str(tmp_path / "journal")).append([Act(action="x")], "me")
