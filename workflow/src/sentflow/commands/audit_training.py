"""Rule audit_training: training data and the tables of tests → what texts they have in common."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.audit.training_audit import audit_training
from sentflow.files.sealed import write_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.texts.collection import read_table
from sentflow.training.data.table import read_training_data

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--data", type=Path, required=True, help="table of training data")
    parser.add_argument(
        "--tests", type=Path, nargs="+", required=True, help="tables of tasks, pair sets, questions"
    )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tests": kind and name of each table, "declared": whether test texts are said to be there}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".json")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, audit, write."""
    settings = json.loads(args.settings)
    tests = {
        (kind, name): read_table(path)
        for (kind, name), path in zip(settings["tests"], args.tests, strict=True)
    }
    facts = audit_training(read_training_data(args.data), tests, declared=settings["declared"])
    write_sealed(args.output, facts)
    for found in facts["tests"]:
        logger.info(
            "%s, %s %s: %d of %d texts are copies of training texts, %d more are nearly",
            facts["data"],
            found["kind"],
            found["name"],
            found["texts"]["copies"],
            found["texts"]["n"],
            found["texts"]["near"],
        )
    for sentence in facts["warnings"]:
        logger.warning("%s: %s", facts["data"], sentence)


if __name__ == "__main__":
    exit_with(main)
