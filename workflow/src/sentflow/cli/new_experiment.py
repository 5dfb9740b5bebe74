"""A small experiment file to begin with."""

import json
import os
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer
import yaml

from sentflow.cli.configuration import read_configuration
from sentflow.cli.own_data import (
    collection_entries,
    new_name,
    pair_entries,
    read_data_file,
    task_entry,
    training_entries,
)
from sentflow.cli.terminal import show_blocks
from sentflow.config.entries import Entries, Entry, merge
from sentflow.config.load import load_experiment
from sentflow.config.sections import MEASURED
from sentflow.errors import ConfigError
from sentflow.flow.environment import workflow_folder

# One encoder that is no control, and the one that knows nothing of the texts to compare it with; three tasks, one of
# each kind of input, on texts that need no network.
_MODELS = ("minilm-l6", "random")
_TASKS = ("T1B-sample", "G3-sample", "F3-sample")
_ENDINGS = (".yaml", ".yml")

# The lines that begin with "# " and are indented below a key are right as soon as "# " is taken away; a test does so.
_TEMPLATE = """\
# An experiment of sentflow. It is merged over config.yaml: maps are merged, lists are replaced.
# Look for mistakes:  sentflow validate {path}
# Run it:             sentflow run --cores all --configfile {path}

experiment:
  title: {title}
  description: {description}

# What is run, in the order of the tables. `sentflow models` and `sentflow tasks` list all names.
select:
  models:
{models}
  tasks:
{tasks}
  # Scored sentence pairs, and what is measured on them (docs/similarity.md); the names are in workflow/catalog/.
  pair_sets: []
  alignments: []
  regressions: []
  # Questions that are searched in corpora, and what ranks the documents (docs/retrieval.md).
  question_sets: []
  retrievers: []

# A model of your own (docs/models.md), which is run when its name is in the list above. The revision is a commit.
# models:
#   my-model:
#     kind: sentence-transformers
#     source: {{hub: owner/name, revision: 0123456789abcdef0123456789abcdef01234567}}

# A task of your own (docs/adding-a-task.md). It takes the protocol corrected, unless it names another by `protocol`.
# tasks:
#   Mine: {{file: mine.csv, text: text, label: label, metric: mcc, licence: not stated, language: pt}}

# The published cross-validation. Fewer repetitions are faster, for a first look; scores are then "not comparable".
probe:
  repetitions: 10
  folds: 5
"""


_OWN = """\
# An experiment of sentflow on {data}. It runs only what it selects; other keys are those of config.yaml.
# Look for mistakes:  sentflow validate {path}
# Run it:             sentflow run --cores all --configfile {path}
# {columns}
"""
_COLUMNS = "Columns were chosen by their values. Check them; the file has: "
_TRAINING = {"batch_size": 16, "learning_rate": 3.0e-5, "max_tokens": 64, "steps": 100, "snapshot_every": 50}


def new_experiment(
    path: Annotated[Path, typer.Argument(help="YAML file to write; an existing file is not overwritten.")],
    task: Annotated[Path | None, typer.Option(help="File with texts and labels.")] = None,
    pairs: Annotated[Path | None, typer.Option(help="File with pairs of texts and their scores.")] = None,
    beir: Annotated[Path | None, typer.Option(help="Folder in BEIR's form, to search.")] = None,
    train: Annotated[
        Path | None, typer.Option(help="File with texts, or pairs of the same meaning, to train on.")
    ] = None,
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", help="Names, separated by commas, or one per option.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--models", help="Names, separated by commas, or one per option.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the experiment, at the start of every caption.")
    ] = None,
) -> None:
    """Write a small experiment file, ready to run."""
    _check_path(path)
    own = {"task": task, "pairs": pairs, "beir": beir, "train": train}
    if data := next((one for one in own.values() if one is not None), None):
        kind = next(kind for kind, one in own.items() if one is data)
        if tasks or sum(one is not None for one in own.values()) > 1:
            raise ConfigError("write one of --tasks, --task, --pairs, --beir and --train.")
        about = {
            "title": title or data.name,
            "description": f"Created from {data.name}. Describe what it is for.",
        }
        _write(path, _of_data(path, kind, data, about, _names(models or ())))
        return
    selected = {"models": _names(models or _MODELS), "tasks": _names(tasks or _TASKS)}
    about = {
        "title": title or path.stem,
        "description": "Created by sentflow new-experiment. Describe here what the experiment is for.",
    }
    select = {**dict.fromkeys(MEASURED, []), **selected}
    config = merge(read_configuration([]), {"experiment": about, "select": select})
    experiment = load_experiment(config, workflow_folder())
    text = _TEMPLATE.format(
        path=path,
        title=_quoted(about["title"]),
        description=_quoted(about["description"]),
        models=_lines(experiment.models),
        tasks=_lines(experiment.selected["tasks"]),
    )
    _write(path, text)


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:  # fails if somebody was faster
            stream.write(text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error}). Write another path.") from None
    show_blocks(f"{path} is written. Next: sentflow validate {path}")


def _of_data(path: Path, kind: str, data: Path, about: Entry, models: list[str]) -> str:
    """The experiment on a file or folder of the user."""
    name, written = new_name(data), os.path.relpath(data, path.parent)
    experiment: Entry = {"extends": "none", "experiment": about}
    columns = ""
    if kind == "beir":
        chosen = models or ["bm25", "minilm", "random-order"]
        experiment |= collection_entries(name, data, written)
        experiment["select"] = {"models": [], "question_sets": [name], "retrievers": chosen}
    else:
        file = read_data_file(data)
        texts = file.text_columns
        columns = f"{_COLUMNS}{', '.join(file.values)}."
        if kind == "task":
            label = next((one for one in file.label_columns if one != texts[0]), None)
            if label is None:
                raise ConfigError(
                    f"{data} has no column with 2 to 20 different values, so none can be the label."
                )
            experiment["tasks"] = {name: task_entry(file, written, texts[:1], label)}
            experiment["select"] = {"models": models or ["minilm-l6", "tfidf", "random"], "tasks": [name]}
        elif kind == "pairs":
            score = next(iter(file.score_columns), None)
            if score is None or len(texts) < 2:
                raise ConfigError(
                    f"{data} has no column of numbers beside two of texts, so none can be the score."
                )
            experiment |= pair_entries(name, file, written, texts[:2], score)
            experiment["geometry"] = {"families": []}
            tables, figures = ["sts", "sts-differences"], ["similarity-histograms"]
            experiment["report"] = {"tables": tables, "figures": figures, "checks": ["similarity"]}
            experiment["select"] = {"models": models or ["minilm-l6", "bag-of-words"], "pair_sets": [name]}
        else:
            two = [one for one in texts if one not in file.label_columns][:2] or texts[:1]
            mine = f"{name.lower()}-encoder"
            start, *others = models or ["minilm-l6"]
            trained = {"kind": "trained", "recipe": "simcse", "start": start, "data": name, "seed": 1}
            experiment |= training_entries(name, file, written, two)
            experiment["models"] = {mine: {**trained, "training": _TRAINING}}
            experiment["geometry"] = {"families": []}
            experiment["select"] = {"models": [start, *others, mine], "pair_sets": ["STSB-test"]}
            columns += "\n# Both encoders are compared on STS-B, which is downloaded."
    with chdir(path.parent):  # paths of the experiment begin there
        load_experiment(merge(read_configuration([]), experiment), workflow_folder(), experiment)
    head = _OWN.format(data=data, path=path, columns=columns or "Questions without a judgement are left out.")
    return f"{head}\n{yaml.safe_dump(experiment, sort_keys=False, allow_unicode=True, width=110)}"


def _check_path(path: Path) -> None:
    if path.exists():
        raise ConfigError(f"{path} already exists and was not changed. Write another name, or delete it.")
    if path.suffix not in _ENDINGS:
        raise ConfigError(f"{path} is not the name of a YAML file. Write {path.name}{_ENDINGS[0]}")
    if not path.parent.is_dir():
        raise ConfigError(f"there is no folder {path.parent}. Create it first, or write another path.")


def _names(items: Sequence[str]) -> list[str]:
    """Names of items like ``"T1A,T1B"``, each once."""
    names = (name.strip() for item in items for name in item.split(","))
    return list(dict.fromkeys(name for name in names if name))


def _lines(entries: Entries) -> str:
    """One line of a YAML list per entry, with its title as a comment."""
    width = max(map(len, entries))
    return "\n".join(
        f"    - {name:<{width}}  # {' '.join(entry.get('title', name).split())}"
        for name, entry in entries.items()
    )


def _quoted(text: str) -> str:
    """A text as YAML; every JSON string is one."""
    return json.dumps(text, ensure_ascii=False)
