"""Faults under load against the real program, and a checker of what is there afterwards."""
