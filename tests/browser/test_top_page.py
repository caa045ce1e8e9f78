"""The page at `/` in a browser."""

import pytest
from playwright.sync_api import expect

from tests.servers import Service

from .test_pages import check_open_to_everybody

pytestmark = pytest.mark.xdist_group("browser")


def test_top_page_is_accessible_and_leads_to_the_other_pages(new_shopper):
    """`/` is accessible on a phone and a desktop, light and dark, and its links work; with the
    merchant's page turned off, its link is missing. Rule: top-page."""
    with Service() as service:
        shopper = new_shopper(service)
        page = shopper.context.new_page()
        page.goto(service.url)
        check_open_to_everybody(page, ["top"], 1)
        page.get_by_role("link", name="Merchant’s page").click()
        expect(page).to_have_url(f"{service.url}/admin/")
        page.wait_for_load_state("networkidle")  # the restart would refuse its requests
        service.restart(settings={"WISHWELL_ADMIN": "off"})
        page.goto(service.url)
        expect(page.get_by_role("link")).to_have_count(2)
