"""Tasks and protocols in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sentflow.encoders.prompts import roles_of_texts
from sentflow.encoders.roles import SIDES
from sentflow.families.probing.own_tasks import dataset_name, is_short, write_out
from sentflow.graph.config.entries import derived, laid_over
from sentflow.graph.config.family import AllEntries, ConfigPart, Entries, Entry, Section, Selected
from sentflow.graph.config.messages import as_map, unknown
from sentflow.graph.config.shared import file_problems
from sentflow.graph.config.short_forms import missing_file
from sentflow.probing.protocol.catalog import keeping_documents, names_documents, protocol_of
from sentflow.texts.task_files import DERIVED, files_of


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


def _problems(config: Mapping[str, Any], entries: AllEntries, selected: Selected) -> Iterator[str]:
    for name in selected["tasks"]:
        own = config["tasks"].get(name)
        if is_short(own):
            yield from missing_file(f"tasks.{name}.file", str(own["file"]), dataset_name(name))
        yield from source_problems(name, entries["tasks"][name], entries["datasets"])
    yield from _study_problems(config, entries, selected["protocols"], selected["tasks"])
    yield from _published_problems(config["report"], entries)


def _study_problems(
    config: Mapping[str, Any], entries: AllEntries, selected: Sequence[str], tasks: Sequence[str]
) -> Iterator[str]:
    protocols = {name: entries["protocols"][name] for name in selected}
    base, study = config["probe"]["protocol"], config["study"]["protocols"]
    if study and not config["select"]["tasks"]:
        yield (
            "config.study.protocols: protocols are compared on tasks, but select.tasks is empty. Select "
            "tasks, or "
            "write []."
        )
    if base in study:
        yield (
            f"config.study.protocols: {base!r} is probe.protocol, which the others are compared with. "
            "List only others."
        )
    if "protocols" in config["report"]["tables"] and not study:
        yield (
            "config.report.tables: the table protocols compares protocols, but study.protocols is empty. "
            "List some there, or leave the table out."
        )
    with_documents = any(names_documents(entries["tasks"][name]) for name in tasks)
    if base in protocols and config["probe"]["documents"] and with_documents:
        twin = keeping_documents(protocol_of(base, protocols[base], config["probe"]))
        own = protocols.get(twin.name)
        if own and replace(protocol_of(twin.name, own, config["probe"]), title=twin.title) != twin:
            yield (
                f"protocols.{twin.name}: this is the name of {base} with documents kept together, which "
                "probe.documents asks for, but the entry differs in more than group_folds. Give it another name."
            )
    # folds are compared one by one
    designs = {
        name: protocol_of(name, entry, config["probe"]).cross_validation for name, entry in protocols.items()
    }
    for name, design in designs.items():
        for key, value in designs.get(base, {}).items():
            if design[key] != value:
                yield (
                    f"config.study.protocols: {name} has {key} {design[key]}, but {base} has {value}, and a "
                    "study compares fold by fold. Give both the same, or make it an experiment of its own."
                )


def _published_problems(report: Mapping[str, Any], entries: AllEntries) -> Iterator[str]:
    """Published scores of tasks or encoders that do not exist; a table of them without any."""
    published = report.get("published", [])
    for place, entry in enumerate(published):
        for key, section in (("task", "tasks"), ("model", "models")):
            if entry[key] not in entries[section]:
                yield unknown(f"config.report.published.{place}.{key}", key, entry[key], entries[section])
    if "published" in report["tables"] and not published:
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
            own[key] = laid_over(inherited, own.get(key, {}))
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


TASKS = Section("tasks", "task", ("select.tasks",), derive=derived, write_out=write_out)
PROTOCOLS = Section(
    "protocols",
    "protocol",
    ("probe.protocol", "study.protocols"),
    derive=_derived_protocol,
    overlay_problems=_fixed_switches,
)
PROBING = ConfigPart((TASKS, PROTOCOLS), problems=_problems, entry_problems=_prompt_problems)
