"""Searches everything that the program printed or responded with for secrets."""

from __future__ import annotations

import re

from tests.servers import PRINTED, SECRETS

# Forms of secrets, none of which may appear. Each pattern begins with rare characters, because
# scanning every word to its end would take a second for 10 MB.
FORMS = {
    "an admin token": re.compile(r"wwadm_[0-9A-Za-z]{20,}"),
    "a share's token": re.compile(r"wwshr_[0-9A-Za-z]{20,}"),
    "a profile token": re.compile(r"eyJ[\w-]{10,}\.[\w-]+\.?[\w-]*"),
    "an e-mail address": re.compile(
        r"(?:@(?<=[\w.+%-]@)|%40(?<=[\w.+%-]%40))(?!sender\.example)[\w-]+(?:\.[\w-]+)+"
    ),
    "a token of a mail": re.compile(r"wwm[cu]_[0-9A-Za-z]{20,}"),
    "an address with a password": re.compile(r"://(?<=\w://)[^/\s:@]+:[^/\s@]+@"),
}


def leaks(printed: str | None = None) -> list[str]:
    """Returns the secrets found, with context; empty if none."""
    text = everything() if printed is None else printed
    found = [
        f"{form}: …{text[max(0, match.start() - 80) : match.end() + 40]}…"
        for form, pattern in FORMS.items()
        for match in pattern.finditer(text)
    ]
    # Also searches for parts of tokens, above all signatures, in one pass over the text rather than
    # one per token.
    parts = {part for secret in SECRETS for part in (secret, *secret.split(".")) if len(part) >= 30}
    found += [f"a part of a token: {word}" for word in set(re.findall(r"[\w-]{30,}", text)) & parts]
    other = {secret for secret in SECRETS if not re.fullmatch(r"[\w.-]{30,}", secret)}
    return found + [f"a secret: {secret!r}" for secret in other if secret in text]


def everything() -> str:
    return "\n".join(line for lines in PRINTED for line in list(lines))
