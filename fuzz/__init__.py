"""Fuzzing of every decoder that a stranger's bytes reach: `make fuzz`, `python -m fuzz --minutes 10`.

`targets.py` says what must hold, `seeds.py` where to begin, `one.py` runs one target under atheris.
What they found worth keeping lies in `corpus/`, and `make test` replays it.
"""
