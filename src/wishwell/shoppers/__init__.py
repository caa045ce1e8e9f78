"""Shoppers: how a shop's visitors and customers are identified. No HTTP requests here."""
