"""Entries in short form, which name files of the user: written out as an entry and a dataset of the catalog. And
encoders with rounds: written out as an encoder and a retriever for each, and the training data in between.

Which key of the short form goes where is what the models say: each keeps its name.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sentflow.config.collections import Corpus, QuestionSet, ShortCorpus, ShortQuestionSet
from sentflow.config.datasets import Dataset, File
from sentflow.config.entries import AllEntries, Entries, Entry, as_map, merge
from sentflow.config.model import Settings, fields_of, mistakes
from sentflow.config.retrievers import DENSE, SPARSE
from sentflow.config.tasks import Reader as TaskReader
from sentflow.config.tasks import ShortTask, Task
from sentflow.config.trainings import Negatives, Reader, Round, Rounds, ShortTrainingData, TrainingData
from sentflow.encoders.settings import MADE_BY, WEIGHING
from sentflow.training.settings import TrainingOptions

OWN = "own-"  # begins the names of the datasets of entries in short form
_ENDINGS = (".jsonl", ".parquet")
_QRELS = ["question", "iteration", "document", "grade"]  # of a line


@dataclass(frozen=True)
class ShortForm:
    """The short form of a section."""

    # short, long: models of the two forms
    short: type[Settings]
    long: type[Settings]
    keys: tuple[str, ...]  # an entry in short form has one of them
    dataset: str  # begins the name of its dataset
    # written_out: makes of a name, an entry and the same with its defaults what it reads, and its files by their names
    written_out: Callable[[str, Entry, Entry], tuple[Entry, dict[str, Any]]]


def is_short(section: str, entry: Any) -> bool:
    form = SHORT_FORMS.get(section)
    return form is not None and isinstance(entry, dict) and any(key in entry for key in form.keys)


def dataset_name(section: str, name: str) -> str:
    return f"{OWN}{SHORT_FORMS[section].dataset}{name.lower()}"


def write_out(section: str, noun: str, entries: AllEntries) -> dict[str, list[str]]:
    """Replace the short entries of a section by an entry and a dataset, in place; problems of those that stay, by name.

    `noun`: what one entry is called in messages. `entries`: all of them.
    """
    refused: dict[str, list[str]] = {}
    for name, entry in list(entries[section].items()):
        if not is_short(section, entry):
            if section == "tasks":
                entries[section][name] = _with_reader(entry)
            continue
        form, dataset = SHORT_FORMS[section], dataset_name(section, name)
        problems = [str(mistake) for mistake in mistakes(form.short, entry, where=f"{section}.{name}")]
        if dataset in entries["datasets"]:
            problems.append(
                f"{section}.{name}: its dataset would be {dataset}, which already exists. Rename the {noun}."
            )
        if problems:
            refused[name] = problems
            continue
        full = _completed(name, entry, form)
        read, files = form.written_out(name, entry, full)
        own = _picked(full, fields_of(form.long).keys() - {"split"})  # which is a file in short forms
        entries[section][name] = {**own, "dataset": dataset, **read}
        entries["datasets"][dataset] = {**_picked(full, Dataset), "files": files}
    return refused


def raw_name(file: str) -> str:
    """Name of a file below ``results/``: its own, without characters that have a meaning in paths and shells."""
    plain = PurePosixPath(file.partition("?")[0]).name
    return re.sub(r"[^A-Za-z0-9._-]+", "_", plain).lstrip(".-") or "data"


def _completed(name: str, entry: Entry, form: ShortForm) -> Entry:
    """A short entry with what it leaves out: title, data version, and defaults that the long form does not have."""
    title, of_long = entry.get("title", name), _defaults(form.long)
    assumed = {key: value for key, value in _defaults(form.short).items() if key not in of_long}
    return {"title": title, "data_version": title, **assumed, **entry}


def _defaults(model: type[Settings]) -> dict[str, Any]:
    """Key → what it is where it is left out, other than nothing."""
    fields = {key: field for key, field in fields_of(model).items() if not field.is_required()}
    return {key: field.default for key, field in fields.items() if field.default is not None}


def _picked(entry: Mapping[str, Any], keys: Iterable[str] | type[Settings]) -> Entry:
    known = fields_of(keys) if isinstance(keys, type) else set(keys)
    return {key: entry[key] for key in entry if key in known}


# --- tasks


def _task(_name: str, entry: Entry, _full: Entry) -> tuple[Entry, dict[str, Any]]:
    name, read = raw_name(entry["file"]), _columns(entry)
    reader = {**ShortTask.reader_of(entry["file"]), **read, "file": name}
    return {"reader": reader}, _one_file(entry)


def _with_reader(entry: Any) -> Any:
    """An entry whose columns stand beside `like`, with them in its ``reader``; any other as it is."""
    if not isinstance(entry, dict) or "like" not in entry or not isinstance(entry.get("reader", {}), dict):
        return entry
    moved = _columns(entry)
    kept = {key: value for key, value in entry.items() if key not in (*moved, "text")}
    return {**kept, "reader": {**entry.get("reader", {}), **moved}} if moved else entry


def _columns(entry: Mapping[str, Any]) -> Entry:
    """What an entry says of its reader; ``text`` is short for ``text_a``."""
    renamed = {("text_a" if key == "text" else key): value for key, value in entry.items()}
    return _picked(renamed, (fields_of(ShortTask).keys() & fields_of(TaskReader).keys()) - {"file"})


def _one_file(entry: Entry) -> dict[str, Any]:
    return {raw_name(entry["file"]): {"urls": [entry["file"]], **_picked(entry, File)}}


# --- training data


def _training_data(_name: str, entry: Entry, _full: Entry) -> tuple[Entry, dict[str, Any]]:
    reader = _picked(entry, Reader)
    # the delimiter that an ending tells belongs to the format that it tells
    by_ending = {} if "format" in reader else ShortTrainingData.reader_of(entry["file"])
    reader = {**by_ending, **reader, "files": [raw_name(entry["file"])]}
    return {"form": entry.get("form", _row_form(entry)), "reader": reader}, _one_file(entry)


def _row_form(entry: Entry) -> str:
    if "score" in entry or "negative_score" in entry:
        return "scored"
    if "nli" in entry or "negative" in entry:
        return "triplets"
    if "label" in entry:
        return "labelled"
    return "pairs" if "other" in entry else "texts"


# --- corpora and question sets


def _corpus(_name: str, _entry: Entry, entry: Entry) -> tuple[Entry, dict[str, Any]]:
    if "beir" in entry:
        files, about = [_in_beir(entry["beir"], "corpus")], {"format": "beir"}
    else:
        files, about = _files_at(entry["trec"]), {"format": "trec", **_picked(entry, ("encoding",))}
    names = [raw_name(file) for file in files]
    source = {**about, "files": names, "id": "id", "title": "title", "text": "text"}
    return {"documents": [source]}, _addresses(files)


def _question_set(name: str, _entry: Entry, entry: Entry) -> tuple[Entry, dict[str, Any]]:
    about = {"corpus": entry.get("corpus", name), "unjudged": "leave-out"}
    others: list[str] = []
    if "beir" in entry:
        asked, judged = _in_beir(entry["beir"], "queries"), _qrels(entry, "split")
        others = [_qrels(entry, "without_split")] if "without_split" in entry else []
        question: Entry = {"format": "beir", "id": "id", "text": "text"}
        columns = {"question": "query-id", "document": "corpus-id", "grade": "score"}
        judgement: Entry = {"format": "beir-judgements", **columns}
    else:
        asked, judged = entry["trec"], entry["qrels"]
        reading = _picked(entry, ("encoding",))
        question = {"format": "trec-topics", "id": "id", "text": entry["text"], **reading}
        columns = {key: key for key in ("question", "document", "grade")}
        judgement = {"format": "spaced", "columns": _QRELS, **columns}
    sources = {
        "questions": [{**question, "files": [raw_name(asked)]}],
        "judgements": [{**judgement, "files": [raw_name(judged)]}],
    }
    if others:
        names = [raw_name(file) for file in others]
        sources["without"] = [{"format": "beir-judgements", "files": names, "id": "query-id"}]
    return {**about, **sources}, _addresses([asked, judged, *others])


def _addresses(files: list[str]) -> dict[str, Any]:
    return {raw_name(file): {"urls": [file]} for file in files}


def _qrels(entry: Entry, key: str) -> str:
    return _in_beir(f"{entry['beir']}/qrels", entry[key], (".tsv", *_ENDINGS))


def _in_beir(folder: str, stem: str, endings: tuple[str, ...] = _ENDINGS) -> str:
    """The file of a folder that has one of the endings; the first of them where none is there."""
    names = [f"{folder.rstrip('/')}/{stem}{ending}" for ending in endings]
    return next((name for name in names if Path(name).expanduser().is_file()), names[0])


def _files_at(place: str) -> list[str]:
    """A file, or the files of a folder in the order of their names."""
    folder = Path(place).expanduser()
    if not folder.is_dir():
        return [place]
    found = [str(path) for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] not in "._"]
    return found or [place]


# --- rounds

_WHOLE_DATA = {"form", "like", "file"}  # entries of training data with one of these are not laid over others


def write_out_rounds(own: AllEntries, catalog: AllEntries) -> list[str]:
    """Replace encoders with rounds by an encoder and a retriever for each, and data that are mined; what is wrong.

    `own`, `catalog`: entries of a configuration, which are changed in place, and of the catalog. Keys of a
    configuration for what is made are laid over it.
    """
    problems: list[str] = []
    for name, entry in list(own["models"].items()):
        if not isinstance(entry, dict) or "rounds" not in entry:
            continue
        where = f"models.{name}.rounds"
        if wrong := mistakes(Rounds, entry["rounds"], where=where):
            problems += map(str, wrong)
            continue
        if not ("data" in entry or "data" in entry["rounds"][0]):
            problems.append(f"models.{name}.data: it is missing. Write the training data of the first round.")
            continue
        del own["models"][name]
        for section, key, value in _made_of_rounds(name, entry, own, catalog):
            there = as_map(own[section].get(key))
            if key in catalog[section] or there.keys() & {"round_of", *_WHOLE_DATA}:
                problems.append(
                    f"{where}: there is {section}.{key} already. Write another name in rounds or called."
                )
            own[section][key] = merge(value, there)
    return problems


def _made_of_rounds(
    name: str, entry: Entry, own: AllEntries, catalog: AllEntries
) -> Iterator[tuple[str, str, Entry]]:
    """Section, name and entry of everything that one with rounds stands for."""
    data_of: dict[Any, Any] = {}  # encoder that was made → its data
    whole = {key: one for key, one in own["training_data"].items() if as_map(one).keys() & _WHOLE_DATA}
    known: Entries = {**catalog["training_data"], **whole}
    kind = SPARSE if MADE_BY.get(entry.get("recipe", "")) in WEIGHING else DENSE
    common = {key: value for key, value in entry.items() if key not in ("rounds", "called")}
    first, start = entry.get("start"), entry.get("start")
    of_entry = {"name": entry.get("called", name), "title": entry.get("title", name), "start": first}
    for number, said in enumerate(entry["rounds"], start=1):
        words = {**of_entry, "round": number}
        model, title, data_title = (_filled(said, key, words) for key in ("name", "title", "data_title"))
        if "start" in said:
            start = first if said["start"] == "{start}" else _filled(said, "start", words)
        finder = start if isinstance(start, str) and start in data_of else None
        base = data_of[finder] if finder else entry.get("data")
        data = _filled(said, "data", words) or (f"{finder}-negatives" if finder else str(base))
        negatives = _picked(said, Negatives)
        if negatives or (data != str(base) and data not in known):
            found = {**_negatives(base, known), **({"retriever": finder} if finder else {}), **negatives}
            known[data] = {"like": base, "title": data_title, "negatives": found}
            yield "training_data", data, known[data]
        about = {"title": title, "start": start, "data": data, "round_of": name}
        training = merge(entry.get("training", {}), _picked(said, TrainingOptions))
        yield (
            "models",
            model,
            {**common, **about, "training": training, **_picked(said, ("settings", "selection"))},
        )
        yield "retrievers", model, {"title": title, "kind": kind, "model": model}
        data_of[model], start = data, model


def _filled(said: Entry, key: str, words: Mapping[str, Any]) -> str:
    text = str(said.get(key, Round.model_fields[key].default))
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", str(value))
    return text


def _negatives(data: Any, known: Entries) -> Entry:
    """What an entry of training data says of negatives, or the one that it is like."""
    entry = as_map(known.get(data))
    return as_map(entry.get("negatives")) or (_negatives(entry["like"], known) if "like" in entry else {})


SHORT_FORMS: Mapping[str, ShortForm] = {
    "tasks": ShortForm(ShortTask, Task, ("file",), "", _task),
    "training_data": ShortForm(ShortTrainingData, TrainingData, ("file",), "training-data-", _training_data),
    "corpora": ShortForm(ShortCorpus, Corpus, ("beir", "trec"), "corpus-", _corpus),
    "question_sets": ShortForm(
        ShortQuestionSet, QuestionSet, ("beir", "trec"), "question-set-", _question_set
    ),
}
