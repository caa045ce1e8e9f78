"""Wishwell: the wishlist service that an online store runs itself."""

__version__ = "0.1.0"
