"""`sentflow tune`: the settings of an encoder that are fastest on this machine."""

import csv
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentflow.cli.configuration import ConfigFiles, fetched_manifest, processors, read_catalog
from sentflow.cli.terminal import listing, quiet, show_blocks
from sentflow.config.datasets import SAMPLES
from sentflow.downloads.mirrors import local_path
from sentflow.encoders.entries import encode_settings, kind_of
from sentflow.encoders.settings import KINDS, VectorSettings
from sentflow.errors import ConfigError, DataError, instead

if TYPE_CHECKING:
    from sentflow.encoders.tune import Candidate, Stage

_HEADER = (
    *("Backend", "dtype", "Batch tokens", "Threads", "Texts/s", "Tokens/s", "Spread", "Times the first"),
    *("Largest difference", "Lowest cosine", "Result"),
)
_NOT_MEASURED = ("",) * 6


def tune(
    model: Annotated[str, typer.Argument(help="An encoder of the catalog, or of --configfile.")],
    texts: Annotated[
        Path | None,
        typer.Option(
            help="Texts to measure with: one per line, or a collection (.parquet); sample texts if left out."
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            help="Largest difference of unit vectors from torch in float32. Other backends differ by 1e-6, "
            "bfloat16 by 1e-3 to 3e-3, onnx-int8 by 5e-2. The default allows bfloat16."
        ),
    ] = 0.005,
    most: Annotated[int, typer.Option(min=1, help="Most texts to measure with.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in which all candidates are measured.")] = 5,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Most threads; all processors if left out.")
    ] = None,
    configfile: ConfigFiles = None,
) -> None:
    """Find the fastest settings of a neural encoder on this machine's processor.

    Tries backends, dtypes, batches and threads, compares the vectors with those of torch in float32, and prints the
    fastest settings within the tolerance as YAML. Changes no file.
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise ConfigError(
            f"--tolerance {tolerance:g}: backends differ by rounding at least. Write a number > 0, e.g. 0.005."
        )
    entry = _entry(model, configfile)
    chosen, origin = _chosen_texts(texts, most)
    most_threads = threads or processors()
    from sentflow.jobs.machine import prepare_environment

    prepare_environment(most_threads)
    from sentflow.encoders.tune import Tuning

    settings = VectorSettings.model_validate(encode_settings(entry))
    with quiet():
        manifest, model_files = fetched_manifest(model, entry, before="it is measured")
        tuning = Tuning(manifest, model_files, settings, chosen, tolerance, rounds, tell=_tell)
        stages = tuning.stages(most_threads)
        n_tokens = int(tuning.load(stages[0].chosen).token_counts(chosen).sum())
    rows = [row for stage in stages for row in _rows(stage, len(chosen), n_tokens, tolerance=tolerance)]
    notes = (
        f"{len(chosen)} texts, {n_tokens / len(chosen):.0f} tokens each on average: {origin}. Speeds "
        "and differences hold for such texts on this machine.",
        "Medians over rounds; the spread is that of the middle half of them, and a difference within it counts as "
        "none.",
        "Largest difference of a value, and lowest cosine: unit vectors against those of torch in float32.",
    )
    table = listing(_HEADER, rows, "llrrrrrrrrl", caption=f"{model} on this machine", notes=notes)
    show_blocks(table, _settings(model, stages[-1].chosen, tolerance=tolerance))


def _entry(model: str, configs: Sequence[Path] | None) -> Mapping[str, Any]:
    models = read_catalog(configs)["models"]
    if model not in models:
        raise ConfigError(f"{model}: there is no such model. {instead(model, models)}")
    entry = models[model]
    tunable = [name for name, kind in KINDS.items() if issubclass(kind, VectorSettings)]
    if not issubclass(kind_of(entry), VectorSettings):
        raise ConfigError(
            f"{model} is of kind {entry['kind']}, which has no backend, dtype or batches to choose from. Take a model "
            f"of kind {' or '.join(tunable)}."
        )
    return entry


def _chosen_texts(path: Path | None, most: int) -> tuple[tuple[str, ...], str]:
    """Distinct texts of a file, or sample texts, at equal distances if there are too many; and where they are from."""
    texts = sample_texts() if path is None else _texts_of(path)
    distinct = list(dict.fromkeys(text for text in texts if text.strip()))
    if not distinct:
        raise DataError(f"{path} holds no texts. Give a file with one text per line.")
    n = min(most, len(distinct))
    kept = tuple(distinct[index * len(distinct) // n] for index in range(n))
    origin = "sample texts that come with sentflow" if path is None else f"texts of {path}"
    return kept, origin if n == len(distinct) else f"{n} of {len(distinct):,} {origin}"


def _texts_of(path: Path) -> Sequence[str]:
    if not path.is_file():
        raise DataError(
            f"there is no file {path}. Give one with a text per line, or a collection such as "
            "results/data/texts/sample-trust.parquet."
        )
    if path.suffix == ".parquet":
        from sentflow.texts.collection import read_collection

        return read_collection(path).texts
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error}). Save it as UTF-8, one text per line.") from error


def sample_texts() -> list[str]:
    from sentflow.texts.table import SEPARATOR

    texts = []
    for path in sorted(local_path(f"{SAMPLES}1").glob("*.csv")):  # those of tasks
        with path.open(encoding="utf-8", newline="") as file:
            texts += [text for _, *sides, _ in list(csv.reader(file))[1:] for text in sides]
    return [part for text in texts for part in text.split(SEPARATOR)]


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _rows(stage: "Stage", n_texts: int, n_tokens: int, *, tolerance: float) -> Iterator[tuple[str, ...]]:
    yield (stage.question,)
    first = next(iter(stage.timings.values())).median
    for candidate, timing in stage.timings.items():
        seconds, difference = timing.median, stage.differences[candidate]
        yield (
            *_names(candidate),
            f"{n_texts / seconds:,.0f}",
            f"{n_tokens / seconds:,.0f}",
            f"{100 * timing.spread / seconds:.0f} %",
            f"{first / seconds:.2f}",
            f"{difference.value:.0e}",
            f"{difference.cosine:.5f}",
            stage.verdict(candidate, tolerance=tolerance),
        )
    for candidate in stage.left_out:
        yield (*_names(candidate), *_NOT_MEASURED, stage.verdict(candidate, tolerance=tolerance))


def _names(candidate: "Candidate") -> tuple[str, ...]:
    return candidate.backend, candidate.dtype, str(candidate.batch_tokens), str(candidate.threads)


def _settings(model: str, chosen: "Candidate", *, tolerance: float) -> str:
    return f"""\
# The fastest setting whose unit vectors differ by at most {tolerance:g}.
# In your configuration; vectors are computed again where this is a change:
models:
  {model}:
    backend: {chosen.backend}
    dtype: {chosen.dtype}
    batch_tokens: {chosen.batch_tokens}
# In profiles/default/profile.yaml; changes no number:
set-threads:
  embed: {chosen.threads}"""
