"""Shopify's webhooks: their signatures, and what they change."""
