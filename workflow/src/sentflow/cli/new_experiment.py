"""A small experiment file to begin with."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sentflow.cli.configuration import read_configuration
from sentflow.cli.terminal import show_blocks
from sentflow.config.entries import Entries, merge
from sentflow.config.load import load_experiment
from sentflow.config.sections import MEASURED
from sentflow.errors import ConfigError
from sentflow.flow.workflow_folder import workflow_folder

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


def new_experiment(
    path: Annotated[Path, typer.Argument(help="YAML file to write; an existing file is not overwritten.")],
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", help="Names, separated by commas, or one per option.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--models", help="Names, separated by commas, or one per option.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the experiment; every caption begins with it.")
    ] = None,
) -> None:
    """Write a small experiment file, ready to run."""
    _check_path(path)
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
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:  # fails if somebody was faster
            stream.write(text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error}). Write another path.") from None
    show_blocks(f"{path} is written. Next: sentflow validate {path}")


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
