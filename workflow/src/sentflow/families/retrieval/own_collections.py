"""Collections in short form: a folder of BEIR, or files of TREC, written out as entries and datasets of the catalog."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sentflow.config.collections import Corpus, QuestionSet, ShortCorpus, ShortQuestionSet
from sentflow.config.datasets import Dataset
from sentflow.config.entries import AllEntries, Entry
from sentflow.config.model import Settings
from sentflow.config.short_forms import OWN, completed, missing_file, picked, raw_name, replace_short

_FORMS = ("beir", "trec")
_ENDINGS = (".jsonl", ".parquet")
_QRELS = ["question", "iteration", "document", "grade"]  # of a line


def write_out_corpora(entries: AllEntries) -> dict[str, list[str]]:
    """Replace corpora in short form by a corpus and a dataset, in place; problems of those that stay, by name."""
    return _write_out(entries, "corpora", "corpus", ShortCorpus, Corpus, _documents)


def write_out_question_sets(entries: AllEntries) -> dict[str, list[str]]:
    """The same of question sets."""
    return _write_out(entries, "question_sets", "question set", ShortQuestionSet, QuestionSet, _questions)


def is_short(entry: Any) -> bool:
    """Whether an entry names its files itself, and so has the short form."""
    return isinstance(entry, dict) and any(form in entry for form in _FORMS)


def missing_files(where: str, entry: Mapping[str, Any], datasets: Mapping[str, Any]) -> list[str]:
    """Problems if files of an entry that had the short form are neither there nor copied already."""
    dataset = entry["dataset"]
    if not dataset.startswith(f"{OWN}-"):
        return []
    addresses = [file["urls"][0] for file in datasets[dataset]["files"].values()]
    return [problem for file in addresses for problem in missing_file(where, file, dataset)]


def _write_out(
    entries: AllEntries,
    section: str,
    noun: str,
    short: type[Settings],
    long: type[Settings],
    read: Callable[[str, Entry], tuple[Entry, list[str]]],
) -> dict[str, list[str]]:
    """Replace the short entries of a section; `read` gives what is read, and from which files."""

    def written_out(name: str, entry: Entry) -> tuple[Entry, Entry]:
        full = completed(name, entry, short=short, long=long)
        sources, files = read(name, full)
        own = {key: value for key, value in picked(full, long).items() if key != "split"}
        urls = {raw_name(file): {"urls": [file]} for file in files}
        return {**own, **sources, "dataset": dataset_name(name)}, {**picked(full, Dataset), "files": urls}

    def dataset_name(name: str) -> str:
        return f"{OWN}-{noun.replace(' ', '-')}-{name}"

    return replace_short(
        entries,
        section,
        model=short,
        noun=noun,
        is_short=is_short,
        problems=lambda name, entry: _short_problems(f"{section}.{name}", entry, section),
        written_out=written_out,
        dataset_name=dataset_name,
    )


def _short_problems(where: str, entry: Entry, section: str) -> list[str]:
    """What is wrong with a short entry that fits its schema, which cannot say it in these words."""
    if all(form in entry for form in _FORMS):
        return [f"{where}: beir and trec are two forms. Write one of them."]
    if section == "question_sets" and "trec" in entry and "qrels" not in entry:
        return [f"{where}.qrels: there are no judgements. Write qrels: <file>."]
    of_other = {"beir": ("qrels", "text", "encoding"), "trec": ("split", "without_split")}[
        "beir" if "beir" in entry else "trec"
    ]
    return [
        f"{where}.{key}: nothing of this kind is read in the form {'beir' if 'beir' in entry else 'trec'}. Delete it."
        for key in of_other
        if key in entry
    ]


def _documents(_name: str, entry: Entry) -> tuple[Entry, list[str]]:
    if "beir" in entry:
        files, about = [_in_beir(entry["beir"], "corpus")], {"format": "beir"}
    else:
        files, about = _files_at(entry["trec"]), {"format": "trec", **picked(entry, ("encoding",))}
    source = {
        **about,
        "files": [raw_name(file) for file in files],
        "id": "id",
        "title": "title",
        "text": "text",
    }
    return {"documents": [source]}, files


def _questions(name: str, entry: Entry) -> tuple[Entry, list[str]]:
    about = {"corpus": entry.get("corpus", name), "unjudged": "leave-out"}
    others: list[str] = []
    if "beir" in entry:
        asked, judged = _in_beir(entry["beir"], "queries"), _qrels(entry, "split")
        others = [_qrels(entry, "without_split")] if "without_split" in entry else []
        question: Entry = {"format": "beir", "id": "id", "text": "text"}
        judgement: Entry = {
            "format": "beir-judgements",
            "question": "query-id",
            "document": "corpus-id",
            "grade": "score",
        }
    else:
        asked, judged = entry["trec"], entry["qrels"]
        question = {
            "format": "trec-topics",
            "id": "id",
            "text": entry["text"],
            **picked(entry, ("encoding",)),
        }
        judgement = {
            "format": "spaced",
            "columns": _QRELS,
            **{key: key for key in ("question", "document", "grade")},
        }
    sources = {
        "questions": [{**question, "files": [raw_name(asked)]}],
        "judgements": [{**judgement, "files": [raw_name(judged)]}],
    }
    if others:
        sources["without"] = [
            {"format": "beir-judgements", "files": [raw_name(file) for file in others], "id": "query-id"}
        ]
    return {**about, **sources}, [asked, judged, *others]


def _qrels(entry: Entry, key: str) -> str:
    """The judgements of a split of a folder of BEIR."""
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
