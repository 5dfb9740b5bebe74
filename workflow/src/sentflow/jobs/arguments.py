"""Arguments that several commands have in common."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of a command that probes, but for where its features come from."""
    parser.add_argument("--task", type=Path, required=True, help="task table")
    parser.add_argument("--settings", required=True, help="JSON, see probing.protocol.catalog.job_settings")
    parser.add_argument("--device", help="which device of the kind in the settings; any by default")
    parser.add_argument("--output", nargs="+", required=True, help="fold files, …/rep-R/fold-F.parquet")


def add_raw_arguments(parser: argparse.ArgumentParser) -> None:
    """Raw files and the entry of the catalog that says how to read them."""
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="files of the dataset")
    parser.add_argument("--settings", required=True, help="JSON: the entry in the catalog")
    parser.add_argument(
        "--checks", default="{}", help="JSON: what changes no byte of the output: expected numbers, files"
    )


def add_embedding_arguments(parser: argparse.ArgumentParser) -> None:
    """The sentences of a family and their vectors."""
    parser.add_argument("--texts", type=Path, required=True, help="Parquet of the distinct sentences")
    parser.add_argument("--embeddings", type=Path, required=True, help="their vectors, .npy")
    parser.add_argument("--info", type=Path, required=True, help="what describes the vectors, .json")


def add_call_seconds(parser: argparse.ArgumentParser) -> None:
    """The limit of a user's own class, see `call_limit`."""
    parser.add_argument(
        "--call-seconds", type=int, default=0, help="time limit for a call of your own class; 0 for no limit"
    )


def call_limit(args: argparse.Namespace) -> float | None:
    """What `add_call_seconds` was given, as `CustomCode` takes it."""
    return args.call_seconds or None


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """What every export of scores reads."""
    parser.add_argument("--summary", type=Path, required=True, help="summary of scores")
    parser.add_argument("--digests", type=Path, nargs="+", required=True, help="digests of the task tables")
    parser.add_argument("--settings", required=True, help='JSON: {"tasks", "models": external names}')


def add_score_files(parser: argparse.ArgumentParser, *, prefix: str = "", of: str = "") -> None:
    """Score files and the tables beside them, e.g. ``--other-scores`` and ``--other-tables``."""
    parser.add_argument(
        f"--{prefix}scores", nargs="+", type=Path, required=True, help=f"score files{of}, in order of select"
    )
    parser.add_argument(
        f"--{prefix}tables", nargs="+", type=Path, required=True, help="score tables in the same order"
    )


def described(settings: Mapping[str, Any], section: str, name: str) -> Mapping[str, Any]:
    """The entry of a task, encoder, pair set … in the settings.

    Raises
    ------
    ConfigError
        There is a result of something that the settings do not know.
    """
    entries: Mapping[str, Any] = settings.get(section, {})
    if name not in entries:
        raise ConfigError(
            f"there are results of {name!r}, but the settings under {section!r} know only: "
            f"{', '.join(entries) or 'nothing'}."
        )
    entry: Mapping[str, Any] = entries[name]
    return entry
