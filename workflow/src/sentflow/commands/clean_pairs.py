"""Rule clean_pairs: a table of training data and the tables of tests → its pairs that may be trained on."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import digest_of, write_json
from sentflow.files.parquet import DescribedParts, DescribedWriter, readable
from sentflow.jobs.log import command, exit_with
from sentflow.texts.collection import read_table
from sentflow.training.pairs.clean import Cleaned, HeldOut

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--relation", type=Path, required=True, help="table of training data, of the form pairs"
    )
    parser.add_argument("--tests", type=Path, nargs="*", default=[], help="tables of what is held out")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tests": kind and name of each table, "language": code or null}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow", "py3langid"])
def main(args: argparse.Namespace) -> None:
    """Read, clean, write, a batch at a time."""
    settings = json.loads(args.settings)
    tests = {
        (kind, name): read_table(path)
        for (kind, name), path in zip(settings["tests"], args.tests, strict=True)
    }
    cleaned = Cleaned(settings["language"], HeldOut(tests))
    with readable(args.relation, "table of training data"):
        table = DescribedParts(args.relation)
        relation = str(table.about["training"])
    batches = (
        list(zip(batch.column("text").to_pylist(), batch.column("other").to_pylist(), strict=True))
        for batch in table.batches("text", "other")
    )
    with atomic(args.output) as part:
        writer = DescribedWriter(part, {"training": relation, "form": "pairs", "classes": []})
        for pairs in cleaned.pairs(batches):
            texts, others = zip(*pairs, strict=True) if pairs else ((), ())
            writer.write({"text": texts, "other": others})
        writer.close()
        facts = {"relation": relation, **cleaned.facts()}
        if not facts["kept"]:
            raise DataError(f"training_data.{relation}: no pair is left: {_told(facts)}.")
    write_json(args.output.with_suffix(".json"), {**facts, **digest_of(args.output)})
    logger.info("%s: %s", relation, _told(facts))


def _told(facts: dict[str, int]) -> str:
    return (
        f"{facts['kept']} of {facts['read']} pairs stay; left out: {facts['equal']} of two equal texts, "
        f"{facts['other_language']} in another language, {facts['held_out']} with texts of tests"
    )


if __name__ == "__main__":
    exit_with(main)
