"""What stands for the shop's own application: it signs a customer in and out."""

import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

WEEK = 7 * 86_400


class SignIn(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        token, seconds = "", 0
        if self.path == "/sign-in":  # once the password is checked
            claims = {"sub": "1001", "exp": int(time.time()) + WEEK}
            token, seconds = jwt.encode(claims, os.environ["JWT_KEY"]), WEEK
        cookie = f"shop_session={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax"
        self.send_response(303)
        self.send_header("Set-Cookie", cookie)  # on https, also `; Secure`
        self.send_header("Location", "/")
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", 9000), SignIn).serve_forever()
