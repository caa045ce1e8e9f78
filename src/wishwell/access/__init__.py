"""Access: tokens, their cache, and client addresses.

Start with ``auth.py`` (issuing, verifying and revoking tokens); ``access_cache.py`` caches stores,
admin tokens and revocations, which ``registry.py`` reads.
"""
