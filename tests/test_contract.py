"""docs/contract.md, held: each rule has one name, each citation names a rule, each rule has a test."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONTRACT = ROOT / "docs" / "contract.md"
PLACES = ("src", "tests", "torture", "bench", "fuzz", "docs", "browser/src", "demo")
KINDS = {".css", ".html", ".js", ".lua", ".md", ".py", ".sql", ".toml", ".ts", ".yaml"}

_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)+"
_ANCHOR = re.compile(r'<a id="([^"]*)"></a>')
# Several names go on over a line's end, behind the mark of a comment. What follows a comma and has
# no hyphen is the sentence's own.
_CITED = re.compile(
    rf"\b[Cc]ontract: `?(?P<first>[\w-]+)(?P<more>(?:,\s+(?:(?:#|//|--|\*)\s*)?{_NAME}\b)*)"
)
_LINKED = re.compile(r"\bcontract\.md#([\w-]*)")


def anchors() -> list[str]:
    """The names of the rules, in their order."""
    return _ANCHOR.findall(CONTRACT.read_text("utf-8"))


def cited(text: str) -> list[str]:
    """The names of rules that a text cites or links to."""
    names = _LINKED.findall(text)
    for citation in _CITED.finditer(text):
        names += [citation["first"], *re.findall(_NAME, citation["more"])]
    return names


def texts(*places: str) -> list[Path]:
    """What may cite a rule; of the root, the documents. This file cites none."""
    found = [path for place in places for path in (ROOT / place).rglob("*")]
    return [
        path
        for path in (*found, *ROOT.glob("*.md"))
        if path.suffix in KINDS
        and path.is_file()
        and path != Path(__file__)
        and not {"docs_page", "node_modules", "corpus"} & set(path.parts)
    ]


def test_search_finds_what_it_looks_for():
    """The other side of the tests below: each form of a citation is seen, and nothing else."""
    word = "contract"
    assert cited(f'"""{word}: save-once: twice is once."""') == ["save-once"]
    assert cited(f"# {word}: save-once, item-limit, and so on") == ["save-once", "item-limit"]
    assert cited(f"-- ({word}: save-once,\n--   item-limit).") == ["save-once", "item-limit"]
    assert cited(f"{word.title()}: saveonce; `{word}: no_name`") == ["saveonce", "no_name"]
    assert cited(f"[once](../{word}.md#save-once), ({word}.md)") == ["save-once"]
    assert cited(f"its {word}, subcontract: x, {word}:x") == []


def test_every_rule_has_a_name_of_its_own():
    """Each bullet begins with its anchor; no name is there twice; all are words with hyphens."""
    names = anchors()
    assert names
    assert sorted(names) == sorted(set(names))
    assert not [name for name in names if not re.fullmatch(_NAME, name)]
    bullets = re.findall(r"^- .*", CONTRACT.read_text("utf-8"), re.MULTILINE)
    assert len(bullets) == len(names)
    assert all(_ANCHOR.match(bullet, 2) for bullet in bullets)


def test_every_citation_names_a_rule():
    """No citation of a rule that docs/contract.md does not have, in code, tests and documents."""
    rules = set(anchors())
    dead = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts(*PLACES)
        for name in cited(path.read_text("utf-8"))
        if name not in rules
    ]
    assert not dead


def test_every_rule_is_named_by_a_test():
    """Each rule is cited somewhere below tests/."""
    tests = [path for path in texts("tests") if (ROOT / "tests") in path.parents]
    named = {name for path in tests for name in cited(path.read_text("utf-8"))}
    assert not [name for name in anchors() if name not in named]
