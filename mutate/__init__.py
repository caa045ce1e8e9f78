"""Mutation testing: small faults put into the code one by one, each of which a test has to notice."""
