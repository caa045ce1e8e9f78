"""Requests that come straight from a shop's pages."""
