"""The rows of one task → duplicates, contradictions, classes, lengths and languages, with warnings in plain words."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.audit.task_audit import AuditSettings, audit
from sentflow.files.sealed import write_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.texts.table import read_task

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--rows", type=Path, required=True, help="task table")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"repetitions", "folds", "seed", "group_folds": of the protocol; "language": of the texts}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".json")


@command(arguments, libraries=["numpy", "py3langid"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    facts = audit(read_task(args.rows), AuditSettings(**json.loads(args.settings)))
    write_sealed(args.output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s: %s", facts["task"], sentence)
    logger.info("%s: %d rows, %d warnings", facts["task"], facts["n_rows"], len(facts["warnings"]))


if __name__ == "__main__":
    exit_with(main)
