"""Every surface in every state, on the page /states/ of the demo."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from .test_pages import violations

pytestmark = pytest.mark.xdist_group("browser")

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
# The page of one state is no whole page of a shop.
OF_PAGES = ("page-has-heading-one", "region", "landmark-one-main")
OUTSIDE = """() => {
  const found = [];
  const walk = (root) => root.querySelectorAll('*').forEach((it) => {
    const { left, right, width } = it.getBoundingClientRect();
    const clips = it.closest('.tabs, .unseen, svg');
    if (width && !clips && (left < -0.5 || right > innerWidth + 0.5)) found.push(it.className || it.localName);
    if (it.shadowRoot) walk(it.shadowRoot);
  });
  walk(document);
  return found;
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "scheme", "dir"),
    [
        (PHONE, "light", "ltr"),
        (PHONE, "dark", "rtl"),
        (DESKTOP, "light", "rtl"),
        (DESKTOP, "dark", "ltr"),
    ],
)
def test_every_state_is_accessible_and_inside_the_window(
    new_shopper, shared_demo, size, scheme, dir
):
    """No element of any state is outside of the window, and axe-core finds nothing. A dialog is at the
    bottom of a phone and in the middle of a wide window, and a message is within the window."""
    shopper = new_shopper(shared_demo, viewport=size, color_scheme=scheme)
    page = shopper.context.new_page()
    page.goto(f"{shopper.url}/states/?state=hearts")
    names = page.evaluate("states")
    found = {}
    for name in names:
        page.goto(f"{shopper.url}/states/?{urlencode({'state': name, 'dir': dir})}")
        page.locator("[data-state=shown]").wait_for()
        wrong = [it for it in violations(page) if not it.startswith(OF_PAGES)]
        wrong += page.evaluate(OUTSIDE)
        for box in [it.bounding_box() for it in page.locator("dialog, [part=toast]").all()]:
            bottom = size["height"] - box["y"] - box["height"]
            if box["width"] > size["width"] or bottom < 0 or box["y"] < 0:
                wrong.append(f"box {box}")
        for box in [it.bounding_box() for it in page.locator("dialog").all()]:
            bottom = size["height"] - box["y"] - box["height"]
            gap = 0 if size == PHONE else box["y"]
            if abs(bottom - gap) > 1:
                wrong.append(f"dialog {box}")
        found[name] = wrong
    assert len(found) == 31
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
