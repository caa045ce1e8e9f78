"""Checks that only read code, documents and configuration; `make check` runs them."""
