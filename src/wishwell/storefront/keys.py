"""Stub."""

import jwt

from wishwell.outbound import Outbound


class KeySet:
    def __init__(self, place: str, outbound: Outbound) -> None: ...
    async def key(self, kid: str) -> jwt.PyJWK:
        raise ValueError("no")
