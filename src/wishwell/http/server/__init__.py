"""From bytes to requests: the HTTP protocol, reading of bodies, admission."""
