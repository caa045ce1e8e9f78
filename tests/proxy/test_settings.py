"""docs/proxy.md, Settings."""

import pytest

from .conftest import JWT_KEY, SECRET

BAD = {
    "TOKEN": "",
    "SECRET": "short",
    "PORT": "x",
    "API": "ftp://x",
    "BASE": "apps",
    "PLATFORM": "No Such",
    "ORIGIN": "shop.example",
    "SECURE": "maybe",
    "TRUSTED": "everybody",
    "TIMEOUT": "soon",
    "TOKENS": "0",
    "JWT_JWKS": "/no/such/file",
    "JWT_KEY": "short",
    "NO_SUCH_SETTING": "1",
    "SECRET_FILE": "/no/such/file",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_setting_is_named_in_one_line(start_proxy, api, name):
    """Settings: a bad one stops it at the start with one line that names it."""
    proxy = start_proxy(api, "wwadm_" + "x" * 49, started=False, **{name: BAD[name]})
    done = proxy.run_to_its_end()
    assert done.returncode not in (0, None)
    [line] = done.stderr.splitlines()
    assert f"WISHWELL_PROXY_{name}" in line
    assert SECRET not in line


def test_several_bad_settings(start_proxy, api):
    """Settings: what goes against another is named too."""
    for more, named in (
        ({"JWT_KEY": JWT_KEY}, "JWT_COOKIE"),
        ({"JWT_HEADER": "X"}, "JWT_KEY"),
        ({"PLATFORM_SHOP": "x"}, "PLATFORM_SECRET"),
    ):
        proxy = start_proxy(api, "wwadm_" + "x" * 49, started=False, **more)
        done = proxy.run_to_its_end()
        assert done.returncode not in (0, None)
        assert f"WISHWELL_PROXY_{named}" in done.stderr


def test_secrets_come_from_files(new_front, tmp_path):
    """Settings: each secret can be a file, a line end at its end or not."""
    front = new_front()
    paths = {}
    for name, content in (("TOKEN", front.shop.admin_token), ("SECRET", SECRET + "\n")):
        (tmp_path / name).write_text(content)
        paths[f"{name}_FILE"] = str(tmp_path / name)
    filed = front._replace(proxy=new_front(TOKEN="", SECRET="", **paths).proxy)
    assert filed.browser(front.anyone(1).cookie).products() == [1]
    new_front(SECRET_FILE="", PLATFORM_SECRET_FILE=" ")  # empty is not set


def test_every_bad_setting_is_named_at_once(start_proxy, api):
    """Settings: all bad ones stand in the one line, and nothing that only follows from them."""
    bad = {"PORT": "x", "BASE": "apps", "NO_SUCH_SETTING": "1", "TIMEOUT": "soon",
           "TRUSTED": "everybody", "JWT_KEY_FILE": "/no/such/file", "JWT_HEADER": "X"}  # fmt: skip
    proxy = start_proxy(api, "wwadm_" + "x" * 49, started=False, **bad)
    [line] = proxy.run_to_its_end().stderr.splitlines()
    named = {name for name in bad if f"WISHWELL_PROXY_{name} " in line}
    assert named == bad.keys() - {"JWT_HEADER"}
    proxy = start_proxy(api, "", started=False, SECRET="")
    [line] = proxy.run_to_its_end().stderr.splitlines()
    assert "WISHWELL_PROXY_TOKEN " in line and "WISHWELL_PROXY_SECRET " in line
