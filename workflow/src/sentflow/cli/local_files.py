"""Data files on this machine, read and checked before the first job as the rules that prepare them do it."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.errors import DataError, SentflowError
from sentflow.families.probing import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.similarity import Similarity
from sentflow.files.limits import limited
from sentflow.graph import paths

if TYPE_CHECKING:
    from sentflow.texts.corpora import Corpus
    from sentflow.texts.table import TaskTable

_MAX_BYTES = 50_000_000  # what is larger is left to the jobs
_MOST_LABELS = 20  # of more nobody wants a line
_RAW_FOLDER = Path(paths.RAW_FILE).parents[1]
_Table = TypeVar("_Table")


def read_local_files(experiment: Experiment) -> dict[str, "TaskTable"]:
    """Read the files of tasks, pair sets, corpora and question sets that lie on this machine.

    Returns
    -------
    dict
        Task → its table, for the tasks whose files are here and not large.
    """
    with TemporaryDirectory() as folder, limited(**dict(experiment.config.limits)):
        reader = _Reader(experiment, Path(folder))
        tables = reader.tasks(Probing(experiment))
        reader.pair_sets(Similarity(experiment))
        reader.collections(Retrieval(experiment))
    if len(reader.problems) == 1:
        raise reader.problems[0]
    if reader.problems:
        # a message may have lines of its own
        listed = "\n".join("  - " + str(problem).replace("\n", "\n    ") for problem in reader.problems)
        raise DataError(f"{len(reader.problems)} data sets have files that are not in order:\n{listed}")
    return tables


def small_tasks(
    experiment: Experiment, tables: Mapping[str, "TaskTable"]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Tasks with too few rows to train on as published, and with too few documents for anything to be said of new ones.

    Returns
    -------
    tuple
        Task and protocol, with a warning, of each.
    """
    from sentflow.probing.protocol.draws import check_documents
    from sentflow.texts.checks import few_rows

    probing = Probing(experiment)
    rows, documents = [], []
    for task in probing.tasks:
        counts, protocol = _counts(task, experiment, tables), probing.task_protocol(task)
        where = f"{task} ({protocol.name})"
        if counts and (warning := few_rows(counts, protocol=protocol.name, **protocol.needs())):
            rows.append((where, warning))
        folds = json.loads(probing.prepare_checks(SimpleNamespace(task=task))).get("document_folds")
        if task in tables and folds and (warning := check_documents(tables[task], **folds)):
            documents.append((where, warning))
    return rows, documents


def rows_of_tasks(experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> dict[str, int]:
    """Task → its rows, for the tasks whose rows are known; `tables` as for `small_tasks`."""
    counts = {task: _counts(task, experiment, tables) for task in experiment.selected["tasks"]}
    return {task: sum(numbers) for task, numbers in counts.items() if numbers}


def _counts(task: str, experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> list[int]:
    """Rows of each class; none where they are not known."""
    if task in tables:
        return list(Counter(tables[task].labels.tolist()).values())
    return list(experiment.selected["tasks"][task].get("class_counts", {}).values())


class _Reader:
    """Makes tables of files of this machine, and keeps what is wrong with them."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.problems: list[SentflowError] = []
        self._datasets, self._folder = experiment.entries["datasets"], folder

    def tasks(self, probing: Probing) -> dict[str, "TaskTable"]:
        tables = {}
        for task, entry in probing.tasks.items():
            job = SimpleNamespace(task=task)
            settings = _settings(probing.prepare_settings, probing.prepare_checks, job)
            files = [Path(file) for file in probing.raw_files_of_task(job)]
            if "documents" in entry:  # whether rows can be documents is known of sample data, too
                self._generate(files)
            prepared = self._read(f"tasks.{task}", files, partial(_task, task, settings))
            if prepared:
                tables[task] = prepared
        return tables

    def pair_sets(self, similarity: Similarity) -> None:
        from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs

        for name in similarity.prepared:
            job = SimpleNamespace(pairs=name)
            found = _settings(similarity.prepare_settings, similarity.prepare_checks, job)

            def prepare(files: list[Path], name: str = name, found: Entry = found) -> object:
                return prepare_pairs(name, files, PairSettings.from_settings(found, pairs=name))

            self._read(f"pair_sets.{name}", similarity.raw_files_of_set(job), prepare)

    def collections(self, retrieval: Retrieval) -> None:
        corpora = {name: self._corpus(name, retrieval) for name in retrieval.prepared_corpora}
        for name, entry in retrieval.prepared.items():
            # judgements must fit what is searched
            if corpus := corpora.get(entry["corpus"]):
                self._questions(name, corpus, retrieval)

    def _corpus(self, name: str, retrieval: Retrieval) -> "Corpus | None":
        from sentflow.texts.corpus_settings import Checks, CorpusSettings, read_of
        from sentflow.texts.prepare_corpus import prepare_corpus

        entry = retrieval.prepared_corpora[name]
        settings, checks = read_of(CorpusSettings, entry), read_of(Checks, entry)
        raw = retrieval.raw_files_of_corpus(SimpleNamespace(corpus=name))
        return self._read(f"corpora.{name}", raw, lambda files: prepare_corpus(name, files, settings, checks))

    def _questions(self, name: str, corpus: "Corpus", retrieval: Retrieval) -> None:
        from sentflow.texts.corpus_settings import Checks, QuestionSettings, read_of
        from sentflow.texts.prepare_questions import prepare_questions

        entry = retrieval.prepared[name]
        settings, checks = read_of(QuestionSettings, entry), read_of(Checks, entry)
        raw = retrieval.raw_files_of_questions(SimpleNamespace(questions=name))
        self._read(
            f"question_sets.{name}",
            raw,
            lambda files: prepare_questions(name, files, settings, corpus, checks),
        )

    def _read(
        self, where: str, raw_files: Iterable[str | Path], prepare: Callable[[list[Path]], _Table]
    ) -> _Table | None:
        """What is made of raw files; None where one of them is not here or large, or is not in order."""
        places = [self._place(Path(file)) for file in raw_files]
        here = [place for place in places if place is not None]
        if not here or len(here) < len(places):
            return None
        try:
            return prepare(here)
        except SentflowError as problem:
            self.problems.append(type(problem)(f"{where}: {problem}"))
            return None

    def _place(self, raw_file: Path) -> Path | None:
        """A raw file under its name in the results."""
        dataset, *rest = raw_file.relative_to(_RAW_FOLDER).parts
        addresses = self._datasets[dataset]["files"]["/".join(rest)].get("urls", [])
        files = [Path(address.removeprefix("file://")).expanduser() for address in addresses]
        path = next((one for one in files if one.is_file() and one.stat().st_size <= _MAX_BYTES), None)
        if path is None:
            return generated if (generated := self._copy(raw_file)).is_file() else None
        link = self._copy(raw_file)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(path.resolve())
        return link

    def _copy(self, raw_file: Path) -> Path:
        return self._folder / raw_file.relative_to(_RAW_FOLDER)

    def _generate(self, raw_files: Iterable[Path]) -> None:
        """Write files of sample data."""
        from sentflow.files.io import write_text
        from sentflow.texts.sample.rows import to_csv
        from sentflow.texts.sample.tasks import generate

        for raw_file in raw_files:
            dataset, *rest = raw_file.relative_to(_RAW_FOLDER).parts
            entry = self._datasets[dataset]
            if generator := entry["files"]["/".join(rest)].get("generator"):
                write_text(self._copy(raw_file), to_csv(generate(generator, seed=entry["seed"])))


def _settings(settings: Callable[[Any], str], checks: Callable[[Any], str], job: Any) -> Entry:
    """What a rule is given. Checksums of the catalog are for the copies in the results, and are compared there."""
    whole: Entry = {**json.loads(settings(job)), **json.loads(checks(job))}
    return {key: value for key, value in whole.items() if key != "files"}


def _task(task: str, settings: Entry, files: list[Path]) -> "TaskTable":
    """The table of a task; where its labels are words, the message has the line that names them."""
    from sentflow.texts.prepare import PrepareSettings, prepare
    from sentflow.texts.readers import Reader, read_rows

    whole = PrepareSettings.from_settings(settings, task=task)
    try:
        return prepare(task, files, whole)
    except DataError as problem:
        # the words of the job do not know the labels in full; its code decides what runs again
        reader = whole.reader
        if not isinstance(reader, Reader) or reader.labels or "label is not an integer" not in str(problem):
            raise
        # an empty label is missing, and told as such
        words = [label for label in sorted(set(read_rows(files[0], reader).labels)) if label.strip()]
        if len(words) < 2 or len(words) > _MOST_LABELS:
            raise
        labels = ", ".join(json.dumps(label, ensure_ascii=False) for label in words)
        line = f"Or with the labels of {files[0].name}, the first as class 0:\n  labels: [{labels}]"
        raise DataError(f"{problem}\n{line}") from None
