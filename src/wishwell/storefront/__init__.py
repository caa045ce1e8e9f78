"""The storefront: the paths on a shop's own domain, for browsers that hold no token (docs/storefront.md)."""
