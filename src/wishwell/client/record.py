"""What the records have in common."""

import msgspec

_SECRETS = ("token", "secret")


class Record(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A record of the API. Unknown fields, of a newer service, are ignored."""

    def __repr__(self) -> str:
        # Without secrets: a repr ends up in logs and crash reports.
        shown = [name for name in self.__struct_fields__ if name not in _SECRETS]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__name__}({fields})"
