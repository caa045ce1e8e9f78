"""A small shop with wishlists, to try Wishwell in: ``make demo``."""
