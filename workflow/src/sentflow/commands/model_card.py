"""The files of one training and all scores → the model card of its encoder."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.io import write_json, write_text
from sentflow.jobs.log import command, exit_with
from sentflow.training.cards.card import model_card
from sentflow.training.cards.facts import About, read_facts
from sentflow.training.cards.lint import card_problems

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--record", type=Path, required=True, help="record.json, with made.json … beside it")
    parser.add_argument("--manifest", type=Path, required=True, help="manifest of the encoder")
    parser.add_argument("--summaries", type=Path, nargs="*", default=[], help="files of scores, told by name")
    parser.add_argument(
        "--audit", type=Path, nargs="*", default=[], help="audit of the training data, if any"
    )
    parser.add_argument("--settings", required=True, help="JSON, see sentflow.training.cards.facts.About")
    parser.add_argument("--about", type=Path, required=True, help="JSON to write: the settings")
    parser.add_argument("--output", type=Path, required=True, help="README.md to write")


@command(arguments, libraries=["huggingface_hub", "jinja2", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Write the card; one that would not pass its own check is not written."""
    about = About.from_json(args.settings)
    facts = read_facts(args.record.parent, args.manifest, about, args.summaries, next(iter(args.audit), None))
    card = model_card(facts)
    if problems := card_problems(card, facts):
        raise DataError(f"the card of {facts.record.model} is wrong: {'; '.join(problems)}.")
    write_json(args.about, json.loads(args.settings))
    write_text(args.output, card)
    logger.info("%s: %d scores of %d seeds", args.output, len(facts.scores), len(about.siblings))


if __name__ == "__main__":
    exit_with(main)
