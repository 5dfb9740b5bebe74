"""Tasks and protocols in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map, derived, merge
from sentflow.config.experiment import Configuration, Probe, Report
from sentflow.config.problems.messages import unknown
from sentflow.config.problems.shared import file_problems, needed
from sentflow.config.protocols import Protocol
from sentflow.config.sections import ConfigPart, Section
from sentflow.config.short_forms import missing_file
from sentflow.config.tasks import Task
from sentflow.encoders.prompts import roles_of_texts
from sentflow.encoders.roles import SIDES
from sentflow.families.probing.own_tasks import dataset_name, is_short, write_out
from sentflow.families.probing.task_protocols import FOR_OWN_TASKS, protocol_name
from sentflow.probing.protocol.catalog import keeping_documents, names_documents, protocol_of
from sentflow.probing.settings import ProbeProtocol
from sentflow.texts.task_files import DERIVED, files_of, has_groups


def source_problems(task: str, entry: Entry, datasets: Entries) -> list[str]:
    """Whether the dataset and the file of a task exist."""
    key = "reader.sources.files" if entry["reader"].get("format") == DERIVED else "reader.file"
    return file_problems(f"tasks.{task}", entry["dataset"], files_of(entry["reader"]), datasets, key=key)


def _prompt_problems(entries: AllEntries) -> Iterator[str]:
    """Tasks that encoders have prompts for: they exist, and have two texts where there are two prompts."""
    tasks = entries["tasks"]
    for model, entry in entries["models"].items():
        prompted = as_map(as_map(as_map(entry).get("prompt_names")).get("tasks"))
        where = f"models.{model}.prompt_names.tasks"
        for task in prompted:
            if task not in tasks:
                yield unknown(where, "task", task, tasks)
            elif (
                as_map(tasks[task]).get("layout") == "single"
                and roles_of_texts({"tasks": prompted}, task) == SIDES
            ):
                yield (
                    f"{where}.{task}: the task has one text per row, so there are no queries and documents. "
                    "Write the name of one prompt."
                )


def _unknown_protocols(entries: AllEntries) -> Iterator[str]:
    """Protocols that tasks name and that do not exist."""
    for name, entry in entries["tasks"].items():
        protocol = as_map(entry).get("protocol")
        if isinstance(protocol, str) and protocol not in entries["protocols"]:
            yield unknown(f"tasks.{name}.protocol", "protocol", protocol, entries["protocols"])


def _entry_problems(entries: AllEntries) -> Iterator[str]:
    yield from _prompt_problems(entries)
    yield from _unknown_protocols(entries)


def _problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    for name in selected["tasks"]:
        own = config.tasks.get(name)
        if own is not None and is_short(own):
            yield from missing_file(f"tasks.{name}.file", str(own["file"]), dataset_name(name))
        yield from source_problems(name, entries["tasks"][name], entries["datasets"])
        yield from _documents_problems(name, entries["tasks"][name])
    yield from needed(config, "tasks", selected["tasks"])
    yield from _protocol_problems(config, entries, selected["tasks"])
    yield from _published_problems(config.report, entries)


def _documents_problems(task: str, entry: Entry) -> Iterator[str]:
    if "documents" in entry and has_groups(entry["reader"]):
        yield (
            f"tasks.{task}.documents: the reader names the documents of the rows already. Remove documents, or what "
            "the reader says of groups."
        )


def _protocol_problems(config: Configuration, entries: AllEntries, tasks: Sequence[str]) -> Iterator[str]:
    """Protocols of the tasks and of a study: they suit one another, and each task gets along with its own."""
    probe = config.probe
    names = {task: protocol_name(entries["tasks"][task], probe.protocol) for task in tasks}
    used = dict.fromkeys([probe.protocol, *names.values(), *config.study.protocols])
    known = {name: _read(name, entries["protocols"].get(name), probe) for name in used}
    base = known[probe.protocol]
    if base is None:  # told already
        return
    taken = {task: protocol for task, name in names.items() if (protocol := known.get(name))}
    yield from _other_folds(base, taken)
    yield from _study_problems(config, known, taken)
    if probe.documents:
        with_documents = [task for task in taken if names_documents(entries["tasks"][task])]
        yield from _twin_problems(known, {taken[task].name: taken[task] for task in with_documents})


def _read(name: str, entry: Any, probe: Probe) -> ProbeProtocol | None:
    """A protocol; None for an entry that does not fit its schema, which is told already."""
    try:
        return protocol_of(name, entry, dict(probe))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _other_folds(base: ProbeProtocol, taken: Mapping[str, ProbeProtocol]) -> Iterator[str]:
    for task, protocol in taken.items():
        for key, value in base.cross_validation.items():
            if protocol.cross_validation[key] != value:
                yield (
                    f"tasks.{task}.protocol: {protocol.name} has {key} {protocol.cross_validation[key]}, but "
                    f"{base.name}, which is probe.protocol, has {value}, and an experiment has one cross-validation "
                    "for all tasks. Give both the same, or make it an experiment of its own."
                )


def _study_problems(
    config: Configuration,
    known: Mapping[str, ProbeProtocol | None],
    taken: Mapping[str, ProbeProtocol],
) -> Iterator[str]:
    base, study = config.probe.protocol, config.study.protocols
    if study and not config.select.tasks:
        yield (
            "config.study.protocols: protocols are compared on tasks, but select.tasks is empty. Select "
            "tasks, or "
            "write []."
        )
    elif study and taken and all(protocol.name != base for protocol in taken.values()):
        yield (
            f"config.study.protocols: others are compared with {base}, which is probe.protocol, but no selected "
            f"task takes it (own tasks take {FOR_OWN_TASKS}). Write protocol: {base} at the tasks, or another "
            "probe.protocol."
        )
    if base in study:
        yield (
            f"config.study.protocols: {base!r} is probe.protocol, which the others are compared with. "
            "List only others."
        )
    if "protocols" in config.report.tables and not study:
        yield (
            "config.report.tables: the table protocols compares protocols, but study.protocols is empty. "
            "List some there, or leave the table out."
        )
    # folds are compared one by one
    for name in study:
        other, own = known.get(name), known[base]
        if other is None or own is None:
            continue
        for key, value in own.cross_validation.items():
            if other.cross_validation[key] != value:
                yield (
                    f"config.study.protocols: {name} has {key} {other.cross_validation[key]}, but {base} has {value}, "
                    "and a study compares fold by fold. Give both the same, or make it an experiment of its own."
                )


def _twin_problems(
    known: Mapping[str, ProbeProtocol | None], bases: Mapping[str, ProbeProtocol]
) -> Iterator[str]:
    """Whether the protocols that keep documents together are what their names say, where the configuration has them."""
    for base in bases.values():
        twin = keeping_documents(base)
        own = known.get(twin.name)
        if own and replace(own, title=twin.title) != twin:
            yield (
                f"protocols.{twin.name}: this is the name of {base.name} with documents kept together, which "
                "probe.documents asks for, but the entry differs in more than group_folds. Give it another name."
            )


def _published_problems(report: Report, entries: AllEntries) -> Iterator[str]:
    """Published scores of tasks or encoders that do not exist; a table of them without any."""
    for place, entry in enumerate(report.published):
        for key, section in (("task", "tasks"), ("model", "models")):
            if (name := getattr(entry, key)) not in entries[section]:
                yield unknown(f"config.report.published.{place}.{key}", key, name, entries[section])
    if "published" in report.tables and not report.published:
        yield (
            "config.report.tables: the table published shows the scores of report.published, which is empty. "
            "Write them there, each with task, model, value and source, or leave the table out."
        )


def _derived_protocol(base: Any, entry: Entry) -> Entry:
    """An entry with the switches and the training of another under its own; names are not inherited."""
    own = {key: value for key, value in entry.items() if key != "like"}
    for key in ("switches", "training"):
        inherited = as_map(as_map(base).get(key))
        if inherited:
            own[key] = merge(inherited, own.get(key, {}))
    return own


def _fixed_switches(catalog: Entries, own: Entries) -> list[str]:
    """Switches of the catalog's protocols that a configuration sets: then a name would not mean one thing."""
    return [
        f"protocols.{name}.{key}: the protocol {name} of the catalog is fixed except for its training, "
        "so that its "
        f"name has one meaning. Write an entry of your own with like: {name}."
        for name, entry in own.items()
        if name in catalog
        for key in ("like", "switches")
        if key in as_map(entry)
    ]


TASKS = Section(
    "tasks",
    "task",
    ("select.tasks",),
    model=Task,
    derive=derived,
    write_out=write_out,
    own={"published": False},
)
PROTOCOLS = Section(
    "protocols",
    "protocol",
    ("probe.protocol", "study.protocols"),
    model=Protocol,
    derive=_derived_protocol,
    overlay_problems=_fixed_switches,
)
PROBING = ConfigPart((TASKS, PROTOCOLS), problems=_problems, entry_problems=_entry_problems)
