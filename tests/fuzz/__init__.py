"""Fuzzing of all decoders of untrusted input: `make fuzz`, `python -m tests.fuzz --minutes 10`.

Start with `targets.py`, which has the invariants. `seeds.py` has the seed inputs; `one.py` runs a
target under atheris. `make test` replays `corpus/`, the inputs worth keeping.
"""
