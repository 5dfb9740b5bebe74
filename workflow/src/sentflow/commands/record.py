"""The effective configuration and the versions of everything that made the results."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_json, write_text
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.record import config_text, versions


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="record", description=__doc__)
    found.add_argument("--settings", required=True, help="JSON: the effective configuration")
    found.add_argument("--config", type=Path, required=True, help="YAML file to write")
    found.add_argument("--versions", type=Path, required=True, help="JSON file to write")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("record", args, libraries=["pyyaml"])
    write_text(args.config, config_text(json.loads(args.settings)))
    write_json(args.versions, versions())
    return 0


if __name__ == "__main__":
    exit_with(main)
