"""A server in place of the service, and headers that a browser must not be able to set."""

import pytest

from tests.forward.echo import Echo

BASE = "/apps/wishlist"
ITEMS = f"{BASE}/api/items"
ID = "019b4c1e-0000-7000-8000-000000000001"
PASSED = {
    "Accept": "application/json",
    "Content-Type": "application/json",
    "Cookie": "a=1; __Host-wishwell=2",
    "If-None-Match": '"1"',
    "Origin": "https://shop.example",
    "Sec-Fetch-Site": "same-origin",
    "X-Request-Id": ID,
}
FORGED = {
    "Authorization": "Bearer forged",
    "Forwarded": "for=6.6.6.6;host=forged",
    "Profile": "gid://shopify/Customer/666",
    "Wishwell-Customer": "666",
    "X-Forwarded-For": "6.6.6.6",
    "X-Forwarded-Host": "forged.example",
    "X-Forwarded-Proto": "gopher",
}


@pytest.fixture
def service():
    echo = Echo()
    yield echo
    echo.close()
