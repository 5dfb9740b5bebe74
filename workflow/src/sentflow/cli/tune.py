"""`sentflow tune`: the settings of an encoder that are fastest on this machine."""

import math
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentflow.cli.configuration import read_configuration, workflow_folder
from sentflow.cli.fetched import fetched_manifest
from sentflow.cli.quiet import quiet
from sentflow.cli.terminal import show_blocks
from sentflow.cli.texts_to_tune import chosen_texts
from sentflow.config.load import load_catalog
from sentflow.encoders.entries import encode_settings, kind_of
from sentflow.encoders.kinds.table import KINDS
from sentflow.errors import ConfigError, instead

if TYPE_CHECKING:
    pass


def tune(
    model: str,
    *,
    configs: Sequence[Path],
    texts: Path | None,
    tolerance: float,
    most: int,
    rounds: int,
    threads: int | None,
) -> None:
    """Print what was measured of a model, and the fastest settings as YAML.

    Parameters
    ----------
    model
        Name of an entry.
    configs
        Laid over the catalog.
    texts
        See `chosen_texts`; None is sample texts.
    tolerance
        By how much a value of a unit vector may differ from plain ones, > 0.
    most
        Texts at most, >= 1.
    rounds
        Of each stage, >= 1.
    threads
        At most; None is the processors that this process may use.

    Raises
    ------
    ConfigError
        No such model, one without such settings, one that was not fetched yet, or a tolerance of 0 or less.
    DataError
        There are no texts, or the model's files are damaged.
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise ConfigError(
            f"--tolerance {tolerance:g}: backends differ by rounding at least. Write a number > 0, e.g. 0.005."
        )
    entry = _entry(model, configs)
    chosen = chosen_texts(texts, most=most)
    most_threads = threads or _processors()
    from sentflow.jobs.environment import prepare_environment

    prepare_environment(most_threads)
    from sentflow.cli.tune_report import blocks
    from sentflow.encoders.kinds.neural.settings import Settings
    from sentflow.encoders.tuning.tune import Measuring, loader
    from sentflow.encoders.tuning.tune import tune as measure

    settings = Settings.from_entry(encode_settings(entry))
    with quiet(), tempfile.TemporaryDirectory() as folder:
        manifest, manifest_folder = fetched_manifest(model, entry, Path(folder), before="it is measured")
        load = loader(manifest, settings, manifest_folder)
        measuring = Measuring(chosen.texts, tolerance, rounds, clock=time.perf_counter, tell=_tell)
        stages = measure(load, settings, threads=most_threads, measuring=measuring)
        lengths = load(stages[0].chosen).token_counts(chosen.texts)
    show_blocks(blocks(model, stages, chosen, n_tokens=int(lengths.sum()), tolerance=tolerance))


def _entry(model: str, configs: Sequence[Path]) -> Mapping[str, Any]:
    """The entry of a model that has settings to measure."""
    models = load_catalog(read_configuration(configs), workflow_folder())["models"]
    if model not in models:
        raise ConfigError(f"{model}: there is no such model. {instead(model, models)}")
    entry: Mapping[str, Any] = models[model]
    tunable = [name for name, kind in KINDS.items() if kind.backend_libraries]
    if kind_of(entry).name not in tunable:
        raise ConfigError(
            f"{model} is of kind {entry['kind']}, which has no backend, dtype or batches to choose from. Take a model "
            f"of kind {' or '.join(tunable)}."
        )
    return entry


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
