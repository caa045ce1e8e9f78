import os

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

from wishwell_client.forward import Forward

PAGE = """<!doctype html>
<html lang="en">
  <title>Mug</title>
  <h1>Mug</h1>
  <wishlist-button product-id="101"></wishlist-button>
  <form method="post" action="/sign-{way}"><button>Sign {way}</button></form>
  <script type="module" src="/apps/wishlist/assets/wishwell.js"></script>
</html>"""

app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key=os.environ["SESSION_SECRET"])


@app.get("/")
def product(request: Request) -> HTMLResponse:
    return HTMLResponse(PAGE.format(way="out" if customer(request.scope) else "in"))


@app.post("/sign-in")
def sign_in(request: Request) -> RedirectResponse:
    request.session["customer_id"] = "1001"  # once the password is checked
    return RedirectResponse("/", 303)


@app.post("/sign-out")
def sign_out(request: Request) -> RedirectResponse:
    request.session.clear()
    return RedirectResponse("/", 303)


def customer(scope: dict) -> str | None:
    return scope["session"].get("customer_id")


wishlist = Forward(os.environ["WISHLIST_API"], os.environ["WISHLIST_TOKEN"], customer)
app.mount("/apps/wishlist", wishlist)
