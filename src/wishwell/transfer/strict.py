"""Groups of a store's settings as in an export file: unknown fields are refused."""

from wishwell.stores import look, mailing, naming, reporting


class Naming(naming.Naming, frozen=True, forbid_unknown_fields=True):
    """How the shop identifies its customers."""


class Pages(naming.Pages, frozen=True, forbid_unknown_fields=True):
    """URLs of pages."""


class Reporting(reporting.Reporting, frozen=True, forbid_unknown_fields=True):
    """Settings of reports."""


class Look(look.Look, frozen=True, forbid_unknown_fields=True):
    """The look of the hosted pages."""


class Mail(mailing.Mail, frozen=True, forbid_unknown_fields=True):
    """Settings of mails."""
