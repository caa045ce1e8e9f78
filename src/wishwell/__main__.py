"""The program: loads the commands, and runs one. ``python -m wishwell`` is the same."""

import gc


def main() -> None:
    """Runs the command that the arguments name, and exits with its code."""
    # What is loaded stays. To search it for garbage, again and again while it grows and once more
    # at the end, would take a third of the time of a short command.
    gc.disable()
    from wishwell import cli

    gc.freeze()
    gc.enable()
    cli.main()


if __name__ == "__main__":
    main()
