"""Benchmarks. Start with __main__.py; targets.py has the measured programs, seed.py their data."""
