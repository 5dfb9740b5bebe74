"""The rows of one task → duplicates, contradictions, classes, lengths and languages, with warnings in plain words."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.audit.task_audit import AuditSettings, audit
from sentflow.files.io import write_json
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.table import read_task

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="python -m sentflow.commands.audit", description=__doc__)
    found.add_argument("--rows", type=Path, required=True, help="task table")
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"repetitions", "folds", "seed", "group_folds": of the protocol; "language": of the texts}',
    )
    found.add_argument("--output", type=Path, required=True, help=".json")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("audit", args, libraries=["numpy", "py3langid"])
    facts = audit(read_task(args.rows), AuditSettings(**json.loads(args.settings)))
    write_json(args.output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s: %s", facts["task"], sentence)
    logger.info("%s: %d rows, %d warnings", facts["task"], facts["n_rows"], len(facts["warnings"]))
    return 0


if __name__ == "__main__":
    exit_with(main)
