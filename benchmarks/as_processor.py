"""Run a command as on a processor with fewer instructions: python benchmarks/as_processor.py NAME COMMAND…

NAME is one of `processor_settings.PROCESSORS`. Where the processor of this machine has less than that, or no more,
nothing is run, and a line says so.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # which PYTHONSAFEPATH leaves out

from processor_settings import PROCESSORS, VARIABLE, no_use  # noqa: E402


def main() -> None:
    """Become the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=PROCESSORS)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("no command: write one after the name, for example `python -m pytest -m numeric`")
    processor = PROCESSORS[arguments.name]
    if reason := no_use(processor):
        print(f"Not run as {arguments.name}: {reason}.")
        return
    os.environ.update(processor.variables() | {VARIABLE: arguments.name})
    os.execvp(arguments.command[0], arguments.command)  # noqa: S606


if __name__ == "__main__":
    main()
