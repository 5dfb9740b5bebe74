"""Whether a configuration is right, and what it takes from outside."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sentflow.cli.configuration import configuration_files, read_experiment
from sentflow.cli.local_files import read_local_files, small_tasks
from sentflow.cli.terminal import facts, show_blocks
from sentflow.config.trained import chosen_by_tests
from sentflow.downloads.mirrors import local_path
from sentflow.encoders.manifest import source_kind
from sentflow.encoders.service_keys import read_key
from sentflow.encoders.settings import API
from sentflow.errors import ConfigError
from sentflow.families.probing import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.flow.start import files_outside, is_fetched, is_on_this_machine, raw_files, refuse_uploads
from sentflow.flow.targets import Targets
from sentflow.jobs.secrecy import TOKEN_VARIABLES, without_secrets
from sentflow.report.numbers import counted
from sentflow.training.snapshots import scored_steps


def validate(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(help="As for snakemake --configfile: a later file is merged over an earlier one."),
    ] = None,
    replace_workflow_config: Annotated[
        bool, typer.Option("--replace-workflow-config", help="Do not merge the files over config.yaml.")
    ] = False,
) -> None:
    """List every mistake in a configuration, or what it would run.

    The exit code is 2 if there is a mistake, else 0.
    """
    files, alone = configs or [], replace_workflow_config
    experiment = read_experiment(files, alone=alone)
    targets, merged = Targets(experiment), configuration_files(files, alone=alone)
    refuse_uploads(targets, merged)
    outside = [str(file) for file in files_outside(targets, {file.parent for file in merged})]
    rows, documents = small_tasks(experiment, read_local_files(experiment))
    name = ", ".join(str(file) for file in files) or "config.yaml"
    show_blocks(
        facts(f"{name}: no mistakes", _facts(targets, outside)),
        *([facts("Too few rows", rows)] if rows else []),
        *([facts("Too few documents", documents)] if documents else []),
        _next(files, alone=alone),
    )


def _facts(targets: Targets, outside: Sequence[str]) -> list[tuple[str, str]]:
    experiment = targets.experiment
    probe, probing = experiment.config.probe, Probing(experiment)
    fetched = [name for name, entry in experiment.fetched_models.items() if is_fetched(entry)]
    files = raw_files(targets)
    missing = [
        "/".join(key)
        for key, entry in files.items()
        if is_on_this_machine(entry) and not any(local_path(address).is_file() for address in entry["urls"])
    ]
    items = [
        ("experiment", experiment.title),
        ("tasks", _listed(experiment.selected["tasks"])),
        ("pair sets", _listed(experiment.selected["pair_sets"])),
        *_retrieval(Retrieval(experiment)),
        ("models", _listed(experiment.models)),
        *(
            [("probes", f"{probe.repetitions} × {probe.folds} folds, protocol {_protocols(probing)}")]
            if probing.tasks
            else []
        ),
        *(
            ("snapshots", f"{name}: {len(steps)}, one every {steps[1] - steps[0]} of {steps[-1]} steps")
            for name, entry in experiment.trained_models.items()
            if len(steps := scored_steps(entry)) > 1
        ),
        *(("no longer made", notice) for notice in experiment.notices),
        *(("not comparable with published scores", text) for text in _changes(probing)),
        *(
            ("no test of", f"{', '.join(models)}: {pairs}, by which their snapshots are chosen")
            for pairs, models in chosen_by_tests(experiment).items()
        ),
        ("downloads", _downloads(one for one in files.values() if not is_on_this_machine(one))),
        ("models to fetch", ", ".join(fetched) or "none"),
        *(("texts and keys sent", sentence) for sentence in list(_outgoing(targets)) or ["none"]),
    ]
    if outside:
        items.append(("files outside the folder of the configuration", ", ".join(outside)))
    if missing:
        items.append(("files not found", f"{', '.join(missing)} (seen from {Path.cwd()})"))
    return items


def _retrieval(family: Retrieval) -> list[tuple[str, str]]:
    if not family.question_sets:
        return []
    items = [("question sets", _listed(family.question_sets)), ("retrievers", _listed(family.shown))]
    if family.brought:
        pairs = (f"{model} (by {', '.join(names)})" for model, names in family.brought.items())
        items.append(("encoders brought in", f"{'; '.join(pairs)}, for retrieval alone"))
    if family.left_out:
        why = "of config.yaml; their encoders are not selected"
        items.append(("retrievers left out", f"{', '.join(family.left_out)} ({why})"))
    return items


def _protocols(probing: Probing) -> str:
    """The protocol of the scores; where there are several, with the tasks of each."""
    tasks_of: dict[str, list[str]] = {}
    for task in probing.tasks:
        tasks_of.setdefault(probing.task_protocol(task).name, []).append(task)
    if len(tasks_of) < 2:
        return next(iter(tasks_of), probing.protocol.name)
    return "; ".join(f"{name} ({', '.join(tasks)})" for name, tasks in tasks_of.items())


def _changes(probing: Probing) -> list[str]:
    """Settings of the probes that are not the published ones, such as the fewer repetitions of ``config.yaml``."""
    of_scores = {probing.task_protocol(task).name for task in probing.tasks} or {probing.protocol.name}
    told = [found for found in probing.report_facts["protocols"] if found["name"] in of_scores]
    return list(dict.fromkeys(text for found in told for text in found["not_comparable"]))


def _outgoing(targets: Targets) -> Iterator[str]:
    """One sentence for each encoder behind an address, and one for the hub if it is sent a token of this process."""
    models = targets.experiment.fetched_models
    for name, entry in models.items():
        if entry["kind"] == API:
            texts = ", ".join(sorted(targets.collections))
            yield f"{name}: the texts of {texts} to {entry['url']}, {_key_of(entry)}"
    from_hub = [
        name for name, entry in models.items() if "source" in entry and source_kind(entry["source"]) == "hub"
    ]
    tokens = [variable for variable in TOKEN_VARIABLES if os.environ.get(variable)]
    if from_hub and tokens:
        hub = without_secrets(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
        yield f"{', '.join(from_hub)}: the token in {tokens[0]} to {hub}, for downloads"


def _key_of(entry: Mapping[str, Any]) -> str:
    """With which key an encoder is called; one that is missing here, or is not for the address, is reported."""
    variable = entry.get("key_variable")
    if variable is None:
        return "without a key"
    try:
        read_key(variable, entry["url"])
    except ConfigError as error:
        return f"with the key in {variable}, which is refused: {error}"
    return f"with the key in {variable}"


def _listed(names: Collection[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "none"


def _downloads(files: Iterable[Mapping[str, Any]]) -> str:
    sizes = [file.get("bytes") for file in files]
    n_bytes = sum(size for size in sizes if size is not None)
    known = [f"{n_bytes / 1e6:.1f} MB"] if n_bytes else []
    unknown = [f"{sizes.count(None)} of unknown size"] if None in sizes else []
    return f"{counted(len(sizes), 'file')} ({', '.join([*known, *unknown])})" if sizes else "none"


def _next(files: Sequence[Path], *, alone: bool) -> str:
    given = ["--configfile", *map(str, files)] if files else []
    words = ["sentflow run", "--cores all", *(["--replace-workflow-config"] if alone else []), *given]
    return f"To run it: {' '.join(words)}\nIts jobs, time and memory: {' '.join(['sentflow costs', *given])}"
