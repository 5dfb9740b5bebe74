"""Data files and models on this machine, read and checked before the first job as the rules that prepare them do it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from sentflow.cli.configuration import in_folder, run_job
from sentflow.cli.terminal import quiet
from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.config.model import Settings
from sentflow.config.tasks import TaskSettings
from sentflow.downloads.mirrors import is_remote, local_path
from sentflow.encoders.fetch import own_file
from sentflow.encoders.manifest import model_folder, source_kind
from sentflow.encoders.safety import describe_modules, describe_plain
from sentflow.errors import DataError, SentflowError
from sentflow.families.pairs import Similarity
from sentflow.families.probing import Probing
from sentflow.families.retrieval.family import Retrieval
from sentflow.files.io import read_json
from sentflow.files.limits import limited
from sentflow.flow import paths
from sentflow.flow.family import FromFiles, json_text
from sentflow.texts.raw_files import DERIVED
from sentflow.texts.settings import TaskChecks

if TYPE_CHECKING:
    from sentflow.texts.table import TaskTable

_MAX_BYTES = 50_000_000  # what is larger is left to the jobs
_PLAIN = ("transformers", "cross-encoder", "splade")  # kinds of one transformer
_FROM_JSON = "TokenizersBackend"
_MOST_LABELS = 20  # of more nobody wants a line
_RAW_FOLDER = Path(paths.RAW_FILE).parents[1]


def read_local_files(experiment: Experiment) -> dict[str, "TaskTable"]:
    """Read the files of tasks, pair sets, corpora, question sets and models that lie on this machine.

    Returns task → its table, for the tasks whose files are here and not large.
    """
    with TemporaryDirectory() as folder, limited(**dict(experiment.config.limits)), quiet():
        reader = _Reader(experiment, Path(folder))
        tables = reader.tables()
        reader.problems += model_problems(experiment)
    if len(reader.problems) == 1:
        raise reader.problems[0]
    if reader.problems:
        # a message may have lines of its own
        listed = "\n".join("  - " + str(problem).replace("\n", "\n    ") for problem in reader.problems)
        raise DataError(f"{len(reader.problems)} mistakes in files of this machine:\n{listed}")
    return tables


def model_problems(experiment: Experiment) -> Iterator[SentflowError]:
    """What is wrong with models of this machine, by their settings and the headers of their weights."""
    for name, entry in experiment.fetched_models.items():
        source = entry.get("source")
        if not isinstance(source, Mapping) or source_kind(source) not in ("folder", "file"):
            continue
        try:
            if source_kind(source) == "file":
                own_file(source)
            elif entry["kind"] == "sentence-transformers":
                describe_modules(entry, model_folder(source))
            elif entry["kind"] in _PLAIN:
                folder = model_folder(source)
                describe_plain(entry, folder)
                _refuse_misread(entry, folder)
            else:
                model_folder(source)
        except SentflowError as problem:
            yield type(problem)(f"models.{name}: {problem}")


def _refuse_misread(entry: Entry, folder: Path) -> None:
    """Refuse files by which transformers reads no text, or takes whole languages for unknown tokens."""
    names = {path.name for path in folder.iterdir()}
    if "tokenizer.json" in names:
        return
    pieces = sorted(name for name in names if name.endswith(".model"))
    if pieces and (entry.get("tokenizer_class") == _FROM_JSON or find_spec("sentencepiece") is None):
        raise DataError(
            f"{folder} has {pieces[0]} and no tokenizer.json. Write that, on a machine with the package sentencepiece: "
            'see docs/models.md, "Starts from a folder".'
        )
    if "vocab.txt" not in names or "bpe.codes" in names:
        return
    config = folder / "tokenizer_config.json"
    if "do_lower_case" in (read_json(config) if config.is_file() else {}):
        return
    letters = set((folder / "vocab.txt").read_text(encoding="utf-8", errors="replace"))
    if any(letter.isalpha() and normalize("NFD", letter) != letter for letter in letters):
        raise DataError(
            f"{folder}: vocab.txt has letters with accents or Korean syllables, which the tokenizer takes apart before "
            'it searches for them, because no file says otherwise. Write {"do_lower_case": false} into '
            f"{config.name} there, or true if the model was trained so."
        )


def small_tasks(
    experiment: Experiment, tables: Mapping[str, "TaskTable"]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Tasks with too few rows to train on as published, and with too few documents for anything to be said of new ones.

    Returns task and protocol, with a warning, of each.
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
        checks = probing.from_files.checks_of(task)
        folds = checks.document_folds if isinstance(checks, TaskChecks) else None
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
        self._experiment, self._datasets, self._folder = experiment, experiment.entries["datasets"], folder

    def tables(self) -> dict[str, "TaskTable"]:
        from sentflow.texts.table import read_task

        retrieval, tables = Retrieval(self._experiment), {}
        for task in self._prepared("prepare", Probing(self._experiment).from_files, tables=paths.TASK):
            tables[task] = read_task(self._made(paths.TASK, {"task": task}))
        self._prepared("prepare_pairs", Similarity(self._experiment).from_files, tables=paths.PAIR_SET)
        here = self._prepared("prepare_corpus", retrieval.corpus_files, table=paths.CORPUS)
        sets, made = retrieval.question_files, {"table": paths.QUESTIONS, "judgements": paths.JUDGEMENTS}
        # judgements must fit what is searched
        sets.entries = {name: entry for name, entry in sets.entries.items() if entry["corpus"] in here}
        self._prepared("prepare_questions", sets, corpus=paths.CORPUS, **made)
        return tables

    def _prepared(self, job: str, of: FromFiles, **files: str) -> list[str]:
        """The entries whose tables a job has made; not those whose files are not here, large, or not in order.

        Checksums of the catalog are for the copies in the results, and are compared there.
        """
        done = []
        for name, entry in of.entries.items():
            wildcards = SimpleNamespace(**{of.wildcard: name})
            raw = [self._place(Path(file)) for file in of.raw(wildcards)]
            if not raw or None in raw:
                continue
            settings, checks = of.settings_of(name), of.checks_of(name).as_dict()
            checks.pop("files", None)
            names = {"corpus": entry.get("corpus"), **vars(wildcards)}
            # A job for several tables knows their entries by name
            is_alone = "tables" not in files
            values = {
                **(vars(wildcards) if is_alone else {}),
                "settings": json_text(settings.as_dict() if is_alone else {name: settings.as_dict()}),
                "checks": json_text(checks if is_alone else {name: checks}),
                "raw": raw,
                **{parameter: self._made(file, names) for parameter, file in files.items()},
            }
            try:
                run_job(job, values)
                done.append(name)
            except SentflowError as problem:
                labels = _labels_line(raw[0], settings, str(problem)) if raw[0] else ""
                place = f"{of.section}.{name}: " if is_alone else ""
                self.problems.append(type(problem)(f"{place}{problem}{labels}"))
        return done

    def _made(self, pattern: str, names: Mapping[str, Any]) -> Path:
        return in_folder(self._folder, pattern.format(**names))

    def _place(self, raw_file: Path) -> Path | None:
        """A raw file under its name in the results."""
        dataset, *rest = raw_file.relative_to(_RAW_FOLDER).parts
        addresses = self._datasets[dataset]["files"]["/".join(rest)]["urls"]
        files = [local_path(address) for address in addresses if not is_remote(address)]
        path = next((one for one in files if one.is_file() and one.stat().st_size <= _MAX_BYTES), None)
        if path is None:
            return None
        link = self._folder / raw_file.relative_to(_RAW_FOLDER)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(path.resolve())
        return link


def _labels_line(file: Path, settings: Settings, problem: str) -> str:
    """The line that names the labels of a task that are words: the job does not know them in full."""
    if "label is not an integer" not in problem or not isinstance(settings, TaskSettings):
        return ""
    from sentflow.texts.sources import read_rows

    reader = settings.reader
    if reader.format == DERIVED or reader.labels:
        return ""
    # an empty label is missing, and reported as such
    words = [label for label in sorted(set(read_rows(file, reader).labels)) if label.strip()]
    if not 2 <= len(words) <= _MOST_LABELS:
        return ""
    labels = ", ".join(json.dumps(label, ensure_ascii=False) for label in words)
    return f"\nOr with the labels of {file.name}, the first as class 0:\n  labels: [{labels}]"
