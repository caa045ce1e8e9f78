"""Mutation testing: makes small changes (mutants) to the code, each of which a test has to detect.

Start with `__main__.py`.
"""
