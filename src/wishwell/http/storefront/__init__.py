"""The storefront: for browsers on a shop's own domain, which hold no token (docs/storefront.md)."""
