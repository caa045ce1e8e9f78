"""Shopify's webhooks: verifies their signatures and applies them."""
