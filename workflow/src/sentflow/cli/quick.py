"""`sentflow quick`: from a file of the user to a verdict."""

import os
import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
import yaml

from sentflow.cli.configuration import read_configuration
from sentflow.cli.own_data import (
    DataFile,
    Entries,
    collection_entries,
    is_beir,
    new_name,
    pair_entries,
    read_data_file,
    slug,
    task_entry,
)
from sentflow.cli.run import prepared
from sentflow.cli.terminal import listing, show_blocks
from sentflow.config.entries import merge
from sentflow.config.load import load_catalog, load_experiment
from sentflow.errors import ConfigError, DataError
from sentflow.flow.workflow_folder import workflow_folder
from sentflow.report import claims
from sentflow.report.numbers import decimal, interval, p_number, percent
from sentflow.report.table.table import Table

_REPETITIONS = 3
_SECONDS = 20  # of a run, beside embedding
_TEXTS_PER_SECOND = 100  # that a small neural encoder embeds
_NEURAL = ("sentence-transformers", "transformers")


class Encoders(NamedTuple):
    """Names of encoders, and the entries of those that the catalog does not have."""

    names: list[str]
    entries: Entries


Names = Annotated[
    list[str],
    typer.Option(
        "--models", help="Names of the catalog, folders, or owner/name@commit, separated by commas."
    ),
]


def quick(
    data: Annotated[
        Path, typer.Argument(help="A CSV, TSV, JSON lines or Parquet file, or a folder in BEIR's form.")
    ],
    models: Names,
    text: Annotated[str | None, typer.Option(help="Column of the text, or of the first text.")] = None,
    text_b: Annotated[str | None, typer.Option(help="Column of the second text.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the label: classes are learnt.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of the similarity of two texts.")] = None,
    split: Annotated[str | None, typer.Option(help="File below qrels/ of a folder in BEIR's form.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of the file, if it is not UTF-8.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Character between the columns.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The published ten repetitions, not three.")] = False,
    cores: Annotated[int, typer.Option(min=1, help="Processor cores.")] = os.cpu_count() or 1,
) -> None:
    """Compare encoders on a file of yours, from one line to a verdict."""
    folder = Path(f"{slug(data)}.sentflow")
    written = os.path.relpath(data, folder)
    encoders = _encoders(
        [name.strip() for item in models for name in item.split(",") if name.strip()], folder
    )
    if data.is_dir():
        entries, told, texts = _collection(data, written, encoders, split)
    else:
        file = read_data_file(data, encoding, delimiter)
        entries, told, texts = _table(file, written, encoders, text, text_b, label, score)
        if label is not None:
            entries["probe"] = {"repetitions": 10 if full else _REPETITIONS}
            told.append(
                f"Protocol: corrected, {'ten' if full else 'three'} repetitions of five folds{_less(full)}"
            )
    experiment = {"extends": "none", **entries}
    folder.mkdir(exist_ok=True)
    with chdir(folder):  # paths of the experiment begin there
        checked = load_experiment(merge(read_configuration([]), experiment), workflow_folder(), experiment)
    neural = sum(entry["kind"] in _NEURAL for entry in checked.fetched_models.values())
    seconds = _SECONDS + texts * neural / _TEXTS_PER_SECOND
    path = folder / "experiment.yaml"
    _write(path, experiment)
    told.append(
        f"Time: about {seconds:.0f} s, of which embedding {seconds - _SECONDS:.0f}. Results: {folder}"
    )
    show_blocks("\n".join(told))
    arguments = ["--cores", str(cores), "--directory", str(folder), "--configfile", str(path.resolve())]
    if code := _run(prepared(arguments)):
        raise typer.Exit(code)
    show_blocks(
        *_verdict(folder / "results"),
        f"Page:       {folder}/results/report/index.html\n"
        f"Experiment: {path}; after an edit: sentflow run {shlex.join(arguments)}",
    )


def _run(command: Sequence[str]) -> int:
    """The exit code of a command that Ctrl-C reaches, too, and that then ends by itself."""
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def _less(full: bool) -> str:
    return "" if full else " (--full: the published ten)"


def _table(
    file: DataFile,
    written: str,
    encoders: Encoders,
    text: str | None,
    text_b: str | None,
    label: str | None,
    score: str | None,
) -> tuple[Entries, list[str], int]:
    """The experiment on a table, what is said of it, and how many texts it has."""
    if text is None or (label is None) == (score is None) or (score is not None and text_b is None):
        raise ConfigError(_columns_to_name(file, encoders))
    texts = [text] if text_b is None else [text, text_b]
    name = new_name(file.path)
    entries = _experiment(file.path.name, encoders)
    where = f"texts in {' and '.join(texts)}"
    n_texts = len({value for column in texts for value in file.column(column)})
    if label is not None:
        task = task_entry(file, written, texts, label)
        classes = ", ".join(f"{value} {n:,}" for value, n in Counter(file.column(label)).most_common())
        entries |= {"tasks": {name: task}, "report": _report("scores", "differences")}
        entries["select"]["tasks"] = [name]
        told = f"{file.path.name}: {len(file.rows):,} rows, {where} ({task['language']}); {label}: {classes}"
    else:
        assert score is not None
        found = pair_entries(name, file, written, texts, score)
        entries |= {**found, "geometry": {"families": []}, "report": _report("sts", "sts-differences")}
        entries["select"]["pair_sets"] = [name]
        low, high = found["pair_sets"][name]["scale"]
        told = f"{file.path.name}: {len(file.rows):,} pairs, {where}; {score} from {low:g} to {high:g}"
    return entries, [told, f"Encoders: {', '.join(encoders.names)}"], n_texts


def _collection(
    folder: Path, written: str, encoders: Encoders, split: str | None
) -> tuple[Entries, list[str], int]:
    """The experiment on a folder in BEIR's form: retrievers of the catalog, and dense search by each encoder."""
    if not is_beir(folder):
        raise DataError(
            f"{folder} is no collection in BEIR's form: it has no corpus.jsonl and no corpus.parquet."
        )
    name = new_name(folder)
    entries = _experiment(folder.name, encoders)
    known = load_catalog(read_configuration([]), workflow_folder())["retrievers"]
    dense = [one for one in encoders.names if one not in known]
    entries |= collection_entries(name, folder, written, split)
    entries["retrievers"] = {one: {"title": one, "kind": "dense", "model": one} for one in dense}
    entries["select"] = {"models": [], "question_sets": [name], "retrievers": encoders.names}
    entries["report"] = _report("retrieval", "retrieval-differences")
    documents = sum(1 for _ in next(folder.glob("corpus.*")).open("rb"))
    told = [
        f"{folder.name}: {documents:,} documents, questions judged in qrels/{entries['question_sets'][name]['split']}",
        f"Retrievers: {', '.join(encoders.names)}",
    ]
    return entries, told, documents


def _experiment(title: str, encoders: Encoders) -> Entries:
    about = {"title": title, "description": f"{', '.join(encoders.names)} on {title}, by sentflow quick."}
    return {"experiment": about, "select": {"models": encoders.names}, "models": encoders.entries}


def _report(*tables: str) -> Entries:
    return {"tables": [*tables], "figures": [], "checks": []}


def _encoders(words: Sequence[str], folder: Path) -> Encoders:
    """Names of the catalog stay; folders and models of the hub become entries."""
    names, entries = [], {}
    for word in words:
        path = Path(word).expanduser()
        if path.is_dir():
            name = slug(path).lower()
            source = {"folder": os.path.relpath(path, folder)}
        elif "/" in word:
            owner_and_name, _, revision = word.partition("@")
            if not revision:
                raise ConfigError(
                    f"{word} is no folder. For a model of the Hugging Face hub write {word}@COMMIT, with the commit "
                    "that its page shows below Files and versions, History."
                )
            name = re.sub(r"[^a-z0-9]+", "-", owner_and_name.rpartition("/")[2].lower()).strip("-")
            source = {"hub": owner_and_name, "revision": revision}
        else:
            names.append(word)
            continue
        names.append(name)
        entries[name] = {"title": word, "kind": "sentence-transformers", "source": source}
    if len(set(names)) < len(names):
        raise ConfigError(f"--models names an encoder twice: {', '.join(names)}.")
    return Encoders(names, entries)


def _columns_to_name(file: DataFile, encoders: Encoders) -> str:
    """What to type, with columns that the header and the values suggest."""
    texts, labels, numbers = file.text_columns, file.label_columns, file.number_columns
    start = f"sentflow quick {shlex.quote(str(file.path))} --models {','.join(encoders.names)} --text"
    commands = []
    if label := next((name for name in labels if name != texts[0]), None):
        commands.append(shlex.join([*shlex.split(start), texts[0], "--label", label]))
    if len(texts) > 2 and (score := next((name for name in numbers if name not in texts[:2]), None)):
        a, b = (name for name in file.columns if name in texts[:2])
        commands.append(shlex.join([*shlex.split(start), a, "--text-b", b, "--score", score]))
    return (
        f"name the columns of {file.path}: --text and --label to learn classes, --text, --text-b and --score for "
        f"pairs. Its columns are {', '.join(file.columns)}."
        + "".join(f"\nPerhaps:  {command}" for command in commands)
    )


def _write(path: Path, experiment: Entries) -> None:
    """Write the experiment; an edited one is not overwritten."""
    text = (
        "# Written by sentflow quick. Paths are relative to this folder; it runs only what it selects.\n"
        + yaml.safe_dump(experiment, sort_keys=False, allow_unicode=True, width=110)
    )
    if path.is_file() and path.read_text(encoding="utf-8") != text:
        raise ConfigError(
            f"{path} is there and differs from what would be written. Delete it, or run it: sentflow run --cores all "
            f"--directory {path.parent} --configfile {path.resolve()}"
        )
    path.write_text(text, encoding="utf-8")


def _verdict(results: Path) -> list[Table | str]:
    """Each encoder with its score and its difference from the first, and who leads."""
    blocks: list[Table | str] = []
    for ranking, _ in claims.rankings(results):
        level, rows = percent(ranking.level), []
        header = (ranking.what.capitalize(), ranking.measure, level, "From the first", level, "p (Holm)")
        n_columns = len(header) if ranking.tests else 3
        for system in ranking.systems:
            behind, digits = ranking.behind(system), ranking.digits
            of_tests = ("", "", "")
            if behind:
                limits = interval(-behind.high, -behind.low, digits)
                of_tests = (decimal(-ranking.less_first(system), digits), limits, p_number(behind.p))
            value = (decimal(system.value, digits), interval(system.low, system.high, digits))
            rows.append((system.title, *value, *of_tests)[:n_columns])
        caption = f"{ranking.measure[0].upper()}{ranking.measure[1:]} {ranking.where}"
        blocks += [
            listing(header[:n_columns], rows, "lrlrlr"[:n_columns], caption=caption),
            f"{ranking.verdict()}\nIntervals{' and tests' if ranking.tests else ''} hold for {ranking.population}.",
        ]
    return blocks
