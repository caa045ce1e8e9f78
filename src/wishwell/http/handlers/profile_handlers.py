"""Handlers for profiles: identity, tokens, sign-in, export and erasure."""

import contextlib
import functools
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import ids, profiles
from wishwell.access import auth
from wishwell.contacts import addresses, confirmations, profile_views
from wishwell.contacts.confirmations import Asked
from wishwell.db import Reader, Writer
from wishwell.errors import Invalid, NotFound, Unavailable
from wishwell.field_types import ProfileGid, published
from wishwell.http import (
    queries,
    rate_limits,
    request_body,
    request_types,
    responding,
    responses,
)
from wishwell.http.context import Request
from wishwell.http.responses import Response
from wishwell.privacy import erasure, history, personal_export
from wishwell.profiles import Profile, records
from wishwell.profiles.records import ProfileView
from wishwell.telemetry import metrics
from wishwell.wishlists import linking

_NEEDS_PROFILE = "this operation acts on one profile"


class SignIn(msgspec.Struct, rename="camel"):
    """Where to sign in with an e-mail address."""

    auth_flow: Annotated[str, published(pattern="^/")] | UnsetType = UNSET
    """A path of the store's sign-in flow for this address; omitted if the store has none and the
    request was about notices."""


class Nobody(msgspec.Struct, rename="camel"):
    """The profile of a visitor without a session, as the API shows it."""

    notices_by: records.NoticesWay
    items: int = 0
    lists: int = 0
    notices: None = None


class ProfileToken(msgspec.Struct):
    """A token, valid for a day, and its profile."""

    token: Annotated[str, published(pattern=r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$")]
    """The access token, a JWT. It expires a day after its creation."""
    profile: ProfileGid
    """The customer or session that the token is for."""


async def identify_profile(request: Request) -> object:
    body = await request_body.decode(request, request_types.IdentifyBody)
    email = profiles.check_email(body.email)
    if body.notices is True:
        return await _ask_confirmation(request, email, body.language)
    path = request.store.sign_in_path(email)  # rule: profile-email
    if isinstance(request.scope, Profile) and request.create_profile is None:
        await request.run(addresses.remember, request.scope, email, request.now())
    return SignIn(path)


# rule: mail-confirm
async def _ask_confirmation(request: Request, email: str, language: str | UnsetType) -> SignIn:
    """Starts the double opt-in. The answer is the same whether or not a mail is sent."""
    service, store = request.service, request.store
    profile = responding.new_owner(request, _NEEDS_PROFILE)
    await responding.create_profile(request)
    is_admin = request.caller is not None and request.caller.kind == "admin"
    client = "" if is_admin else rate_limits.address(request) or ""
    language = language or store.look.language
    asked = Asked(email, language, client, service.settings.limit_confirmations)
    await request.run(confirmations.ask, profile, asked, service.new_id, request.now())
    with contextlib.suppress(NotFound):
        return SignIn(store.sign_in_path(email))
    return SignIn()


async def get_profile(request: Request) -> object:
    profile = responding.new_owner(request, _NEEDS_PROFILE)
    if profile.is_nobody:
        find_notices_by = functools.partial(
            profile_views.find_notices_by, is_customer=False, sends_mails=_sends_mails(request)
        )
        return Nobody(await request.run(find_notices_by, request.store))
    return _for_caller(request, await request.run(_find_view, profile, *_view_params(request)))


def _sends_mails(request: Request) -> bool:
    """Returns whether the store's mails are on in this installation."""
    return request.service.settings.mail == "on" and request.store.sends_mails


def _view_params(request: Request) -> tuple[str, bool]:
    return request.now(), _sends_mails(request)


async def _find_view(tx: Reader, profile: Profile, now: str, sends_mails: bool) -> ProfileView:
    return await profile_views.find(tx, profile, now, sends_mails=sends_mails)


# rule: storefront-visitor
def _named_profile(request: Request) -> Profile:
    """Returns the request's profile. Raises ``NotFound`` for a visitor without a session."""
    profile = responding.new_owner(request, _NEEDS_PROFILE)
    if profile.is_nobody:
        raise NotFound("This visitor has no profile yet.", "profile_not_found")
    return profile


def _for_caller(request: Request, view: ProfileView) -> ProfileView:
    """Hides what only an admin may see, unless the caller is one. Returns the record."""
    if request.caller is None or request.caller.kind != "admin":
        profile_views.hide(view)
    return view


async def update_profile(request: Request) -> object:
    profile = _named_profile(request)
    body = await request_body.decode(request, request_types.ProfilePatchBody, find=get_profile)
    notices = body.notices if isinstance(body.notices, bool) else None
    source: addresses.Source = "api" if request.visit is None else "page"
    view = await request.run(_set_notices, profile, notices, source, *_view_params(request))
    return _for_caller(request, view)


# rules: notice-drop, mail-addresses
async def _set_notices(
    tx: Writer,
    profile: Profile,
    notices: bool | None,
    source: addresses.Source,
    now: str,
    sends_mails: bool,
) -> ProfileView:
    await records.set_notices(tx, profile, notices, now, source)
    if notices:
        await addresses.confirm_moved(tx, profile, now)
    return await profile_views.find(tx, profile, now, sends_mails=sends_mails)


# rule: mail-addresses
async def delete_email(request: Request) -> None:
    await request.run(addresses.remove, _named_profile(request), request.now())


async def export_profile(request: Request) -> Response:
    include_products, profile = queries.include(request.query), _named_profile(request)
    view = await request.run(_find_view, profile, *_view_params(request))
    service = request.service
    base = service.settings.storefront_base
    document = personal_export.stream_document(
        service.db, profile, view, include_products=include_products, base=base
    )
    return responses.streamed(document)


# rules: erase-immediate, erase-event
async def erase_profile(request: Request) -> None:
    responding.check_admin(request)
    service, profile = request.service, responding.new_owner(request, _NEEDS_PROFILE)
    erased = await service.db.long_write(erasure.erase, profile, service.clock())
    with contextlib.suppress(Unavailable):  # the next periodic refresh sees it
        await service.access_cache.refresh()
    if erased:
        metrics.ERASED.inc()


# rule: profile-email
async def list_profiles(request: Request) -> object:
    email = profiles.check_email(queries.required(request.query, "email"))
    page_request = responding.parse_page_request(request, f"profiles|{email}")
    return await request.run(records.by_email, request.store, email, page_request)


# rule: profile-history
async def get_profile_history(request: Request) -> object:
    gid, settings = queries.required(request.query, "profile"), request.service.settings
    namespace = settings.session_namespace
    profile = profiles.parse(request.store, namespace, gid, "profile", is_stored=True)
    return await history.read(request.service.db, settings, profile, ())


async def create_profile_token(request: Request) -> Response:
    service = request.service
    responding.check_admin(request)
    body = await request_body.decode(request, request_types.TokenBody, optional=True)
    session = _profile_of_kind(request, "session", body.session)
    customer = _profile_of_kind(request, "customer", body.customer)
    # Read before any write: an error after the merge would wrongly say "Nothing was done".
    named_profile = customer or session
    revoked_until = (
        await service.db.read(auth.revoked_until, named_profile.id) if named_profile else 0
    )
    profile = await _token_profile(request, session, customer)
    token = service.authenticator.issue(profile, revoked_until)
    return responses.created(ProfileToken(token, profile.gid))


def _profile_of_kind(
    request: Request, kind: profiles.Kind, gid: str | UnsetType | None
) -> Profile | None:
    """Returns the customer or session named in the body, or else in the ``Profile`` header.

    Raises ``Invalid`` if the two differ.
    """
    body_profile = request.profile_of(gid, kind) if isinstance(gid, str) else None
    header_scope = request.scope  # rule: profile-header
    if not isinstance(header_scope, Profile) or header_scope.is_session != (kind == "session"):
        return body_profile
    if body_profile is not None and body_profile != header_scope:
        raise Invalid(f"{kind}: must be the same as the {kind} in the Profile header.")
    return header_scope


async def _token_profile(
    request: Request, session: Profile | None, customer: Profile | None
) -> Profile:
    """Returns the profile that the token is for, creating or merging sessions as needed.

    rules: token-issued, link-atomic.
    """
    service, now = request.service, request.now()
    if customer is not None:
        if session is not None:
            moved = await service.db.long_write(
                linking.link, session, customer, request.size_limits, now
            )
            metrics.count_link(moved)
            request.merged = session, customer
        service.access_cache.touch_customer(customer)
        return customer
    if session is not None:
        await request.run(profiles.renew_session, session, now)
        return session
    namespace, store = service.settings.session_namespace, request.store
    id = ids.random_uuid()
    return await request.run(profiles.create_session, store, namespace, id, now)
