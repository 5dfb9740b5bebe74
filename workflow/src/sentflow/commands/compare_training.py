"""Rule compare_training: the similarities of all trainings on all pair sets → what seeds and pairs decide."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="files of similarities")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"pairs": pair sets in order, "groups": name → seed → encoder, "controls": groups, "measure", '
        '"correlation", "alpha", "level", "n_resamples", "seed"}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.compare.pair_sets import PairSetSettings, refuse_other_pairs
    from sentflow.compare.training_rows import TrainingSeeds
    from sentflow.compare.trainings import Trainings
    from sentflow.files.rows import write_rows
    from sentflow.similarity.results import bootstrap_seed
    from sentflow.similarity.storage import read_similarities

    settings = json.loads(args.settings)
    pair_sets, groups, controls = (settings.pop(key) for key in ("pairs", "groups", "controls"))
    rows = {(one.pairs, one.model): one for one in map(read_similarities, args.rows)}
    found: list[TrainingSeeds] = []
    for pairs in pair_sets:
        own = [rows[pairs, model] for seeds in groups.values() for model in seeds.values()]
        refuse_other_pairs(own)
        places = {one.model: place for place, one in enumerate(own)}
        trainings = Trainings(
            rows=own,
            groups={
                name: {int(seed): places[model] for seed, model in seeds.items()}
                for name, seeds in groups.items()
            },
            controls=controls,
            settings=PairSetSettings(**{**settings, "seed": bootstrap_seed(settings["seed"], pairs)}),
        )
        found += trainings.seed_rows()
        logger.info("%s: %d trainings in %d groups", pairs, len(own), len(groups))
    write_rows(args.output, TrainingSeeds, found)


if __name__ == "__main__":
    exit_with(main)
