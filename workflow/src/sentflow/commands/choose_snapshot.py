"""Rule choose_snapshot: development scores of a training's snapshots → the one that is the encoder."""

import argparse
import json
import logging
import shutil
from pathlib import Path

from sentflow.encoders.kinds.table import TRAINED
from sentflow.encoders.manifest import WEIGHTS, write_manifest
from sentflow.errors import DataError
from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.training.exported import manifest_of
from sentflow.training.links import link_files
from sentflow.training.record import Record
from sentflow.training.selection import Choice

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--snapshots", type=Path, required=True, help="folder with step-000020/ …")
    parser.add_argument("--record", type=Path, required=True, help="what was trained, .json")
    parser.add_argument("--scores", type=Path, nargs="*", default=[], help="development scores, by step")
    parser.add_argument("--state", type=Path, required=True, help="folder of the training; it is deleted")
    parser.add_argument("--settings", required=True, help='JSON: {"model"}, {"kind"}, keys of selection')
    parser.add_argument("--manifest", type=Path, required=True, help="output; the weights lie beside it")
    parser.add_argument("--selection", type=Path, required=True, help="output, .json")
    parser.add_argument("--last", type=Path, required=True, help="output, the encoder after the last step")


@command(arguments, libraries=[])
def main(args: argparse.Namespace) -> None:
    """Choose, link the files of the chosen and of the last snapshot, describe the chosen one."""
    # Snakemake has the outputs of the training, which it had not while that ran
    shutil.rmtree(args.state, ignore_errors=True)
    settings = json.loads(args.settings)
    model, kind = settings.pop("model"), settings.pop("kind", TRAINED)
    choice = Choice(**settings)
    found = [read_sealed(file) for file in args.scores]
    steps = [score["step"] for score in found] or [Record.read(args.record).steps]
    scores = [score["measures"][choice.measure] for score in found] or [float("nan")]
    chosen = choice.choose(steps, [float("nan") if score is None else score for score in scores])
    logger.info("chosen: the encoder after step %d of %d scored", chosen["step"], len(found))
    weights = args.manifest.parent / WEIGHTS
    for step, folder in ((chosen["step"], weights), (steps[-1], args.last)):
        snapshot = args.snapshots / f"step-{step:06d}"
        if not snapshot.is_dir():
            raise DataError(f"{snapshot} is missing. Delete {args.record} and run snakemake again.")
        shutil.rmtree(folder, ignore_errors=True)
        link_files(snapshot, folder)
    write_manifest(args.manifest, manifest_of(weights, model=model, kind=kind))
    write_sealed(args.selection, chosen)


if __name__ == "__main__":
    exit_with(main)
