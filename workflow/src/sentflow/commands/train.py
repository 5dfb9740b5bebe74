"""Rule train: an encoder and rows of text → the trained encoder, at every step that is asked for, and the way there."""

import argparse
import json
import logging
import os
import sys
from pathlib import Path

from sentflow.commands.embed import prepare_environment
from sentflow.files.io import write_text
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import command, exit_with
from sentflow.jobs.versions import library_version

logger = logging.getLogger(__name__)

_SECONDS_TO_LEAVE = 600  # for the step that is being computed, and to save; torchrun then kills


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--start", type=Path, required=True, help="manifest of the encoder that is trained on"
    )
    parser.add_argument("--data", type=Path, required=True, help="results/data/training/<data>.parquet")
    parser.add_argument(
        "--teacher", type=Path, nargs="*", default=[], help="texts, vectors and their description; or nothing"
    )
    parser.add_argument("--settings", required=True, help="JSON, see sentflow.training.job.Job")
    parser.add_argument(
        "--libraries", default="", help="whose versions are recorded, with spaces between them"
    )
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--device",
        default="null",
        help="JSON: cpu or cuda:1, or one for each process of torchrun; null for the best there is",
    )
    parser.add_argument("--threads", type=int, default=1, help="may change the last bits of the weights")
    parser.add_argument("--save-seconds", type=float, default=300.0, help="between two states on disk")
    add_limits(parser)
    parser.add_argument("--state", type=Path, required=True, help="folder to go on from after a break")
    parser.add_argument("--record", type=Path, required=True, help="output, .json")
    parser.add_argument(
        "--made", type=Path, required=True, help="output, .json: what differs from run to run"
    )
    parser.add_argument("--history", type=Path, required=True, help="output, .parquet: a row per step")
    parser.add_argument(
        "--held-out",
        type=Path,
        required=True,
        help="output, .parquet: what rows that are not trained on measure",
    )
    parser.add_argument("--snapshots", type=Path, required=True, help="output, a folder: step-000020/ …")


@command(arguments, libraries=["torch", "transformers", "sentence-transformers"])
def main(args: argparse.Namespace) -> None:
    """Train or go on, and write."""
    use_limits(args)
    prepare_environment(args.threads)
    device = json.loads(args.device)
    devices = tuple(device) if isinstance(device, list) else (device,)
    if len(devices) > 1 and "WORLD_SIZE" not in os.environ:
        _in_processes(len(devices))
        return

    from sentflow.files.rows import write_rows
    from sentflow.training.held_out_rows import HeldOutRow
    from sentflow.training.history import write_history
    from sentflow.training.job import Job
    from sentflow.training.leave import EXIT_CODE
    from sentflow.training.links import link_files
    from sentflow.training.loop import LeftEarly
    from sentflow.training.place import Place

    versions = {library: library_version(library) for library in args.libraries.split()}
    job = Job(json.loads(args.settings), args.start, args.data, args.code, versions, args.teacher)
    place = Place(args.state, devices, args.threads, args.save_seconds)
    try:
        record, made, progress = job.run(place)
    except LeftEarly as reason:
        logger.warning("%s: asked to end, or little time is left. The next run goes on from there.", reason)
        sys.exit(EXIT_CODE)
    if int(os.environ.get("RANK", "0")):
        return  # the first process writes
    link_files(place.snapshots, args.snapshots)
    write_history(args.history, progress.history)
    write_rows(args.held_out, HeldOutRow, [HeldOutRow(**row) for row in progress.held_out])
    write_text(args.made, made.to_json())
    # The state stays for a run that is killed before Snakemake takes these outputs; `choose_snapshot` deletes it
    record.write(args.record)


def _in_processes(n: int) -> None:
    """Run this command once per device, as torchrun does, and end as the first of them that fails.

    A wish to leave is passed on to them; torchrun's own command would then end with a traceback. It would also take
    options of this command for its own.
    """
    from torch.distributed.elastic.multiprocessing import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    from sentflow.training.leave import EXIT_CODE, SIGNALS

    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=n,
        run_id=str(os.getpid()),
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",  # any port that is free
        max_restarts=0,
        signals_to_handle=",".join(number.name for number in SIGNALS),
        shutdown_timeout=_SECONDS_TO_LEAVE,
    )
    words = [sys.executable, "-m", "sentflow.commands.train", *sys.argv[1:]]
    try:
        elastic_launch(config, words[0])(*words[1:])
    except SignalException:
        sys.exit(EXIT_CODE)
    except ChildFailedError as error:
        sys.exit(error.get_first_failure()[1].exitcode)


if __name__ == "__main__":
    exit_with(main)
