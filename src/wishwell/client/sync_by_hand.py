"""The client that blocks. Written by ``make format`` from asynchronous_by_hand.py."""

from collections.abc import Iterator, Sequence

import msgspec

from wishwell.client import answers
from wishwell.client.answers import Feed, one
from wishwell.client.calls import Call, body, given, path, several
from wishwell.client.records import NewProduct, Product, ProfileToken
from wishwell.client.sync_line import Part


class ProductsByHand(Part):
    """A product that names itself."""

    def put(self, product: NewProduct) -> Product:
        """Says all that is known of a product: what it does not name is unknown from then on."""
        fields = msgspec.to_builtins(product)
        where = path("products", str(fields.pop("productId")))
        return self._line.result(Call("PUT", where, one(Product), body=body(**fields)))


class _SignIn(msgspec.Struct, frozen=True, rename="camel"):
    auth_flow: str


class ProfilesByHand(Part):
    """Tokens, whose retry depends on whose they are, and the sign-in path alone."""

    def token(self, *, customer: str | None = None, session: str | None = None) -> ProfileToken:
        """A token for the customer or the session; without both, for a new session.

        With both, the session is linked to the customer first. The profile that the client acts
        for takes the place of an argument that is not given. A new session's is not retried after
        a lost connection: each time it makes another one.
        """
        fields = body(customer=customer, session=session)
        known = bool(customer or session or self._line.profile)
        call = Call("POST", "/profiles/token", one(ProfileToken), body=fields, repeatable=known)
        return self._line.result(call)

    def identify(self, email: str) -> str:
        """The store's sign-in path for this e-mail address, whether or not it is known."""
        call = Call("POST", "/profiles/identify", one(_SignIn), body=body(email=email))
        return (self._line.result(call)).auth_flow


# contract: feed-once
class EventsByHand(Part):
    """The feed, which goes on where it ended."""

    def list(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
    ) -> Feed:
        """What came after ``from_``, the ``resume`` of an earlier answer, or all that is kept.

        ``limit`` is 1 to 250, by default 50. Raises ``Gone``.
        """
        named = None if types is None else ",".join(several(types))
        params = given(**{"from": from_, "limit": limit, "type": named})
        return self._line.result(Call("GET", "/events", answers.feed, params))

    def pages(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
    ) -> Iterator[Feed]:
        """All that came after ``from_`` until now. Keep the ``resume`` of each. Raises ``Gone``.

        The last one has no events, and the ``resume`` from which to go on later.
        """
        while True:
            feed = self.list(from_=from_, limit=limit, types=types)
            yield feed
            if not feed.data:
                return
            from_ = feed.resume
