"""The bodies of requests about shares. As in ``wire``, the bounds are part of the types."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import ids
from wishwell.wishes import fields, shares
from wishwell.wishes.shares import Terms

Expiry = Annotated[datetime, Meta(tz=True)] | UnsetType | None


class ShareBody(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """``POST /lists/{listId}/shares``, where it is optional, and ``PATCH`` of a share."""

    expires_at: Expiry = UNSET
    reservations: bool | UnsetType = UNSET
    notes: bool | UnsetType = UNSET

    def terms(self, now: str) -> Terms:
        expires_at = None if self.expires_at is UNSET else ""
        if isinstance(self.expires_at, datetime):
            expires_at = shares.check_expiry(_time(self.expires_at), now)
        return Terms(
            None if self.reservations is UNSET else self.reservations,
            None if self.notes is UNSET else self.notes,
            expires_at,
        )


def _time(moment: datetime) -> str:
    """A time as it is stored, from 1970 to 9999: an offset may pass what can be written."""
    return ids.timestamp(min(max(0, round(moment.timestamp() * 1000)), ids.LAST))


class CopyBody(msgspec.Struct, forbid_unknown_fields=True):
    """``POST /shared/{token}/copies``, where it is optional."""

    name: str | UnsetType = UNSET


class ReservationBody(msgspec.Struct, forbid_unknown_fields=True):
    """``PUT /shared/{token}/items/{itemId}/reservation``."""

    quantity: fields.Quantity
