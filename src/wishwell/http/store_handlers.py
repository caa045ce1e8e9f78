"""The operations on a store itself, for admin tokens: its events."""

from wishwell import events
from wishwell.http import responses, wire
from wishwell.http.context import Request, Services
from wishwell.http.responses import Response

_FEED = frozenset({"from", "limit", "type"})


# contract: feed-answer
async def list_events(service: Services, request: Request) -> Response:
    given = wire.parameters(request.query_string, _FEED)
    limit, types = wire.limit(given.get("limit")), wire.event_types(given.get("type"))
    after = wire.resume(given.get("from"))
    found = await service.db.read(events.feed, request.store, after, limit, types)
    return responses.feed(found.events, str(found.until))
