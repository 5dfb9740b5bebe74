"""Data files on this machine, read and checked before the first job as the rules that prepare them do it."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.errors import DataError, SentflowError
from sentflow.families.probing.family import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.similarity.family import Similarity
from sentflow.graph import paths

if TYPE_CHECKING:
    from sentflow.texts.corpora import Corpus
    from sentflow.texts.table import TaskTable

# What is larger is left to the jobs.
_MAX_BYTES = 50_000_000
_RAW_FOLDER = Path(paths.RAW_FILE).parents[1]
Made = TypeVar("Made")


def read_local_files(experiment: Experiment) -> dict[str, "TaskTable"]:
    """Read the files of tasks, pair sets, corpora and question sets that lie on this machine.

    Returns
    -------
    dict
        Task → its table, for the tasks whose files are here and not large.

    Raises
    ------
    ConfigError, DataError
        Files are not in order, each in the words of the rule that prepares it; all are named.
    """
    from sentflow.files.limits import limited

    with TemporaryDirectory() as folder, limited(**dict(experiment.config.limits)):
        reader = _Reader(experiment, Path(folder))
        tables = _read_tasks(reader, Probing(experiment))
        _read_pair_sets(reader, Similarity(experiment))
        _read_collections(reader, Retrieval(experiment))
    if len(reader.problems) == 1:
        raise reader.problems[0]
    if reader.problems:
        # a message may have lines of its own
        listed = "\n".join("  - " + str(problem).replace("\n", "\n    ") for problem in reader.problems)
        raise DataError(f"{len(reader.problems)} data sets have files that are not in order:\n{listed}")
    return tables


class _Reader:
    """Makes tables of files of this machine, and keeps what is wrong with them."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.problems: list[SentflowError] = []
        self._datasets, self._folder = experiment.entries["datasets"], folder

    def made(self, where: str, raw_files: Iterable[str], make: Callable[[list[Path]], Made]) -> Made | None:
        """What is made of raw files; None where one of them is not here or large, or is not in order.

        Parameters
        ----------
        where
            The entry, e.g. ``"tasks.Reviews"``, for a message.
        raw_files
            Their paths in the results.
        make
            Makes it of the files, which have their names in the results.
        """
        places = [self._place(Path(file)) for file in raw_files]
        here = [place for place in places if place is not None]
        if not here or len(here) < len(places):
            return None
        try:
            return make(here)
        except SentflowError as problem:
            self.problems.append(type(problem)(f"{where}: {problem}"))
            return None

    def _place(self, raw_file: Path) -> Path | None:
        """A raw file under its name in the results."""
        dataset, *rest = raw_file.relative_to(_RAW_FOLDER).parts
        addresses = self._datasets[dataset]["files"]["/".join(rest)].get("urls", [])
        found = [Path(address.removeprefix("file://")).expanduser() for address in addresses]
        path = next((one for one in found if one.is_file() and one.stat().st_size <= _MAX_BYTES), None)
        if path is None:
            return None
        link = self._folder.joinpath(dataset, *rest)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(path.resolve())
        return link


def _settings(settings: Callable[[Any], str], checks: Callable[[Any], str], job: Any) -> Entry:
    """What a rule is given. Checksums of the catalog are for the copies in the results, and are compared there."""
    whole: Entry = {**json.loads(settings(job)), **json.loads(checks(job))}
    return {key: value for key, value in whole.items() if key != "files"}


def _read_tasks(reader: _Reader, probing: Probing) -> dict[str, "TaskTable"]:
    from sentflow.cli.label_lines import labels_line
    from sentflow.texts.prepare import PrepareSettings, prepare
    from sentflow.texts.readers import Reader

    def maker(task: str, settings: Entry) -> Callable[[list[Path]], "TaskTable"]:
        def make(files: list[Path]) -> "TaskTable":
            whole = PrepareSettings.from_settings(settings, task=task)
            try:
                return prepare(task, files, whole)
            except DataError as problem:
                # the words of the job do not know the labels in full; its code decides what runs again
                line = ""
                if isinstance(whole.reader, Reader) and "label is not an integer" in str(problem):
                    line = labels_line(files[0], whole.reader)
                raise DataError("\n".join([str(problem), *([line] if line else [])])) from None

        return make

    found = {}
    for task in probing.tasks:
        job = SimpleNamespace(task=task)
        settings = _settings(probing.prepare_settings, probing.prepare_checks, job)
        if table := reader.made(f"tasks.{task}", probing.raw_files_of_task(job), maker(task, settings)):
            found[task] = table
    return found


def _read_pair_sets(reader: _Reader, similarity: Similarity) -> None:
    from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs

    def maker(pairs: str, settings: Entry) -> Callable[[list[Path]], object]:
        return lambda files: prepare_pairs(pairs, files, PairSettings.from_settings(settings, pairs=pairs))

    for pairs in similarity.prepared:
        job = SimpleNamespace(pairs=pairs)
        settings = _settings(similarity.prepare_settings, similarity.prepare_checks, job)
        reader.made(f"pair_sets.{pairs}", similarity.raw_files_of_set(job), maker(pairs, settings))


def _read_collections(reader: _Reader, retrieval: Retrieval) -> None:
    corpora = {corpus: _read_corpus(reader, retrieval, corpus) for corpus in retrieval.prepared_corpora}
    for name, entry in retrieval.prepared.items():
        # judgements must fit what is searched
        if corpus := corpora.get(entry["corpus"]):
            _read_questions(reader, retrieval, name, corpus)


def _read_corpus(reader: _Reader, retrieval: Retrieval, corpus: str) -> "Corpus | None":
    from sentflow.texts.corpus_settings import Checks, CorpusSettings, read_of
    from sentflow.texts.prepare_corpus import prepare_corpus

    entry = retrieval.prepared_corpora[corpus]
    settings, checks = read_of(CorpusSettings, entry), read_of(Checks, entry)
    raw = retrieval.raw_files_of_corpus(SimpleNamespace(corpus=corpus))
    return reader.made(
        f"corpora.{corpus}", raw, lambda files: prepare_corpus(corpus, files, settings, checks)
    )


def _read_questions(reader: _Reader, retrieval: Retrieval, name: str, corpus: "Corpus") -> None:
    from sentflow.texts.corpus_settings import Checks, QuestionSettings, read_of
    from sentflow.texts.prepare_questions import prepare_questions

    entry = retrieval.prepared[name]
    settings, checks = read_of(QuestionSettings, entry), read_of(Checks, entry)
    raw = retrieval.raw_files_of_questions(SimpleNamespace(questions=name))
    reader.made(
        f"question_sets.{name}", raw, lambda files: prepare_questions(name, files, settings, corpus, checks)
    )
