"""What is measured: a family says in one place what it needs and what it makes, and `sentflow.flow.targets` sums up.

The Snakefile reads it in every job: standard library and pydantic only.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any, ClassVar

from sentflow.compare.settings import ModelTitle
from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.config.model import Settings
from sentflow.encoders.manifest import is_archived
from sentflow.encoders.settings import TRAINED
from sentflow.flow import paths
from sentflow.texts.raw_files import raw_files_of
from sentflow.training.snapshots import SNAPSHOT

TEXT = "text"
Files = Callable[[Any], list[str]]
"""Files of a job, by its wildcards."""


@dataclass(frozen=True)
class Collection:
    """Texts that are embedded together, in a role."""

    name: str  # value of the wildcard ``{collection}``; names its files of texts and of vectors
    tables: Sequence[
        str
    ]  # files whose texts it holds, in this order; none where a rule of its own writes its texts
    models: Sequence[str]  # the encoders that embed it
    # roles: what the texts are to the encoder, which decides the prompt: ``text``, ``query`` or ``document``; or
    # ``query`` and ``document``, of first texts and of what is beside them
    roles: Sequence[str] = (TEXT,)
    task: str = ""  # the task whose prompts are put before the texts; empty for none
    # kept: the name under which vectors are kept for later runs, where another selection gives this one another name;
    # empty for its own. No two collections of an experiment may share one for the same encoder.
    kept: str = ""

    @property
    def digests(self) -> list[str]:
        return [paths.digest(table) for table in self.tables]


class Family:
    """One kind of measurement of the selected encoders; a subclass per kind sets what it has of these."""

    name: ClassVar[str]  # of its rules: ``workflow/rules/{name}.smk``
    # raw_files: (dataset, file) that its tables are read from; one may come twice
    raw_files: Sequence[tuple[str, str]] = ()
    collections: Sequence[Collection] = ()  # texts that are embedded for it
    # data: digest of each table measured on → what the table is called, its dataset
    data: Mapping[str, list[str]] = {}
    results: Sequence[str] = ()  # everything that is measured or tested, for the target ``all``
    audits: Sequence[str] = ()  # what is to be known about its data
    exports: Sequence[str] = ()  # its scores in external formats
    summaries: Sequence[str] = ()  # files with the rows that tables, figures and the page are made of
    excerpts: Sequence[str] = ()  # texts of its data that are shown; no publication of the run holds them
    documents: Sequence[str] = ()  # files beside the summaries that the page links to
    summary_of_scores: Sequence[str] = ()  # that of `summaries` with one row per score
    available: Mapping[str, bool] = {}  # what a table, figure or check may need of it → whether there is any
    selection: Mapping[str, Any] = {}  # which the checks compare with what is there
    constraints: Mapping[str, str] = {}  # wildcard of its own → regular expression of the names that exist

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    @property
    def published_results(self) -> Sequence[str]:
        return self.results

    @cached_property
    def published(self) -> Mapping[str, Any]:
        """Table → what papers report of the things that it shows."""
        return {}

    @cached_property
    def report_facts(self) -> Mapping[str, Any]:
        """What the page says of it beside the summaries; nothing where nothing is measured."""
        return {}

    def collection_of(self, wildcards: Any) -> str:
        """The collection whose vectors a job reads: that of its wildcard, where a family says nothing else."""
        return str(wildcards.collection)

    def vectors(self) -> dict[str, Any]:
        """Inputs of a job that reads vectors; their description holds the checksums of texts and vectors."""
        from snakemake.io import ancient

        def of(pattern: str) -> Callable[[Any], str]:
            return lambda wildcards: pattern.format(
                collection=self.collection_of(wildcards), model=wildcards.model
            )

        texts, embeddings = ancient(of(paths.TEXTS)), ancient(of(paths.EMBEDDINGS))
        return {"texts": texts, "embeddings": embeddings, "info": of(paths.EMBEDDINGS_INFO)}


def each(pattern: str, **names: Iterable[Any]) -> list[str]:
    """A file of every combination of names of wildcards, the last of them fastest."""
    return [pattern.format_map(dict(zip(names, ones, strict=True))) for ones in product(*names.values())]


def flat(groups: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of all groups, one group after the other."""
    return list(chain.from_iterable(groups.values()))


def raw_files(entry: Entry) -> list[tuple[str, str]]:
    return [(entry["dataset"], file) for file in raw_files_of(entry)]


def raw_paths(files: Iterable[tuple[str, str]]) -> list[str]:
    return [paths.RAW_FILE.format(dataset=dataset, file=file) for dataset, file in files]


def weights_of(experiment: Experiment, model: str) -> list[str]:
    """The archive with the files of an encoder; none where these lie at the same place on every machine, or are none.

    Every job that loads the encoder takes it as an input beside the manifest.
    """
    if model in experiment.snapshots:
        trained, _, step = model.partition(SNAPSHOT)
        return each(paths.SNAPSHOT, model=[trained], step=[step])
    entry = experiment.fetched_models[model]
    has_archive = entry["kind"] == TRAINED or is_archived(entry.get("source"))
    return each(paths.WEIGHTS, model=[model]) if has_archive else []


class FromFiles:
    """The job that makes a table of raw files for each entry of a section.

    What it checks (how many rows there must be, the checksums of files) changes no byte.
    """

    def __init__(
        self,
        section: str,
        wildcard: str,
        entries: Entries,
        datasets: Entries,
        models: Sequence[type[Settings]],
    ) -> None:
        self.section, self.wildcard, self.entries = section, wildcard, entries
        self._datasets = datasets
        self._settings, self._checks = models

    def raw(self, wildcards: Any) -> list[str]:
        return raw_paths(raw_files(self.entries[self._name(wildcards)]))

    def settings(self, wildcards: Any) -> str:
        return self.settings_of(self._name(wildcards)).as_json()

    def checks(self, wildcards: Any) -> str:
        return self.checks_of(self._name(wildcards)).as_json()

    def _name(self, wildcards: Any) -> str:
        return str(getattr(wildcards, self.wildcard))

    def settings_of(self, name: str) -> Settings:
        return self._settings.from_parts(self.entries[name])

    def checks_of(self, name: str, **more: Any) -> Settings:
        entry = self.entries[name]
        known = self._datasets[entry["dataset"]]["files"]
        files = {file: known[file] for file in raw_files_of(entry)}
        return self._checks.from_parts(entry, files=files, **more)

    def by_dataset(self) -> "dict[str, OfDataset]":
        """Dataset → the job that makes all tables of its files."""
        names: dict[str, list[str]] = {}
        for name in sorted(self.entries):
            names.setdefault(self.entries[name]["dataset"], []).append(name)
        return {dataset: OfDataset(self, ones) for dataset, ones in names.items()}


@dataclass(frozen=True)
class OfDataset:
    """The job that makes the tables of several entries, with settings and checks by their names."""

    of: FromFiles
    names: Sequence[str]  # in their order, as those of keys in JSON

    @property
    def raw(self) -> list[str]:
        return raw_paths(
            dict.fromkeys(file for name in self.names for file in raw_files(self.of.entries[name]))
        )

    def tables(self, pattern: str) -> list[str]:
        return each(pattern, **{self.of.wildcard: self.names})

    def settings(self, _wildcards: Any) -> str:
        return json_text({name: self.of.settings_of(name).as_dict() for name in self.names})

    def checks(self, _wildcards: Any) -> str:
        return json_text({name: self.of.checks_of(name).as_dict() for name in self.names})


def one_of(names: Iterable[str]) -> str:
    """Regular expression that matches exactly these names; nothing at all if there are none.

    Snakemake reads the expression anew for every file of every job. So names with the same parts behind their first
    slash share these: thousands of snapshots of many trainings are as long as one training's and the others' names.
    """
    tails: dict[str, dict[str, None]] = {}
    for name in names:
        head, slash, rest = name.partition("/")
        tails.setdefault(head, {})[slash + rest] = None
    heads: dict[tuple[str, ...], list[str]] = {}
    for head, found in tails.items():
        heads.setdefault(tuple(found), []).append(head)
    parts = [
        "|".join(map(re.escape, ones)) if ends == ("",) else _any_of(ones) + _any_of(ends)
        for ends, ones in heads.items()
    ]
    return "|".join(parts) or "(?!)"


def _any_of(texts: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, texts))})"


def pick(entry: Mapping[str, Any] | Settings, *keys: str) -> dict[str, Any]:
    found = dict(entry)
    return {key: found[key] for key in keys}


def pick_known(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: entry[key] for key in keys if key in entry}


def described_models(models: Mapping[str, Mapping[str, Any]]) -> dict[str, ModelTitle]:
    """What summaries say of each model of a selection: title, whether it is a control, and its position.

    Figures choose colours by the position, which counts encoders and controls apart: another control gives no encoder
    another colour.
    """
    found: dict[str, ModelTitle] = {}
    counts = {False: 0, True: 0}
    for name, entry in models.items():
        is_control = bool(entry.get("control", False))
        title = entry.get("title", name)
        found[name] = ModelTitle(title=title, control=is_control, position=counts[is_control])
        counts[is_control] += 1
    return found


def json_text(value: Any) -> str:
    """JSON with sorted keys, so that equal settings are equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
