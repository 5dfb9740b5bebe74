"""The effective configuration and the versions of everything that made the results."""

import argparse
import json
from pathlib import Path

from sentflow.files.io import write_json, write_text
from sentflow.jobs.log import command, exit_with
from sentflow.report.record import config_text, versions


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--settings", required=True, help="JSON: the effective configuration")
    parser.add_argument("--config", type=Path, required=True, help="YAML file to write")
    parser.add_argument("--versions", type=Path, required=True, help="JSON file to write")


@command(arguments, libraries=["pyyaml"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    write_text(args.config, config_text(json.loads(args.settings)))
    write_json(args.versions, versions())


if __name__ == "__main__":
    exit_with(main)
