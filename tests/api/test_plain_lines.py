"""A failing command prints one plain line, whatever its input. Rule: command-error."""

import os
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SIGNING_KEY, slow
from tests.servers import WISHWELL, Service
from tests.strategies import examples

# xdist runs the group in one process, so the shared fixtures are made once.
pytestmark = pytest.mark.xdist_group("plain-lines")


@pytest.fixture(scope="module")
def ready(new_service, engine):
    """A migrated service that only runs commands, with the stores `default` and `odd`."""
    service = new_service()
    service.cli("init")
    service.quick("store", "create", "odd")
    return service


def plain(code: int, err: str) -> str:
    """Asserts that a failed command printed one line, which for wrong arguments names the help;
    returns it."""
    assert code in (1, 2), err[-2000:]
    assert "Traceback" not in err
    assert err.startswith("wishwell: ") and err.index("\n") == len(err) - 1, err
    assert (code == 2) == err.endswith(" --help`.\n"), err
    return err


# --- output that can't be written ----------------------------------------------------------------

CREATING = "token create --store odd --label x"
PRINTING = [
    slow("--help"),
    slow("store list"),
    slow("store update odd --limit items=7"),
    CREATING,
    slow("migrate"),
    slow("purge"),
]


def typed(service, words: str) -> tuple[int, str]:
    """Runs a command in a shell; returns its exit code and standard error."""
    done = service.run(["bash", "-c", f"{WISHWELL} {words}; exit ${{PIPESTATUS[0]}}"])
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", PRINTING)
def test_full_disk_under_the_output_is_reported_in_one_line(ready, words):
    """A full disk is reported in one line. Rule: command-error."""
    assert "No space left on device" in plain(*typed(ready, f"{words} >/dev/full"))


@pytest.mark.parametrize("words", ["store list", slow(CREATING)])
def test_closed_output_is_reported_in_one_line(ready, words):
    """A closed output is reported in one line with exit code 1."""
    assert "is closed" in plain(*typed(ready, f"{words} >&-"))


@pytest.mark.parametrize(
    "words", ["store list", *map(slow, ("store list --json", "--help", CREATING))]
)
def test_command_prints_nothing_more_when_its_reader_has_ended(ready, words):
    """A command whose output a program such as `head` has stopped reading fails without a message.
    Rule: command-error."""
    assert typed(ready, f"{words} | exec true") == (1, "")


@pytest.mark.slow
def test_migration_changes_nothing_when_its_output_cannot_be_written():
    """If its output can't be written, a migration changes nothing, says why, and can be repeated."""
    service = Service()
    assert "No space left on device" in plain(*typed(service, "init >/dev/full"))
    assert "up to date" in service.quick("init")
    service.close()


def test_service_starts_when_its_welcome_cannot_be_written():
    """`serve --welcome` serves even if its welcome text can't be written. Rule: init-explicit."""
    service = Service()
    with open("/dev/full", "w") as full:
        service.start_into(full.fileno(), "--welcome")
    service.close()


UNKNOWN = "wwadm_" + "A" * 43 + "0avcun"
"""A well-formed admin token that was never issued."""


def test_mistyped_token_is_not_repeated_in_the_error(ready):
    """A mistyped token isn't repeated in the error, because the operator's terminal may be logged.
    Rule: secret-unseen."""
    token = ready.create_token("default", "x")
    for spoilt in ("{} x", "Bearer {}", "{}x", '"{}"', "{:.36}", UNKNOWN):
        code, out, err = ready.attempt("token", "revoke", spoilt.format(token))
        said = plain(code, err)
        assert "The token doesn't exist." in said
        assert token[6:30] not in said + out and UNKNOWN not in said + out


# --- arguments -----------------------------------------------------------------------------------

WORDS = st.one_of(
    st.sampled_from([
        "9" * 5000, "\0", "a\0b", "\udcff", "", " ", "\n", "-1", "--", "%", "x" * 300,
        "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30", "1e400",
        "https://[", "https://[::1", "https://a:99999999", "//", "gid://", "a.b.c",
        "gid://shopify/Customer/\udcff", "gid://shopify/Customer/1", "items=", "items",
        "wwadm_" + "\udcff" * 49, "\udcff.b.c", "items=\u0669", "items=" + "9" * 5000,
    ]),
    st.text(st.characters(), max_size=20),
).filter(lambda word: word != "-")  # fmt: skip  # which reads standard input
PLACES = st.sampled_from([
    "store create {}", "store create x --origin {}", "store create x --platform {}",
    "store create x --auth-flow {}", "store create x --limit {}", "store create x --limit items={}",
    "store create x --host {}", "store create x --jwt-cookie {}", "store create x --jwt-header {}",
    "store create x --jwt-issuer {}", "store create x --jwt-audience {}", "store create x --jwt-claim {}",
    "store create x --jwt-key-file {}", "store create x --jwt-key-set {}", "store create x --platform-shop {}",
    "store create x --platform-secret-file {}", "store update odd --new-cookie-secret {}",
    "store update {} --limit items=", "store update odd --handle {}", "store {}", "store list {}",
    "token create --store {} --label x", "token create --store default --label {}",
    "token create --store default --label x --expires-days {}", "token create --store default --label x --for {}",
    "token list --store {}",
    "token revoke {}", "token revoke {} --store {}", "token {}", "migrate {}", "purge {}",
    "serve {}x", "x{}", "--{}",
    "store delete {} --yes", "store apply {} --yes", "store create x --price-drop-percent {}",
    "store create x --product-ids {}", "store create x --events {}", "export --store {}",
    "import {} --store odd", "import - --store {}", "webhook create {}", "webhook create --store {} http://a",
    "webhook create https://a.example --type {}", "webhook list --store {}", "webhook update {} --on",
    "webhook update x --url {}", "webhook delete {}", "webhook secret {}", "webhook test {}",
    "webhook deliveries {}", "webhook deliveries x --limit {}", "webhook retry {} x", "webhook retry x {}",
    "webhook replay x --since {}", "webhook replay {} --since 2025-04-18T00:00:00Z",
])  # fmt: skip


@examples(15)
@given(place=PLACES, word=WORDS)
def test_argument_of_any_kind_is_accepted_or_refused_in_one_line(ready, place, word):
    """NUL, surrogates, 5,000 digits, half URLs, any text in any argument: accepted, or refused in
    one line."""
    code, _, err = ready.attempt(*(part.replace("{}", word) for part in place.split()))
    if code:
        plain(code, err)


@pytest.mark.slow
def test_standard_input_of_any_kind_is_refused_in_one_line(ready):
    """`token revoke -` refuses closed, endless and binary standard input."""
    (ready.folder / "keys").write_bytes(b"\xff\xfe\n")
    for stdin in ("<&-", "</dev/zero", "<keys"):
        plain(*typed(ready, f"token revoke - {stdin}"))


FILES = {
    "not there": None,
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "NUL": b"\0" * 100,
    "no line's end": b"{" * 100_000,
    "deep": b"[" * 100_000,
    "another encoding": "stores: [{handle: x, platform: é}]".encode("utf-16"),
}
TAKES_A_FILE = [
    slow("import {} --store odd"),
    slow("store apply {} --yes"),
    slow("store create x --jwt-key-file {}"),
    "store create x --jwt-key-set {}",
    slow("store create x --platform-secret-file {}"),
]


@pytest.mark.parametrize("command", TAKES_A_FILE)
def test_file_of_any_kind_is_refused_in_one_line(ready, tmp_path, command):
    """Directories and missing, empty, binary or endless files are refused, and nothing is created."""
    before = ready.quick("store", "list")
    paths = [tmp_path, "/dev/null", "/dev/zero", "/proc/self/mem", f"{tmp_path}/x/y", "x" * 300]
    for name, content in FILES.items():
        paths.append(tmp_path / name)
        if content is not None:
            (tmp_path / name).write_bytes(content)
    for path in paths:
        code, _, err = ready.attempt(*(part.replace("{}", str(path)) for part in command.split()))
        assert "\n" not in plain(code, err)[:-1], path
    assert ready.quick("store", "list") == before


ODD = [
    *("2026-02-30", "0x_", '!!int ""', "9" * 5000, "!!float x", "!!timestamp x", "2026-01-01"),
    *("!!binary é", "!!bool x", "!!null x", "!!python/name:os.system", "1:99:99_", "0o9", "-.inf"),
    *("=", "<<", "{[a]: 1}", "[[]]", "{2026-02-30: 1}", "&a [*a]", "!!set {a}", "1e999", "0b"),
]
# A text, a number, a list, and two mappings.
FIELDS_OF_A_FILE = ["platform", "priceDropPercent", "hosts", "naming", "limits"]


@pytest.mark.parametrize("value", ODD, ids=lambda value: value[:20])
def test_odd_value_in_a_file_of_stores_is_refused_with_store_and_field(ready, tmp_path, value):
    """An odd value in a store file is reported with store and field, or with its position in the
    YAML.
    Rule: store-settings."""
    path = tmp_path / "stores.yaml"
    for field in FIELDS_OF_A_FILE:
        option = re.sub("([A-Z])", r"-\1", field).lower().rstrip("s")
        for text in (value, f"{{{value}: 1}}"):
            path.write_text(f"stores: [{{handle: a}}, {{handle: odd-one, {field}: {text}}}]")
            code, _, err = ready.attempt("store", "apply", str(path), "--yes")
            if code:
                said = plain(code, err)
                parsed = "odd-one: " in said and re.search(rf"{field}|{option}", said)
                assert parsed or re.search(r"line \d+, column \d+", said), (text, said)


@pytest.mark.slow
def test_bug_in_the_program_is_reported_in_one_line(tmp_path):
    """A bug in the program is reported in one line too; the traceback appears at log level debug.
    Rule: command-error."""
    service = Service()
    service.quick("init")
    code = "import wishwell.stores as s; del s.listed; from wishwell.cli import main; main()"
    for level, lines in (("info", 1), ("debug", 5)):
        service.settings["WISHWELL_LOG_LEVEL"] = level
        done = service.run([sys.executable, "-c", code, "store", "list"])
        assert done.returncode == 70
        said = done.stderr.splitlines()
        assert "bug in wishwell: AttributeError at mail_reports.py:" in said[-1]
        assert len(said) >= lines and ("Traceback" in done.stderr) == (level == "debug")
    service.close()


@pytest.mark.slow
def test_control_characters_from_a_file_are_escaped_in_messages(ready):
    """Control characters from a file are escaped in messages, so they can't affect the terminal.
    Rule: command-error."""
    files = {"a.csv": "id,\x1b]0;x\x07\n1,2\n", "a.jsonl": r'{"wishwell": {"\u001b]0;x\u0007": 1}}'}
    for (name, text), command in zip(files.items(), ("products", "import"), strict=True):
        (ready.folder / name).write_text(text)
        assert r"\x1b]0;x\x07" in typed(ready, f"{command} {name} --store default 1>&2")[1]


# --- settings ------------------------------------------------------------------------------------

NAMES = [
    "DATABASE_URL", "REDIS_URL", "SIGNING_KEYS", "SEALING_KEYS", "STOREFRONT_BASE", "HOST", "PORT", "WORKERS", "SESSION_NAMESPACE",
    "SESSION_DAYS", "TRUSTED_PROXIES", "LOG_LEVEL", "DATABASE_URL_FILE", "SIGNING_KEYS_FILE", "\udcff",
]  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(["9" * 5000, "\udcff", "\udcff" * 40, "%", "%zz", "[", "/", "/dev/null", "\n"]),
    # Environment variables can hold any bytes.
    st.binary(max_size=20).map(lambda value: os.fsdecode(value.replace(b"\0", b"0"))),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
)


@examples(15)
@given(name=st.sampled_from(NAMES), value=VALUES)
def test_setting_of_any_value_is_accepted_or_named(ready, name, value):
    """With any value of a setting, a command runs or names the setting."""
    code, _, err = ready.attempt("store", "list", **{f"WISHWELL_{name}": value})
    if code:
        # A blank value counts as not set
        assert "WISHWELL_" in plain(code, err) or not value.strip()


AUTHORITY = st.sampled_from([
    "127.0.0.1:1", "u:p@127.0.0.1:1", "u%zz@127.0.0.1:1", "u%00@127.0.0.1:1", "u@127.0.0.1:abc",
    f"u@127.0.0.1:{'1' * 5000}", "u@::1", "u@[::1", "u@[::1]x:1", "u@127.0.0.1:1,127.0.0.1:1", "u@a..b:1",
    f"u@{'x' * 300}:1", "u@x@127.0.0.1:1", "u:p#q@127.0.0.1:1", "u:\u2100@127.0.0.1:1",
])  # fmt: skip
QUERY = st.sampled_from([
    "", "?sslmode=require", "?sslmode=parse", "?bad=1", "?", "?a&b", "?port=abc", "?port=1,2", "?host=,",
    "?sslmode=require&sslrootcert=/none", "?sslcert=/none", "?ssl_min_protocol_version=x",
    "?target_session_attrs=x", "?service=none", "?user=%00", "?dbname=%ff",
])  # fmt: skip


@examples(15)
@given(authority=AUTHORITY, name=st.sampled_from(["", "/", "/x", "/%00", "/x%zz"]), query=QUERY)
def test_database_url_of_any_kind_is_refused_in_one_line(ready, authority, name, query):
    """An odd database URL either can't be reached or is reported as invalid."""
    address = f"postgresql://{authority}{name}{query}"
    code, _, err = ready.attempt("store", "list", WISHWELL_DATABASE_URL=address)
    assert "database" in plain(code, err).lower()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "migrate", "purge"])
def test_unknown_database_option_stops_the_start_and_is_named(postgres_server, command):
    """A database option that is unknown to the program or the driver stops the start and is named."""
    database = postgres_server.create_database()
    service = Service({"WISHWELL_SIGNING_KEYS": SIGNING_KEY})
    for option in ("bad=1", "sslmode=none", "sslmode=verify-full", "search_path=%22"):
        address = f"{database}{'&' if '?' in database else '?'}{option}"
        service.settings["WISHWELL_DATABASE_URL"] = address
        done = service.cli(command, check=False)
        plain(done.returncode, done.stderr)
    service.close()


def test_secret_file_of_any_content_is_refused_in_one_line(ready):
    """A secret's file with NUL or undecodable bytes is refused, naming the setting."""
    names = ("DATABASE_URL", "REDIS_URL", "SIGNING_KEYS", "SEALING_KEYS")
    environment = {f"WISHWELL_{name}": "" for name in names}
    environment |= {f"WISHWELL_{name}_FILE": "secret" for name in names}
    for content in (b"\0", b"\xff", b"postgresql://u@h\0/x", b"a" * 40 + b"\0"):
        (ready.folder / "secret").write_bytes(content)
        code, _, err = ready.attempt("store", "list", **environment)
        said = plain(code, err)
        assert all(f"WISHWELL_{name}_FILE" in said for name in names)
