"""A store whose shop is on a platform, and the signed webhooks that the platform sends it."""

import base64
import hashlib
import hmac
import itertools
import json
import uuid

from tests.conftest import Shop
from tests.servers import SECRETS, Service, wait_until

NEW, OLD, OTHERS = (f"{word}-secret-of-the-platform" for word in ("new", "old", "other"))
SECRETS.update((NEW, OLD, OTHERS))
WEBHOOKS = "/platforms/shopify/webhooks"
BODIES = {
    "customers/data_request": {"orders_requested": [1], "data_request": {"id": 9999}},
    "customers/redact": {"orders_to_redact": [299938]},
    "shop/redact": {},
}
numbers = itertools.count(1)


class Platform:
    """A store whose shop is on the platform, with methods that send the platform's webhooks."""

    def __init__(
        self, service: Service, *secrets: str, options: tuple[str, ...] = (), domain: str = ""
    ) -> None:
        self.domain = domain or f"shop-{next(numbers)}-{uuid.uuid4().hex[:8]}.myshopify.com"
        words = ["--platform-shop", self.domain]
        for secret in secrets:
            (service.folder / secret).write_text(secret)
            words += ["--platform-secret-file", secret]
        self.shop = Shop(service, *words, *options)

        def known() -> bool:
            answer = self.send("shop/redact", {"shop_domain": self.domain}, secrets[0], id="")
            return answer.status_code == 400

        assert not secrets or wait_until(known, seconds=30, every=0.2)

    def body(self, topic: str, customer: int | str | None = None, **more) -> dict:
        body = {"shop_id": next(numbers), "shop_domain": self.domain, **BODIES[topic]}
        if topic.startswith("customers/"):
            body["customer"] = {"id": customer, "email": "ann@example.com", "phone": None}
        return body | more

    def send(self, topic: str, body: dict | bytes, secret: str = NEW, *, http=None, **headers: str):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        mac = hmac.new(secret.encode(), raw, hashlib.sha256).digest()
        sent = {
            "hmac_sha256": base64.b64encode(mac).decode(),
            "shop_domain": self.domain,
            "topic": topic,
        }
        sent |= {"id": str(uuid.uuid4())} | headers
        sent["webhook_id"] = sent.pop("id")
        content = sent.pop("content_type", "application/json")
        named = [
            (f"X-Shopify-{key.replace('_', '-')}".encode(), value.encode("latin-1"))
            for key, value in sent.items()
        ]
        pairs = [(b"Content-Type", content.encode()), *named]
        return (http or self.shop.anonymous).post(WEBHOOKS, content=raw, headers=pairs)

    def asks(self, topic: str, customer: int | str | None = None) -> str:
        """Sends a webhook; returns the id of the privacy request that it created."""
        answer = self.send(topic, self.body(topic, customer))
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]["id"]

    def all(self) -> dict[str, dict]:
        return {each["id"]: each for each in self.shop.admin.get("/requests").json()["data"]}

    def reaches(self, id: str, state: str) -> dict:
        done = wait_until(lambda: self.all()[id]["state"] == state, seconds=30, every=0.3)
        assert done, self.all()[id]
        return self.all()[id]
