import os
from io import BytesIO

from django.conf import settings
from django.contrib.auth import aget_user
from django.contrib.sessions.backends.db import SessionStore
from django.core.asgi import get_asgi_application
from django.core.handlers.asgi import ASGIRequest

from wishwell_client.forward import Forward

django = get_asgi_application()


async def customer(scope):
    request = ASGIRequest(scope, BytesIO())
    request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return (await aget_user(request)).pk  # None for nobody


wishlist = Forward(os.environ["WISHLIST_API"], os.environ["WISHLIST_TOKEN"], customer)


async def application(scope, receive, send):
    answer = wishlist if scope["path"].startswith("/apps/wishlist/") else django
    await answer(scope, receive, send)
