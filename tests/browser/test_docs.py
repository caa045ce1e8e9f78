"""The API reference at /docs in a browser: reading, searching and trying requests.

A page's faults, such as a call to another server or a policy violation, fail its test
(conftest.py).
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.servers import Service

pytestmark = pytest.mark.xdist_group("browser")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CREATE = "#tag/items/POST/items"


@pytest.fixture(scope="module")
def served():
    with Service() as service:
        yield service
        assert "Traceback" not in service.output()


@pytest.fixture
def reader(new_shopper, served):
    """Opens the page at an anchor in a separate browser."""

    def make(place: str = "", **options):
        shopper = new_shopper(served, **options)
        page = shopper.context.new_page()
        page.goto(f"{served.url}/docs{place}")
        expect(page.get_by_role("heading", name="Wishwell API")).to_be_attached()
        return shopper, page

    return make


def operation(page: Page, title: str):
    """Returns an operation's section."""
    heading = page.get_by_role("heading", name=title, exact=True)
    return page.locator("section.section").filter(has=heading)


@pytest.mark.slow
def test_page_loads_four_compressed_files_from_its_own_origin(reader, served):
    """The page loads four compressed files, and caches the scripts. Rule: openapi-complete."""
    shopper, page = reader()
    page.wait_for_load_state("networkidle")
    paths = sorted(answer.url.removeprefix(served.url) for answer in shopper.responses)
    expected = (
        r"/api/2025-04/\.well-known/openapi",
        r"/docs",
        r"/docs/scalar\.js",
        r"/docs/start\.js",
    )
    assert len(paths) == len(expected) and all(map(re.fullmatch, expected, paths)), paths
    sizes = "performance.getEntriesByType('resource').map((file) => file.{}).sort()"
    assert sum(page.evaluate(sizes.format("encodedBodySize"))) < 1_020_000
    page.reload()
    expect(page.get_by_role("heading", name="Signing in")).to_be_visible()
    assert sum(page.evaluate(sizes.format("transferSize"))) < 40_000


@pytest.mark.slow
def test_reader_finds_an_operation_and_its_samples(reader):
    """An operation is found by search; its samples have this service's URL and keep the chosen
    language."""
    _, page = reader()
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("create item")
    page.get_by_role("option", name="Create an item").click()
    expect(page).to_have_url(re.compile(re.escape(CREATE)))
    section = operation(page, "Create an item")
    address = re.sub("/docs.*", "", page.url)
    expect(section).to_contain_text(f"curl --fail-with-body -X POST \\ {address}/api/2025-04/items")
    for language, words in (("TypeScript", "JSON.stringify"), ("Python", "api.items.create")):
        option = page.get_by_role("option", name=language)
        while not option.is_visible():  # the renderer may redraw the section during a click
            section.get_by_role("button", name=re.compile("curl|TypeScript")).last.click()
            page.wait_for_timeout(500)
        option.click()
        expect(section).to_contain_text(words)
    expect(operation(page, "List items")).to_contain_text("api.items.all()")


@pytest.mark.slow
def test_request_can_be_tried_with_a_token_that_is_not_stored(reader, served):
    """A request can be tried with a token, which isn't stored; optional parameters aren't sent.
    Rule: openapi-complete."""
    _, page = reader("#tag/items/GET/items")
    token = served.admin_token()
    operation(page, "List items").get_by_role("button", name="Test Request").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_placeholder("Token").fill(token)
    with page.expect_response(lambda answer: "/items" in answer.url) as answered:
        dialog.get_by_role("button", name="Send get request").click()
    request = answered.value.request
    assert (answered.value.status, request.url) == (200, f"{served.url}/api/2025-04/items")
    assert request.headers["authorization"] == f"Bearer {token}"
    assert "profile" not in request.headers
    expect(dialog).to_contain_text("200")
    kept = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
    assert token not in page.evaluate(kept)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_on_a_phone(reader, scheme):
    """On a phone, links reach their operation, nothing is wider than the screen, and dark mode
    works."""
    _, page = reader(CREATE, color_scheme=scheme, **PHONE)
    expect(operation(page, "Create an item")).to_be_in_viewport()
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    # Transparent until the library's style sheet applies.
    expect(page.locator("body")).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    [light] = page.evaluate("getComputedStyle(document.body).backgroundColor").partition("(")[2:]
    assert (int(light.split(",")[0]) > 128) == (scheme == "light")
    page.goto(re.sub("#.*", "#tag/items/DELETE/items", page.url))
    operation(page, "Delete several items").get_by_role("button", name="Test Request").click()
    send = page.get_by_role("dialog").get_by_role("button", name="Send delete request")
    expect(send.filter(visible=True)).to_be_in_viewport(ratio=1)
