"""`sentflow quick`: from a file of the user to a verdict."""

import hashlib
import os
import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
import yaml

from sentflow.cli.configuration import read_configuration
from sentflow.cli.local_files import read_local_files
from sentflow.cli.own_data import (
    DataFile,
    Entries,
    catalog,
    collection_entries,
    new_name,
    pair_entries,
    read_data_file,
    slug,
    task_entry,
)
from sentflow.cli.run import prepared
from sentflow.cli.terminal import listing, show_blocks
from sentflow.config.entries import merge
from sentflow.config.load import load_experiment
from sentflow.encoders.entries import is_lazy
from sentflow.errors import ConfigError, SentflowError, instead
from sentflow.flow.environment import workflow_folder
from sentflow.report import claims
from sentflow.report.numbers import decimal, interval, p_number, percent
from sentflow.report.table.table import Table

_REPETITIONS = 3
_SECONDS = 20  # of a run, beside embedding
_TEXTS_PER_SECOND = 100  # that a small neural encoder embeds
_NEURAL = ("sentence-transformers", "transformers")
_METRICS = {"mcc": "Matthews' correlation", "adjusted_macro_f1": "macro-F1, 0 at chance"}
# What the profile of the workflow says, without the line that announces it; a failed job ends the run
_QUIETLY = shlex.split(
    "--workflow-profile none --rerun-incomplete --scheduler greedy --quiet host reason --logger sentflow"
)


class Encoders(NamedTuple):
    """Names of encoders, as they were written, and the entries of those that the catalog does not have."""

    names: list[str]
    words: Sequence[str]
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
    label: Annotated[str | None, typer.Option(help="Column of the label.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of the gold score of two texts.")] = None,
    split: Annotated[str | None, typer.Option(help="File below qrels/ of a folder in BEIR's form.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of the file, if it is not UTF-8.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Character between the columns.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The published ten repetitions, not three.")] = False,
    cores: Annotated[int, typer.Option(min=1, help="Processor cores.")] = os.cpu_count() or 1,
) -> None:
    """Compare encoders on your own file, in one command."""
    folder = Path(f"{slug(data)}.sentflow")
    written = os.path.relpath(data, folder)
    encoders = _encoders(
        [name.strip() for item in models for name in item.split(",") if name.strip()], folder
    )
    if data.is_dir():
        entries, rows, texts = _collection(data, written, encoders, split)
    else:
        file = read_data_file(data, encoding, delimiter)
        columns = {"text": text, "text-b": text_b, "label": label, "score": score}
        if text is None or (label is None) == (score is None) or (score is not None and text_b is None):
            options = {"encoding": encoding, "delimiter": delimiter}
            raise ConfigError(_columns_to_name(file, encoders, columns, options))
        entries, rows, texts = _table(file, written, encoders, columns, 10 if full else _REPETITIONS)
    experiment = {"extends": "none", **entries}
    path = folder / "experiment.yaml"
    is_new = not folder.is_dir()
    folder.mkdir(exist_ok=True)
    try:
        with chdir(folder):  # paths of the experiment begin there
            config = merge(read_configuration([]), experiment)
            checked = load_experiment(config, workflow_folder(), experiment)
            fitted = [name for name, entry in checked.models.items() if is_lazy(entry)]
            if fitted and not checked.selected["tasks"]:
                raise ConfigError(
                    f"{fitted[0]} is fitted to the rows of a task, and pairs have none. Write another encoder, for "
                    "example bag-of-words."
                )
            read_local_files(checked)
    except SentflowError:
        if is_new:
            folder.rmdir()
        raise
    _write(path, experiment)
    neural = sum(entry["kind"] in _NEURAL for entry in checked.fetched_models.values())
    embedding = texts * neural / _TEXTS_PER_SECOND
    of_which = f", {embedding:.0f} s of them for embedding" if neural else ""
    show_blocks(
        f"Data: {data.name}, {rows}\nEncoders: {', '.join(encoders.names)}\nProtocol: {_protocol(experiment)}\n"
        f"Time: about {_SECONDS + embedding:.0f} s{of_which}. Results: {folder}"
    )
    arguments = ["--cores", str(cores), "--directory", str(folder), "--configfile", str(path)]
    if code := _run(prepared([*_QUIETLY, *arguments])):
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


def _table(
    file: DataFile, written: str, encoders: Encoders, columns: Mapping[str, str | None], repetitions: int
) -> tuple[Entries, str, int]:
    """The experiment on a table, what is said of it, and how many texts it has."""
    text, text_b, label, score = columns.values()
    texts = [one for one in (text, text_b) if one is not None]
    name, what = new_name(file.path), " and ".join(texts)
    entries = _experiment(file.path.name, encoders)
    n_texts = len({value for column in texts for value in file.column(column)})
    if label is not None:
        task = task_entry(file, written, texts, label)
        classes = ", ".join(f"{value} ({n:,})" for value, n in Counter(file.column(label)).most_common())
        entries |= {"tasks": {name: task}, "report": _report("scores", "differences")}
        entries |= {"probe": {"repetitions": repetitions}}
        entries["select"]["tasks"] = [name]
        rows = f"{file.n_rows:,} rows, texts in {what} ({task['language']}), classes in {label}: {classes}"
    else:
        assert score is not None
        found = pair_entries(name, file, written, texts, score)
        entries |= {**found, "geometry": {"families": []}, "report": _report("sts", "sts-differences")}
        entries["select"]["pair_sets"] = [name]
        low, high = found["pair_sets"][name]["scale"]
        spoken = found["pair_sets"][name]["language"]
        rows = f"{file.n_rows:,} pairs of {what} ({spoken}), scores in {score} from {low:g} to {high:g}"
    return entries, rows, n_texts


def _protocol(experiment: Entries) -> str:
    if "tasks" not in experiment:
        how = {True: "each question searches all documents", False: "vectors against scores of pairs"}
        return f"{how['corpora' in experiment]}; nothing is trained"
    (task,), times = experiment["tasks"].values(), experiment["probe"]["repetitions"]
    full = " (--full: the published ten)" if times == _REPETITIONS else ""
    score = _METRICS[task["metric"]]
    return f"corrected, {claims.spelled(times)} repetitions of five folds{full}; the score is {score}"


def _collection(
    folder: Path, written: str, encoders: Encoders, split: str | None
) -> tuple[Entries, str, int]:
    """The experiment on a folder in BEIR's form: retrievers of the catalog, and dense search by each encoder."""
    name = new_name(folder)
    entries = _experiment(folder.name, encoders)
    dense = [one for one in encoders.names if one not in catalog()["retrievers"]]
    entries |= collection_entries(name, folder, written, split)
    entries["retrievers"] = {one: {"title": one, "kind": "dense", "model": one} for one in dense}
    entries["select"] = {"models": [], "question_sets": [name], "retrievers": encoders.names}
    entries["report"] = _report("retrieval", "retrieval-differences")
    from pyarrow.parquet import read_metadata

    corpus = next(folder.glob("corpus.*"))
    is_parquet = corpus.suffix == ".parquet"
    documents = read_metadata(corpus).num_rows if is_parquet else corpus.read_bytes().count(b"\n")
    split = entries["question_sets"][name]["split"]
    return entries, f"{documents:,} documents, questions judged in qrels/{split}", documents


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
        elif word in catalog()["models"] or word in catalog()["retrievers"]:
            names.append(word)
            continue
        else:
            near = instead(word, [*catalog()["models"], *catalog()["retrievers"]])
            raise ConfigError(f"there is no encoder {word!r}. Write a folder, or owner/name@commit. {near}")
        name = f"{name}-own" if name in catalog()["models"] else name
        names.append(name)
        entries[name] = {"title": word, "kind": "sentence-transformers", "source": source}
    if len(set(names)) < len(names):
        raise ConfigError(f"--models names an encoder twice: {', '.join(names)}.")
    return Encoders(names, words, entries)


def _columns_to_name(
    file: DataFile, encoders: Encoders, columns: Mapping[str, str | None], options: Mapping[str, str | None]
) -> str:
    """What to type, with columns that the header and the values suggest beside those that are named."""
    named = {key: column for key, column in columns.items() if column}
    free = [one for one in file.text_columns if one not in named.values()]
    text = named.get("text") or next(iter(free), "")
    # names of sources repeat, sentences do not
    seconds = [one for one in free if one != text and 2 * len({*file.values[one]}) > file.n_rows]
    label = next((one for one in file.label_columns if one != text), "")
    score = next((one for one in file.score_columns if one not in named.values()), "")
    suggested = {
        "classes": {"text": text, "label": label, **named},
        "pairs": {"text": text, "text-b": next(iter(seconds), ""), "score": score, **named},
    }
    start = ["sentflow", "quick", str(file.path), "--models", ",".join(encoders.words)]
    lines = []
    for what, chosen in suggested.items():
        if (
            not all(chosen.values())
            or named.keys() & {"classes": {"text-b", "score"}, "pairs": {"label"}}[what]
        ):
            continue
        written = {key: value for key, value in {**options, **chosen}.items() if value}
        words = [word for key, value in written.items() for word in (f"--{key}", value)]
        lines.append(f"\nFor {what}, perhaps:  {shlex.join([*start, *words])}")
    return (
        f"name the columns of {file.path}: --text and --label to learn classes, --text, --text-b and --score for "
        f"pairs. Its columns are {', '.join(filter(None, file.values))}.{''.join(lines)}"
    )


def _write(path: Path, experiment: Entries) -> None:
    """Write the experiment; one that was edited since is not overwritten."""
    text = yaml.safe_dump(experiment, sort_keys=False, allow_unicode=True, width=110)
    if path.is_file():
        head, _, edited = path.read_text(encoding="utf-8").partition("\n")
        if head != _head(edited) and edited != text:
            raise ConfigError(
                f"{path} was edited. Delete it, or run it: sentflow run --cores all --directory {path.parent} "
                f"--configfile {path}"
            )
    path.write_text(f"{_head(text)}\n{text}", encoding="utf-8")


def _head(text: str) -> str:
    """The first line of an experiment, which tells whether the others are as they were written."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"# Written by sentflow quick ({digest}); an edited file is not overwritten. It runs only what it selects."


def _verdict(results: Path) -> list[Table | str]:
    """Each encoder with its score and its difference from the best, and whether the lead is significant."""
    blocks: list[Table | str] = []
    for ranking, _ in claims.rankings(results):
        level, rows = percent(ranking.level), []
        p_of = "p (all pairs)" if ranking.places else "p (Holm)"
        measure = ranking.measure.capitalize() if ranking.measure.islower() else ranking.measure
        header = (ranking.what.capitalize(), measure, level, "Difference", level, p_of)
        n_columns = len(header) if ranking.tests else 3
        for system in ranking.systems:
            behind, digits = ranking.behind(system), ranking.digits
            of_tests = ("highest", "", "")
            if behind:
                p = f"{p_number(behind.p)}{'  ' if ranking.is_tied(system) else ' *'}"
                limits = interval(-behind.high, -behind.low, digits)
                of_tests = (decimal(-ranking.less_first(system), digits), limits, p)
            value = (decimal(system.value, digits), interval(system.low, system.high, digits))
            rows.append((system.title, *value, *of_tests)[:n_columns])
        tests = " and tests" if ranking.tests else ""
        marks = " *: significantly below the highest." if any(row[-1].endswith("*") for row in rows) else ""
        note = f"Intervals{tests} hold for {ranking.population}.{marks}"
        blocks += [
            listing(header[:n_columns], rows, "lrlrlr"[:n_columns], notes=(note,)),
            str(ranking.verdict()),
        ]
    return blocks
