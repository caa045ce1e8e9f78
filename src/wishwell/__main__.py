"""``python -m wishwell`` is the command ``wishwell``."""

from wishwell.cli import main

main()
