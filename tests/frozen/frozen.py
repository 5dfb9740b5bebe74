"""Compare every number of five experiments with committed values, or update the values of named kinds.

    python tests/frozen/frozen.py check                  run all, compare, print each difference
    python tests/frozen/frozen.py update scores tables   run all, replace the values of these kinds

The experiments are the tiny one, one of searches, the default one and, where the mirror of real data is at hand,
`mirror.yaml` and `recipes.yaml` beside this file, and folds on the vectors of the published evaluator's results. They
run in an empty folder, or in that of ``--work``, where only what changed runs again.

A value is known by what it is (experiment, task, encoder, fold, measure …), never by the path of its file: where a file
moves, change `PLACES`. The values of a kind are one Parquet file in `values/`, and `values/counts.json` counts them.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
VALUES = HERE / "values"
COUNTS = VALUES / "counts.json"
SHARED = REPOSITORY.parent / "shared"

# What `recipes.yaml` trains, in which only trainings are run
RECIPES = (
    *("simcse", "sg-bert", "tsdae", "consert", "ct", "distillation", "mlm", "condenser", "cocondenser"),
    *("bi-encoder", "cross-encoder", "splade", "sparse-embed"),
)
TRAININGS = {"recipes": [f"results/training/frozen-{recipe}/history.parquet" for recipe in RECIPES]}
# Experiment → the files that are laid over config.yaml, and whether it reads the mirror
EXPERIMENTS = {
    "default": ([], False),
    "tiny": ([REPOSITORY / "tests" / "fixtures" / "tiny.yaml"], False),
    "searches": ([REPOSITORY / "tests" / "fixtures" / "asked.yaml"], False),
    "mirror": ([HERE / "mirror.yaml"], True),
    "recipes": ([HERE / "recipes.yaml"], True),
}

# Kind → where its numbers lie below results/. What stands for a name becomes part of the key.
PLACES: Mapping[str, Sequence[str]] = {
    "folds": ["probes/{task}/{model}/rep-{rep}/fold-{fold}.parquet"],
    "scores": ["scores/{task}/{model}.json"],
    "summaries": ["summary/{summary}.parquet"],
    "comparisons": ["comparisons/{comparison}.parquet", "comparisons/{comparison}.json"],
    "similarity": [
        "similarity/{pairs}/{model}.json",
        "similarity/{comparison}.parquet",
        "regressions/{regression}/{model}.json",
    ],
    "alignments": ["alignments/{alignment}/{model}.json"],
    "geometry": ["geometry/{collection}/{model}.json"],
    "retrieval": [
        "retrieval/{questions}/{retriever}.json",
        "retrieval/{questions}/{retriever}.parquet",
        "retrieval/{comparison}.parquet",
        "decisions/{questions}.json",
        "decisions/{questions}.parquet",
        "fusions/{questions}/{retriever}.parquet",
        "fusions/{retriever}.parquet",
    ],
    "runs": ["runs/{questions}/{retriever}.parquet"],
    "training": [
        "training/{model}/record.json",
        "training/{model}/history.parquet",
        "training/{model}/held-out.parquet",
        "training/{model}/selection.json",
    ],
    "tables": ["tables/{table}.csv"],
    "golden": [],  # computed here, see `golden_folds`
}

# Measured anew in every run, or no numbers of results
LEFT_OUT = re.compile(
    r"second|minute|hours|memory|_mb\b|bytes|threads|time|speed|digest|sha256|version|cost|device|processor|schema"
)
# Files of which all is measured anew
MEASURED = {"costs", "encoders", "retrieval-costs", "retrieval-indexes", "training-jobs", "training-costs"}
# Columns of text that say what a row means, in words that may change
WORDS = re.compile(
    r"note|title|caption|text|warning|reason|source|citation|licence|description|mark|unit|comparable"
)
# Whole numbers that say which row it is
PLACE = {
    *("kfold_repetition", "kfold_partition", "train_epoch", "repetition", "fold"),
    *("step", "seed", "k", "rank_at"),
}
KEPT_OF_RANKING = 50

# Values are committed on one machine. On one of the same kind they are equal up to the last digits that JSON and CSV
# may lose. On another, sums have other last digits (docs/reproducibility.md); a training carries them on, so that only
# its losses are compared; and a few ranks, letters and places at the end of a ranking change with them. From AVX2 to
# AVX-512 at most 0.5 % of a kind's values moved by more than these tolerances (1.8 % of those of one experiment).
SAME_MACHINE = 1e-9
OTHER_MACHINE = {"losses": 1e-3, "any": 2e-3}
SHARE_ON_OTHER_MACHINE = 0.02  # of the values of a kind
TRAINED = re.compile(r"simcse-sample|frozen-")


def machine() -> dict[str, str]:
    """What the last digits of sums depend on."""
    cpu = Path("/proc/cpuinfo")
    vendor = re.search(r"vendor_id\s*: (\S+)", cpu.read_text()) if cpu.exists() else None
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "vendor": vendor[1] if vendor else platform.processor(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "openblas": os.environ.get("OPENBLAS_CORETYPE", ""),
    }


def run(experiment: str, work: Path, mirror: Path | None) -> Path | None:
    """Run an experiment; its results folder, or None where it needs a mirror that is not there."""
    configs, needs_mirror = EXPERIMENTS[experiment]
    if needs_mirror and mirror is None:
        return None
    folder = work / experiment
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(REPOSITORY / "Snakefile")]
    command += ["--cores", "all", "--directory", str(folder), "--quiet", "rules"]
    command += ["--configfile", *map(str, configs)] if configs else []
    command += ["--config", f"mirrors=[{mirror}]"] if needs_mirror else []
    command += ["--", *TRAININGS.get(experiment, ["all"])]
    subprocess.run(command, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    return folder / "results"


def found(kind: str, results: Path) -> Iterator[pd.Series]:
    """The values of a kind in a results folder, by key; a file each."""
    for pattern in PLACES[kind]:
        glob = re.sub(r"\{\w+\}", "*", pattern)
        names = re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(pattern)))
        for file in sorted(results.glob(glob)):
            match = names.fullmatch(file.relative_to(results).as_posix())
            if match is None or file.name.endswith(".made.json"):
                continue
            if MEASURED.intersection(match.groupdict().values()):
                continue
            of = " ".join(match.groupdict().values())
            if file.suffix == ".json":
                leaves = dict(_leaves(json.loads(file.read_text(encoding="utf-8")), of))
                yield pd.Series(leaves, dtype=float)
            else:
                frame = pd.read_csv(file) if file.suffix == ".csv" else pd.read_parquet(file)
                if kind == "folds":
                    frame = frame[frame["metric"] != "prediction"].drop(columns=["row", "truth", "predicted"])
                yield _cells(_top(frame) if kind == "runs" else frame, of)


def _top(run_of: pd.DataFrame) -> pd.DataFrame:
    return run_of.groupby("question", sort=False).head(KEPT_OF_RANKING)


def _leaves(content: Any, key: str) -> Iterator[tuple[str, float]]:
    if isinstance(content, Mapping):
        for name, value in content.items():
            if not LEFT_OUT.search(str(name)):
                yield from _leaves(value, f"{key} {name}")
    elif isinstance(content, list):
        for place, value in enumerate(content):
            yield from _leaves(value, f"{key} {place}")
    elif isinstance(content, bool | int | float):
        yield key, float(content)


def _cells(frame: pd.DataFrame, of: str) -> pd.Series:
    columns = [column for column in map(str, frame.columns) if not LEFT_OUT.search(column)]
    numbers = [one for one in columns if pd.api.types.is_numeric_dtype(frame[one]) and one not in PLACE]
    rows = pd.Series(f"{of} ", index=frame.index)
    for column in columns:
        if column not in numbers and not WORDS.search(column) and _is_plain(frame[column]):
            rows += frame[column].fillna("").astype(str) + " "
    return pd.concat(
        [pd.Series(frame[column].to_numpy(float), index=rows + column) for column in numbers]
        or [pd.Series(dtype=float)]
    )


def _is_plain(column: pd.Series) -> bool:
    return not column.map(lambda value: isinstance(value, list | dict | np.ndarray)).any()


def golden_folds(folder: Path) -> Iterator[pd.Series]:
    """Folds of the probes on the inputs of the published evaluator's results."""
    from sentflow.probing.cross_validation import cross_validate

    for name, metric in (("offcombr2", "mcc"), ("factnews3", "adjusted_macro_f1")):
        features = np.load(folder / f"{name}.embeddings.npy")
        labels = np.load(folder / f"{name}.labels.npy").astype(np.int64)
        for classifier, hidden in (("logistic", None), ("mlp256", 256)):
            scores = cross_validate(features, labels, metric=metric, hidden=hidden, repetitions=1).scores
            yield _cells(scores, f"{name} {classifier}")


def collect(
    work: Path, mirror: Path | None, golden: Path | None, only: Sequence[str]
) -> tuple[dict[str, pd.Series], set[str]]:
    """Run everything; per kind the values by key, and the experiments that did not run here."""
    values: dict[str, list[pd.Series]] = {kind: [] for kind in PLACES}
    absent = set()
    # Two at a time: while one waits for its last job, the other computes.
    with ThreadPoolExecutor(2) as pool:
        runs = pool.map(
            lambda experiment: run(experiment, work, mirror) if experiment in only else None, EXPERIMENTS
        )
    for experiment, results in zip(EXPERIMENTS, runs, strict=True):
        if results is None:
            absent.add(experiment)
            continue
        for kind in PLACES:
            values[kind] += [of_file.add_prefix(f"{experiment} ") for of_file in found(kind, results)]
    if golden is None or "golden" not in only:
        absent.add("golden")
    else:
        values["golden"] = [of_file.add_prefix("golden ") for of_file in golden_folds(golden)]
    return {kind: _joined(files) for kind, files in values.items()}, absent


def _joined(files: Sequence[pd.Series]) -> pd.Series:
    """Sorted by key; keys that several rows share are numbered in the order of the rows."""
    values = pd.concat([file for file in files if len(file)] or [pd.Series(dtype=float, index=[])])
    keys = values.index.astype(str).str.replace(r"\s+", " ", regex=True).to_series()
    again = keys.groupby(keys.to_numpy()).cumcount()
    numbered = keys.where(again == 0, keys + " #" + (again + 1).astype(str))
    return pd.Series(values.to_numpy(), index=numbered.to_numpy(), dtype=float).sort_index()


def committed(kind: str) -> pd.Series:
    """The values that stand in the repository; none for a new kind."""
    file = VALUES / f"{kind}.parquet"
    if not file.exists():
        return pd.Series(dtype=float, index=pd.Index([], dtype=str))
    table = pq.read_table(file)
    return pd.Series(table["value"].to_numpy(), index=table["key"].to_pylist(), dtype=float)


def commit(kind: str, values: pd.Series) -> None:
    """Write the values of a kind, small: sorted keys are stored by what they add to the one before."""
    table = pa.table({"key": pa.array(values.index, pa.string()), "value": pa.array(values.to_numpy())})
    pq.write_table(
        table,
        VALUES / f"{kind}.parquet",
        compression="zstd",
        compression_level=19,
        use_dictionary=False,
        column_encoding={"key": "DELTA_BYTE_ARRAY", "value": "BYTE_STREAM_SPLIT"},
    )


def tolerance(keys: pd.Index, *, same_machine: bool) -> np.ndarray:
    """What each value may differ by, relative to its size where that is above 1."""
    if same_machine:
        return np.full(len(keys), SAME_MACHINE)
    of_losses = np.asarray(keys.str.contains("loss"), dtype=bool)
    return np.where(of_losses, OTHER_MACHINE["losses"], OTHER_MACHINE["any"])


def differences(kind: str, was: pd.Series, now: pd.Series, *, same_machine: bool) -> list[str]:
    """One line per difference: kind, key, was, is."""
    if not same_machine and kind != "training":
        was, now = (values[~values.index.str.contains(TRAINED)] for values in (was, now))
    both = was.index.intersection(now.index)
    old, new = was[both].to_numpy(), now[both].to_numpy()
    with np.errstate(invalid="ignore"):
        far = np.abs(old - new) > tolerance(both, same_machine=same_machine) * np.maximum(1, np.abs(old))
    far = (far & (old != new)) | (np.isfinite(old) != np.isfinite(new))
    lines = [
        f"{kind}: {key}: was {a:.12g}, is {b:.12g}"
        for key, a, b in zip(both[far], old[far], new[far], strict=True)
    ]
    lines += [f"{kind}: {key}: was {was[key]:.12g}, is gone" for key in was.index.difference(now.index)]
    lines += [f"{kind}: {key}: is new, {now[key]:.12g}" for key in now.index.difference(was.index)]
    return lines


def show(lines: Sequence[str], most: int) -> None:
    """Print differences, the first of each kind."""
    sys.stdout.writelines(f"{line}\n" for line in lines[:most])
    if len(lines) > most:
        sys.stdout.write(f"… and {len(lines) - most} more\n")


def check(values: Mapping[str, pd.Series], absent: set[str], most: int) -> int:
    """Compare all kinds; the exit code."""
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    same_machine = counts["machine"] == machine()
    total = 0
    for kind, now in values.items():
        was = committed(kind)
        if len(was):
            was = was[~was.index.str.startswith(tuple(f"{experiment} " for experiment in absent))]
        lines = differences(kind, was, now, same_machine=same_machine)
        show(lines, most)
        total += len(lines) if same_machine or len(lines) > SHARE_ON_OTHER_MACHINE * len(now) else 0
        sys.stdout.write(f"{kind}: {len(now):,} values, {len(lines):,} differ\n")
    for experiment in sorted(absent):
        sys.stdout.write(
            f"not compared: {experiment} (left out, or there is no mirror of real data; SENTFLOW_MIRROR names one)\n"
        )
    how = ("within the tolerances between machines", "as on the machine of the committed values")[
        same_machine
    ]
    sys.stdout.write(f"frozen: {'passed' if not total else f'{total:,} differences'}, compared {how}\n")
    return int(total > 0)


def update(values: Mapping[str, pd.Series], absent: set[str], kinds: Sequence[str], most: int) -> int:
    """Replace the values of some kinds, print what changed, count."""
    if absent:
        sys.stdout.write(
            f"Values are updated where all experiments run; missing here: {', '.join(sorted(absent))}\n"
        )
        return 1
    VALUES.mkdir(exist_ok=True)
    counts = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {"values": {}}
    for kind in kinds:
        show(differences(kind, committed(kind), values[kind], same_machine=True), most)
        commit(kind, values[kind])
        sys.stdout.write(f"{kind}: {counts['values'].get(kind, 0):,} → {len(values[kind]):,} values\n")
        counts["values"][kind] = len(values[kind])
    counts["machine"] = machine()
    COUNTS.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def _folder(variable: str, default: Path) -> Path | None:
    named = os.environ.get(variable, "").split()
    folder = Path(named[0]) if named else default
    return folder.resolve() if folder.is_dir() else None


def main() -> int:
    """Check or update."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=["check", "update"])
    parser.add_argument("kinds", nargs="*", choices=[*PLACES, []], help="kinds to update")
    parser.add_argument("--work", type=Path, help="folder of the runs, kept; a new one by default")
    parser.add_argument(
        "--only", nargs="+", default=[*EXPERIMENTS, "golden"], help="experiments to run and compare"
    )
    parser.add_argument("--most", type=int, default=20, help="differences printed per kind")
    args = parser.parse_args()
    if (args.action == "update") != bool(args.kinds):
        parser.error(f"update takes the kinds to update, check none. Kinds: {', '.join(PLACES)}")
    with contextlib.ExitStack() as stack:
        work = args.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="frozen-")))
        mirror = _folder("SENTFLOW_MIRROR", SHARED / "data")
        golden = _folder("SENTFLOW_GOLDEN", SHARED / "golden")
        values, absent = collect(work.resolve(), mirror, golden, args.only)
    if args.action == "update":
        return update(values, absent, args.kinds, args.most)
    return check(values, absent, args.most)


if __name__ == "__main__":
    sys.exit(main())
