"""The program: loads the commands, and runs one. ``python -m wishwell`` is the same."""

import gc


def main() -> None:
    """Runs the command that the arguments name, and exits with its code."""
    # Modules stay loaded, so collecting garbage while they load would only take time: a third of a
    # short command's.
    gc.disable()
    from wishwell import cli

    gc.freeze()
    gc.enable()
    cli.main()


if __name__ == "__main__":
    main()
