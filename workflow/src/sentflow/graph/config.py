"""From the configuration and the catalog to an experiment, with every mistake told before the first job.

Standard library, PyYAML and jsonschema only: the Snakefile is read again in every cluster job.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from sentflow.encoders.checks.entries import custom_problems, entry_problems
from sentflow.encoders.entries import is_featuriser, is_lazy
from sentflow.encoders.kinds.table import RANDOM
from sentflow.encoders.prompts import roles_of_texts
from sentflow.encoders.roles import SIDES
from sentflow.errors import ConfigError
from sentflow.files.settings_files import parse_settings, refuse_overgrown
from sentflow.graph import own_tasks, paths
from sentflow.graph.config_values import value_problems
from sentflow.graph.name_checks import name_problems
from sentflow.graph.similarity_config import (
    families_of,
    instead,
    needed_pair_sets,
    selected_names,
    selection_problems,
)
from sentflow.jobs.secrecy import secret_problems, without_secrets
from sentflow.probing.protocol.named import NamedProtocol

Entry = dict[str, Any]
Entries = dict[str, Entry]

_SECTIONS = ("models", "tasks", "datasets", "protocols", "pair_sets", "alignments", "regressions")


@dataclass(frozen=True)
class Experiment:
    """What is to be run; every name in it exists.

    Attributes
    ----------
    config
        The validated configuration.
    models, tasks
        The selected entries by name, in the order of the selection.
    pair_sets, alignments, regressions
        The same of sentence pairs with scores, and of what is measured on them.
    datasets
        The entries of the datasets that the selected tasks and the pair sets of `families` need.
    tasks_of_dataset
        Every task of the catalog and the config that reads a dataset, so that the texts of a dataset, and
        with them its embeddings, do not depend on the selection.
    families
        Family → the pair sets whose sentences are embedded together: the selected ones, and those that selected
        alignments and regressions are made of; in the order of the catalog.
    published_similarity
        What papers report on pair sets: catalog/published_similarity.yaml.
    protocols
        The protocol of the scores, then those that a study compares with it, by name.
    protocol_notes, switch_notes
        What each protocol is for, and what each switch does, for the report.
    """

    config: Mapping[str, Any]
    models: Entries
    tasks: Entries
    pair_sets: Entries
    alignments: Entries
    regressions: Entries
    datasets: Entries
    tasks_of_dataset: dict[str, Entries]
    families: dict[str, Entries]
    published_similarity: Mapping[str, Any]
    protocols: dict[str, NamedProtocol]
    protocol_notes: dict[str, str]
    switch_notes: dict[str, str]

    @property
    def title(self) -> str:
        """Name of the experiment for captions."""
        return str(self.config["experiment"]["title"])

    @property
    def repetitions(self) -> range:
        """1-based repetitions."""
        return self._counted("repetitions")

    @property
    def folds(self) -> range:
        """1-based folds."""
        return self._counted("folds")

    @property
    def protocol(self) -> NamedProtocol:
        """The protocol of the scores."""
        return self.protocols[self.config["probe"]["protocol"]]

    @property
    def study(self) -> list[str]:
        """Names of the protocols that are compared with `protocol`."""
        return [name for name in self.protocols if name != self.protocol.name]

    def _counted(self, what: str) -> range:
        return range(1, self.protocol.cross_validation(self.config["probe"])[what] + 1)

    @property
    def fixed_models(self) -> list[str]:
        """Models that give a text one vector, whatever it is used for."""
        others = {*self.lazy_models, *self.featurisers}
        return [name for name in self.models if name not in others]

    @property
    def lazy_models(self) -> list[str]:
        """Models that are fitted inside each fold."""
        return [name for name, entry in self.models.items() if is_lazy(entry)]

    @property
    def featurisers(self) -> list[str]:
        """Models that make the features of a task's rows themselves, before the folds."""
        return [name for name, entry in self.models.items() if is_featuriser(entry)]

    @property
    def random_models(self) -> list[str]:
        """Models whose vectors know nothing of the texts."""
        return [name for name, entry in self.models.items() if entry["kind"] == RANDOM]


@dataclass(frozen=True)
class TaskCatalog:
    """Tasks and datasets without a selection, for programs that are no experiment.

    Attributes
    ----------
    tasks
        Every task by name, with what it takes from others by ``like``.
    datasets
        The entries of the datasets by name.
    """

    tasks: Entries
    datasets: Entries


def task_catalog(workflow: Path, own: Mapping[str, Any]) -> TaskCatalog:
    """The catalog's tasks and datasets with the caller's own laid over them.

    Parameters
    ----------
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.
    own
        As a config file: its ``tasks`` and ``datasets`` are read.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    plain = _plain({key: own.get(key) for key in ("tasks", "datasets")})
    entries = {section: _merged(workflow, plain, section) for section in ("tasks", "datasets")}
    problems = _write_out_tasks(entries, workflow)
    problems += _misfits(entries, workflow, told=problems)
    for name, entry in entries["tasks"].items():
        problems += _source_problems(name, _mapping(entry), entries["datasets"])
    if problems:
        raise ConfigError(_told(problems))
    return TaskCatalog(entries["tasks"], entries["datasets"])


def protocol_catalog(workflow: Path, own: Mapping[str, Any]) -> Entries:
    """The catalog's protocols with the caller's own laid over them, for programs that are no experiment.

    Parameters
    ----------
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.
    own
        As a config file: its ``protocols`` are read.

    Returns
    -------
    dict
        Every protocol by name, with what it takes from others by ``like``.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    plain = _plain({"protocols": own.get("protocols")})
    entries = {"protocols": _merged(workflow, plain, "protocols")}
    problems = _fixed_switches(plain, workflow)
    entries["protocols"], found = _inherited(entries["protocols"], "protocols")
    problems += found
    problems += _misfits(entries, workflow, told=problems)
    if problems:
        raise ConfigError(_told(problems))
    return entries["protocols"]


def load_experiment(config: Mapping[str, Any], workflow: Path) -> Experiment:
    """Check a configuration against schemas and catalog.

    Parameters
    ----------
    config
        As Snakemake merged it.
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    plain, entries, problems = _checked(config, workflow)
    selected = _selection(plain, entries, problems)
    selected |= selected_names(plain)
    problems += selection_problems(plain, entries)
    selected["protocols"] = _chosen_protocols(plain, entries["protocols"], problems)
    problems += _published_problems(plain["report"], entries)
    if problems:
        raise ConfigError(_told(problems))
    problems = _uneven_studies(plain, {name: entries["protocols"][name] for name in selected["protocols"]})
    if problems:
        raise ConfigError(_told(problems))
    switches = _schema(workflow, "protocols")["$defs"]["switches"]["properties"]
    notes = {name: switch["description"] for name, switch in switches.items()}
    published = _yaml(workflow / "catalog" / "published_similarity.yaml")
    return _experiment(plain, entries, selected, notes, published)


def load_catalog(config: Mapping[str, Any], workflow: Path) -> dict[str, Entries]:
    """Everything that could be selected: the catalog with the entries of a configuration laid over it.

    Parameters
    ----------
    config
        As Snakemake merged it; what it selects is not looked at.
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.

    Returns
    -------
    dict
        ``"models"``, ``"tasks"``, ``"datasets"``, ``"protocols"``, ``"pair_sets"``, ``"alignments"`` and
        ``"regressions"``, each by name, with what they take by ``like``.

    Raises
    ------
    ConfigError
        Names every mistake of the configuration but those of the selection.
    """
    _, entries, problems = _checked(config, workflow)
    if problems:
        raise ConfigError(_told(problems))
    return entries


def laid_over(base: Any, top: Any) -> Any:
    """A value over another: maps key by key, anything else replaces what is below."""
    if isinstance(base, dict) and isinstance(top, dict):
        return {**base, **{key: laid_over(base.get(key), value) for key, value in top.items()}}
    return top


def schema_problems(value: Any, schema: Mapping[str, Any], *, where: str) -> list[str]:
    """What a JSON schema finds wrong, one sentence per mistake; an unknown key with the nearest known one."""
    errors = sorted(
        Draft202012Validator(schema).iter_errors(value),
        key=lambda error: [str(part) for part in error.absolute_path],
    )
    problems = []
    for error in errors:
        place = ".".join([where, *(str(part) for part in error.absolute_path)])
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = list(error.schema.get("properties", {}))
            unknown = [key for key in error.instance if key not in known]
            problems += [f"{place}.{key}: there is no such key. {instead(key, known)}" for key in unknown]
        else:
            hint = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
            problems.append(f"{place}: {error.message}. {_unquoted(error)}{hint}".strip())
    return problems


def _unquoted(error: ValidationError) -> str:
    """What to write instead of a text that would be right if it were none; empty for other mistakes."""
    # a number or a list of names is short; a long text would be read for nothing, at any cost
    if error.validator != "type" or not isinstance(error.instance, str) or len(error.instance) > 200:
        return ""
    try:
        meant = parse_settings(error.instance, where="")
    except ConfigError:
        return ""
    if isinstance(meant, str) or not Draft202012Validator({"type": error.validator_value}).is_valid(meant):
        return ""
    return (
        f"Write {error.instance} without quotes, in a file: snakemake --config makes texts of all values inside {{…}}, "
        "--configfile does not. "
    )


def _checked(config: Mapping[str, Any], workflow: Path) -> tuple[Entry, dict[str, Entries], list[str]]:
    """The configuration in built-in types, all entries, and the problems of the entries.

    Problems of the configuration itself are raised at once: entries may not even be maps then.
    """
    plain = _plain(config)
    problems = schema_problems(plain, _schema(workflow, "config"), where="config")
    problems += _secret_problems(plain)
    if problems:
        raise ConfigError(_told(problems))
    entries = {section: _merged(workflow, plain, section) for section in _SECTIONS}
    problems = [*name_problems(entries), *_fixed_switches(plain, workflow)]
    problems += _write_out_tasks(entries, workflow)
    for section in ("protocols", "pair_sets"):
        entries[section], found = _inherited(entries[section], section)
        problems += found
    for name, entry in entries["models"].items():
        problems += entry_problems(name, entry) if isinstance(entry, dict) else []
        problems += _prompted_task_problems(name, _mapping(entry), entries["tasks"])
    problems += _misfits(entries, workflow, told=problems)
    return plain, entries, problems


def _secret_problems(config: Entry) -> list[str]:
    """Passwords and tokens; the address of a service has a check of its own."""
    models = {
        name: {key: value for key, value in _mapping(entry).items() if key != "url"}
        for name, entry in _mapping(config.get("models")).items()
    }
    return list(secret_problems({**config, "models": models}, where="config"))


def _plain(config: Mapping[str, Any]) -> Entry:
    """Built-in types and string keys only; YAML makes dates of what looks like one.

    What would break everything that is made of it is raised at once: not even a message could repeat it.
    """
    refuse_overgrown(config, where="config")
    problems = list(value_problems(config, where="config"))
    if problems:
        raise ConfigError(_told(problems))

    def refuse(value: Any) -> Any:
        found = f"YAML reads {value} as a {type(value).__name__}"
        raise ConfigError(_told([f"config: {found}. Put it in quotes if it is a text."]))

    try:
        plain: Entry = json.loads(json.dumps(config, default=refuse))
    except TypeError as error:  # a key that is neither text nor number
        raise ConfigError(_told([f"config: {error}. Put keys in quotes."])) from None
    return plain


def _experiment(
    config: Entry,
    entries: dict[str, Entries],
    selected: dict[str, list[str]],
    switch_notes: dict[str, str],
    published_similarity: Mapping[str, Any],
) -> Experiment:
    chosen = {
        section: {name: entries[section][name] for name in selected[section]}
        for section in ("models", "tasks", "pair_sets", "alignments", "regressions")
    }
    families = families_of(needed_pair_sets(selected, entries), entries["pair_sets"])
    of_tasks = dict.fromkeys(entry["dataset"] for entry in chosen["tasks"].values())
    of_pairs = [entry["dataset"] for pair_sets in families.values() for entry in pair_sets.values()]
    return Experiment(
        config=config,
        **chosen,
        datasets={name: entries["datasets"][name] for name in dict.fromkeys([*of_tasks, *of_pairs])},
        tasks_of_dataset={
            dataset: {name: entry for name, entry in entries["tasks"].items() if entry["dataset"] == dataset}
            for dataset in of_tasks
        },
        families=families,
        published_similarity=published_similarity,
        protocols={
            name: NamedProtocol.from_entry(name, entries["protocols"][name]) for name in selected["protocols"]
        },
        protocol_notes={
            name: entries["protocols"][name].get("description", "") for name in selected["protocols"]
        },
        switch_notes=switch_notes,
    )


def _selection(config: Entry, entries: dict[str, Entries], problems: list[str]) -> dict[str, list[str]]:
    """The selected names; adds a problem for each that does not exist, or whose dataset or file does not."""
    selected: dict[str, list[str]] = {section: config["select"][section] for section in ("models", "tasks")}
    for section, names in selected.items():
        for name in names:
            if name not in entries[section]:
                kind = section.removesuffix("s")
                problems.append(
                    f"config.select.{section}: there is no {kind} {name!r}. {instead(name, entries[section])}"
                )
    for name in selected["models"]:
        problems += custom_problems(name, _mapping(entries["models"].get(name)))
    for name in selected["tasks"]:
        problems += _file_problems(name, _mapping(config["tasks"].get(name)), entries)
        problems += _source_problems(name, _mapping(entries["tasks"].get(name)), entries["datasets"])
    return selected


def _write_out_tasks(entries: dict[str, Entries], workflow: Path) -> list[str]:
    """Replace tasks in short form and those with ``like`` by what they stand for, in place; what is wrong with them."""
    problems = _write_out_own_tasks(entries, _schema(workflow, "tasks"))
    entries["tasks"], found = _inherited(entries["tasks"], "tasks")
    return problems + found


def _misfits(entries: dict[str, Entries], workflow: Path, *, told: list[str]) -> list[str]:
    """What the schemas find wrong with entries, less what has been told."""
    problems: list[str] = []
    for section, found in entries.items():
        # a short entry that is left is wrong, which has been told in its own terms
        known = {
            name: entry
            for name, entry in found.items()
            if section != "tasks" or not own_tasks.is_short(entry)
        }
        misfits = schema_problems(known, _schema(workflow, section), where=section)
        problems += _untold(misfits, told=[*told, *problems])
    return problems


def _write_out_own_tasks(entries: dict[str, Entries], schema: Mapping[str, Any]) -> list[str]:
    """Replace tasks in short form by what they stand for, in place; what is wrong with them."""
    short_schema = {**schema, "additionalProperties": {"$ref": "#/$defs/short_task"}}
    problems = []
    for name, entry in list(entries["tasks"].items()):
        if not own_tasks.is_short(entry):
            entries["tasks"][name] = own_tasks.with_reader(entry) if isinstance(entry, dict) else entry
            continue
        found = schema_problems({name: entry}, short_schema, where="tasks")
        found = found or own_tasks.short_problems(name, entry)
        dataset = own_tasks.dataset_name(name)
        if dataset in entries["datasets"]:
            found.append(
                f"tasks.{name}: its dataset would be {dataset}, which exists already. Rename the task."
            )
        problems += found
        if not found:
            entries["tasks"][name], entries["datasets"][dataset] = own_tasks.written_out(name, entry)
    return problems


def _file_problems(task: str, entry: Entry, entries: dict[str, Entries]) -> list[str]:
    """Whether the file of a selected task in short form is there."""
    dataset = own_tasks.dataset_name(task)
    if not own_tasks.is_short(entry) or dataset not in entries["datasets"]:
        return []
    copy = paths.RAW_FILE.format(dataset=dataset, file=own_tasks.raw_name(str(entry["file"])))
    return own_tasks.missing_file(task, entry, Path(copy))


def _source_problems(task: str, entry: Entry, datasets: Entries) -> list[str]:
    """Whether a task's dataset and file exist; what is not even a name is the schema's to tell."""
    dataset, file = entry.get("dataset"), _mapping(entry.get("reader")).get("file")
    if not isinstance(dataset, str) or not isinstance(file, str):
        return []
    if dataset not in datasets:
        return [f"tasks.{task}.dataset: there is no dataset {dataset!r}. {instead(dataset, datasets)}"]
    files = _mapping(_mapping(datasets[dataset]).get("files"))
    if files and file not in files:
        missing = f"the dataset {dataset} has no file {file!r}"
        return [f"tasks.{task}.reader.file: {missing}. {instead(file, files)}"]
    return []


def _prompted_task_problems(model: str, entry: Entry, tasks: Entries) -> list[str]:
    """Whether the tasks exist that a model's entry has prompts for, and have two texts where it has two prompts."""
    prompted = _mapping(_mapping(entry.get("prompt_names")).get("tasks"))
    where = f"models.{model}.prompt_names.tasks"
    return [
        f"{where}: there is no task {task!r}. {instead(task, tasks)}"
        for task in prompted
        if task not in tasks
    ] + [
        f"{where}.{task}: the task has one text per row, so that there are no queries and documents. "
        "Write the name of one prompt."
        for task in prompted
        if _mapping(tasks.get(task)).get("layout") == "single"
        and roles_of_texts({"tasks": prompted}, task) == SIDES
    ]


def _inherited(entries: Entries, section: str) -> tuple[Entries, list[str]]:
    """Entries with what they take from others by ``like``; one whose ``like`` leads nowhere stays as it is."""
    derive = _derived_protocol if section == "protocols" else _derived
    problems: list[str] = []

    def resolve(name: str, chain: tuple[str, ...]) -> Any:
        entry = entries[name]
        parent = _mapping(entry).get("like")
        if not isinstance(parent, str):  # nothing to inherit, or a mistake that the schema tells
            return entry
        if parent in entries and parent not in chain:
            return derive(resolve(parent, (*chain, parent)), entry)
        if parent == chain[0]:
            circle = " → ".join((*chain, parent))
            problems.append(
                f"{section}.{parent}.like: {circle} is a circle. Write the keys of one of them out."
            )
        elif len(chain) == 1:
            kind = section.removesuffix("s").replace("_", " ")
            problems.append(
                f"{section}.{name}.like: there is no {kind} {parent!r}. {instead(parent, entries)}"
            )
        return entry

    return {name: resolve(name, (name,)) for name in entries}, problems


def _derived(base: Any, entry: Entry) -> Entry:
    """An entry laid over another: key by key, and key by key again in ``reader``."""
    base = _mapping(base)
    own = {key: value for key, value in entry.items() if key != "like"}
    reader, own_reader = _mapping(base.get("reader")), own.get("reader", {})
    if not isinstance(own_reader, dict):
        return {**base, **own}
    # another format has other keys: nothing of the parent's reader fits it
    keep = own_reader.get("format", reader.get("format")) == reader.get("format")
    return {**base, **own, "reader": {**reader, **own_reader} if keep else own_reader}


def _derived_protocol(base: Any, entry: Entry) -> Entry:
    """An entry with the switches and the training of another under its own; names are not inherited."""
    own = {key: value for key, value in entry.items() if key != "like"}
    for key in ("switches", "training"):
        inherited = _mapping(_mapping(base).get(key))
        if inherited:
            own[key] = laid_over(inherited, own.get(key, {}))
    return own


def _fixed_switches(config: Entry, workflow: Path) -> list[str]:
    """Switches of the catalog's protocols that a config sets: then a name would not mean one thing."""
    catalog = _yaml(workflow / "catalog" / "protocols.yaml")
    return [
        f"protocols.{name}.{key}: the protocol {name} of the catalog is fixed but for its training, so that its "
        f"name means one thing. Write an entry of your own with like: {name}."
        for name, entry in _mapping(config.get("protocols")).items()
        if name in catalog
        for key in ("like", "switches")
        if key in _mapping(entry)
    ]


def _chosen_protocols(config: Entry, protocols: Entries, problems: list[str]) -> list[str]:
    """The protocol of the scores and those of the study; adds a problem for each that does not exist."""
    base, study = config["probe"]["protocol"], config["study"]["protocols"]
    for place, name in [("probe.protocol", base), *(("study.protocols", name) for name in study)]:
        if name not in protocols:
            problems.append(f"config.{place}: there is no protocol {name!r}. {instead(name, protocols)}")
    if base in study:
        problems.append(
            f"config.study.protocols: {base!r} is probe.protocol, with which the others are compared. "
            "Write others only."
        )
    if "protocols" in config["report"]["tables"] and not study:
        problems.append(
            "config.report.tables: the table protocols compares protocols, but study.protocols names none. "
            "Name some there, or leave the table out."
        )
    grouping = [name for name in study if _groups_folds(protocols.get(name))]
    if "documents" in config["report"]["tables"] and (not grouping or _groups_folds(protocols.get(base))):
        problems.append(
            "config.report.tables: the table documents shows what scores become when documents are kept together, but "
            "study.protocols names no protocol with group_folds: true beside a probe.protocol without. Name "
            "published-documents or corrected-documents there, or leave the table out."
        )
    return [base, *study]


def _published_problems(report: Entry, entries: Mapping[str, Entries]) -> list[str]:
    """Published scores of tasks or encoders that do not exist; a table of them without any."""
    published = report.get("published", [])
    problems = [
        f"config.report.published.{place}.{key}: there is no {key} {entry[key]!r}. "
        f"{instead(entry[key], entries[section])}"
        for place, entry in enumerate(published)
        for key, section in (("task", "tasks"), ("model", "models"))
        if entry[key] not in entries[section]
    ]
    if "published" in report["tables"] and not published:
        problems.append(
            "config.report.tables: the table published shows the scores of report.published, which names none. "
            "Write them there, each with task, model, value and source, or leave the table out."
        )
    return problems


def _groups_folds(protocol: Any) -> bool:
    return bool(_mapping(_mapping(protocol).get("switches")).get("group_folds", False))


def _uneven_studies(config: Entry, protocols: Entries) -> list[str]:
    """Protocols of a study whose folds cannot be compared one by one with those of the scores."""
    designs = {
        name: NamedProtocol.from_entry(name, entry).cross_validation(config["probe"])
        for name, entry in protocols.items()
    }
    base = config["probe"]["protocol"]
    return [
        f"config.study.protocols: {name} has {key} {value}, but {base} has {designs[base][key]}, and a study compares "
        "fold by fold. Give both the same, or make it an experiment of its own."
        for name, design in designs.items()
        for key, value in design.items()
        if value != designs[base][key]
    ]


def _merged(workflow: Path, config: Entry, section: str) -> Entries:
    """The catalog's entries with the config's laid over them, key by key."""
    catalog = _yaml(workflow / "catalog" / f"{section}.yaml")
    merged: Entries = json.loads(json.dumps(catalog))
    for name, entry in (config.get(section) or {}).items():
        merged[name] = laid_over(merged.get(name, {}), entry)
    return merged


@cache
def _yaml(path: Path) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader is ten times faster
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=loader)


def _schema(workflow: Path, name: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = _yaml(workflow / "schemas" / f"{name}.schema.yaml")
    return schema


def _untold(problems: list[str], *, told: list[str]) -> list[str]:
    """Problems of entries that are not told of already, neither the place itself nor one further inside."""
    places = [problem.partition(": ")[0] + "." for problem in told]

    def known(problem: str) -> bool:
        place = problem.partition(": ")[0]
        return "." in place and any(other.startswith(place + ".") for other in places)

    return [problem for problem in problems if not known(problem)]


def _mapping(value: Any) -> Entry:
    """The value if it is a map, else an empty one."""
    return value if isinstance(value, dict) else {}


def _told(problems: list[str]) -> str:
    count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
    # A schema repeats the value that it refuses
    return without_secrets(
        f"the configuration has {count}:\n" + "\n".join(f"  - {problem}" for problem in problems)
    )
