"""Data files on this machine, read and checked before the first job as the rules that prepare them do it."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING

from sentflow.cli.answering import in_folder
from sentflow.cli.terminal import quiet
from sentflow.config.experiment import Experiment
from sentflow.errors import DataError, SentflowError
from sentflow.families.probing import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.similarity import Similarity
from sentflow.files.limits import limited
from sentflow.flow import paths
from sentflow.jobs.job import job_named, option_of
from sentflow.texts.settings import TaskSettings
from sentflow.texts.task_files import DERIVED

if TYPE_CHECKING:
    from sentflow.texts.table import TaskTable

_MAX_BYTES = 50_000_000  # what is larger is left to the jobs
_MOST_LABELS = 20  # of more nobody wants a line
_RAW_FOLDER = Path(paths.RAW_FILE).parents[1]


def read_local_files(experiment: Experiment) -> dict[str, "TaskTable"]:
    """Read the files of tasks, pair sets, corpora and question sets that lie on this machine.

    Returns
    -------
    dict
        Task → its table, for the tasks whose files are here and not large.
    """
    with TemporaryDirectory() as folder, limited(**dict(experiment.config.limits)), quiet():
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
    from sentflow.probing.draws import check_documents
    from sentflow.texts.checks import few_rows

    probing = Probing(experiment)
    rows, documents = [], []
    for task in probing.tasks:
        counts, protocol = _counts(task, experiment, tables), probing.task_protocol(task)
        where = f"{task} ({protocol.name})"
        if counts and (warning := few_rows(counts, protocol=protocol.name, **protocol.needs())):
            rows.append((where, warning))
        folds = probing.task_checks(task).document_folds
        if task in tables and folds and (warning := check_documents(tables[task], **dict(folds))):
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
    """Runs the jobs that prepare files of this machine, in a folder of its own, and keeps what is wrong with them."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.problems: list[SentflowError] = []
        self._datasets, self._folder = experiment.entries["datasets"], folder

    def tasks(self, probing: Probing) -> dict[str, "TaskTable"]:
        from sentflow.texts.table import read_task

        tables = {}
        for task, entry in probing.tasks.items():
            job = SimpleNamespace(task=task)
            files = [Path(file) for file in probing.raw_files_of_task(job)]
            if "documents" in entry:  # whether rows can be documents is known of sample data, too
                self._generate(files)
            told = probing.prepare_settings(job), probing.prepare_checks(job)
            if self._prepared("prepare", f"tasks.{task}", job, files, told, table=paths.TASK):
                tables[task] = read_task(self._made(paths.TASK, job))
        return tables

    def pair_sets(self, similarity: Similarity) -> None:
        for name in similarity.prepared:
            job = SimpleNamespace(pairs=name)
            told = similarity.prepare_settings(job), similarity.prepare_checks(job)
            files = similarity.raw_files_of_set(job)
            self._prepared("prepare_pairs", f"pair_sets.{name}", job, files, told, table=paths.PAIR_SET)

    def collections(self, retrieval: Retrieval) -> None:
        here = set()
        for name in retrieval.prepared_corpora:
            job = SimpleNamespace(corpus=name)
            told = retrieval.corpus_settings(job), retrieval.corpus_checks(job)
            files = retrieval.raw_files_of_corpus(job)
            if self._prepared("prepare_corpus", f"corpora.{name}", job, files, told, table=paths.CORPUS):
                here.add(name)
        for name, entry in retrieval.prepared.items():
            if entry["corpus"] not in here:  # judgements must fit what is searched
                continue
            job = SimpleNamespace(questions=name)
            told = retrieval.question_settings(job), retrieval.question_checks(job)
            files = retrieval.raw_files_of_questions(job)
            corpus = paths.CORPUS.format(corpus=entry["corpus"])
            outputs = {"table": paths.QUESTIONS, "judgements": paths.JUDGEMENTS}
            where = f"question_sets.{name}"
            self._prepared("prepare_questions", where, job, files, told, corpus=corpus, **outputs)

    def _prepared(
        self,
        name: str,
        where: str,
        wildcards: SimpleNamespace,
        raw_files: Iterable[str | Path],
        told: tuple[str, str],
        **files: str,
    ) -> bool:
        """Whether a job has made its outputs of raw files; not where one of these is not here, large, or not in order.

        Checksums of the catalog are for the copies in the results, and are compared there.
        """
        places = [self._place(Path(file)) for file in raw_files]
        raw = [place for place in places if place is not None]
        if not raw or len(raw) < len(places):
            return False
        settings, checks = told
        values = {
            **vars(wildcards),
            "settings": settings,
            "checks": json.dumps({key: one for key, one in json.loads(checks).items() if key != "files"}),
            **{parameter: str(self._made(file, wildcards)) for parameter, file in files.items()},
        }
        job = job_named(name)
        words = [f"{option_of(parameter)}={value}" for parameter, value in values.items()]
        try:
            job.function(**job.values([*words, "--raw", *map(str, raw)]))
        except SentflowError as problem:
            labels = _labels_line(raw[0], settings, str(problem))
            self.problems.append(type(problem)(f"{where}: {problem}{labels}"))
            return False
        return True

    def _made(self, pattern: str, wildcards: SimpleNamespace) -> Path:
        return in_folder(self._folder, pattern.format(**vars(wildcards)))

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


def _labels_line(file: Path, settings: str, problem: str) -> str:
    """The line that names the labels of a task that are words: the job does not know them in full."""
    if "label is not an integer" not in problem:
        return ""
    from sentflow.texts.readers import read_rows

    reader = TaskSettings.model_validate_json(settings).reader
    if reader.format == DERIVED or reader.labels:
        return ""
    # an empty label is missing, and told as such
    words = [label for label in sorted(set(read_rows(file, reader).labels)) if label.strip()]
    if len(words) < 2 or len(words) > _MOST_LABELS:
        return ""
    labels = ", ".join(json.dumps(label, ensure_ascii=False) for label in words)
    return f"\nOr with the labels of {file.name}, the first as class 0:\n  labels: [{labels}]"
