"""Checks docs/contract.md: rule names are unique, citations exist, code and tests cite every rule."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONTRACT = (ROOT / "docs" / "contract.md").read_text("utf-8")
RULES = re.findall(r'<a id="([^"]*)"></a>', CONTRACT)
PLACES = ("src", "clients", "tests", "bench", "docs", "packages/elements/src", "demo")
# Rules that no code can cite because they are about how migrations are written.
NOWHERE = {"upgrade-beside"}
KINDS = {".css", ".html", ".js", ".lua", ".md", ".py", ".sql", ".toml", ".ts", ".yaml"}

NAME = r"[a-z0-9]+(?:-[a-z0-9]+)+"
# A list of names may continue on the comment's next line. A word without a hyphen after a comma
# belongs to the sentence, not to the list.
COMMA = r",[\s#/*-]+"
CITED = re.compile(rf"\b[Cc]ontract: ([\w-]+(?:{COMMA}{NAME}\b)*)")
LINKED = re.compile(r"\bcontract\.md#([\w-]*)")


def cited(text: str) -> list[str]:
    """Returns the names of the rules that a text cites."""
    return [name for names in CITED.findall(text) for name in re.split(COMMA, names)]


def texts(place: str) -> dict[Path, str]:
    """Returns the files below a folder that may cite rules, except this one."""
    return {
        path: path.read_text("utf-8")
        for path in (ROOT / place).rglob("*")
        if path.suffix in KINDS
        and path.is_file()
        and path != Path(__file__)
        and not {"docs_page", "node_modules", "corpus"} & set(path.parts)
    }


def test_every_rule_has_a_name_of_its_own():
    """Each bullet begins with its anchor; names are unique and are words joined by hyphens."""
    bullets = re.findall(rf'^- (?:<a id="({NAME})"></a>)?', CONTRACT, re.MULTILINE)
    assert bullets
    assert bullets == RULES
    assert len(set(RULES)) == len(RULES)


def test_every_citation_names_a_rule():
    """Every cited rule exists in docs/contract.md, and so does the target of every link into it."""
    headings = re.findall(r"^## (.*)", CONTRACT, re.MULTILINE)
    targets = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings}
    dead = []
    files = {path: text for place in PLACES for path, text in texts(place).items()}
    files |= {path: path.read_text("utf-8") for path in ROOT.glob("*.md")}
    for path, text in files.items():
        dead += [(path, name) for name in cited(text) if name not in RULES]
        dead += [(path, name) for name in LINKED.findall(text) if name not in targets | {*RULES}]
    assert not dead


def unnamed(*places: str) -> set[str]:
    """Returns the rules that no file below these folders cites."""
    found = [texts(place) for place in places]
    return {*RULES}.difference(*(cited(text) for files in found for text in files.values()))


def test_every_rule_is_named_by_a_test():
    """Each rule is cited below tests/."""
    assert unnamed("tests") == set()


def test_every_rule_is_named_where_it_is_held():
    """Each rule is cited in the code, so that `grep -rn` of its name shows code and test together."""
    assert unnamed("src", "clients") - NOWHERE == set()
