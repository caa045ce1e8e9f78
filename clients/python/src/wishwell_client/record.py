"""The base class of the records."""

import msgspec

_SECRETS = ("token", "secret")


class Record(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A record of the API. Ignores unknown fields, which a newer service may send."""

    def __repr__(self) -> str:
        # Omits secrets, because a repr ends up in logs and crash reports.
        names = [name for name in self.__struct_fields__ if name not in _SECRETS]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"
