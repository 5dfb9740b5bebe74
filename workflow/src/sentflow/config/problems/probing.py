"""What is wrong with tasks, protocols, pair sets, alignments, regressions, and what is asked of them."""

from collections.abc import Iterator, Mapping

from sentflow.config.configuration import Configuration, Probe, Report
from sentflow.config.entries import AllEntries, Entries, Entry, Selected
from sentflow.config.pairs import PERMUTED, needed_pair_sets, pair_sets_of
from sentflow.config.problems.common import dataset_problems, missing_files, needed, unknown
from sentflow.errors import instead
from sentflow.probing.catalog import (
    FOR_OWN_TASKS,
    keeping_documents,
    names_documents,
    protocol_name,
    protocol_of,
)
from sentflow.probing.settings import ProbeProtocol
from sentflow.texts.raw_files import DERIVED, has_groups

Protocols = Mapping[str, ProbeProtocol | None]


def entry_problems(entries: AllEntries) -> Iterator[str]:
    tasks, protocols = entries["tasks"], entries["protocols"]
    for model, entry in entries["models"].items():
        where = f"models.{model}.prompt_names.tasks"
        for task, names in entry.get("prompt_names", {}).get("tasks", {}).items():
            if task not in tasks:
                yield unknown(where, "task", task, tasks)
            elif tasks[task].get("layout") == "single" and isinstance(names, dict) and "query" in names:
                yield (
                    f"{where}.{task}: the task has one text per row, so there are no queries and documents. Write the "
                    "name of one prompt."
                )
    for name, entry in tasks.items():
        if (protocol := entry.get("protocol")) and protocol not in protocols:
            yield unknown(f"tasks.{name}.protocol", "protocol", protocol, protocols)


def problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    for name in selected["tasks"]:
        entry, where = entries["tasks"][name], f"tasks.{name}"
        yield from missing_files(f"{where}.file", entry["dataset"], entries["datasets"])
        yield from source_problems(name, entry, entries["datasets"])
        if "documents" in entry and has_groups(entry["reader"]):
            yield (
                f"{where}.documents: the reader names the documents of the rows already. Remove documents, or what the "
                "reader says of groups."
            )
    yield from needed(config, "tasks", selected["tasks"])
    yield from _protocol_problems(config, entries, selected)
    yield from _published_problems(config.report, entries)


def source_problems(task: str, entry: Entry, datasets: Entries) -> list[str]:
    key = "reader.sources.files" if entry["reader"]["format"] == DERIVED else "reader.file"
    return dataset_problems(f"tasks.{task}", entry, datasets, key=key)


def _protocol_problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    """Protocols of the tasks and of a study: they suit one another, and each task gets along with its own."""
    probe, tasks = config.probe, entries["tasks"]
    names = {task: protocol_name(tasks[task], probe.protocol) for task in selected["tasks"]}
    used = dict.fromkeys([probe.protocol, *names.values(), *config.study.protocols])
    known = {name: _protocol(name, entries["protocols"], probe) for name in used}
    base = known[probe.protocol]
    if base is None:  # reported already
        return
    taken = {task: protocol for task, name in names.items() if (protocol := known[name])}
    for task, protocol in taken.items():
        for key, value in base.cross_validation.items():
            if protocol.cross_validation[key] != value:
                yield (
                    f"tasks.{task}.protocol: {protocol.name} has {key} {protocol.cross_validation[key]}, but "
                    f"{base.name}, which is probe.protocol, has {value}, and an experiment has one cross-validation "
                    "for all tasks. Give both the same, or make it an experiment of its own."
                )
    yield from _study_problems(config, base, known, taken)
    with_documents = [taken[task] for task in taken if probe.documents and names_documents(tasks[task])]
    for protocol in {one.name: one for one in with_documents}.values():
        twin = keeping_documents(protocol)
        own = known.get(twin.name)
        if own and own.but(title=twin.title) != twin:
            yield (
                f"protocols.{twin.name}: this is the name of {protocol.name} with documents kept together, which "
                "probe.documents asks for, but the entry differs in more than group_folds. Give it another name."
            )


def _protocol(name: str, protocols: Entries, probe: Probe) -> ProbeProtocol | None:
    """A protocol; None for one that does not exist or does not fit its model, which is reported already."""
    entry = protocols.get(name)
    return protocol_of(name, entry, dict(probe)) if entry else None


def _study_problems(
    config: Configuration, base: ProbeProtocol, known: Protocols, taken: Mapping[str, ProbeProtocol]
) -> Iterator[str]:
    study, where = config.study.protocols, "config.study.protocols"
    if study and not config.select.tasks:
        yield f"{where}: protocols are compared on tasks, but select.tasks is empty. Select tasks, or write []."
    elif study and taken and all(protocol.name != base.name for protocol in taken.values()):
        yield (
            f"{where}: others are compared with {base.name}, which is probe.protocol, but no selected task takes it "
            f"(own tasks take {FOR_OWN_TASKS}). Write protocol: {base.name} at the tasks, or another probe.protocol."
        )
    if base.name in study:
        yield f"{where}: {base.name!r} is probe.protocol, which the others are compared with. List only others."
    if "protocols" in config.report.tables and not study:
        yield (
            "config.report.tables: the table protocols compares protocols, but study.protocols is empty. List some "
            "there, or leave the table out."
        )
    # folds are compared one by one
    for other in filter(None, (known[name] for name in study)):
        for key, value in base.cross_validation.items():
            if other.cross_validation[key] != value:
                yield (
                    f"{where}: {other.name} has {key} {other.cross_validation[key]}, but {base.name} has {value}, and "
                    "a study compares fold by fold. Give both the same, or make it an experiment of its own."
                )


def _published_problems(report: Report, entries: AllEntries) -> Iterator[str]:
    for place, entry in enumerate(report.published):
        for key, section in (("task", "tasks"), ("model", "models")):
            if (name := getattr(entry, key)) not in entries[section]:
                yield unknown(f"config.report.published.{place}.{key}", key, name, entries[section])
    if "published" in report.tables and not report.published:
        yield (
            "config.report.tables: the table published shows the scores of report.published, which is empty. Write "
            "them there, each with task, model, value and source, or leave the table out."
        )


def pair_problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    for section in ("regressions", "alignments"):
        for name in selected[section]:
            yield from _part_problems(section, name, entries)
        yield from needed(config, section, selected[section])
    known = entries["pair_sets"]
    sets = {name: known[name] for name in needed_pair_sets(selected, entries) if known.get(name)}
    for name, entry in sets.items():
        yield from dataset_problems(f"pair_sets.{name}", entry, entries["datasets"], key="reader")
    yield from _family_problems(sets, entries["datasets"])
    for name in config.select.models:
        if name in config.similarity.baselines:  # both would write the same files
            yield f"config.select.models: {name!r} is also one of similarity.baselines. Give the encoder another name."
    if not config.similarity.baselines:
        yield from needed(config, "pair sets without similarity.baselines", selected["pair_sets"])
    yield from _geometry_problems(config, [sets[name] for name in selected["pair_sets"] if name in sets])


def _part_problems(section: str, name: str, entries: AllEntries) -> Iterator[str]:
    families, known = {}, entries["pair_sets"]
    for part in pair_sets_of(section, entries[section][name]):
        if part not in known:
            yield unknown(f"{section}.{name}", "pair set", part, known)
        elif known[part]:
            families[part] = known[part]["family"]
    if len(set(families.values())) > 1:
        found = ", ".join(f"{part} is of {family}" for part, family in families.items())
        yield (
            f"{section}.{name}: its pair sets must be of one family, because their sentences are embedded together, "
            f"but {found}. Take pair sets of one family, or give them one."
        )


def _family_problems(pair_sets: Entries, datasets: Entries) -> Iterator[str]:
    """Families whose texts and vectors would be where those of a dataset are, or permuted texts."""
    first = {entry["family"]: name for name, entry in reversed(pair_sets.items())}
    for family, name in first.items():
        for taken in (family, f"{family}{PERMUTED}"):
            if taken in datasets:
                yield (
                    f"pair_sets.{name}.family: {taken!r} is the name of a dataset, whose texts and vectors would be in "
                    "the same files. Write another name."
                )
        if f"{family}{PERMUTED}" in first:
            yield (
                f"pair_sets.{name}.family: {family + PERMUTED!r} is also a family, whose texts and vectors would be "
                "where those of the permuted texts of this one are. Write another name."
            )


def _geometry_problems(config: Configuration, pair_sets: list[dict[str, str]]) -> Iterator[str]:
    families, there = config.geometry.families, sorted({entry["family"] for entry in pair_sets})
    if isinstance(families, str):
        return
    if not there and families:
        yield (
            "config.geometry.families: no pair set is selected, so there are no families. Select pair sets, or write "
            "all."
        )
    for family in families if there else ():
        if family not in there:
            yield (
                f"config.geometry.families: no pair set of the family {family!r} is selected. {instead(family, there)}"
            )
